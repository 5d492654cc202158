//! The checker's properties against `vectors/clauses.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use crate::{CLAUSES, REPORT};

/// Clauses that the model cannot state, each with the reason. A request of the model has no document: its `ttl` was read
/// before, and all that a document holds besides is one number.
const UNSTATED: [(&str, &str); 14] = [
    ("batch-of-at-most-100", "batches of the checker have two operations"),
    ("client-ts-has-no-effect", "no request of the model has a `_ts`, but for a patch that is refused"),
    (
        "conditional-create-over-expired",
        "a condition that no item may be there asks for nothing else than a create",
    ),
    ("conditional-upsert", "an upsert of the model has no condition; the reference makes a replace of it"),
    ("container-null-at-creation", "the container of a world is made before its first request"),
    ("container-shown-as-set", "a world shows its settings to nobody; the reference reads them off"),
    ("containers-are-apart", "a world is one container"),
    ("deadline-does-not-overflow", "worlds of the checker stand at second 0; tests of the model go further"),
    ("deleted-container-is-forgotten", "a world ends with its container"),
    ("identity-is-partition-and-id", "the model knows one partition, and items by numbers"),
    ("only-root-ttl-counts", "a request of the model has a `ttl` that was read already"),
    ("pages-hold-living-items-once", "the model answers queries at once"),
    ("patched-ttl-is-checked", "a patch of the model has the `ttl` that comes of it"),
    ("ttl-comes-back-as-sent", "a request of the model has a `ttl` that was read already"),
];

/// Each clause with its section.
fn sections() -> BTreeMap<&'static str, &'static str> {
    let mut section = "";
    let mut all = BTreeMap::new();
    for line in CLAUSES.lines() {
        if let Some(rest) = line.strip_prefix("- section: ") {
            section = rest.split_whitespace().next().unwrap();
        } else if let Some(rest) = line.trim_start().strip_prefix("- {id: ") {
            all.insert(rest.split(',').next().unwrap(), section);
        }
    }
    all
}

/// The clauses that some property of the checker states.
fn stated() -> BTreeSet<&'static str> {
    let properties = REPORT.models.iter().flat_map(|model| &model.properties);
    properties.flat_map(|property| property.clauses.iter().copied()).collect()
}

#[test]
fn every_clause_is_stated_but_for_those_that_the_model_cannot_state() {
    let stated = stated();
    let unstated: BTreeSet<_> = sections().into_keys().filter(|clause| !stated.contains(clause)).collect();
    assert_eq!(unstated, UNSTATED.map(|(clause, _)| clause).into());
}

#[test]
fn every_property_cites_clauses_and_stands_in_the_section_of_the_first() {
    let sections = sections();
    for model in &REPORT.models {
        for property in &model.properties {
            assert!(property.clauses.iter().all(|clause| sections.contains_key(clause)), "{property:?}");
            assert_eq!(sections.get(property.clauses[0]), Some(&property.section), "{}", property.sentence);
        }
    }
}
