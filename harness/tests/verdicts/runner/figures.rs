//! What the real vectors make of targets that are no store: how many each fails, and that none passes them all.

use std::collections::BTreeSet;

use super::verdicts::targets;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_testing::{names_of, run_all, suite};

/// Of each target, at least so many vectors fail it.
const FLOORS: [(&str, usize); 4] =
    [("always yes", 197), ("always no", 240), ("never expires", 190), ("expires at once", 242)];

#[test]
fn targets_that_are_no_store_fail_at_least_as_many_vectors_as_ever() {
    let suite = suite();
    let mut passed_by_all: BTreeSet<&str> = suite.vectors.iter().map(|vector| vector.name.as_str()).collect();
    for (target, floor) in FLOORS {
        let target = targets().into_iter().find(|(name, _)| *name == target).unwrap();
        let run = run_all(target.1.as_ref(), &suite);
        let failed = names_of(&run, Outcome::Fail).len();
        println!("{}: {failed} of {} fail", target.0, suite.vectors.len());
        assert!(floor <= failed, "{}: {failed} fail, and {floor} did", target.0);
        let passed: BTreeSet<_> = names_of(&run, Outcome::Pass).into_iter().collect();
        passed_by_all.retain(|name| passed.contains(name));
    }
    assert_eq!(passed_by_all, BTreeSet::new(), "passed by everything, so they show nothing");
}
