//! Shows that nothing is lost by telling worlds apart by ages.
//!
//! Worlds with a real clock, real etags and contents that are all different take every step beside the world of ages
//! that stands for them. Both must answer alike, shifted and renamed, and must lead to worlds that correspond again.

use core::hash::{Hash, Hasher};
use std::sync::Arc;

use super::book::Book;
use super::engine::Machine;
use super::report::Scene;
use super::requests;
use super::step::{self, Move};
use super::timeless::{Cap, MAX_ITEMS, NEW, STALE, Timeless, kept_content, kept_etag};
use cosmos_ttl_model::container::{
    Content, Draft, Etag, Index, Item, ItemId, Operation, Request, Response, Rules, SettingsDraft, World,
};
use cosmos_ttl_model::semantics::Semantics;

/// Contents from here on are made by writes; no two writes bring the same.
const FIRST_FRESH: u32 = 100;

/// Worlds with a clock that stops after some seconds, and with a bounded number of writes.
#[derive(Clone, Debug)]
pub(super) struct Clocked {
    semantics: Arc<dyn Semantics>,
    rules: Rules,
    items: u32,
    cap: Cap,
    openings: Vec<SettingsDraft>,
    last_second: i64,
    writes: u32,
    requests: Arc<[Request]>,
    book: Arc<Book<Square>>,
}

/// A world that is told apart by everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Whole(World);

impl Hash for Whole {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let World { now, settings, items, next_etag, index } = &self.0;
        (now, settings.default_ttl, settings.indexing, items, next_etag, index).hash(hasher);
    }
}

/// One step of both.
#[derive(Clone, Debug)]
pub(super) struct Square {
    /// What differs, if anything does.
    differs: Option<Side>,
    /// Whether an age has passed the cap.
    saturated: bool,
    did: Move,
    answer: Option<Response>,
}

/// In what the world with a clock and the world of ages can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Only one of them allowed the step.
    Allowed,
    /// The answers.
    Answered,
    /// What they have become.
    Became,
}

