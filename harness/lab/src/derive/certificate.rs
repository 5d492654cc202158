//! The coverage of the derived vectors, found by replaying them over the machine, and not from their derivation.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_checker::client::Client;
use cosmos_ttl_complete::{
    AllowedOutcome, Input, InputNumber, Machine, MachineAnswer, NextState, StateNumber, Transitions as _,
};
use cosmos_ttl_explore::Call;
use cosmos_ttl_harness::target::{Edition, Operation, Request};
use cosmos_ttl_harness::vector::{ExpectedResponse, Step, Suite, Vector};
use cosmos_ttl_report::model_digest;

use super::comparison::{CoveredInput, GraphComparison};
use super::features::combinations;
use super::transitions::WAIT;
use super::two_item_interleavings::{Interleaving, two_item_interleavings};
use super::{LONGEST_S, WITNESS, transitions};

/// Returns the certificate of these derived vectors.
///
/// # Errors
///
/// A vector that expects what the machine does not allow, and where; a transition of the graph that the machine makes
/// otherwise.
pub fn certify(suite: &Suite) -> Result<String, String> {
    let machine = transitions::machine();
    let (mut covered, mut interleavings) = (BTreeSet::new(), BTreeSet::new());
    let mut tables: BTreeMap<String, ItemRequests> = BTreeMap::new();
    for vector in &suite.derived {
        for id in ids(vector) {
            let table = tables.entry(id.clone()).or_insert_with(|| ItemRequests::new(&machine, &id));
            covered.extend(walk(&machine, vector, table)?);
        }
        interleavings.extend(Interleaving::of(vector));
    }
    let states = (0..).zip(machine.states()).map(|(state, _)| state);
    let inputs = || (0..).zip(&machine.alphabet.inputs).map(|(input, _)| input);
    let all: Vec<CoveredInput> = states
        .flat_map(|state| inputs().map(move |input| (state, input)))
        .filter(|(state, input)| machine.outcomes(*state, *input).is_some())
        .collect();
    let sends_refused = |input: InputNumber| {
        let input = machine.alphabet.inputs.get(usize::from(input));
        input.is_some_and(transitions::sends_refused_value)
    };
    let is_other = |one: &&CoveredInput| !sends_refused(one.1);
    let is_core = |one: &&CoveredInput| usize::from(one.1) < machine.alphabet.core;
    let is_covered = |one: &&CoveredInput| covered.contains(one);
    let seen: BTreeSet<StateNumber> = covered.iter().map(|(state, _)| *state).collect();
    let sent: BTreeSet<InputNumber> = covered.iter().map(|(_, input)| *input).collect();
    let steps: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    let longest = suite.derived.iter().map(|vector| vector.steps.len()).max().unwrap_or(0);
    Ok(format!(
        "\
# What the derived vectors cover, counted by replaying them over the machine of the complete suite. Written by
# `cargo lab derive`, and counted again by the tests.
model: \"{}\"
vectors: {}
requests: {steps}
most-requests-in-a-vector: {longest}
# One item. A state is all that a client can tell apart; a transition is what it asks there, or a second that passes. The
# core is what may lead to a hidden state of a store. Refused values take turns: each kind of write sends two at each state,
# or none while the container is off. Two more transitions are left out: null as `defaultTtl` over an expired item, and batches
# that abort and send an etag of an item that is not there. Two open clauses decide each, and no expectation can say that.
one-item:
  longest-ttl: {LONGEST_S}
  states: {}
  states-covered: {}
  inputs: {}
  inputs-sent: {}
  transitions: {}
  transitions-covered: {}
  transitions-without-refused-values: {}
  transitions-without-refused-values-covered: {}
  core-transitions: {}
  core-transitions-covered: {}
# The graph that the checker walks is computed apart from the machine: from all worlds that removal may leave. Each of its
# transitions is one of the machine: the same answers, the same states after it.
checked-graph:
  transitions-alike: {}
# Two items that are written at once or a second apart, under each default and with each ttl, the first of them left alone
# or written again, and both watched to the end.
two-items:
  longest-ttl: {LONGEST_S}
  interleavings: {}
  interleavings-covered: {}
# Combinations of features, so that all values of some sets of features meet (harness/lab/src/derive/features.rs). Those left
# out depend on several open clauses at once, on a should, or on an etag that no answer has shown.
combinations:
  combinations: {}
  combinations-covered: {}
",
        model_digest(),
        suite.derived.len(),
        machine.states().len(),
        seen.len(),
        machine.alphabet.inputs.len(),
        sent.len(),
        all.len(),
        all.iter().filter(is_covered).count(),
        all.iter().filter(is_other).count(),
        all.iter().filter(is_other).filter(is_covered).count(),
        all.iter().filter(is_core).count(),
        all.iter().filter(is_core).filter(is_covered).count(),
        transitions_alike()?,
        two_item_interleavings().len(),
        interleavings.len(),
        combinations().iter().map(Vec::len).sum::<usize>(),
        suite.derived.iter().map(combined_items).sum::<usize>(),
    ))
}

/// Returns how many transitions of the checker's graph the machine makes alike: all of them.
///
/// # Errors
///
/// A transition that it makes otherwise.
fn transitions_alike() -> Result<usize, String> {
    let client = Client::new(1, LONGEST_S);
    let comparison = GraphComparison::new(&client);
    let mut alike = 0;
    for view in client.walk() {
        for request in client.requests(&view).into_iter().map(Some).chain([None]) {
            comparison.image(&view, request.as_ref())?;
            alike += 1;
        }
    }
    Ok(alike)
}

