//! What the derived vectors cover, found by replaying them over the graph and not by asking who wrote them.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_model::container::Request;

use super::LONGEST_S;
use super::crossings::{self, crossings};
use super::project::{Asked, agrees, asked};
use super::story::WITNESS;
use super::tours::transitions;
use super::track::{Answer, Track};
use crate::target;
use crate::vector::{Expect, Step, Suite, Vector};

include!(concat!(env!("OUT_DIR"), "/model_digest.rs"));

/// A view and what is asked there; `None` is a second that passes.
type Transition = (View, Option<Request>);

/// The certificate of these derived vectors.
///
/// # Errors
///
/// A vector that expects what the graph does not allow, and where.
pub fn certify(suite: &Suite) -> Result<String, String> {
    let client = Client::new(1, LONGEST_S);
    let graph = transitions(&client);
    let mut covered = BTreeSet::new();
    for vector in &suite.derived {
        for id in ids(vector) {
            if let Some(walk) = Walk::of(&client, vector, vec![id]) {
                covered.extend(walk.along(&client)?);
            }
        }
    }
    let all: BTreeSet<Transition> = graph
        .iter()
        .flat_map(|(view, requests)| {
            let asked = requests.iter().cloned().map(Some);
            asked.chain([None]).map(|request| (view.clone(), request))
        })
        .collect();
    let taken: BTreeSet<&Transition> = all.intersection(&covered).collect();
    let seen: BTreeSet<&View> = taken.iter().map(|(view, _)| view).collect();
    let crossed = crossings::crossed(&suite.derived)?;
    let steps: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    let longest = suite.derived.iter().map(|vector| vector.steps.len()).max().unwrap_or(0);
    Ok(format!(
        "\
# What the derived vectors cover, counted by replaying them over the graph that the checker walks. Written by
# `cosmos-ttl derive`, and counted anew by the tests.
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
        MODEL_DIGEST,
        suite.derived.len(),
        graph.len(),
        seen.len(),
        all.len(),
        taken.len(),
        crossings().len(),
        crossed.len(),
    ))
}

/// Every item but the witness.
fn ids(vector: &Vector) -> BTreeSet<String> {
    let operation = |step: &Step| match &step.request {
        target::Request::Item(operation) => Some(operation.id().to_owned()),
        _ => None,
    };
    let mut ids: BTreeSet<String> =
        vector.steps.iter().filter_map(operation).filter(|id| id != WITNESS).collect();
    if ids.is_empty() {
        // A container without the item is a view too.
        ids.insert("a".into());
    }
    ids
}

/// A vector as somebody sees it who looks at these items only.
pub(super) struct Walk<'a> {
    vector: &'a Vector,
    names: Vec<String>,
    start: View,
    steps: Vec<(&'a Step, Option<Request>)>,
}

impl<'a> Walk<'a> {
    /// `None` where a request lies outside the scope.
    pub(super) fn of(client: &Client, vector: &'a Vector, names: Vec<String>) -> Option<Self> {
        let (first, rest) = vector.steps.split_first()?;
        let Asked::This(Request::Configure(opening)) = asked(&first.request, &names) else { return None };
        let (_, start) = client.openings().into_iter().find(|(known, _)| *known == opening)?;
        let mut steps = Vec::new();
        for step in rest {
            steps.push((
                step,
                match asked(&step.request, &names) {
                    Asked::This(request) if step.conditions.is_empty() && client.knows(&request) => {
                        Some(request)
                    }
                    Asked::Other => None,
                    Asked::This(_) | Asked::Beyond => return None,
                },
            ));
        }
        Some(Self { vector, names, start, steps })
    }

    /// The transitions that it takes.
    pub(super) fn along(&self, client: &Client) -> Result<BTreeSet<Transition>, String> {
        let mut taken = BTreeSet::new();
        let mut track = Track::Sure(self.start.clone());
        let mut now = 0;
        for (step, request) in &self.steps {
            for _ in now..step.at_s {
                taken.extend(track.views().map(|view| (view.clone(), None)));
                track = track.pass(client);
            }
            now = step.at_s;
            let Some(request) = request else { continue };
            taken.extend(track.views().map(|view| (view.clone(), Some(request.clone()))));
            let told = track.ask(client, request).filter(|(answer, _)| self.expects(step, answer));
            let Some((_, after)) = told else {
                let (line, _) = self.vector.source.position(step.span.start);
                return Err(format!("{}: line {line}: the graph does not answer so", self.vector.name));
            };
            track = after;
        }
        Ok(taken)
    }

    fn expects(&self, step: &Step, answer: &Answer) -> bool {
        match (&step.expect, answer) {
            (Expect::One(outcome), Answer::One(response)) => agrees(outcome, response, &self.names),
            (Expect::Open { outcomes, .. }, Answer::Fate { back, gone }) => {
                let by_value = BTreeMap::from([("back", back), ("gone", gone)]);
                self.each(outcomes, &by_value)
            }
            (Expect::Open { outcomes, .. }, Answer::Upsert { created, replaced }) => {
                let by_value = BTreeMap::from([("created", created), ("replaced", replaced)]);
                self.each(outcomes, &by_value)
            }
            _ => false,
        }
    }

    fn each(
        &self,
        outcomes: &[(String, crate::vector::Outcome)],
        by_value: &BTreeMap<&str, &cosmos_ttl_model::container::Response>,
    ) -> bool {
        outcomes.len() == by_value.len()
            && outcomes.iter().all(|(value, outcome)| {
                by_value.get(value.as_str()).is_some_and(|response| agrees(outcome, response, &self.names))
            })
    }
}
