//! What the derived vectors cover, found by replaying them over the graph and not by asking who wrote them.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::{Client, View};

use super::LONGEST_S;
use super::draft::WITNESS;
use super::two_item_interleavings::{shown, two_item_interleavings};
use super::walk::{Transition, VectorWalk};
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_report::model_digest;

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
            if let Some(walk) = VectorWalk::of(&client, vector, vec![id]) {
                covered.extend(walk.along(&client)?);
            }
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
