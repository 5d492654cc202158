//! Every response that a belief allows, with the choices that it implies.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Body, Id, Request, Response, Status};
use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::{self as model, Indexing};

use super::Belief;
use super::batch::batch;
use super::hypothesis::{Hypothesis, MadeChoices, configured};

/// A choice under an open clause that lists its values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownChoice {
    /// The choice.
    pub choice: OpenChoice,
    /// The item that it binds, if it binds one.
    pub of: Option<Id>,
}

/// A response that a hypothesis may give.
#[derive(Clone, Debug)]
pub struct PossibleAnswer {
    /// The response.
    pub response: Response,
    /// The choices that it implies, with the answers. Either answer leads to it if a choice is absent.
    pub choices: BTreeMap<ShownChoice, bool>,
    /// The belief after it, of one hypothesis.
    pub after: Belief,
}

impl Belief {
    /// Returns every response that a hypothesis may give, by the clauses alone. The request carries its etags.
    pub fn all_answers(&self, request: &Request) -> Vec<PossibleAnswer> {
        let mut lister = Lister { belief: self.clone(), request, answers: Vec::new() };
        for from in std::mem::take(&mut lister.belief.hypotheses) {
            match (self.exists, matches!(request, Request::CreateContainer(_))) {
                (false, false) => {
                    lister.add(&from, from.clone(), Response::new(Status::NotFound), &MadeChoices::new());
                }
                (true, true) => {
                    lister.add(&from, from.clone(), Response::new(Status::Conflict), &MadeChoices::new());
                }
                _ => {
                    let (here, elsewhere) = self.observations.split(request, &from);
                    let before = lister.answers.len();
                    lister.list(&here);
                    let after =
                        lister.answers.iter_mut().skip(before).flat_map(|one| &mut one.after.hypotheses);
                    after.for_each(|after| after.join(&elsewhere));
                }
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
                for (after, status) in configured(from, container, !self.belief.exists) {
                    self.add(from, after, Response::new(status), &MadeChoices::new());
                }
            }
            _ => {}
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
            let free = row.free.clone();
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
            self.add(&from, after, response, &free);
        }
    }

    /// Queries or counts where nothing is unsure.
    fn look(&mut self, from: &Hypothesis) {
        if from.world.settings.indexing == Indexing::None {
            // No clause says what is answered, and no vector may.
            self.add(from, from.clone(), Response::new(Status::BadRequest), &MadeChoices::new());
        }
        let is_count = *self.request == Request::Count;
        let request = if is_count { model::Request::Count } else { model::Request::Query };
        for way in from.ways(|world, choose| world.answer(&request, choose)) {
            let model::Response::Count { least, most } = way.response else {
                let response = self.belief.observations.names.response(None, &way.response);
                self.add(from, from.clone(), response, &way.made);
                continue;
            };
            for count in least..=most.unwrap_or(least) {
                self.count(from, count, &way.made);
            }
            // Of what turned out to be gone something may still be stored.
            let mut counted = way.made;
            counted.insert((OpenChoice::ExpiredAreCounted, None), true);
            for more in 1..=from.latched.len() {
                self.count(from, most.unwrap_or(least).saturating_add(more), &counted);
            }
        }
    }

    fn count(&mut self, from: &Hypothesis, count: usize, free: &MadeChoices) {
        self.add(from, from.clone(), Response::count(u64::try_from(count).unwrap_or(u64::MAX)), free);
    }

    /// Adds a response, given the hypothesis before it, in which the request finds nothing unsure, and after it.
    fn add(&mut self, from: &Hypothesis, after: Hypothesis, response: Response, free: &MadeChoices) {
        let names = &self.belief.observations.names;
        let mut choices: BTreeMap<ShownChoice, bool> = BTreeMap::new();
        for ((choice, _), yes) in free {
            *choices.entry(ShownChoice { choice: *choice, of: None }).or_default() |= *yes;
        }
        for ((choice, of), yes) in &after.made {
            let of = of.map(|id| names.name(id).into());
            choices.insert(ShownChoice { choice: *choice, of }, *yes);
        }
        for name in names.ids() {
            let Some(id) = names.number(name) else { continue };
            let gone = match from.world.items.get(&id) {
                None => Some(true),
                Some(item) => (!from.world.is_expired(item) && !from.unsure.contains(&id)).then_some(false),
            };
            let shown = ShownChoice { choice: OpenChoice::ExpiredIsGone, of: Some(name.clone()) };
            choices.extend(gone.map(|gone| (shown, gone)));
        }
        choices.retain(|shown, _| shown.choice.values().is_some());
        let mut belief = Belief { hypotheses: vec![after], ..self.belief.clone() };
        belief.learn(self.request, &response);
        self.answers.push(PossibleAnswer { response, choices, after: belief });
    }
}
