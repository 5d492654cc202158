//! A run against a process: started, replayed against, and ended in good order.

use std::sync::Arc;
use std::time::Duration;

use super::args::RunArgs;
use super::interrupt::{self, Interrupt};
use super::target::moved_by_us;
use super::trouble::Trouble;
use super::{progress, tell};
use crate::realtime::{Options, run_real};
use crate::report::plain::plain;
use crate::run::Run;
use crate::target::{About, Clock, Target as _};
use crate::targets::process::{ProcessConfig, ProcessTarget};
use crate::vector::Vector;

pub(super) fn replay<'a>(
    command: &[String],
    vectors: &[&'a Vector],
    args: &RunArgs,
    begin: impl FnOnce(About) -> Result<(), Trouble>,
) -> Result<Run<'a>, Trouble> {
    let target = ProcessTarget::start(config(command, args))?;
    let run = match target.about().clock {
        Clock::Virtual => moved_by_us(&target, vectors, begin),
        Clock::Real => moved_by_itself(&target, vectors, args, begin),
    };
    let mishaps = target.mishaps().into_iter().map(|why| format!("between two vectors: {why}"));
    let bye = target.bye().err().map(|fault| format!("at the end: {fault}"));
    for mishap in mishaps.chain(bye) {
        // What touches no vector is no verdict, but somebody has to know.
        tell(&format!("warning: {}\n", plain(&mishap)));
    }
    run
}

fn moved_by_itself<'a>(
    target: &ProcessTarget,
    vectors: &[&'a Vector],
    args: &RunArgs,
    begin: impl FnOnce(About) -> Result<(), Trouble>,
) -> Result<Run<'a>, Trouble> {
    let options = Options { budget_s: args.budget, progress: Arc::new(progress::show), ..Options::default() };
    interrupt::watch(&options.stop, Interrupt::default())?;
    begin(target.about())?;
    let run = run_real(target, vectors, &options);
    progress::hide();
    Ok(run?)
}

fn config(command: &[String], args: &RunArgs) -> ProcessConfig {
    ProcessConfig {
        timeout: Duration::from_secs(args.timeout),
        restarts: args.process.restarts,
        strict: args.process.strict_protocol,
        ..ProcessConfig::new(command)
    }
}
