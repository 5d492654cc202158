//! Random sessions as vectors: no correct store fails one, and faulty stores fail some.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use cosmos_ttl_explore::random_vectors;
use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, named};
use cosmos_ttl_testing::choices::{COUNT, numbered, reference};
use cosmos_ttl_testing::suite;

static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| random_vectors(suite(), 60, 1));

/// Returns the names of the vectors that this target fails.
fn failing(target: &dyn Target) -> Vec<&'static str> {
    let run = run_virtual(target, &VECTORS.iter().collect::<Vec<_>>()).unwrap();
    let failing = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail);
    failing.map(|result| result.vector.name.as_str()).collect()
}

#[test]
fn no_correct_store_fails_one() {
    for control in CONTROLS.iter() {
        assert_eq!(failing(&control.store), [""; 0], "{}", control.name);
    }
    for number in (0..COUNT).step_by(15) {
        assert_eq!(failing(&reference(numbered(number).0)), [""; 0], "choice {number}");
    }
}

#[test]
fn faulty_stores_fail_some() {
    for name in ["one-second-late", "off-honours-own-ttl", "settings-touch-ts", "replace-does-not-restart"] {
        assert!(!failing(&named(name).unwrap()).is_empty(), "{name}");
    }
}

#[test]
fn the_same_seed_writes_the_same_and_each_binds() {
    let again = random_vectors(suite(), 60, 1);
    let digests =
        |vectors: &[Vector]| -> Vec<_> { vectors.iter().map(|one| one.digest().to_owned()).collect() };
    assert_eq!(digests(&VECTORS), digests(&again));
    assert_eq!(digests(&VECTORS).into_iter().collect::<BTreeSet<_>>().len(), 60);
    let elsewhere = |vector: &Vector| vector.steps.iter().any(|step| step.partition.is_some());
    assert!(VECTORS.iter().any(elsewhere));
    for vector in VECTORS.iter() {
        assert!(vector.level != Level::Should && vector.span_s <= 100, "{}", vector.name);
        assert!(!vector.clauses.is_empty(), "{}", vector.name);
    }
}
