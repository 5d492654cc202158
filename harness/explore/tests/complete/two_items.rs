//! The suite of two items, and what it says of stores.

use cosmos_ttl_explore::complete::{CompleteOptions, CompleteSuite, Completion, Depth, Machine, complete};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{Fault, Removal, Target};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_mutants::named;

use crate::{SUITE, played};
use cosmos_ttl_testing::one_removal::OneRemoval;

fn two_played(target: &dyn Target) -> Completion {
    let options = CompleteOptions { replays: 500, ..CompleteOptions::two_items() };
    complete(target, &SUITE, &options).unwrap()
}

/// `cargo test -p cosmos-ttl-lab --test deep` plays it under every schedule of removal.
#[test]
fn the_reference_passes_and_every_test_is_played_to_its_end() {
    let done = two_played(&OneRemoval(&Reference::default(), Removal::Alternate));
    assert!(done.found.is_none() && done.shoulds.is_empty() && done.unconfirmed.is_empty());
    assert_eq!((done.is_whole(), done.cut), (true, 0));
    assert_eq!((done.items, done.longest_s, done.size), (2, 1, [108, 182, 38]));
    assert_eq!(done.schedules.iter().map(|one| one.distinct).collect::<Vec<_>>(), [77]);
    assert!(
        done.statement()
            .is_some_and(|sentence| sentence.contains("unless it has states beyond those of the model"))
    );
}

#[test]
fn a_mutant_is_found_that_no_test_of_one_item_finds() {
    let store = named("items-return-to-queries-only").unwrap();
    let mutant = OneRemoval(&store, Removal::Never);
    let one = played(&mutant);
    assert!(one.found.is_none() && one.shoulds.is_empty());
    assert!(two_played(&mutant).found.is_some_and(|found| found.written.is_ok()));
}

#[test]
fn two_items_take_depth_0_and_lifetimes_of_a_second() {
    let two = CompleteOptions::two_items();
    for options in [
        CompleteOptions { depth: Depth(1), ..two },
        CompleteOptions { longest_s: 2, ..two },
        CompleteOptions { items: 3, ..two },
        CompleteOptions { items: 0, ..two },
    ] {
        let refused = complete(&Reference::default(), &SUITE, &options);
        assert!(matches!(refused, Err(Fault::Misuse(_))), "{options:?}");
    }
}

#[test]
fn tests_are_counted_as_they_are_made() {
    let machine = Machine::of_two(Preferences::default());
    let suite = CompleteSuite::new(&machine, Depth(0));
    let mut made = 0;
    suite.each(&mut |_| {
        made += 1;
        true
    });
    assert_eq!(suite.count(), made);
}
