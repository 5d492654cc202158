//! `cosmos-ttl explore`

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::args::ExploreArgs;
use super::target::{self, TargetName};
use crate::shell::progress::during;
use crate::shell::{CommandError, Output, atomic_write, grouped, secret, suite, unwritable};
use cosmos_ttl_explore::shrink::MOST_CALLS;
use cosmos_ttl_explore::{
    Counterexample, Coverage, Exploration, ExploreOptions, LeftOut, SearchResult, search_but,
};
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::without;
use cosmos_ttl_harness::vector::Suite;

/// How many requests are asked of a target in this process, and of one that is slower.
const STEPS: u64 = 1_000_000;
const FEW_STEPS: u64 = 10_000;
/// How often a script is replayed to make it smaller, where that takes its time.
const FEW_REPLAYS: u32 = 500;

pub(super) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    let named = target::only(args.target.as_deref(), &args.at)?;
    let stop = Arc::new(AtomicBool::new(false));
    let suite = suite(&args.vectors)?;
    let left_out = left_out(args, &suite)?;
    let (steps, replays) = if named.is_included() { (STEPS, MOST_CALLS) } else { (FEW_STEPS, FEW_REPLAYS) };
    let options = ExploreOptions { seed: args.seed, steps: args.steps.unwrap_or(steps), stop: &stop };
    let reached = target::with_target(
        &named,
        &args.at,
        1,
        &stop,
        |_| Ok(()),
        |target| {
            during("exploring", || search_but(target, &suite, &options, replays, args.strict, &left_out))
        },
    )?;
    let Some(mut result) = reached.done else { return Ok(target::interrupted()) };
    result.explored.coverage.broken += u64::try_from(reached.mishaps.len()).unwrap_or(u64::MAX);
    result.explored.mishaps.extend(reached.mishaps);
    if let (Some(path), Some((_, Counterexample { written: Ok(written), .. }))) =
        (&args.output, &result.shown)
    {
        let help = "name a file in a directory that exists, or leave `--output` away";
        atomic_write(path, &format!("{}\n", written.text)).map_err(|err| unwritable(path, &err, help))?;
    }
    Ok(Output { text: text(args, &named, &result), code: code(args, &result) })
}

/// The differences that are to be passed by.
fn left_out(args: &ExploreArgs, suite: &Suite) -> Result<LeftOut, CommandError> {
    for clause in &args.except {
        if suite.catalogue.get(clause).is_none() {
            let what = format!("`{}` is no clause", secret::shown(clause));
            return Err(CommandError::usage(what, "`cosmos-ttl list --clauses` shows them"));
        }
    }
    let known = args.known.as_deref().map(|path| KnownFailures::load(path, suite)).transpose()?;
    let vectors = known.iter().flat_map(KnownFailures::names).filter_map(|name| suite.get(name));
    let known = vectors.map(|vector| vector.clauses.iter().cloned().collect()).collect();
    Ok(LeftOut { clauses: args.except.iter().cloned().collect(), known })
}

fn code(args: &ExploreArgs, result: &SearchResult) -> u8 {
    let SearchResult { explored, shown, .. } = result;
    let undecided = explored.cut_short || says_little(explored).is_some() || !explored.mishaps.is_empty();
    if shown.as_ref().is_some_and(|(_, shown)| args.strict || !shown.is_should()) {
        1
    } else if explored.coverage.broken > 0 {
        4
    } else if undecided {
        3
    } else {
        0
    }
}

/// Why a search without a difference says nothing of time to live; `None` where it says something.
fn says_little(explored: &Exploration) -> Option<String> {
    let Coverage { requests, sessions, given_up, .. } = explored.coverage;
    if requests == 0 {
        return Some("nothing was answered".into());
    }
    if given_up > sessions / 2 {
        let (places, all) = (grouped(given_up), counted(sessions, "place"));
        return Some(format!("{places} of {all} were given up; is the way to the target sound?"));
    }
    None
}

