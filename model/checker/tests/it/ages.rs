//! Whether telling worlds apart by ages loses anything.

use cosmos_ttl_checker::{AgeCap, ClockBounds, check_ages, other_readings};
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
