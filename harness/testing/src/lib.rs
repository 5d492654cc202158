//! Helpers that the tests of several crates share: suites, wrong targets, a target with its own clock, the program
//! itself, and whole runs on a simulated clock.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::missing_panics_doc,
    clippy::missing_errors_doc,
    missing_docs,
    missing_debug_implementations,
    reason = "tests"
)]
#![allow(clippy::unnecessary_wraps, reason = "what twists an answer may as well lose it")]

pub mod program;

pub mod hooked;
pub mod one_removal;

pub mod choices;
pub mod twisted;
pub mod wrong;

pub mod endpoint;
pub mod listener;
pub mod passing;
pub mod remote;
pub mod slow_proxy;
pub mod store;
mod target_items;

pub mod json_schema;

pub mod mutated;
pub mod shared_bytes;

pub mod simulation;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::{env, fs};

use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::run::{Run, run_virtual};
use cosmos_ttl_harness::target::{Part, Target};
use cosmos_ttl_harness::vector::{Suite, Vector, embedded};
use cosmos_ttl_harness::verdict::Outcome;

/// Returns the directory of the project.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the directory of this crate, which has a small suite in `suite`.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Returns the directory for files that tests write: `target/tmp`.
pub fn temporary() -> PathBuf {
    // A test program is `target/debug/deps/NAME`.
    env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tmp")
}

/// Returns the hand-written vectors of this project, which are read once.
pub fn suite() -> &'static Suite {
    static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap_or_else(|flaw| panic!("{flaw}")));
    &SUITE
}

/// Returns those of them that need no optional part: what a target is asked that announces nothing.
pub fn core_suite() -> &'static Suite {
    static CORE: LazyLock<Suite> = LazyLock::new(|| {
        let is_plain = |vector: &Vector| vector.parts().is_disjoint(&Part::optional());
        let vectors = suite().vectors.iter().filter(|vector| is_plain(vector)).cloned().collect();
        Suite { vectors, ..suite().clone() }
    });
    &CORE
}

/// Loads the small suite, whose texts the snapshots show.
pub fn small_suite() -> Suite {
    Suite::load(&directory().join("suite")).unwrap_or_else(|flaw| panic!("{flaw}"))
}

/// Loads the small suite, named the same wherever it lies.
pub fn named_suite() -> Suite {
    let mut suite = small_suite();
    suite.origin = "suite".into();
    for vector in &mut suite.vectors {
        let (file, text) = (format!("suite/{}.yaml", vector.section), vector.source.text.clone());
        vector.source = Arc::new(Source::new(file, text));
    }
    suite
}

/// Replays every vector.
pub fn run_all<'a>(target: &dyn Target, suite: &'a Suite) -> Run<'a> {
    run_virtual(target, &suite.vectors.iter().collect::<Vec<_>>()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The names of the vectors with this kind of verdict.
pub fn names_of<'a>(run: &Run<'a>, kind: Outcome) -> Vec<&'a str> {
    let results = run.results.iter().filter(|result| result.verdict.outcome() == kind);
    results.map(|result| result.vector.name.as_str()).collect()
}

/// Every vector passes or is not about this target, and most pass.
#[track_caller]
pub fn check_passes(target: &dyn Target, suite: &Suite) {
    check_run_passes(&run_all(target, suite), suite);
}

/// The same of a run that there was.
#[track_caller]
pub fn check_run_passes(run: &Run<'_>, suite: &Suite) {
    let wrong = |kind| !matches!(kind, Outcome::Pass | Outcome::NotApplicable);
    let bad: Vec<_> = run.results.iter().filter(|result| wrong(result.verdict.outcome())).collect();
    let first = bad.first().map(|result| (&result.vector.name, result.verdict.reason()));
    assert!(bad.is_empty(), "{}: {} vectors do not pass, first {first:?}", run.about.name, bad.len());
    assert!(suite.vectors.len() < 2 * names_of(run, Outcome::Pass).len(), "most do not apply");
}

/// The catalogue and the vectors of `tests/bad`, which are small and in order.
pub const GOOD: [(&str, &str); 3] = [
    ("clauses.yaml", include_str!("../bad/clauses.yaml")),
    ("lifetime.yaml", include_str!("../bad/lifetime.yaml")),
    ("evidence.yaml", include_str!("../bad/evidence.yaml")),
];

/// A directory of vectors of its own: the good ones, with these files on top.
pub fn scratch(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    // Tests run side by side, and two of them may ask for the same.
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    let directory = temporary().join(format!("{name}-{number}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let good = GOOD.iter().map(|(name, text)| (*name, text.as_bytes()));
    for (name, bytes) in good.chain(files.iter().copied()) {
        fs::write(directory.join(name), bytes).unwrap();
    }
    directory
}
