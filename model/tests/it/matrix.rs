//! The rule as people read it: every setting of the container against every setting of the item, and every value that
//! either can be sent.

use std::fmt::Write as _;

use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Lifetime, NoSetting, Wire, lifetime};

fn lives(default_ttl: Wire, ttl: Wire) -> String {
    let default_ttl = DefaultTtl::from_wire(default_ttl).unwrap();
    match lifetime(default_ttl, ItemTtl::from_wire(ttl, Edition::Y2024).unwrap()) {
        Lifetime::Forever => "forever".into(),
        Lifetime::Seconds(seconds) => format!("{} s", seconds.get()),
    }
}

#[test]
fn every_setting_against_every_setting() {
    let items: [(&str, Wire); 3] =
        [("no ttl", Wire::Absent), ("ttl -1", Wire::Whole(-1)), ("ttl 2000", Wire::Whole(2000))];
    let mut matrix = format!("{:<18}", "");
    for (name, _) in items {
        write!(matrix, "{name:<10}").unwrap();
    }
    let containers: [(&str, Wire); 4] = [
        ("no defaultTtl", Wire::Absent),
        ("defaultTtl null", Wire::Null),
        ("defaultTtl -1", Wire::Whole(-1)),
        ("defaultTtl 1000", Wire::Whole(1000)),
    ];
    for (name, default_ttl) in containers {
        write!(matrix, "\n{name:<18}").unwrap();
        for (_, ttl) in items {
            write!(matrix, "{:<10}", lives(default_ttl, ttl)).unwrap();
        }
    }
    let matrix: Vec<_> = matrix.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(matrix.join("\n"));
}

#[test]
fn every_value_that_can_be_sent() {
    fn said<T>(read: Result<T, NoSetting>) -> String {
        read.map_or_else(|why| format!("refused: {why:?}"), |_| "accepted".into())
    }
    let values: [(&str, Wire); 11] = [
        ("absent", Wire::Absent),
        ("null", Wire::Null),
        ("-2147483649", Wire::Whole(-2_147_483_649)),
        ("-2", Wire::Whole(-2)),
        ("-1", Wire::Whole(-1)),
        ("0", Wire::Whole(0)),
        ("1", Wire::Whole(1)),
        ("2147483647", Wire::Whole(2_147_483_647)),
        ("2147483648", Wire::Whole(2_147_483_648)),
        ("10.0", Wire::WholeAsFraction(10)),
        ("1.5, \"10\", true", Wire::NoNumber),
    ];
    let mut table = format!("{:<18}{:<24}{:<24}item ttl, 2024", "", "defaultTtl", "item ttl, 2020");
    for (name, wire) in values {
        let default_ttl = said(DefaultTtl::from_wire(wire));
        let [old, new] =
            [Edition::Y2020, Edition::Y2024].map(|edition| said(ItemTtl::from_wire(wire, edition)));
        write!(table, "\n{name:<18}{default_ttl:<24}{old:<24}{new}").unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn whatever_is_refused_is_named_with_what_is_accepted() {
    let accepted = "is no time to live: a whole number of seconds from 1 to 2147483647, or -1, is";
    for (why, what) in [
        (NoSetting::Null, "null"),
        (NoSetting::Zero, "zero"),
        (NoSetting::BelowMinusOne, "a number below -1"),
        (NoSetting::AboveMaximum, "a number above 2147483647"),
        (NoSetting::NotAnInteger, "not a whole number"),
    ] {
        assert_eq!(why.to_string(), format!("{what} {accepted}"));
    }
}
