//! Which lifetimes suffice: all that the rule and the laws can tell apart occurs with lifetimes of 1 s and 2 s.

use core::cmp::Ordering;
use std::collections::BTreeSet;

/// The facts that decide about an item: how its own `ttl` compares with the default, and its age with both.
type Case = (Ordering, bool, bool);

/// Every case with lifetimes up to this number of seconds, and ages that saturate there.
fn cases(longest: u32) -> BTreeSet<Case> {
    let lifetimes = || 1..=longest;
    let pairs = lifetimes().flat_map(|default_ttl| lifetimes().map(move |ttl| (default_ttl, ttl)));
    let all = pairs.flat_map(|pair| (0..=longest).map(move |age| (pair, age)));
    all.map(|((default_ttl, ttl), age)| (ttl.cmp(&default_ttl), default_ttl <= age, ttl <= age)).collect()
}

#[test]
fn two_lifetimes_show_every_case_and_one_does_not() {
    assert!(cases(1).len() < cases(2).len());
    for longest in 3..12 {
        assert_eq!(cases(2), cases(longest));
    }
}
