//! The fourth set: every fault shows itself, and the correct store answers as the clauses say.

use std::collections::BTreeSet;

use cosmos_ttl_faults::fourth::{TimerStore, all_correct, all_faults};
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::clauses::{Level, Observe};
use cosmos_ttl_harness::embedded;

#[test]
fn names_are_unique_and_lists_are_long() {
    let faults: BTreeSet<_> = all_faults().map(|fault| fault.name).collect();
    let stores: BTreeSet<_> = all_correct().map(|store| store.name).collect();
    assert_eq!(faults.len(), all_faults().count());
    assert_eq!(stores.len(), all_correct().count());
    assert!(faults.len() >= 150, "{}", faults.len());
    assert!(stores.len() >= 60, "{}", stores.len());
    let sentences: BTreeSet<_> = all_faults().map(|fault| fault.says).collect();
    assert_eq!(sentences.len(), faults.len());
}

#[test]
fn sentences_are_short() {
    let says = all_faults().map(|fault| fault.says).chain(all_correct().map(|store| store.says));
    for says in says {
        assert!(says.ends_with('.') && says.split_whitespace().count() <= 25, "{says}");
    }
}

#[test]
fn clauses_are_musts_that_a_client_can_observe() {
    let suite = embedded().expect("the embedded suite loads");
    for fault in all_faults() {
        assert!(!fault.breaks.is_empty(), "{}", fault.name);
        for id in fault.breaks {
            let clause = suite.catalogue.get(id).unwrap_or_else(|| panic!("{}: no clause {id}", fault.name));
            assert_eq!((clause.level, clause.observe), (Level::Must, Observe::Client), "{}: {id}", fault.name);
        }
    }
}

#[test]
fn every_fault_shows_itself() {
    let mut hidden = Vec::new();
    for fault in all_faults() {
        let script = Demonstration::parse(fault.shown_by).unwrap_or_else(|why| panic!("{}: {why}", fault.name));
        let faulty = script.play(&fault.store(), None).unwrap_or_else(|why| panic!("{}: {why}", fault.name));
        let correct = script.play(&TimerStore::CORRECT, None).unwrap();
        if faulty == correct {
            hidden.push(format!("{}: {} -> {correct:?}", fault.name, fault.shown_by));
        }
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
}

#[test]
#[ignore = "prints"]
fn print() {
    for fault in all_faults() {
        let script = Demonstration::parse(fault.shown_by).unwrap();
        let short = |answers: Vec<String>| answers.join("; ").replace("Some", "");
        let (faulty, correct) = (script.play(&fault.store(), None).unwrap(), script.play(&TimerStore::CORRECT, None).unwrap());
        println!("{} [{}]\n   {}\n   C {}\n   F {}", fault.name, fault.breaks.join(" "), fault.shown_by, short(correct), short(faulty));
    }
}
