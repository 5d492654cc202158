//! Whether telling worlds apart by ages, and items by settings and ages, loses anything.

use cosmos_ttl_checker::reductions::{
    AgeCap, ClockBounds, ItemOrder, check_ages, check_items, compare_moves,
};
use cosmos_ttl_checker::{CheckedModel, PropertyKind, Shipped, ablation, other_readings};
use cosmos_ttl_model::container::Rules;

/// The other readings let a batch with a `ttl` of 0 commit while the container is off, hence a few more worlds.
#[test]
fn one_cap_for_all_ages_loses_nothing_and_neither_does_each_items_own_ttl() {
    let (usual, other) = (Rules::default(), other_readings());
    for cap in [AgeCap::Longest(2), AgeCap::Own(2)] {
        for (items, rules, indexings, last_second, expected) in [
            (1, usual, false, 5, (2202, 81_069)),
            (2, usual, false, 4, (15_912, 131_565)),
            (1, usual, true, 4, (5142, 211_621)),
            (1, other, true, 4, (5202, 211_676)),
        ] {
            let clock = ClockBounds {
                rules,
                items,
                longest_s: 2,
                indexings,
                first_second: 0,
                last_second,
                writes: 3,
            };
            let checked = check_ages(clock, cap);
            assert!(checked.holds(), "{:?}", checked.properties);
            assert_eq!((checked.unique_states, checked.steps), expected);
        }
    }
}

#[test]
fn a_cap_below_the_longest_lifetime_loses_something() {
    let (rules, indexings) = (Rules::default(), false);
    let clock =
        ClockBounds { rules, items: 1, longest_s: 2, indexings, first_second: 0, last_second: 4, writes: 2 };
    assert!(!check_ages(clock, AgeCap::Longest(1)).holds());
}

fn verdicts(checked: &CheckedModel) -> Vec<(PropertyKind, &'static str, bool)> {
    checked.properties.iter().map(|one| (one.kind, one.sentence, one.result.is_good())).collect()
}

/// A path of sorted worlds is made of such moves, told with one name for each item.
#[test]
fn sorted_worlds_do_what_named_ones_do() {
    for (items, expected) in [(1, (52, 44)), (2, (676, 264)), (3, (8788, 1144))] {
        let other_names = compare_moves(items, 2).unwrap();
        assert_eq!(other_names > 0, items > 1);
        let [named, sorted] =
            [ItemOrder::Named, ItemOrder::Sorted].map(|order| check_items(Shipped, items, 2, order));
        assert_eq!((named.unique_states, sorted.unique_states), expected);
        assert!(named.holds() && sorted.holds(), "{:?}", verdicts(&sorted));
        assert_eq!(verdicts(&named), verdicts(&sorted));
    }
}

/// Sights differ in two of them: the clauses that are missing let items expire otherwise than their ages are capped.
#[test]
fn sorted_worlds_break_the_laws_that_named_ones_break() {
    for one in ablation::all() {
        let [named, sorted] = [ItemOrder::Named, ItemOrder::Sorted].map(|order| {
            let mut laws = verdicts(&check_items(*one, 2, 2, order));
            laws.retain(|(kind, ..)| *kind == PropertyKind::Always);
            laws
        });
        assert_eq!(named, sorted, "{}", one.clause);
    }
}
