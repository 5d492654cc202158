//! Two oracles: an expectation stands only if the model and a store that was written without it both agree, whatever
//! they choose where they may, under either edition, and however late anything is removed.

mod both;

use std::convert::Infallible;

use both::{both, side_by_side};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::{Edition, Removal, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::{Choice, Outcome, Verdict};
use cosmos_ttl_mutants::IndependentStore;
use cosmos_ttl_testing::choices::{COUNT, In, numbered, reference};
use cosmos_ttl_testing::{GOOD, check_run_passes, run_all, scratch};

use crate::matrix::SUITE;

const EDITIONS: [Edition; 2] = [Edition::Y2020, Edition::Y2024];

const REMOVALS: [Removal; 3] = [Removal::Never, Removal::Eager, Removal::Alternate];

/// The first vector that the target fails, with what it expects and what both oracles answer, if there is one.
fn first_difference(run: &Run<'_>, choices: u16, edition: Edition) -> Option<String> {
    run.results.iter().find_map(|result| match &result.verdict {
        Verdict::Fail(failure) => {
            let removal = failure.removal.unwrap_or(Removal::Never);
            let both = side_by_side(result.vector, choices, edition, removal);
            Some(format!("{} fails: {failure}\n{both}", run.about.name))
        }
        _ => None,
    })
}

/// An oracle agrees with every vector; where not, both are shown. Returns which choices each vector saw.
#[track_caller]
fn check_oracle(
    target: impl Target,
    suite: &Suite,
    choices: u16,
    edition: Edition,
) -> Vec<(String, Vec<Choice>)> {
    let target = In(edition, target);
    let run = run_all(&target, suite);
    if let Some(difference) = first_difference(&run, choices, edition) {
        panic!("{difference}");
    }
    check_run_passes(&run, suite);
    run.results.into_iter().map(|result| (result.vector.name.clone(), result.choices)).collect()
}

/// Both answer every request alike.
#[track_caller]
fn check_alike(vectors: &[Vector], choices: u16) {
    for vector in vectors {
        for edition in EDITIONS.into_iter().filter(|edition| vector.edition.is_none_or(|own| own == *edition))
        {
            for removal in REMOVALS {
                let answers = both(vector, choices, edition, removal);
                let alike = answers.iter().all(|[model, naive]| model == naive);
                assert!(alike, "{}", side_by_side(vector, choices, edition, removal));
            }
        }
    }
}

#[test]
fn both_answer_every_request_of_every_vector_alike() {
    for number in few() {
        check_alike(&SUITE.vectors, number);
    }
}

#[test]
fn a_wrong_expectation_is_shown_with_what_both_answer() {
    let wrong = GOOD[1].1.replace("at: 10", "at: 9");
    assert_ne!(wrong, GOOD[1].1);
    let suite = Suite::load(&scratch("oracles", &[("lifetime.yaml", wrong.as_bytes())])).unwrap();
    let run = run_all(&In(Edition::Y2024, reference(numbered(0).0)), &suite);
    insta::assert_snapshot!(first_difference(&run, 0, Edition::Y2024).unwrap());
}

/// Both oracles agree with every vector, and the same choices are seen of both.
#[track_caller]
fn check_choices(suite: &Suite, number: u16, editions: &[Edition]) {
    let (preferences, choices) = numbered(number);
    let naive = IndependentStore { choices, ..IndependentStore::default() };
    for edition in editions.iter().copied() {
        let of_model = check_oracle(reference(preferences), suite, number, edition);
        let of_naive = check_oracle(naive, suite, number, edition);
        assert_eq!(of_model, of_naive);
    }
}

#[test]
fn every_vector_agrees_with_both_oracles_whatever_they_choose() {
    let numbers: Vec<u16> = (0..COUNT).collect();
    let checked = parallel::map(&numbers, |number| {
        let editions =
            if few().any(|one| one == *number) { &EDITIONS[..] } else { in_turn(number.count_ones()) };
        check_choices(&SUITE, *number, editions);
        Ok::<_, Infallible>(())
    });
    assert_eq!(checked.unwrap().len(), 256);
}

/// One edition. In turn by the number of choices that differ from the usual ones, each edition meets every seven choices.
fn in_turn(number: u32) -> &'static [Edition] {
    if number.is_multiple_of(2) { &EDITIONS[..1] } else { &EDITIONS[1..] }
}

/// Each choice alone, none, and all together.
fn few() -> impl Iterator<Item = u16> {
    (0..8).map(|bit| 1 << bit).chain([0, COUNT - 1])
}

#[test]
fn every_vector_applies_to_the_independent_store() {
    let run = run_all(&IndependentStore::default(), &SUITE);
    assert!(run.results.iter().all(|result| result.verdict.outcome() == Outcome::Pass));
}
