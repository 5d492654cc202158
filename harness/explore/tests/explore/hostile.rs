//! Targets that are no stores at all: what they say is a difference or no verdict, and never a panic.

use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::{Exploration, ExploreOptions, explore};
use cosmos_ttl_harness::target::{Body, Fault, Request, Response, Status, Target};
use cosmos_ttl_mutants::IndependentStore;

use crate::explored;
use cosmos_ttl_testing::wrong::{
    AlwaysNo, AlwaysYes, BreaksAt, ExpiresAtOnce, Moment, OnTheWall, Says, Stopped, Tampered, Without,
};

#[track_caller]
fn check_found(target: &dyn Target) -> Exploration {
    let explored = explored(target, 1, 2_000);
    assert!(explored.found.is_some(), "{}", explored.about.name);
    explored
}

#[test]
fn whoever_always_says_the_same_is_found() {
    check_found(&AlwaysYes);
    check_found(&ExpiresAtOnce);
    check_found(&Stopped(IndependentStore::default()));
    for status in [Status::BadRequest, Status::TooManyRequests, Status::Other(500)] {
        check_found(&AlwaysNo(status));
    }
}

/// Each lie about an answer is one kind of difference.
#[test]
fn every_kind_of_lie_is_found() {
    let lies: [fn(&mut Response); 8] = [
        |response| {
            if let Body::Item(item) = &mut response.body {
                item.document.id = "other\u{1b}[31m".repeat(1_000);
            }
        },
        |response| {
            if let Body::Item(item) = &mut response.body {
                item.document.properties.remove("ttl");
            }
        },
        |response| {
            if let Body::Item(item) = &mut response.body {
                item.ts = Some(if item.ts == Some(i64::MIN) { 0 } else { i64::MIN });
            }
        },
        |response| {
            if let (Status::Found, Body::Item(item)) = (response.status, &mut response.body) {
                item.etag = Some("\"new\"".into());
            }
        },
        |response| {
            if let Body::Ids(ids) = &mut response.body {
                ids.extend(ids.first().cloned());
            }
        },
        |response| {
            if let Body::Count(count) = &mut response.body {
                *count = count.saturating_add(5);
            }
        },
        |response| {
            if let Body::Committed(statuses) = &mut response.body {
                statuses.pop();
            }
        },
        |response| {
            if let Body::Aborted { at } = &mut response.body {
                *at = usize::MAX;
            }
        },
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let found = explored(&Tampered(IndependentStore::default(), lie), 1, 5_000).found;
        // A clock that stands at the same impossible second shows once time has passed.
        assert!(found.is_some(), "lie {number}");
        let differs = found.unwrap().differs;
        assert!(differs.got.len() < 1_000, "lie {number}: {} bytes", differs.got.len());
    }
}

#[test]
fn a_ts_of_no_year_is_found_though_it_counts_seconds() {
    let far = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            item.ts = item.ts.map(|ts| ts + 300_000_000_000);
        }
    };
    let differs = check_found(&Tampered(IndependentStore::default(), far)).found.unwrap().differs;
    assert!(differs.expected.contains("with a second from 1970 to 9999 as `_ts`"), "{differs:?}");
}

#[test]
fn whoever_shows_no_more_than_it_must_is_not_accused() {
    let shy = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            item.ts = None;
            item.etag = None;
        }
        if response.status != Status::Found && matches!(response.body, Body::Item(_)) {
            response.body = Body::Nothing;
        }
    };
    let explored = explored(&Tampered(IndependentStore::default(), shy), 1, 10_000);
    assert!(explored.found.is_none(), "{:#?}", explored.found);
    assert_eq!(explored.coverage.conditions, 0);
}

#[test]
fn what_is_not_offered_is_no_difference() {
    let explored = explored(&Without(|request| matches!(request, Request::Batch(_))), 1, 5_000);
    assert!(explored.found.is_none(), "{:#?}", explored.found);
    assert_eq!(explored.coverage.requests, 5_000);
    assert!(0 < explored.coverage.not_offered);
}

#[test]
fn whoever_breaks_is_not_accused() {
    for moment in [Moment::Open, Moment::Pass, Moment::Close, Moment::Panic] {
        let fault = Fault::Broken("its end".into());
        let explored = explored(&BreaksAt { moment, fault, inner: IndependentStore::default() }, 1, 5_000);
        assert!(explored.found.is_none() && explored.cut_short, "{moment:?}");
        assert!(0 < explored.coverage.broken, "{moment:?}");
    }
    let unknown = Says { fault: Fault::Unknown("lost".into()), from: 3 };
    let explored = explored(&unknown, 1, 5_000);
    assert!(explored.found.is_none() && explored.mishaps.is_empty() && explored.coverage.broken == 0);
}

#[test]
fn a_clock_that_runs_by_itself_is_not_explored() {
    let stop = AtomicBool::new(false);
    let refused = explore(&OnTheWall, &ExploreOptions { seed: 1, steps: 10, stop: &stop });
    assert!(matches!(refused, Err(Fault::Misuse(_))));
}

#[test]
fn an_interrupted_exploration_says_so() {
    let stop = AtomicBool::new(true);
    let explored =
        explore(&IndependentStore::default(), &ExploreOptions { seed: 1, steps: 10, stop: &stop }).unwrap();
    assert!(explored.cut_short);
    assert_eq!(explored.coverage.requests, 0);
}
