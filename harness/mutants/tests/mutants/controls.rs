//! The controls: which there are, and that no vector fails one.

use std::collections::{BTreeSet, HashSet};

use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Target as _;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::controls::allowed_answers;
use cosmos_ttl_mutants::{CONTROLS, Control, all_controls, named};

use crate::matrix::{SUITE, check_none};

#[test]
fn there_are_more_than_sixty_controls_and_each_has_its_own_name_and_its_own_store() {
    let names: BTreeSet<_> = all_controls().iter().map(|control| control.name).collect();
    assert_eq!((all_controls().len(), names.len()), (548, 548));
    let stores: HashSet<_> = all_controls().iter().map(|control| control.store).collect();
    assert_eq!(stores.len(), all_controls().len());
}

#[test]
fn every_open_clause_has_a_control_for_each_value_that_is_not_the_usual_one() {
    let open = SUITE.catalogue.clauses().filter(|clause| clause.level == Level::Open);
    let mut allowed: BTreeSet<_> = allowed_answers().map(|answer| answer.allowed_by.to_owned()).collect();
    for clause in open {
        let values = clause.values.iter().map(|value| format!("{}: {value}", clause.id));
        // `right` gives the usual one.
        let missing: Vec<_> = values.filter(|value| !allowed.remove(value)).collect();
        assert_eq!(missing.len(), 1, "{missing:?}");
    }
    let open = SUITE.catalogue.clauses().filter(|clause| clause.level == Level::Open);
    let is_of = |clause: &str, one: &str| one.split_once(':').is_some_and(|(of, _)| of == clause);
    let unlisted =
        open.flat_map(|clause| allowed.iter().filter(|one| is_of(&clause.id, one)).collect::<Vec<_>>());
    check_none(unlisted.map(|one| format!("{one}: the clause lists no such value")));
}

#[test]
fn every_allowed_answer_is_a_control_alone_and_with_each_other_that_one_store_can_give() {
    let names: BTreeSet<_> = all_controls().iter().map(|control| control.name).collect();
    let answers: Vec<_> = allowed_answers().map(|answer| answer.name).collect();
    check_none(answers.iter().filter(|name| !names.contains(*name)).map(ToString::to_string));
    let pairs = answers
        .iter()
        .enumerate()
        .flat_map(|(at, one)| answers[at + 1..].iter().map(move |other| (*one, *other)));
    let apart: Vec<_> =
        pairs.filter(|(one, other)| !names.contains(format!("{one}+{other}").as_str())).collect();
    // Two ways to give one answer, of which a store has one.
    let apart: Vec<_> = apart.into_iter().map(|(one, other)| format!("{one}, {other}")).collect();
    insta::assert_snapshot!(apart.join("\n"));
}

#[test]
fn a_generated_control_is_a_target_by_its_name() {
    let name = "null-default-refused+lazy-index-refused";
    assert_eq!(named(name).unwrap().about().name, format!("mutant:{name}"));
}

/// `cargo lab mutants --controls` replays every vector against all of them.
#[test]
fn no_vector_fails_a_control_of_a_sample() {
    let generated = all_controls().iter().skip(CONTROLS.len());
    let (alone, pairs): (Vec<_>, Vec<_>) = generated.partition(|control| !control.name.contains('+'));
    assert_eq!(alone.len(), 13);
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    check_none(
        alone.into_iter().chain(pairs.into_iter().step_by(7)).filter_map(|one| accused(one, &vectors)),
    );
}

/// Describes the first of these vectors that fails or differs.
fn accused(control: &Control, vectors: &[&Vector]) -> Option<String> {
    let results = run_virtual(&control.store, vectors).unwrap().results;
    let is_accused = |outcome| matches!(outcome, Outcome::Fail | Outcome::Differ);
    let first = results.into_iter().find(|result| is_accused(result.verdict.outcome()))?;
    Some(format!("{} fails {}", control.name, first.vector.name))
}
