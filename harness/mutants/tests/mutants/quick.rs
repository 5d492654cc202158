//! The quick profile shows what all vectors show, with as few of them as a greedy hand picks.

use std::collections::BTreeSet;
use std::fs;

use crate::matrix::{MATRIX, SUITE, check_none, restricted};
use cosmos_ttl_harness::clauses::Observe;
use cosmos_ttl_harness::realtime::Options;
use cosmos_ttl_harness::vector::{QUICK_FILE, Suite, Vector, embedded};
use cosmos_ttl_mutants::CONTROLS;

/// The suite with the quick vectors alone.
fn quick() -> Suite {
    let mut suite = embedded().unwrap();
    suite.vectors.retain(|vector| suite.quick.contains(&vector.name));
    suite
}

/// What must be shown, each with the vectors that show it: every mutant, and every clause by a vector that cites it.
fn shown() -> Vec<(String, BTreeSet<&'static str>)> {
    let names = |vectors: &mut dyn Iterator<Item = &'static Vector>| -> BTreeSet<&'static str> {
        vectors.map(|vector| vector.name.as_str()).collect()
    };
    let rows = MATRIX.rows.iter().filter(|row| row.mutant.equivalent.is_none());
    let mutants = rows.map(|row| (row.mutant.name.to_owned(), names(&mut row.killers())));
    let clauses = SUITE.catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
    let clauses = clauses.map(|clause| (clause.id.clone(), names(&mut MATRIX.witnesses(&clause.id))));
    mutants.chain(clauses).collect()
}

/// Those of the names whose vector a clock of its own has time for.
fn short<'a>(names: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let budget_s = Options::default().budget_s;
    names.iter().copied().filter(|name| SUITE.get(name).unwrap().span_s <= budget_s).collect()
}

fn is_quick(name: &&str) -> bool {
    SUITE.quick.contains(*name)
}

#[test]
fn what_is_committed_is_what_is_picked() {
    let stored = cosmos_ttl_testing::project().join("vectors").join(QUICK_FILE);
    let stored = fs::read_to_string(stored).unwrap();
    assert!(stored == MATRIX.quick().page(), "{QUICK_FILE} is stale; write it anew: cargo lab quick");
    let picked: BTreeSet<_> = MATRIX.quick().vectors.iter().map(|vector| vector.name.clone()).collect();
    assert_eq!(picked, SUITE.quick);
    assert!(2 * picked.len() < SUITE.vectors.len(), "{} are not few", picked.len());
}

#[test]
fn the_quick_vectors_alone_fail_every_mutant_and_no_control() {
    let suite = quick();
    let matrix = restricted(&suite);
    check_none(matrix.missing());
    assert_eq!((matrix.rows.len(), matrix.alive()), (MATRIX.rows.len(), CONTROLS.len()));
    assert_eq!(matrix.quick().vectors.len(), suite.vectors.len(), "of few, all are needed");
}

#[test]
fn whatever_short_vectors_show_short_quick_ones_show_too() {
    let unshown = shown().into_iter().filter(|(_, by)| {
        let short = short(by);
        !short.is_empty() && !short.iter().any(is_quick)
    });
    check_none(unshown.map(|(what, _)| what));
}

#[test]
fn no_quick_vector_can_be_left_out() {
    let shown: Vec<_> = shown().into_iter().map(|(_, by)| by).collect();
    let spare = SUITE.quick.iter().filter(|name| {
        let alone = |by: &BTreeSet<&str>| by.iter().filter(|name| is_quick(name)).eq([&name.as_str()]);
        !shown.iter().any(|by| alone(by) || alone(&short(by)))
    });
    check_none(spare.cloned());
}
