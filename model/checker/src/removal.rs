//! Removal in the background: when it can be seen, and for people who build a sweeper, when it is safe.
//!
//! The main theorem: while settings stay, no client can tell when the background removes what is expired. Two containers get
//! the same requests. In the lazy one an expired item is removed at any moment or never; in the eager one in the second of
//! its deadline. Every answer must be the same. It stops being true as soon as settings may lengthen a life: then an
//! expired item comes back in one and not in the other (`reappearance`).
//!
//! A sweeper picks what is expired now and removes it later. Removing without looking again takes living items; so does
//! looking whether the item is still the same write, as soon as settings may change in between. Asking the rule again when
//! removing is safe.

use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld, kept_etag};
use super::property_set::{Statement, StatementSection, statements};
use super::report::TraceEvent;
use super::requests;
use super::step::{ModelAction, SystemStep, gone, is, living};
use super::transition_system::{
    Happened, PreparedOf, StateOf, SystemBounds, TransitionSystem, events, settings_draft,
};
use cosmos_ttl_model::container::{Item, ItemId, Operation, Request, Response, Rules, World};
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_model::semantics::Semantics;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedSettings {
    Same,
    /// Those under which no item lives longer.
    Shorter,
    Any,
}

/// Two containers that differ only in when they remove.
#[derive(Clone, Debug)]
pub(super) struct Refinement {
    bounds: SystemBounds<EagerChange>,
    allowed: AllowedSettings,
}

type RefinementStep = SystemStep<EagerChange>;

/// The state of the eager store before the step, its answer, and its state now.
#[derive(Clone, Debug)]
pub(super) struct EagerChange {
    before: World,
    answer: Option<Response>,
    after: World,
}

impl Refinement {
    pub(super) fn new(
        semantics: &Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        allowed: AllowedSettings,
        sections: &[StatementSection<RefinementStep>],
    ) -> Self {
        let (cap, requests) = (AgeCap::Own(2), requests::every(items, 2));
        Self { bounds: SystemBounds::new(semantics, rules, items, cap, requests, sections), allowed }
    }

    fn allows(&self, action: &ModelAction, world: &World) -> bool {
        let ModelAction::Ask(Request::Configure(draft)) = action else { return true };
        match self.allowed {
            AllowedSettings::Same => false,
            AllowedSettings::Shorter => rank(draft.default_ttl) <= rank(settings_draft(world).default_ttl),
            AllowedSettings::Any => true,
        }
    }
}

/// Orders settings by how long items live under them.
fn rank(default_ttl: Wire) -> i64 {
    match default_ttl {
        Wire::Absent | Wire::Null => i64::MAX,
        Wire::Whole(seconds) if seconds > 0 => seconds,
        _ => i64::MAX.saturating_sub(1),
    }
}

impl TransitionSystem for Refinement {
    /// The state of the eager store.
    type Extra = AgedWorld;
    type Seen = EagerChange;

    fn bounds(&self) -> &SystemBounds<EagerChange> {
        &self.bounds
    }

    fn opened(&self, world: &World) -> AgedWorld {
        self.bounds.aged(world)
    }

    fn actions(&self, state: &StateOf<Self>) -> Vec<ModelAction> {
        let world = state.world.world();
        self.bounds.actions().into_iter().filter(|action| self.allows(action, &world)).collect()
    }

    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, EagerChange)> {
        let before = from.state.extra.world();
        let lazy = self.bounds.happen(&from.world, action)?;
        let (after, answer) = match action {
            ModelAction::Remove(_) => (before.clone(), None),
            _ => self.bounds.happen(&before, action)?,
        };
        // The eager one removes everything that is expired.
        let remove = |world: World, id| self.bounds.semantics.remove(&world, id).unwrap_or(world);
        let after = self.bounds.ids().fold(after, remove);
        Some((lazy, EagerChange { before, answer, after }))
    }

    fn extra_after(&self, _: &AgedWorld, step: &RefinementStep) -> AgedWorld {
        self.bounds.aged(&step.seen.after)
    }

    fn events(&self, step: &RefinementStep) -> Vec<TraceEvent> {
        // Ages are capped at each item's own `ttl`: only an age of 0 is sure to be just that.
        let mut all = events(step, 0);
        let eager = step.seen.answer.iter().filter(|_| step.differs());
        all.extend(eager.cloned().map(TraceEvent::RemovedAtDeadline));
        all
    }

    fn look(&self, _: &StateOf<Self>) -> Vec<TraceEvent> {
        Vec::new()
    }
}

