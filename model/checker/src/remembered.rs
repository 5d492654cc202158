//! What a client remembers, against what it is shown.
//!
//! The client keeps a ledger of one item: what it wrote last and how long ago, whatever the store does meanwhile. From
//! the ledger alone it can say what it may see: the item as it was written, or nothing; and nothing for good once it has
//! looked in vain under settings that would show it.

use std::sync::Arc;

use super::book::Book;
use super::engine::Machine;
use super::report::Scene;
use super::requests;
use super::step::{self, Move, Ready, Step, gone, on};
use super::timeless::{Cap, Timeless, kept_content, kept_etag};
use cosmos_ttl_model::container::{
    Index, Item, ItemId, Operation, Request, Response, Rules, SettingsDraft, World,
};
use cosmos_ttl_model::rule::ItemTtl;
use cosmos_ttl_model::semantics::Semantics;

const ITEM: ItemId = ItemId(0);

/// One item and a client that remembers.
#[derive(Clone, Debug)]
pub(super) struct Remembered {
    semantics: Arc<dyn Semantics>,
    cap: Cap,
    requests: Arc<[Request]>,
    book: Arc<Book<Recalled>>,
}

/// What is stored, and what the client remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    world: Timeless,
    ledger: Option<Ledger>,
}

/// The last write that succeeded and was not undone by a delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ledger {
    ttl: ItemTtl,
    age: i64,
    /// At some moment since, it was expired: it may be gone for good.
    expired_once: bool,
    /// It took the id of one that had expired.
    recreated: bool,
    seen: Seen,
}

/// The worst that the client has seen of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Seen {
    /// Nothing bad.
    Well,
    /// Not shown, under settings by which it was expired.
    Expired,
    /// Not shown, under settings by which it was not: removed.
    Gone,
}

/// A step, and what the client remembered before it.
#[derive(Clone, Debug)]
pub(super) struct Recalled {
    step: Step,
    ledger: Option<Ledger>,
}

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

impl Remembered {
    pub(super) fn new(semantics: Arc<dyn Semantics>) -> Self {
        let cap = Cap::Longest(2);
        let requests = requests::every(1, cap.longest()).into();
        Self { semantics, cap, requests, book: Arc::new(book()) }
    }

    /// What the client remembers after a step.
    fn remember(&self, ledger: Option<Ledger>, step: &Step) -> Option<Ledger> {
        let mut ledger = written(ledger, step).or(ledger.filter(|_| !deleted(step)))?;
        if step.did == Move::Pass {
            ledger.age = ledger.age.saturating_add(1).min(i64::from(self.cap.longest()));
        }
        if let Some(false) = shown(step) {
            let expired = ledger.is_expired(&step.before);
            ledger.seen = if expired { ledger.seen.max(Seen::Expired) } else { Seen::Gone };
        }
        ledger.expired_once |= ledger.is_expired(&step.after);
        Some(ledger)
    }
}

impl Seen {
    fn max(self, other: Self) -> Self {
        if self == Self::Gone { self } else { other }
    }
}

/// The ledger anew, if this step wrote the item.
fn written(old: Option<Ledger>, step: &Step) -> Option<Ledger> {
    let wrote = match &step.answer {
        Some(Response::Committed(answers)) => answers.iter().rev().find_map(|answer| match answer {
            Response::Created(item) | Response::Ok(item) => Some(item),
            _ => None,
        }),
        _ => step.written(),
    }?;
    let recreated = old.is_some_and(|old| old.is_expired(&step.before));
    Some(Ledger { ttl: wrote.ttl, age: 0, expired_once: false, recreated, seen: Seen::Well })
}

fn deleted(step: &Step) -> bool {
    step.answer == Some(Response::NoContent)
}

/// Whether this step shows the item, if it looks.
fn shown(step: &Step) -> Option<bool> {
    match (&step.did, &step.answer) {
        (Move::Ask(Request::Item(Operation::Read(_))), Some(answer)) => {
            Some(matches!(answer, Response::Found(_)))
        }
        (Move::Ask(Request::Query), Some(Response::Ids(ids))) => Some(ids.contains(&ITEM)),
        _ => None,
    }
}

impl Machine for Remembered {
    type State = Memory;
    type Move = Move;
    type Ready = (Memory, Ready);
    type Step = Recalled;

    fn start(&self) -> Vec<Memory> {
        let drafts = requests::settings_up_to(self.cap.longest()).into_iter().map(requests::consistent);
        let worlds = drafts.filter_map(|draft| self.semantics.open(Rules::default(), 0, draft).ok());
        worlds.map(|world| Memory { world: Timeless::of(&world, self.cap), ledger: None }).collect()
    }

