//! The main system: one container, its clients, its clock and its background.

use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::properties;
use super::renaming::Renaming;
use super::report::TraceEvent;
use super::requests;
use super::step::{ModelAction, WorldStep};
use super::transition_system::{Prepared, SystemBounds, TransitionSystem, events};
use cosmos_ttl_model::container::{Index, ItemId, Request, Response, Rules, World};
use cosmos_ttl_model::semantics::Semantics;

/// Whether worlds are told apart by which item has which name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemOrder {
    /// They are.
    Named,
    /// Items are sorted: worlds that renaming makes the same are one.
    Sorted,
}

/// A container with so many items, and whatever may be asked of it.
#[derive(Clone, Debug)]
pub(super) struct ContainerSystem {
    bounds: SystemBounds<WorldStep>,
    order: ItemOrder,
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
        Self { bounds, order }
    }

    /// One item under every indexing mode.
    pub(super) fn indexing(semantics: &Arc<dyn Semantics>, rules: Rules, cap: AgeCap) -> Self {
        let openings = requests::indexings(cap.longest());
        let mut requests = requests::few(1, cap.longest());
        requests.extend(openings.iter().copied().map(Request::Configure));
        let bounds = SystemBounds::new(semantics, rules, 1, cap, requests, properties::of_indexing(rules));
        Self { bounds: SystemBounds { openings, ..bounds }, order: ItemOrder::Named }
    }

    fn asked(
        semantics: &Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        cap: AgeCap,
        requests: Vec<Request>,
    ) -> Self {
        let properties = properties::of_container(rules);
        let bounds = SystemBounds::new(semantics, rules, items, cap, requests, properties);
        Self { bounds, order: ItemOrder::Named }
    }

    /// Returns the state that stands for a world. Properties have looked at the world itself by then.
    fn state(&self, world: &World) -> AgedWorld {
        let state = self.bounds.aged(world);
        match self.order {
            ItemOrder::Named => state,
            ItemOrder::Sorted => state.sorted(),
        }
    }
}

impl TransitionSystem for ContainerSystem {
    type State = AgedWorld;
    type Step = WorldStep;

    fn bounds(&self) -> &SystemBounds<WorldStep> {
        &self.bounds
    }

    fn opened(&self, world: World) -> AgedWorld {
        self.state(&world)
    }

    fn shown(&self, state: &AgedWorld) -> World {
        state.world()
    }

    fn actions(&self, state: &AgedWorld) -> Vec<ModelAction> {
        let catch_up = (state.index() == Index::Rebuilding).then_some(ModelAction::CatchUp);
        self.bounds.actions().into_iter().chain(catch_up).collect()
    }

    fn list(&self, world: &World) -> Vec<ItemId> {
        match self.bounds.semantics.step(world, self.bounds.rules, &Request::Query) {
            (_, Response::Ids(ids)) => ids,
            _ => Vec::new(),
        }
    }

    fn take(&self, from: &Prepared<AgedWorld>, action: ModelAction) -> Option<(WorldStep, AgedWorld)> {
        let happened = self.bounds.happen(&from.world, &action)?;
        let next = self.state(&happened.0);
        let list = |world: &World| self.list(world);
        Some((WorldStep::new(self.bounds.rules, from.world.clone(), action, happened, list), next))
    }

    fn events(&self, step: &WorldStep) -> Vec<TraceEvent> {
        events(&step.action, step.answer.as_ref(), self.bounds.oldest())
    }

    fn named(&self, start: &AgedWorld, actions: &[ModelAction]) -> (Self, Vec<ModelAction>) {
        let system = Self { order: ItemOrder::Named, ..self.clone() };
        let mut state = *start;
        let mut named = Vec::new();
        for action in actions {
            let action = match self.order {
                ItemOrder::Named => action.clone(),
                ItemOrder::Sorted => Renaming::new(state.order()).action(action),
            };
            let Some((_, next)) = system.take(&system.prepare(&state), action.clone()) else { break };
            named.push(action);
            state = next;
        }
        (system, named)
    }
}