impl RefinementStep {
    fn differs(&self) -> bool {
        self.answer != self.seen.answer
    }

    /// Whether the lazy one still stores what the eager one has removed.
    fn lags(&self) -> bool {
        self.seen.before.items.len() < self.before.items.len()
    }

    fn is_count(&self) -> bool {
        self.request() == Some(&Request::Count)
    }
}

const ONE_LAGS: &str = "both answer while only one still stores an expired item";

/// Statements that hold as long as no life is extended.
pub(super) const INVISIBLE: &[Statement<RefinementStep>] = statements! { step: RefinementStep;
    ["purge-invisible", "hidden-immediately"]
        always "every answer is the same whether expired items are still stored or were removed at \
             their deadline" =>
            !step.differs();
        sometimes ONE_LAGS => step.lags() && step.answer.is_some();
};

/// Statements about differences that show once lives may be extended.
pub(super) const VISIBLE: &[Statement<RefinementStep>] = statements! { step: RefinementStep;
    ["reappearance"]
        always "the store that removes at the deadline never stores an expired item" =>
            step.seen.after.items.values().all(|item| !gone(&step.seen.after, item));
        sometimes "one store holds what the other has removed" => step.lags();
    ["reappearance"]
        sometimes "two stores that differ only in what was removed answer differently" => step.differs();
};

/// Differences that show even while settings stay, if open clauses are interpreted in the other way.
const TOLD_BY: &[Statement<RefinementStep>] = statements! { step: RefinementStep;
    ["purge-invisible"]
        always "nothing but a count or the status of an upsert tells what was removed" =>
            match step.request() {
                Some(Request::Batch(all)) if step.differs() => {
                    all.iter().any(|operation| matches!(operation, Operation::Upsert(_)))
                }
                _ => !step.differs() || step.is_count() || is!(step, Upsert),
            };
        sometimes ONE_LAGS => step.lags() && step.answer.is_some();
};

/// Statements about what shows the difference.
const TELLTALES: &[Statement<RefinementStep>] = statements! { step: RefinementStep;
    ["expired-in-aggregates"]
        sometimes "a count that counts the expired tells what was removed" =>
            step.differs() && step.is_count();
    ["expired-upsert-status"]
        sometimes "an upsert that answers ok for the expired tells what was removed" =>
            step.differs() && is!(step, Upsert);
};

pub(super) const OTHER_READINGS: &[StatementSection<RefinementStep>] =
    &[("purge", TOLD_BY), ("expired", TELLTALES)];

/// The check of a sweeper before it removes the item that it picked.
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

/// The changes of an item since the sweeper picked it.
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
        sections: &[StatementSection<SweeperStep>],
    ) -> Self {
        let mut requests = requests::few(1, 2);
        requests.retain(|request| settings_change || !matches!(request, Request::Configure(_)));
        let cap = AgeCap::Longest(2);
        let bounds = SystemBounds::new(semantics, Rules::default(), 1, cap, requests, sections);
        Self { bounds, guard }
    }

    fn sweep(&self, world: &World, picked: PickedItem) -> World {
        let mut after = world.clone();
        match (self.guard, picked) {
            (SweepGuard::Nothing, _) | (SweepGuard::SameEtag, PickedItem::Same) => {
                after.items.remove(&ITEM);
                after
            }
            (SweepGuard::SameEtag, PickedItem::Other) => after,
            (SweepGuard::Rule, _) => self.bounds.semantics.remove(world, ITEM).unwrap_or(after),
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
        self.takes().is_some() && living(&self.before, ITEM).is_some()
    }

    /// Whether the sweeper finds a living item in the place of the one that it picked, and leaves it.
    fn spares(&self, picked: PickedItem) -> bool {
        let found = self.sweeps() && living(&self.before, ITEM).is_some();
        found && self.seen == Some(picked) && self.takes().is_none()
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
            !picks || !step.some_before(|world, item| !gone(world, item))
        };
        sometimes "the sweeper takes a visible item all the same" => step.takes_living();
};
