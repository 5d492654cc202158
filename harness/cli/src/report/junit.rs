//! A report as JUnit XML, for programs that know nothing of time to live.
//!
//! Each vector is one test, and so is each thing that a run says as a whole. A vector that was replayed on a real clock has
//! its duration from the report. On a virtual clock no time passes, and there is no `time`: the same report makes the same
//! file.

use std::time::Duration;

use maud::{Markup, PreEscaped, Render as _, html};

use crate::report::summary::{MOST_CLAUSES, first_sentences};
use crate::report::text::case_text;
use crate::report::{Case, Outcome, Report};
use cosmos_ttl_harness::plain::visible_lines;

/// What a test comes to for those who count; none of these has passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NoSuccess {
    Failure,
    Error,
    Skipped,
}

use NoSuccess::{Error, Failure, Skipped};

/// A test, written; what it came to is counted.
type Test = (Option<NoSuccess>, Markup);

/// Returns the report as JUnit XML.
pub fn junit(report: &Report) -> String {
    // The vectors of a section stand together.
    let sections = report.cases.chunk_by(|one, next| names(one).0 == names(next).0);
    let mut suites: Vec<_> = sections
        .map(|cases| {
            let section = cases.first().map_or("", |case| names(case).0);
            (section, cases.iter().map(|case| of_vector(report, case)).collect::<Vec<_>>())
        })
        .collect();
    let whole = of_run(report);
    if !whole.is_empty() {
        suites.push((RUN, whole));
    }
    let of_target = properties(&[
        ("target", &report.target.name),
        ("target-version", &report.target.version),
        ("vectors", &report.digests.vectors),
        ("model", &report.digests.model),
        ("harness", &report.harness),
        ("conclusion", &report.conclusion),
    ]);
    let count = |tests: &[&Test], what| tests.iter().filter(|(result, _)| *result == Some(what)).count();
    let all: Vec<_> = suites.iter().flat_map(|(_, tests)| tests).collect();
    let xml = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name="cosmos-ttl" tests=(all.len()) failures=(count(&all, Failure)) errors=(count(&all, Error))
            skipped=(count(&all, Skipped))
        {
            @for (name, tests) in &suites {
                @let those: Vec<_> = tests.iter().collect();
                "\n" testsuite name=(line(name)) tests=(those.len()) failures=(count(&those, Failure))
                    errors=(count(&those, Error)) skipped=(count(&those, Skipped))
                {
                    (of_target)
                    @for (_, test) in tests { "\n" (test) }
                }
            }
        }
        "\n"
    };
    xml.into_string()
}

/// The suite of what a run says as a whole.
const RUN: &str = "run";

fn of_run(report: &Report) -> Vec<Test> {
    let why = report.incomplete.as_deref().unwrap_or("the run did not come to its end");
    let some = |texts: &[String], between| (!texts.is_empty()).then(|| first_sentences(texts, between));
    let unjudged = some(&report.unjudged, ", ").map(|them| format!("no vector was judged of: {them}"));
    let all = [
        ("complete", Error, "incomplete", (!report.complete).then(|| why.to_owned())),
        ("known-failures", Failure, "stale", some(&report.stale, "; ")),
        ("unbroken", Error, "broke", some(&report.mishaps, "; ")),
        ("judged", Error, "undecided", unjudged),
        ("declared", Error, "undecided", report.undeclared_words()),
    ];
    let said = all.into_iter().filter_map(|(name, kind, word, message)| {
        let result = result(kind, word, &message?, "");
        Some((Some(kind), html! { testcase name=(name) classname=(RUN) { (result) } }))
    });
    said.collect()
}

/// The section of a vector, and its name in it.
fn names(case: &Case) -> (&str, &str) {
    case.name.split_once('/').unwrap_or(("", &case.name))
}

fn of_vector(report: &Report, vector: &Case) -> Test {
    let word = vector.verdict.word();
    let kind = no_success(vector.verdict, report.strict);
    let (section, name) = names(vector);
    let seconds = vector.duration_us.map(|us| format!("{:.3}", Duration::from_micros(us).as_secs_f64()));
    let level = vector.level.to_string();
    let mut about = vec![("verdict", word), ("level", &level)];
    about.extend(vector.clauses.iter().take(MOST_CLAUSES).map(|clause| ("clause", clause.as_str())));
    about.push(("digest", &vector.digest));
    let markup = html! {
        testcase name=(line(name)) classname=(line(section)) time=[seconds] {
            (properties(&about))
            @if let Some(kind) = kind {
                @let text = if kind == Skipped { String::new() } else { case_text(report, vector) };
                (result(kind, word, vector.message().as_deref().unwrap_or(word), &text))
            }
            @if let Some(log) = &vector.log { system-out { (visible_lines(log)) } }
        }
    };
    (kind, markup)
}

fn no_success(verdict: Outcome, strict: bool) -> Option<NoSuccess> {
    use Outcome::{Broken, ChangedFailure, Differ, Fail, Inconclusive, KnownFailure};
    use Outcome::{NotApplicable, NotOffered, NotRun, Pass, UnexpectedPass, Unsupported};
    match verdict {
        Pass => None,
        Fail | UnexpectedPass | ChangedFailure => Some(Failure),
        Differ if strict => Some(Failure),
        // It does not count, for the reason that is given.
        Differ | KnownFailure | Unsupported | NotApplicable | NotOffered => Some(Skipped),
        // Nothing could be said.
        Inconclusive | Broken | NotRun => Some(Error),
    }
}

fn result(kind: NoSuccess, word: &str, message: &str, text: &str) -> Markup {
    let (message, text) = (line(message), visible_lines(text));
    match kind {
        Failure => html! { failure type=(word) message=(message) { (text) } },
        Error => html! { error type=(word) message=(message) { (text) } },
        Skipped => html! { skipped type=(word) message=(message) {} },
    }
}

fn properties(all: &[(&str, &str)]) -> Markup {
    html! {
        properties {
            @for (name, value) in all { property name=(name) value=(line(value)) {} }
        }
    }
}

/// A text in an attribute, whose reader makes a blank of each end of a line that is not written out.
fn line(text: &str) -> Markup {
    PreEscaped(visible_lines(text).render().into_string().replace('\n', "&#10;"))
}
