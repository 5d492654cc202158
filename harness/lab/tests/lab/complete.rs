//! The statement of the complete suite is proved: the condition holds, and every faulty machine is killed.

use std::collections::BTreeSet;
use std::fs;

use cosmos_ttl_complete::{
    CompleteSuite, Depth, Machine, MachineAnswer, PairMachine, StateNumber, TargetChoices, Transitions,
};
use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_harness::target::{Edition, Operation, Request};
use cosmos_ttl_lab::complete::{
    Domain, GroupScore, Needed, SCORES_FILE, Simulation, StoreResult, StoreScores, Survivors, as_targets,
    certificate, check, checked_depth_1, results,
};
use cosmos_ttl_lab::store_group::{GroupStores, StoreGroup, faulty_mutants};
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_testing::{project, suite};

use crate::program::{ProgramOutput, directory, program};

#[test]
fn the_certificate_is_what_is_found() {
    let stored = fs::read_to_string(project().join("harness/complete/certificate.yaml")).unwrap();
    let deeper = checked_depth_1(&stored);
    let found = deeper.and_then(|deeper| certificate(&deeper)).unwrap_or_else(|what| panic!("{what}"));
    assert!(stored == found, "stale; write it: cargo lab complete\n{found}");
}

#[test]
fn a_certificate_without_depth_1_proves_nothing_and_is_left_alone() {
    let path = directory("complete").join("certificate.yaml");
    fs::write(&path, "model: none\n").unwrap();
    let said: ProgramOutput =
        program().args(["complete", "--certificate"]).arg(&path).output().unwrap().into();
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    assert!(said.out.starts_with("not proved: ") && said.out.contains("--machines 100000"), "{}", said.out);
    assert_eq!(fs::read_to_string(&path).unwrap(), "model: none\n");
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

/// Plays the suite of depth 0 against these mutants.
fn played(names: &[&str]) -> Vec<StoreResult> {
    let picked: Vec<_> = mutants().filter(|one| names.contains(&one.name)).collect();
    assert_eq!(picked.len(), names.len(), "{names:?}");
    let stores: Vec<_> = picked.iter().map(|one| (one.name, one.store())).collect();
    results(suite(), Depth(0), &as_targets(&stores)).unwrap()
}

fn scores() -> StoreScores {
    let text = fs::read_to_string(project().join("harness/complete").join(SCORES_FILE)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|err| panic!("{SCORES_FILE}: {err}"))
}

#[test]
fn the_scores_have_every_store_and_accuse_no_correct_one() {
    let StoreScores { groups } = scores();
    let sizes = |stores: &GroupStores<'_>| {
        [stores.faulty.len(), stores.correct.len(), stores.correct_by_two_items.len()]
    };
    let all: Vec<_> = StoreGroup::all().map(|group| (group.word(), group.with_stores(sizes))).collect();
    let size = |one: &GroupScore| [one.faulty, one.correct, one.correct_by_two_items];
    let scored: Vec<_> = groups.iter().map(|one| (one.group.as_str(), size(one))).collect();
    assert_eq!(scored, all, "stale; write it: cargo lab complete --stores 0 GROUP");
    for one in &groups {
        assert_eq!(one.complete_by_depth[0] + one.survivors_of_depth_0().len(), one.faulty, "{}", one.group);
        assert_eq!(one.accused, Vec::<String>::new());
    }
}

/// The scores list the mutants that survive: one in 20 is played again.
#[test]
fn the_scores_are_those_of_a_part_of_the_mutants() {
    let StoreScores { groups } = scores();
    let surviving = groups[0].survivors_of_depth_0();
    let faulty: Vec<_> = faulty_mutants().map(|one| one.name).collect();
    assert!(surviving.iter().all(|name| faulty.contains(name)), "{surviving:?}");
    for one in played(&faulty.into_iter().step_by(20).collect::<Vec<_>>()) {
        assert_eq!(one.is_found(), !surviving.contains(one.name), "{}: {:?}", one.name, one.done.found);
    }
}

#[test]
#[ignore = "plays 5,000 stores, which takes minutes: cargo test --release -p cosmos-ttl-lab -- --ignored the_scores"]
fn the_scores_are_those_of_every_store() {
    let mut wrong = Vec::new();
    for (group, score) in StoreGroup::all().zip(scores().groups) {
        let surviving = score.survivors_of_depth_0();
        group.with_stores(|stores| {
            for one in results(suite(), Depth(0), &stores.faulty).unwrap() {
                if one.is_found() == surviving.contains(one.name) {
                    wrong.push(format!("{}: {}", score.group, one.name));
                }
            }
            let correct = results(suite(), Depth(0), &stores.correct).unwrap();
            let accused = correct.iter().filter(|one| one.is_accused());
            wrong.extend(accused.map(|one| format!("{}: {} is accused", score.group, one.name)));
        });
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// No clause says that an item has another etag after a delete and a write of the same content in the same second.
#[test]
fn a_store_whose_etag_follows_from_content_and_ts_passes() {
    let all = FaultSet::Sixteenth.correct();
    let one = all.iter().find(|one| one.name == "sixteenth-correct-etag-of-content-and-ts").unwrap();
    let done = &results(suite(), Depth(0), &[(one.name, one.store.target())]).unwrap()[0].done;
    assert!(done.found.is_none() && done.unconfirmed.is_empty(), "{:?}", done.unconfirmed);
    assert_eq!((done.cut, &done.mishaps, done.not_offered.len()), (0, &vec![], 0));
}

#[test]
fn trust_has_the_table_of_the_scores() {
    let trust = fs::read_to_string(project().join("harness/TRUST.md")).unwrap();
    let table = scores().table();
    assert!(trust.contains(&table), "TRUST.md needs this table:\n{table}");
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
