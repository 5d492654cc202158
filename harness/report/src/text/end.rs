//! How a run ends: one line that adds up, what follows from it, and what to do next.

use std::cmp::Reverse;

use super::in_words;
use crate::diagnostic::vectors;
use crate::style::{BAD, BOLD, DOUBT, GOOD, RenderOptions, styled, wrapped};
use crate::table::{self, Align};
use crate::{Clause, Outcome, Report};

/// What somebody may want, and the command for it.
type Next = (&'static str, String);

pub(super) fn end(report: &Report, look: RenderOptions) -> String {
    let word = report.conclusion.as_str();
    let style = match word {
        "conformant" => GOOD,
        "undecided" | "as known" => DOUBT,
        _ => BAD,
    };
    let said = wrapped(&format!("{word}: {}", conclusion(report)), look.width, "  ");
    let said = said.strip_prefix(word).map_or(said.clone(), |rest| styled(style, word) + rest);
    format!("{}\n{said}\n\n{}", sum(report), next(report))
}

/// `227 vectors = 226 pass + 1 fail`
pub(crate) fn sum(report: &Report) -> String {
    let counts = &report.counts;
    let all = report.vectors.all;
    let selected = if counts.vectors < all { format!(" (of {all})") } else { String::new() };
    let parts = match in_words(counts, " + ", &Outcome::ALL) {
        parts if parts.is_empty() => "nothing".into(),
        parts => parts,
    };
    format!("{}{selected} = {parts}", vectors(counts.vectors))
}

/// What the run says, in a sentence.
pub(crate) fn conclusion(report: &Report) -> String {
    let counts = &report.counts;
    match report.conclusion.as_str() {
        "conformant" => conformant(report),
        "nonconformant" => nonconformant(report),
        "as known" => {
            let (some, of, list) =
                (counts.known_failure.saturating_add(counts.flaky), counts.judged(), list(report));
            let may = if 0 < counts.flaky { "fail, or may," } else { "fail" };
            format!("{some} of {of} judged vectors {may} as {list} says; that is not conformant")
        }
        "broke" if counts.broken == 0 && counts.not_run == 0 => {
            "the target broke while no vector was being replayed, so that no verdict of it can be trusted"
                .into()
        }
        "broke" => {
            // Where it broke before it was opened, no vector was run.
            let broken = vectors(if counts.broken == 0 { counts.not_run } else { counts.broken });
            let why = "since the target, or the way to it, broke";
            format!("{broken} could not be judged, {why}; of them nothing is said about time to live")
        }
        _ if counts.judged() == 0 => "no vector could be judged, so nothing is known".into(),
        _ if counts.inconclusive == 0 && counts.not_run == 0 => {
            let what = "nothing failed, but the target does not support what the vectors of these clauses need, so of \
                        them nothing is known";
            format!("{what}: {}", report.unjudged.join(", "))
        }
        _ => {
            let open = counts.inconclusive.saturating_add(counts.not_run);
            format!("nothing failed, but {} could not be judged", vectors(open))
        }
    }
}

fn nonconformant(report: &Report) -> String {
    let counts = &report.counts;
    let mut parts = Vec::new();
    let wrong = [
        (Outcome::Fail, "must", 0 < counts.fail),
        (Outcome::Differ, "should", report.strict && 0 < counts.differ),
    ];
    if let Some((said, how, _)) = wrong.into_iter().find(|(.., there)| *there) {
        let (some, of, cited) = (counts.get(said), counts.judged(), cited(report, said));
        parts.push(format!("{some} of {of} vectors are not answered as they {how} be; they cite {cited}"));
    }
    let unlike = in_words(counts, ", ", &[Outcome::UnexpectedPass, Outcome::ChangedFailure]);
    let stale = report.stale.len();
    let stale =
        (0 < stale).then(|| format!("{stale} stale {}", if stale == 1 { "entry" } else { "entries" }));
    let unlike: Vec<_> = [unlike].into_iter().filter(|words| !words.is_empty()).chain(stale).collect();
    if !unlike.is_empty() {
        parts.push(format!("{} is not true any more: {}", list(report), unlike.join(", ")));
    }
    parts.join("; ")
}

/// The list of known failures, by name.
fn list(report: &Report) -> &str {
    report.known.as_deref().unwrap_or("the list of known failures")
}

/// What the list of known failures says and is not so any more.
pub(super) fn stale(report: &Report, look: RenderOptions) -> String {
    if report.stale.is_empty() {
        return String::new();
    }
    let head = styled(BOLD, format!("What {} says and is not so any more", list(report)));
    let lines: Vec<_> = report.stale.iter().map(|line| wrapped(line, look.width, "    ")).collect();
    format!("{head}\n  {}\n", lines.join("\n  "))
}

/// What the target did wrong while no vector was being replayed.
pub(super) fn mishaps(report: &Report, look: RenderOptions) -> String {
    if report.mishaps.is_empty() {
        return String::new();
    }
    let head = styled(BAD, "The target broke while no vector was being replayed");
    let lines: Vec<_> = report.mishaps.iter().map(|line| wrapped(line, look.width, "    ")).collect();
    format!("{head}\n  {}\n", lines.join("\n  "))
}

fn conformant(report: &Report) -> String {
    let counts = &report.counts;
    let text = if counts.vectors == report.vectors.all && counts.judged() == counts.vectors {
        "every vector is answered as it must be".to_owned()
    } else {
        let all = vectors(report.vectors.all);
        format!("as far as can be said from {} of {all}", counts.judged())
    };
    if counts.differ == 0 {
        return text;
    }
    format!("{text}; {} from a `should`, which --strict would not let pass", differ(counts.differ))
}

fn differ(count: usize) -> String {
    if count == 1 { "1 vector differs".into() } else { format!("{count} vectors differ") }
}

/// The clauses that the vectors with this verdict cite, most of them first.
fn cited(report: &Report, said: Outcome) -> String {
    const MOST: usize = 5;
    let mut clauses: Vec<&Clause> = report.clauses().filter(|clause| 0 < clause.counts.get(said)).collect();
    clauses.sort_by_key(|clause| Reverse(clause.counts.get(said)));
    let shown: Vec<_> = clauses.iter().take(MOST).map(|clause| clause.id.as_str()).collect();
    let more = clauses.len().saturating_sub(shown.len());
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more clauses", shown.join(", ")) }
}

/// What to do next, one command a line, each as it can be copied.
fn next(report: &Report) -> String {
    let rows =
        commands(report).into_iter().map(|(want, command)| vec![format!("{want}:"), command]).collect();
    let lines = table::lines(&[Align::Left, Align::Left], rows);
    format!("next: {}\n", lines.join("\n      "))
}

pub(crate) fn commands(report: &Report) -> Vec<Next> {
    let explain = || ("see where a rule is from", "cosmos-ttl explain CLAUSE".to_owned());
    let again = |said: Outcome| {
        let first = report.cases(said).next().map(|case| case.again.clone());
        first.map(|command| ("repeat the first of these", command))
    };
    let update =
        || report.known_update.clone().map(|command| ("say so in the list of known failures", command));
    let order =
        [Outcome::Fail, Outcome::Broken, Outcome::NotRun, Outcome::Inconclusive, Outcome::Unsupported];
    match report.conclusion.as_str() {
        "conformant" => vec![
            ("check the rules themselves in every reachable state", "cargo lab check".into()),
            ("replay the vectors against your endpoint", "cosmos-ttl run URL".into()),
            explain(),
        ],
        "nonconformant" => {
            let wrong = [Outcome::Fail, Outcome::Differ, Outcome::ChangedFailure, Outcome::UnexpectedPass];
            let first = wrong.into_iter().find_map(again);
            first.into_iter().chain(update()).chain([explain()]).collect()
        }
        "as known" => {
            again(Outcome::KnownFailure).or(again(Outcome::Flaky)).into_iter().chain([explain()]).collect()
        }
        _ => order.into_iter().find_map(again).into_iter().chain([explain()]).collect(),
    }
}
