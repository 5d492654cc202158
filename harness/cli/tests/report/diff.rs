//! The differences between two runs.

use cosmos_ttl::report::diff::{Diff, VectorChange, markdown, text};
use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::{Outcome, Report};
use cosmos_ttl_harness::plain::visible;

use crate::forms::check_inert;
use crate::made;

/// A report of one vector with this verdict.
fn one(said: Outcome) -> Report {
    let mut report = Report { complete: true, incomplete: None, ..made::every() };
    report.cases.retain(|case| case.verdict == said);
    report.cases[0].name = "lifetime/one".into();
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
fn a_vector_that_is_another_has_not_regressed() {
    let (pass, fail) = (one(Outcome::Pass), one(Outcome::Fail));
    let mut changed = fail.clone();
    changed.cases[0].failure.as_mut().unwrap().signature = "at second 9: another".into();
    check(&fail, &changed, VectorChange::Changed, 0);
    let mut redefined = fail.clone();
    redefined.cases[0].digest = "1".repeat(32);
    check(&pass, &redefined, VectorChange::Redefined, 0);
    let mut none = fail.clone();
    none.cases.clear();
    check(&none, &fail, VectorChange::New, 0);
    check(&fail, &none, VectorChange::Removed, 0);
    let mut twice = fail.clone();
    twice.cases.push(pass.cases[0].clone());
    check(&fail, &twice, VectorChange::Same, 0);
    let incomplete = |report: &Report| Report { complete: false, ..report.clone() };
    check(&incomplete(&pass), &pass, VectorChange::Same, 3);
    check(&pass, &incomplete(&fail), VectorChange::Regressed, 1);
}

#[test]
fn what_else_differs_is_said() {
    let before = made::passing();
    assert_eq!(Diff::of(&before, &before).differences, [""; 0]);
    let mut after = Report { strict: true, known: Some("known.yaml".into()), ..before.clone() };
    (after.target.version, after.harness) = ("2".into(), "9".into());
    (after.digests.model, after.digests.vectors) = ("1".repeat(32), "2".repeat(32));
    after.vectors.filters = vec!["lifetime".into()];
    let told = Diff::of(&before, &after).differences;
    for what in ["target", "vectors", "rules", "harness", "choice", "should", "list"] {
        assert!(told.iter().any(|line| line.contains(what)), "{what} is not in {told:?}");
    }
}

#[test]
fn a_comparison_reads_so_and_adds_up() {
    let (mut before, mut after) = (made::every(), made::every());
    for (before, after) in before.cases.iter_mut().zip(&mut after.cases) {
        match before.verdict {
            Outcome::Pass => after.verdict = Outcome::Fail,
            Outcome::Fail => after.verdict = Outcome::Pass,
            Outcome::Broken | Outcome::NotRun => before.verdict = Outcome::Pass,
            Outcome::Unsupported => before.digest = "1".repeat(32),
            Outcome::Inconclusive => before.name = "lifetime/old".into(),
            _ => {}
        }
    }
    after.target.version = "2".into();
    let diff = Diff::of(&before, &after);
    assert_eq!(diff.changes.len() + diff.counts[&VectorChange::Same], diff.counts.values().sum::<usize>());
    let text = anstream::adapter::strip_str(&text(&diff, RenderOptions::default())).to_string();
    insta::assert_snapshot!("diff", text);
    check_inert(&markdown(&diff));
}

#[test]
fn nobody_can_break_out_of_it() {
    for (name, report) in made::from_outside() {
        let diff = Diff::of(&made::every(), &report);
        let shown = anstream::adapter::strip_str(&text(&diff, RenderOptions::default())).to_string();
        assert_eq!(shown.lines().find(|line| visible(line) != *line), None, "{name}");
        let page = markdown(&diff);
        check_inert(&page);
        assert!(page.len() < 1 << 17 && shown.len() < 1 << 17, "{} {}", page.len(), shown.len());
        serde_json::from_str::<serde_json::Value>(&diff.json()).unwrap();
    }
}
