//! Two oracles: an expectation stands only if the model and the independent store both agree, whatever they choose where they
//! may, and however late anything is removed.

use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::verdict::{Choice, Outcome};
use cosmos_ttl_mutants::IndependentStore;
use cosmos_ttl_testing::choices::{COUNT, numbered, reference};
use cosmos_ttl_testing::{check_run_passes, run_all};

use crate::matrix::SUITE;

/// An oracle agrees with every vector. Returns which choices each vector saw.
#[track_caller]
fn check_oracle(target: &impl Target) -> Vec<(String, Vec<Choice>)> {
    let run = run_all(target, &SUITE);
    check_run_passes(&run, &SUITE);
    run.results.into_iter().map(|result| (result.vector.name.clone(), result.choices)).collect()
}

#[test]
fn every_vector_agrees_with_both_oracles_and_sees_the_same_choices() {
    // None, each alone, all, and some together.
    let numbers = (0..8).map(|bit| 1 << bit).chain((0..COUNT).step_by(15));
    for number in numbers {
        let (preferences, choices) = numbered(number);
        let of_model = check_oracle(&reference(preferences));
        let of_store = check_oracle(&IndependentStore { choices, ..IndependentStore::default() });
        assert_eq!(of_model, of_store, "{number:#b}");
    }
}

#[test]
fn every_vector_applies_to_the_independent_store() {
    let run = run_all(&IndependentStore::default(), &SUITE);
    assert!(run.results.iter().all(|result| result.verdict.outcome() == Outcome::Pass));
}
