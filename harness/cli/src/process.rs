//! A run against a process: started, replayed against, and ended in good order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::args::RunArgs;
use super::interrupt::{self, Interrupt};
use super::progress;
use crate::shell::CommandError;
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::run::{Run, run_virtual_until};
use cosmos_ttl_harness::target::{About, Clock, Fault, Target as _};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_process::target::{ProcessConfig, ProcessTarget};

/// Replays vectors against the process that this command starts; `unasked` is what is known of it before.
pub(super) fn replay<'a>(
    command: &[String],
    vectors: &[&'a Vector],
    args: &RunArgs,
    unasked: About,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
) -> Result<Run<'a>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::watch(&stop, Interrupt::default())?;
    let target = match ProcessTarget::start(config(command, args, &stop)) {
        Err(_) if stop.load(Ordering::SeqCst) => {
            return Ok(Run::unasked(unasked, vectors, "the run was interrupted before"));
        }
        target => target?,
    };
    begin(target.about())?;
    let run = match target.about().clock {
        Clock::Virtual => run_virtual_until(&target, vectors, &stop),
        Clock::Real => moved_by_itself(&target, vectors, args, &stop),
    };
    let mishaps = target.mishaps().into_iter().map(|why| format!("between two vectors: {why}"));
    let bye = target.bye().err().map(|fault| format!("at the end: {fault}{}", target.last_words()));
    // What follows from an interruption is nobody's fault.
    let mishaps = mishaps.chain(bye).filter(|_| !stop.load(Ordering::SeqCst)).collect();
    Ok(Run { mishaps, ..run? })
}

fn moved_by_itself<'a>(
    target: &ProcessTarget,
    vectors: &[&'a Vector],
    args: &RunArgs,
    stop: &Arc<AtomicBool>,
) -> Result<Run<'a>, Fault> {
    let stop = Arc::clone(stop);
    let options = Options { budget_s: args.budget, progress: Arc::new(progress::show), stop };
    let run = run_real(target, vectors, &options);
    progress::hide();
    run
}

fn config(command: &[String], args: &RunArgs, stop: &Arc<AtomicBool>) -> ProcessConfig {
    ProcessConfig {
        timeout: Duration::from_secs(args.timeout),
        restarts: args.process.restarts,
        strict: args.process.strict_protocol,
        stop: Arc::clone(stop),
        ..ProcessConfig::new(command)
    }
}
