//! The coverage of the derived vectors, found by replaying them over the graph, and not from their derivation.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Suite, Vector};
use cosmos_ttl_model::container::{Request, Response};
use cosmos_ttl_reference::Names;
use cosmos_ttl_reference::translate::{settings, status};
use cosmos_ttl_report::model_digest;

use super::comparison::{CoveredInput, GraphComparison};
use super::two_item_interleavings::{Interleaving, names, two_item_interleavings};
use super::{BeliefPath, LONGEST_S, PathAnswer, WITNESS, client_request};

/// Returns the certificate of these derived vectors.
///
/// # Errors
///
/// A vector that expects what the graph does not allow, and where; a transition that the machine makes otherwise.
pub fn certify(suite: &Suite) -> Result<String, String> {
    let client = Client::new(1, LONGEST_S);
    let views = client.walk();
    let client_of_two = Client::new(2, LONGEST_S);
    let (mut covered, mut interleavings) = (BTreeSet::new(), BTreeSet::new());
    for vector in &suite.derived {
        for id in ids(vector) {
            covered.extend(walk(&client, vector, &[id]).transpose()?.into_iter().flatten());
        }
        if let Some(interleaving) = Interleaving::of(vector)
            && walk(&client_of_two, vector, &names()).transpose()?.is_some()
        {
            interleavings.insert(interleaving);
        }
    }
    let transitions = |view: &View| -> Vec<Transition> {
        let asked = client.requests(view).into_iter().map(Some);
        asked.chain([None]).map(|request| (view.clone(), request)).collect()
    };
    let all: BTreeSet<Transition> = views.iter().flat_map(transitions).collect();
    let taken: BTreeSet<&Transition> = all.intersection(&covered).collect();
    let seen: BTreeSet<&View> = taken.iter().map(|(view, _)| view).collect();
    let comparison = GraphComparison::new(&client);
    let image = |transitions: &BTreeSet<Transition>| -> Result<BTreeSet<CoveredInput>, String> {
        let mut image = BTreeSet::new();
        for (view, request) in transitions {
            image.extend(comparison.image(view, request.as_ref())?);
        }
        Ok(image)
    };
    // The comparison covers each transition of the graph; the figures those that some vector takes.
    let of_graph = image(&all)?;
    let of_vectors = image(&all.intersection(&covered).cloned().collect())?;
    let states_of_vectors: BTreeSet<_> = of_vectors.iter().map(|(state, _)| *state).collect();
    let machine = comparison.machine();
    let core: Vec<CoveredInput> = (0..)
        .zip(machine.states())
        .flat_map(|(state, _)| {
            (0..)
                .zip(&machine.alphabet.inputs)
                .take(machine.alphabet.core)
                .map(move |(input, _)| (state, input))
        })
        .filter(|(state, input)| machine.outcomes(*state, *input).is_some())
        .collect();
    let shared: BTreeSet<_> = of_graph.iter().map(|(_, input)| *input).collect();
    let missing = core.iter().filter(|one| shared.contains(&one.1) && !of_vectors.contains(one)).count();
    let steps: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    let longest = suite.derived.iter().map(|vector| vector.steps.len()).max().unwrap_or(0);
    Ok(format!(
        "\
# What the derived vectors cover, counted by replaying them over the graph that the checker walks. Written by
# `cargo lab derive`, and counted again by the tests.
model: \"{}\"
vectors: {}
requests: {steps}
most-requests-in-a-vector: {longest}
# One item; a state is all that a client can tell apart, a transition what it asks there, or a second that passes.
one-item:
  longest-ttl: {LONGEST_S}
  states: {}
  states-covered: {}
  transitions: {}
  transitions-covered: {}
# The machine of the complete suite is computed apart from the graph. Each transition of the graph is one of the machine:
# the same answers, the same states after it. The inputs of the machine's core that the graph does not have are batches,
# stale etags and refused values; the complete suite sends them in each state, and no derived vector does.
complete-suite:
  machine-states: {}
  machine-states-covered: {}
  graph-transitions-alike: {}
  core-inputs: {}
  core-inputs-of-the-graph: {}
  core-transitions: {}
  core-transitions-covered: {}
  core-transitions-of-the-graph-missing: {missing}
# Two items that are written at once or a second apart, under each default and with each ttl, the first of them left alone
# or written again, and both watched to the end.
two-items:
  longest-ttl: {LONGEST_S}
  crossings: {}
  crossings-covered: {}
",
        model_digest(),
        suite.derived.len(),
        views.len(),
        seen.len(),
        all.len(),
        taken.len(),
        machine.states().len(),
        states_of_vectors.len(),
        all.len(),
        machine.alphabet.core,
        shared.iter().filter(|input| usize::from(**input) < machine.alphabet.core).count(),
        core.len(),
        core.iter().filter(|one| of_vectors.contains(one)).count(),
        two_item_interleavings().len(),
        interleavings.len(),
    ))
}

