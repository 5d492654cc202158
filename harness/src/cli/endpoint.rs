//! A run against an endpoint by URL: its key, its progress, Ctrl-C, and nothing left behind.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::args::{GivenKey, RunArgs};
use super::tell;
use crate::realtime::{Options, Progress, run_real};
use crate::report::plain::plain;
use crate::run::Run;
use crate::target::Fault;
use crate::targets::http::{HttpConfig, HttpTarget};
use crate::vector::Vector;

/// What a process ends with that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

pub(super) fn replay<'a>(url: &str, vectors: &[&'a Vector], args: &RunArgs) -> Result<Run<'a>, Fault> {
    let key = args.key.as_ref().map(GivenKey::get).transpose()?;
    let config = HttpConfig::new(url, key)?.with_timeout(Duration::from_secs(args.timeout));
    let target = Arc::new(HttpTarget::new(config));
    let options = Options { budget_s: args.budget, progress: Arc::new(show), ..Options::default() };
    stop_on_ctrl_c(&options.stop, &target)?;
    target.prepare()?;
    let run = run_real(target.as_ref(), vectors, &options);
    hide();
    if let Err(fault) = target.cleanup() {
        // What is left behind is no verdict, but somebody has to know.
        tell(&format!("warning: {}\n", plain(&fault.to_string())));
    }
    run
}

/// The first Ctrl-C ends the run in good order: nobody waits for a busy target any longer, what was not judged says so,
/// and the database is deleted. The second ends the process.
fn stop_on_ctrl_c(stop: &Arc<AtomicBool>, target: &Arc<HttpTarget>) -> Result<(), Fault> {
    let stop = Arc::clone(stop);
    let database = target.database().to_owned();
    // The handler stays until the process ends, and must not keep the target from being dropped, which cleans up.
    let target = Arc::downgrade(target);
    let handler = move || {
        if stop.swap(true, Ordering::SeqCst) {
            tell(&format!("interrupted twice: the database {database} may be left behind\n"));
            #[expect(clippy::exit, reason = "whoever presses Ctrl-C twice does not want to wait")]
            std::process::exit(INTERRUPTED);
        }
        tell("interrupted: ending the run and deleting its database; once more ends at once\n");
        if let Some(target) = target.upgrade() {
            target.interrupt();
        }
    };
    ctrlc::set_handler(handler).map_err(|err| Fault::Misuse(format!("ctrl-c cannot be watched: {err}")))
}

/// One line, written over, where somebody is looking; every ten seconds a line elsewhere, as in the log of a CI.
fn show(progress: Progress) {
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
fn hide() {
    let mut stderr = std::io::stderr().lock();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\u{1b}[K").and_then(|()| stderr.flush());
    }
}
