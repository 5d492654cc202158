//! `cosmos-ttl diff`

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use cosmos_ttl::report::{Outcome, Report};
use cosmos_ttl_harness::run::Tally;
use serde_json::Value;

use crate::program::{directory, refuses, say, succeeds};

/// A report of a run, after this was done to it, under this name in the directory.
fn report(path: &Path, name: &str, change: impl FnOnce(&mut Report)) -> String {
    static REPORT: LazyLock<Report> = LazyLock::new(|| {
        serde_json::from_str(&succeeds(&["run", "--vectors", "suite", "--format", "json"])).unwrap()
    });
    let mut report = REPORT.clone();
    change(&mut report);
    let tally = Tally { counts: report.counts, ..Tally::default() };
    let conclusion = tally.conclusion(report.strict);
    (report.conclusion, report.exit_code) = (conclusion.word().into(), conclusion.exit_code());
    let directory = path.join(name);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("report.json"), report.json()).unwrap();
    directory.to_str().unwrap().to_owned()
}

fn fails(report: &mut Report) {
    report.cases[0].verdict = Outcome::Fail;
    report.counts = report.cases.iter().map(|case| case.verdict).collect();
    report.cases[0].reason = Some("at second 10: expected not-found, got found".into());
}

#[test]
fn exit_codes_say_what_changed() {
    let path = directory("diff");
    let whole = report(&path, "whole", |_| {});
    let worse = report(&path, "worse", fails);
    let open = report(&path, "open", |report| {
        // The last vector was not one that passed before it was not run.
        report.complete = false;
        report.cases[4].verdict = Outcome::NotRun;
        report.counts = report.cases.iter().map(|case| case.verdict).collect();
    });
    for (before, after, code, said) in [
        (&whole, &whole, 0, "5 vectors = 5 same\nnothing regressed\n"),
        (&whole, &worse, 1, "5 vectors = 1 regressed + 4 same\nregressed\n"),
        (&worse, &whole, 0, "5 vectors = 1 fixed + 4 same\nnothing regressed\n"),
        (&open, &whole, 3, "undecided: the first run is incomplete: it did not come to its end\n"),
        (&open, &worse, 1, "regressed; besides, the first run is incomplete: it did not come to its end\n"),
    ] {
        let told = say(&["diff", before, after]);
        assert_eq!((told.code, told.err.as_str()), (code, ""), "{}", told.out);
        assert!(told.out.ends_with(said), "{}", told.out);
    }
}

#[test]
fn a_report_is_named_by_its_file_or_its_directory() {
    let path = directory("diff-named");
    let directory = report(&path, "run", |_| {});
    succeeds(&["diff", &directory, &format!("{directory}/report.json")]);
}

#[test]
fn it_is_told_to_people_programs_and_pages() {
    let path = directory("diff-formats");
    let (whole, worse) = (report(&path, "whole", |_| {}), report(&path, "worse", fails));
    let told = |format: &str| say(&["diff", &whole, &worse, "--format", format]);
    let json: Value = serde_json::from_str(&told("json").out).unwrap();
    assert_eq!((&json["conclusion"], &json["exit-code"]), (&"regressed".into(), &1.into()));
    assert_eq!(json["counts"]["regressed"], 1);
    assert_eq!(json["changes"][0]["name"], "lifetime/item-shorter-than-default");
    assert!(told("md").out.starts_with("# ❌ Time to live in Azure Cosmos DB: regressed\n"));
    for format in ["text", "json", "md"] {
        assert_eq!(told(format).code, 1, "{format}");
    }
}

#[test]
fn what_is_no_report_is_refused_with_its_name() {
    let path = directory("diff-bad");
    let good = report(&path, "good", |_| {});
    let next = report(&path, "next", |report| report.format = 2);
    for (name, text) in [("empty", ""), ("object", "{}"), ("text", "mine"), ("deep", &"[".repeat(100_000))] {
        fs::write(path.join(name), text).unwrap();
    }
    for name in ["empty", "object", "text", "deep", "nowhere", "."] {
        let bad = path.join(name);
        let bad = bad.to_str().unwrap();
        assert!(refuses(&["diff", &good, bad]).contains("diff-bad"), "{name}");
        refuses(&["diff", bad, &good]);
    }
    assert!(refuses(&["diff", &good, &next]).contains("`format` is 2, and this version reads 1"));
}

#[test]
fn a_report_that_means_no_good_cannot_write_on_the_terminal() {
    let path = directory("diff-hostile");
    let good = report(&path, "good", |_| {});
    let bad = report(&path, "bad", |report| {
        fails(report);
        report.cases[0].reason = Some("\u{1b}[2J\u{202e}x\n5 vectors = 5 same".into());
        report.cases[0].again = "\u{1b}]0;owned\u{7}".into();
        report.target.version = "\u{9b}K\nnothing regressed".repeat(100_000);
    });
    for format in ["text", "json", "md"] {
        let told = say(&["diff", &good, &bad, "--format", format]);
        assert_eq!(told.code, 1);
        assert!(told.out.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{}", told.out);
        assert!(
            !told.out.contains("\nnothing") && !told.out.contains("\n5 vectors = 5 same"),
            "{}",
            told.out
        );
        assert!(told.out.len() < 100_000, "{}", told.out.len());
    }
}

#[test]
fn vectors_that_were_not_asked_for_again_leave_it_undecided() {
    let path = directory("diff-fewer");
    let whole = report(&path, "whole", |_| {});
    let fewer = report(&path, "fewer", |report| {
        report.cases.truncate(2);
        report.counts = report.cases.iter().map(|case| case.verdict).collect();
    });
    let told = say(&["diff", &whole, &fewer]);
    assert_eq!(told.code, 3, "{}", told.out);
    assert!(told.out.contains("3 that passed were not asked for in the second run"), "{}", told.out);
    assert_eq!(say(&["diff", &fewer, &whole]).code, 0);
}

#[test]
fn a_report_whose_conclusion_does_not_follow_is_refused() {
    let path = directory("diff-lie");
    let good = report(&path, "good", |_| {});
    let text = fs::read_to_string(format!("{good}/report.json")).unwrap();
    for (what, lie) in [
        ("conclusion", text.replace("\"conclusion\": \"conformant\"", "\"conclusion\": \"nonconformant\"")),
        ("exit code", text.replace("\"exit-code\": 0", "\"exit-code\": 1")),
        ("complete", text.replace("\"complete\": true", "\"complete\": false")),
    ] {
        fs::write(path.join("lie.json"), lie).unwrap();
        let lie = path.join("lie.json");
        assert!(refuses(&["diff", &good, lie.to_str().unwrap()]).contains("lie.json"), "{what}");
        refuses(&["report", lie.to_str().unwrap()]);
    }
}

#[test]
fn a_page_is_never_written_over_its_report() {
    let path = directory("report-over-itself");
    let good = report(&path, "good", |_| {});
    let file = format!("{good}/report.json");
    assert!(refuses(&["report", &good, "-o", &file]).contains("is one of the reports"));
    assert!(fs::read_to_string(&file).unwrap().starts_with('{'));
}
