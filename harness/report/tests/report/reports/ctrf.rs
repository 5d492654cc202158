//! `ctrf.json`

use cosmos_ttl_report::Report;
use cosmos_ttl_report::ctrf;
use serde_json::Value;

use super::made;

fn read(report: &Report) -> Value {
    serde_json::from_str(&ctrf(report)).unwrap()
}

/// The form takes no other fields than these, so far as we write them.
#[track_caller]
fn check_fields(value: &Value, must: &[&str], may: &[&str]) {
    let fields: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    for name in must {
        assert!(fields.contains(name), "{name} is not in {fields:?}");
    }
    for name in fields {
        assert!(must.contains(&name) || may.contains(&name), "{name} is no field");
    }
}

#[track_caller]
fn check_form(ctrf: &Value) {
    check_fields(ctrf, &["reportFormat", "specVersion", "results"], &["generatedBy", "extra"]);
    assert_eq!((&ctrf["reportFormat"], &ctrf["specVersion"]), (&"CTRF".into(), &"0.0.0".into()));
    let results = &ctrf["results"];
    check_fields(results, &["tool", "summary", "tests"], &["environment"]);
    check_fields(&results["tool"], &["name"], &["version"]);
    check_fields(&results["environment"], &[], &["appName", "appVersion"]);
    let summary = &results["summary"];
    let counts = ["passed", "failed", "skipped", "pending", "other"];
    check_fields(summary, &[&counts[..], &["tests", "start", "stop"]].concat(), &[]);
    let tests = results["tests"].as_array().unwrap();
    assert_eq!(summary["tests"], tests.len());
    for status in counts {
        let own = tests.iter().filter(|test| test["status"] == status).count();
        assert_eq!(summary[status], own, "{status}");
    }
    assert_eq!(
        counts.iter().map(|count| summary[*count].as_u64().unwrap()).sum::<u64>(),
        summary["tests"].as_u64().unwrap()
    );
    for test in tests {
        let may = ["suite", "rawStatus", "message", "trace", "filePath", "line", "tags", "extra"];
        check_fields(test, &["name", "status", "duration"], &may);
        assert!(!test["name"].as_str().unwrap().is_empty());
        assert!(test["suite"].as_array().is_some_and(|suite| !suite.is_empty()));
    }
}

#[test]
fn a_vector_has_a_duration_if_it_was_replayed_on_a_real_clock() {
    for (duration_us, duration_ms) in [(9_123_456, 9123), (u64::MAX, u64::MAX / 1000)] {
        let ctrf = read(&made::timed(duration_us));
        let tests = ctrf["results"]["tests"].as_array().unwrap();
        let durations: Vec<_> = tests.iter().map(|test| test["duration"].as_u64().unwrap()).collect();
        assert_eq!(durations, [duration_ms, 0, 0, 0, 0], "in milliseconds");
    }
}

#[test]
fn every_report_is_of_the_form_and_adds_up() {
    for (name, report) in made::honest() {
        check_form(&read(&report));
        assert_eq!(ctrf(&report), ctrf(&report), "{name}");
    }
}

#[test]
fn each_verdict_has_its_status() {
    let ctrf = read(&made::every());
    let tests = ctrf["results"]["tests"].as_array().unwrap().iter();
    let told: Vec<_> = tests
        .map(|test| format!("{} {}", test["rawStatus"].as_str().unwrap(), test["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            "pass passed",
            "fail failed",
            "differ skipped",
            "known failure skipped",
            "unexpected pass failed",
            "changed failure failed",
            "flaky skipped",
            "unsupported skipped",
            "inconclusive other",
            "broken other",
            "not applicable skipped",
            "not run other",
            "incomplete other",
            "stale failed",
            "undecided other",
        ]
    );
}

#[test]
fn a_failure_says_where_its_vector_is() {
    let ctrf = read(&made::failing());
    let tests = ctrf["results"]["tests"].as_array().unwrap();
    let failed = tests.iter().find(|test| test["status"] == "failed").unwrap();
    assert_eq!((&failed["filePath"], failed["line"].as_u64()), (&"suite/lifetime.yaml".into(), Some(6)));
    assert_eq!(failed["message"], "at second 10: expected not-found, got found");
    assert!(failed["trace"].as_str().unwrap().contains("at 10 s  read a -> found"), "{}", failed["trace"]);
}

#[test]
fn what_is_not_measured_is_said_to_be() {
    assert!(read(&made::passing())["extra"]["times"].as_str().unwrap().starts_with("not measured"));
}

#[test]
fn nobody_can_break_out_of_it() {
    for (name, report) in made::from_outside() {
        check_form(&read(&report));
        let text = ctrf(&report);
        assert!(text.len() < 8 << 20, "{name}: {}", text.len());
        assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{name}");
    }
}
