//! The life of one item as a graph: its states, and what leads from one to another. Found by a walk over every view of a
//! client and every world in it, never written down.

use std::collections::{BTreeMap, BTreeSet};

use super::client::{Client, View};
use super::step::ModelAction;
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::{ItemId, Request, Response, World};

/// A state of an item: what the service stores, and what a client can know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LifeState {
    /// No item has this id, and a client can know that.
    Free,
    /// Every client sees the item.
    Living,
    /// No client sees the item; the service still stores it.
    Stored,
    /// The background has removed the expired item; no client can tell it from [`LifeState::Stored`].
    Removed,
    /// A setting changed: the item is visible again if it is stored, and gone if it was removed.
    PossiblyBack,
}

/// A cause that leads from one state to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LifeCause {
    /// A request that stores the item.
    Write,
    /// A delete that succeeds.
    Delete,
    /// Any other answer about the item, which tells a client what it is.
    Answer,
    /// A second.
    Time,
    /// Another `defaultTtl` of the container.
    Settings,
    /// The background.
    Removal,
}

impl LifeState {
    /// Every state, in the order of a life.
    pub const ALL: [Self; 5] = [Self::Free, Self::Living, Self::Stored, Self::Removed, Self::PossiblyBack];

    fn of(view: &View, world: &World) -> Self {
        match view.known(ITEM) {
            ClientKnowledge::Absent => Self::Free,
            ClientKnowledge::Living { .. } => Self::Living,
            ClientKnowledge::Expired { .. } if world.items.contains_key(&ITEM) => Self::Stored,
            ClientKnowledge::Expired { .. } => Self::Removed,
            ClientKnowledge::Open { .. } => Self::PossiblyBack,
        }
    }
}

impl LifeCause {
    fn of(action: &ModelAction, response: Option<&Response>) -> Option<Self> {
        Some(match (action, response?) {
            (ModelAction::Ask(Request::Configure(_)), Response::Configured) => Self::Settings,
            (ModelAction::Ask(_), Response::Created(_) | Response::Ok(_)) => Self::Write,
            (ModelAction::Ask(_), Response::NoContent) => Self::Delete,
            (ModelAction::Ask(_), _) => Self::Answer,
            _ => return None,
        })
    }
}

const ITEM: ItemId = ItemId(0);

/// The longest lifetime of the walk in seconds: so that a setting can hide an item, and show it again.
const LONGEST_S: u8 = 2;

/// The causes that lead from one state to another, or by a write from a state to itself.
pub type LifeGraph = BTreeMap<(LifeState, LifeState), BTreeSet<LifeCause>>;

/// Returns the graph of an item's life, found in every view of a client of one item.
pub fn life() -> LifeGraph {
    let client = Client::new(1, LONGEST_S);
    let mut graph = LifeGraph::new();
    for view in client.walk() {
        let asked = client.requests(&view).into_iter().flat_map(|request| {
            let after = client.ask(&view, &request).after();
            after.into_iter().map(move |after| (ModelAction::Ask(request.clone()), after))
        });
        let passed = (ModelAction::Pass, client.pass(&view));
        let removed = (ModelAction::Remove(ITEM), view.clone());
        for (action, after) in asked.chain([passed, removed]) {
            for (before, response, world) in client.moves(&view, &action, &after) {
                let cause = match action {
                    ModelAction::Pass => Some(LifeCause::Time),
                    ModelAction::Remove(_) => Some(LifeCause::Removal),
                    _ => LifeCause::of(&action, response.as_ref()),
                };
                let ends = (LifeState::of(&view, &before), LifeState::of(&after, &world));
                // In every other way a state stays what it is; a write starts the count again.
                if let Some(cause) = cause.filter(|cause| ends.0 != ends.1 || *cause == LifeCause::Write) {
                    graph.entry(ends).or_default().insert(cause);
                }
            }
        }
    }
    graph
}
