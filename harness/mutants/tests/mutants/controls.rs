//! The controls: which there are.

use std::collections::{BTreeSet, HashSet};

use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::target::Target as _;
use cosmos_ttl_mutants::{CONTROLS, named};

use crate::matrix::{SUITE, check_none};

#[test]
fn each_has_its_own_name_and_its_own_store() {
    let names: BTreeSet<_> = CONTROLS.iter().map(|control| control.name).collect();
    let stores: HashSet<_> = CONTROLS.iter().map(|control| control.store).collect();
    assert_eq!((names.len(), stores.len()), (CONTROLS.len(), CONTROLS.len()));
    assert_eq!(named("expiry-latched").unwrap().about().name, "mutant:expiry-latched");
}

#[test]
fn every_open_clause_has_a_control_for_each_value_that_is_not_the_usual_one() {
    let open: Vec<_> = SUITE.catalogue.clauses().filter(|clause| clause.level == Level::Open).collect();
    let mut allowed: BTreeSet<_> = CONTROLS.iter().map(|control| control.allowed_by.to_owned()).collect();
    for clause in &open {
        let values = clause.values.iter().map(|value| format!("{}: {value}", clause.id));
        // `right` gives the usual one.
        let missing: Vec<_> = values.filter(|value| !allowed.remove(value)).collect();
        assert_eq!(missing.len(), 1, "{missing:?}");
    }
    let is_open = |id: &str| open.iter().any(|clause| clause.id == id);
    let unlisted = allowed.iter().filter(|one| one.split_once(':').is_some_and(|(id, _)| is_open(id)));
    check_none(unlisted.map(|one| format!("{one}: the clause lists no such value")));
}
