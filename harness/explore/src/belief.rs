//! Belief: every hidden state of a target that its responses allow, by the model.
//!
//! A hypothesis is a world of the model together with the choices that the target has made where the documents leave
//! one. The model takes every step; nothing here decides what is right. [`Belief::observe`] rules out each hypothesis
//! that would not give a response; if none is left, the target gave a response that the model never gives.
//! [`Belief::all_answers`] lists what a target may respond instead, with the choices that each response implies.
//!
//! No client sees a removal, so a hypothesis removes as late as possible: an expired item stays in its world and may be
//! gone at any time. That matters only if settings change, since an expired item may then come back or not. Such an item
//! is unsure until a response decides. A choice that binds an item is kept with its hypothesis for the session, as vectors
//! keep it. A choice that binds nothing is free in every response. A choice that binds the target is kept by the caller,
//! who plays several sessions.
//!
//! [`Belief::observe`] allows more than the clauses do, so that no right target is ever accused:
//! - a count may be anything between what is certainly visible and what may be stored, in each response independently;
//! - a lazy index is rebuilt after every change of settings, and meanwhile a query may miss any item or show any that
//!   was ever named; no change of the indexing ends that;
//! - where there is no index, a query or a count may answer anything;
//! - an upsert over a living item may answer that it made one, since no clause says which status it answers;
//! - what binds the target binds it in each session separately, so that every session can be played again alone;
//! - what an aborted batch shows of unsure items is forgotten;
//! - where several refusals apply to a request, each response may be any of them (`refusal-order`).
//!
//! Both functions allow that an item which turned out to be gone is still stored, hidden: a count and the status of an upsert
//! may show it. And a condition may hold or not if the target has not shown the item's etag since it was written.

mod all_answers;
mod batch;
mod comparison;
mod hypothesis;

use crate::reference;
use cosmos_ttl_harness::target::{Body, Container, Etag, Id, Indexing, PartitionKey, Request, Response};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{ItemId, World};
use cosmos_ttl_model::rule::Ttl;

pub use all_answers::{PossibleAnswer, ShownChoice};
pub use comparison::Contradiction;

use comparison::Comparison;
pub(crate) use comparison::content_difference;
use hypothesis::{Hypothesis, MOST_ITEMS, Observations};

/// The hypotheses about one session's hidden state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belief {
    exists: bool,
    hypotheses: Vec<Hypothesis>,
    observations: Observations,
}

/// The most hypotheses that are told apart; the caller gives the session up if there are more.
const MOST_HYPOTHESES: usize = 256;

impl Default for Belief {
    /// Returns the belief about a new session, at second 0 of the model. The first `_ts` shows which second of the target's
    /// clock that is.
    fn default() -> Self {
        let settings = reference::settings(&Container::default());
        let empty = World::new(0, settings, &mut Preferences::default());
        Self {
            exists: false,
            hypotheses: empty.into_iter().map(Hypothesis::new).collect(),
            observations: Observations::default(),
        }
    }
}

impl Belief {
    /// Returns whether there is a container.
    pub fn exists(&self) -> bool {
        self.exists
    }

    /// From now on, names, requests and answers are about this partition, `None` for the default one. Settings and the
    /// clock are those of all partitions.
    pub fn enter(&mut self, partition: Option<PartitionKey>) {
        self.observations.names.enter(partition);
    }

    /// Returns whether there are too many hypotheses, or too many items, to go on with.
    pub fn is_crowded(&self) -> bool {
        self.hypotheses.len() > MOST_HYPOTHESES || self.observations.names.count() > MOST_ITEMS
    }

    /// Returns the number of hypotheses.
    pub fn count(&self) -> usize {
        self.hypotheses.len()
    }

    /// Returns the number of items that may be back or gone: the responses so far allow both.
    pub fn unsure(&self) -> usize {
        self.hypotheses.first().map_or(0, |hypothesis| hypothesis.open_ids().count())
    }

    /// Returns the world of one of the hypotheses.
    pub fn any(&self) -> Option<&World> {
        self.hypotheses.first().map(|hypothesis| &hypothesis.world)
    }

    /// Returns the model's number for an item that was named before.
    pub fn number(&self, name: &str) -> Option<ItemId> {
        self.observations.names.number(name)
    }

    /// Returns the model's number for an item of this partition that was named before.
    pub fn number_in(&self, partition: Option<&PartitionKey>, name: &str) -> Option<ItemId> {
        self.observations.names.number_in(partition, name)
    }

    /// Returns the names of all items of the partition that any request was about.
    pub fn ids(&self) -> impl Iterator<Item = &Id> {
        self.observations.names.ids()
    }

    /// Returns whether an item has this property for certain, if it is visible. What a target responds if a patch removes
    /// a property that is not there has nothing to do with time to live.
    pub fn carries(&self, name: &str, property: &str) -> bool {
        let names = &self.observations.names;
        let Some(id) = names.number(name) else { return true };
        self.hypotheses.iter().all(|hypothesis| {
            let item = hypothesis.world.visible(id);
            let content = item.and_then(|item| names.properties(item.content));
            content.is_none_or(|properties| properties.contains_key(property))
        })
    }

    /// Returns whether an item may be visible whose etag no answer has shown since it was written.
    pub fn hides_etag(&self, name: &str) -> bool {
        let Some(id) = self.number(name) else { return false };
        let is_shown = |write| self.observations.writes.contains_key(&write);
        let mut worlds = self.hypotheses.iter().map(|hypothesis| &hypothesis.world);
        worlds.any(|world| world.visible(id).is_some_and(|item| !is_shown(item.etag)))
    }

