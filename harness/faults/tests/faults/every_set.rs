//! The rules for every set: its faults show, its correct stores answer like none of them, its lists are in order.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::{FaultEntry, FaultSet, PlantedStore};
use cosmos_ttl_harness::clauses::{Level, Observe};
use cosmos_ttl_harness::embedded;
use cosmos_ttl_harness::target::{Fault, Removal};

const SCHEDULES: [Option<Removal>; 4] =
    [None, Some(Removal::Never), Some(Removal::Eager), Some(Removal::Alternate)];

fn script(fault: &FaultEntry) -> Demonstration {
    Demonstration::parse(fault.shown_by).unwrap_or_else(|why| panic!("{}: {why}", fault.name))
}

/// Plays a script; `None` if the store does not support it.
fn played(store: PlantedStore, script: &Demonstration, removal: Option<Removal>) -> Option<Vec<String>> {
    match script.play(store.target(), removal) {
        Ok(answers) => Some(answers),
        Err(Fault::Unsupported(_)) => None,
        Err(other) => panic!("{}: {other}", store.target().about().name),
    }
}

/// Checks that this text says nothing about any fault of any set.
#[track_caller]
fn check_each_fault(objection: impl Fn(FaultSet, &FaultEntry) -> Option<String>) {
    let mut objections = Vec::new();
    for set in FaultSet::ALL {
        for fault in set.faults() {
            objections.extend(objection(*set, &fault).map(|why| format!("{}: {why}", fault.name)));
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn every_fault_shows_itself() {
    check_each_fault(|set, fault| {
        let script = script(fault);
        let wrong = played(fault.store, &script, None);
        let is_hidden = wrong.is_none() || wrong == played(set.usual_store(), &script, None);
        is_hidden.then(|| format!("{} -> {wrong:?}", fault.shown_by))
    });
}

#[test]
fn no_correct_store_answers_a_script_as_its_fault_does() {
    check_each_fault(|set, fault| {
        let script = script(fault);
        let wrong = played(fault.store, &script, None);
        let alike = set
            .correct()
            .into_iter()
            .find(|one| SCHEDULES.iter().any(|removal| played(one.store, &script, *removal) == wrong));
        alike.map(|one| format!("{} answers {} alike", one.name, fault.shown_by))
    });
}

/// A change of settings may bring back an item that is not removed yet.
#[test]
fn removal_does_not_show() {
    check_each_fault(|set, fault| {
        let script = script(fault);
        let answers = SCHEDULES.map(|removal| played(set.usual_store(), &script, removal));
        let may_differ = ["set ", "purge"].iter().any(|word| fault.shown_by.contains(word));
        let differs = answers.iter().any(|one| *one != answers[0]);
        (differs && !may_differ).then(|| format!("{}: {answers:?}", fault.shown_by))
    });
}

#[test]
fn every_fault_breaks_clauses_of_level_must_that_a_client_can_see() {
    let suite = embedded().unwrap();
    check_each_fault(|_, fault| {
        let is_must = |id: &&&str| {
            let clause = suite.catalogue.get(id);
            clause.is_some_and(|clause| (clause.level, clause.observe) == (Level::Must, Observe::Client))
        };
        let other = fault.breaks.iter().find(|id| !is_must(id));
        let none = fault.breaks.is_empty().then_some(&"no clause");
        other.or(none).map(|id| format!("{id} is no must that a client can see"))
    });
}

#[test]
fn names_are_unique_in_a_set_and_sentences_are_sentences() {
    for set in FaultSet::ALL {
        let faults = set.faults().into_iter().map(|fault| (fault.name, fault.says));
        let correct = set.correct().into_iter().map(|one| (one.name, one.says));
        let [mut names, mut sentences] = [BTreeSet::new(), BTreeSet::new()];
        for (name, says) in faults.chain(correct) {
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(name.bytes().all(is_plain) && names.insert(name), "{name}");
            assert!(says.ends_with('.') && says.split_whitespace().count() <= 25, "{name}: {says}");
            assert!(sentences.insert(says), "{name}: {says}");
        }
    }
}

#[test]
fn no_set_is_small() {
    for set in FaultSet::ALL {
        let [faults, correct] = [set.faults().len(), set.correct().len()];
        assert!(60 <= faults && 25 <= correct, "{} set: {faults} and {correct}", set.word());
    }
}

#[test]
fn every_must_that_a_client_can_see_is_broken_by_a_fault_of_a_new_set() {
    let suite = embedded().unwrap();
    for set in FaultSet::ALL.iter().skip_while(|set| **set != FaultSet::Eighth) {
        let broken: BTreeSet<_> = set.faults().iter().flat_map(|fault| fault.breaks).copied().collect();
        let clauses = suite.catalogue.clauses();
        let musts = clauses.filter(|clause| (clause.level, clause.observe) == (Level::Must, Observe::Client));
        let whole: Vec<_> = musts.filter(|clause| !broken.contains(clause.id.as_str())).collect();
        assert!(whole.is_empty(), "{} set: {whole:?}", set.word());
    }
}

#[test]
fn no_two_faults_of_a_new_set_answer_the_same_script_alike() {
    for set in FaultSet::ALL.iter().skip_while(|set| **set != FaultSet::Tenth) {
        let mut names = BTreeMap::new();
        for fault in set.faults() {
            let answers = played(fault.store, &script(&fault), None);
            assert_eq!(names.insert((fault.shown_by, answers), fault.name), None, "{}", fault.name);
        }
    }
}
