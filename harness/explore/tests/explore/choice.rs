//! A choice that binds the target is held across all places.

use std::sync::Arc;

use cosmos_ttl_explore::real_time::search;
use cosmos_ttl_explore::{Counterexample, ExploreOptions};

use crate::explored;
use crate::real_time::{Running, options};
use cosmos_ttl_simulation::time::SimulatedTime;
use cosmos_ttl_testing::suite;
use cosmos_ttl_testing::wrong::Fickle;

#[test]
fn whoever_takes_null_here_and_refuses_it_there_is_found_and_both_places_are_shown() {
    let target = Fickle::default();
    let found = explored(&target, 1, 10_000).found.unwrap();
    let chosen = found.beside.as_ref().unwrap();
    assert!(chosen.seed < found.seed && found.differs.expected.contains("chose before"));
    let smallest = Counterexample::of(&target, suite(), &found, 4_000).unwrap();
    let [.., earlier] = smallest.beside.as_slice() else { panic!("{smallest:#?}") };
    let [.., later] = smallest.exchanges.as_slice() else { panic!("{smallest:#?}") };
    assert!(smallest.beside.len() <= 2 && smallest.exchanges.len() <= 2, "{smallest:#?}");
    assert_ne!(earlier.response.status.is_success(), later.response.status.is_success());
    assert!(smallest.written.unwrap_err().contains("two places"));

    // What is printed to repeat it does, from the first of both places on.
    let steps = found.after - chosen.before;
    let again = explored(&Fickle::default(), chosen.seed, steps).found.unwrap();
    assert_eq!((again.seed, again.beside.unwrap().seed), (found.seed, chosen.seed));
}

#[test]
fn the_same_holds_on_a_clock_that_runs_by_itself() {
    let time = Arc::new(SimulatedTime::default());
    let target = Running { time: time.clone(), inner: Fickle::default() };
    let options = ExploreOptions { steps: 4_000, ..options(1) };
    let outcome = search(time.as_ref(), &target, suite(), &options, 600, true).unwrap();
    let Some((_, smallest)) = &outcome.shown else { panic!("{outcome:#?}") };
    assert!(!smallest.beside.is_empty() && smallest.differs.expected.contains("chose before"));
}
