//! What exploration says to people.

use crate::args::ExploreArgs;
use crate::target::TargetName;
use cosmos_ttl_explore::mutants::{Table, grouped};
use cosmos_ttl_explore::real_time::MOST_REQUESTS;
use cosmos_ttl_explore::shrink::ShrinkEffort;
use cosmos_ttl_explore::{ActionKind, Counterexample, Coverage, Exchange, Exploration, SearchResult};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::{plain, plain_lines};
use cosmos_ttl_harness::target::{Clock, Edition};
use cosmos_ttl_report::spoken;

pub(super) fn text(args: &ExploreArgs, named: &TargetName, result: &SearchResult) -> String {
    let explored = &result.explored;
    let mut lines = Vec::new();
    if let Some((seed, shown)) = &result.shown {
        counterexample(args, named, shown, explored, &mut lines);
        let (seed, steps) = from(*seed, explored);
        lines.extend([format!("again: {}", again(args, named, seed, steps)), String::new()]);
    }
    if let Some(found) = &result.unconfirmed {
        let differs = &found.difference.differs;
        lines.push(format!(
            "not confirmed: in the place of seed {}: expected {}, got {}; it does not show again",
            found.seed,
            plain(&differs.expected),
            plain(&differs.got)
        ));
    }
    lines.extend(explored.mishaps.iter().map(|mishap| format!("not judged: {}", plain(mishap))));
    reached(&explored.coverage, &mut lines);
    lines.extend([String::new(), end(args, result)]);
    lines.join("\n") + "\n"
}

fn counterexample(
    args: &ExploreArgs,
    named: &TargetName,
    shown: &Counterexample,
    explored: &Exploration,
    lines: &mut Vec<String>,
) {
    let Counterexample { script, difference, exchanges, only_so, beside, written, effort } = shown;
    let level = if shown.is_should() && !args.strict { "warning" } else { "error" };
    lines.push(format!("{level}: {} answers what the model never does", plain(&named.words())));
    if !beside.is_empty() {
        lines.extend(steps(beside));
        lines.push("and in another place".into());
    }
    lines.extend(steps(exchanges));
    let differs = &difference.differs;
    lines.push(format!("expected {}, got {}", plain(&differs.expected), plain(&differs.got)));
    if script.edition != Edition::default() {
        lines.push(format!("edition: {}", script.edition));
    }
    if let Some(removal) = difference.removal.filter(|_| *only_so) {
        lines.push(format!("only where removal is: {removal}"));
    }
    if explored.about.clock == Clock::Real {
        lines.push(smaller(*effort));
    }
    match written {
        Ok(written) => {
            lines.extend([format!("clauses: {}", written.vector.clauses.join(", ")), String::new()]);
            if let Some(path) = &args.output {
                lines.push(format!("{} is in {}", written.name, plain(&path.display().to_string())));
            } else {
                lines.push(format!("as a vector, to be added to vectors/{}.yaml:", written.section));
                lines.push(plain_lines(&written.text));
            }
        }
        Err(why) => lines.push(format!("no vector can say it: {}", plain(why))),
    }
}

/// From which seed to repeat it, and how many requests that takes.
fn from(seed: u64, explored: &Exploration) -> (u64, u64) {
    let most = if explored.about.clock == Clock::Real { MOST_REQUESTS } else { 100 };
    let beside = explored.found.as_ref().and_then(|found| Some((found, found.beside.as_ref()?)));
    match (beside, explored.about.clock) {
        (None, _) => (seed, most),
        (Some((found, chosen)), Clock::Virtual) => (chosen.seed, found.after - chosen.before),
        (Some((found, chosen)), Clock::Real) => {
            let sessions = found.seed.abs_diff(chosen.seed).saturating_add(1);
            (found.seed.min(chosen.seed), sessions.saturating_mul(most))
        }
    }
}

/// How far it was made smaller, where that takes its time.
fn smaller(effort: ShrinkEffort) -> String {
    let tried = counted(effort.tried.into(), "storyboard");
    match effort {
        ShrinkEffort { tried: 0, .. } => "shown as it was found, and confirmed in a fresh place".into(),
        ShrinkEffort { is_complete: true, .. } => {
            format!("as small as it gets after {tried}, and confirmed in a fresh place")
        }
        _ => format!("made smaller by {tried} until the budget ended, and confirmed in a fresh place"),
    }
}

