//! Who differs, and who must not.

use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::ExploreOptions;
use cosmos_ttl_explore::distinguish::{Distinction, Searched, distinguish};
use cosmos_ttl_explore::shrink::simplifications;
use cosmos_ttl_harness::target::{Body, Response, Target};
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_reference::Reference;

use super::boards::differs;
use cosmos_ttl_testing::suite;
use cosmos_ttl_testing::wrong::Tampered;

fn search(targets: [&dyn Target; 2], steps: u64, ignore_open: bool) -> (Option<Distinction>, Searched) {
    let options = ExploreOptions { seed: 1, steps, stop: &AtomicBool::new(false) };
    distinguish(targets, &suite().vectors, &options, ignore_open).unwrap()
}

fn right() -> IndependentStore {
    IndependentStore::default()
}

#[test]
fn the_model_and_the_store_that_was_written_without_it_never_differ() {
    let (found, searched) = search([&Reference::default(), &right()], 2_000, false);
    assert!(found.is_none(), "{found:#?}");
    assert!(searched.vectors > 200 && searched.requests == 2_000 && searched.shrinking == 0, "{searched:?}");
}

#[test]
fn a_control_differs_from_the_right_store_in_what_is_open_and_nowhere_else() {
    for name in ["whole-fractions-taken", "every-other-choice"] {
        let control = named(name).unwrap();
        assert!(search([&control, &right()], 2_000, false).0.is_some_and(|found| found.is_open), "{name}");
        // Nearly every script shows a difference that is open, which is then made small.
        let (found, _) = search([&control, &right()], 400, true);
        assert!(found.is_none(), "{name}: {found:#?}");
    }
}

#[test]
fn a_ts_of_no_year_differs_from_one_that_counts_the_same_seconds() {
    let far = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            item.ts = item.ts.map(|ts| ts + 300_000_000_000);
        }
    };
    let (found, _) = search([&Tampered(right(), far), &right()], 2_000, false);
    assert!(found.is_some());
}

/// The two differ after this many actions, in what no clause leaves open, and no simplification keeps that.
#[track_caller]
fn check(name: &str, actions: usize) {
    let store = named(name).unwrap();
    for ignore_open in [false, true] {
        let found = search([&store, &right()], 2_000, ignore_open).0.unwrap();
        assert_eq!((found.script.actions.len(), found.is_open), (actions, false), "{name}: {found:#?}");
        let (last, before) = found.exchanges.split_last().unwrap();
        assert_ne!(last.1[0], last.1[1]);
        assert!(before.iter().all(|(_, [a, b])| a == b), "{name}: {found:#?}");
        assert!(found.is_shrunk);
        for simpler in simplifications(&found.script) {
            assert!(!differs(&store, &simpler), "{name}: {found:#?} is not yet\n{simpler:#?}");
        }
    }
}

#[test]
fn the_script_is_short_and_no_simplification_keeps_the_difference() {
    check("one-second-late", 3);
    check("off-honours-own-ttl", 3);
}

/// A store of a process writes JSON in its own way.
#[test]
fn json_is_compared_as_values() {
    let spaced = |response: &mut Response| {
        if let Body::Item(item) = &mut response.body {
            for value in item.document.properties.values_mut() {
                *value = cosmos_ttl_harness::literal::Literal::parse(&format!(" {value} ")).unwrap();
                let text = value.as_str().replace(':', " :  ").replace(',', " , ");
                *value = cosmos_ttl_harness::literal::Literal::parse(&text).unwrap();
            }
        }
    };
    let (found, _) = search([&Tampered(right(), spaced), &right()], 2_000, false);
    assert!(found.is_none(), "{found:#?}");
}
