//! What several of the tests need: the suite, the reference's choices, wrong targets, scratch directories.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests, none of which needs all of it"
)]

pub(crate) mod choices;
pub(crate) mod wrong;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use cosmos_ttl_harness::run::{Run, run_virtual};
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::VerdictKind;

/// The vectors of this project.
pub(crate) fn suite() -> Suite {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    Suite::load(&directory).unwrap_or_else(|flaw| panic!("{flaw}"))
}

/// Replays every vector.
pub(crate) fn run_all<'a>(target: &dyn Target, suite: &'a Suite) -> Run<'a> {
    run_virtual(target, &suite.vectors.iter().collect::<Vec<_>>()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The names of the vectors with this kind of verdict.
pub(crate) fn names_of<'a>(run: &Run<'a>, kind: VerdictKind) -> Vec<&'a str> {
    let results = run.results.iter().filter(|result| result.verdict.kind() == kind);
    results.map(|result| result.vector.name.as_str()).collect()
}

/// Every vector passes or is not about this target, and most pass.
#[track_caller]
pub(crate) fn check_passes(target: &dyn Target, suite: &Suite) {
    check_run_passes(&run_all(target, suite), suite);
}

/// The same of a run that there was.
#[track_caller]
pub(crate) fn check_run_passes(run: &Run<'_>, suite: &Suite) {
    let wrong = |kind| !matches!(kind, VerdictKind::Pass | VerdictKind::NotApplicable);
    let bad: Vec<_> = run.results.iter().filter(|result| wrong(result.verdict.kind())).collect();
    let first = bad.first().map(|result| (&result.vector.name, result.verdict.reason()));
    assert!(bad.is_empty(), "{}: {} vectors do not pass, first {first:?}", run.about.name, bad.len());
    assert!(suite.vectors.len() < 2 * names_of(run, VerdictKind::Pass).len(), "most do not apply");
}

/// The catalogue and the vectors of `tests/bad`, which are small and in order.
pub(crate) const GOOD: [(&str, &str); 2] = [
    ("clauses.yaml", include_str!("../bad/clauses.yaml")),
    ("lifetime.yaml", include_str!("../bad/lifetime.yaml")),
];

/// A directory of vectors of its own: the good ones, with these files on top.
pub(crate) fn scratch(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    // Tests run side by side, and two of them may ask for the same.
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let good = GOOD.iter().map(|(name, text)| (*name, text.as_bytes()));
    for (name, bytes) in good.chain(files.iter().copied()) {
        fs::write(directory.join(name), bytes).unwrap();
    }
    directory
}
