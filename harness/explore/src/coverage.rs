//! Counts of what an exploration reached: one that never gets anywhere finds nothing and looks as if all were well.

use std::collections::BTreeMap;

use crate::belief::Belief;
use cosmos_ttl_harness::target::{Request, Response, Status};

use super::script::Call;

/// Counts of what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Sessions that were played.
    pub sessions: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// The most seconds that passed in one session.
    pub seconds: u64,
    /// Requests, by the word for their kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Answers, by status.
    pub statuses: BTreeMap<Status, u64>,
    /// Requests that a client could meet an expired item with.
    pub expired: u64,
    /// Requests that told whether an item was back or gone.
    pub fates: u64,
    /// Requests with a condition.
    pub conditions: u64,
    /// Requests about another partition than the default one.
    pub elsewhere: u64,
    /// The most hypotheses at once.
    pub worlds: usize,
    /// Requests that the target said it does not offer.
    pub not_offered: u64,
    /// Sessions that were given up because an outcome was unknown, or too much was open.
    pub given_up: u64,
    /// Sessions in which the target broke.
    pub broken: u64,
}

impl Coverage {
    /// Adds what was reached elsewhere.
    pub fn join(&mut self, other: &Self) {
        for (kind, more) in &other.kinds {
            *self.kinds.entry(kind).or_default() += more;
        }
        for (status, more) in &other.statuses {
            *self.statuses.entry(*status).or_default() += more;
        }
        self.worlds = self.worlds.max(other.worlds);
        self.seconds = self.seconds.max(other.seconds);
        self.sessions += other.sessions;
        self.requests += other.requests;
        self.expired += other.expired;
        self.fates += other.fates;
        self.conditions += other.conditions;
        self.elsewhere += other.elsewhere;
        self.not_offered += other.not_offered;
        self.given_up += other.given_up;
        self.broken += other.broken;
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
        self.elsewhere += u64::from(call.partition.is_some());
    }

    pub(super) fn answered(&mut self, call: &Call, response: &Response, belief: &Belief) {
        self.requests += 1;
        *self.kinds.entry(call.request.word()).or_default() += 1;
        *self.statuses.entry(response.status).or_default() += 1;
        self.worlds = self.worlds.max(belief.count());
    }
}
