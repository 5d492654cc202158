//! What the derived vectors cover, found by replaying them over the graph and not by asking who wrote them.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Suite, Vector};
use cosmos_ttl_model::container::{Content, Draft as ItemDraft, Operation, Request, Response, TtlChange};
use cosmos_ttl_reference::Names;
use cosmos_ttl_reference::translate::{settings, status};
use cosmos_ttl_report::model_digest;

use super::LONGEST_S;
use super::draft::{BeliefPath, PathAnswer, WITNESS};
use super::two_item_interleavings::{Interleaving, names, two_item_interleavings};

/// Returns the certificate of these derived vectors.
///
/// # Errors
///
/// A vector that expects what the graph does not allow, and where.
pub fn certify(suite: &Suite) -> Result<String, String> {
    let client = Client::new(1, LONGEST_S);
    let views = client.walk();
    let mut covered = BTreeSet::new();
    for vector in &suite.derived {
        for id in ids(vector) {
            covered.extend(walk(&client, vector, &[id]).transpose()?.into_iter().flatten());
        }
    }
    let transitions = |view: &View| -> Vec<Transition> {
        let asked = client.requests(view).into_iter().map(Some);
        asked.chain([None]).map(|request| (view.clone(), request)).collect()
    };
    let all: BTreeSet<Transition> = views.iter().flat_map(transitions).collect();
    let taken: BTreeSet<&Transition> = all.intersection(&covered).collect();
    let seen: BTreeSet<&View> = taken.iter().map(|(view, _)| view).collect();
    let interleavings = shown(&suite.derived)?;
    let steps: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    let longest = suite.derived.iter().map(|vector| vector.steps.len()).max().unwrap_or(0);
    Ok(format!(
        "\
# What the derived vectors cover, counted by replaying them over the graph that the checker walks. Written by
# `cargo lab derive`, and counted anew by the tests.
model: {}
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
        two_item_interleavings().len(),
        interleavings.len(),
    ))
}

/// The interleavings that these vectors show, judged by the graph of two items.
fn shown(vectors: &[Vector]) -> Result<BTreeSet<Interleaving>, String> {
    let client = Client::new(2, LONGEST_S);
    let mut all = BTreeSet::new();
    for vector in vectors {
        if let Some(interleaving) = Interleaving::of(vector)
            && walk(&client, vector, &names()).transpose()?.is_some()
        {
            all.insert(interleaving);
        }
    }
    Ok(all)
}

/// Every item but the witness.
fn ids(vector: &Vector) -> BTreeSet<String> {
    let operations = vector.steps.iter().filter_map(|step| match &step.request {
        target::Request::Item(operation) => Some(operation.id().to_owned()),
        _ => None,
    });
    let mut ids: BTreeSet<String> = operations.filter(|id| id != WITNESS).collect();
    if ids.is_empty() {
        // A container without the item is a view too.
        ids.insert("a".into());
    }
    ids
}

/// A view and what is asked there; `None` is a second that passes.
type Transition = (View, Option<Request>);

/// The transitions that a vector takes, as somebody sees it who looks at these items only. `None` where a request lies
/// outside the scope; an error where the graph does not answer as the vector expects.
fn walk(client: &Client, vector: &Vector, names: &[String]) -> Option<Result<BTreeSet<Transition>, String>> {
    let names = Names::of(names);
    let (first, rest) = vector.steps.split_first()?;
    let target::Request::CreateContainer(container) = &first.request else { return None };
    let opening = settings(container);
    let (_, start) = client.openings().into_iter().find(|(known, _)| *known == opening)?;
    let mut requests = Vec::new();
    for step in rest {
        let request = match &step.request {
            target::Request::Item(operation) if names.number(operation.id()).is_none() => None,
            request => Some(in_scope(request, &names)?),
        };
        if request.as_ref().is_some_and(|request| !step.conditions.is_empty() || !client.knows(request)) {
            return None;
        }
        requests.push((step, request));
    }
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
        let told = belief.ask(client, &request).filter(|(answer, _)| expects(step, answer, &names));
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
            names.ids().iter().all(|name| expected.contains(name) == there.contains(&name.as_str()))
        }
        (ExpectedResponse::Status(expected, _), response) => *expected == status(response),
        _ => false,
    }
}

/// A request about these items, with the content that the requests of the graph write.
fn in_scope(request: &target::Request, names: &Names) -> Option<Request> {
    match request {
        target::Request::Item(operation) => {
            Some(Request::Item(rewritten(names.clone().operation(operation, |_| None))))
        }
        target::Request::Query => Some(Request::Query),
        target::Request::CreateContainer(container) | target::Request::ReplaceContainer(container) => {
            Some(Request::Configure(settings(container)))
        }
        target::Request::Batch(_) | target::Request::List | target::Request::Count => None,
    }
}

fn rewritten(operation: Operation) -> Operation {
    let content = Content(9);
    match operation {
        Operation::Create(draft) => Operation::Create(ItemDraft { content, ..draft }),
        Operation::Upsert(draft) => Operation::Upsert(ItemDraft { content, ..draft }),
        Operation::Replace { draft, if_match } => {
            Operation::Replace { draft: ItemDraft { content, ..draft }, if_match }
        }
        Operation::Patch { id, ttl, if_match, .. } => {
            let content = (ttl == TtlChange::Keep).then_some(content);
            Operation::Patch { id, ttl, content, if_match }
        }
        other => other,
    }
}
