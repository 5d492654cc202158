//! Mutated texts, and what is checked of every reader that gets one.

use std::borrow::Cow;
use std::fs;

use cosmos_ttl_harness::diagnostic::{Diagnostic, Location};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

/// Tries many texts; what is refused is refused at a place that exists.
pub(crate) fn run<S: Strategy<Value = Vec<u8>>>(
    cases: u32,
    bytes: &S,
    load: impl Fn(&[u8]) -> Result<(), Diagnostic>,
) {
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(10) } else { told.rng_seed };
    println!("PROPTEST_RNG_SEED={rng_seed}");
    let config = Config { cases: told.cases.max(cases), rng_seed, failure_persistence: None, ..told };
    let found = TestRunner::new(config).run(bytes, |bytes| match load(&bytes) {
        Ok(()) => Ok(()),
        Err(flaw) => check(&flaw),
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}

/// A flaw names a place that is there, and what is wrong in one line.
pub(crate) fn check(flaw: &Diagnostic) -> Result<(), TestCaseError> {
    if let Location::Text { source, span } = &flaw.location {
        let there = span.start <= span.end && source.text.get(span.clone()).is_some();
        if !there {
            return Err(TestCaseError::fail(format!("{span:?} of {} bytes: {flaw}", source.text.len())));
        }
    }
    if flaw.what.is_empty() { Err(TestCaseError::fail("it says nothing")) } else { Ok(()) }
}

/// Bytes that YAML makes much of.
pub(crate) fn characters() -> impl Strategy<Value = Vec<u8>> {
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
pub(crate) fn mutated(text: impl Into<Cow<'static, str>>) -> impl Strategy<Value = Vec<u8>> {
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

/// Returns a text of each kind for every vector and list of this project: short, so that many can be tried.
pub(crate) fn excerpts() -> Vec<String> {
    let read = |path: &str| fs::read_to_string(cosmos_ttl_testing::project().join(path)).unwrap();
    let mut excerpts: Vec<_> = cosmos_ttl_testing::suite()
        .vectors
        .iter()
        .map(|vector| {
            let text = &vector.source.text[vector.span.clone()];
            format!("format: 1\nsection: {}\nvectors:\n- {text}\n", vector.section)
        })
        .collect();
    let quick = read("vectors/quick.yaml");
    excerpts.push(quick.lines().take(12).collect::<Vec<_>>().join("\n"));
    for (path, sections) in
        [("vectors/clauses.yaml", "\n- section"), (".ci/cosmosdb-server/known.yaml", "\n- id")]
    {
        let text = read(path);
        let parts: Vec<_> = text.split(sections).collect();
        let head = parts[0];
        excerpts.extend(parts.iter().skip(1).take(20).map(|part| format!("{head}{sections}{part}")));
    }
    excerpts
}
