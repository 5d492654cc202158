//! The history that a client remembers, compared with the answers that it gets.
//!
//! The client keeps a ledger of one item: what it wrote last and how long ago, whatever the store does meanwhile. From
//! the ledger alone it can say what it may see: the item as it was written, or nothing; and nothing for good once it has
//! looked in vain under settings that would show it.

use std::sync::Arc;

use super::age_abstraction::{AgeCap, kept_content, kept_etag};
use super::property_set::{Statement, statements};
use super::requests;
use super::step::{self, ModelAction, SystemStep, gone, on};
use super::transition_system::{Happened, PreparedOf, SystemBounds, TransitionSystem};
use cosmos_ttl_model::container::{Index, Item, ItemId, Response, Rules, World};
use cosmos_ttl_model::rule::ItemTtl;
use cosmos_ttl_model::semantics::Semantics;

const ITEM: ItemId = ItemId(0);

#[derive(Clone, Debug)]
pub(super) struct ClientHistory {
    bounds: SystemBounds<Option<Ledger>>,
}

/// The last write that succeeded and was not undone by a delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ledger {
    ttl: ItemTtl,
    age: i64,
    /// At some moment since, it was expired: it may be gone for good.
    expired_once: bool,
    /// It took the id of one that had expired.
    recreated: bool,
    worst: Sighting,
}

/// The worst that the client has seen of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sighting {
    Well,
    /// Not shown, under settings by which it was expired.
    Expired,
    /// Not shown, under settings by which it was not: removed.
    Gone,
}

/// A step, and what the client remembered before it.
type HistoryStep = SystemStep<Option<Ledger>>;

impl Ledger {
    /// The item as the client would expect it under these settings.
    fn item(self, world: &World) -> Item {
        let ts = world.now.saturating_sub(self.age);
        Item { ttl: self.ttl, ts, etag: kept_etag(ITEM), content: kept_content(ITEM) }
    }

    fn is_expired(self, world: &World) -> bool {
        gone(world, &self.item(world))
    }
}

impl ClientHistory {
    pub(super) fn new(semantics: &Arc<dyn Semantics>) -> Self {
        let (cap, requests) = (AgeCap::Longest(2), requests::every(1, 2));
        let sections = [("clock", CLOCK), ("purge", PURGE), ("settings", SETTINGS)];
        Self { bounds: SystemBounds::new(semantics, Rules::default(), 1, cap, requests, &sections) }
    }
}

/// A new ledger, if this step wrote the item.
fn written(step: &HistoryStep) -> Option<Ledger> {
    let wrote = match &step.answer {
        Some(Response::Committed(answers)) => answers.iter().rev().find_map(step::written),
        _ => step.written(),
    }?;
    let recreated = step.seen.is_some_and(|old| old.is_expired(&step.before));
    Some(Ledger { ttl: wrote.ttl, age: 0, expired_once: false, recreated, worst: Sighting::Well })
}

impl TransitionSystem for ClientHistory {
    type Extra = Option<Ledger>;
    type Seen = Option<Ledger>;

    fn bounds(&self) -> &SystemBounds<Option<Ledger>> {
        &self.bounds
    }

    fn opened(&self, _: &World) -> Option<Ledger> {
        None
    }

    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, Option<Ledger>)> {
        Some((self.bounds.happen(&from.world, action)?, from.state.extra))
    }

    fn extra_after(&self, ledger: &Option<Ledger>, step: &HistoryStep) -> Option<Ledger> {
        let deleted = step.answer == Some(Response::NoContent);
        let mut ledger = written(step).or(ledger.filter(|_| !deleted))?;
        if step.passes() {
            ledger.age = ledger.age.saturating_add(1).min(self.bounds.oldest());
        }
        if let Some(false) = step.shows(ITEM) {
            ledger.worst = match ledger.worst {
                Sighting::Well | Sighting::Expired if ledger.is_expired(&step.before) => Sighting::Expired,
                _ => Sighting::Gone,
            };
        }
        ledger.expired_once |= ledger.is_expired(&step.after);
        Some(ledger)
    }
}

impl HistoryStep {
    fn has_seen(&self, worst: Sighting) -> bool {
        self.seen.is_some_and(|ledger| ledger.worst == worst)
    }

    fn finds(&self) -> bool {
        self.shows(ITEM) == Some(true)
    }

    fn hides(&self) -> bool {
        self.shows(ITEM) == Some(false) && self.before.index == Index::Ready
    }

    /// Whether the client has reason to expect the item here and now, come what may.
    fn is_certain(&self) -> bool {
        self.seen.is_some_and(|ledger| !ledger.expired_once)
    }
}

const CLOCK: &[Statement<HistoryStep>] = statements! { step: HistoryStep;
    ["counted-from-last-write", "inherited-ttl-not-written-back"]
        always "whatever is found has the `ttl` and the `_ts` of the last write that succeeded" => {
            let Some(Response::Found(found)) = step.answer else { return true };
            step.seen.is_some_and(|ledger| {
                let expected = ledger.item(&step.before);
                (found.ttl, found.ts) == (expected.ttl, expected.ts)
            })
        };
        sometimes "an item is found two seconds after its last write" =>
            step.finds() && step.seen.is_some_and(|ledger| ledger.age == 2);
};

const PURGE: &[Statement<HistoryStep>] = statements! { step: HistoryStep;
    ["purge-only-expired", "visible-before-deadline"]
        always "an item that was never expired since its last write is shown" =>
            !step.hides() || !step.is_certain();
        sometimes "an item is shown that was never expired" => step.finds() && step.is_certain();
    ["purge-spares-recreated"]
        sometimes "an item that took the id of an expired one is shown a second later" =>
            step.finds() && step.seen.is_some_and(|ledger| ledger.recreated && ledger.age > 0);
};

const SETTINGS: &[Statement<HistoryStep>] = statements! { step: HistoryStep;
    ["removed-never-returns"]
        always "what was looked for in vain under settings that would show it is not shown again" =>
            !(step.has_seen(Sighting::Gone) && step.finds());
        sometimes "an item is looked for in vain under settings that would show it" => {
            let wanted = step.seen.is_some_and(|ledger| !ledger.is_expired(&step.before));
            wanted && step.hides()
        };
    ["reappearance"]
        sometimes "an item that was seen expired is shown again" =>
            step.has_seen(Sighting::Expired) && step.finds();
    ["reappearance"]
        sometimes "an item that was seen expired is looked for in vain while the container is off" =>
            step.has_seen(Sighting::Expired) && step.hides() && !on(&step.before);
};
