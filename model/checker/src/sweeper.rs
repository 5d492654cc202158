//! Sweepers, for people who build one: when it is safe to remove an item.
//!
//! A sweeper picks what is expired now and removes it later. Removing without looking again takes living items; so does
//! looking whether the item is still the same write, as soon as settings may change in between. Asking the rule again when
//! removing is safe.

use cosmos_ttl_model::container::World;

use crate::judge::Judge;
use crate::requests::{self, A};
use crate::semantics::Semantics;
use crate::statement::{Statement, statements};
use crate::step::{gone, living};
use crate::story::told;
use crate::system::{ModelAction, Node, Outcome, Step, System};
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

#[derive(Clone)]
pub(crate) struct Sweeper;

/// What has stayed as it was since the sweeper picked an item.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Picked {
    /// The item has not been written, deleted or made again.
    is_same: bool,
    settings_stand: bool,
}

impl Sweeper {
    pub(crate) fn judge(semantics: Semantics) -> Judge<Self> {
        let guards = [SweepGuard::Nothing, SweepGuard::SameEtag, SweepGuard::Rule];
        let own = [ModelAction::Pass, ModelAction::Pick(A)];
        let own = own.into_iter().chain(guards.map(|guard| ModelAction::Sweep(A, guard)));
        let requests = requests::right();
        Judge::new(Self, semantics, requests::openings(), requests, own, &[("purge", SWEEPS)])
    }
}

impl System for Sweeper {
    type Memory = Option<Picked>;
    type Seen = ();

    fn open(&self, _: &World) -> Option<Picked> {
        None
    }

    fn outcomes(&self, of: &Semantics, from: &Node<Self>, action: &ModelAction) -> Vec<Outcome<()>> {
        let mut after = from.world.clone();
        match (action, from.memory) {
            (ModelAction::Pick(id), _) if (of.remove)(&mut from.world.clone(), *id) => {}
            (ModelAction::Sweep(id, SweepGuard::Rule), Some(_)) => {
                (of.remove)(&mut after, *id);
            }
            (ModelAction::Sweep(id, guard), Some(picked)) => {
                let may = *guard == SweepGuard::Nothing || picked.is_same;
                after.items.retain(|stored, _| stored != id || !may);
            }
            _ => return of.outcomes(from, action),
        }
        vec![Outcome::unasked(after)]
    }

    fn remember(&self, step: &Step<Self>) -> Option<Picked> {
        let picked = match *step.action {
            ModelAction::Pick(_) => Picked { is_same: true, settings_stand: true },
            ModelAction::Sweep(..) => return None,
            _ => step.before.memory?,
        };
        let is_same = step.after.items.get(&A).is_some_and(|item| item.etag == kept_etag(A));
        let settings_stand = step.before.settings == step.after.settings;
        Some(Picked {
            is_same: picked.is_same && is_same,
            settings_stand: picked.settings_stand && settings_stand,
        })
    }

    fn tell(&self, step: &Step<Self>) -> Vec<String> {
        match *step.action {
            ModelAction::Sweep(..) if !step.takes() => vec!["the sweeper spares a".into()],
            _ => told(step),
        }
    }
}

impl Step<Sweeper> {
    /// The guard of the sweeper that tries to remove what it picked.
    fn guard(&self) -> Option<SweepGuard> {
        if let ModelAction::Sweep(_, guard) = *self.action { Some(guard) } else { None }
    }

    /// Whether a step of the sweeper takes the item out of store.
    fn takes(&self) -> bool {
        self.guard().is_some() && self.before.items.len() > self.after.items.len()
    }

    fn takes_living(&self) -> bool {
        self.takes() && living(&self.before, A).is_some()
    }

    /// Whether the sweeper finds a living item in the place of the one that it picked, and leaves it.
    fn spares(&self) -> bool {
        self.guard().is_some() && living(&self.before, A).is_some() && !self.takes()
    }
}

const SWEEPS: &[Statement<Sweeper>] = statements! { step: Sweeper;
    ["purge-spares-recreated", "purge-only-expired"]
        always "a sweeper that asks the rule again takes no visible item, and one that takes only the same write takes \
             none while settings stand" =>
            !step.takes_living() || match step.guard() {
                Some(SweepGuard::Rule) => false,
                Some(SweepGuard::SameEtag) => !step.before.memory.is_some_and(|picked| picked.settings_stand),
                _ => true,
            };
        sometimes "a sweeper that asks the rule again takes an expired item" =>
            step.takes() && step.guard() == Some(SweepGuard::Rule);
    ["purge-spares-recreated"]
        sometimes "a sweeper that takes only the same write spares an item that was made anew since it picked" =>
            step.spares() && step.guard() == Some(SweepGuard::SameEtag);
    ["purge-only-expired", "reappearance"]
        sometimes "a sweeper spares the very item that it picked, for settings have changed" =>
            step.spares() && step.before.memory.is_some_and(|picked| picked.is_same);
    ["purge-only-expired"]
        always "a sweeper picks only what is expired when it picks" => {
            let picks = matches!(*step.action, ModelAction::Pick(_));
            !picks || !step.some_before(|world, item| !gone(world, item))
        };
        sometimes "a sweeper that does not look again takes a visible item" =>
            step.takes_living() && step.guard() == Some(SweepGuard::Nothing);
        sometimes "a sweeper takes the same write although settings have made it visible" =>
            step.takes_living() && step.guard() == Some(SweepGuard::SameEtag);
};
