//! `cosmos-ttl explore`

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::ExploreArgs;
use super::target::{ACCEPTED, Interrupt, TargetName, process, watch, with_endpoint};
use crate::report::spoken;
use crate::shell::progress::during;
use crate::shell::{CommandError, Output, atomic_write, grouped, secret, suite};
use cosmos_ttl_explore::shrink::MOST_CALLS;
use cosmos_ttl_explore::{
    Contradiction, Counterexample, Coverage, Exchange, Exploration, ExploreOptions, LeftOut, SearchResult,
    search_but,
};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::plain::{plain, plain_lines};
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_targets::process::target::{ProcessTarget, RunningProcesses};

/// How many requests are asked of a target in this process, and of one that is slower.
const STEPS: u64 = 1_000_000;
const FEW_STEPS: u64 = 10_000;
/// How often a script is replayed to make it smaller, where that takes its time.
const FEW_REPLAYS: u32 = 500;

pub(super) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    let words: Vec<String> = args.target.iter().cloned().collect();
    let (named, rest) = TargetName::split(&words, &args.at.command)?;
    if let Some(word) = rest.first() {
        return Err(not_explored(word));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let running = match named {
        TargetName::Url(_) => RunningProcesses::default(),
        _ => watch(&stop, Interrupt::default())?,
    };
    let suite = suite(&args.vectors)?;
    let left_out = left_out(args, &suite)?;
    let options = |steps| ExploreOptions { seed: args.seed, steps: args.steps.unwrap_or(steps), stop: &stop };
    let search = |target: &dyn Target, steps, replays| {
        during("exploring", || search_but(target, &suite, &options(steps), replays, args.strict, &left_out))
    };
    let result = match &named {
        TargetName::Url(url) => {
            let interrupted = |about| {
                let (coverage, found, mishaps) = (Coverage::default(), None, Vec::new());
                let explored = Exploration { about, coverage, found, left_out: 0, mishaps, cut_short: true };
                SearchResult { explored, shown: None, shoulds: 0 }
            };
            with_endpoint(
                url,
                &args.at,
                &stop,
                |_| Ok(()),
                interrupted,
                |target| search(target, FEW_STEPS, FEW_REPLAYS),
            )?
        }
        TargetName::Process(command) => {
            let process = ProcessTarget::start(process(command, &args.at, &stop, running))?;
            let mut result = search(&process, FEW_STEPS, FEW_REPLAYS)?;
            if let Err(fault) = process.bye()
                && !stop.load(Ordering::SeqCst)
            {
                result.explored.coverage.broken += 1;
                result.explored.mishaps.push(format!("at the end: {fault}"));
            }
            result
        }
        TargetName::Reference | TargetName::Mutant(_) => {
            let target = named.included().ok_or_else(|| not_explored(&named.words()))?;
            search(target.as_ref(), STEPS, MOST_CALLS)?
        }
    };
    if let (Some(path), Some((_, Counterexample { written: Ok(written), .. }))) =
        (&args.output, &result.shown)
    {
        atomic_write(path, &format!("{}\n", written.text)).map_err(|err| {
            let what = format!("{} cannot be written: {err}", path.display());
            CommandError::usage(what, "name a file in a directory that there is, or leave `--output` out")
        })?;
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

fn not_explored(word: &str) -> CommandError {
    CommandError::usage(format!("`{}` is no target that can be explored", secret::shown(word)), ACCEPTED)
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
        let told = Told { strict: args.strict, output: args.output.as_deref() };
        counterexample(&told, named, shown, &mut lines);
        lines.extend([format!("again: {}", again(args, named, *seed)), String::new()]);
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

/// How a counterexample is told.
pub(super) struct Told<'a> {
    pub(super) strict: bool,
    /// Where its vector is written; without it, it is printed.
    pub(super) output: Option<&'a Path>,
}

pub(super) fn counterexample(
    told: &Told<'_>,
    named: &TargetName,
    shown: &Counterexample,
    lines: &mut Vec<String>,
) {
    let Counterexample { differs, exchanges, only_under, written, .. } = shown;
    let level = if shown.is_should() && !told.strict { "warning" } else { "error" };
    lines.push(format!("{level}: {} answers what the model never does", plain(&named.words())));
    lines.extend(steps(exchanges));
    lines.push(in_words(differs));
    if let Some(removal) = only_under {
        lines.push(format!("only where removal is: {removal}"));
    }
    match written {
        Ok(written) => {
            lines.extend([format!("clauses: {}", written.vector.clauses.join(", ")), String::new()]);
            if let Some(path) = told.output {
                lines.push(format!("{} is in {}", written.vector.name, plain(&path.display().to_string())));
            } else {
                lines.push(format!("as a vector, to be added to vectors/{}.yaml:", written.vector.section));
                lines.push(plain_lines(&written.text));
            }
        }
        Err(why) => lines.push(format!("no vector can say it: {}", plain(why))),
    }
}

pub(super) fn in_words(differs: &Contradiction) -> String {
    format!("expected {}, got {}", plain(&differs.expected), plain(&differs.got))
}

fn steps(exchanges: &[Exchange]) -> Vec<String> {
    let steps = exchanges.iter().map(|one| {
        let asked = describe::request(&one.call.request, &one.call.conditions);
        (one.at_s, plain(&asked), plain(&describe::response(&one.response)))
    });
    describe::lines(steps).into_iter().map(|line| format!("  {line}")).collect()
}

/// The command that plays what follows from this seed.
fn again(args: &ExploreArgs, named: &TargetName, seed: u64) -> String {
    /// No session has more requests.
    const STEPS: &str = "131";
    let (command, options) = (&args.at.command, args.vectors.options());
    let target = command.is_empty().then(|| named.words());
    let seed = seed.to_string();
    let words = target.iter().map(String::as_str).chain(["--seed", &seed, "--steps", STEPS]);
    let words = words.chain(options.iter().map(String::as_str)).chain(args.strict.then_some("--strict"));
    let words = words.chain((!command.is_empty()).then_some("--"));
    let command: Vec<_> = command.iter().map(|word| secret::without_keys(word)).collect();
    spoken("cosmos-ttl explore", words.chain(command.iter().map(String::as_str)))
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
        "of these, {} met an expired item, {} showed whether an item had reappeared or was gone, {} had a condition, and {} \
         were about another partition; a session lasted at most {} s; at most {}",
        grouped(coverage.expired),
        grouped(coverage.fates),
        grouped(coverage.conditions),
        grouped(coverage.elsewhere),
        grouped(coverage.seconds),
        counted(u64::try_from(coverage.worlds).unwrap_or(u64::MAX), "candidate state")
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
    let much = format!(
        "{} in {} from seed {}",
        counted(coverage.requests, "request"),
        counted(coverage.sessions, "place"),
        args.seed
    );
    let cut = if result.explored.cut_short { ", ended before its time" } else { "" };
    match &result.shown {
        None if let Some(why) = says_little(&result.explored) => format!("undecided: {why}{cut}"),
        None => format!("no difference in {much}{cut}; of others nothing is said"),
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
