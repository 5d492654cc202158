//! Vectors that must pass, and vectors that must load and fail: the verdict of each against each target.

use std::collections::BTreeSet;

use super::files::{Case, cases};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Status, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_reference::Reference;
use cosmos_ttl_testing::scratch;
use cosmos_ttl_testing::wrong::{AlwaysNo, AlwaysYes, ExpiresAtOnce};

/// The targets by what the heads call them. Two are right.
pub(crate) fn targets() -> Vec<(&'static str, Box<dyn Target>)> {
    vec![
        ("right", Box::new(Reference::default())),
        ("right", Box::new(IndependentStore::default())),
        ("always yes", Box::new(AlwaysYes)),
        ("always no", Box::new(AlwaysNo(Status::BadRequest))),
        ("never expires", Box::new(named("nothing-expires").unwrap().store)),
        ("expires at once", Box::new(ExpiresAtOnce)),
    ]
}

/// `pass`, or `fail` and the words.
fn said(verdict: &Verdict) -> String {
    match verdict.reason() {
        Some(reason) => format!("{} {reason}", verdict.outcome().word()),
        None => verdict.outcome().word().into(),
    }
}

/// What each target comes to, where it is not what the head says.
fn wrong(case: &Case) -> Vec<String> {
    let directory = scratch("runner", &[("lifetime.yaml", case.text.as_bytes())]);
    let suite = Suite::load(&directory).unwrap_or_else(|flaw| panic!("{}: {flaw}", case.name));
    let names: Vec<_> = suite.vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names, [format!("lifetime/{}", case.name)], "one vector a file, called as the file");
    let mut wrong = Vec::new();
    for (name, target) in targets() {
        let run = run_virtual(target.as_ref(), &[&suite.vectors[0]]).unwrap();
        let verdict = said(&run.results[0].verdict);
        let expected: Vec<_> = case.head.iter().filter(|(key, _)| key == name).collect();
        if !matches!(expected[..], [(_, said)] if *said == verdict) {
            wrong.push(format!("{}, {name}: {verdict}", case.name));
        }
    }
    let known: BTreeSet<_> = targets().into_iter().map(|(name, _)| name).collect();
    let strange = case.head.iter().filter(|(key, _)| !known.contains(key.as_str()));
    wrong.extend(strange.map(|(key, _)| format!("{}: there is no target `{key}`", case.name)));
    wrong
}

/// What the heads say of this target.
fn heads<'a>(cases: &'a [Case], target: &'a str) -> impl Iterator<Item = &'a str> {
    let heads = cases.iter().flat_map(|case| &case.head);
    heads.filter(move |(key, _)| key == target).map(|(_, verdict)| verdict.as_str())
}

#[track_caller]
fn check(directory: &str, right: fn(&str) -> bool) {
    let cases = cases(directory);
    let wrong: Vec<_> = cases.iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(heads(&cases, "right").all(right));
}

#[test]
fn vectors_that_must_pass_pass_where_all_is_right() {
    check("must-pass", |verdict| verdict == "pass");
}

#[test]
fn vectors_that_must_fail_load_and_fail_where_all_is_right() {
    check("must-fail", |verdict| verdict.starts_with("fail at second "));
}

#[test]
fn no_vector_that_must_pass_passes_whoever_is_asked() {
    for case in cases("must-pass") {
        let fails = case.head.iter().any(|(_, verdict)| verdict.starts_with("fail "));
        assert!(fails, "{} shows nothing", case.name);
    }
}

#[test]
fn the_runner_does_not_fail_a_target_for_its_name() {
    let cases: Vec<_> = ["must-pass", "must-fail"].into_iter().flat_map(cases).collect();
    for target in ["right", "always yes", "never expires"] {
        assert!(heads(&cases, target).any(|verdict| verdict == "pass"), "{target} passes nothing");
    }
    for (target, _) in targets() {
        assert!(heads(&cases, target).any(|verdict| verdict != "pass"), "{target} fails nothing");
    }
}

#[test]
fn a_head_that_is_wrong_or_left_out_is_noticed() {
    let change = |from: &str, to: &str| {
        let mut case = cases("must-pass").remove(0);
        let before = case.head.len();
        case.head.retain(|(key, _)| key != from);
        assert_eq!(case.head.len() + 1, before);
        if !to.is_empty() {
            case.head.push((from.into(), to.into()));
        }
        wrong(&case)
    };
    for (target, verdict) in
        [("right", "fail"), ("always no", "pass"), ("always no", "fail at second 1"), ("always yes", "")]
    {
        assert!(!change(target, verdict).is_empty(), "{target}: {verdict}");
    }
}
