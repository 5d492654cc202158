//! Every world that may be, as far as somebody knows who only sees answers: whatever the background has removed, whatever
//! the target chose where it may.

use std::collections::BTreeMap;

use cosmos_ttl_model::container::{ItemId, World};
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::knowledge::Known;
use cosmos_ttl_model::rule::DefaultTtl;

use super::open::{self, Field, Key, REAPPEARANCE};
use crate::Call;
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::target::{
    Body, Edition, Etag, Id, Opening, Operation, Removal, Request, Response, Session as _,
};
use cosmos_ttl_harness::vector::{Details, ExpectedResponse};
use cosmos_ttl_reference::{ModelSession, Reference};

/// More worlds than this are more than a vector can tell apart.
const MOST_WORLDS: usize = 4_096;

/// A world that may be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Maybe {
    place: ModelSession,
    /// What was chosen on the way here, where a choice binds: whether it is the other value.
    chosen: BTreeMap<Key, bool>,
    /// Each item's etags, as they were seen.
    etags: BTreeMap<Id, Vec<Etag>>,
}

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct Maybes {
    all: Vec<Maybe>,
    ids: Vec<Id>,
}

/// What may be answered in one of the worlds, and under which choices.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) outcome: ExpectedResponse,
    pub(super) response: Response,
    /// The value of each choice that there is: whether it is the other one.
    pub(super) values: BTreeMap<Key, bool>,
    /// The etags of this item that were seen before.
    pub(super) seen: Vec<Etag>,
    after: Maybe,
}

impl Maybes {
    pub(super) fn new(edition: Edition) -> Self {
        let place = Reference::default().session(Opening::new(edition, Some(Removal::Never)));
        let first = Maybe { place, chosen: BTreeMap::new(), etags: BTreeMap::new() };
        Self { all: vec![first], ids: Vec::new() }
    }

    /// Time passes.
    pub(super) fn pass(&mut self, seconds: u64) -> Result<(), String> {
        for maybe in &mut self.all {
            maybe.place.pass(seconds).map_err(|fault| fault.to_string())?;
        }
        self.remove()
    }

    /// Whatever may have been removed by now, was or was not.
    fn remove(&mut self) -> Result<(), String> {
        let mut at: usize = 0;
        while let Some(maybe) = self.all.get(at).cloned() {
            let expired: Vec<ItemId> =
                maybe.place.world().map(|world| world.expired_ids().collect()).unwrap_or_default();
            for id in expired {
                if let Some(place) = maybe.place.without(id) {
                    self.add(Maybe { place, ..maybe.clone() })?;
                }
            }
            at = at.saturating_add(1);
        }
        Ok(())
    }

    fn add(&mut self, maybe: Maybe) -> Result<(), String> {
        if self.all.contains(&maybe) {
            return Ok(());
        }
        if MOST_WORLDS <= self.all.len() {
            return Err(format!("more than {MOST_WORLDS} worlds may be, which no vector can tell apart"));
        }
        self.all.push(maybe);
        Ok(())
    }

    /// Every answer that may be.
    pub(super) fn ask(&mut self, ask: &Call) -> Result<Vec<Answer>, String> {
        for operation in ask.request.operations() {
            if !self.ids.iter().any(|id| id == operation.id()) {
                self.ids.push(operation.id().into());
            }
        }
        let choices = open::choices(ask)?;
        let mut answers = Vec::new();
        for maybe in &self.all {
            for (interpretation, values) in combinations(&choices, &maybe.chosen) {
                answers.push(maybe.ask(ask, interpretation, &values, &self.ids)?);
            }
        }
        Ok(answers)
    }

    /// After these answers; where one of these choices shows in them, each world remembers it.
    pub(super) fn follow(&mut self, answers: Vec<Answer>, told: Option<&Key>) -> Result<(), String> {
        self.all.clear();
        for Answer { mut after, values, .. } in answers {
            if let Some((key, value)) = told.and_then(|key| Some((key, values.get(key)?))) {
                after.chosen.insert(key.clone(), *value);
            }
            self.add(after)?;
        }
        self.remove()
    }

