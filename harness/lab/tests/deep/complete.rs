//! The complete suites against many stores, and at greater depths.

use cosmos_ttl_explore::complete::{CompleteOptions, Completion, Depth, complete};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{Removal, Target};
use cosmos_ttl_mutants::{CONTROLS, named};
use cosmos_ttl_testing::one_removal::OneRemoval;
use cosmos_ttl_testing::suite;

fn played(target: &dyn Target) -> Completion {
    complete(target, suite(), &CompleteOptions::new(Depth(0))).unwrap()
}

fn two_played(target: &dyn Target) -> Completion {
    let options = CompleteOptions { replays: 500, ..CompleteOptions::two_items() };
    complete(target, suite(), &options).unwrap()
}

/// Stores that choose for each item. Some of their choices lead out of the machine, and nothing is proved of them.
const CHOOSE_FOR_EACH_ITEM: [&str; 3] =
    ["whole-fractions-taken-for-some", "anything-kept-while-off-for-some", "kept-values-are-never-for-some"];

#[test]
fn no_control_is_accused_and_each_is_tested_to_the_end_unless_it_chooses_for_each_item() {
    for control in CONTROLS.iter() {
        let done = played(&control.store);
        assert!(done.found.is_none() && done.shoulds.is_empty(), "{}: {:?}", control.name, done.found);
        assert_eq!(done.unconfirmed, Vec::<String>::new(), "{}", control.name);
        let is_cut = CHOOSE_FOR_EACH_ITEM.contains(&control.name);
        assert_eq!((done.is_whole(), done.cut > 0), (!is_cut, is_cut), "{}", control.name);
    }
}

#[test]
fn every_test_of_depth_1_is_played_to_its_end() {
    let done = complete(
        &OneRemoval(&Reference::default(), Removal::Never),
        suite(),
        &CompleteOptions { longest_s: 1, ..CompleteOptions::new(Depth(1)) },
    )
    .unwrap();
    assert!(
        done.is_whole() && done.found.is_none() && done.shoulds.is_empty() && done.unconfirmed.is_empty()
    );
    assert_eq!(done.cut, 0);
}

#[test]
fn two_items_of_the_reference_pass_and_every_test_is_played_to_its_end() {
    let done = two_played(&Reference::default());
    assert!(done.found.is_none() && done.shoulds.is_empty() && done.unconfirmed.is_empty());
    assert_eq!((done.is_whole(), done.cut, done.schedules.len()), (true, 0, 3));
    assert_eq!((done.items, done.longest_s, done.size), (2, 1, [108, 182, 38]));
    assert_eq!(done.schedules.iter().map(|one| one.distinct).collect::<Vec<_>>(), [108, 77, 77]);
}

#[test]
fn two_items_of_right_stores_that_choose_otherwise_pass() {
    for name in
        ["every-other-choice", "expiry-latched-for-some", "batches-blame-the-last-refused-now-and-then"]
    {
        let control = CONTROLS.iter().find(|control| control.name == name).unwrap();
        let done = two_played(&OneRemoval(&control.store, Removal::Alternate));
        assert!(done.found.is_none() && done.shoulds.is_empty(), "{name}: {:?}", done.found);
        assert_eq!((done.unconfirmed.as_slice(), done.is_whole()), (&[][..], true), "{name}");
    }
}

#[test]
fn a_mutant_is_found_that_no_test_of_one_item_finds() {
    let mutant = named("items-return-to-queries-only").unwrap();
    let one = played(&mutant);
    assert!(one.found.is_none() && one.shoulds.is_empty());
    assert!(two_played(&mutant).found.is_some_and(|found| found.written.is_ok()));
}
