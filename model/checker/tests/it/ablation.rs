//! The model without each clause, and the properties that notice.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::thread;

use crate::CLAUSES;
use cosmos_ttl_checker::ablation::{self, ModelAblation};
use cosmos_ttl_checker::{CheckReport, CheckScope, PropertyKind, Shipped, broken_by, check_with};

/// The laws that are broken, each with its model.
fn broken(report: &CheckReport) -> BTreeSet<(&'static str, &'static str)> {
    report.failures().map(|(model, law)| (model.name, law.sentence)).collect()
}

/// The properties that each ablation breaks: first those of [`ablation::all`], then the further ones.
static BREAKS: LazyLock<Vec<(&ModelAblation, CheckReport)>> = LazyLock::new(|| {
    let all: Vec<_> = ablation::all().chain(ablation::further()).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let parts = all.chunks(all.len().div_ceil(workers));
        let parts =
            parts.map(|part| scope.spawn(|| part.iter().map(|one| (*one, broken_by(**one))).collect()));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| -> Vec<_> { part.join().unwrap() }).collect()
    })
});

fn find(clause: &str) -> &'static ModelAblation {
    ablation::all().find(|one| one.clause == clause).unwrap()
}

fn breaks(one: &ModelAblation) -> &'static CheckReport {
    let same = |other: &ModelAblation| (other.clause, other.instead) == (one.clause, one.instead);
    BREAKS.iter().find(|(other, _)| same(other)).map(|(_, report)| report).unwrap()
}

#[test]
fn nothing_is_broken_where_nothing_is_missing() {
    assert_eq!(broken(&broken_by(Shipped)), BTreeSet::new());
}

#[test]
fn the_walk_alone_finds_what_both_searches_find() {
    let some = ["gone-at-deadline", "purge-eventually", "expired-upsert-status", "item-zero-rejected"];
    for one in some.map(find).into_iter().chain(ablation::further()) {
        let both = check_with(*one, CheckScope::Small);
        assert_eq!(broken(breaks(one)), broken(&both), "{one:?}");
        assert_eq!(both.models.iter().find_map(|model| model.disagreement.as_ref()), None, "{one:?}");
    }
}

#[test]
fn each_entry_is_of_a_clause_and_says_something_of_its_own() {
    let clauses: BTreeSet<_> = ablation::all().map(|one| one.clause).collect();
    assert_eq!(clauses.len(), ablation::all().count());
    for one in ablation::all().chain(ablation::further()) {
        assert!(CLAUSES.contains(&format!("- {{id: {},", one.clause)), "{}", one.clause);
        assert!(one.instead.len() < 130 && !one.instead.ends_with('.'), "{}", one.clause);
    }
}

#[test]
fn each_clause_has_a_property_that_states_it_and_fails_without_it() {
    let silent = BREAKS.iter().take(ablation::all().count()).filter(|(one, report)| {
        !report.failures().any(|(_, property)| property.clauses.contains(&one.clause))
    });
    assert_eq!(silent.map(|(one, _)| one.instead).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn each_always_fails_under_some_ablation() {
    let shipped = broken_by(Shipped);
    let stated = shipped.models.iter().flat_map(|model| {
        let always = model.properties.iter().filter(|property| property.kind == PropertyKind::Always);
        always.map(|property| (model.name, property.sentence))
    });
    let failed: BTreeSet<_> = BREAKS.iter().flat_map(|(_, report)| broken(report)).collect();
    let held: Vec<_> = stated.filter(|stated| !failed.contains(stated)).collect();
    assert_eq!(held, [("", ""); 0]);
}

/// One item suffices for all but the one that changes another item than the request names.
#[test]
fn each_further_ablation_breaks_other_properties_than_the_first() {
    for one in ablation::further() {
        let first = find(one.clause);
        let (further, first) = if one.clause == "ts-never-decreases" {
            let both = |one| broken(&check_with(one, CheckScope::Standard));
            (both(*one), both(*first))
        } else {
            (broken(breaks(one)), broken(breaks(first)))
        };
        assert!(!further.is_empty(), "{one:?}");
        assert_ne!(further, first, "{one:?}");
    }
}
