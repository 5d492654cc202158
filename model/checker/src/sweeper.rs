//! For people who build a sweeper: pick what is expired now, remove it later.
//!
//! Between the two anything may happen. Removing without looking again takes living items; so does looking whether the
//! item is still the same write, as soon as settings may change in between. Asking the rule again when removing is safe.

use std::sync::Arc;

use super::age_abstraction::{AgeCap, kept_etag};
use super::property_set::{Section, Statement, statements};
use super::report::TraceEvent;
use super::requests;
use super::step::{ModelAction, SystemStep, gone};
use super::transition_system::{Happened, PreparedOf, StateOf, SystemBounds, TransitionSystem, events};
use cosmos_ttl_model::container::{Item, ItemId, Request, Rules, World};
use cosmos_ttl_model::semantics::Semantics;

/// What a sweeper asks before it removes what it picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SweepGuard {
    Nothing,
    /// Whether the item is still the write that was picked.
    SameEtag,
    /// Whether the rule says that the item is expired now.
    Rule,
}

const ITEM: ItemId = ItemId(0);

#[derive(Clone, Debug)]
pub(super) struct Sweeper {
    bounds: SystemBounds<Option<PickedItem>>,
    guard: SweepGuard,
}

/// What has happened to an item since the sweeper picked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PickedItem {
    /// It has not been written.
    Same,
    /// It has been written, deleted or made again.
    Other,
}

/// A step, and what the sweeper had picked before it.
type SweeperStep = SystemStep<Option<PickedItem>>;

impl Sweeper {
    pub(super) fn new(
        semantics: &Arc<dyn Semantics>,
        guard: SweepGuard,
        settings_change: bool,
        tables: &[&'static [Statement<SweeperStep>]],
    ) -> Self {
        let mut requests = requests::few(1, 2);
        requests.retain(|request| settings_change || !matches!(request, Request::Configure(_)));
        let sections: Vec<Section<SweeperStep>> = tables.iter().map(|table| ("purge", *table)).collect();
        let cap = AgeCap::Longest(2);
        let bounds = SystemBounds::new(semantics, Rules::default(), 1, cap, requests, &sections);
        Self { bounds, guard }
    }

    fn sweep(&self, world: &World, picked: PickedItem) -> World {
        let mut without = world.clone();
        without.items.remove(&ITEM);
        match (self.guard, picked) {
            (SweepGuard::Nothing, _) | (SweepGuard::SameEtag, PickedItem::Same) => without,
            (SweepGuard::SameEtag, PickedItem::Other) => world.clone(),
            (SweepGuard::Rule, _) => {
                self.bounds.semantics.remove(world, ITEM).unwrap_or_else(|| world.clone())
            }
        }
    }
}

impl TransitionSystem for Sweeper {
    type Extra = Option<PickedItem>;
    type Seen = Option<PickedItem>;

    fn bounds(&self) -> &SystemBounds<Option<PickedItem>> {
        &self.bounds
    }

    fn opened(&self, _: &World) -> Option<PickedItem> {
        None
    }

    fn actions(&self, _: &StateOf<Self>) -> Vec<ModelAction> {
        let own = [ModelAction::Pass, ModelAction::Pick(ITEM), ModelAction::Sweep(ITEM)];
        self.bounds.asks().chain(own).collect()
    }

    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, Self::Seen)> {
        let (before, picked) = (&from.world, from.state.extra);
        let happened = match action {
            ModelAction::Pick(id) => {
                self.bounds.semantics.remove(before, *id)?;
                (World::clone(before), None)
            }
            ModelAction::Sweep(_) => (self.sweep(before, picked?), None),
            other => self.bounds.happen(before, other)?,
        };
        Some((happened, picked))
    }

    fn extra_after(&self, picked: &Option<PickedItem>, step: &SweeperStep) -> Option<PickedItem> {
        let same = step.after.items.get(&ITEM).is_some_and(|item| item.etag == kept_etag(ITEM));
        let known = match step.action {
            ModelAction::Pick(_) => PickedItem::Same,
            ModelAction::Sweep(_) => return None,
            _ => (*picked)?,
        };
        Some(if same { known } else { PickedItem::Other })
    }

    fn events(&self, step: &SweeperStep) -> Vec<TraceEvent> {
        match step.action {
            ModelAction::Sweep(id) if step.takes().is_none() => vec![TraceEvent::Spared(id)],
            _ => events(step, self.bounds.oldest()),
        }
    }
}

impl SweeperStep {
    fn sweeps(&self) -> bool {
        matches!(self.action, ModelAction::Sweep(_))
    }

    /// The item that the sweeper takes out of store with this step.
    fn takes(&self) -> Option<&Item> {
        self.before.items.get(&ITEM).filter(|_| self.sweeps() && self.after.items.is_empty())
    }

    fn takes_living(&self) -> bool {
        self.takes().is_some_and(|item| !gone(&self.before, item))
    }

    /// Whether the sweeper finds a living item in the place of the one that it picked, and leaves it.
    fn spares(&self, picked: PickedItem) -> bool {
        let living = self.before.items.get(&ITEM).is_some_and(|item| !gone(&self.before, item));
        self.sweeps() && self.seen == Some(picked) && living && self.takes().is_none()
    }
}

/// Of a sweeper that is safe.
pub(super) const SAFE: &[Statement<SweeperStep>] = statements! { step: SweeperStep;
    ["purge-spares-recreated", "purge-only-expired"]
        always "the sweeper takes no item that is visible when it removes" => !step.takes_living();
        sometimes "the sweeper takes an expired item" => step.takes().is_some();
    ["purge-spares-recreated"]
        sometimes "the sweeper spares an item that was made anew since it picked" =>
            step.spares(PickedItem::Other);
};

/// Of one that is safe while settings change.
pub(super) const SAFE_WHILE_SETTINGS_CHANGE: &[Statement<SweeperStep>] = statements! { step: SweeperStep;
    ["purge-only-expired", "reappearance"]
        sometimes "the sweeper spares the very item that it picked, for settings have changed" =>
            step.spares(PickedItem::Same);
};

/// Of a sweeper that is not safe.
pub(super) const UNSAFE: &[Statement<SweeperStep>] = statements! { step: SweeperStep;
    ["purge-only-expired"]
        always "the sweeper picks only what is expired when it picks" => {
            let picks = matches!(step.action, ModelAction::Pick(_));
            !picks || step.before.items.values().all(|item| gone(&step.before, item))
        };
        sometimes "the sweeper takes a visible item all the same" => step.takes_living();
};
