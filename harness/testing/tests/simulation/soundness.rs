//! Real-clock runs over every class of adversity, and what they must say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, mutants};
use cosmos_ttl_testing::simulation::bounds::classes;
use cosmos_ttl_testing::simulation::soundness::{Row, mutant_number, row, run_faulty, run_right, seeds_for};
use cosmos_ttl_testing::simulation::stores::EXCLUDED;

use crate::{STORES, class};

/// Ten seeds of each class. The seeds of one class follow those of the class before, so that all together draw each control
/// and each vector. `cargo lab soundness` makes more runs.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let sample = |(number, class): (u64, _)| row(&STORES, class, 10 * number..10 * number + 10);
    (0..).zip(classes()).map(sample).collect()
});

fn row_of(class: &str) -> &'static Row {
    ROWS.iter().find(|row| row.class == class).unwrap()
}

#[test]
fn no_verdict_is_wrong_within_the_bounds_and_outside_a_run_says_so() {
    let violations: Vec<_> = ROWS.iter().flat_map(|row| [row.violations(), row.idle()].concat()).collect();
    let wrong = ROWS.iter().flat_map(|row| row.wrong.iter().map(move |wrong| (row.class, wrong)));
    assert!(violations.is_empty(), "{violations:#?}\n{:?}", wrong.collect::<Vec<_>>());
    assert!(ROWS.iter().all(|row| row.runs == 20));
}

#[test]
fn the_sample_has_each_control_and_each_vector() {
    let seeds = 0..10 * u64::try_from(classes().count()).unwrap();
    let hands: Vec<_> = seeds.map(|seed| STORES.right(seed)).collect();
    let controls: BTreeSet<_> = hands.iter().map(|hand| hand.name).collect();
    let vectors: BTreeSet<_> =
        hands.iter().flat_map(|hand| &hand.vectors).map(|vector| &vector.name).collect();
    assert_eq!((controls.len(), vectors.len()), (CONTROLS.len(), STORES.vectors.len()));
    let full = classes().flat_map(|class| (0..seeds_for(20_000)).map(move |seed| mutant_number(class, seed)));
    let mutants: BTreeSet<_> = full.map(|number| STORES.mutant(number).name).collect();
    assert_eq!(mutants.len(), STORES.faulty.len(), "a full run");
}

#[test]
fn a_right_store_is_undecided_in_less_than_one_run_of_a_hundred_within_the_bounds() {
    let within = || ROWS.iter().filter(|row| row.within_bounds);
    let undecided: Vec<_> = within().map(|row| (row.class, row.undecided)).filter(|(_, n)| 0 < *n).collect();
    let runs: usize = within().map(|row| row.runs / 2).sum();
    assert!(
        undecided.iter().map(|(_, n)| n * 100).sum::<usize>() < runs,
        "of {runs} runs are undecided: {undecided:?}"
    );
}

/// Or else a user would trust a failure that only the clock made.
#[test]
fn a_run_on_clocks_outside_the_bounds_remarks_on_the_clock() {
    // Where each session keeps to one server, only a failure makes the run look at others: the table counts those.
    for name in ["servers-apart", "drift-fast", "steps-again-and-again"] {
        let runs = (0..8).map(|seed| run_right(&STORES, class(name), seed));
        let remarked = runs.filter(|run| run.remarks.iter().any(|remark| remark.contains("clock"))).count();
        // Two servers of three may be so near that every look agrees.
        assert!(remarked >= 6, "{name}: {remarked} of 8 runs remark on the clock");
    }
    for seed in 0..8 {
        assert_eq!(run_right(&STORES, class("calm"), seed).remarks, Vec::<String>::new());
    }
}

/// A vector that can be judged is judged: at 100 ms of latency and the default budget almost all of them are.
#[test]
fn latency_of_100_ms_leaves_less_than_1_percent_of_the_vectors_inconclusive() {
    let runs = (0..17).map(|seed| run_right(&STORES, class("latency-exponential"), seed));
    let outcomes: Vec<_> = runs.flat_map(|run| run.results).map(|(_, outcome, _)| outcome).collect();
    let inconclusive = outcomes.iter().filter(|outcome| **outcome == Outcome::Inconclusive).count();
    assert!(inconclusive * 100 < outcomes.len(), "{inconclusive} of {}", outcomes.len());
}

#[test]
fn no_run_on_a_real_clock_can_notice_the_mutants_that_are_left_out() {
    for (name, why) in EXCLUDED {
        let mutant = mutants().find(|mutant| mutant.name == *name).unwrap();
        assert!(!STORES.notices(mutant), "{name}: {why}");
    }
    assert_eq!(STORES.faulty.len(), mutants().count() - EXCLUDED.len());
}

/// Or else nothing could be missed over an adverse network.
#[test]
fn a_mutant_that_is_drawn_is_noticed_on_the_calm_network() {
    let calm = class("calm");
    for seed in (0..u64::try_from(STORES.faulty.len()).unwrap()).step_by(16) {
        let run = run_faulty(&STORES, calm, seed);
        let expected = if run.store == "ts-is-in-minutes" { "broke" } else { "nonconformant" };
        assert_eq!(run.conclusion.word(), expected, "{}: {:?}", run.store, run.results);
    }
}

#[test]
fn classes_have_names_of_their_own() {
    let names: BTreeSet<_> = classes().map(|class| class.name).collect();
    assert_eq!(names.len(), classes().count());
    assert_eq!(classes().filter(|class| !class.within_bounds).count(), 5);
}

#[track_caller]
fn check_violations(row: &Row, expected: &[&str]) {
    let said = [row.violations(), row.idle()].concat();
    assert_eq!(said.len(), expected.len(), "{said:?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_row_with_a_wrong_verdict_or_without_any_verdict_is_a_violation() {
    let good = row_of("calm");
    let outside = Row { within_bounds: false, ..good.clone() };
    check_violations(good, &[]);
    check_violations(&outside, &[]);
    check_violations(
        &Row { false_fails: 1, unnoticed: 1, ..good.clone() },
        &["1 vectors fail a correct store"],
    );
    check_violations(&Row { nonconformant: 1, runs: 4, ..good.clone() }, &["1 of 2 faulty stores are found"]);
    check_violations(&Row { false_fails: 1, ..outside.clone() }, &[]);
    check_violations(&Row { unnoticed: 1, ..outside.clone() }, &["do not say that something is wrong"]);
    for row in [good, &outside] {
        check_violations(&Row { false_passes: 1, ..row.clone() }, &["1 runs find a faulty store conformant"]);
        check_violations(&Row { late: 1, ..row.clone() }, &["1 runs take 10 s more than their budget"]);
        check_violations(&Row { runs: 0, ..row.clone() }, &["there are no runs"]);
    }
    let right =
        BTreeMap::from([(Outcome::Pass, 94), (Outcome::Inconclusive, 3), (Outcome::NotApplicable, 3)]);
    check_violations(&Row { right: right.clone(), ..outside }, &[]);
    check_violations(&Row { right, ..good.clone() }, &["60 of 1,000 vectors come to no verdict"]);
    check_violations(&Row { right: BTreeMap::new(), ..good.clone() }, &["no vector passes"]);
    check_violations(&Row { faulty: BTreeMap::new(), ..good.clone() }, &["no vector fails"]);
}