/// Every item but the witness.
fn ids(vector: &Vector) -> BTreeSet<String> {
    let operations = vector.steps.iter().flat_map(|step| step.request.operations());
    let mut ids: BTreeSet<String> = operations.map(|one| one.id().to_owned()).collect();
    ids.remove(WITNESS);
    if ids.is_empty() {
        // A container without the item is a view too.
        ids.insert("a".into());
    }
    ids
}

/// A view and what is asked there; `None` is a second that passes.
type Transition = (View, Option<Request>);

/// The transitions that a vector takes, as a client sees it that reads only these items. `None` where a request lies
/// outside the scope; an error where the graph does not answer as the vector expects.
fn walk(client: &Client, vector: &Vector, names: &[String]) -> Option<Result<BTreeSet<Transition>, String>> {
    let (first, rest) = vector.steps.split_first()?;
    let target::Request::CreateContainer(container) = &first.request else { return None };
    let opening = settings(container);
    let (_, start) = client.openings().into_iter().find(|(known, _)| *known == opening)?;
    let scope = client.scope().iter().map(|request| (client_request(request, names), request));
    let scope: Vec<_> = scope.collect();
    let mut requests = Vec::new();
    for step in rest {
        let of_another =
            matches!(&step.request, target::Request::Item(one) if !names.iter().any(|name| name == one.id()));
        let known = scope.iter().find(|(known, _)| *known == step.request && step.conditions.is_empty());
        requests.push((step, if of_another { None } else { Some(known?.1) }));
    }
    let names = Names::of(names);
    let mut taken = BTreeSet::new();
    let mut belief = BeliefPath::Sure(start);
    let mut now = 0;
    for (step, request) in requests {
        for _ in now..step.at_s {
            taken.extend(belief.views().map(|view| (view.clone(), None)));
            belief = belief.pass(client);
        }
        now = step.at_s;
        let Some(request) = request else { continue };
        taken.extend(belief.views().map(|view| (view.clone(), Some(request.clone()))));
        let told = belief.ask(client, request).filter(|(answer, _)| expects(step, answer, &names));
        let Some((_, after)) = told else {
            let (line, _) = vector.source.position(step.span.start);
            return Some(Err(format!("{}: line {line}: the graph does not answer so", vector.name)));
        };
        belief = after;
    }
    Some(Ok(taken))
}

fn expects(step: &Step, answer: &PathAnswer, names: &Names) -> bool {
    match (&step.expect, answer) {
        (Expect::One(expected), PathAnswer::One(response)) => agrees(expected, response, names),
        (Expect::Open { outcomes: expected, .. }, PathAnswer::Open { outcomes, .. }) => {
            let answered = |value: &str, expected| {
                outcomes.iter().any(|(of, response)| *of == value && agrees(expected, response, names))
            };
            expected.len() == outcomes.len()
                && expected.iter().all(|(value, expected)| answered(value, expected))
        }
        _ => false,
    }
}

/// Whether a vector expects just this of these items.
fn agrees(expected: &ExpectedResponse, response: &Response, names: &Names) -> bool {
    match (expected, response) {
        (ExpectedResponse::Ids(expected), Response::Ids(ids)) => {
            let there: Vec<&str> = ids.iter().map(|id| names.name(*id)).collect();
            names.ids().all(|name| expected.contains(name) == there.contains(&name.as_str()))
        }
        (ExpectedResponse::Status(expected, _), response) => *expected == status(response),
        _ => false,
    }
}
