//! What exploration says to people.

use super::Told;
use crate::args::ExploreArgs;
use crate::target::TargetName;
use cosmos_ttl_explore::mutants::{Table, grouped};
use cosmos_ttl_explore::real_time::{MOST_REQUESTS, Shrunk};
use cosmos_ttl_explore::{Counterexample, Coverage, Exchange, Kind};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::{plain, plain_lines};
use cosmos_ttl_harness::target::Edition;
use cosmos_ttl_report::spoken;

pub(super) fn text(args: &ExploreArgs, named: &TargetName, told: &Told) -> String {
    let mut lines = Vec::new();
    if let Some((seed, smallest)) = &told.smallest {
        found(args, named, (*seed, smallest, told), &mut lines);
    }
    if let Some(found) = &told.unconfirmed {
        let differs = &found.difference.differs;
        lines.push(format!(
            "not confirmed: in the place of seed {}: expected {}, got {}; it does not show again",
            found.seed,
            plain(&differs.expected),
            plain(&differs.got)
        ));
    }
    let mishaps = told.explored.mishaps.iter();
    lines.extend(mishaps.map(|mishap| format!("not judged: {}", plain(mishap))));
    reached(&told.explored.coverage, &mut lines);
    lines.push(String::new());
    lines.push(end(args, told));
    lines.join("\n") + "\n"
}

fn found(
    args: &ExploreArgs,
    named: &TargetName,
    (seed, smallest, told): (u64, &Counterexample, &Told),
    lines: &mut Vec<String>,
) {
    let Counterexample { script: board, difference, beside, written, .. } = smallest;
    let level = if smallest.is_should() && !args.strict { "warning" } else { "error" };
    let differs = &difference.differs;
    lines.push(format!("{level}: {} answers what the model never does", plain(&named.words())));
    if !beside.is_empty() {
        lines.extend(steps(beside));
        lines.push("and in another place".into());
    }
    lines.extend(steps(&smallest.told));
    lines.push(format!("expected {}, got {}", plain(&differs.expected), plain(&differs.got)));
    if board.edition != Edition::default() {
        lines.push(format!("edition: {}", board.edition));
    }
    if let Some(removal) = difference.removal.filter(|_| smallest.only_so) {
        lines.push(format!("only where removal is: {removal}"));
    }
    lines.extend(told.shrunk.map(smaller));
    match written {
        Ok(written) => {
            lines.push(format!("clauses: {}", written.vector.clauses.join(", ")));
            lines.push(String::new());
            if let Some(path) = &args.output {
                lines.push(format!("{} is in {}", written.name, plain(&path.display().to_string())));
            } else {
                lines.push(format!("as a vector, to be added to vectors/{}.yaml:", written.section));
                lines.push(plain_lines(&written.text));
            }
        }
        Err(why) => lines.push(format!("no vector can say it: {}", plain(why))),
    }
    let (seed, steps) = from(seed, told);
    lines.push(format!("again: {}", again(args, named, seed, steps)));
    lines.push(String::new());
}

/// From which seed to repeat it, and how many requests that takes.
fn from(seed: u64, told: &Told) -> (u64, u64) {
    let found = told.explored.found.as_ref();
    match (found.and_then(|found| Some((found, found.beside.as_ref()?))), told.shrunk) {
        (None, None) => (seed, 100),
        (None, Some(_)) => (seed, MOST_REQUESTS),
        (Some((found, chosen)), None) => (chosen.seed, found.after.saturating_sub(chosen.before)),
        (Some((found, chosen)), Some(_)) => {
            let places = found.seed.abs_diff(chosen.seed).saturating_add(1);
            (found.seed.min(chosen.seed), places.saturating_mul(MOST_REQUESTS))
        }
    }
}

/// How far it was made smaller, where that takes its time.
fn smaller(shrunk: Shrunk) -> String {
    let tried = counted(shrunk.tried.into(), "storyboard");
    match shrunk {
        Shrunk { tried: 0, .. } => "shown as it was found, and confirmed in a fresh place".into(),
        Shrunk { whole: true, .. } => {
            format!("as small as it gets after {tried}, and confirmed in a fresh place")
        }
        _ => format!("made smaller by {tried} until the budget ended, and confirmed in a fresh place"),
    }
}

fn steps(told: &[Exchange]) -> Vec<String> {
    let asked =
        told.iter().map(|one| (one.at_s, plain(&asked(one)), plain(&describe::response(&one.response))));
    let asked: Vec<_> = asked.collect();
    let steps = asked.iter().map(|(at_s, asked, came)| (*at_s, asked.as_str(), came.as_str()));
    describe::lines(steps).into_iter().map(|line| format!("  {line}")).collect()
}

fn asked(one: &Exchange) -> String {
    describe::request(&one.ask.request, &one.ask.conditions)
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
    let kinds = coverage.kinds().filter(|(kind, _)| *kind != Kind::Wait);
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
    if 0 < coverage.not_offered {
        lines.push(format!("{} requests are not offered by the target", grouped(coverage.not_offered)));
    }
    if 0 < coverage.given_up {
        lines.push(format!(
            "{} places were given up: a reply was lost, or too much was open",
            grouped(coverage.given_up)
        ));
    }
}

fn end(args: &ExploreArgs, told: &Told) -> String {
    let coverage = &told.explored.coverage;
    let much = format!(
        "{} in {} from seed {}",
        counted(coverage.requests, "request"),
        counted(coverage.places, "place"),
        args.seed
    );
    let cut = if told.explored.cut_short { ", ended before its time" } else { "" };
    match &told.smallest {
        None if coverage.requests == 0 => format!("undecided: nothing was answered{cut}"),
        None => format!("no difference in {much}{cut}; of others nothing is said"),
        Some((_, smallest)) if smallest.is_should() && !args.strict => {
            let shoulds = u64::try_from(told.shoulds).unwrap_or(u64::MAX);
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
