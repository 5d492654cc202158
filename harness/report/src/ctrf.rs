//! A report in the Common Test Report Format (ctrf.io), which is JSON with the same fields for every kind of test.
//!
//! The form asks for times; none was measured, so each is 0, and `extra` says so.

use serde::Serialize;

use super::Report;
use super::ci_result::{self, CiResult, MOST_CLAUSES, Told};

/// The version of the form in which this is written.
const SPEC_VERSION: &str = "0.0.0";

const TIMES: &str = "not measured: every start, stop and duration is 0";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ctrf<'a> {
    report_format: &'static str,
    spec_version: &'static str,
    generated_by: &'static str,
    results: Results<'a>,
    extra: Extra<'a>,
}

#[derive(Serialize)]
struct Results<'a> {
    tool: Tool<'a>,
    summary: Summary,
    tests: Vec<Test<'a>>,
    environment: Environment<'a>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

/// The five counts in the middle add up to the first.
#[derive(Default, Serialize)]
struct Summary {
    tests: usize,
    passed: usize,
    failed: usize,
    pending: usize,
    skipped: usize,
    other: usize,
    start: u64,
    stop: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Test<'a> {
    name: String,
    status: &'static str,
    duration: u64,
    suite: [&'a str; 1],
    raw_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    tags: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Vector<'a>>,
}

/// What only this harness knows of a vector.
#[derive(Serialize)]
struct Vector<'a> {
    level: String,
    digest: &'a str,
    again: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Environment<'a> {
    app_name: &'a str,
    app_version: &'a str,
}

/// What only this harness knows of a run.
#[derive(Serialize)]
struct Extra<'a> {
    times: &'static str,
    complete: bool,
    incomplete: Option<&'a str>,
    conclusion: &'a str,
    strict: bool,
    vectors: &'a str,
    model: &'a str,
}

/// The report as JSON of that form.
pub fn ctrf(report: &Report) -> String {
    let all = ci_result::all(report);
    let mut summary = Summary { tests: all.len(), ..Summary::default() };
    for told in &all {
        let count = match told.outcome {
            CiResult::Passed => &mut summary.passed,
            CiResult::Failed => &mut summary.failed,
            CiResult::Skipped => &mut summary.skipped,
            CiResult::Error => &mut summary.other,
        };
        *count = count.saturating_add(1);
    }
    let ctrf = Ctrf {
        report_format: "CTRF",
        spec_version: SPEC_VERSION,
        generated_by: "cosmos-ttl",
        results: Results {
            tool: Tool { name: "cosmos-ttl", version: &report.harness },
            summary,
            tests: all.iter().map(|told| test(report, told)).collect(),
            environment: Environment { app_name: &report.target.name, app_version: &report.target.version },
        },
        extra: extra(report),
    };
    // It is made of strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(&ctrf).unwrap_or_default() + "\n"
}

fn extra(report: &Report) -> Extra<'_> {
    Extra {
        times: TIMES,
        complete: report.complete,
        incomplete: report.incomplete.as_deref(),
        conclusion: &report.conclusion,
        strict: report.strict,
        vectors: &report.digests.vectors,
        model: &report.digests.model,
    }
}

fn test<'a>(report: &Report, told: &'a Told<'a>) -> Test<'a> {
    let case = told.case;
    let source = case.and_then(|case| case.failure.as_ref()).map(|failure| &failure.source);
    let tells = matches!(told.outcome, CiResult::Failed | CiResult::Error);
    let clauses = case.map_or(&[][..], |case| case.clauses.as_slice());
    Test {
        name: told.full_name(),
        status: match told.outcome {
            CiResult::Passed => "passed",
            CiResult::Failed => "failed",
            CiResult::Skipped => "skipped",
            CiResult::Error => "other",
        },
        duration: 0,
        suite: [told.section],
        raw_status: told.word,
        message: told.message.as_deref(),
        trace: case.filter(|_| tells).map(|case| ci_result::story(report, case)),
        file_path: source.map(|source| source.file.as_str()),
        line: source.map(|source| source.line),
        tags: clauses.iter().take(MOST_CLAUSES).map(String::as_str).collect(),
        extra: case.map(|case| Vector {
            level: case.level.to_string(),
            digest: &case.digest,
            again: &case.again,
        }),
    }
}
