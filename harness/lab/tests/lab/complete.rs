//! The statement of the complete suite is proved: the condition holds, and every faulty machine is killed.

use std::fs;

use cosmos_ttl_explore::complete::{CompleteSuite, Depth, Machine, MachineAnswer, StateNumber};
use cosmos_ttl_harness::target::{Operation, Request};
use cosmos_ttl_lab::complete::{Simulation, certificate, check};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_testing::project;

#[test]
fn the_certificate_is_what_is_found() {
    let stored = fs::read_to_string(project().join("harness/explore/certificate.yaml")).unwrap();
    let found = certificate().unwrap_or_else(|what| panic!("{what}"));
    assert!(stored == found, "stale; write it: cargo lab complete\n{found}");
}

fn machine() -> Machine {
    Machine::new(2, Preferences::default())
}

/// A suite that lacks something does not satisfy the condition, and some faulty machine survives it.
#[track_caller]
fn check_incomplete(change: impl Fn(&mut CompleteSuite<'_>), complaint: &str) {
    let machine = machine();
    let mut suite = CompleteSuite::new(&machine, Depth(0));
    change(&mut suite);
    check_survived(&suite, complaint);
}

#[track_caller]
fn check_survived(suite: &CompleteSuite<'_>, complaint: &str) {
    let what = check(suite).unwrap_err();
    assert!(what.contains(complaint), "{what}");
    let faults = Simulation::new(suite).transfer_faults();
    assert!(faults.killed < faults.all, "{faults:?}");
}

#[test]
fn without_an_identifier_the_suite_of_two_items_is_not_complete() {
    let machine = Machine::of_two(Preferences::default());
    let mut suite = CompleteSuite::new(&machine, Depth(0));
    suite.identifiers.of.iter_mut().for_each(|all| all.truncate(1));
    check_survived(&suite, "");
    let mut suite = CompleteSuite::new(&machine, Depth(0));
    suite.access.pop();
    check_survived(&suite, "successor");
}

#[test]
fn without_an_identifier_the_suite_is_not_complete() {
    check_incomplete(|suite| suite.identifiers.of[3].truncate(1), "");
    check_incomplete(
        |suite| suite.identifiers.of.iter_mut().for_each(|all| all.truncate(1)),
        "access sequence",
    );
}

#[test]
fn without_an_access_sequence_the_suite_is_not_complete() {
    check_incomplete(|suite| drop(suite.access.pop()), "successor");
}

#[test]
fn two_items_have_the_states_of_one_item_each() {
    let one = Machine::new(1, Preferences::default());
    let two = Machine::of_two(Preferences::default());
    let suite = CompleteSuite::new(&two, Depth(0));
    // Three defaults, and six states of each item.
    assert_eq!(one.state_count(), 3 * 6);
    assert_eq!((two.state_count(), suite.access.len()), (3 * 6 * 6, 3 * 6 * 6));
    // Twelve writes of each item make a batch.
    assert_eq!(two.input_count(), two.core() + 12 * 12);
}

/// The model of two items does what two models of one item do that share their settings.
#[test]
fn two_items_are_the_product_of_one_item_with_itself() {
    let one = Machine::new(1, Preferences::default());
    let two = Machine::of_two(Preferences::default());
    // For each input of two items, the input that each of them sees.
    let (mut seen, mut writes) = (Vec::new(), Vec::new());
    for (number, input) in (0..).zip(one.alphabet.inputs.iter().take(one.alphabet.core)) {
        if !input.conditions.is_empty() {
            continue;
        }
        if input.is_shared() {
            seen.push([Some(number); 2]);
            continue;
        }
        seen.extend([[Some(number), None], [None, Some(number)]]);
        if matches!(&input.request, Some(Request::Item(operation)) if !matches!(operation, Operation::Read(_)))
        {
            writes.push(number);
        }
    }
    let is_batch = |input: usize| input >= two.core();
    seen.extend(writes.iter().flat_map(|one| writes.iter().map(|other| [Some(*one), Some(*other)])));
    assert_eq!(seen.len(), two.input_count());
    let parts = |state: StateNumber| [state / 36 * 6 + state % 36 / 6, state / 36 * 6 + state % 6];
    let is_success =
        |answer: &MachineAnswer| matches!(answer, MachineAnswer::Status(status) if status.is_success());
    let mut compared = 0;
    for (state, (input, seen)) in
        (0..108).flat_map(|state| seen.iter().enumerate().map(move |one| (state, one)))
    {
        let Some((_, next)) = two.step(state, u8::try_from(input).unwrap()) else { continue };
        let before = parts(state);
        let steps = [0, 1].map(|item| seen[item].and_then(|input| one.step(before[item], input)));
        let is_refused =
            is_batch(input) && !steps.iter().flatten().all(|(answers, _)| answers.iter().all(is_success));
        let after =
            [0, 1].map(|item| steps[item].filter(|_| !is_refused).map_or(before[item], |(_, next)| next));
        assert_eq!(parts(next), after, "{}", two.alphabet.inputs[input].words());
        compared += 1;
    }
    assert!(compared > 108 * 150, "{compared}");
}

#[test]
fn access_sequences_are_prefix_closed() {
    let machine = machine();
    let suite = CompleteSuite::new(&machine, Depth(0));
    let known = |opening, inputs: &[u8]| {
        suite.access.iter().any(|(test, _)| test.opening == opening && test.inputs == inputs)
    };
    for (test, _) in &suite.access {
        if let Some((_, before)) = test.inputs.split_last() {
            assert!(known(test.opening, before), "{test:?}");
        }
    }
    let states: Vec<StateNumber> = suite.access.iter().map(|(_, state)| *state).collect();
    assert_eq!(states.len(), 40);
}