    /// What is known of an item.
    pub(super) fn known(&self, id: &str) -> Known {
        let number = self.all.iter().find_map(|maybe| maybe.place.number(id));
        number.map_or(Known::Absent, |number| Known::of(number, || self.worlds()))
    }

    /// The container's `defaultTtl`, in the first of the worlds.
    pub(super) fn default_ttl(&self) -> DefaultTtl {
        self.worlds().next().map_or(DefaultTtl::Off, |world| world.settings.default_ttl)
    }

    /// Every item that anybody asked for.
    pub(super) fn ids(&self) -> &[Id] {
        &self.ids
    }

    fn worlds(&self) -> impl Iterator<Item = World> {
        self.all.iter().filter_map(|maybe| maybe.place.world().cloned())
    }
}

/// An interpretation and what is chosen in it.
type Combination = (Interpretation, BTreeMap<(Field, Key), bool>);

/// Every way to choose where nothing was chosen yet.
fn combinations(choices: &[(Field, Key)], chosen: &BTreeMap<Key, bool>) -> Vec<Combination> {
    let mut all = vec![(Interpretation::default(), BTreeMap::new())];
    for (field, key) in choices {
        let values: &[bool] = match chosen.get(key) {
            Some(true) => &[true],
            Some(false) => &[false],
            None => &[false, true],
        };
        let with = |(so_far, values): &Combination, value: bool| {
            let mut values = values.clone();
            values.insert((*field, key.clone()), value);
            (field.chosen(value, *so_far), values)
        };
        all = all.iter().flat_map(|one| values.iter().map(move |value| with(one, *value))).collect();
    }
    all
}

impl Maybe {
    fn ask(
        &self,
        ask: &Call,
        interpretation: Interpretation,
        values: &BTreeMap<(Field, Key), bool>,
        ids: &[Id],
    ) -> Result<Answer, String> {
        let mut after = self.clone();
        let bound = values.iter().filter(|((field, _), _)| field.binds());
        after.chosen.extend(bound.map(|((_, key), value)| (key.clone(), *value)));
        let mut known: BTreeMap<Key, bool> =
            values.iter().map(|((_, key), value)| (key.clone(), *value)).collect();
        known.extend(self.chosen.clone());
        for id in ids {
            let gone = !self.stores(id);
            known.entry(Key { clause: REAPPEARANCE, of: Some(id.clone()) }).or_insert(gone);
        }
        after.place.interpret(interpretation);
        let request = self.with_etags(ask)?;
        let response = after.place.send(&request).map_err(|fault| fault.to_string())?;
        after.note(&request, &response);
        let seen = request.operations().first().and_then(|operation| self.etags.get(operation.id()));
        let seen = seen.cloned().unwrap_or_default();
        Ok(Answer { outcome: outcome(&response), response, values: known, seen, after })
    }

    fn stores(&self, id: &str) -> bool {
        let world = self.place.world();
        world.zip(self.place.number(id)).is_some_and(|(world, id)| world.items.contains_key(&id))
    }

    fn with_etags(&self, ask: &Call) -> Result<Request, String> {
        etags::sent(&ask.request, &ask.conditions, |id, condition| {
            let seen = self.etags.get(id).and_then(|seen| condition.among(seen));
            seen.cloned().ok_or_else(|| format!("no such etag of `{id}` is seen in every world"))
        })
    }

    fn note(&mut self, request: &Request, response: &Response) {
        let Body::Item(item) = &response.body else { return };
        let (Some(etag), Some(id)) = (&item.etag, request.operations().first().map(Operation::id)) else {
            return;
        };
        let seen = self.etags.entry(id.into()).or_default();
        if seen.last() != Some(etag) {
            seen.push(etag.clone());
        }
    }
}

/// What a vector says of this answer, an item's details aside.
fn outcome(response: &Response) -> ExpectedResponse {
    match &response.body {
        Body::Nothing | Body::Item(_) => ExpectedResponse::Status(response.status, Details::default()),
        Body::Ids(ids) => ExpectedResponse::Ids(ids.iter().cloned().collect()),
        Body::Count(count) => ExpectedResponse::Count(*count),
        Body::Committed(statuses) => ExpectedResponse::Committed(statuses.clone()),
        Body::Aborted { at } => ExpectedResponse::Aborted(*at, response.status),
    }
}
