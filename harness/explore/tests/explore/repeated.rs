//! The same seed does the same, and what was found can be found again by itself.

use cosmos_ttl_explore::{Action, Counterexample, play};
use cosmos_ttl_mutants::named;

use crate::explored;
use cosmos_ttl_testing::suite;

#[test]
fn the_same_seed_does_the_same() {
    let target = named("right").unwrap();
    assert_eq!(explored(&target, 7, 3_000).coverage, explored(&target, 7, 3_000).coverage);
    assert_ne!(explored(&target, 7, 3_000).coverage, explored(&target, 8, 3_000).coverage);
}

#[test]
fn a_difference_is_found_again_from_the_seed_of_its_place_alone() {
    for name in ["one-second-late", "conditions-are-ignored", "settings-touch-ts", "off-honours-own-ttl"] {
        let target = named(name).unwrap();
        let found = explored(&target, 1, 10_000).found.unwrap();
        let again = explored(&target, found.seed, 100).found.unwrap();
        assert_eq!(again.script, found.script, "{name}");
        let differs = play(&target, &found.script, found.removal).unwrap();
        assert_eq!(differs.as_ref(), Some(&found.differs), "{name}");
    }
}

/// Checks that the difference of this mutant shrinks to at most this number of actions, and to a vector about this
/// clause.
#[track_caller]
fn check(name: &str, most: usize, clause: &str) {
    let target = named(name).unwrap();
    let found = explored(&target, 1, 10_000).found.unwrap();
    let smallest = Counterexample::of(&target, suite(), &found, 4_000).unwrap();
    let actions = &smallest.script.actions;
    assert!(actions.len() <= most, "{name}: {actions:#?}");
    assert!(actions.iter().any(|one| matches!(one, Action::Call(_))));
    let clauses = smallest.written.unwrap().vector.clauses;
    assert!(clauses.iter().any(|cited| cited == clause), "{name}: {clauses:?}");
}

#[test]
fn what_is_found_becomes_a_small_vector_about_the_clause_that_is_broken() {
    check("one-second-late", 4, "gone-at-deadline");
    check("item-zero-is-at-once", 3, "item-zero-rejected");
}