impl Clocked {
    /// What the openings say can also be set later.
    pub(super) fn new(
        semantics: Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        cap: Cap,
        openings: Vec<SettingsDraft>,
        last_second: i64,
        writes: u32,
    ) -> Self {
        let mut requests = match items {
            1 => requests::every(items, cap.longest()),
            _ => requests::few(items, cap.longest()),
        };
        for request in openings.iter().copied().map(Request::Configure) {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        let (requests, book) = (requests.into(), Arc::new(book()));
        Self { semantics, rules, items, cap, openings, last_second, writes, requests, book }
    }

    fn happen(&self, world: &World, choice: &Move) -> Option<(World, Option<Response>)> {
        match choice {
            Move::Ask(request) => {
                let (after, answer) = self.semantics.step(world, self.rules, request);
                Some((after, Some(answer)))
            }
            Move::Pass => Some((self.semantics.pass(world, 1), None)),
            Move::Remove(id) => Some((self.semantics.remove(world, *id)?, None)),
            Move::CatchUp => Some((self.semantics.catch_up(world), None)),
        }
    }

    /// A request of the world of ages, as it would be sent to this one.
    fn concrete(world: &World, choice: &Move) -> Move {
        match choice {
            Move::Ask(Request::Item(operation)) => Move::Ask(Request::Item(concrete(world, *operation))),
            Move::Ask(Request::Batch(operations)) => {
                let operations = operations.iter().map(|operation| concrete(world, *operation));
                Move::Ask(Request::Batch(operations.collect()))
            }
            other => other.clone(),
        }
    }

    /// An answer of this world, as the world of ages would give it.
    fn abstracted(&self, before: &World, response: &Response) -> Response {
        match response {
            Response::Created(item) => Response::Created(self.renamed(before, item)),
            Response::Ok(item) => Response::Ok(self.renamed(before, item)),
            Response::Found(item) => Response::Found(self.renamed(before, item)),
            Response::Committed(all) => {
                Response::Committed(all.iter().map(|one| self.abstracted(before, one)).collect())
            }
            other => other.clone(),
        }
    }

    fn renamed(&self, before: &World, item: &Item) -> Item {
        let owner = |same: fn(&Item, &Item) -> bool| {
            before.items.iter().find(|(_, old)| same(old, item)).map(|(id, _)| *id)
        };
        let fresh = item
            .etag
            .0
            .wrapping_sub(before.next_etag.0)
            .saturating_add(u32::try_from(MAX_ITEMS).unwrap_or(0));
        let etag = owner(|old, item| old.etag == item.etag).map_or(Etag(fresh), kept_etag);
        let content = match owner(|old, item| old.content == item.content) {
            Some(id) => kept_content(id),
            None if item.content.0 >= FIRST_FRESH => NEW,
            None => item.content,
        };
        let age = self.cap.capped(item.ttl, before.now.saturating_sub(item.ts));
        Item { ttl: item.ttl, ts: age.saturating_neg(), etag, content }
    }
}

fn concrete(world: &World, operation: Operation) -> Operation {
    let stored = |id: ItemId| world.items.get(&id);
    let etag = |id, if_match: Option<Etag>| {
        if_match.map(|etag| {
            if etag == STALE { STALE } else { stored(id).map_or(Etag(STALE.0 - 1), |item| item.etag) }
        })
    };
    let content = |id, content| match content {
        NEW => Content(world.next_etag.0.saturating_add(FIRST_FRESH)),
        kept => stored(id).map_or(kept, |item| item.content),
    };
    let draft = |draft: Draft| Draft { content: content(draft.id, draft.content), ..draft };
    match operation {
        Operation::Create(sent) => Operation::Create(draft(sent)),
        Operation::Upsert(sent) => Operation::Upsert(draft(sent)),
        Operation::Replace { draft: sent, if_match } => {
            Operation::Replace { draft: draft(sent), if_match: etag(sent.id, if_match) }
        }
        Operation::Patch { id, ttl, content: sent, if_match } => Operation::Patch {
            id,
            ttl,
            content: sent.map(|sent| content(id, sent)),
            if_match: etag(id, if_match),
        },
        Operation::Read(id) => Operation::Read(id),
        Operation::Delete { id, if_match } => Operation::Delete { id, if_match: etag(id, if_match) },
    }
}

impl Machine for Clocked {
    type State = Whole;
    type Move = Move;
    type Ready = Whole;
    type Step = Square;

    fn start(&self) -> Vec<Whole> {
        let worlds = self.openings.iter().filter_map(|draft| self.semantics.open(self.rules, 0, *draft).ok());
        worlds.map(Whole).collect()
    }

    fn moves(&self, Whole(world): &Whole) -> Vec<Move> {
        let mut all = Vec::new();
        if world.next_etag.0 < self.writes {
            all.extend(self.requests.iter().cloned().map(Move::Ask));
        }
        if world.now < self.last_second {
            all.push(Move::Pass);
        }
        all.extend((0..self.items).map(|id| Move::Remove(ItemId(id))));
        if world.index == Index::Rebuilding {
            all.push(Move::CatchUp);
        }
        all
    }

    fn ready(&self, state: &Whole) -> Whole {
        state.clone()
    }

    fn take(&self, Whole(world): &Whole, choice: Move) -> Option<(Square, Whole)> {
        let stands_for = Timeless::of(world, self.cap);
        let concrete = self.happen(world, &Self::concrete(world, &choice));
        let relative = self.happen(&stands_for.world(), &choice);
        let allowed = concrete.is_some() == relative.is_some();
        if concrete.is_none() && allowed {
            return None;
        }
        let unmoved = || (world.clone(), None);
        let (after, answer) = concrete.unwrap_or_else(unmoved);
        let (relative_after, relative_answer) = relative.unwrap_or_else(unmoved);
        let answered = answer.as_ref().map(|answer| self.abstracted(world, answer)) == relative_answer;
        let became = Timeless::of(&after, self.cap) == Timeless::of(&relative_after, self.cap);
        let sides = [(allowed, Side::Allowed), (answered, Side::Answered), (became, Side::Became)];
        let differs = sides.into_iter().find(|(same, _)| !same).map(|(_, side)| side);
        let longest = i64::from(self.cap.longest());
        let saturated = world.items.values().any(|item| step::age(world, item) > longest);
        Some((Square { differs, saturated, did: choice, answer }, Whole(after)))
    }

