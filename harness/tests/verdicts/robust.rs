//! Nothing that a file can hold makes the loader panic, hang or lose its place.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cosmos_ttl_harness::diagnostic::{Diagnostic, Location, Source};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::yaml;
use cosmos_ttl_testing::{GOOD, scratch};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde::de::IgnoredAny;

/// Loads the good directory with these bytes as one of its files.
struct Loader(PathBuf);

impl Loader {
    fn load(&self, file: &str, bytes: &[u8]) -> Result<Suite, Diagnostic> {
        fs::write(self.0.join(file), bytes).unwrap();
        Suite::load(&self.0)
    }
}

fn run<S: Strategy<Value = Vec<u8>>>(cases: u32, bytes: &S, load: impl Fn(&[u8]) -> Result<(), Diagnostic>) {
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

/// Reads a text on its own, which needs no disk.
fn read(bytes: &[u8]) -> Result<(), Diagnostic> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Arc::new(Source { name: "f.yaml".into(), text });
    yaml::read::<IgnoredAny>(&source).map(drop)
}

/// A flaw names a place that is there, and what is wrong in one line.
fn check(flaw: &Diagnostic) -> Result<(), TestCaseError> {
    if let Location::Text { source, span } = &flaw.location {
        let there = span.start <= span.end && source.text.get(span.clone()).is_some();
        if !there {
            return Err(TestCaseError::fail(format!("{span:?} of {} bytes: {flaw}", source.text.len())));
        }
    }
    if flaw.what.is_empty() { Err(TestCaseError::fail("it says nothing")) } else { Ok(()) }
}

/// Bytes that YAML makes much of.
fn characters() -> impl Strategy<Value = Vec<u8>> {
    let special =
        ["- ", ": ", "? ", "[", "]", "{", "}", ",", "&a", "*a", "!t", "|", ">", "'", "\"", "#", "%YAML", "@"];
    let layout =
        ["\n", "  ", "\t", "\r\n", "\r", "---\n", "...\n", "\u{feff}", "\u{85}", "\u{2028}", "\0", "é", "\\"];
    let word = ["a", "1", "null", "~", "<<", "format", "vectors", "expect", "1e400", "0x1", "-1", ".inf"];
    let pieces = [&special[..], &layout[..], &word[..]].concat();
    prop_oneof![
        12 => proptest::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ]
}

/// The good file with some places cut out, doubled, or written over.
fn mutated(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<Index>(), 0..12_usize, prop_oneof![Just(Vec::new()), characters()], any::<bool>());
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

#[test]
fn no_bytes_make_the_reader_panic() {
    run(5_000, &vec(any::<u8>(), 0..200), read);
}

#[test]
fn nothing_that_looks_like_yaml_makes_the_reader_panic() {
    run(20_000, &vec(characters(), 0..60).prop_map(|pieces| pieces.concat()), read);
}

#[test]
fn no_slip_of_the_hand_makes_the_loader_panic() {
    for (number, (file, text)) in GOOD.into_iter().enumerate() {
        let loader = Loader(scratch(&format!("robust-{number}"), &[]));
        run(1_000, &mutated(text), |bytes| loader.load(file, bytes).map(drop));
        run(10_000, &mutated(text), read);
    }
}

/// A comment with a tab is for the parsers; without it, a file that is laid out as usual is read without them.
#[test]
fn a_file_means_the_same_whether_the_parsers_read_it_or_not() {
    let suite = Loader(scratch("robust-same", &[])).load(GOOD[1].0, GOOD[1].1.as_bytes()).unwrap();
    let ours = cosmos_ttl_testing::suite();
    let sources: BTreeMap<_, _> =
        ours.vectors.iter().map(|vector| (&vector.source.name, &vector.source)).collect();
    for (name, source) in sources {
        check_same(&ours, name, &source.text).unwrap_or_else(|flaw| panic!("{flaw}"));
    }
    run(5_000, &mutated(GOOD[1].1), |bytes| {
        std::str::from_utf8(bytes).map_or(Ok(()), |text| check_same(&suite, GOOD[1].0, text))
    });
}

/// What can be read at all is the same with such a comment.
fn check_same(suite: &Suite, name: &str, text: &str) -> Result<(), Diagnostic> {
    let meaning = |text: String| -> Result<String, Diagnostic> {
        let mut vectors = suite.read_file(name, text)?;
        for vector in &mut vectors {
            vector.source = Arc::new(Source { name: name.into(), text: String::new() });
        }
        Ok(format!("{vectors:?}"))
    };
    let usual = meaning(text.into())?;
    assert_eq!(usual, meaning(format!("{text}\n#\t\n")).unwrap_or_else(|flaw| panic!("{flaw}\n{text}")));
    Ok(())
}

#[test]
fn no_file_takes_long_to_refuse() {
    let loader = Loader(scratch("robust-long", &[]));
    let most = 1 << 20;
    for piece in [
        "[", "{", "- ", "? ", "a: ", "'", "\"", "\\", "#", "\n", "[a, ", "{a: ", "&a ", "!a ", "a\n",
        "- a\n", "|\n ", "é",
    ] {
        let started = now();
        let outcome = loader.load(GOOD[1].0, piece.repeat(most / piece.len()).as_bytes());
        assert!(outcome.is_err(), "{piece:?}");
        let taken = started.elapsed();
        assert!(taken.as_secs() < 20, "{piece:?} took {taken:?}");
    }
}

#[expect(clippy::disallowed_methods, reason = "only for the time that a test may take")]
fn now() -> Instant {
    Instant::now()
}