    /// Returns whether an item may be back or gone: the responses so far allow both.
    pub fn is_open(&self, name: &str) -> bool {
        let id = self.number(name);
        id.is_some_and(|id| self.hypotheses.iter().any(|hypothesis| hypothesis.is_open(id)))
    }

    /// Returns the etag that a condition means; `None` if the target has shown none such.
    pub fn etag(&self, id: &str, condition: Condition) -> Option<&Etag> {
        self.observations.etags.meant(&self.number(id)?, condition)
    }

    /// Returns the etags that the target has shown of an item, the last one last.
    pub fn etags(&self, id: &str) -> &[Etag] {
        self.number(id).map_or(&[], |id| self.observations.etags.seen(&id))
    }

    /// Moves the clock of every hypothesis.
    pub fn pass(&mut self, seconds: u64) {
        for hypothesis in &mut self.hypotheses {
            hypothesis.world.wait(seconds);
        }
    }

    /// Keeps the hypotheses that give this response. The request carries the etags with which it was sent. With too many
    /// items nothing is judged: the belief [is crowded](Self::is_crowded).
    ///
    /// # Errors
    ///
    /// [`Contradiction`] if no hypothesis gives it; the belief stays as it was.
    pub fn observe(&mut self, request: &Request, response: &Response) -> Result<(), Contradiction> {
        let agreeing = Vec::with_capacity(self.hypotheses.len());
        let known = &mut self.observations;
        let mut comparison = Comparison { known, request, response, agreeing, differing: None };
        self.hypotheses.iter().for_each(|from| comparison.compare(from));
        if comparison.agreeing.is_empty() && comparison.known.names.count() > MOST_ITEMS {
            // Nothing more can be said: the belief is crowded.
            return Ok(());
        }
        if comparison.agreeing.is_empty() {
            comparison.differing = Some(Vec::new());
            self.hypotheses.iter().for_each(|from| comparison.compare(from));
            return Err(comparison.contradiction());
        }
        let mut next = comparison.agreeing;
        let mut at = 1;
        while let Some(one) = next.get(at) {
            if next.iter().take(at).any(|before| before == one) {
                next.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.hypotheses = next;
        self.learn(request, response);
        Ok(())
    }

    fn learn(&mut self, request: &Request, response: &Response) {
        match (request, &response.body) {
            (Request::Item(operation), Body::Item(item)) if response.status.is_success() => {
                let Some(id) = self.number(operation.id()) else { return };
                let stored = self.hypotheses.first().and_then(|first| first.world.items.get(&id));
                let Some((write, at)) = stored.map(|stored| (stored.etag, stored.ts)) else { return };
                let known = &mut self.observations;
                if let Some(etag) = &item.etag {
                    known.writes.insert(write, etag.clone());
                    known.etags.record(id, etag.clone());
                }
                known.origin = known.origin.or(item.ts.map(|ts| ts.saturating_sub(at)));
            }
            (Request::CreateContainer(container) | Request::ReplaceContainer(container), _)
                if response.status.is_success() =>
            {
                self.exists |= matches!(request, Request::CreateContainer(_));
                self.observations.offers_lazy |= container.indexing == Indexing::Lazy;
            }
            _ => {}
        }
    }
}

/// The knowledge of a client about an item: it sees answers, and never a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the fields are the item's ttl and its age")]
pub enum ClientKnowledge {
    /// There is none.
    Absent,
    /// It is visible.
    Living { ttl: Option<Ttl>, age_s: i64 },
    /// It is expired, and stored or removed.
    Expired { ttl: Option<Ttl>, age_s: i64 },
    /// It was expired and would be visible now: back, or gone for good (`reappearance`).
    Open { ttl: Option<Ttl>, age_s: i64 },
}

/// Returns what a client knows of an item if any of these beliefs may be right; `number` finds it in each of them.
pub fn known<'a>(
    beliefs: impl Iterator<Item = &'a Belief> + Clone,
    number: impl Fn(&Belief) -> Option<ItemId>,
) -> ClientKnowledge {
    let mut hypotheses = beliefs.filter(|belief| belief.exists).flat_map(|belief| {
        let stored = |one: &'a Hypothesis| Some((one, one.world.items.get_key_value(&number(belief)?)?));
        belief.hypotheses.iter().map(stored)
    });
    let everywhere =
        hypotheses.clone().all(|found| found.is_some_and(|(one, (id, _))| !one.unsure.contains(id)));
    match hypotheses.find_map(|found| found) {
        None => ClientKnowledge::Absent,
        Some((Hypothesis { world, .. }, (_, item))) => {
            let (ttl, age_s) = (item.ttl, world.now.saturating_sub(item.ts));
            if world.is_expired(item) {
                ClientKnowledge::Expired { ttl, age_s }
            } else if everywhere {
                ClientKnowledge::Living { ttl, age_s }
            } else {
                ClientKnowledge::Open { ttl, age_s }
            }
        }
    }
}

/// Returns the `defaultTtl` of the container in the first of these beliefs that has one.
pub fn default_ttl<'a>(mut beliefs: impl Iterator<Item = &'a Belief>) -> Option<Ttl> {
    let existing = beliefs.find(|belief| belief.exists);
    existing.and_then(Belief::any).and_then(|world| world.settings.default_ttl)
}