    fn book(&self) -> &Book<Square> {
        &self.book
    }

    fn opening(&self, Whole(start): &Whole) -> SettingsDraft {
        step::opening(start)
    }

    fn look(&self, Whole(world): &Whole) -> Vec<Scene> {
        let relative = Timeless::of(world, self.cap).world();
        step::look(&*self.semantics, self.rules, &relative, i64::from(self.cap.longest()))
    }

    fn words(&self, choice: &Move) -> String {
        choice.words()
    }

    fn scenes(&self, square: &Square) -> Vec<Scene> {
        match (&square.did, &square.answer) {
            (Move::Ask(request), Some(response)) => {
                let (request, response) = (request.clone(), response.clone());
                std::vec![Scene::Asked { request, response, oldest: 0 }]
            }
            (Move::Remove(id), _) => std::vec![Scene::Removed(*id)],
            (Move::CatchUp, _) => std::vec![Scene::Noted("the index has caught up".to_string())],
            (Move::Pass | Move::Ask(_), _) => std::vec![Scene::Passed],
        }
    }
}

fn book() -> Book<Square> {
    let mut book: Book<Square> = Book::new();
    book.section("clock");
    book.law(
        &["counted-from-last-write"],
        (
            "a world with a clock allows, answers and becomes what the world of ages in its place does",
            |square| square.differs.is_none(),
        ),
        ("a client asks about an item that is older than the longest lifetime", |square| {
            square.saturated && square.answer.is_some()
        }),
    );
    book
}

#[cfg(test)]
mod tests {
    use super::super::{other_readings, search};
    use super::*;
    use cosmos_ttl_model::semantics::Shipped;

    fn usual(cap: Cap) -> Vec<SettingsDraft> {
        requests::settings_up_to(cap.longest()).into_iter().map(requests::consistent).collect()
    }

    /// Takes bounds; the expected numbers of states and steps, none of which may differ.
    #[track_caller]
    fn check(items: u32, cap: Cap, last_second: i64, writes: u32, expected: (usize, usize)) {
        let machine =
            Clocked::new(Arc::new(Shipped), Rules::default(), items, cap, usual(cap), last_second, writes);
        check_machine(&machine, expected);
    }

    #[track_caller]
    fn check_machine(machine: &Clocked, expected: (usize, usize)) {
        let checked = search::check(search::By::Both, "", "", machine);
        assert!(checked.holds(), "{:?}", checked.properties);
        assert_eq!((checked.unique_states, checked.steps), expected);
    }

    #[test]
    fn one_cap_for_all_ages_loses_nothing() {
        check(1, Cap::Longest(2), 5, 3, (2202, 78_909));
        check(2, Cap::Longest(2), 4, 3, (15_912, 131_565));
    }

    #[test]
    fn each_items_own_ttl_as_its_cap_loses_nothing() {
        check(1, Cap::Own(2), 5, 3, (2202, 78_909));
        check(2, Cap::Own(2), 4, 3, (15_912, 131_565));
    }

    /// The other readings let a batch with a `ttl` of 0 commit while the container is off, hence a few more worlds.
    #[test]
    fn nothing_is_lost_under_other_readings_and_indexing_modes() {
        for cap in [Cap::Longest(2), Cap::Own(2)] {
            let openings = requests::indexings(cap.longest());
            for (rules, expected) in
                [(Rules::default(), (5142, 206_551)), (other_readings(), (5202, 206_606))]
            {
                check_machine(
                    &Clocked::new(Arc::new(Shipped), rules, 1, cap, openings.clone(), 4, 3),
                    expected,
                );
            }
        }
    }

    #[test]
    fn a_cap_below_the_longest_lifetime_loses_something() {
        let openings = usual(Cap::Longest(2));
        let mut machine =
            Clocked::new(Arc::new(Shipped), Rules::default(), 1, Cap::Longest(2), openings, 4, 2);
        machine.cap = Cap::Longest(1);
        assert!(!search::check(search::By::Both, "", "", &machine).holds());
    }
}
