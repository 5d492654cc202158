//! `cosmos-ttl explore`

mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::ExploreArgs;
use super::interrupt::{self, Interrupt};
use super::replay::{self, with_endpoint};
use super::target::{ACCEPTED, TargetName};
use crate::shell::{CommandError, Output, atomic_write, suite};
use cosmos_ttl_explore::mutants::Table;
use cosmos_ttl_explore::real_time;
use cosmos_ttl_explore::shrink::MOST_CALLS;
use cosmos_ttl_explore::{Counterexample, Coverage, Exploration, ExploreOptions, SearchResult, search};
use cosmos_ttl_harness::target::{Clock, Fault, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_process::target::ProcessTarget;

/// How many requests are asked of a target in this process, of one that is slower or of each mutant, and on a real clock.
const STEPS: u64 = 1_000_000;
const FEW_STEPS: u64 = 10_000;
const REAL_STEPS: u64 = 1_000;
/// How often a script is replayed to make it smaller, where that takes its time.
const FEW_REPLAYS: u32 = 500;

pub(super) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    if args.mutants {
        interrupt::watch(&stop, Interrupt::default())?;
        return mutants(args, &stop);
    }
    let named = named(args)?;
    let suite = suite(&args.vectors)?;
    let moved_by_us = |target: &dyn Target, steps, replays| {
        let options = ExploreOptions { seed: args.seed, steps: args.steps.unwrap_or(steps), stop: &stop };
        search(target, &suite, &options, replays, args.strict)
    };
    let result = match (named.included(), &named) {
        (Some(target), _) => {
            interrupt::watch(&stop, Interrupt::default())?;
            moved_by_us(target.as_ref(), STEPS, MOST_CALLS)?
        }
        (None, TargetName::Url(url)) => endpoint(args, url, &suite, &stop)?,
        (None, TargetName::Process(command)) => {
            interrupt::watch(&stop, Interrupt::default())?;
            let process = ProcessTarget::start(replay::process(command, &args.process, args.timeout, &stop))?;
            let mut result = match process.about().clock {
                Clock::Virtual => moved_by_us(&process, FEW_STEPS, FEW_REPLAYS)?,
                Clock::Real => on_a_real_clock(args, &suite, &process, &stop)?,
            };
            if let Err(fault) = process.bye()
                && !stop.load(Ordering::SeqCst)
            {
                result.explored.coverage.broken += 1;
                result.explored.mishaps.push(format!("at the end: {fault}"));
            }
            result
        }
        (None, _) => return Err(not_explored(&named.words())),
    };
    if let (Some(path), Some((_, Counterexample { written: Ok(written), .. }))) =
        (&args.output, &result.shown)
    {
        atomic_write(path, &format!("{}\n", written.text)).map_err(|err| {
            let what = format!("{} cannot be written: {err}", path.display());
            CommandError::usage(what, "name a file in a directory that there is, or leave `--output` out")
        })?;
    }
    Ok(Output { text: text::text(args, &named, &result), code: code(args, &result) })
}

fn named(args: &ExploreArgs) -> Result<TargetName, CommandError> {
    let words: Vec<String> = args.target.iter().cloned().collect();
    match TargetName::split(&words, &args.command)? {
        (named, []) => Ok(named),
        (_, [word, ..]) => Err(not_explored(word)),
    }
}

fn not_explored(word: &str) -> CommandError {
    CommandError::usage(format!("`{word}` is no target that can be explored"), ACCEPTED)
}

/// Explores an endpoint, and leaves nothing behind there.
fn endpoint(
    args: &ExploreArgs,
    url: &str,
    suite: &Suite,
    stop: &Arc<AtomicBool>,
) -> Result<SearchResult, CommandError> {
    with_endpoint(url, args.key.as_ref(), args.timeout, stop, |target| match target.prepare() {
        Ok(()) => on_a_real_clock(args, suite, target, stop),
        // After Ctrl-C, a target that cannot be prepared is nobody's fault.
        Err(_) if stop.load(Ordering::SeqCst) => {
            let (about, coverage) = (target.about(), Coverage::default());
            let explored = Exploration { about, coverage, found: None, mishaps: Vec::new(), cut_short: true };
            Ok(SearchResult { explored, shown: None, shoulds: 0, unconfirmed: None })
        }
        Err(fault) => Err(fault.into()),
    })
}

fn on_a_real_clock(
    args: &ExploreArgs,
    suite: &Suite,
    target: &dyn Target,
    stop: &AtomicBool,
) -> Result<SearchResult, CommandError> {
    let options = ExploreOptions { seed: args.seed, steps: args.steps.unwrap_or(REAL_STEPS), stop };
    Ok(real_time::search(target, suite, &options, args.budget, args.strict)?)
}

fn code(args: &ExploreArgs, result: &SearchResult) -> u8 {
    let SearchResult { explored, shown, unconfirmed, .. } = result;
    let undecided = explored.cut_short || explored.coverage.requests == 0 || !explored.mishaps.is_empty();
    if shown.as_ref().is_some_and(|(_, shown)| args.strict || !shown.is_should()) {
        1
    } else if explored.coverage.broken > 0 {
        4
    } else if undecided || unconfirmed.is_some() {
        3
    } else {
        0
    }
}

fn mutants(args: &ExploreArgs, stop: &AtomicBool) -> Result<Output, CommandError> {
    let table = Table::of(args.seed, args.steps.unwrap_or(FEW_STEPS), stop)?;
    if stop.load(Ordering::SeqCst) {
        return Err(Fault::Broken("interrupted: of the mutants nothing is said".into()).into());
    }
    let code = u8::from(table.accused().next().is_some());
    Ok(Output { text: text::table(&table), code })
}
