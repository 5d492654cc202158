//! Exploration skips the differences that the user excludes, and finds the next one.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::{ExploreOptions, LeftOut, SearchResult, next_seed, search_but};
use cosmos_ttl_mutants::named;
use cosmos_ttl_testing::suite;

fn searched(left_out: &LeftOut, steps: u64) -> SearchResult {
    let options = ExploreOptions { seed: 1, steps, stop: &AtomicBool::new(false) };
    search_but(&named("one-second-late").unwrap(), &suite(), &options, 500, true, left_out).unwrap()
}

fn clauses(result: &SearchResult) -> BTreeSet<String> {
    let (_, shown) = result.shown.as_ref().unwrap();
    shown.written.as_ref().unwrap().vector.clauses.iter().cloned().collect()
}

#[test]
fn a_clause_that_is_left_out_is_not_shown_again() {
    let first = searched(&LeftOut::default(), 3_000);
    let clauses_left_out = clauses(&first);
    let left_out = LeftOut { clauses: clauses_left_out.clone(), ..LeftOut::default() };
    let second = searched(&left_out, 3_000);
    assert!(second.explored.left_out > 0);
    assert!(second.shown.is_none() || clauses(&second).is_disjoint(&clauses_left_out));
}

#[test]
fn a_difference_of_which_a_known_vector_cites_every_clause_is_passed_by() {
    let known = vec![clauses(&searched(&LeftOut::default(), 3_000))];
    let left_out = LeftOut { known: known.clone(), ..LeftOut::default() };
    let second = searched(&left_out, 3_000);
    assert!(second.explored.left_out > 0);
    assert!(!clauses(&second).is_subset(&known[0]));
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
