//! What exploration writes: settings, values that are none, and content that has nothing to do with either.

use std::sync::LazyLock;

use super::rng::Rng;
use cosmos_ttl_harness::literal::Literal;

/// Short lives, each as often as it stands here.
const NEAR: [&str; 9] = ["1", "1", "2", "2", "2", "3", "3", "5", "-1"];

/// Lives that end on a boundary of some number, or past a minute.
const FAR: [&str; 10] = [
    "2147483647",
    "2147483646",
    "2147483647",
    "2147483640",
    "1073741824",
    "60",
    "61",
    "100",
    "1000",
    "86400",
];

/// What is no setting, or was written as none.
const ODD: [&str; 42] = [
    "0",
    "0",
    "0",
    "0",
    "0",
    "-2",
    "-2",
    "-5",
    "-2147483648",
    "-2147483649",
    "2147483648",
    "2147483648",
    "2147483649",
    "4294967295",
    "4294967296",
    "4294967298",
    "18446744073709551615",
    "18446744073709551618",
    "-18446744073709551615",
    "null",
    "null",
    "null",
    "2.0",
    "2.0",
    "10.0",
    "1e0",
    "0.0",
    "-1.0",
    "-2.0",
    "2147483648.0",
    "1e400",
    "1e400",
    "1.5",
    "1.5",
    "0.5",
    "\"2\"",
    "\"2\"",
    "true",
    "false",
    "[2]",
    "{\"ttl\": 2}",
    "{}",
];

/// What is no setting for a container, and easily taken for one that means off.
const ODD_DEFAULT: [&str; 6] = ["null", "null", "null", "{}", "{\"ttl\": 2}", "0"];

/// Properties that are no setting, however much they look like one.
const OTHERS: [(&str, &str); 16] = [
    ("_ttl", "1"),
    ("TTL", "1"),
    ("Ttl", "1"),
    ("timeToLive", "1"),
    ("TimeToLive", "1"),
    ("time_to_live", "1"),
    ("defaultTtl", "1"),
    ("expires", "1"),
    ("expiresAt", "1"),
    ("ttlSeconds", "1"),
    ("_ts", "7"),
    ("_ts", "4102444800"),
    ("parts", "{\"ttl\": 1}"),
    ("parts", "{\"ttl\": 1, \"x\": 2}"),
    ("list", "[{\"ttl\": 1}]"),
    ("_etag", "\"mine\""),
];

static LITERALS: LazyLock<[Vec<Literal>; 4]> = LazyLock::new(|| {
    let read = |texts: &[&str]| texts.iter().filter_map(|text| Literal::parse(text).ok()).collect();
    [read(&NEAR), read(&FAR), read(&ODD), read(&ODD_DEFAULT)]
});

static CONTENT: LazyLock<Vec<(String, Literal)>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| Some(((*name).to_owned(), Literal::parse(text).ok()?));
    OTHERS.iter().filter_map(read).collect()
});

/// Which values a place sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taste {
    /// In how many of a hundred cases there is none at all.
    pub(super) absent: u32,
    /// In how many of the others it is one far away.
    pub(super) far: u32,
    /// In how many of the rest it is no setting.
    pub(super) odd: u32,
}

/// A `defaultTtl`.
pub(super) fn default(chance: &mut Rng, taste: Taste) -> Option<Literal> {
    let [.., odd] = &*LITERALS;
    if chance.percent(taste.odd / 3) { chance.of(odd).cloned() } else { setting(chance, taste) }
}

/// A `ttl`.
pub(super) fn setting(chance: &mut Rng, taste: Taste) -> Option<Literal> {
    if chance.percent(taste.absent) { None } else { value(chance, taste) }
}

/// The same, but never none.
pub(super) fn value(chance: &mut Rng, taste: Taste) -> Option<Literal> {
    let [near, far, odd, _] = &*LITERALS;
    let all = if chance.percent(taste.far) {
        far
    } else if chance.percent(taste.odd) {
        odd
    } else {
        near
    };
    chance.of(all).cloned()
}

/// A property beside the setting.
pub(super) fn other(chance: &mut Rng) -> Option<(String, Literal)> {
    chance.of(&CONTENT).cloned()
}
