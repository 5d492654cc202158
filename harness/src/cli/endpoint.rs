//! A run against an endpoint by URL: its key, its progress, Ctrl-C, and nothing left behind.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::args::{GivenKey, RunArgs};
use super::interrupt::{self, Interrupt};
use super::tell;
use super::trouble::Trouble;
use crate::realtime::{Options, Progress, run_real};
use crate::report::plain::plain;
use crate::run::Run;
use crate::target::{About, Fault, Target as _};
use crate::targets::http::{HttpConfig, HttpTarget};
use crate::vector::Vector;

pub(super) fn replay<'a>(
    url: &str,
    vectors: &[&'a Vector],
    args: &RunArgs,
    begin: impl FnOnce(About) -> Result<(), Trouble>,
) -> Result<Run<'a>, Trouble> {
    let key = args.key.as_ref().map(GivenKey::get).transpose()?;
    let config = HttpConfig::new(url, key)?.with_timeout(Duration::from_secs(args.timeout));
    let target = Arc::new(HttpTarget::new(config));
    let options = Options { budget_s: args.budget, progress: Arc::new(show), ..Options::default() };
    interrupt::watch(&options.stop, deletes_its_database(&target))?;
    begin(target.about())?;
    let run = prepared(&target, vectors, &options);
    hide();
    if let Err(fault) = target.cleanup() {
        // What is left behind is no verdict, but somebody has to know.
        tell(&format!("warning: {}\n", plain(&fault.to_string())));
    }
    Ok(run?)
}

/// A target that cannot be prepared is no verdict; after Ctrl-C it is what was asked for.
fn prepared<'a>(target: &HttpTarget, vectors: &[&'a Vector], options: &Options) -> Result<Run<'a>, Fault> {
    match target.prepare() {
        Ok(()) => run_real(target, vectors, options),
        Err(_) if options.stop.load(Ordering::SeqCst) => {
            Ok(Run::unasked(target.about(), vectors, "the run was interrupted before"))
        }
        Err(fault) => Err(fault),
    }
}

/// The first Ctrl-C ends the run in good order: nobody waits for a busy target any longer, what was not judged says so,
/// and the database is deleted.
fn deletes_its_database(target: &Arc<HttpTarget>) -> Interrupt {
    let database = target.database();
    // The handler stays until the process ends, and must not keep the target from being dropped, which cleans up.
    let weak = Arc::downgrade(target);
    Interrupt {
        first: "ending the run and deleting its database".into(),
        second: format!("the database {database} may be left behind"),
        wake: Box::new(move || {
            if let Some(target) = weak.upgrade() {
                target.interrupt();
            }
        }),
    }
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
