//! How far a run on a real clock has come, for whoever waits.

use std::io::{IsTerminal as _, Write as _};

use cosmos_ttl_harness::realtime::Progress;

/// One line, written over, where somebody is looking; every ten seconds a line elsewhere, as in the log of a CI.
pub(super) fn show(progress: Progress) {
    let Progress { elapsed_s, expected_s, done, of } = progress;
    let line = format!("{elapsed_s} of about {expected_s} s, {done} of {of} vectors done");
    let mut stderr = std::io::stderr().lock();
    // Whether anybody reads the progress changes nothing.
    let _ = if stderr.is_terminal() {
        write!(stderr, "\r{line}\u{1b}[K").and_then(|()| stderr.flush())
    } else if elapsed_s.is_multiple_of(10) {
        writeln!(stderr, "{line}")
    } else {
        Ok(())
    };
}

/// Takes the last line of progress away.
pub(super) fn hide() {
    let mut stderr = std::io::stderr().lock();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\u{1b}[K").and_then(|()| stderr.flush());
    }
}
