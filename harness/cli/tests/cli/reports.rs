//! `cosmos-ttl diff` and `cosmos-ttl report`: what is read, what is refused, and what goes where.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use cosmos_ttl::report::{Outcome, Report};
use cosmos_ttl_harness::run::Tally;
use serde_json::Value;

use crate::program::{check_in, check_said, directory, says, succeeds, words};

static REPORT: LazyLock<Report> =
    LazyLock::new(|| serde_json::from_str(&succeeds(&words("run SUITE --format json"))).unwrap());

/// Writes the report of a run, after this was done to it, into a directory of this name.
fn write(path: &Path, name: &str, change: impl FnOnce(&mut Report)) {
    let mut report = REPORT.clone();
    change(&mut report);
    report.counts = report.cases.iter().map(|case| case.verdict).collect();
    let tally = Tally { counts: report.counts, ..Tally::default() };
    let conclusion = tally.conclusion(report.strict);
    (report.conclusion, report.exit_code) = (conclusion.word().into(), conclusion.exit_code());
    fs::create_dir_all(path.join(name)).unwrap();
    fs::write(path.join(name).join("report.json"), report.json()).unwrap();
}

fn fails(report: &mut Report) {
    report.cases[0].verdict = Outcome::Fail;
    report.cases[0].reason = Some("at second 10: expected not-found, got found".into());
}

#[test]
fn what_changed_is_told_by_exit_codes_and_in_every_format() {
    let path = &directory("diff");
    write(path, "whole", |_| {});
    write(path, "worse", fails);
    write(path, "open", |report| {
        report.complete = false;
        report.cases[4].verdict = Outcome::NotRun;
    });
    write(path, "fewer", |report| report.cases.truncate(2));
    check_in(
        path,
        "
        0 | diff whole whole/report.json | 5 vectors = 5 same nothing regressed
        1 | diff whole worse | 5 vectors = 1 regressed + 4 same regressed
        0 | diff worse whole | 5 vectors = 1 fixed + 4 same nothing regressed
        3 | diff open whole | undecided: the first run is incomplete: it did not come to its end
        1 | diff open worse | regressed; besides, the first run is incomplete
        3 | diff whole fewer | 3 that passed were not asked for in the second run
        0 | diff fewer whole
        1 | diff whole worse --format md | # ❌ Time to live in Azure Cosmos DB: regressed
        ",
    );
    let json: Value = serde_json::from_str(&says(path, "diff whole worse --format json").out).unwrap();
    assert_eq!((&json["conclusion"], &json["exit-code"]), (&"regressed".into(), &1.into()));
    assert_eq!(
        (&json["counts"]["regressed"], &json["changes"][0]["name"]),
        (&1.into(), &REPORT.cases[0].name.clone().into())
    );
}

#[test]
fn a_page_goes_where_it_is_told_and_its_columns_are_named() {
    let path = &directory("report");
    write(path, "mine", |_| {});
    write(path, "theirs", fails);
    write(path, "other", |report| report.target.name = "another".into());
    check_in(
        path,
        "
        0 | report mine | <!DOCTYPE html>
        0 | report mine/report.json -o page.html | page.html: written
        0 | report mine other | 2 reports side by side | reference 0.1.0, another 0.1.0 side by side
        0 | report mine theirs | mine 0.1.0, theirs 0.1.0 side by side
        0 | report mine theirs other --label yours | yours 0.1.0, reference 0.1.0, another 0.1.0 side by side
        0 | report mine theirs --label <b> --label before | &lt;b&gt; 0.1.0, before 0.1.0 side by side
        2 | report mine --label a --label b | 2 labels for 1 reports
        2 | report mine -o mine/report.json | is one of the reports
        2 | report mine -o nowhere/page.html | nowhere/page.html | cannot be written
        2 | report nowhere | nowhere | cannot be read
        2 | report . | report.json | cannot be read
        2 | report | REPORT
        ",
    );
    assert_eq!(fs::read_to_string(path.join("page.html")).unwrap(), says(path, "report mine").out);
}

#[test]
fn what_is_no_report_is_refused_at_its_line() {
    let path = &directory("refused");
    write(path, "good", |_| {});
    let json = REPORT.json();
    let mut twice = REPORT.clone();
    twice.cases[1].name = twice.cases[0].name.clone();
    let long = format!("\"verdict\": \"\\u001b[31m{}\"", "x".repeat(100_000));
    for (text, contains) in [
        (" \n".to_owned(), &["is empty", "cosmos-ttl run --report DIR"][..]),
        ("mine".into(), &["report.json:1:", "is no report"]),
        ("{\n  \"format\": 1,\n".into(), &["report.json:3:0", "EOF while parsing"]),
        ("{\"a\": 1}".into(), &["report.json:1:8", "missing field `format`"]),
        ("[".repeat(100_000), &["report.json:1:", "is no report"]),
        (json[..json.len() / 2].into(), &["is no report", "--report DIR"]),
        (json.replacen("\"format\": 1", "\"format\": 99", 1), &["report.json:2", "99", "run again"]),
        (json.replacen("\"pass\": 5", "\"pass\": 6", 1), &["`counts` are not those of `cases`"]),
        (
            json.replace("\"conclusion\": \"conformant\"", "\"conclusion\": \"nonconformant\""),
            &["it concludes"],
        ),
        (json.replace("\"exit-code\": 0", "\"exit-code\": 1"), &["it concludes"]),
        (json.replace("\"complete\": true", "\"complete\": false"), &["`complete` is false"]),
        (twice.json(), &["stands in it twice"]),
        (json.replacen("\"verdict\": \"pass\"", &long, 1), &["unknown variant", "!\u{1b}[31mx"]),
    ] {
        fs::create_dir_all(path.join("bad")).unwrap();
        fs::write(path.join("bad/report.json"), text).unwrap();
        for line in ["report bad", "report good bad", "diff good bad", "diff bad good"] {
            check_said(line, &says(path, line), 2, contains);
        }
    }
}