fn steps(exchanges: &[Exchange]) -> Vec<String> {
    let words: Vec<_> = exchanges
        .iter()
        .map(|one| {
            let asked = describe::request(&one.call.request, &one.call.conditions);
            (one.at_s, plain(&asked), plain(&describe::response(&one.response)))
        })
        .collect();
    let steps = words.iter().map(|(at_s, asked, came)| (*at_s, asked.as_str(), came.as_str()));
    describe::lines(steps).into_iter().map(|line| format!("  {line}")).collect()
}

/// The command that plays what follows from this seed.
fn again(args: &ExploreArgs, named: &TargetName, seed: u64, steps: u64) -> String {
    let target = named.words();
    let (seed, steps) = (seed.to_string(), steps.to_string());
    let mut words: Vec<&str> = Vec::new();
    if args.command.is_empty() {
        words.push(&target);
    }
    words.extend(["--seed", &seed, "--steps", &steps]);
    let options = args.vectors.options();
    words.extend(options.iter().map(String::as_str));
    if args.strict {
        words.push("--strict");
    }
    if !args.command.is_empty() {
        words.push("--");
        words.extend(args.command.iter().map(String::as_str));
    }
    spoken("cosmos-ttl explore", words)
}

/// What was looked at: whoever reads that nothing was found must be able to judge what that is worth.
fn reached(coverage: &Coverage, lines: &mut Vec<String>) {
    let list = |parts: Vec<(String, u64)>| {
        let parts = parts.into_iter().map(|(word, count)| format!("{} {word}", grouped(count)));
        parts.collect::<Vec<_>>().join(", ")
    };
    let kinds = coverage.kinds().filter(|(kind, _)| *kind != ActionKind::Wait);
    lines.push(format!("asked: {}", list(kinds.map(|(kind, count)| (kind.word().into(), count)).collect())));
    let answers = coverage.statuses.iter().map(|(status, count)| (status.to_string(), *count));
    lines.push(format!("answered: {}", list(answers.collect())));
    lines.push(format!(
        "of these {} met an expired item, {} told of an item whether it was back or gone, {} had a condition; {} \
         seconds passed, and never were more than {} open",
        grouped(coverage.expired),
        grouped(coverage.fates),
        grouped(coverage.conditions),
        grouped(coverage.seconds),
        counted(u64::try_from(coverage.worlds).unwrap_or(u64::MAX), "world")
    ));
    if coverage.not_offered > 0 {
        lines.push(format!("{} requests are not offered by the target", grouped(coverage.not_offered)));
    }
    if coverage.given_up > 0 {
        lines.push(format!(
            "{} places were given up: a reply was lost, or too much was open",
            grouped(coverage.given_up)
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
        None if coverage.requests == 0 => format!("undecided: nothing was answered{cut}"),
        None => format!("no difference in {much}{cut}; of others nothing is said"),
        Some((_, shown)) if shown.is_should() && !args.strict => {
            let shoulds = u64::try_from(result.shoulds).unwrap_or(u64::MAX);
            format!("{} from a should, none from a must in {much}{cut}", counted(shoulds, "difference"))
        }
        Some(_) => format!("a difference within {much}{cut}"),
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// The mutants, in their order.
pub(super) fn table(table: &Table) -> String {
    let width = table.mutants.iter().map(|(mutant, _)| mutant.name.len()).max().unwrap_or(0);
    let row = |name: &str, after: Option<u64>, note: &str| {
        let after = after.map_or_else(|| note.to_owned(), grouped);
        format!("  {name:width$}  {after:>9}\n")
    };
    let mut text = format!("{:width$}  requests until it was found\n", "mutant");
    for (mutant, after) in &table.mutants {
        let note = if mutant.equivalent.is_some() { "equivalent" } else { "not found" };
        text.push_str(&row(mutant.name, *after, note));
    }
    for (name, after) in &table.controls {
        text.push_str(&row(name, *after, "right"));
    }
    format!("{text}\n{}\n", table.last_line())
}
