//! Reports for programs that know nothing of time to live: JUnit XML, and the Common Test Report Format (ctrf.io).
//!
//! Each vector is one test, and so is each thing that a run says as a whole. A vector that was replayed on a real clock has
//! its duration from the report. On a virtual clock no time passes: JUnit then has no `time`, and CTRF, which demands a
//! duration, has 0. So the same report makes the same file.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;
use serde_json::{Value, json};

use super::summary::{MOST_CLAUSES, first_sentences};
use super::{Case, Outcome, Report, json_text};
// XML 1.0 has no room for controls; what the crate would drop without a word is written out.
use cosmos_ttl_harness::plain::visible_lines;

/// The outcomes that other programs know, by their words in CTRF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CiOutcome {
    Passed,
    Failed,
    /// It does not count, for the reason that is given.
    Skipped,
    /// Nothing could be said.
    #[serde(rename = "other")]
    Error,
}

/// A vector, or something that a run says as a whole.
struct CiTest<'a> {
    /// The section, or `run`.
    suite: &'a str,
    name: &'a str,
    outcome: CiOutcome,
    /// The word that this harness has for the outcome.
    word: &'static str,
    /// Why, in a line; `None` of a pass.
    message: Option<String>,
    /// The vector; `None` of what is said of the run as a whole.
    case: Option<&'a Case>,
}

impl<'a> CiTest<'a> {
    /// Everything that a report says, in its order; what it says of the run as a whole comes last.
    fn all(report: &'a Report) -> Vec<Self> {
        let why = report.incomplete.as_deref().unwrap_or("the run did not come to its end");
        let some = |texts: &[String], between| (!texts.is_empty()).then(|| first_sentences(texts, between));
        let unjudged = some(&report.unjudged, ", ").map(|them| format!("no vector was judged of: {them}"));
        let of_run = |name, outcome, word, message: Option<String>| {
            message.is_some().then_some(Self { suite: "run", name, outcome, word, message, case: None })
        };
        let of_run = [
            of_run("complete", CiOutcome::Error, "incomplete", (!report.complete).then(|| why.to_owned())),
            of_run("known-failures", CiOutcome::Failed, "stale", some(&report.stale, "; ")),
            of_run("unbroken", CiOutcome::Error, "broke", some(&report.mishaps, "; ")),
            of_run("judged", CiOutcome::Error, "undecided", unjudged),
        ];
        let cases = report.cases.iter().map(|case| Self::of_case(case, report.strict));
        cases.chain(of_run.into_iter().flatten()).collect()
    }

    fn of_case(case: &'a Case, strict: bool) -> Self {
        use Outcome::{Broken, ChangedFailure, Differ, Fail, Flaky, Inconclusive, KnownFailure};
        use Outcome::{NotApplicable, NotRun, Pass, UnexpectedPass, Unsupported};
        let (suite, name) = case.name.split_once('/').unwrap_or(("", &case.name));
        let outcome = match case.verdict {
            Pass => CiOutcome::Passed,
            Fail | UnexpectedPass | ChangedFailure => CiOutcome::Failed,
            Differ if strict => CiOutcome::Failed,
            Differ | KnownFailure | Flaky | Unsupported | NotApplicable => CiOutcome::Skipped,
            Inconclusive | Broken | NotRun => CiOutcome::Error,
        };
        Self { suite, name, outcome, word: case.verdict.word(), message: case.message(), case: Some(case) }
    }

    /// How the vector came to its verdict, where that is no pass.
    fn failure_text(&self, report: &Report) -> Option<String> {
        let told = matches!(self.outcome, CiOutcome::Failed | CiOutcome::Error);
        self.case.filter(|_| told).map(|case| report.failure_text(case))
    }

    /// How long the vector took on a real clock.
    fn duration(&self) -> Option<Duration> {
        self.case.and_then(|case| case.duration_us).map(Duration::from_micros)
    }

    fn clauses(&self) -> impl Iterator<Item = &'a String> {
        self.case.into_iter().flat_map(|case| &case.clauses).take(MOST_CLAUSES)
    }
}

