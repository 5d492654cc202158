//! What exploration reached. A generator that never gets anywhere finds nothing and looks as if all were well.

use std::collections::BTreeMap;

use super::script::Call;
use super::swarm::ActionKind;
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::target::{Request, Response, Status};

/// Counts of what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Sessions that were played.
    pub sessions: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// Seconds that passed, by all clocks together.
    pub seconds: u64,
    /// Actions, by kind.
    kinds: BTreeMap<ActionKind, u64>,
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
    /// Sessions that were given up because an outcome was unknown, or too much was open.
    pub given_up: u64,
    /// Sessions in which the target broke.
    pub broken: u64,
}

impl Coverage {
    /// Returns how often each kind of action was taken.
    pub fn kinds(&self) -> impl Iterator<Item = (ActionKind, u64)> {
        ActionKind::ALL.into_iter().map(|kind| (kind, self.kinds.get(&kind).copied().unwrap_or(0)))
    }

    /// Adds what was reached elsewhere.
    pub fn join(&mut self, other: &Self) {
        for (kind, more) in &other.kinds {
            *self.kinds.entry(*kind).or_default() += more;
        }
        for (status, more) in &other.statuses {
            *self.statuses.entry(*status).or_default() += more;
        }
        self.worlds = self.worlds.max(other.worlds);
        self.sessions += other.sessions;
        self.requests += other.requests;
        self.seconds = self.seconds.saturating_add(other.seconds);
        self.expired += other.expired;
        self.fates += other.fates;
        self.conditions += other.conditions;
        self.not_offered += other.not_offered;
        self.given_up += other.given_up;
        self.broken += other.broken;
    }

    pub(super) fn waited(&mut self, seconds: u64) {
        self.seconds = self.seconds.saturating_add(seconds);
        *self.kinds.entry(ActionKind::Wait).or_default() += 1;
    }

    /// Counts what a request is about to meet.
    pub(super) fn meets(&mut self, call: &Call, belief: &Belief) {
        let Some(world) = belief.any() else { return };
        let is_expired = |name: &str| belief.number(name).is_some_and(|id| world.expired(id).is_some());
        let expired = match &call.request {
            Request::Query | Request::List | Request::Count => world.expired_ids().next().is_some(),
            request => request.operations().iter().any(|operation| is_expired(operation.id())),
        };
        self.expired += u64::from(expired);
        self.conditions += u64::from(!call.conditions.is_empty());
    }

    pub(super) fn answered(&mut self, kind: ActionKind, response: &Response, belief: &Belief) {
        self.requests += 1;
        *self.kinds.entry(kind).or_default() += 1;
        *self.statuses.entry(response.status).or_default() += 1;
        self.worlds = self.worlds.max(belief.count());
    }
}