/// Returns how many items of a vector have a combination of features of their own.
fn combined_items(vector: &Vector) -> usize {
    let is_combined = vector.name.contains("/derived-combined-");
    let operations = vector.steps.iter().flat_map(|step| step.request.operations());
    let ids: BTreeSet<&str> =
        operations.map(Operation::id).filter(|id| is_combined && id.len() == 1).collect();
    ids.len()
}

/// Every item but the witness.
fn ids(vector: &Vector) -> BTreeSet<String> {
    let operations = vector.steps.iter().flat_map(|step| step.request.operations());
    let mut ids: BTreeSet<String> = operations.map(|one| one.id().to_owned()).collect();
    ids.remove(WITNESS);
    if ids.is_empty() {
        // A container without the item is a state, too.
        ids.insert("a".into());
    }
    ids
}

/// The inputs of the machine as requests about one item.
struct ItemRequests {
    id: String,
    /// `None` lets a second pass.
    calls: Vec<Option<Call>>,
}

impl ItemRequests {
    fn new(machine: &Machine, id: &str) -> Self {
        let of = |input: &Input| {
            let conditions = input.conditions.clone();
            input.request_about(id, WITNESS).map(|request| Call { request, conditions })
        };
        Self { id: id.into(), calls: machine.alphabet.inputs.iter().map(of).collect() }
    }

    fn input(&self, step: &Step) -> Option<InputNumber> {
        let is_same = |call: &Option<Call>| {
            call.as_ref()
                .is_some_and(|call| call.request == step.request && call.conditions == step.conditions)
        };
        self.calls.iter().position(is_same).and_then(|at| InputNumber::try_from(at).ok())
    }
}

/// Returns the transitions that a vector takes, as a client sees it that reads only this item, up to a request that the
/// machine does not have. One counts if the state is certain and a look follows.
///
/// # Errors
///
/// An expectation that the machine does not allow, and where.
fn walk(machine: &Machine, vector: &Vector, table: &ItemRequests) -> Result<BTreeSet<CoveredInput>, String> {
    let (mut taken, mut looked_at) = (BTreeSet::new(), BTreeSet::new());
    // In another partition the same is done once more.
    if vector.steps.iter().any(|step| step.partition.is_some()) {
        return Ok(taken);
    }
    let opening = vector.steps.first().and_then(|step| step.request.container());
    let opening = machine.alphabet.openings.iter().position(|known| Some(known) == opening);
    let opened = opening.and_then(|at| machine.opened().get(at).copied());
    let (Some(opened), None | Some(Edition::Y2024)) = (opened, vector.edition) else { return Ok(taken) };
    let mut states = BTreeSet::from([opened]);
    let mut now_s = 0;
    let mut steps = vector.steps.iter().skip(1);
    let is_look = |step: &Step| matches!(step.request, Request::Query | Request::Item(Operation::Read(_)));
    while let Some(step) = steps.next() {
        for _ in now_s..step.at_s {
            states = passed(machine, &states, &mut taken);
        }
        now_s = step.at_s;
        let operations = step.request.operations();
        if !operations.is_empty() && operations.iter().all(|one| one.id() != table.id) {
            continue;
        }
        let Some(input) = table.input(step) else { break };
        let allowed: Vec<&AllowedOutcome> =
            states.iter().filter_map(|state| machine.outcomes(*state, input)).flatten().collect();
        if allowed.is_empty() {
            break;
        }
        let expected: Vec<MachineAnswer> =
            step.expect.outcomes().filter_map(|one| answer(one, &table.id)).collect();
        let is_allowed = |answer: &MachineAnswer| allowed.iter().any(|one| one.answers.contains(answer));
        // The machine has the usual choices, and an open expectation all of them.
        if !expected.is_empty() && !expected.iter().any(is_allowed) {
            let (line, _) = vector.source.position(step.span.start);
            return Err(format!("{}: line {line}: the machine does not answer so", vector.name));
        }
        note(&states, input, &mut taken);
        if is_look(step) {
            looked_at.append(&mut taken);
        }
        let may_follow = |one: &&&AllowedOutcome| {
            expected.is_empty() || expected.iter().any(|answer| one.answers.contains(answer))
        };
        let followed: Vec<_> = allowed.iter().filter(may_follow).collect();
        if followed.iter().any(|one| one.next == NextState::Outside) {
            if steps.any(is_look) {
                looked_at.append(&mut taken);
            }
            break;
        }
        states = followed.iter().flat_map(|one| one.next.states()).collect();
    }
    Ok(looked_at)
}

fn passed(
    machine: &Machine,
    states: &BTreeSet<StateNumber>,
    taken: &mut BTreeSet<CoveredInput>,
) -> BTreeSet<StateNumber> {
    note(states, WAIT, taken);
    states.iter().filter_map(|state| Some(machine.step(*state, WAIT)?.1)).collect()
}

/// Notes a transition if the state before it is certain.
fn note(states: &BTreeSet<StateNumber>, input: InputNumber, taken: &mut BTreeSet<CoveredInput>) {
    if let (Some(state), 1) = (states.first(), states.len()) {
        taken.insert((*state, input));
    }
}

/// Returns an expectation as the machine answers about an item; `None` if it says nothing certain of it.
fn answer(expected: &ExpectedResponse, id: &str) -> Option<MachineAnswer> {
    match expected {
        ExpectedResponse::Status(status, _) => Some(MachineAnswer::Status(*status)),
        ExpectedResponse::Ids(ids) => Some(MachineAnswer::Listed(ids.contains(id))),
        ExpectedResponse::Committed(all) => Some(MachineAnswer::Committed(all.clone())),
        ExpectedResponse::Aborted(at, status) => Some(MachineAnswer::Aborted(*at, *status)),
        ExpectedResponse::Count(_) | ExpectedResponse::CountWithin(..) => None,
    }
}
