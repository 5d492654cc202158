//! The differences between two runs.

use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_report::diff::{Diff, VectorChange, markdown, text};
use cosmos_ttl_report::style::RenderOptions;
use cosmos_ttl_report::{Outcome, Report};

use super::made::{self, narrow};
use super::markdown::check_inert;

/// A report of one vector with this verdict.
fn one(said: Outcome) -> Report {
    let mut report = made::every();
    report.cases.retain(|case| case.verdict == said);
    report.cases[0].name = "lifetime/one".into();
    report.complete = true;
    report.incomplete = None;
    made::count(&mut report);
    report
}

#[track_caller]
fn check(before: &Report, after: &Report, change: VectorChange, code: u8) {
    let diff = Diff::of(before, after);
    assert_eq!((diff.counts[&change], diff.counts.values().sum::<usize>()), (1, 1), "{:?}", diff.counts);
    assert_eq!(diff.exit_code, code, "{}", diff.conclusion);
}

#[test]
fn every_pair_of_verdicts_is_a_change_or_none() {
    use Outcome::*;
    use VectorChange::{Changed, Fixed, Regressed, Same, Unjudged};
    for (before, after, change, code) in [
        (Pass, Pass, Same, 0),
        (Fail, Fail, Same, 0),
        (Pass, Fail, Regressed, 1),
        (Pass, Differ, Regressed, 1),
        (Pass, KnownFailure, Regressed, 1),
        (Pass, ChangedFailure, Regressed, 1),
        (UnexpectedPass, Fail, Regressed, 1),
        (Pass, Broken, Regressed, 1),
        (Pass, Unsupported, Regressed, 1),
        (Pass, Inconclusive, Unjudged, 3),
        (Pass, NotApplicable, Unjudged, 3),
        (Pass, NotRun, Unjudged, 3),
        (Pass, UnexpectedPass, Same, 0),
        (Fail, Pass, Fixed, 0),
        (KnownFailure, UnexpectedPass, Fixed, 0),
        (Broken, Pass, Fixed, 0),
        (NotRun, Pass, Fixed, 0),
        (Fail, KnownFailure, Changed, 0),
        (Fail, Broken, Changed, 3),
        (Unsupported, Fail, Changed, 0),
        (Inconclusive, NotRun, Changed, 3),
    ] {
        check(&one(before), &one(after), change, code);
    }
}

#[test]
fn a_failure_with_another_signature_has_changed() {
    let mut after = one(Outcome::Fail);
    after.cases[0].failure.as_mut().unwrap().signature = "at second 9: another".into();
    check(&one(Outcome::Fail), &after, VectorChange::Changed, 0);
}

#[test]
fn a_vector_that_means_something_else_has_not_regressed() {
    let mut after = one(Outcome::Fail);
    after.cases[0].digest = "1".repeat(32);
    check(&one(Outcome::Pass), &after, VectorChange::Redefined, 0);
}

#[test]
fn what_only_one_run_has_is_new_or_removed() {
    let mut none = one(Outcome::Fail);
    none.cases.clear();
    check(&none, &one(Outcome::Fail), VectorChange::New, 0);
    check(&one(Outcome::Fail), &none, VectorChange::Removed, 0);
}

#[test]
fn a_name_that_stands_twice_counts_once() {
    let mut twice = one(Outcome::Fail);
    twice.cases.push(one(Outcome::Pass).cases[0].clone());
    check(&one(Outcome::Fail), &twice, VectorChange::Same, 0);
    check(&twice, &one(Outcome::Fail), VectorChange::Same, 0);
}

#[test]
fn an_incomplete_run_leaves_it_undecided_unless_something_regressed() {
    let incomplete = |said| Report { complete: false, ..one(said) };
    check(&incomplete(Outcome::Pass), &one(Outcome::Pass), VectorChange::Same, 3);
    check(&one(Outcome::Pass), &incomplete(Outcome::Pass), VectorChange::Same, 3);
    check(&one(Outcome::Pass), &incomplete(Outcome::Fail), VectorChange::Regressed, 1);
}

#[test]
fn what_else_differs_is_said() {
    let before = made::passing();
    assert_eq!(Diff::of(&before, &before).differences, [""; 0]);
    let mut after = before.clone();
    after.target.version = "2".into();
    after.digests.model = "1".repeat(32);
    after.digests.vectors = "2".repeat(32);
    after.vectors.filters = vec!["lifetime".into()];
    after.strict = true;
    after.known = Some("known.yaml".into());
    after.harness = "9".into();
    let told = Diff::of(&before, &after).differences;
    for what in ["target", "vectors", "rules", "harness", "choice", "should", "list"] {
        assert!(told.iter().any(|line| line.contains(what)), "{what} is not in {told:?}");
    }
    assert_eq!(told.len(), 7, "{told:?}");
}

fn everything() -> Diff {
    let (mut before, mut after) = (made::every(), made::every());
    for (before, after) in before.cases.iter_mut().zip(&mut after.cases) {
        match before.verdict {
            Outcome::Pass => after.verdict = Outcome::Fail,
            Outcome::Fail => after.verdict = Outcome::Pass,
            Outcome::Differ => before.verdict = Outcome::Fail,
            Outcome::Broken | Outcome::NotRun => before.verdict = Outcome::Pass,
            Outcome::Unsupported => before.digest = "1".repeat(32),
            Outcome::Inconclusive => before.name = "lifetime/old".into(),
            _ => {}
        }
    }
    after.target.version = "2".into();
    Diff::of(&before, &after)
}

#[test]
fn what_people_read() {
    let text = anstream::adapter::strip_str(&text(&everything(), RenderOptions::default())).to_string();
    insta::assert_snapshot!(text);
    insta::assert_snapshot!(narrow(&markdown(&everything())));
}

#[test]
fn one_line_adds_up() {
    let diff = everything();
    let sum: usize = VectorChange::ALL.into_iter().map(|change| diff.counts[&change]).sum();
    assert_eq!((sum, diff.counts.values().sum::<usize>()), (13, 13));
    let told = diff.changes.len() + diff.counts[&VectorChange::Same];
    assert_eq!(told, 13);
}

#[test]
fn nobody_can_break_out_of_it() {
    let hostile = made::harmless();
    let diff = Diff::of(&made::every(), &hostile);
    let shown = anstream::adapter::strip_str(&text(&diff, RenderOptions::default())).to_string();
    assert_eq!(shown.lines().find(|line| visible(line) != *line), None);
    let page = markdown(&diff);
    check_inert(&page);
    assert!(page.len() < 1 << 17 && shown.len() < 1 << 17, "{} {}", page.len(), shown.len());
    serde_json::from_str::<serde_json::Value>(&diff.json()).unwrap();
}
