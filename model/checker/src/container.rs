//! The main system: one container, its clients, its clock and its background.

use std::sync::Arc;

use super::age_abstraction::AgeCap;
use super::properties;
use super::renaming::Renaming;
use super::requests;
use super::step::{ModelAction, WorldChanges, WorldStep};
use super::transition_system::{
    Happened, ItemOrder, PreparedState, SystemBounds, SystemState, TransitionSystem,
};
use cosmos_ttl_model::container::{Index, ItemId, Request, Response, Rules, World};
use cosmos_ttl_model::semantics::Semantics;

/// A container with so many items, and whatever may be asked of it.
#[derive(Clone, Debug)]
pub(super) struct ContainerSystem {
    bounds: SystemBounds<WorldChanges>,
}

impl ContainerSystem {
    /// Every request, for worlds of a few hundred states.
    pub(super) fn every(semantics: &Arc<dyn Semantics>, rules: Rules, items: u32, cap: AgeCap) -> Self {
        Self::asked(semantics, rules, items, cap, requests::every(items, cap.longest()))
    }

    /// What clients do that decides about lives, for walking along what they can tell.
    pub(super) fn clients(semantics: &Arc<dyn Semantics>, rules: Rules, items: u32, cap: AgeCap) -> Self {
        Self::asked(semantics, rules, items, cap, requests::clients(items, cap.longest()))
    }

    /// The requests that change most, for worlds of many items. What can be asked about one item can be asked about
    /// every other, so that items can be sorted.
    pub(super) fn few(semantics: &Arc<dyn Semantics>, items: u32, cap: AgeCap, order: ItemOrder) -> Self {
        let requests = requests::few(items, cap.longest());
        let properties = properties::of_large_container();
        let bounds = SystemBounds::new(semantics, Rules::default(), items, cap, requests, properties);
        Self { bounds: SystemBounds { order, ..bounds } }
    }

    /// One item under every indexing mode.
    pub(super) fn indexing(semantics: &Arc<dyn Semantics>, rules: Rules, cap: AgeCap) -> Self {
        let openings = requests::indexings(cap.longest());
        let mut requests = requests::few(1, cap.longest());
        requests.extend(openings.iter().copied().map(Request::Configure));
        let bounds = SystemBounds::new(semantics, rules, 1, cap, requests, properties::of_indexing(rules));
        Self { bounds: SystemBounds { openings, ..bounds } }
    }

    fn asked(
        semantics: &Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        cap: AgeCap,
        requests: Vec<Request>,
    ) -> Self {
        let properties = properties::of_container(rules);
        Self { bounds: SystemBounds::new(semantics, rules, items, cap, requests, properties) }
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
        self.bounds.actions().into_iter().chain(catch_up).collect()
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

    fn named(&self, start: &SystemState<()>, actions: &[ModelAction]) -> (Self, Vec<ModelAction>) {
        let system = Self { bounds: SystemBounds { order: ItemOrder::Named, ..self.bounds.clone() } };
        let mut state = *start;
        let mut named = Vec::new();
        for action in actions {
            let action = match self.bounds.order {
                ItemOrder::Named => action.clone(),
                ItemOrder::Sorted => Renaming::new(state.world.order()).action(action),
            };
            let Some((_, next)) = system.take(&system.prepare(&state), action.clone()) else { break };
            named.push(action);
            state = next;
        }
        (system, named)
    }
}
