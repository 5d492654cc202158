//! The transitions of the model as vectors: no correct store fails one, and faulty stores fail some.

use std::sync::LazyLock;

use cosmos_ttl_explore::complete::model_vectors;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::{Vector, embedded};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, named};

static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| model_vectors(&embedded().unwrap()));

fn count_failing(target: &dyn Target) -> usize {
    let run = run_virtual(target, &VECTORS.iter().collect::<Vec<_>>()).unwrap();
    run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail).count()
}

#[test]
fn no_control_fails_a_transition() {
    assert!(900 < VECTORS.len(), "{}", VECTORS.len());
    for control in CONTROLS.iter() {
        assert_eq!(count_failing(&control.store), 0, "{}", control.name);
    }
}

#[test]
fn faulty_stores_fail_transitions() {
    for name in ["one-second-late", "off-honours-own-ttl", "settings-touch-ts", "replace-does-not-restart"] {
        assert!(0 < count_failing(&named(name).unwrap()), "{name}");
    }
}
