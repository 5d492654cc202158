//! The model without each clause, and the properties that notice.

use std::collections::BTreeSet;

use crate::CLAUSES;
use cosmos_ttl_checker::ablation::{self, ModelAblation};
use cosmos_ttl_checker::{CheckReport, CheckScope, Shipped, broken_by, check_with};

/// The laws that are broken, each with its model.
fn broken(report: &CheckReport) -> BTreeSet<(&'static str, &'static str)> {
    report.failures().map(|(model, law)| (model.name, law.sentence)).collect()
}

fn find(clause: &str) -> &'static ModelAblation {
    ablation::all().find(|one| one.clause == clause).unwrap()
}

#[test]
fn nothing_is_broken_where_nothing_is_missing() {
    assert_eq!(broken(&broken_by(Shipped)), BTreeSet::new());
}

#[test]
fn the_walk_alone_finds_what_both_searches_find() {
    for clause in ["gone-at-deadline", "purge-eventually", "expired-upsert-status", "item-zero-rejected"] {
        let both = check_with(*find(clause), CheckScope::Small);
        assert_eq!(broken(&broken_by(*find(clause))), broken(&both), "{clause}");
    }
}

#[test]
fn a_clause_that_no_client_can_see_is_missed_by_a_law_that_states_it() {
    let lines = CLAUSES.lines().filter(|line| line.contains("observe: model"));
    let clauses =
        lines.map(|line| line.trim_start().strip_prefix("- {id: ").unwrap().split(',').next().unwrap());
    let clauses: Vec<_> = clauses.collect();
    assert_eq!(clauses.len(), 8);
    for clause in clauses {
        let report = broken_by(*find(clause));
        let own = report.failures().any(|(_, law)| law.clauses.contains(&clause));
        assert!(own, "{clause}");
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
