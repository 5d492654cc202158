//! Replays vectors against a target: in memory, a process or an endpoint, up to Ctrl-C.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::realtime::{Options, Progress, run_real};
use cosmos_ttl_harness::run::{Run, run_virtual_until};
use cosmos_ttl_harness::target::{About, Clock, Fault, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_http::{HttpConfig, HttpTarget};
use cosmos_ttl_process::target::{ProcessConfig, ProcessTarget};

use super::args::{RunArgs, TargetArgs};
use super::target::TargetName;
use crate::shell::{CommandError, write_stderr};

/// Replays vectors against the named target.
///
/// Calls `begin` with what is known of the target before the first request, once nothing about the command line is wrong.
pub(super) fn replay<'a>(
    name: &TargetName,
    vectors: &[&'a Vector],
    args: &RunArgs,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
) -> Result<Run<'a>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let interrupted = |about| Run::unasked(about, vectors, "the run was interrupted before");
    match name {
        TargetName::Url(url) => with_endpoint(url, &args.at, &stop, begin, interrupted, |target| {
            replay_real(target, vectors, args, &stop)
        }),
        TargetName::Process(command) => {
            watch(&stop, Interrupt::default())?;
            let target = match ProcessTarget::start(process(command, &args.at, &stop)) {
                Err(_) if stop.load(Ordering::SeqCst) => return Ok(interrupted(name.unasked())),
                target => target?,
            };
            begin(target.about())?;
            let run = match target.about().clock {
                Clock::Virtual => run_virtual_until(&target, vectors, &stop),
                Clock::Real => replay_real(&target, vectors, args, &stop),
            };
            let mishaps = target.mishaps().into_iter().map(|why| format!("between two vectors: {why}"));
            let bye = target.bye().err().map(|fault| format!("at the end: {fault}{}", target.last_words()));
            // What follows from an interruption is nobody's fault.
            let mishaps = mishaps.chain(bye).filter(|_| !stop.load(Ordering::SeqCst)).collect();
            Ok(Run { mishaps, ..run? })
        }
        TargetName::Reference | TargetName::Mutant(_) => {
            watch(&stop, Interrupt::default())?;
            let target = name.included().ok_or_else(|| Fault::Misuse(name.words()))?;
            begin(target.about())?;
            Ok(run_virtual_until(target.as_ref(), vectors, &stop)?)
        }
    }
}

fn replay_real<'a>(
    target: &dyn Target,
    vectors: &[&'a Vector],
    args: &RunArgs,
    stop: &Arc<AtomicBool>,
) -> Result<Run<'a>, Fault> {
    let options =
        Options { budget_s: args.at.budget, progress: Arc::new(show_progress), stop: Arc::clone(stop) };
    let run = run_real(target, vectors, &options);
    let mut stderr = io::stderr().lock();
    if stderr.is_terminal() {
        // The last line of progress goes away.
        let _ = write!(stderr, "\r\u{1b}[K").and_then(|()| stderr.flush());
    }
    run
}

/// One line, written over, where somebody is looking; every ten seconds a line elsewhere, as in the log of a CI.
fn show_progress(progress: Progress) {
    let Progress { elapsed_s, expected_s, done, of } = progress;
    let line = format!("{elapsed_s} of about {expected_s} s, {done} of {of} vectors done");
    let mut stderr = io::stderr().lock();
    // Whether anybody reads the progress changes nothing.
    let _ = if stderr.is_terminal() {
        write!(stderr, "\r{line}\u{1b}[K").and_then(|()| stderr.flush())
    } else if elapsed_s.is_multiple_of(10) {
        writeln!(stderr, "{line}")
    } else {
        Ok(())
    };
}

pub(super) fn process(command: &[String], args: &TargetArgs, stop: &Arc<AtomicBool>) -> ProcessConfig {
    ProcessConfig {
        timeout: Duration::from_secs(args.timeout),
        restarts: args.restarts,
        strict: args.strict_protocol,
        stop: Arc::clone(stop),
        ..ProcessConfig::new(command)
    }
}

/// Runs something at an endpoint, and deletes the endpoint's database afterwards.
///
/// The first Ctrl-C ends the run in good order: nobody waits for a busy target any longer, vectors without a verdict say so,
/// and the database is deleted. What was `interrupted` before the endpoint was prepared is nobody's fault.
pub(super) fn with_endpoint<T>(
    url: &str,
    args: &TargetArgs,
    stop: &Arc<AtomicBool>,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
    interrupted: impl FnOnce(About) -> T,
    run: impl FnOnce(&HttpTarget) -> Result<T, Fault>,
) -> Result<T, CommandError> {
    let config = HttpConfig::new(url, args.key.clone().transpose()?)?;
    let target = Arc::new(HttpTarget::new(config.with_timeout(Duration::from_secs(args.timeout))));
    // The handler stays until the process ends, and must not keep the target from being dropped, which cleans up.
    let weak = Arc::downgrade(&target);
    let handler = Interrupt {
        first: "ending the run and deleting its database".into(),
        second: format!("the database {} may be left behind", target.database()),
        wake: Box::new(move || {
            if let Some(target) = weak.upgrade() {
                target.interrupt();
            }
        }),
    };
    watch(stop, handler)?;
    let result = begin(target.about()).and_then(|()| match target.prepare() {
        Ok(()) => Ok(run(&target)?),
        Err(_) if stop.load(Ordering::SeqCst) => Ok(interrupted(target.about())),
        Err(fault) => Err(fault.into()),
    });
    if let Err(fault) = target.cleanup() {
        // What is left behind is no verdict, but somebody has to know.
        write_stderr(&format!("warning: {}\n", plain(&fault.to_string())));
    }
    result
}

const INTERRUPTED: i32 = 130;

pub(super) struct Interrupt {
    /// What the first one does, in words.
    pub(super) first: String,
    /// What the second one leaves behind, in words.
    pub(super) second: String,
    /// Ends all waiting; called at the first one, from a thread of its own.
    pub(super) wake: Box<dyn Fn() + Send>,
}

impl Default for Interrupt {
    fn default() -> Self {
        let (first, second) = ("ending the run".into(), "nothing is said of the run".into());
        Self { first, second, wake: Box::new(|| {}) }
    }
}

/// Sets `stop` at the first Ctrl-C, and ends the process at the second. To be called once in a process.
pub(super) fn watch(stop: &Arc<AtomicBool>, interrupt: Interrupt) -> Result<(), Fault> {
    let stop = Arc::clone(stop);
    let handler = move || {
        if stop.swap(true, Ordering::SeqCst) {
            write_stderr(&format!("interrupted twice: {}\n", interrupt.second));
            #[expect(clippy::exit, reason = "whoever presses Ctrl-C twice does not want to wait")]
            std::process::exit(INTERRUPTED);
        }
        write_stderr(&format!("interrupted: {}; once more ends at once\n", interrupt.first));
        (interrupt.wake)();
    };
    ctrlc::set_handler(handler).map_err(|err| Fault::Misuse(format!("ctrl-c cannot be watched: {err}")))
}
