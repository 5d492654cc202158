//! Real-clock runs over every class of adversity, and what they must say.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, mutants};
use cosmos_ttl_simulation::bounds::{BOUNDS, classes};
use cosmos_ttl_simulation::soundness::{Row, mutant_number, row, run_faulty, run_right, seeds_for};
use cosmos_ttl_simulation::stores::EXCLUDED;

use crate::{STORES, class};

/// How many runs the test makes. `cargo lab soundness` makes more.
const RUNS: u64 = 3_100;

#[test]
fn no_verdict_is_wrong_within_the_bounds_and_outside_a_run_says_so() {
    let rows: Vec<Row> = classes().map(|class| row(&STORES, class, 0..seeds_for(RUNS)).unwrap()).collect();
    let violations: Vec<_> = rows.iter().flat_map(|row| [row.violations(), row.idle()].concat()).collect();
    let wrong = rows.iter().flat_map(|row| row.wrong.iter().map(move |wrong| (row.class, wrong)));
    assert!(violations.is_empty(), "{violations:#?}\n{:?}", wrong.collect::<Vec<_>>());
    let runs: usize = rows.iter().map(|row| row.runs).sum();
    assert!(RUNS <= u64::try_from(runs).unwrap(), "{runs} runs");
}

/// Or else a user would trust a failure that only the clock made.
#[test]
fn a_run_on_clocks_outside_the_bounds_remarks_on_the_clock() {
    // Where each session keeps to one server, only a failure makes the run look at others: the table counts those.
    for name in ["servers-apart", "drift-fast", "steps-again-and-again"] {
        let runs = (0..20).map(|seed| run_right(&STORES, class(name), seed).unwrap().unwrap());
        let remarked = runs.filter(|run| run.remarks.iter().any(|remark| remark.contains("clock"))).count();
        // Two servers of three may be so near that every look agrees.
        assert!(remarked >= 15, "{name}: {remarked} of 20 runs remark on the clock");
    }
    for seed in 0..20 {
        assert_eq!(run_right(&STORES, class("calm"), seed).unwrap().unwrap().remarks, Vec::<String>::new());
    }
}

/// A vector that can be judged is judged: at 100 ms of latency and the default budget almost all of them are.
#[test]
fn latency_of_100_ms_leaves_less_than_1_percent_of_the_vectors_inconclusive() {
    let row = row(&STORES, class("latency-exponential"), 0..100).unwrap();
    assert_eq!(row.runs, 200);
    assert!(row.inconclusive_permille() < 10, "{:?}", row.right);
}

#[test]
fn every_mutant_is_drawn_but_those_that_no_run_on_a_real_clock_can_notice() {
    let all: Vec<_> = mutants().collect();
    let noticed = parallel::map(&all, |mutant| STORES.notices(mutant)).unwrap();
    let left: Vec<_> = all.iter().zip(noticed).filter(|(_, is)| !is).map(|(mutant, _)| mutant.name).collect();
    assert_eq!(left, EXCLUDED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    assert_eq!(STORES.faulty.len(), all.len() - EXCLUDED.len());
}

/// Counts what the seeds draw in all classes together.
#[track_caller]
fn check_drawn(seeds: u64) {
    let (mut controls, mut vectors, mut faulty) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for class in classes() {
        let mut own = BTreeSet::new();
        for seed in 0..seeds {
            let hand = STORES.right(seed).unwrap();
            controls.insert(hand.name);
            own.extend(hand.vectors.iter().map(|vector| &vector.name));
            faulty.insert(STORES.faulty(mutant_number(class, seed)).unwrap().unwrap().name);
        }
        assert_eq!(own.len(), STORES.vectors.len(), "{}", class.name);
        vectors.extend(own);
    }
    assert_eq!(
        (controls.len(), vectors.len(), faulty.len()),
        (CONTROLS.len(), STORES.vectors.len(), STORES.faulty.len())
    );
}

#[test]
fn every_control_and_mutant_is_drawn_in_each_number_of_runs_and_every_vector_in_each_class() {
    check_drawn(seeds_for(RUNS));
    check_drawn(seeds_for(20_000));
}

#[test]
fn every_mutant_is_drawn_in_half_of_the_classes_of_a_full_run() {
    let mut drawn: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for class in classes() {
        for seed in 0..seeds_for(20_000) {
            let hand = STORES.faulty(mutant_number(class, seed)).unwrap().unwrap();
            drawn.entry(hand.name).or_default().insert(class.name);
        }
    }
    assert_eq!(drawn.len(), STORES.faulty.len());
    let (name, least) = drawn.iter().min_by_key(|(_, of)| of.len()).unwrap();
    assert!(classes().count() <= 2 * least.len(), "{name}: {} classes", least.len());
}

/// Or else nothing could be missed over an adverse network.
#[test]
fn every_mutant_that_is_drawn_is_noticed_on_the_calm_network() {
    let calm = class("calm");
    for seed in 0..u64::try_from(STORES.faulty.len()).unwrap() {
        let run = run_faulty(&STORES, calm, seed).unwrap().unwrap();
        let expected = if run.store == "ts-is-in-minutes" { "broke" } else { "nonconformant" };
        assert_eq!(run.conclusion.word(), expected, "{}: {:?}", run.store, run.results);
    }
}

#[test]
fn every_bound_has_a_class_within_it_and_classes_have_names_of_their_own() {
    for bound in BOUNDS {
        assert!(bound.classes.iter().any(|class| class.within_bounds), "{}", bound.what);
    }
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
    let good = row(&STORES, class("calm"), 0..2).unwrap();
    let outside = Row { within_bounds: false, ..good.clone() };
    check_violations(&good, &[]);
    check_violations(&outside, &[]);
    check_violations(
        &Row { false_fails: 1, unnoticed: 1, ..good.clone() },
        &["1 vectors fail a correct store"],
    );
    check_violations(&Row { nonconformant: 1, runs: 4, ..good.clone() }, &["1 of 2 faulty stores are found"]);
    check_violations(&Row { false_fails: 1, ..outside.clone() }, &[]);
    check_violations(&Row { unnoticed: 1, ..outside.clone() }, &["do not say that something is wrong"]);
    for row in [&good, &outside] {
        check_violations(&Row { false_passes: 1, ..row.clone() }, &["1 runs find a faulty store conformant"]);
        check_violations(&Row { late: 1, ..row.clone() }, &["1 runs take 10 s more than their budget"]);
        check_violations(&Row { runs: 0, ..row.clone() }, &["there are no runs"]);
    }
    let right =
        BTreeMap::from([(Outcome::Pass, 94), (Outcome::Inconclusive, 3), (Outcome::NotApplicable, 3)]);
    check_violations(&Row { right: right.clone(), ..outside }, &[]);
    check_violations(&Row { right, ..good.clone() }, &["60 of 1,000 vectors come to no verdict"]);
    check_violations(&Row { right: BTreeMap::new(), ..good.clone() }, &["no vector passes"]);
    check_violations(&Row { faulty: BTreeMap::new(), ..good }, &["no vector fails"]);
}
