//! Whether each fault is one, whether the correct stores are many, and whether both lists are in order.

#![allow(clippy::panic, reason = "a test that cannot go on")]

mod second;
mod third;

use std::collections::BTreeSet;

use cosmos_ttl_faults::number::{self, Sent};
use cosmos_ttl_faults::script::{Demonstration, ScriptStep};
use cosmos_ttl_faults::{CORRECT, FAULTS, LogStore, SingleFault};
use cosmos_ttl_harness::clauses::{Level, Observe};
use cosmos_ttl_harness::embedded;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Fault, Removal};

fn script(fault: &SingleFault) -> Demonstration {
    Demonstration::parse(fault.shown_by).unwrap_or_else(|why| panic!("{}: {why}", fault.name))
}

fn answers(store: &LogStore, script: &Demonstration) -> Vec<String> {
    script.play(store, None).unwrap_or_else(|fault| panic!("{}: {fault}", store.name))
}

#[test]
fn every_fault_answers_its_script_as_the_correct_store_does_not() {
    for fault in FAULTS.iter() {
        let script = script(fault);
        let right = answers(&LogStore::CORRECT, &script);
        assert_ne!(right, answers(&fault.store(), &script), "{}: {}", fault.name, fault.shown_by);
    }
}

/// Returns the name of a correct store that gives these answers to a script.
fn correct_store_with(answers: &[String], script: &Demonstration) -> Option<String> {
    let schedules = [Removal::Never, Removal::Eager, Removal::Alternate];
    for correct in CORRECT.iter() {
        for removal in schedules {
            match script.play(&correct.store(), Some(removal)) {
                Ok(right) if right == answers => return Some(format!("{} under {removal}", correct.name)),
                Ok(_) | Err(Fault::Unsupported(_)) => {}
                Err(other) => panic!("{}: {other}", correct.name),
            }
        }
    }
    None
}

#[test]
fn no_correct_store_answers_a_script_as_its_fault_does() {
    for fault in FAULTS.iter() {
        let script = script(fault);
        let correct = correct_store_with(&answers(&fault.store(), &script), &script);
        assert_eq!(correct, None, "{}: {}", fault.name, fault.shown_by);
    }
}

/// Returns how many requests the correct store refuses.
fn refusals(script: &Demonstration) -> usize {
    let refused = ["bad-request", "not-found", "conflict", "precondition-failed"];
    let answers = answers(&LogStore::CORRECT, script);
    answers.iter().filter(|answer| refused.iter().any(|word| answer.starts_with(word))).count()
}

// A step stays if a later one would be refused without it: the script would be about something else.
#[test]
fn no_step_of_a_script_can_be_left_out() {
    for fault in FAULTS.iter() {
        let script = script(fault);
        let opens = |step: &ScriptStep| matches!(step, ScriptStep::Send(request, _) if request.word() == "create-container");
        for number in (0..script.steps.len()).filter(|number| !opens(&script.steps[*number])) {
            let mut shorter = script.clone();
            shorter.steps.remove(number);
            let Ok(answers) = shorter.play(&fault.store(), None) else { continue };
            let shows = correct_store_with(&answers, &shorter).is_none();
            let superfluous = shows && refusals(&shorter) <= refusals(&script);
            assert!(!superfluous, "{}: step {number} of {} is superfluous", fault.name, fault.shown_by);
        }
    }
}

#[test]
fn a_script_says_which_statement_it_cannot_read() {
    for (text, statement) in
        [("open 5; jump a", "jump a"), ("open five", "open five"), ("batch create a", "batch create a")]
    {
        assert_eq!(Demonstration::parse(text), Err(format!("`{statement}` is no statement of a script")));
    }
}

#[test]
fn lifetimes_are_read_by_their_digits() {
    let read = |text: &str| match number::read(Some(&Literal::parse(text).expect("valid JSON"))) {
        Sent::Number(number) => Some((number.value, number.fractional)),
        _ => None,
    };
    assert_eq!(read("-0"), Some((0, false)));
    assert_eq!(read("1e1"), Some((10, true)));
    assert_eq!(read("100e-1"), Some((10, true)));
    assert_eq!(read("-2.0"), Some((-2, true)));
    assert_eq!(read("0e999999999999999999999"), Some((0, true)));
    assert_eq!(read("1e400"), Some((10_i128.pow(30), true)));
    assert_eq!(read("9007199254740993"), Some((9_007_199_254_740_993, false)));
    for other in ["1.5", "1e-1", "\"10\"", "true", "[]", "{}", "null"] {
        assert_eq!(read(other), None, "{other}");
    }
}

#[test]
fn names_are_unique_and_sentences_are_sentences() {
    let entries = FAULTS.iter().map(|fault| (fault.name, fault.says));
    let entries: Vec<_> = entries.chain(CORRECT.iter().map(|correct| (correct.name, correct.says))).collect();
    let names: BTreeSet<_> = entries.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), entries.len());
    for (name, says) in entries {
        assert!(
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{name}"
        );
        assert!(says.ends_with('.') && says.split(' ').count() <= 25, "{name}: {says}");
    }
}

#[test]
fn every_fault_breaks_clauses_of_level_must_that_a_client_can_see() {
    let suite = embedded().expect("the embedded suite loads");
    for fault in FAULTS.iter() {
        assert!(!fault.breaks.is_empty(), "{}", fault.name);
        for id in fault.breaks {
            let clause = suite.catalogue.get(id);
            let clause = clause.unwrap_or_else(|| panic!("{}: no clause is called {id}", fault.name));
            assert_eq!(
                (clause.level, clause.observe),
                (Level::Must, Observe::Client),
                "{}: {id}",
                fault.name
            );
        }
    }
}

#[test]
fn there_are_sixty_of_each() {
    assert!(FAULTS.iter().count() >= 60);
    assert!(CORRECT.iter().count() >= 60);
}
