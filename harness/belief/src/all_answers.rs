//! Every response that a belief allows, with the choices that it implies.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Body, Id, Request, Response, Status};
use cosmos_ttl_model::container::{self as model, Index, World};
use cosmos_ttl_model::interpretation::{Aggregates, ContainerNull, Interpretation, LazyIndex};

use super::Belief;
use super::batch::batch;
use super::hypothesis::{Hypothesis, OpenClause, configured};

/// A choice under an open clause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenChoice {
    /// The clause.
    pub clause: OpenClause,
    /// The item that it binds, if it binds one.
    pub of: Option<Id>,
}

/// A response that a hypothesis may give.
#[derive(Clone, Debug)]
pub struct PossibleAnswer {
    /// The response.
    pub response: Response,
    /// The choices that it implies: whether each is the other value. Either value leads to it if a choice is absent.
    pub choices: BTreeMap<OpenChoice, bool>,
    /// The belief after it, of one hypothesis.
    pub after: Belief,
}

impl Belief {
    /// Returns every response that a hypothesis may give, by the clauses alone. The request carries its etags.
    pub fn all_answers(&self, request: &Request) -> Vec<PossibleAnswer> {
        let mut lister = Lister { belief: self.clone(), request, answers: Vec::new() };
        for from in std::mem::take(&mut lister.belief.hypotheses) {
            match (self.exists, matches!(request, Request::CreateContainer(_))) {
                (false, false) => lister.add(&from, from.clone(), Response::new(Status::NotFound), []),
                (true, true) => lister.add(&from, from.clone(), Response::new(Status::Conflict), []),
                _ => lister.list(&from),
            }
        }
        lister.answers
    }
}

struct Lister<'a> {
    /// Without hypotheses.
    belief: Belief,
    request: &'a Request,
    answers: Vec<PossibleAnswer>,
}

/// Returns this response with a higher count, if it counts.
fn count_more(response: &Response, more: u32) -> Response {
    match response.body {
        Body::Count(count) => Response { body: Body::Count(count + u64::from(more)), ..response.clone() },
        _ => response.clone(),
    }
}

impl Lister<'_> {
    fn list(&mut self, from: &Hypothesis) {
        match self.request {
            Request::Item(_) | Request::Batch(_) => self.operate(from),
            Request::Query | Request::List | Request::Count => {
                let mut decided = vec![from.clone()];
                for id in from.open_ids() {
                    let split = decided.iter().flat_map(|one| one.fates(id));
                    decided = split.map(|(one, _)| one.into_owned()).collect();
                }
                for from in &decided {
                    self.look(from);
                }
            }
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                let creates = !self.belief.exists;
                for (after, status) in configured(&self.belief.observations, from, container, creates) {
                    self.add(from, after, Response::new(status), []);
                }
            }
        }
    }

    /// Takes one operation, or those of a batch.
    fn operate(&mut self, from: &Hypothesis) {
        let operations = self.request.operations();
        let is_batch = matches!(self.request, Request::Batch(_));
        let mut ended = Vec::new();
        let committed = batch(&mut self.belief.observations, from, operations, true, |row| {
            if row.is_refused() || !is_batch {
                ended.push(row.clone());
            }
            is_batch
        });
        let committed = committed.into_iter().filter(|row| !row.is_doomed && !row.is_refused());
        for row in ended.into_iter().chain(committed) {
            let mut from = from.clone();
            row.fates.iter().for_each(|(id, gone)| from.decide(*id, *gone));
            let choices = row.choices.clone();
            let (after, response) = match (&row.last, row.statuses.last()) {
                (Some(response), _) if !is_batch => {
                    let about = operations.first().and_then(|operation| self.belief.number(operation.id()));
                    (row.after, self.belief.observations.names.response(about, response))
                }
                (_, Some(status)) if row.is_refused() => {
                    let body = Body::Aborted { at: row.at() };
                    (row.undone(&from), Response { body, ..Response::new(*status) })
                }
                _ => {
                    let body = Body::Committed(row.statuses);
                    (row.after, Response { body, ..Response::new(Status::Ok) })
                }
            };
            self.add(&from, after, response, choices);
        }
    }

    /// Queries or counts where nothing is unsure.
    fn look(&mut self, from: &Hypothesis) {
        if from.world.settings.indexing == model::Indexing::None {
            // No clause says what is answered, and no vector may.
            self.add(from, from.clone(), Response::new(Status::BadRequest), []);
        }
        let rebuilding = from.world.index == Index::Rebuilding;
        for lags in [false, true].into_iter().take(if rebuilding { 2 } else { 1 }) {
            let lazy_index = if lags { LazyIndex::Incomplete } else { LazyIndex::Complete };
            let lazy = rebuilding.then_some((OpenClause::LAZY_INDEX, lags));
            let counts = |value| (*self.request == Request::Count).then_some((OpenClause::AGGREGATES, value));
            let (excluded, counted) = (counts(false), counts(true));
            let response = self.step(&from.world, lazy_index, Aggregates::Excluded);
            self.add(from, from.clone(), response, lazy.into_iter().chain(excluded));
            // Any of the expired items may have been removed, and any of those that turned out to be gone may still be stored.
            let mut world = counted.map(|_| from.world.clone());
            let hidden = counted.map_or(0, |_| from.latched.count());
            while let Some(stored) = world {
                let response = self.step(&stored, lazy_index, Aggregates::Counted);
                for more in 0..=hidden {
                    let response = count_more(&response, more);
                    self.add(from, from.clone(), response, lazy.into_iter().chain(counted));
                }
                world = stored.expired_ids().next().and_then(|id| stored.remove(id));
            }
        }
    }

    fn step(&self, world: &World, lazy_index: LazyIndex, aggregates: Aggregates) -> Response {
        let known = &self.belief.observations;
        let rules = known.rules(Interpretation { lazy_index, aggregates, ..Interpretation::default() });
        let request =
            if *self.request == Request::Count { model::Request::Count } else { model::Request::Query };
        known.names.response(None, &world.step(rules, &request).1)
    }

    /// Adds a response, given the hypothesis before it, in which the request finds nothing unsure, and after it.
    fn add(
        &mut self,
        from: &Hypothesis,
        after: Hypothesis,
        response: Response,
        free: impl IntoIterator<Item = (OpenClause, bool)>,
    ) {
        let null = after.null.map(|null| (OpenClause::CONTAINER_NULL, null == ContainerNull::Rejected));
        let of_none = free.into_iter().chain(null);
        let mut choices: BTreeMap<OpenChoice, bool> =
            of_none.map(|(clause, value)| (OpenChoice { clause, of: None }, value)).collect();
        let names = &self.belief.observations.names;
        for name in names.ids() {
            let Some(id) = names.number(name) else { continue };
            let gone = match from.world.items.get(&id) {
                None => Some(true),
                Some(item) => (!from.world.is_expired(item) && !from.unsure.has(id)).then_some(false),
            };
            let of_item = [
                (OpenClause::INTEGRAL_FRACTION, after.fraction.made(id)),
                (OpenClause::INVALID_WHILE_OFF, after.invalid.made(id)),
                (OpenClause::REAPPEARANCE, gone),
            ];
            for (clause, value) in of_item {
                choices.extend(value.map(|value| (OpenChoice { clause, of: Some(name.clone()) }, value)));
            }
        }
        let mut belief = Belief { hypotheses: vec![after], ..self.belief.clone() };
        belief.learn(self.request, &response);
        self.answers.push(PossibleAnswer { response, choices, after: belief });
    }
}
