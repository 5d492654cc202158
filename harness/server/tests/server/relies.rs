//! What an application relies on: if its own test breaks on a store with a fault, `relies` lists the clause of that fault.

use std::collections::BTreeSet;

use cosmos_ttl_harness::request_log::{LogWriter, LoggedTarget, RequestLog};
use cosmos_ttl_harness::target::{Removal, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::{Outcome, embedded, run_virtual};
use cosmos_ttl_mutants::reliance::reliance;
use cosmos_ttl_mutants::{IndependentStore, mutants};
use cosmos_ttl_testing::endpoint::Endpoint;
use cosmos_ttl_testing::one_removal::OneRemoval;
use cosmos_ttl_testing::shared_bytes::SharedBytes;

use crate::conformance::{behind, offering};

/// Runs the application's own test; returns whether it passes, and the log.
fn run(target: impl Target + 'static, application: &Vector) -> (bool, RequestLog) {
    let (endpoint, bytes) = (Endpoint::turned(target), SharedBytes::default());
    let (target, log) = (behind(&endpoint), LogWriter::new(bytes.clone()));
    let outcome = {
        let target = offering(&target);
        let logged = LoggedTarget::new(&target, &log);
        let run = run_virtual(&OneRemoval(&logged, Removal::Never), &[application]).unwrap();
        run.results[0].verdict.outcome()
    };
    (outcome == Outcome::Pass, RequestLog::read(bytes.bytes().as_slice()).unwrap())
}

#[test]
fn an_application_relies_on_each_clause_whose_fault_breaks_its_own_test() {
    let text = include_str!("applications.yaml").to_owned();
    let applications = embedded().unwrap().read_file("surface.yaml", text).unwrap();
    assert_eq!(applications.len(), 3);
    for application in &applications {
        let (passes, log) = run(IndependentStore::default(), application);
        assert!(passes, "{}", application.name);
        let reliance = reliance(&log, None);
        assert_eq!((reliance.left_out.len(), &reliance.otherwise), (0, &vec![]));
        let (mut breaking, mut needed) = (0, BTreeSet::<&str>::new());
        for mutant in mutants() {
            if !run(mutant.store(), application).0 {
                breaking += 1;
                needed.extend(mutant.clauses);
                let is_listed = |id: &&str| reliance.clauses.contains_key(id);
                let missed = mutant.clauses.len() <= 2 && !mutant.clauses.iter().all(is_listed);
                let (name, clauses) = (mutant.name, mutant.clauses);
                assert!(
                    !missed && clauses.iter().any(is_listed),
                    "{name} breaks {}, and not all of {clauses:?} are listed",
                    application.name
                );
            }
        }
        assert!(breaking >= 20, "{breaking}");
        let unneeded: Vec<_> = reliance.clauses.keys().filter(|id| !needed.contains(*id)).collect();
        println!(
            "{}: {breaking} mutants break it, {} clauses listed, without need {}: {unneeded:?}",
            application.name,
            reliance.clauses.len(),
            unneeded.len()
        );
    }
}

#[test]
fn a_log_that_shows_nothing_of_time_to_live_relies_on_nothing() {
    let text = "format: 1\nsection: surface\nvectors:\n- id: nothing\n  title: Nothing expires\n  clauses: [off-never-expires]\n  steps:\n  - create-container: {expect: created}\n  - create: {id: a, value: 1, expect: created}\n  - query: {expect: [a]}\n";
    let all = embedded().unwrap().read_file("surface.yaml", text.into()).unwrap();
    let reliance = reliance(&run(IndependentStore::default(), &all[0]).1, None);
    assert_eq!((reliance.replayed, reliance.clauses.keys().collect::<Vec<_>>()), (3, vec![]));
}
