//! The main system: one container, its clients, its clock and its background.

use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::properties;
use super::property_set::PropertySet;
use super::renaming::Renaming;
use super::report::TraceEvent;
use super::requests;
use super::step::{Action, PreparedWorld, WorldStep};
use super::transition_system::{Bounds, TransitionSystem, events};
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
    bounds: Bounds,
    order: ItemOrder,
    properties: Arc<PropertySet<WorldStep>>,
}

impl ContainerSystem {
    /// Every request, for worlds of a few hundred states.
    pub(super) fn every(semantics: &Arc<dyn Semantics>, rules: Rules, items: u32, cap: AgeCap) -> Self {
        let requests = requests::every(items, cap.longest());
        Self::with(Bounds::new(semantics, rules, items, cap, requests), properties::of_container(rules))
    }

    /// What clients do that decides about lives, for walking along what they can tell.
    pub(super) fn clients(semantics: &Arc<dyn Semantics>, rules: Rules, items: u32, cap: AgeCap) -> Self {
        let requests = requests::clients(items, cap.longest());
        Self::with(Bounds::new(semantics, rules, items, cap, requests), properties::of_container(rules))
    }

    /// The requests that change most, for worlds of many items. What can be asked about one item can be asked about
    /// every other, so that items can be sorted.
    pub(super) fn few(semantics: &Arc<dyn Semantics>, items: u32, cap: AgeCap, order: ItemOrder) -> Self {
        let requests = requests::few(items, cap.longest());
        let bounds = Bounds::new(semantics, Rules::default(), items, cap, requests);
        Self { order, ..Self::with(bounds, properties::of_large_container()) }
    }

    /// One item under every indexing mode.
    pub(super) fn indexing(semantics: &Arc<dyn Semantics>, rules: Rules, cap: AgeCap) -> Self {
        let openings = requests::indexings(cap.longest());
        let mut requests = requests::few(1, cap.longest());
        requests.extend(openings.iter().copied().map(Request::Configure));
        let bounds = Bounds::new(semantics, rules, 1, cap, requests);
        Self::with(Bounds { openings, ..bounds }, properties::of_indexing(rules))
    }

    fn with(bounds: Bounds, properties: PropertySet<WorldStep>) -> Self {
        Self { bounds, order: ItemOrder::Named, properties: Arc::new(properties) }
    }

    /// Returns the state that stands for a world. Properties have looked at the world itself by then.
    fn state(&self, world: &World) -> AgedWorld {
        let state = self.bounds.aged(world);
        match self.order {
            ItemOrder::Named => state,
            ItemOrder::Sorted => state.sorted(),
        }
    }

    fn listed(&self, world: &World) -> Vec<ItemId> {
        match self.bounds.semantics.step(world, self.bounds.rules, &Request::Query) {
            (_, Response::Ids(ids)) => ids,
            _ => Vec::new(),
        }
    }
}

impl TransitionSystem for ContainerSystem {
    type State = AgedWorld;
    type Prepared = PreparedWorld;
    type Step = WorldStep;

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn properties(&self) -> &PropertySet<WorldStep> {
        &self.properties
    }

    fn opened(&self, world: World) -> AgedWorld {
        self.state(&world)
    }

    fn shown(&self, state: &AgedWorld) -> World {
        state.world()
    }

    fn actions(&self, state: &AgedWorld) -> Vec<Action> {
        let catch_up = (state.index() == Index::Rebuilding).then_some(Action::CatchUp);
        self.bounds.actions().into_iter().chain(catch_up).collect()
    }

    fn prepare(&self, state: &AgedWorld) -> PreparedWorld {
        let world = state.world();
        let listed = self.listed(&world);
        PreparedWorld::new(world, listed)
    }

    fn take(&self, before: &PreparedWorld, action: Action) -> Option<(WorldStep, AgedWorld)> {
        let happened = self.bounds.happen(before, &action)?;
        let next = self.state(&happened.0);
        let list = |world: &World| self.listed(world);
        Some((WorldStep::new(self.bounds.rules, before.clone(), action, happened, list), next))
    }

    fn events(&self, step: &WorldStep) -> Vec<TraceEvent> {
        events(&step.action, step.answer.as_ref(), self.bounds.oldest())
    }

    fn named(&self, start: &AgedWorld, actions: &[Action]) -> (Self, Vec<Action>) {
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
