//! Exploration skips the differences that the user excludes, and finds the next one.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::{ExploreOptions, LeftOut, SearchResult, next_seed, search_but};
use cosmos_ttl_mutants::named;
use cosmos_ttl_testing::suite;

fn searched(left_out: &LeftOut, steps: u64) -> SearchResult {
    let options = ExploreOptions { seed: 1, steps, stop: &AtomicBool::new(false) };
    search_but(&named("one-second-late").unwrap(), suite(), &options, 500, true, left_out).unwrap()
}

fn clauses(result: &SearchResult) -> BTreeSet<String> {
    let (_, shown) = result.shown.as_ref().unwrap();
    shown.written.as_ref().unwrap().vector.clauses.iter().cloned().collect()
}

/// What is found where nothing is left out.
static FIRST: LazyLock<BTreeSet<String>> = LazyLock::new(|| clauses(&searched(&LeftOut::default(), 3_000)));

#[test]
fn a_clause_that_is_left_out_is_not_shown_again() {
    let left_out = LeftOut { clauses: FIRST.clone(), ..LeftOut::default() };
    let second = searched(&left_out, 1_000);
    assert!(second.explored.left_out > 0);
    assert!(second.shown.is_none() || clauses(&second).is_disjoint(&FIRST));
}

#[test]
fn a_difference_of_which_a_known_vector_cites_every_clause_is_passed_by() {
    let left_out = LeftOut { known: vec![FIRST.clone()], ..LeftOut::default() };
    let second = searched(&left_out, 3_000);
    assert!(second.explored.left_out > 0);
    assert!(!clauses(&second).is_subset(&FIRST));
}

#[test]
fn explorations_from_neighbouring_seeds_share_no_session() {
    let mut seen = BTreeSet::new();
    for seed in 1..=10 {
        let seeds = std::iter::successors(Some(seed), |seed| Some(next_seed(*seed)));
        for session in seeds.take(2_000) {
            assert!(seen.insert(session), "seed {seed} plays session {session} too");
        }
    }
}
