//! Targets that are right, each in a way of its own: no request may make a difference.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{Status, Target};
use cosmos_ttl_mutants::IndependentStore;

use crate::explored;
use cosmos_ttl_testing::choices::{COUNT, numbered, reference};

#[track_caller]
fn check(name: &str, target: &dyn Target, seed: u64, steps: u64) {
    let explored = explored(target, seed, steps);
    assert!(explored.found.is_none(), "{name}: {:#?}", explored.found);
    assert_eq!(explored.coverage.requests, steps, "{name}: {:?}", explored.mishaps);
    assert_eq!(explored.coverage.given_up, 0, "{name}");
}

/// `cargo lab explore` asks the controls.
#[test]
fn no_choice_of_an_open_clause_is_accused() {
    for number in 0..COUNT {
        let (preferences, choices) = numbered(number);
        let seed = u64::from(number) * 1_000;
        check(&format!("reference {number}"), &reference(preferences), seed, 500);
        check(
            &format!("naive {number}"),
            &IndependentStore { choices, ..IndependentStore::default() },
            seed,
            500,
        );
    }
}

#[test]
fn exploration_reaches_everything() {
    let coverage = explored(&Reference::default(), 1, 20_000).coverage;
    let kinds = ["batch", "count", "create", "delete", "list", "patch", "query", "read", "replace", "upsert"];
    for kind in kinds.into_iter().chain(["create-container", "replace-container"]) {
        let count = coverage.kinds.get(kind);
        assert!(count.is_some_and(|count| 100 < *count), "{kind}: {count:?}");
    }
    let statuses = [
        Status::Created,
        Status::Ok,
        Status::Found,
        Status::NoContent,
        Status::BadRequest,
        Status::NotFound,
        Status::Conflict,
        Status::PreconditionFailed,
    ];
    for status in statuses {
        assert!(
            coverage.statuses.get(&status).is_some_and(|count| 20 < *count),
            "{status}: {:?}",
            coverage.statuses
        );
    }
    assert!(1_000 < coverage.expired, "{}", coverage.expired);
    assert!(50 < coverage.fates, "{}", coverage.fates);
    assert!(200 < coverage.conditions, "{}", coverage.conditions);
    assert!(200 < coverage.elsewhere, "{}", coverage.elsewhere);
    assert!(1 < coverage.worlds);
}