    fn moves(&self, _: &Memory) -> Vec<Move> {
        let mut all: Vec<Move> = self.requests.iter().cloned().map(Move::Ask).collect();
        all.extend([Move::Pass, Move::Remove(ITEM)]);
        all
    }

    fn ready(&self, state: &Memory) -> (Memory, Ready) {
        (*state, Ready::new(state.world.world(), Vec::new()))
    }

    fn take(&self, (state, ready): &(Memory, Ready), choice: Move) -> Option<(Recalled, Memory)> {
        let before: &World = ready;
        let (after, answer) = match &choice {
            Move::Ask(request) => {
                let (after, answer) = self.semantics.step(before, Rules::default(), request);
                (after, Some(answer))
            }
            Move::Pass => (self.semantics.pass(before, 1), None),
            Move::Remove(id) => (self.semantics.remove(before, *id)?, None),
            Move::CatchUp => return None,
        };
        let world = Timeless::of(&after, self.cap);
        let oldest = i64::from(self.cap.longest());
        // This client's book asks for no list.
        let list = |_: &World| Vec::new();
        let step = Step::new(Rules::default(), ready, choice, (after, answer), list, oldest);
        let next = Memory { world, ledger: self.remember(state.ledger, &step) };
        Some((Recalled { step, ledger: state.ledger }, next))
    }

    fn book(&self) -> &Book<Recalled> {
        &self.book
    }

    fn opening(&self, start: &Memory) -> SettingsDraft {
        step::opening(&start.world.world())
    }

    fn look(&self, state: &Memory) -> Vec<Scene> {
        step::look(&*self.semantics, Rules::default(), &state.world.world(), i64::from(self.cap.longest()))
    }

    fn words(&self, choice: &Move) -> String {
        choice.words()
    }

    fn scenes(&self, recalled: &Recalled) -> Vec<Scene> {
        recalled.step.scenes()
    }
}

impl Recalled {
    fn seen(&self, which: Seen) -> bool {
        self.ledger.is_some_and(|ledger| ledger.seen == which)
    }

    fn shows(&self) -> bool {
        shown(&self.step) == Some(true)
    }

    fn hides(&self) -> bool {
        shown(&self.step) == Some(false) && self.step.before.index == Index::Ready
    }

    /// Whether the client has reason to expect the item here and now, come what may.
    fn is_certain(&self) -> bool {
        self.ledger.is_some_and(|ledger| !ledger.expired_once)
    }
}

fn book() -> Book<Recalled> {
    let mut book: Book<Recalled> = Book::new();
    book.section("clock");
    book.law(
        &["counted-from-last-write", "inherited-ttl-not-written-back"],
        ("whatever is found has the `ttl` and the `_ts` of the last write that succeeded", |recalled| {
            let Some(Response::Found(found)) = recalled.step.answer else { return true };
            recalled.ledger.is_some_and(|ledger| {
                let expected = ledger.item(&recalled.step.before);
                (found.ttl, found.ts) == (expected.ttl, expected.ts)
            })
        }),
        ("an item is found two seconds after its last write", |recalled| {
            recalled.shows() && recalled.ledger.is_some_and(|ledger| ledger.age == 2)
        }),
    );
    book.section("purge");
    book.law(
        &["purge-only-expired", "visible-before-deadline"],
        ("an item that was never expired since its last write is shown", |recalled| {
            !recalled.hides() || !recalled.is_certain()
        }),
        ("an item is shown that was never expired", |recalled| recalled.shows() && recalled.is_certain()),
    );
    book.sight(
        &["purge-spares-recreated"],
        ("an item that took the id of an expired one is shown a second later", |recalled| {
            recalled.shows() && recalled.ledger.is_some_and(|ledger| ledger.recreated && ledger.age > 0)
        }),
    );
    settings(&mut book);
    book
}

fn settings(book: &mut Book<Recalled>) {
    book.section("settings");
    book.law(
        &["removed-never-returns"],
        ("what was looked for in vain under settings that would show it is not shown again", |recalled| {
            !(recalled.seen(Seen::Gone) && recalled.shows())
        }),
        ("an item is looked for in vain under settings that would show it", |recalled| {
            let wanted = recalled.ledger.is_some_and(|ledger| !ledger.is_expired(&recalled.step.before));
            wanted && recalled.hides()
        }),
    );
    book.sight(
        &["reappearance"],
        ("an item that was seen expired is shown again", |recalled| {
            recalled.seen(Seen::Expired) && recalled.shows()
        }),
    );
    book.sight(
        &["reappearance"],
        ("an item that was seen expired is looked for in vain while the container is off", |recalled| {
            recalled.seen(Seen::Expired) && recalled.hides() && !on(&recalled.step.before)
        }),
    );
}
