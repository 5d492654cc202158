//! Whether telling worlds apart by ages loses anything.

use cosmos_ttl_checker::{AgeCap, ClockBounds, check_ages, other_readings};
use cosmos_ttl_model::container::Rules;

/// The other readings let a batch with a `ttl` of 0 commit while the container is off, hence a few more worlds.
///
/// The models *clock* of the report show the same of one item and of one cap for all ages.
#[test]
fn one_cap_for_all_ages_loses_nothing_and_neither_does_each_items_own_ttl() {
    let (usual, other) = (Rules::default(), other_readings());
    for (cap, items, rules, indexings, expected) in [
        (AgeCap::Longest(2), 2, usual, false, (9305, 76_858)),
        (AgeCap::Longest(2), 1, usual, true, (3460, 142_867)),
        (AgeCap::Own(2), 2, usual, false, (9305, 76_858)),
        (AgeCap::Own(2), 1, usual, true, (3460, 142_867)),
        (AgeCap::Own(2), 1, other, true, (3500, 142_901)),
    ] {
        let clock =
            ClockBounds { rules, items, longest_s: 2, indexings, first_second: 0, last_second: 3, writes: 3 };
        let checked = check_ages(clock, cap);
        assert!(checked.holds(), "{:?}", checked.properties);
        assert_eq!((checked.unique_states, checked.steps), expected);
    }
}

#[test]
fn a_cap_below_the_longest_lifetime_loses_something() {
    let (rules, indexings) = (Rules::default(), false);
    let clock =
        ClockBounds { rules, items: 1, longest_s: 2, indexings, first_second: 0, last_second: 4, writes: 2 };
    assert!(!check_ages(clock, AgeCap::Longest(1)).holds());
}
