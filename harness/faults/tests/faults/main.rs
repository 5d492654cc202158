//! Whether each set is what it says: `every_set` has what holds of all; the others have tables and more of one set.

#![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, reason = "tests")]

mod eighth;
mod eleventh;
mod every_set;
mod fifteenth;
mod fifth;
mod fourteenth;
mod fourth;
mod ninth;
mod second;
mod seventeenth;
mod seventh;
mod sixteenth;
mod sixth;
mod tenth;
mod third;
mod thirteenth;
mod twelfth;

use cosmos_ttl_faults::number::{self, Sent};
use cosmos_ttl_faults::script::{Demonstration, ScriptStep};
use cosmos_ttl_faults::{CORRECT, FAULTS, LogStore, SingleFault};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Fault, Removal};

fn script(fault: &SingleFault) -> Demonstration {
    Demonstration::parse(fault.shown_by).unwrap_or_else(|why| panic!("{}: {why}", fault.name))
}

fn answers(store: &LogStore, script: &Demonstration) -> Vec<String> {
    script.play(store, None).unwrap_or_else(|fault| panic!("{}: {fault}", store.name))
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
