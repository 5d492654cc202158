//! Sweepers, for people who build one: when it is safe to remove an item.
//!
//! A sweeper picks what is expired now and removes it later. Removing without looking again takes living items; so does
//! looking whether the item is still the same write, as soon as settings may change in between. Asking the rule again when
//! removing is safe.

use cosmos_ttl_model::container::{Item, Request, World};

use crate::report::TraceEvent;
use crate::requests::{self, A};
use crate::semantics::Semantics;
use crate::statement::{Section, Statement, statements};
use crate::step::{gone, living};
use crate::system::{self, Bounds, ModelAction, Node, Outcome, Step, System};
use crate::world::kept_etag;

/// The check of a sweeper before it removes the item that it picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SweepGuard {
    Nothing,
    /// Whether the item is still the write that was picked.
    SameEtag,
    /// Whether the rule says that the item is expired now.
    Rule,
}

/// A container with a sweeper.
#[derive(Clone, Debug)]
pub(crate) struct Sweeper {
    bounds: Bounds,
    guard: SweepGuard,
}

/// The changes of an item since the sweeper picked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PickedItem {
    /// It has not been written.
    Same,
    /// It has been written, deleted or made again.
    Other,
}

type SweeperStep = Step<Sweeper>;

impl Sweeper {
    pub(crate) fn new(semantics: Semantics, guard: SweepGuard, requests: Vec<Request>) -> Self {
        let own = [ModelAction::Pass, ModelAction::Pick(A), ModelAction::Sweep(A)];
        Self { bounds: Bounds::new(semantics, requests::openings(), requests, own), guard }
    }
}

impl System for Sweeper {
    type Memory = Option<PickedItem>;
    type Seen = ();

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn sections(&self) -> &'static [Section<Self>] {
        match (self.guard, self.bounds.settings_change()) {
            (SweepGuard::Nothing, _) | (SweepGuard::SameEtag, true) => &[("purge", UNSAFE)],
            (SweepGuard::SameEtag, false) => &[("purge", SAFE)],
            (SweepGuard::Rule, _) => &[("purge", SAFE), ("purge", SAFE_WHILE_SETTINGS_CHANGE)],
        }
    }

    fn opened(&self, _: &World) -> Option<PickedItem> {
        None
    }

    fn outcomes(&self, from: &Node<Self::Memory>, action: &ModelAction) -> Vec<Outcome<()>> {
        let mut after = from.world.clone();
        match (action, from.memory) {
            (ModelAction::Pick(id), _) if (self.bounds.semantics.remove)(&mut from.world.clone(), *id) => {}
            (ModelAction::Sweep(id), Some(_)) if self.guard == SweepGuard::Rule => {
                (self.bounds.semantics.remove)(&mut after, *id);
            }
            (ModelAction::Sweep(id), Some(picked)) => {
                let may = self.guard == SweepGuard::Nothing || picked == PickedItem::Same;
                after.items.retain(|stored, _| stored != id || !may);
            }
            _ => return self.bounds.outcomes(from, action),
        }
        vec![Outcome::unasked(after)]
    }

    fn remember(&self, step: &SweeperStep) -> Option<PickedItem> {
        let same = step.after.items.get(&A).is_some_and(|item| item.etag == kept_etag(A));
        let known = match *step.action {
            ModelAction::Pick(_) => PickedItem::Same,
            ModelAction::Sweep(_) => return None,
            _ => step.before.memory?,
        };
        Some(if same { known } else { PickedItem::Other })
    }

    fn events(&self, step: &SweeperStep) -> Vec<TraceEvent> {
        match *step.action {
            ModelAction::Sweep(id) if step.takes().is_none() => vec![TraceEvent::Spared(id)],
            _ => system::events(step),
        }
    }
}

impl SweeperStep {
    fn sweeps(&self) -> bool {
        matches!(*self.action, ModelAction::Sweep(_))
    }

    /// The item that the sweeper takes out of store with this step.
    fn takes(&self) -> Option<&Item> {
        self.before.items.get(&A).filter(|_| self.sweeps() && self.after.items.is_empty())
    }

    fn takes_living(&self) -> bool {
        self.takes().is_some() && living(&self.before, A).is_some()
    }

    /// Whether the sweeper finds a living item in the place of the one that it picked, and leaves it.
    fn spares(&self, picked: PickedItem) -> bool {
        let found = self.sweeps() && living(&self.before, A).is_some();
        found && self.before.memory == Some(picked) && self.takes().is_none()
    }
}

/// Of a sweeper that is safe.
const SAFE: &[Statement<Sweeper>] = statements! { step: Sweeper;
    ["purge-spares-recreated", "purge-only-expired"]
        always "the sweeper takes no item that is visible when it removes" => !step.takes_living();
        sometimes "the sweeper takes an expired item" => step.takes().is_some();
    ["purge-spares-recreated"]
        sometimes "the sweeper spares an item that was made anew since it picked" =>
            step.spares(PickedItem::Other);
};

/// Of one that is safe while settings change.
const SAFE_WHILE_SETTINGS_CHANGE: &[Statement<Sweeper>] = statements! { step: Sweeper;
    ["purge-only-expired", "reappearance"]
        sometimes "the sweeper spares the very item that it picked, for settings have changed" =>
            step.spares(PickedItem::Same);
};

/// Of a sweeper that is not safe.
const UNSAFE: &[Statement<Sweeper>] = statements! { step: Sweeper;
    ["purge-only-expired"]
        always "the sweeper picks only what is expired when it picks" => {
            let picks = matches!(*step.action, ModelAction::Pick(_));
            !picks || !step.some_before(|world, item| !gone(world, item))
        };
        sometimes "the sweeper takes a visible item all the same" => step.takes_living();
};
