//! Proofs of the rule for all integers.

use super::property_set::PropertyKind;
use super::report::{CheckedModel, CheckedProperty, PropertyResult};
use super::symbolic::{Sym, for_all};
use cosmos_ttl_model::rule::{self, DefaultTtl, Edition, ItemTtl, Number, Wire};

/// The shipped rule, from what was sent (`None` stands for absent) to whether an item of this age is expired.
///
/// `None` if one of the two is not valid.
pub fn shipped<N: Number>(default_ttl: Option<N>, ttl: Option<N>, age_s: N) -> Option<bool> {
    let wire = |number: Option<N>| number.map_or(Wire::Absent, Wire::Whole);
    let default_ttl = DefaultTtl::from_wire(wire(default_ttl)).ok()?;
    let ttl = ItemTtl::from_wire(wire(ttl), Edition::default()).ok()?;
    Some(rule::is_expired(rule::lifetime(default_ttl, ttl), age_s))
}

/// Proves of a decision that it is the documents' table, for all integers: one proof for each of the table's quarters.
///
/// The table is said here once more, in numbers only: no function of the rule is called. What [`for_all`] says of each
/// quarter is returned.
pub fn is_the_table(
    decide: impl Fn(Option<Sym>, Option<Sym>, Sym) -> Option<bool>,
) -> [Result<usize, Vec<i128>>; 4] {
    [
        for_all(|[age]| decide(None, None, age) == Some(false)),
        for_all(|[ttl, age]| {
            let expected = is_setting(ttl).then_some(false);
            decide(None, Some(ttl), age) == expected
        }),
        for_all(|[default_ttl, age]| {
            let expected = is_setting(default_ttl).then(|| default_ttl > Sym::from(0) && default_ttl <= age);
            decide(Some(default_ttl), None, age) == expected
        }),
        for_all(|[default_ttl, ttl, age]| {
            let both = is_setting(default_ttl) && is_setting(ttl);
            decide(Some(default_ttl), Some(ttl), age) == both.then(|| ttl > Sym::from(0) && ttl <= age)
        }),
    ]
}

fn is_setting(number: Sym) -> bool {
    number == Sym::from(-1) || (number >= Sym::from(1) && number <= Sym::from(i32::MAX))
}

/// The rows of the report: which whole numbers are settings, and what the table says, quarter by quarter.
pub(super) fn check() -> CheckedModel {
    let is_default =
        for_all(|[number]| DefaultTtl::from_wire(Wire::Whole(number)).is_ok() == is_setting(number));
    let is_ttl = for_all(|[number]| {
        let read = |edition| ItemTtl::from_wire(Wire::Whole(number), edition).is_ok();
        [Edition::Y2020, Edition::Y2024].into_iter().all(|edition| read(edition) == is_setting(number))
    });
    let [off, off_own, inherited, own] = is_the_table(shipped);
    let checked = |section, clauses, sentence, proof: Result<usize, Vec<i128>>| {
        let result = match proof {
            Ok(paths) => PropertyResult::Proved { paths },
            Err(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(i128::to_string).collect();
                PropertyResult::Refuted { counterexample: numbers.join(", ") }
            }
        };
        CheckedProperty { kind: PropertyKind::Always, section, clauses, sentence, result }
    };
    #[rustfmt::skip]
    let properties = vec![
        checked("domain",
            &["container-seconds-range", "container-zero-rejected", "container-below-minus-one-rejected",
                "container-above-maximum-rejected"],
            "a whole number is a `defaultTtl` exactly if it is -1 or one from 1 to 2147483647", is_default),
        checked("domain",
            &["item-seconds-range", "item-zero-rejected", "item-below-minus-one-rejected",
                "item-above-maximum-rejected"],
            "a whole number is a `ttl` exactly if it is -1 or one from 1 to 2147483647", is_ttl),
        checked("lifetime", &["off-never-expires"],
            "while the container is off, an item without `ttl` is expired at no age", off),
        checked("lifetime", &["off-never-expires"],
            "while the container is off, an item with a `ttl` is expired at no age", off_own),
        checked("lifetime",
            &["item-inherits-seconds", "item-inherits-no-default", "gone-at-deadline",
                "deadline-does-not-overflow"],
            "an item without `ttl` is expired exactly if the default is no -1 and at most its age", inherited),
        checked("lifetime",
            &["item-seconds-override", "item-minus-one-overrides", "gone-at-deadline",
                "deadline-does-not-overflow"],
            "while the container is on, an item with a `ttl` is expired exactly if that is no -1 and at most its age",
            own),
    ];
    CheckedModel {
        name: "all integers",
        about: "the rule's functions run on unknown integers: every case that their comparisons can tell apart",
        unique_states: 0,
        steps: 0,
        depth: 0,
        properties,
        disagreement: None,
    }
}
