//! Stores whose sweep is slower than a run: the soak profile finds what the others cannot.

use std::sync::Arc;

use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::run::{Conclusion, Run, Scope, Tally};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;

use super::{SUITE, count, others};
use cosmos_ttl_testing::remote::Remote;
use cosmos_ttl_testing::simulation::time::SimulatedTime;
use cosmos_ttl_testing::store::StoreFlaw;

fn run(vectors: &[&'static Vector], budget_s: u64, scope: Scope, flaw: StoreFlaw) -> Run<'static> {
    let time = Arc::new(SimulatedTime::default());
    let mut remote = Remote::new(time.clone(), 1);
    remote.flaw = Some(flaw);
    let options = Options { budget_s, ..Options::default() };
    Run { scope, ..run_real_by(time.as_ref(), &remote, vectors, &options).unwrap() }
}

/// Runs every vector, then the soak vectors for a sweep each 45 s; returns both conclusions and what fails in the second.
fn before_and_after(flaw: StoreFlaw) -> (String, String, Vec<String>) {
    let words = |run: &Run<'_>| {
        let tally = Tally::of(run);
        tally.words(tally.conclusion(true))
    };
    let all: Vec<_> = SUITE.vectors.iter().collect();
    let standard = run(&all, 60, Scope::Whole, flaw);
    assert_eq!(count(&standard, Outcome::Pass), super::vectors(60).len(), "{:#?}", others(&standard));
    let left_out = standard.results.iter().filter(|result| result.vector.is_soak());
    assert!(left_out.clone().all(|result| result.verdict.outcome() == Outcome::NotApplicable));
    let waits: Vec<_> = left_out.map(|result| result.vector).filter(|vector| vector.span_s == 80).collect();
    assert_eq!(waits.len(), 5);
    let soak = run(&waits, 100, Scope::Soak, flaw);
    let failed = soak.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail);
    let failed = failed.map(|result| result.vector.name.clone()).collect();
    (words(&standard), words(&soak), failed)
}

#[test]
fn the_soak_profile_finds_wrong_sweeps_that_the_whole_suite_does_not() {
    let check = |flaw, soak: &str, failed: &[&str]| {
        let failed: Vec<_> = failed.iter().map(|name| format!("soak/{name}-for-80-seconds")).collect();
        assert_eq!(before_and_after(flaw), ("conformant".into(), soak.into(), failed), "{flaw:?}");
    };
    check(StoreFlaw::None, "no failure in the soak profile", &[]);
    let inheriting = ["no-default", "default", "patched", "changed"];
    check(StoreFlaw::SweepsWithoutTtl, Conclusion::Nonconformant.word(), &inheriting);
    check(StoreFlaw::SweepsByOldDefault, Conclusion::Nonconformant.word(), &["changed"]);
}

#[test]
fn the_right_store_passes_eleven_minutes() {
    let soak: Vec<_> = SUITE.vectors.iter().filter(|vector| vector.is_soak()).collect();
    let run = run(&soak, 1500, Scope::Soak, StoreFlaw::None);
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
}
