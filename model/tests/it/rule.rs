//! The table of `rule`, line by line, and the ends of its ranges.

use cosmos_ttl_model::rule::{
    DefaultTtl, Edition, ItemTtl, Lifetime, MAX_TTL_S, NoSetting, TtlSeconds, Wire, deadline, is_expired,
    lifetime,
};

const FOREVER: Option<i64> = None;

/// Takes wire values; the expected lifetime in seconds.
#[track_caller]
fn check(default_ttl: Wire, ttl: Wire, expected_s: Option<i64>) {
    let default_ttl = DefaultTtl::from_wire(default_ttl).unwrap();
    let ttl = ItemTtl::from_wire(ttl, Edition::Y2024).unwrap();
    let lifetime_s = match lifetime(default_ttl, ttl) {
        Lifetime::Forever => None,
        Lifetime::Seconds(seconds) => Some(seconds.get()),
    };
    assert_eq!(lifetime_s, expected_s);
}

#[test]
fn the_code_is_the_table() {
    for off in [Wire::Absent, Wire::Null] {
        check(off, Wire::Absent, FOREVER);
        check(off, Wire::Whole(-1), FOREVER);
        check(off, Wire::Whole(2000), FOREVER);
    }
    check(Wire::Whole(-1), Wire::Absent, FOREVER);
    check(Wire::Whole(-1), Wire::Whole(-1), FOREVER);
    check(Wire::Whole(-1), Wire::Whole(2000), Some(2000));
    check(Wire::Whole(1000), Wire::Absent, Some(1000));
    check(Wire::Whole(1000), Wire::Whole(-1), FOREVER);
    check(Wire::Whole(1000), Wire::Whole(2000), Some(2000));
}

#[test]
fn null_on_an_item_inherits_in_2020_and_is_refused_in_2024() {
    assert_eq!(ItemTtl::from_wire(Wire::Null, Edition::Y2020), Ok(ItemTtl::Inherit));
    assert_eq!(ItemTtl::from_wire(Wire::Null, Edition::Y2024), Err(NoSetting::Null));
}

#[test]
fn every_other_value_is_refused_by_its_name() {
    for (wire, why) in [
        (Wire::Whole(0), NoSetting::Zero),
        (Wire::Whole(-2), NoSetting::BelowMinusOne),
        (Wire::Whole(i64::MIN), NoSetting::BelowMinusOne),
        (Wire::Whole(2_147_483_648), NoSetting::AboveMaximum),
        (Wire::Whole(i64::MAX), NoSetting::AboveMaximum),
        (Wire::WholeAsFraction(10), NoSetting::NotAnInteger),
        (Wire::NoNumber, NoSetting::NotAnInteger),
    ] {
        assert_eq!(ItemTtl::from_wire(wire, Edition::Y2020), Err(why));
        assert_eq!(DefaultTtl::from_wire(wire), Err(why));
    }
}

#[test]
fn the_last_visible_second_is_the_one_before_the_deadline() {
    let ten = Lifetime::Seconds(TtlSeconds::new(10).unwrap());
    assert!(!is_expired(ten, 0));
    assert!(!is_expired(ten, 9));
    assert!(is_expired(ten, 10));
    assert_eq!(deadline(ten, 1_700_000_000), Some(1_700_000_010));
}

#[test]
fn the_greatest_deadline_lies_past_32_bits() {
    let longest = Lifetime::Seconds(TtlSeconds::new(i64::from(MAX_TTL_S)).unwrap());
    assert_eq!(deadline(longest, 2_147_483_647), Some(4_294_967_294));
    assert!(!is_expired(longest, 2_147_483_646));
    assert!(is_expired(longest, 2_147_483_647));
}
