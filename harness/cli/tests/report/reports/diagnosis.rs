//! The diagnosis of a report: the mistake that a target seems to make.

use cosmos_ttl::report::markdown::markdown;
use cosmos_ttl::report::page;
use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::text::text;
use cosmos_ttl::report::{MutantDiagnosis, MutantLikeness, Outcome, Report};

use super::made;

fn with(failed: usize, together: bool, more: usize, [fails, same, alike]: [usize; 3]) -> Report {
    let like = MutantLikeness {
        mutant: "one-second-late".into(),
        says: "The deadline is still a <visible> second.".into(),
        clauses: vec!["gone-at-deadline".into()],
        fails,
        same,
        alike,
        also: vec!["two-seconds-late".into()],
        vectors: vec![made::failing().cases(Outcome::Fail).next().unwrap().name.clone()],
    };
    let diagnosis = Some(MutantDiagnosis { failed, together, like: vec![like], more, unexplained: 2 });
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
    assert!(several.contains("as if it had several mistakes"), "{several}");
    let more = with(1, false, 7, [1, 1, 1]);
    for form in [text(&more, RenderOptions::default()), markdown(&more), page(std::slice::from_ref(&more))] {
        assert!(form.contains("and 7 more that match as well"), "{form}");
        assert!(form.contains("in this run the same as mutant"), "{form}");
        assert!(form.contains("2 vectors fail in a way in which no mutant fails"), "{form}");
    }
}

#[test]
fn failures_without_a_mutant_that_matches_say_so() {
    let diagnosis =
        Some(MutantDiagnosis { failed: 2, together: false, like: vec![], more: 0, unexplained: 2 });
    let report = Report { diagnosis, ..made::failing() };
    for form in
        [text(&report, RenderOptions::default()), markdown(&report), page(std::slice::from_ref(&report))]
    {
        assert!(
            form.contains("No mutant fails like this")
                && form.contains("2 vectors fail in a way in which no mutant fails"),
            "{form}"
        );
    }
}

fn plain_text(report: &Report, options: RenderOptions) -> String {
    anstream::adapter::strip_str(&text(report, options)).to_string()
}

/// A report in which every vector fails, as these causes say: the number of vectors, the step, expected and got.
fn failing_by(causes: &[(usize, &str, &str)]) -> Report {
    let mut report = made::failing();
    let failed = report.cases(Outcome::Fail).next().unwrap().clone();
    let case = |cause: usize, number: usize, expected: &str, got: &str| {
        let mut case = failed.clone();
        case.name = format!("lifetime/cause-{cause}-{number}");
        // The last is the shortest.
        let extra = causes[cause].0 - number;
        case.steps.extend(std::iter::repeat_n(case.steps[0].clone(), extra));
        let failure = case.failure.as_mut().unwrap();
        (failure.expected, failure.got) = (expected.into(), got.into());
        case
    };
    report.cases = Vec::new();
    for (cause, (count, expected, got)) in causes.iter().enumerate() {
        report.cases.extend((0..*count).map(|number| case(cause, number, expected, got)));
    }
    made::count(&mut report);
    report
}

#[test]
fn failures_are_shown_by_cause_the_shortest_of_each_in_full() {
    let report =
        failing_by(&[(3, "not-found", "found"), (40, "[a, b]", "[b]"), (1, "not-found", "status 500")]);
    let shown = plain_text(&report, RenderOptions { all: false, ..RenderOptions::default() });
    assert_eq!(shown.matches("error: lifetime/cause-").count(), 3, "{shown}");
    let place = |part: &str| shown.find(part).unwrap_or_else(|| panic!("no {part}: {shown}"));
    assert!(place("error: lifetime/cause-1-39") < place("error: lifetime/cause-0-2"));
    assert!(place("39 more vectors fail in the same way (--all shows them)") < place("lifetime/cause-0-2"));
    assert!(place("lifetime/cause-2-0") < place("section "), "the tables come after the failures");
    let all = plain_text(&report, RenderOptions { all: true, ..RenderOptions::default() });
    assert_eq!(all.matches("error: lifetime/cause-").count(), 44);
    let few = plain_text(&report, RenderOptions { most: 1, ..RenderOptions::default() });
    assert!(few.contains("2 more mistakes in 4 vectors (--show N shows more in full)"), "{few}");
    assert!(few.contains("3 × read: expected not-found, got found"), "{few}");
    for form in [markdown(&report), page(std::slice::from_ref(&report))] {
        assert!(form.contains("40 × "), "{form}");
    }
}

#[test]
fn musts_come_before_shoulds_whichever_are_more() {
    let mut report = failing_by(&[(30, "not-found", "found"), (1, "ok", "status 500")]);
    for case in report.cases.iter_mut().filter(|case| case.name.contains("cause-0")) {
        case.verdict = Outcome::Differ;
    }
    made::count(&mut report);
    let shown = plain_text(&report, RenderOptions::default());
    assert!(shown.find("error: lifetime/cause-1-0") < shown.find("warning: lifetime/cause-0"), "{shown}");
}

#[test]
fn a_report_without_one_says_nothing() {
    assert!(!plain_text(&made::failing(), RenderOptions::default()).contains("behaves"));
}
