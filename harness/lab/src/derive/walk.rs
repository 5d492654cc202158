//! A vector as a walk along the graph.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Vector};
use cosmos_ttl_model::container::{Request, Response};

use super::project::{Asked, agrees, asked};
use super::track::{Answer, Track};

/// A view and what is asked there; `None` is a second that passes.
pub(super) type Transition = (View, Option<Request>);

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

    fn each(&self, outcomes: &[(String, ExpectedResponse)], by_value: &BTreeMap<&str, &Response>) -> bool {
        outcomes.len() == by_value.len()
            && outcomes.iter().all(|(value, outcome)| {
                by_value.get(value.as_str()).is_some_and(|response| agrees(outcome, response, &self.names))
            })
    }
}
