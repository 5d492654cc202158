//! The statement of the complete suite is proved: the condition holds, and every faulty machine is killed.

use std::collections::BTreeSet;
use std::fs;

use cosmos_ttl_complete::{
    CompleteSuite, Depth, Machine, MachineAnswer, PairMachine, StateNumber, TargetChoices, Transitions,
};
use cosmos_ttl_harness::target::{Edition, Operation, Request};
use cosmos_ttl_lab::complete::{
    Domain, Needed, Simulation, StoreResult, Survivors, as_targets, certificate, check, checked_depth_1,
    results,
};
use cosmos_ttl_mutants::{CONTROLS, mutants};
use cosmos_ttl_testing::{project, suite};

#[test]
fn the_certificate_is_what_is_found() {
    let stored = fs::read_to_string(project().join("harness/complete/certificate.yaml")).unwrap();
    let deeper = checked_depth_1(&stored);
    let found = deeper.and_then(|deeper| certificate(&deeper)).unwrap_or_else(|what| panic!("{what}"));
    assert!(stored == found, "stale; write it: cargo lab complete\n{found}");
}

fn machine() -> Machine {
    Machine::new(2, Edition::default(), TargetChoices::default())
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
fn check_survived<M: Transitions>(suite: &CompleteSuite<'_, M>, complaint: &str) {
    let what = check(suite).unwrap_err();
    assert!(what.contains(complaint), "{what}");
    let faults = Simulation::new(suite).transfer_faults();
    assert!(faults.killed < faults.all, "{faults:?}");
}

#[test]
fn without_an_identifier_the_suite_of_two_items_is_not_complete() {
    let machine = PairMachine::new(Edition::default(), TargetChoices::default());
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
fn random_machines_with_one_more_state_are_killed() {
    let machine = machine();
    let suite = CompleteSuite::new(&machine, Depth(1));
    let found = Simulation::new(&suite).random_machines(1, 50);
    assert_eq!((found.all, found.killed), (50, 50));
}

#[test]
fn a_machine_with_one_more_state_may_survive_depth_0() {
    let machine = machine();
    let suite = CompleteSuite::new(&machine, Depth(0));
    let found = Simulation::new(&suite).random_machines(1, 50);
    assert!(found.killed < found.all, "{found:?}");
}

#[test]
fn states_are_those_that_the_checker_finds() {
    let views = cosmos_ttl_checker::client::Client::new(1, 2).walk();
    let sure = |view: &&cosmos_ttl_checker::client::View| {
        let known = view.known(cosmos_ttl_model::container::ItemId(0));
        !matches!(known, cosmos_ttl_model::client_knowledge::ClientKnowledge::Open { .. })
    };
    assert_eq!((views.len(), views.iter().filter(sure).count()), (47, machine().states().len()));
}

/// Plays the suite of depth 0 against these mutants.
fn played(names: &[&str]) -> Vec<StoreResult> {
    let picked: Vec<_> = mutants().filter(|one| names.contains(&one.name)).collect();
    assert_eq!(picked.len(), names.len(), "{names:?}");
    let stores: Vec<_> = picked.iter().map(|one| (one.name, one.store())).collect();
    results(suite(), Depth(0), &as_targets(&stores)).unwrap()
}

#[test]
fn a_few_mutants_are_killed_and_a_few_controls_pass() {
    let all = played(&[
        "absent-default-is-minus-one",
        "item-text-inherits",
        "one-second-late",
        "delete-is-a-second-late",
        "conditional-write-honours-own-ttl-while-off",
        "batch-takes-anything",
    ]);
    for one in all {
        assert!(!one.survives(), "{}", one.name);
    }
    let right: Vec<_> = CONTROLS.iter().skip(1).take(1).map(|one| (one.name, one.store)).collect();
    for one in results(suite(), Depth(0), &as_targets(&right)).unwrap() {
        assert!(!one.is_killed() && one.done.unconfirmed.is_empty(), "{}", one.name);
    }
}

#[test]
fn two_items_have_the_states_of_one_item_each() {
    let one = Machine::new(1, Edition::default(), TargetChoices::default());
    let two = PairMachine::new(Edition::default(), TargetChoices::default());
    let suite = CompleteSuite::new(&two, Depth(0));
    // Three defaults, and six states of each item.
    assert_eq!(one.states().len(), 3 * 6);
    assert_eq!((two.state_count(), suite.access.len()), (3 * 6 * 6, 3 * 6 * 6));
    // Twelve writes of each item make a batch.
    assert_eq!(two.input_count(), two.core() + 12 * 12);
}

/// The model of two items does what two models of one item do that share their settings.
#[test]
fn two_items_are_the_product_of_one_item_with_itself() {
    let one = Machine::new(1, Edition::default(), TargetChoices::default());
    let two = PairMachine::new(Edition::default(), TargetChoices::default());
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

#[test]
fn survivors_need_what_no_test_of_the_suite_does() {
    let results =
        played(&["container-maximum-is-refused", "partition-ignored-by-read", "read-lets-minus-one-inherit"]);
    let survivors = Survivors::of_mutants(suite(), &results).unwrap();
    let needed: Vec<Vec<Needed>> = survivors.0.keys().map(|all| all.iter().copied().collect()).collect();
    let expected = [vec![], vec![Needed::Partitions], vec![Needed::LongerLifetime]];
    assert_eq!(needed, expected);
    assert_eq!(survivors.of_more_states(), 1);
}

#[test]
fn what_the_suite_sends_needs_nothing_else() {
    let vectors = suite();
    let domain = Domain::new(2);
    let needed = |name: &str| domain.needed_by_vector(vectors.get(name).unwrap());
    for inside in
        ["lifetime/off-item-seconds", "lifetime/minus-one-item-absent", "clock/ts-follows-every-write"]
    {
        assert_eq!(needed(inside), BTreeSet::new(), "{inside}");
    }
    let partitions =
        vectors.vectors.iter().find(|vector| vector.steps.iter().any(|step| step.partition.is_some()));
    assert!(needed(&partitions.unwrap().name).contains(&Needed::Partitions));
}