fn text(args: &ExploreArgs, named: &TargetName, result: &SearchResult) -> String {
    let explored = &result.explored;
    let mut lines = Vec::new();
    if let Some((seed, shown)) = &result.shown {
        lines.extend(counterexample(args.strict, named, shown, &again(args, named, *seed)));
    }
    lines.extend(explored.mishaps.iter().map(|mishap| format!("not judged: {}", plain(mishap))));
    if explored.left_out > 0 {
        let count = counted(explored.left_out, "difference");
        lines.push(format!("left out: {count}, which `--except` or `--known` names"));
    }
    reached(&explored.coverage, &mut lines);
    lines.extend([String::new(), end(args, result)]);
    lines.join("\n") + "\n"
}

/// Returns a counterexample in words, and the command that repeats it.
pub(super) fn counterexample(
    strict: bool,
    named: &TargetName,
    shown: &Counterexample,
    again: &str,
) -> Vec<String> {
    let level = if shown.is_should() && !strict { "warning" } else { "error" };
    let mut lines = vec![format!("{level}: {} answers what the model never does", plain(&named.words()))];
    lines.extend(shown.lines());
    lines.extend([format!("again: {again}"), String::new()]);
    lines
}

/// The command that plays what follows from this seed.
fn again(args: &ExploreArgs, named: &TargetName, seed: u64) -> String {
    /// No session has more requests.
    const STEPS: &str = "131";
    let seed = seed.to_string();
    let mut words: Vec<String> = ["--seed", &seed, "--steps", STEPS].map(String::from).into();
    words.extend(args.vectors.options());
    words.extend(args.strict.then(|| "--strict".into()));
    target::again("explore", words, named, &args.at)
}

fn list(parts: impl Iterator<Item = (impl Display, u64)>) -> String {
    parts.map(|(word, count)| format!("{} {word}", grouped(count))).collect::<Vec<_>>().join(", ")
}

/// Says what was tried: a reader who sees that nothing was found must be able to judge what that is worth.
fn reached(coverage: &Coverage, lines: &mut Vec<String>) {
    lines.push(format!("asked: {}", list(coverage.kinds.iter().map(|(kind, count)| (kind, *count)))));
    let answers = coverage.statuses.iter().map(|(status, count)| (status, *count));
    lines.push(format!("answered: {}", list(answers)));
    lines.push(format!(
        "of these, {} met an expired item; a session lasted at most {} s",
        grouped(coverage.expired),
        grouped(coverage.seconds)
    ));
    if coverage.not_offered > 0 {
        lines.push(format!("the target does not offer {} of the requests", grouped(coverage.not_offered)));
    }
    if coverage.given_up > 0 {
        let count = counted(coverage.given_up, "session");
        lines.push(format!(
            "given up: {count}, because a reply was lost or there were too many candidate states"
        ));
    }
}

fn end(args: &ExploreArgs, result: &SearchResult) -> String {
    let coverage = &result.explored.coverage;
    let mut much = format!(
        "{} in {} from seed {}",
        counted(coverage.requests, "request"),
        counted(coverage.sessions, "place"),
        args.seed
    );
    if !result.explored.without.is_empty() {
        much = format!("{much} {}", without(&result.explored.without));
    }
    let cut = if result.explored.cut_short { ", ended before its time" } else { "" };
    match &result.shown {
        None if let Some(why) = says_little(&result.explored) => format!("undecided: {why}{cut}"),
        None => format!("no difference in {much}{cut}; another seed draws other requests"),
        Some((_, shown)) if shown.is_should() && !args.strict => {
            let shoulds = u64::try_from(result.shoulds).unwrap_or(u64::MAX);
            format!("{} from a should, none from a must in {much}{cut}", counted(shoulds, "difference"))
        }
        Some(_) => format!("a difference within {much}{cut}"),
    }
}

pub(super) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}
