//! What exploration reached. A generator that never gets anywhere finds nothing and looks as if all were well.

use std::collections::BTreeMap;

use super::generate::{KINDS, Kind};
use super::script::Call;
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::target::{Request, Response, Status};

/// How often what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Places that were played.
    pub places: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// Seconds that passed, by all clocks together.
    pub seconds: u64,
    /// What happened, in the order of [`KINDS`].
    kinds: [u64; KINDS.len()],
    /// Answers, by status.
    pub statuses: BTreeMap<Status, u64>,
    /// Requests that a client could meet an expired item with.
    pub expired: u64,
    /// Requests that told whether an item was back or gone.
    pub fates: u64,
    /// Requests with a condition.
    pub conditions: u64,
    /// Most worlds at once.
    pub worlds: usize,
    /// Requests that the target said it does not offer.
    pub not_offered: u64,
    /// Places that were given up because an outcome was unknown, or too much was open.
    pub given_up: u64,
    /// Places in which the target broke.
    pub broken: u64,
    /// What was drawn and could not be asked.
    passed_by: u64,
}

impl Coverage {
    /// How often each kind happened.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, u64)> {
        KINDS.into_iter().zip(self.kinds)
    }

    /// Adds what was reached elsewhere.
    pub fn join(&mut self, other: &Self) {
        for (count, more) in self.kinds.iter_mut().zip(other.kinds) {
            *count = count.saturating_add(more);
        }
        for (status, more) in &other.statuses {
            let count = self.statuses.entry(*status).or_default();
            *count = count.saturating_add(*more);
        }
        self.worlds = self.worlds.max(other.worlds);
        let mut sum = |of: fn(&mut Self) -> &mut u64, more: u64| {
            let count = of(self);
            *count = count.saturating_add(more);
        };
        sum(|coverage| &mut coverage.places, other.places);
        sum(|coverage| &mut coverage.requests, other.requests);
        sum(|coverage| &mut coverage.seconds, other.seconds);
        sum(|coverage| &mut coverage.expired, other.expired);
        sum(|coverage| &mut coverage.fates, other.fates);
        sum(|coverage| &mut coverage.conditions, other.conditions);
        sum(|coverage| &mut coverage.not_offered, other.not_offered);
        sum(|coverage| &mut coverage.given_up, other.given_up);
        sum(|coverage| &mut coverage.broken, other.broken);
    }

    /// What was drawn, asked or not.
    pub(super) fn steps(&self) -> u64 {
        self.kinds.iter().copied().fold(self.passed_by, u64::saturating_add)
    }

    pub(super) fn passed_by(&mut self) {
        add(&mut self.passed_by);
    }

    pub(super) fn waited(&mut self, seconds: u64) {
        self.seconds = self.seconds.saturating_add(seconds);
        self.happened(Kind::Wait);
    }

    fn happened(&mut self, kind: Kind) {
        let place = KINDS.iter().position(|one| *one == kind);
        if let Some(count) = place.and_then(|place| self.kinds.get_mut(place)) {
            add(count);
        }
    }

    /// Before a request: what it is about to meet.
    pub(super) fn meets(&mut self, ask: &Call, belief: &Belief) {
        let looks = matches!(ask.request, Request::Query | Request::List | Request::Count);
        let Some(world) = belief.any() else { return };
        let is_expired = |name: &str| belief.number(name).is_some_and(|id| world.expired(id).is_some());
        let expired = if looks {
            world.expired_ids().next().is_some()
        } else {
            ask.request.operations().iter().any(|one| is_expired(one.id()))
        };
        if expired {
            add(&mut self.expired);
        }
        if !ask.conditions.is_empty() {
            add(&mut self.conditions);
        }
    }

    pub(super) fn answered(&mut self, kind: Kind, response: &Response, belief: &Belief) {
        add(&mut self.requests);
        self.happened(kind);
        add(self.statuses.entry(response.status).or_default());
        self.worlds = self.worlds.max(belief.count());
    }
}

pub(super) fn add(count: &mut u64) {
    *count = count.saturating_add(1);
}
