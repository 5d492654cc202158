//! The main system: one container, its clients, its clock and its background; and what must hold of it, in words and as
//! code, in tables with the sections of `vectors/clauses.yaml`.
//!
//! An *always* is stated of a [`WorldStep`]: what was stored, the action, the response, and what is stored now.
//! Each comes with a *sometimes*: a step that must be reachable, so that the first does not hold for want of occasion.

mod items;
mod settings;

use std::sync::Arc;

use super::age_abstraction::AgeCap;
use super::property_set::StatementSection;
use super::requests::{every, few, indexings};
use super::step::{ModelAction, WorldChanges, WorldStep};
use super::transition_system::{Happened, PreparedState, SystemBounds, SystemState, TransitionSystem};
use cosmos_ttl_model::container::{Index, ItemId, Request, Response, Rules, World};
use cosmos_ttl_model::semantics::Semantics;

/// Everything that can be said of a container that is indexed as usual.
const USUAL: &[StatementSection<WorldStep>] = &[
    ("domain", settings::DOMAIN),
    ("lifetime", items::LIFETIME),
    ("clock", items::CLOCK),
    ("writes", items::WRITES),
    ("expired", items::EXPIRED),
    ("purge", items::PURGE),
    ("settings", settings::SETTINGS),
];

/// A container with this number of items, and every request that it may get.
#[derive(Clone, Debug)]
pub(super) struct ContainerSystem {
    bounds: SystemBounds<WorldChanges>,
}

impl ContainerSystem {
    /// Every request, for worlds of a few hundred states.
    pub(super) fn new(semantics: &Arc<dyn Semantics>, rules: Rules, items: u32, cap: AgeCap) -> Self {
        let requests = every(items, cap.longest());
        Self { bounds: SystemBounds::new(semantics, rules, items, cap, requests, USUAL) }
    }

    pub(super) fn indexing(semantics: &Arc<dyn Semantics>, rules: Rules, cap: AgeCap) -> Self {
        let openings = indexings(cap.longest());
        let mut requests = few(1, cap.longest());
        requests.extend(openings.iter().copied().map(Request::Configure));
        let sections = &[("indexing", settings::INDEXING)];
        let bounds = SystemBounds::new(semantics, rules, 1, cap, requests, sections);
        Self { bounds: SystemBounds { openings, ..bounds } }
    }
}

impl TransitionSystem for ContainerSystem {
    type Extra = ();
    type Seen = WorldChanges;

    fn bounds(&self) -> &SystemBounds<WorldChanges> {
        &self.bounds
    }

    fn opened(&self, _: &World) {}

    fn extra_after(&self, (): &(), _: &WorldStep) {}

    fn actions(&self, state: &SystemState<()>) -> Vec<ModelAction> {
        let catch_up = (state.world.index() == Index::Rebuilding).then_some(ModelAction::CatchUp);
        let empty = state.world.world().items.is_empty();
        let drafts = self.bounds.requests.iter().filter_map(|request| match request {
            Request::Configure(draft) if empty => Some(ModelAction::Open(*draft)),
            _ => None,
        });
        self.bounds.actions().into_iter().chain(drafts).chain(catch_up).collect()
    }

    fn list(&self, world: &World) -> Vec<ItemId> {
        match self.bounds.semantics.step(world, self.bounds.rules, &Request::Query) {
            (_, Response::Ids(ids)) => ids,
            _ => Vec::new(),
        }
    }

    fn happen(&self, from: &PreparedState<()>, action: &ModelAction) -> Option<(Happened, WorldChanges)> {
        let happened = self.bounds.happen(&from.world, action)?;
        let changes = WorldChanges::new(&from.world, &happened.0, |world| self.list(world));
        Some((happened, changes))
    }
}
