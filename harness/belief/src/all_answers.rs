//! Every response that a belief allows, with the choices that it implies.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Body, Id, Request, Response, Status};
use cosmos_ttl_model::container::{self as model, Index, Rules, World};
use cosmos_ttl_model::interpretation::{Aggregates, ContainerNull, Interpretation, LazyIndex};

use super::Belief;
use super::hypothesis::{Hypothesis, OpenClause};
use super::outcomes::{ItemRequest, batch, configured};

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
                (false, false) => lister.add(&from, from.clone(), Response::new(Status::NotFound), &[]),
                (true, true) => lister.add(&from, from.clone(), Response::new(Status::Conflict), &[]),
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

impl Lister<'_> {
    fn list(&mut self, from: &Hypothesis) {
        match self.request {
            Request::Item(operation) => {
                let known = &mut self.belief.observations;
                let Some(mut asked) = ItemRequest::new(known, operation, true) else { return };
                for (from, _) in from.fates(asked.id) {
                    let mut all = Vec::new();
                    asked.outcomes(&mut self.belief.observations, &from, &mut all);
                    for (after, response) in all {
                        let free = asked.free_choice(&from, &response);
                        let response = self.belief.observations.names.response(Some(asked.id), &response);
                        self.add(&from, after, response, free.as_slice());
                    }
                }
            }
            Request::Batch(operations) => {
                let mut aborted = Vec::new();
                let known = &mut self.belief.observations;
                let mut rows = batch(known, from, operations, true, |row| {
                    if row.refused {
                        aborted.push(row.clone());
                    }
                    !row.refused
                });
                for row in aborted.into_iter().chain(rows.drain(..)) {
                    let mut from = from.clone();
                    for (id, gone) in &row.fates {
                        if *gone { from.lose(*id) } else { from.settle(*id) }
                    }
                    let free: Vec<_> = row.choices.iter().map(|(clause, value)| (*clause, *value)).collect();
                    let (after, response) = match row.statuses.last() {
                        Some(last) if row.refused => {
                            let body = Body::Aborted { at: row.at() };
                            (row.undone(&from), Response { body, ..Response::new(*last) })
                        }
                        _ => {
                            let body = Body::Committed(row.statuses);
                            (row.after, Response { body, ..Response::new(Status::Ok) })
                        }
                    };
                    self.add(&from, after, response, &free);
                }
            }
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
                for (after, status) in
                    configured(&self.belief.observations, from, container, !self.belief.exists)
                {
                    self.add(from, after, Response::new(status), &[]);
                }
            }
        }
    }

    /// Queries or counts where nothing is unsure.
    fn look(&mut self, from: &Hypothesis) {
        let rebuilding = from.world.index == Index::Rebuilding;
        for lags in [false, true].into_iter().take(if rebuilding { 2 } else { 1 }) {
            let lazy_index = if lags { LazyIndex::Incomplete } else { LazyIndex::Complete };
            let lazy = rebuilding.then_some((OpenClause::LazyIndex, lags));
            if *self.request != Request::Count {
                let response = self.step(&from.world, lazy_index, Aggregates::Excluded);
                self.add(from, from.clone(), response, lazy.as_slice());
                continue;
            }
            let choices =
                |counts| -> Vec<_> { lazy.into_iter().chain([(OpenClause::Aggregates, counts)]).collect() };
            let response = self.step(&from.world, lazy_index, Aggregates::Excluded);
            self.add(from, from.clone(), response, &choices(false));
            // Any of the expired items may have been removed.
            let mut world = Some(from.world.clone());
            while let Some(stored) = world {
                let response = self.step(&stored, lazy_index, Aggregates::Counted);
                self.add(from, from.clone(), response, &choices(true));
                world = stored.expired_ids().next().and_then(|id| stored.remove(id));
            }
        }
    }

    fn step(&self, world: &World, lazy_index: LazyIndex, aggregates: Aggregates) -> Response {
        let interpretation = Interpretation { lazy_index, aggregates, ..Interpretation::default() };
        let rules = Rules { edition: self.belief.observations.edition, interpretation };
        let request =
            if *self.request == Request::Count { model::Request::Count } else { model::Request::Query };
        self.belief.observations.names.response(None, &world.step(rules, &request).1)
    }

    /// Adds a response, given the hypothesis before it, in which the request finds nothing unsure, and after it.
    fn add(&mut self, from: &Hypothesis, after: Hypothesis, response: Response, free: &[(OpenClause, bool)]) {
        let choice = |clause, of: Option<&Id>| OpenChoice { clause, of: of.cloned() };
        let mut choices: BTreeMap<OpenChoice, bool> =
            free.iter().map(|(clause, value)| (choice(*clause, None), *value)).collect();
        let null = after.null.map(|null| null == ContainerNull::Rejected);
        choices.extend(null.map(|value| (choice(OpenClause::ContainerNull, None), value)));
        for name in self.belief.ids() {
            let Some(id) = self.belief.number(name) else { continue };
            let gone = match from.world.items.get(&id) {
                None => Some(true),
                Some(item) => (!from.world.is_expired(item) && !from.unsure.has(id)).then_some(false),
            };
            let of_item = [
                (OpenClause::IntegralFraction, after.fraction.made(id)),
                (OpenClause::InvalidWhileOff, after.invalid.made(id)),
                (OpenClause::Reappearance, gone),
            ];
            for (clause, value) in of_item {
                choices.extend(value.map(|value| (choice(clause, Some(name)), value)));
            }
        }
        let mut belief = Belief { hypotheses: vec![after], ..self.belief.clone() };
        belief.learn(self.request, &response);
        self.answers.push(PossibleAnswer { response, choices, after: belief });
    }
}
