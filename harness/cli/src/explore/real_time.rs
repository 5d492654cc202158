//! Exploring what has a clock of its own: an endpoint by URL, or a process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Told;
use crate::args::ExploreArgs;
use crate::replay::with_endpoint;
use crate::shell::CommandError;
use cosmos_ttl_explore::real_time::{Options, RealTimeResult, explore};
use cosmos_ttl_explore::{Coverage, Explored};
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;

/// How many requests are asked.
const STEPS: u64 = 1_000;

/// Explores an endpoint, and leaves nothing behind there.
pub(super) fn endpoint(
    args: &ExploreArgs,
    url: &str,
    suite: &Suite,
    stop: &Arc<AtomicBool>,
) -> Result<Told, CommandError> {
    with_endpoint(url, args.key.as_ref(), args.timeout, stop, |target| match target.prepare() {
        Ok(()) => told(args, suite, target, stop),
        Err(_) if stop.load(Ordering::SeqCst) => Ok(unasked(target)),
        Err(fault) => Err(fault.into()),
    })
}

/// Explores whatever has a clock of its own.
pub(super) fn told(
    args: &ExploreArgs,
    suite: &Suite,
    target: &dyn Target,
    stop: &AtomicBool,
) -> Result<Told, CommandError> {
    let options = Options {
        seed: args.seed,
        steps: args.steps.unwrap_or(STEPS),
        budget_s: args.budget,
        strict: args.strict,
        stop,
    };
    let RealTimeResult { mut explored, confirmed, unconfirmed, shoulds } = explore(target, suite, &options)?;
    if stop.load(Ordering::SeqCst) {
        // What follows from an interruption is nobody's fault.
        explored.mishaps.clear();
        explored.coverage.broken = 0;
    }
    let shrunk = confirmed.as_ref().map(|(_, _, shrunk)| *shrunk);
    let smallest = confirmed.map(|(seed, smallest, _)| (seed, smallest));
    Ok(Told { explored, smallest, shoulds, shrunk, unconfirmed })
}

/// After Ctrl-C nothing that cannot be prepared is anybody's fault.
fn unasked(target: &dyn Target) -> Told {
    let (about, coverage) = (target.about(), Coverage::default());
    Told::new(Explored { about, coverage, found: None, mishaps: Vec::new(), cut_short: true }, None, 0)
}
