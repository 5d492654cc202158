//! What a report says of the mistake that a target seems to make.

use cosmos_ttl_report::markdown::markdown;
use cosmos_ttl_report::page;
use cosmos_ttl_report::style::RenderOptions;
use cosmos_ttl_report::text::text;
use cosmos_ttl_report::{MutantDiagnosis, MutantLikeness, Report};

use super::made;

fn with(failed: usize, together: bool, more: usize, [fails, same, alike]: [usize; 3]) -> Report {
    let like = MutantLikeness {
        mutant: "one-second-late".into(),
        says: "The deadline is still a <visible> second.".into(),
        clauses: vec!["gone-at-deadline".into()],
        fails,
        same,
        alike,
    };
    let diagnosis = Some(MutantDiagnosis { failed, together, like: vec![like], more });
    Report { diagnosis, ..made::failing() }
}

/// The same figures in every form for people.
#[track_caller]
fn check(failed: usize, counts: [usize; 3], figures: &str) {
    let report = with(failed, false, 0, counts);
    for form in
        [text(&report, RenderOptions::default()), markdown(&report), page(std::slice::from_ref(&report))]
    {
        assert!(form.contains("one-second-late") && form.contains(figures), "{form}");
        assert!(form.contains("behaves like"), "{form}");
    }
}

#[test]
fn the_figures_are_honest() {
    check(1, [1, 1, 1], "fails the same vector, in the same way");
    check(13, [13, 13, 11], "fails the same 13 vectors, 11 in the same way");
    check(13, [13, 12, 11], "fails 12 of the same 13 vectors, 11 in the same way, and 1 other");
    check(13, [15, 12, 12], "fails 12 of the same 13 vectors, in the same way, and 3 others");
}

#[test]
fn its_words_are_words_and_no_markup() {
    let report = with(1, false, 0, [1, 1, 1]);
    for form in [markdown(&report), page(std::slice::from_ref(&report))] {
        assert!(form.contains("visible") && !form.contains("<visible>"), "{form}");
    }
}

#[test]
fn several_mistakes_and_more_of_the_same_are_said() {
    let several = text(&with(2, true, 0, [1, 1, 1]), RenderOptions::default());
    assert!(several.contains("as if it made several mistakes"), "{several}");
    let more = with(1, false, 7, [1, 1, 1]);
    for form in [text(&more, RenderOptions::default()), markdown(&more), page(std::slice::from_ref(&more))] {
        assert!(form.contains("and 7 more that match as well"), "{form}");
    }
}

#[test]
fn a_report_without_one_says_nothing_and_an_older_one_is_read() {
    let report = made::failing();
    assert!(!text(&report, RenderOptions::default()).contains("behaves"));
    let mut older: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    older.as_object_mut().unwrap().remove("diagnosis");
    older["vectors"].as_object_mut().unwrap().remove("profile");
    assert_eq!(serde_json::from_value::<Report>(older).unwrap(), report);
}
