//! A run against a process: started, replayed against, and ended in good order.

use std::time::Duration;

use super::args::RunArgs;
use super::tell;
use crate::realtime::{Options, run_real};
use crate::report::plain::plain;
use crate::run::{Run, run_virtual};
use crate::target::{Clock, Fault, Target as _};
use crate::targets::process::{ProcessConfig, ProcessTarget};
use crate::vector::Vector;

pub(super) fn replay<'a>(
    command: &[String],
    vectors: &[&'a Vector],
    args: &RunArgs,
) -> Result<Run<'a>, Fault> {
    let target = ProcessTarget::start(config(command, args))?;
    let run = match target.about().clock {
        Clock::Virtual => run_virtual(&target, vectors),
        Clock::Real => run_real(&target, vectors, &Options { budget_s: args.budget, ..Options::default() }),
    };
    let mishaps = target.mishaps().into_iter().map(|why| format!("between two vectors: {why}"));
    let bye = target.bye().err().map(|fault| format!("at the end: {fault}"));
    for mishap in mishaps.chain(bye) {
        // What touches no vector is no verdict, but somebody has to know.
        tell(&format!("warning: {}\n", plain(&mishap)));
    }
    run
}

fn config(command: &[String], args: &RunArgs) -> ProcessConfig {
    ProcessConfig {
        timeout: Duration::from_secs(args.timeout),
        restarts: args.process.restarts,
        strict: args.process.strict_protocol,
        ..ProcessConfig::new(command)
    }
}
