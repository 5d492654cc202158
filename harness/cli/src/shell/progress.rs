//! Progress of what takes longer than a second: one line on a terminal, which is written over and cleared at the end.

use std::io::{self, IsTerminal as _, StderrLock, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A stream that shows one line of progress at a time.
#[derive(Debug)]
pub struct ProgressLine<W> {
    stream: W,
    is_terminal: bool,
}

impl ProgressLine<StderrLock<'static>> {
    /// Returns the standard error.
    pub fn stderr() -> Self {
        let stream = io::stderr().lock();
        Self { is_terminal: stream.is_terminal(), stream }
    }
}

// Whether progress can be written changes nothing, so no error of the stream is told.
impl<W: Write> ProgressLine<W> {
    /// Returns a line on another stream.
    pub fn new(stream: W, is_terminal: bool) -> Self {
        Self { stream, is_terminal }
    }

    /// Shows a line in place of the last one; on a terminal only.
    pub fn show(&mut self, line: &str) {
        if self.is_terminal {
            let _ = write!(self.stream, "\r{line}\u{1b}[K").and_then(|()| self.stream.flush());
        }
    }

    /// Shows a line on a terminal; elsewhere, as in the log of a CI, logs it every ten seconds.
    pub fn show_or_log(&mut self, line: &str, elapsed_s: u64) {
        if !self.is_terminal && elapsed_s.is_multiple_of(10) {
            let _ = writeln!(self.stream, "{line}");
        }
        self.show(line);
    }

    /// Removes the line; on a terminal only.
    pub fn clear(&mut self) {
        self.show("");
    }
}

/// Runs something, and shows on a terminal from the first second on what goes on and for how long.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if io::stderr().is_terminal() { show_seconds(what, SECOND, ProgressLine::stderr, work) } else { work() }
}

/// Runs something, and shows its seconds at each tick on the line that `open` returns.
pub fn show_seconds<T, W: Write>(
    what: &str,
    tick: Duration,
    open: impl Fn() -> ProgressLine<W> + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut elapsed_s = 0_u64;
            while is_done.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                elapsed_s += 1;
                open().show(&format!("{what}: {elapsed_s} s"));
            }
            if elapsed_s > 0 {
                open().clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}
