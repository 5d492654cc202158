//! Nothing that a file can hold makes the loader panic, hang or lose its place.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cosmos_ttl_harness::clauses::Catalogue;
use cosmos_ttl_harness::diagnostic::{Diagnostic, Location, Source};
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::yaml;
use cosmos_ttl_testing::mutated::{characters, mutated};
use cosmos_ttl_testing::{GOOD, scratch};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::sample::select;

use crate::mutated::{excerpts, run};

/// Loads the good directory with these bytes as one of its files.
struct Loader(PathBuf);

impl Loader {
    fn load(&self, file: &str, bytes: &[u8]) -> Result<Suite, Diagnostic> {
        fs::write(self.0.join(file), bytes).unwrap();
        Suite::load(&self.0)
    }
}

/// Reads a text on its own, which needs no disk.
fn read(bytes: &[u8]) -> Result<(), Diagnostic> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Arc::new(Source::new("f.yaml", text));
    yaml::parse(&source).map(drop)
}

#[test]
fn no_bytes_make_the_reader_panic() {
    run(1_000, &vec(any::<u8>(), 0..200), read);
}

#[test]
fn nothing_that_looks_like_yaml_makes_the_reader_panic() {
    run(4_000, &vec(characters(), 0..60).prop_map(|pieces| pieces.concat()), read);
}

#[test]
fn no_slip_of_the_hand_makes_the_loader_panic() {
    for (number, (file, text)) in GOOD.into_iter().enumerate() {
        let loader = Loader(scratch(&format!("robust-{number}"), &[]));
        run(1_000, &mutated(text), |bytes| loader.load(file, bytes).map(drop));
    }
}

/// Checks that an error in a text has a line and a column.
fn in_text<T>(read: Result<T, Diagnostic>) -> Result<(), Diagnostic> {
    let Err(flaw) = read else { return Ok(()) };
    assert!(matches!(flaw.location, Location::Text { .. }), "{flaw}");
    Err(flaw)
}

#[test]
fn every_reader_refuses_a_mutated_text_at_its_place() {
    let suite = cosmos_ttl_testing::suite();
    run(2_000, &select(excerpts()).prop_flat_map(mutated), |bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let section = text.lines().find_map(|line| line.strip_prefix("section: ")).unwrap_or("lifetime");
        let catalogue = in_text(Catalogue::read(&source("clauses.yaml", bytes)));
        let known = in_text(KnownFailures::parse(&source("known.yaml", bytes), suite));
        catalogue.and(known).and(in_text(suite.read_file(&format!("{section}.yaml"), text.clone())))
    });
}

fn source(name: &str, bytes: &[u8]) -> Arc<Source> {
    Arc::new(Source::new(name, String::from_utf8_lossy(bytes).into_owned()))
}

/// A comment with a tab is for the parsers; without it, a file that is laid out as usual is read without them.
#[test]
fn a_file_means_the_same_whether_the_parsers_read_it_or_not() {
    let suite = Loader(scratch("robust-same", &[])).load(GOOD[1].0, GOOD[1].1.as_bytes()).unwrap();
    let ours = cosmos_ttl_testing::suite();
    let sources: BTreeMap<_, _> =
        ours.vectors.iter().map(|vector| (&vector.source.name, &vector.source)).collect();
    for (name, source) in sources {
        check_same(ours, name, &source.text).unwrap_or_else(|flaw| panic!("{flaw}"));
    }
    run(1_000, &mutated(GOOD[1].1), |bytes| {
        std::str::from_utf8(bytes).map_or(Ok(()), |text| check_same(&suite, GOOD[1].0, text))
    });
}

/// Checks that a readable text is the same with such a comment.
fn check_same(suite: &Suite, name: &str, text: &str) -> Result<(), Diagnostic> {
    let meaning = |text: String| -> Result<String, Diagnostic> {
        let mut vectors = suite.read_file(name, text)?;
        for vector in &mut vectors {
            vector.source = Arc::new(Source::new(name, String::new()));
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
