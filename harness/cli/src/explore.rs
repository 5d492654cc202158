//! `cosmos-ttl explore`

mod real_time;
mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::ExploreArgs;
use super::interrupt::{self, Interrupt};
use super::replay;
use super::target::{ACCEPTED, TargetName};
use crate::shell::CommandError;
use crate::shell::{Output, atomic_write, suite};
use cosmos_ttl_explore::mutants::Table;
use cosmos_ttl_explore::real_time::Shrunk;
use cosmos_ttl_explore::shrink::MOST_CALLS;
use cosmos_ttl_explore::{Counterexample, Explored, Found, Options, explore_after};
use cosmos_ttl_harness::target::{Clock, Fault, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_process::target::ProcessTarget;

/// How many requests are asked of a target in this process, and of one that is slower or of each mutant.
const STEPS: u64 = 1_000_000;
const FEW_STEPS: u64 = 10_000;
/// How often a storyboard is replayed to make it smaller, where that takes its time.
const FEW_REPLAYS: u32 = 500;
/// So many differences from a `should` are passed by in search of one from a must.
const MOST_SHOULDS: usize = 5;

/// What came of it all.
struct Told {
    /// The last exploration, with the requests of those before it.
    explored: Explored,
    /// The difference that is shown, and the seed of its place.
    smallest: Option<(u64, Counterexample)>,
    /// How many differences from a `should` were found.
    shoulds: usize,
    /// On a real clock: how far it was made smaller.
    shrunk: Option<Shrunk>,
    /// On a real clock: what was found and did not show again.
    unconfirmed: Option<Found>,
}

impl Told {
    fn new(explored: Explored, smallest: Option<(u64, Counterexample)>, shoulds: usize) -> Self {
        Self { explored, smallest, shoulds, shrunk: None, unconfirmed: None }
    }
}

pub(super) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    if args.mutants {
        interrupt::watch(&stop, Interrupt::default())?;
        return mutants(args, &stop);
    }
    let named = named(args)?;
    let suite = suite(&args.vectors)?;
    if let TargetName::Url(url) = &named {
        let told = real_time::endpoint(args, url, &suite, &stop)?;
        return said(args, &named, &told);
    }
    interrupt::watch(&stop, Interrupt::default())?;
    match (named.included(), &named) {
        (Some(target), _) => {
            let told = told(args, &suite, target.as_ref(), (STEPS, MOST_CALLS), &stop)?;
            said(args, &named, &told)
        }
        (None, TargetName::Process(command)) => {
            let process = ProcessTarget::start(replay::process(command, &args.process, args.timeout, &stop))?;
            let mut told = match process.about().clock {
                Clock::Virtual => told(args, &suite, &process, (FEW_STEPS, FEW_REPLAYS), &stop)?,
                Clock::Real => real_time::told(args, &suite, &process, &stop)?,
            };
            if let Err(fault) = process.bye()
                && !stop.load(Ordering::SeqCst)
            {
                told.explored.coverage.broken = told.explored.coverage.broken.saturating_add(1);
                told.explored.mishaps.push(format!("at the end: {fault}"));
            }
            said(args, &named, &told)
        }
        (None, _) => Err(not_explored(&named.words())),
    }
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

/// Explores until a must is broken or enough was asked.
fn told(
    args: &ExploreArgs,
    suite: &Suite,
    target: &dyn Target,
    (steps, replays): (u64, u32),
    stop: &AtomicBool,
) -> Result<Told, CommandError> {
    let mut seed = args.seed;
    let mut left = args.steps.unwrap_or(steps);
    let mut before: Option<Explored> = None;
    let mut should = None;
    let mut shoulds: usize = 0;
    let mut chosen = None;
    loop {
        let mut explored = explore_after(target, &Options { seed, steps: left, stop }, &mut chosen)?;
        left = left.saturating_sub(explored.coverage.requests);
        if let Some(before) = before.take() {
            explored.coverage.join(&before.coverage);
            explored.mishaps.splice(0..0, before.mishaps);
        }
        let smallest = match &explored.found {
            Some(found) => Some((found.seed, Counterexample::of(target, suite, found, replays)?)),
            None => None,
        };
        let Some((at, smallest)) = smallest else {
            return Ok(Told::new(explored, should, shoulds));
        };
        if !smallest.is_should() || args.strict {
            return Ok(Told::new(explored, Some((at, smallest)), shoulds));
        }
        shoulds = shoulds.saturating_add(1);
        should.get_or_insert((at, smallest));
        if left == 0 || MOST_SHOULDS <= shoulds {
            return Ok(Told::new(explored, should, shoulds));
        }
        seed = at.wrapping_add(1);
        before = Some(explored);
    }
}

fn said(args: &ExploreArgs, named: &TargetName, told: &Told) -> Result<Output, CommandError> {
    if let (Some(path), Some((_, Counterexample { written: Ok(written), .. }))) =
        (&args.output, &told.smallest)
    {
        atomic_write(path, &format!("{}\n", written.text)).map_err(|err| {
            let what = format!("{} cannot be written: {err}", path.display());
            CommandError::usage(what, "name a file in a directory that there is, or leave `--output` out")
        })?;
    }
    let text = text::text(args, named, told);
    Ok(Output { text, code: code(args, told) })
}

fn code(args: &ExploreArgs, told: &Told) -> u8 {
    let Told { explored, smallest, unconfirmed, .. } = told;
    let fails = smallest.as_ref().is_some_and(|(_, smallest)| args.strict || !smallest.is_should());
    if fails {
        1
    } else if 0 < explored.coverage.broken {
        4
    } else if explored.cut_short
        || explored.coverage.requests == 0
        || !explored.mishaps.is_empty()
        || unconfirmed.is_some()
    {
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
