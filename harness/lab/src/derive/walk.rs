//! A vector as a walk along the graph.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Vector};
use cosmos_ttl_model::container::{Content, Draft as ItemDraft, Operation, Request, Response, TtlChange};
use cosmos_ttl_reference::Names;
use cosmos_ttl_reference::translate::{settings, status};

use super::belief_path::{BeliefPath, PathAnswer};

/// A view and what is asked there; `None` is a second that passes.
pub(super) type Transition = (View, Option<Request>);

/// A vector as somebody sees it who looks at these items only.
pub(super) struct VectorWalk<'a> {
    vector: &'a Vector,
    names: Names,
    start: View,
    steps: Vec<(&'a Step, Option<Request>)>,
}

impl<'a> VectorWalk<'a> {
    /// `None` where a request lies outside the scope.
    pub(super) fn of(client: &Client, vector: &'a Vector, names: Vec<String>) -> Option<Self> {
        let (first, rest) = vector.steps.split_first()?;
        let names = Names::of(&names);
        let target::Request::CreateContainer(container) = &first.request else { return None };
        let opening = settings(container);
        let (_, start) = client.openings().into_iter().find(|(known, _)| *known == opening)?;
        let mut steps = Vec::new();
        for step in rest {
            let request = match &step.request {
                target::Request::Item(operation) if names.number(operation.id()).is_none() => None,
                request => Some(in_scope(request, &names)?),
            };
            if request.as_ref().is_some_and(|request| !step.conditions.is_empty() || !client.knows(request)) {
                return None;
            }
            steps.push((step, request));
        }
        Some(Self { vector, names, start, steps })
    }

    /// The transitions that it takes.
    pub(super) fn along(&self, client: &Client) -> Result<BTreeSet<Transition>, String> {
        let mut taken = BTreeSet::new();
        let mut belief = BeliefPath::Sure(self.start.clone());
        let mut now = 0;
        for (step, request) in &self.steps {
            for _ in now..step.at_s {
                taken.extend(belief.views().map(|view| (view.clone(), None)));
                belief = belief.pass(client);
            }
            now = step.at_s;
            let Some(request) = request else { continue };
            taken.extend(belief.views().map(|view| (view.clone(), Some(request.clone()))));
            let told = belief.ask(client, request).filter(|(answer, _)| self.expects(step, answer));
            let Some((_, after)) = told else {
                let (line, _) = self.vector.source.position(step.span.start);
                return Err(format!("{}: line {line}: the graph does not answer so", self.vector.name));
            };
            belief = after;
        }
        Ok(taken)
    }

    fn expects(&self, step: &Step, answer: &PathAnswer) -> bool {
        let by_value = match (&step.expect, answer) {
            (Expect::One(expected), PathAnswer::One(response)) => return self.agrees(expected, response),
            (Expect::Open { .. }, PathAnswer::Fate { back, gone }) => [("back", back), ("gone", gone)],
            (Expect::Open { .. }, PathAnswer::Upsert { created, replaced }) => {
                [("created", created), ("replaced", replaced)]
            }
            _ => return false,
        };
        let (Expect::Open { outcomes, .. }, by_value) = (&step.expect, BTreeMap::from(by_value)) else {
            return false;
        };
        outcomes.len() == by_value.len()
            && outcomes.iter().all(|(value, expected)| {
                by_value.get(value.as_str()).is_some_and(|response| self.agrees(expected, response))
            })
    }

    /// Whether a vector expects just this of these items.
    fn agrees(&self, expected: &ExpectedResponse, response: &Response) -> bool {
        match (expected, response) {
            (ExpectedResponse::Ids(expected), Response::Ids(ids)) => {
                let there: Vec<&str> = ids.iter().map(|id| self.names.name(*id)).collect();
                self.names.ids().iter().all(|name| expected.contains(name) == there.contains(&name.as_str()))
            }
            (ExpectedResponse::Status(expected, _), response) => *expected == status(response),
            _ => false,
        }
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
