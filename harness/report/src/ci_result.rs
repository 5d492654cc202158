//! What programs that know nothing of time to live are told: each vector, and each thing that a run says beside its
//! vectors, as one of four outcomes.

use super::steps;
use super::{Case, Known, Outcome, Report};
use cosmos_ttl_harness::known_failures::FailureKind;

/// What other reports know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CiResult {
    /// As it must be.
    Passed,
    /// Not as it must be.
    Failed,
    /// It does not count, for the reason that is said.
    Skipped,
    /// Nothing could be said.
    Error,
}

/// A vector, or something else that a run says, as other reports know it.
#[derive(Clone, Debug)]
pub(super) struct Told<'a> {
    /// The section, or `run`.
    pub(super) section: &'a str,
    /// The name within it.
    pub(super) name: &'a str,
    /// What came of it.
    pub(super) outcome: CiResult,
    /// The word that this harness has for it.
    pub(super) word: &'static str,
    /// Why, in a line; not there of what passed.
    pub(super) message: Option<String>,
    /// The vector; `None` of what is said of the run as a whole.
    pub(super) case: Option<&'a Case>,
}

impl Told<'_> {
    /// `section/name`
    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.section, self.name)
    }
}

/// Everything that a report says, in its order; what it says of the run as a whole comes last.
pub(super) fn all(report: &Report) -> Vec<Told<'_>> {
    let cases = report.cases.iter().map(|case| of_case(case, report.strict));
    cases.chain(of_run(report)).collect()
}

fn of_case(case: &Case, strict: bool) -> Told<'_> {
    let (section, name) = case.name.split_once('/').unwrap_or(("", &case.name));
    let outcome = match case.verdict {
        Outcome::Pass => CiResult::Passed,
        Outcome::Fail | Outcome::UnexpectedPass | Outcome::ChangedFailure => CiResult::Failed,
        Outcome::Differ if strict => CiResult::Failed,
        Outcome::Differ
        | Outcome::KnownFailure
        | Outcome::Flaky
        | Outcome::Unsupported
        | Outcome::NotApplicable => CiResult::Skipped,
        Outcome::Inconclusive | Outcome::Broken | Outcome::NotRun => CiResult::Error,
    };
    Told { section, name, outcome, word: case.verdict.word(), message: message(case), case: Some(case) }
}

/// Why, in a line; `None` of what passed.
pub(super) fn message(case: &Case) -> Option<String> {
    let signature = case.failure.as_ref().map(|failure| failure.signature.clone());
    let said = signature.or_else(|| case.reason.clone());
    let listed = case.known.as_ref();
    match case.verdict {
        Outcome::Pass => None,
        Outcome::Differ => Some(format!("differs from a should: {}", said.unwrap_or_default())),
        Outcome::KnownFailure => Some(format!("known: {}", listed.map(on_the_list).unwrap_or_default())),
        Outcome::Flaky => Some(format!("flaky: {}", listed.map(on_the_list).unwrap_or_default())),
        Outcome::UnexpectedPass => {
            let why = listed.map(on_the_list).unwrap_or_default();
            Some(format!("passes, and stands on the list of known failures: {why}"))
        }
        Outcome::ChangedFailure => {
            let other = listed.and_then(|known| known.signature.as_deref()).unwrap_or("another failure");
            Some(format!("{}; the list of known failures says: {other}", said.unwrap_or_default()))
        }
        _ => said,
    }
}

/// Why a vector stands on the list of known failures: `bug: no null (link)`
pub(super) fn on_the_list(known: &Known) -> String {
    let kind = match known.kind {
        FailureKind::Bug => "bug",
        FailureKind::WontFix => "won't fix",
        FailureKind::Flaky => "flaky",
    };
    let link = known.link.as_deref().map(|link| format!(" ({link})")).unwrap_or_default();
    format!("{kind}: {}{link}", known.reason)
}

/// What is said of the run as a whole, and would be lost where only vectors count.
fn of_run(report: &Report) -> Vec<Told<'_>> {
    let told = |name, outcome, word, message| Told {
        section: "run",
        name,
        outcome,
        word,
        message: Some(message),
        case: None,
    };
    let mut all = Vec::new();
    if !report.complete {
        let why = report.incomplete.clone().unwrap_or_else(|| "the run did not come to its end".into());
        all.push(told("complete", CiResult::Error, "incomplete", why));
    }
    if !report.stale.is_empty() {
        all.push(told("known-failures", CiResult::Failed, "stale", first_of(&report.stale, "; ")));
    }
    if !report.mishaps.is_empty() {
        all.push(told("unbroken", CiResult::Error, "broke", first_of(&report.mishaps, "; ")));
    }
    if !report.unjudged.is_empty() {
        let why = format!("nothing could be judged of: {}", first_of(&report.unjudged, ", "));
        all.push(told("judged", CiResult::Error, "undecided", why));
    }
    all
}

/// The first of many, and how many more there are.
pub(super) fn first_of(all: &[String], between: &str) -> String {
    const MOST: usize = 20;
    let first = all.get(..all.len().min(MOST)).unwrap_or(&[]).join(between);
    match all.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first}{between}and {more} more"),
    }
}

/// How a vector came to its verdict, on several lines, for whoever has nothing but this text.
pub(super) fn story(report: &Report, case: &Case) -> String {
    let mut lines = vec![case.title.clone()];
    if let Some(failure) = &case.failure {
        lines.push(format!("at second {}", failure.at_s));
        lines.push(format!("  expected: {}", failure.expected));
        lines.push(format!("  answered: {}", failure.got));
        lines.extend(failure.removal.as_ref().map(|removal| format!("  removal:  {removal}")));
        lines.push(format!("in {}, the vector at line {}", failure.source.file, failure.source.line));
    }
    let so_far = steps::so_far(case);
    if !so_far.is_empty() {
        lines.push("so far".into());
        lines.extend(last(&so_far).iter().map(|line| format!("  {line}")));
    }
    for clause in case.clauses.iter().take(MOST_CLAUSES).filter_map(|id| report.clause(id)) {
        lines.push(format!("{} ({}, {}): {}", clause.id, clause.level, clause.evidence, clause.says));
    }
    lines.push(format!("again: {}", case.again));
    lines.join("\n")
}

/// A vector that cites more clauses than this was not written by a person.
pub(super) const MOST_CLAUSES: usize = 30;

/// The steps that tell most of a failure are the last.
fn last(lines: &[String]) -> &[String] {
    const MOST: usize = 100;
    lines.get(lines.len().saturating_sub(MOST)..).unwrap_or(lines)
}
