//! The findings of a check, as plain data; the caller decides how to show them.

use super::property_set::PropertyKind;
use cosmos_ttl_model::container::{ItemId, Request, Response, SettingsDraft};

/// Everything that one check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// In the order in which they were checked.
    pub models: Vec<CheckedModel>,
}

impl CheckReport {
    /// Returns whether every property is as it must be, and both searches agree everywhere.
    pub fn holds(&self) -> bool {
        self.models.iter().all(CheckedModel::holds)
    }

    /// Returns every property that is not as it must be, with the model in which it is not.
    pub fn failures(&self) -> impl Iterator<Item = (&CheckedModel, &CheckedProperty)> {
        let all = self.models.iter().flat_map(|model| model.properties.iter().map(move |one| (model, one)));
        all.filter(|(_, property)| !property.result.is_good())
    }
}

/// One bounded model, walked through to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedModel {
    /// Its name: a few words.
    pub name: &'static str,
    /// Its bounds: a sentence.
    pub about: &'static str,
    /// How many different states can be reached.
    pub unique_states: usize,
    /// How many steps lead from one to another or to itself.
    pub steps: usize,
    /// The greatest distance of a state from the nearest start.
    pub depth: usize,
    /// The properties that were checked.
    pub properties: Vec<CheckedProperty>,
    /// Where stateright and the walk of our own disagree, in a sentence; `None` where they agree, as they must.
    pub disagreement: Option<String>,
}

impl CheckedModel {
    /// Returns whether every property is as it must be, and both searches agree.
    pub fn holds(&self) -> bool {
        self.disagreement.is_none() && self.properties.iter().all(|property| property.result.is_good())
    }
}

/// One property of one model, and how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedProperty {
    /// How it is meant.
    pub kind: PropertyKind,
    /// The section of `vectors/clauses.yaml` that has its first clause.
    pub section: &'static str,
    /// The clauses that it states, in whole or in part.
    pub clauses: &'static [&'static str],
    /// The statement, as a sentence.
    pub sentence: &'static str,
    /// How it went.
    pub result: PropertyResult,
}

/// How the check of a property went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyResult {
    /// Always: every step that can be reached keeps it.
    Held,
    /// Sometimes: a shortest path to a step that shows it.
    Found(Trace),
    /// Always, and yet: a shortest path to a step that breaks it.
    Violated(Trace),
    /// Sometimes, and yet no step that can be reached shows it.
    NotFound,
}

impl PropertyResult {
    /// Returns whether it is as it must be.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Held | Self::Found(_))
    }
}

/// A path from a new container to a step that breaks, or shows, a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The container that everything happens in.
    pub opening: SettingsDraft,
    /// How many steps it has. A step may have several events.
    pub steps: usize,
    /// The events, in order.
    pub events: Vec<TraceEvent>,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A client asks, and this is the response. Its `_ts` are relative: 0 is the second of the request, -1 the one before;
    /// at `-oldest` and below it is only known that it was then or earlier.
    Asked {
        /// The client's request.
        request: Request,
        /// The response.
        response: Response,
        /// The age at which ages saturate.
        oldest: i64,
    },
    /// A client makes the container again, and this is the response.
    Opened {
        /// The settings that the client sends.
        draft: SettingsDraft,
        /// The response.
        response: Response,
    },
    /// To the request before, a store that removes at the deadline responds otherwise.
    RemovedAtDeadline(Response),
    /// A second passes.
    Passed,
    /// The background removes an item; no client can see that as such.
    Removed(ItemId),
    /// A lazy index catches up.
    CaughtUp,
    /// A sweeper picks an item, to remove it later.
    Picked(ItemId),
    /// The sweeper leaves alone what it picked.
    Spared(ItemId),
}