/// Returns the report as JUnit XML.
pub fn junit(report: &Report) -> String {
    let mut xml = quick_junit::Report::new("cosmos-ttl");
    let properties = [
        ("target", &report.target.name),
        ("target-version", &report.target.version),
        ("vectors", &report.digests.vectors),
        ("model", &report.digests.model),
        ("harness", &report.harness),
    ];
    // The vectors of a section stand together.
    for tests in CiTest::all(report).chunk_by(|one, next| one.suite == next.suite) {
        let mut suite = TestSuite::new(visible_lines(tests.first().map_or("", |test| test.suite)));
        suite.add_properties(properties.map(|(name, value)| Property::new(name, visible_lines(value))));
        suite.add_test_cases(tests.iter().map(|test| junit_case(report, test)));
        xml.add_test_suite(suite);
    }
    // Only writing can fail, and a string takes everything.
    xml.to_string().unwrap_or_default()
}

fn junit_case(report: &Report, test: &CiTest<'_>) -> TestCase {
    let status = match test.outcome {
        CiOutcome::Passed => TestCaseStatus::success(),
        CiOutcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        CiOutcome::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        CiOutcome::Skipped => TestCaseStatus::skipped(),
    };
    let mut case = TestCase::new(visible_lines(test.name), status);
    case.set_classname(visible_lines(test.suite));
    if test.outcome != CiOutcome::Passed {
        case.status.set_type(test.word);
        case.status.set_message(visible_lines(test.message.as_deref().unwrap_or(test.word)));
    }
    if let Some(text) = test.failure_text(report) {
        case.status.set_description(visible_lines(&text));
    }
    if let Some(duration) = test.duration() {
        case.set_time(duration);
    }
    let Some(vector) = test.case else { return case };
    let level = vector.level.to_string();
    let clauses = test.clauses().map(|clause| ("clause", clause.as_str()));
    let properties = [("verdict", test.word), ("level", level.as_str())].into_iter().chain(clauses);
    for (name, value) in properties.chain([("digest", vector.digest.as_str())]) {
        case.add_property(Property::new(name, visible_lines(value)));
    }
    if let Some(log) = &vector.log {
        case.set_system_out(visible_lines(log));
    }
    case
}

/// Returns the report as JSON in the Common Test Report Format.
///
/// The form demands when the run started and stopped. A report does not know that, so both are 0, and `extra` says so.
pub fn ctrf(report: &Report) -> String {
    let all = CiTest::all(report);
    let count = |outcome| all.iter().filter(|test| test.outcome == outcome).count();
    json_text(&json!({
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "generatedBy": "cosmos-ttl",
        "results": {
            "tool": { "name": "cosmos-ttl", "version": report.harness },
            "summary": {
                "tests": all.len(),
                "passed": count(CiOutcome::Passed),
                "failed": count(CiOutcome::Failed),
                "pending": 0,
                "skipped": count(CiOutcome::Skipped),
                "other": count(CiOutcome::Error),
                "start": 0,
                "stop": 0,
            },
            "tests": all.iter().map(|test| ctrf_test(report, test)).collect::<Vec<_>>(),
            "environment": { "appName": report.target.name, "appVersion": report.target.version },
        },
        "extra": {
            "times": TIMES,
            "complete": report.complete,
            "incomplete": report.incomplete,
            "conclusion": report.conclusion,
            "strict": report.strict,
            "vectors": report.digests.vectors,
            "model": report.digests.model,
        },
    }))
}

/// The meaning of the times in the form.
const TIMES: &str = "not measured: start and stop, which are 0; a duration is in milliseconds of a real clock, and 0 on a virtual clock";

fn ctrf_test(report: &Report, test: &CiTest<'_>) -> Value {
    let source = test.case.and_then(|case| case.failure.as_ref()).map(|failure| &failure.source);
    let extra = |case: &Case| json!({ "level": case.level, "digest": case.digest, "again": case.again });
    let mut value = json!({
        "name": format!("{}/{}", test.suite, test.name),
        "status": test.outcome,
        "duration": u64::try_from(test.duration().unwrap_or_default().as_millis()).unwrap_or(u64::MAX),
        "suite": [test.suite],
        "rawStatus": test.word,
        "message": test.message,
        "trace": test.failure_text(report),
        "filePath": source.map(|source| &source.file),
        "line": source.map(|source| source.line),
        "tags": test.clauses().collect::<Vec<_>>(),
        "extra": test.case.map(extra),
    });
    // The form knows no `null`.
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    value
}
