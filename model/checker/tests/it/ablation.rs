//! The model without each clause, and the properties that notice.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::thread;

use crate::{CLAUSES, REPORT};
use cosmos_ttl_checker::ablation::{self, ModelAblation};
use cosmos_ttl_checker::{CheckReport, CheckScope, PropertyKind, broken_by};

/// The laws that are broken, each with its model.
fn broken(report: &CheckReport) -> BTreeSet<(&'static str, &'static str)> {
    report.failures().map(|(model, law)| (model.name, law.sentence)).collect()
}

/// Every ablation is walked in these models.
const MAIN: [&str; 2] = ["one item", "other readings"];

/// Models by the start of their name, and the ablations that are walked there as well: those that are noticed nowhere else,
/// and for each *always* one that breaks it.
const ELSEWHERE: [(&str, &[&str]); 9] = [
    (
        "indexing",
        &[
            "off-never-expires",
            "gone-at-deadline",
            "ttl-needs-an-index",
            "indexed-modes-allow-ttl",
            "lazy-index-may-lag",
        ],
    ),
    ("memory", &["counted-from-last-write", "visible-before-deadline", "removed-never-returns"]),
    ("removal", &["gone-at-deadline", "purge-invisible", "reappearance"]),
    ("sweeper", &["purge-only-expired"]),
    ("provisioned", COST),
    ("serverless", COST),
    ("clock", &["gone-at-deadline", "purge-spares-recreated"]),
    ("clock, late", &["counted-from-last-write", "deadline-does-not-overflow"]),
    ("clock, other readings", &["expired-in-aggregates"]),
];

const COST: &[&str] = &[
    "purge-may-wait",
    "purge-eventually",
    "purge-uses-leftover",
    "purge-never-throttles-users",
    "overload-delays-purge",
    "serverless-purge-is-billed",
    "setting-ttl-is-free",
];

fn is_walked(clause: &str, model: &str) -> bool {
    let elsewhere =
        |(start, clauses): &(&str, &[&str])| model.starts_with(start) && clauses.contains(&clause);
    MAIN.contains(&model) || ELSEWHERE.iter().any(elsewhere)
}

/// The properties that each ablation breaks: first those of [`ablation::all`], then the further ones.
static BREAKS: LazyLock<Vec<(&ModelAblation, CheckReport)>> = LazyLock::new(|| {
    let all: Vec<_> = ablation::all().chain(ablation::further()).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let parts = all.chunks(all.len().div_ceil(workers));
        let walk = |one: &&'static ModelAblation| {
            (*one, broken_by(**one, CheckScope::Small, |model| is_walked(one.clause, model)))
        };
        let parts = parts.map(|part| scope.spawn(move || part.iter().map(walk).collect()));
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
    // Only worlds of one item are walked without each clause.
    let models = REPORT.models.iter().filter(|model| model.name != "two items");
    let stated = models.flat_map(|model| {
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
            let both = |one| broken(&broken_by(one, CheckScope::Standard, |model| model == "two items"));
            (both(*one), both(*first))
        } else {
            (broken(breaks(one)), broken(breaks(first)))
        };
        assert!(!further.is_empty(), "{one:?}");
        assert_ne!(further, first, "{one:?}");
    }
}
