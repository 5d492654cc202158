//! The checker's properties against `vectors/clauses.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use crate::{CLAUSES, REPORT};

/// Clauses that the model cannot state, each with the reason.
///
/// A law compares the states before and after a request of the model. Such a request has no document: its `ttl` was read
/// before (`Wire`), and all that a document holds in addition to it is one number. So no law can say from which property a `ttl` was
/// read, and every step would satisfy such a law. `harness/reference` reads it; the lab's test
/// `no_property_but_ttl_at_the_root_reaches_the_model_as_a_ttl` states the clause there, and fails without it.
const UNSTATED: [(&str, &str); 4] = [
    ("identity-is-partition-and-id", "the model knows one partition, and items by numbers"),
    (
        "only-root-ttl-counts",
        "a request of the model has a `ttl` that was read already, and no name of a property",
    ),
    ("pages-hold-living-items-once", "the model answers queries at once"),
    ("patch-of-ts", "no request of the model has a `_ts`"),
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
fn every_clause_that_only_the_model_can_show_is_stated() {
    let only_here = CLAUSES.lines().filter(|line| line.contains("observe: model"));
    let only_here = only_here.map(|line| line.trim_start().strip_prefix("- {id: ").unwrap());
    let only_here: Vec<_> = only_here.map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(only_here.len(), 8);
    let stated = stated();
    assert!(only_here.iter().all(|clause| stated.contains(clause)));
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

#[test]
fn no_model_says_the_same_twice() {
    for model in &REPORT.models {
        let sentences: BTreeSet<_> = model.properties.iter().map(|property| property.sentence).collect();
        assert_eq!(sentences.len(), model.properties.len(), "{}", model.name);
    }
}
