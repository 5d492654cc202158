//! Two oracles: an expectation stands only if the model and a store that was written without it both agree, whatever
//! they choose where they may, under either edition, and however late anything is removed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod common;

use common::choices::{COUNT, In, numbered, reference};
use common::{check_passes, run_all, suite};
use cosmos_ttl_harness::target::Edition;
use cosmos_ttl_harness::targets::mutants::Naive;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::VerdictKind;

#[test]
fn every_vector_agrees_with_the_model_whatever_that_chooses() {
    let suite = suite();
    for number in 0..COUNT {
        for edition in [Edition::Y2020, Edition::Y2024] {
            check_passes(&In(edition, reference(numbered(number).0)), &suite);
        }
    }
}

#[test]
fn every_vector_agrees_with_the_naive_store_whatever_that_chooses() {
    let suite = suite();
    for number in 0..COUNT {
        let target = Naive { choices: numbered(number).1, ..Naive::default() };
        for edition in [Edition::Y2020, Edition::Y2024] {
            check_passes(&In(edition, target), &suite);
        }
    }
}

/// The derived vectors meet two choices only; each choice alone, none and all together are enough of them.
fn few() -> impl Iterator<Item = u8> {
    (0..7).map(|bit| 1 << bit).chain([0, COUNT - 1])
}

/// The derived vectors instead of the others.
fn derived() -> Suite {
    let mut suite = suite();
    suite.vectors = std::mem::take(&mut suite.derived);
    suite
}

#[test]
fn every_derived_vector_agrees_with_the_model_whatever_that_chooses() {
    let suite = derived();
    for number in few() {
        for edition in [Edition::Y2020, Edition::Y2024] {
            check_passes(&In(edition, reference(numbered(number).0)), &suite);
        }
    }
}

#[test]
fn every_derived_vector_agrees_with_the_naive_store_whatever_that_chooses() {
    let suite = derived();
    for number in few() {
        let target = Naive { choices: numbered(number).1, ..Naive::default() };
        for edition in [Edition::Y2020, Edition::Y2024] {
            check_passes(&In(edition, target), &suite);
        }
    }
}

#[test]
fn both_are_seen_to_choose_the_same() {
    let suite = suite();
    for number in 0..COUNT {
        let (interpretation, choices) = numbered(number);
        let model = run_all(&reference(interpretation), &suite);
        let naive = run_all(&Naive { choices, ..Naive::default() }, &suite);
        for (model, naive) in model.results.iter().zip(&naive.results) {
            assert_eq!(model.choices, naive.choices, "{}", model.vector.name);
        }
    }
}

#[test]
fn the_two_together_apply_every_vector() {
    let suite = suite().with_derived();
    let run = run_all(&Naive::default(), &suite);
    assert!(run.results.iter().all(|result| result.verdict.kind() == VerdictKind::Pass));
}
