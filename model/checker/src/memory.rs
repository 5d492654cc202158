//! The history that a client remembers, compared with the answers that it gets.
//!
//! The client keeps a ledger of one item: what it wrote last and how long ago, whatever the store does meanwhile. From
//! the ledger alone it can say what it may see: the item as it was written, or nothing; and nothing for good once it has
//! looked in vain under settings that would show it.

use cosmos_ttl_model::container::{Item, Operation, Response, TtlChange, World};

use crate::judge::Judge;
use crate::requests::{self, A};
use crate::semantics::Semantics;
use crate::statement::{Section, Statement, statements};
use crate::step::{gone, is};
use crate::system::{ModelAction, Node, Outcome, Step, System};
use crate::world::{LONGEST_S, kept_content, kept_etag};

#[derive(Clone)]
pub(crate) struct ClientHistory;

/// The last write that succeeded and was not undone by a delete.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ledger {
    /// As it was answered, in names and seconds of the present.
    item: Item,
    /// The `_ts` that it would have, had no patch of its content been sent.
    unpatched_ts: i64,
    /// At some moment since, it was expired: it may be gone for good.
    expired_once: bool,
    /// It was read when it was a second or more old.
    read: bool,
    /// It was not shown, under settings by which it was not: removed.
    seen_gone: bool,
}

impl Ledger {
    fn is_expired(self, world: &World) -> bool {
        gone(&World { now: 0, ..world.clone() }, &self.item)
    }
}

impl ClientHistory {
    pub(crate) fn judge(semantics: Semantics) -> Judge<Self> {
        let others = [ModelAction::Pass, ModelAction::Remove(A)];
        let requests = requests::right().into_iter().chain(requests::batches(A, A));
        let sections: &[Section<Self>] =
            &[("clock", CLOCK), ("writes", WRITES), ("purge", PURGE), ("settings", SETTINGS)];
        Judge::new(Self, semantics, requests::openings(), requests, others, sections)
    }
}

impl System for ClientHistory {
    type Memory = Option<Ledger>;
    type Seen = ();

    fn open(&self, _: &World) -> Option<Ledger> {
        None
    }

    fn outcomes(&self, of: &Semantics, from: &Node<Self>, action: &ModelAction) -> Vec<Outcome<()>> {
        of.outcomes(from, action)
    }

    fn remember(&self, step: &Step<Self>) -> Option<Ledger> {
        let old = step.before.memory.filter(|_| step.answer != Some(Response::NoContent));
        let written = step.writes().last().map(|(_, wrote)| {
            let keeps = matches!(step.operation(), Some(Operation::Patch { ttl: TtlChange::Keep, .. }));
            Ledger {
                item: Item { ts: 0, etag: kept_etag(A), content: kept_content(A), ..*wrote },
                unpatched_ts: old.filter(|_| keeps).map_or(0, |old| old.unpatched_ts),
                expired_once: false,
                read: false,
                seen_gone: false,
            }
        });
        let mut ledger = written.or(old)?;
        if step.passes() {
            for ts in [&mut ledger.item.ts, &mut ledger.unpatched_ts] {
                *ts = ts.saturating_sub(1).max(-LONGEST_S);
            }
        }
        match step.shows(A) {
            Some(true) => ledger.read |= is!(step, Read) && ledger.item.ts < 0,
            Some(false) => ledger.seen_gone |= !ledger.is_expired(&step.before),
            None => {}
        }
        ledger.expired_once |= ledger.is_expired(&step.after);
        Some(ledger)
    }
}

impl Step<ClientHistory> {
    fn ledger(&self, is_so: impl FnOnce(Ledger) -> bool) -> bool {
        self.before.memory.is_some_and(is_so)
    }

    fn finds(&self) -> bool {
        self.shows(A) == Some(true)
    }

    fn hides(&self) -> bool {
        self.shows(A) == Some(false)
    }
}

const CLOCK: &[Statement<ClientHistory>] = statements! { step: ClientHistory;
    ["counted-from-last-write", "inherited-ttl-not-written-back"]
        always "whatever is found has the `ttl` and the `_ts` of the last write that succeeded" => {
            let Some(Response::Found(found)) = step.answer else { return true };
            step.ledger(|ledger| (found.ttl, found.ts) == (ledger.item.ttl, ledger.item.ts))
        };
        sometimes "an item is found two seconds after its last write" =>
            step.finds() && step.ledger(|ledger| ledger.item.ts == -2);
};

const WRITES: &[Statement<ClientHistory>] = statements! { step: ClientHistory;
    ["patch-restarts-count"]
        sometimes "an item is found that would be gone without its patch" =>
            step.finds() && step.ledger(|ledger| {
                gone(&step.before, &Item { ts: ledger.unpatched_ts, ..ledger.item })
            });
    ["read-does-not-restart"]
        sometimes "an item is gone that was read a second before" =>
            step.hides() && step.ledger(|ledger| ledger.read && ledger.is_expired(&step.before));
};

const PURGE: &[Statement<ClientHistory>] = statements! { step: ClientHistory;
    ["purge-only-expired", "visible-before-deadline"]
        always "an item that was never expired since its last write is shown" =>
            !step.hides() || !step.ledger(|ledger| !ledger.expired_once);
        sometimes "an item is shown that was never expired" =>
            step.finds() && step.ledger(|ledger| !ledger.expired_once);
};

const SETTINGS: &[Statement<ClientHistory>] = statements! { step: ClientHistory;
    ["removed-never-returns"]
        always "what was looked for in vain under settings that would show it is not shown again" =>
            !(step.ledger(|ledger| ledger.seen_gone) && step.finds());
        sometimes "an item is looked for in vain under settings that would show it" =>
            step.hides() && step.ledger(|ledger| !ledger.is_expired(&step.before));
    ["reappearance"]
        sometimes "an item that was expired is shown again" =>
            step.ledger(|ledger| ledger.expired_once) && step.finds();
};
