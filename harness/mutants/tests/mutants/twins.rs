//! Mutants that nobody can tell from a right store: of all that can happen to both of them, nothing tells.

use crate::product::Product;
use crate::product::moves::{Scope, one_item, two_items};
use cosmos_ttl_mutants::{Mutant, mutants, named};

/// Explores the product to its end, and says how many states it has.
#[track_caller]
fn check_equal(mutant: &Mutant, scope: &Scope) -> usize {
    assert!(mutant.store().is_decided_by_state(), "{} remembers more than its state", mutant.name);
    let name = format!("{}, {}", mutant.name, scope.name);
    let mut states = 0;
    for removal in scope.removals {
        let explored = Product::of(mutant.store(), scope, *removal);
        assert!(explored.difference.is_none(), "{name}, {removal}: {:#?}", explored.difference);
        assert_eq!(explored.unsound, None, "{name}, {removal}");
        assert!(explored.ended && 100 < explored.sampled, "{name}, {removal}: {explored:?}");
        states += explored.states;
    }
    states
}

#[test]
fn whoever_is_called_equivalent_is_told_by_nothing_that_can_happen() {
    let equivalent: Vec<&Mutant> = mutants().filter(|mutant| mutant.equivalent.is_some()).collect();
    assert!(!equivalent.is_empty());
    for mutant in equivalent {
        let states: usize = [one_item(), two_items()].iter().map(|scope| check_equal(mutant, scope)).sum();
        let says = mutant.equivalent.unwrap();
        assert!(says.contains(&format!(" all {states} states ")), "{states}: {says}");
    }
}

#[test]
fn the_same_product_tells_mutants_that_do_almost_the_same() {
    for name in
        ["removal-works-while-off", "removal-trusts-the-etag", "off-honours-own-ttl", "settings-touch-ts"]
    {
        let scope = one_item();
        let mut explored =
            scope.removals.iter().map(|removal| Product::of(named(name).unwrap().store, &scope, *removal));
        assert!(explored.any(|explored| explored.difference.is_some()), "{name}");
    }
}

#[test]
fn whoever_remembers_more_is_not_said_to_be_held_in_a_state() {
    for (name, held) in
        [("right", true), ("removal-trusts-the-etag", false), ("looks-every-five-seconds", false)]
    {
        assert_eq!(named(name).map(|named| named.store.is_decided_by_state()), Ok(held), "{name}");
    }
}

#[test]
fn two_moments_that_are_called_one_too_early_do_not_go_on_alike() {
    let mutant = named("removal-finishes-when-switched-off").unwrap().store;
    let scope = one_item();
    for longest_s in [0, 1] {
        let explored = Product::forgetting_after(longest_s, mutant, &scope, scope.removals[0]);
        assert!(explored.unsound.is_some(), "{longest_s} s: {explored:?}");
    }
}
