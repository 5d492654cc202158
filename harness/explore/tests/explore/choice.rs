//! A choice that binds the target is held across all places.

use cosmos_ttl_explore::Counterexample;

use crate::explored;
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
