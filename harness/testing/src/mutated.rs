//! Texts that were mutated at random with a fixed seed, for tests of whatever reads text from outside.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

pub use proptest::test_runner::TestCaseError;

/// Tries many texts, always the same ones. `PROPTEST_CASES` asks for more, `PROPTEST_RNG_SEED` for others.
pub fn run<S: Strategy<Value = Vec<u8>>>(
    cases: u32,
    bytes: &S,
    test: impl Fn(&[u8]) -> Result<(), TestCaseError>,
) {
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(10) } else { told.rng_seed };
    println!("PROPTEST_RNG_SEED={rng_seed}");
    let config = Config { cases: told.cases.max(cases), rng_seed, failure_persistence: None, ..told };
    let found = TestRunner::new(config).run(bytes, |bytes| test(&bytes));
    found.unwrap_or_else(|err| panic!("{err}"));
}

/// Bytes that YAML makes much of.
pub fn characters() -> impl Strategy<Value = Vec<u8>> {
    let special =
        ["- ", ": ", "? ", "[", "]", "{", "}", ",", "&a", "*a", "!t", "|", ">", "'", "\"", "#", "%YAML", "@"];
    let layout = ["\n", "  ", "\t", "\r\n", "---\n", "...\n", "%YAML 1.1\n", "é", "\\"];
    let odd = [
        "\r", "\u{feff}", "\u{85}", "\u{2028}", "\u{2029}", "\u{b}", "\u{c}", "\u{1b}", "\u{7f}", "\u{9b}",
        "\0",
    ];
    let word = ["a", "1", "null", "~", "<<", "format", "vectors", "expect", "1e400", "0x1", "-1", ".inf"];
    let pieces = [&special[..], &layout[..], &odd[..], &word[..]].concat();
    prop_oneof![
        12 => proptest::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ]
}

/// The text with some places cut out, doubled, or written over.
pub fn mutated(text: impl Into<Cow<'static, str>>) -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<Index>(), 0..12_usize, prop_oneof![Just(Vec::new()), characters()], any::<bool>());
    let text: Cow<'static, str> = text.into();
    vec(edit, 1..4).prop_map(move |edits| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, length, new, doubled) in edits {
            let start = place.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            let old = bytes[start..end].to_vec();
            let new = if doubled { [&old[..], &old[..]].concat() } else { new };
            bytes.splice(start..end, new);
        }
        bytes
    })
}
