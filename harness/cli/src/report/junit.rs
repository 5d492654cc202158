//! A report as JUnit XML, for programs that know nothing of time to live.
//!
//! Each vector is one test, and so is each thing that a run says as a whole. A vector that was replayed on a real clock has
//! its duration from the report. On a virtual clock no time passes, and there is no `time`: the same report makes the same
//! file.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use crate::report::summary::{MOST_CLAUSES, first_sentences};
use crate::report::text::case_text;
use crate::report::{Case, Outcome, Report};
// XML 1.0 has no room for controls; what the crate would drop without a word is written out.
use cosmos_ttl_harness::plain::visible_lines;

/// Returns the report as JUnit XML.
pub fn junit(report: &Report) -> String {
    let mut xml = quick_junit::Report::new("cosmos-ttl");
    let properties = [
        ("target", &report.target.name),
        ("target-version", &report.target.version),
        ("vectors", &report.digests.vectors),
        ("model", &report.digests.model),
        ("harness", &report.harness),
        ("conclusion", &report.conclusion),
    ];
    let mut add = |name: &str, cases: Vec<TestCase>| {
        let mut suite = TestSuite::new(visible_lines(name));
        suite.add_properties(properties.map(|(name, value)| Property::new(name, visible_lines(value))));
        suite.add_test_cases(cases);
        xml.add_test_suite(suite);
    };
    // The vectors of a section stand together.
    for cases in report.cases.chunk_by(|one, next| names(one).0 == names(next).0) {
        let section = cases.first().map_or("", |case| names(case).0);
        add(section, cases.iter().map(|case| of_vector(report, case)).collect());
    }
    let whole = of_run(report);
    if !whole.is_empty() {
        add(RUN, whole);
    }
    // Only writing can fail, and a string takes everything.
    xml.to_string().unwrap_or_default()
}

/// The suite of what a run says as a whole.
const RUN: &str = "run";

fn of_run(report: &Report) -> Vec<TestCase> {
    let why = report.incomplete.as_deref().unwrap_or("the run did not come to its end");
    let some = |texts: &[String], between| (!texts.is_empty()).then(|| first_sentences(texts, between));
    let unjudged = some(&report.unjudged, ", ").map(|them| format!("no vector was judged of: {them}"));
    let all = [
        ("complete", NonSuccessKind::Error, "incomplete", (!report.complete).then(|| why.to_owned())),
        ("known-failures", NonSuccessKind::Failure, "stale", some(&report.stale, "; ")),
        ("unbroken", NonSuccessKind::Error, "broke", some(&report.mishaps, "; ")),
        ("judged", NonSuccessKind::Error, "undecided", unjudged),
        ("declared", NonSuccessKind::Error, "undecided", report.undeclared_words()),
    ];
    let said = all.into_iter().filter_map(|(name, kind, word, message)| {
        Some(test_case((RUN, name), TestCaseStatus::non_success(kind), word, &message?))
    });
    said.collect()
}

/// The section of a vector, and its name in it.
fn names(case: &Case) -> (&str, &str) {
    case.name.split_once('/').unwrap_or(("", &case.name))
}

fn of_vector(report: &Report, vector: &Case) -> TestCase {
    let word = vector.verdict.word();
    let status = status(vector.verdict, report.strict);
    let mut case = test_case(names(vector), status, word, vector.message().as_deref().unwrap_or(word));
    if matches!(case.status, TestCaseStatus::NonSuccess { .. }) {
        case.status.set_description(visible_lines(&case_text(report, vector)));
    }
    if let Some(duration_us) = vector.duration_us {
        case.set_time(Duration::from_micros(duration_us));
    }
    let level = vector.level.to_string();
    let clauses = vector.clauses.iter().take(MOST_CLAUSES).map(|clause| ("clause", clause.as_str()));
    let properties = [("verdict", word), ("level", level.as_str())].into_iter().chain(clauses);
    for (name, value) in properties.chain([("digest", vector.digest.as_str())]) {
        case.add_property(Property::new(name, visible_lines(value)));
    }
    if let Some(log) = &vector.log {
        case.set_system_out(visible_lines(log));
    }
    case
}

fn status(verdict: Outcome, strict: bool) -> TestCaseStatus {
    use Outcome::{Broken, ChangedFailure, Differ, Fail, Inconclusive, KnownFailure};
    use Outcome::{NotApplicable, NotOffered, NotRun, Pass, UnexpectedPass, Unsupported};
    match verdict {
        Pass => TestCaseStatus::success(),
        Fail | UnexpectedPass | ChangedFailure => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Differ if strict => TestCaseStatus::non_success(NonSuccessKind::Failure),
        // It does not count, for the reason that is given.
        Differ | KnownFailure | Unsupported | NotApplicable | NotOffered => TestCaseStatus::skipped(),
        // Nothing could be said.
        Inconclusive | Broken | NotRun => TestCaseStatus::non_success(NonSuccessKind::Error),
    }
}

/// A test of a suite; of one that passed, the word and the message are dropped.
fn test_case((suite, name): (&str, &str), status: TestCaseStatus, word: &str, message: &str) -> TestCase {
    let mut case = TestCase::new(visible_lines(name), status);
    case.set_classname(visible_lines(suite));
    case.status.set_type(word);
    case.status.set_message(visible_lines(message));
    case
}
