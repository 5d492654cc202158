//! What removal may cost: items under a budget of request units, or on a serverless account.
//!
//! `purge-eventually` needs fairness, which stateright cannot state. It is said of every state instead: whatever is
//! expired there can still be removed, by some path on which the settings stand and nobody writes it. The states of
//! which that is true are computed backwards from the removals on the explicit graph.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::book::Book;
use super::engine::Machine;
use super::report::Scene;
use super::requests;
use super::step::{self, gone, named};
use super::storyboard;
use super::timeless::{Cap, Timeless};
use cosmos_ttl_model::container::{ItemId, Operation, Refusal, Request, Response, Rules, SettingsDraft};
use cosmos_ttl_model::semantics::Semantics;
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput, Units};

/// Units a second. A read takes one, a delete two, a query all of them: so users can leave nothing, too little for a
/// removal, enough for one, and never enough for two.
const BUDGET: Units = 3;
const COSTS: Costs = Costs { read: 1, write: 2, delete: 2, query: 3 };

/// A container whose requests are paid for.
#[derive(Clone, Debug)]
pub(super) struct Paid {
    semantics: Arc<dyn Semantics>,
    throughput: Throughput,
    items: u32,
    cap: Cap,
    requests: Arc<[Request]>,
    /// From where each item can still be removed.
    removable: Arc<HashSet<(Till, ItemId)>>,
    book: Arc<Book<Bill>>,
}

/// What is stored, what users have left of this second, and what they have spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Till {
    world: Timeless,
    left: Units,
    /// By a reckoning of our own: what an answered request must cost, since the second began.
    spent: Units,
}

/// What may happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A client asks.
    Ask(Request),
    /// The second ends, and the background removes these.
    End(Vec<ItemId>),
}

/// What happened, and what it cost.
#[derive(Clone, Debug)]
pub(super) struct Bill {
    before: Metered,
    spent: Units,
    did: Turn,
    answer: Option<Response>,
    billed: Units,
    after: Metered,
    /// Whether everything that is expired now can still be removed.
    hopeful: bool,
}

impl Paid {
    pub(super) fn new(semantics: Arc<dyn Semantics>, throughput: Throughput, items: u32) -> Self {
        let cap = Cap::Longest(2);
        let requests = requests::few(items, cap.longest()).into();
        let book = Arc::new(match throughput {
            Throughput::Provisioned(_) => provisioned(),
            Throughput::Serverless => serverless(),
        });
        let mut paid = Self { semantics, throughput, items, cap, requests, removable: Arc::default(), book };
        paid.removable = Arc::new(paid.removable());
        paid
    }

    pub(super) fn provisioned(semantics: Arc<dyn Semantics>, items: u32) -> Self {
        Self::new(semantics, Throughput::Provisioned(BUDGET), items)
    }

    fn metered(&self, till: Till) -> Metered {
        Metered { world: till.world.world(), throughput: self.throughput, left: till.left }
    }

    fn till(&self, metered: &Metered, spent: Units) -> Till {
        Till { world: Timeless::of(&metered.world, self.cap), left: metered.left, spent }
    }

    fn happen(&self, till: Till, choice: &Turn) -> Option<(Metered, Option<Response>, Units, Units)> {
        let before = self.metered(till);
        match choice {
            Turn::Ask(request) => {
                let (after, answer, billed) =
                    self.semantics.metered_step(&before, Rules::default(), COSTS, request);
                let refused = answer == Response::Refused(Refusal::TooManyRequests);
                let unlimited = self.throughput == Throughput::Serverless;
                let price = if refused || unlimited { 0 } else { price(request) };
                Some((after, Some(answer), billed, till.spent.saturating_add(price)))
            }
            Turn::End(ids) => {
                let (after, billed) = self.semantics.end_second(&before, COSTS, ids)?;
                Some((after, None, billed, 0))
            }
        }
    }

    fn next(&self, till: Till, choice: &Turn) -> Option<Till> {
        let (after, _, _, spent) = self.happen(till, choice)?;
        Some(self.till(&after, spent))
    }

    /// Every state, with the steps that leave what is expired expired: backwards from the removals of each item.
    fn removable(&self) -> HashSet<(Till, ItemId)> {
        let mut known: HashSet<Till> = self.start().into_iter().collect();
        let mut waiting = self.start();
        let mut into: HashMap<(Till, ItemId), Vec<Till>> = HashMap::new();
        let mut open: Vec<(Till, ItemId)> = Vec::new();
        while let Some(till) = waiting.pop() {
            for choice in self.moves(&till) {
                let Some(next) = self.next(till, &choice) else { continue };
                for id in (0..self.items).map(ItemId) {
                    if matches!(&choice, Turn::End(ids) if ids.contains(&id)) {
                        open.push((till, id));
                    } else if !disturbs(&choice, id) {
                        into.entry((next, id)).or_default().push(till);
                    }
                }
                if known.insert(next) {
                    waiting.push(next);
                }
            }
        }
        let mut removable: HashSet<(Till, ItemId)> = HashSet::new();
        while let Some((till, id)) = open.pop() {
            if removable.insert((till, id)) {
                open.extend(into.get(&(till, id)).into_iter().flatten().map(|before| (*before, id)));
            }
        }
        removable
    }
}

/// What a request must cost, reckoned by hand.
fn price(request: &Request) -> Units {
    match request {
        Request::Item(Operation::Read(_)) => 1,
        Request::Item(_) => 2,
        Request::Query | Request::Count => 3,
        Request::Configure(_) | Request::Batch(_) => 0,
    }
}

/// Whether a client writes this item or changes the settings.
fn disturbs(choice: &Turn, id: ItemId) -> bool {
    match choice {
        Turn::Ask(Request::Item(Operation::Read(_)) | Request::Query | Request::Count) | Turn::End(_) => {
            false
        }
        Turn::Ask(Request::Item(operation)) => named(operation) == id,
        Turn::Ask(Request::Configure(_) | Request::Batch(_)) => true,
    }
}

impl Machine for Paid {
    type State = Till;
    type Move = Turn;
    type Ready = Till;
    type Step = Bill;

    fn start(&self) -> Vec<Till> {
        let drafts = requests::settings_up_to(self.cap.longest()).into_iter().map(requests::consistent);
        let worlds = drafts.filter_map(|draft| self.semantics.open(Rules::default(), 0, draft).ok());
        worlds.map(|world| self.till(&Metered::new(world, self.throughput), 0)).collect()
    }

    fn moves(&self, _: &Till) -> Vec<Turn> {
        let mut all: Vec<Turn> = self.requests.iter().cloned().map(Turn::Ask).collect();
        all.push(Turn::End(Vec::new()));
        let ids: Vec<ItemId> = (0..self.items).map(ItemId).collect();
        all.extend(ids.iter().map(|id| Turn::End(vec![*id])));
        if ids.len() > 1 {
            all.push(Turn::End(ids));
        }
        all
    }

    fn ready(&self, state: &Till) -> Till {
        *state
    }

    fn take(&self, state: &Till, choice: Turn) -> Option<(Bill, Till)> {
        let (after, answer, billed, spent) = self.happen(*state, &choice)?;
        let next = self.till(&after, spent);
        let mut expired = after.world.items.iter().filter(|(_, item)| gone(&after.world, item));
        let hopeful = expired.all(|(id, _)| self.removable.contains(&(next, *id)));
        let before = self.metered(*state);
        Some((Bill { before, spent: state.spent, did: choice, answer, billed, after, hopeful }, next))
    }

    fn book(&self) -> &Book<Bill> {
        &self.book
    }

    fn opening(&self, start: &Till) -> SettingsDraft {
        step::opening(&start.world.world())
    }

    fn look(&self, till: &Till) -> Vec<Scene> {
        step::look(&*self.semantics, Rules::default(), &till.world.world(), i64::from(self.cap.longest()))
    }

    fn words(&self, choice: &Turn) -> String {
        match choice {
            Turn::Ask(request) => storyboard::words(request),
            Turn::End(ids) => {
                let removals = ids.iter().map(|id| format!(", and {}", storyboard::removal(*id)));
                ["the second ends".to_string()].into_iter().chain(removals).collect()
            }
        }
    }

    fn scenes(&self, bill: &Bill) -> Vec<Scene> {
        match (&bill.did, &bill.answer) {
            (Turn::Ask(request), Some(response)) => {
                let (request, response) = (request.clone(), response.clone());
                vec![Scene::Asked { request, response, oldest: i64::from(self.cap.longest()) }]
            }
            (Turn::End(ids), _) => ids.iter().map(|id| Scene::Removed(*id)).chain([Scene::Passed]).collect(),
            (Turn::Ask(_), None) => vec![Scene::Noted("nobody answered".to_string())],
        }
    }
}

impl Bill {
    /// What was removed, where the second ended.
    fn removals(&self) -> Option<&[ItemId]> {
        match &self.did {
            Turn::End(ids) => Some(ids),
            Turn::Ask(_) => None,
        }
    }

    /// What the removals must cost, reckoned by hand.
    fn cost_of_removals(&self) -> Units {
        self.removals().map_or(0, |ids| ids.iter().fold(0, |sum: Units, _| sum.saturating_add(2)))
    }

    fn throttled(&self) -> bool {
        self.answer == Some(Response::Refused(Refusal::TooManyRequests))
    }

    fn asked(&self) -> Option<&Request> {
        match &self.did {
            Turn::Ask(request) => Some(request),
            Turn::End(_) => None,
        }
    }

    /// Whether something is expired and stored before the step.
    fn waits(&self) -> bool {
        self.before.world.items.values().any(|item| gone(&self.before.world, item))
    }

    /// Whether what a query or a read shows is visible.
    fn shows_only_visible(&self) -> bool {
        let visible = |id| {
            let item = self.before.world.items.get(id);
            item.is_some_and(|item| !gone(&self.before.world, item))
        };
        match (&self.did, &self.answer) {
            (_, Some(Response::Ids(ids))) => ids.iter().all(visible),
            (Turn::Ask(Request::Item(Operation::Read(id))), Some(Response::Found(_))) => visible(id),
            _ => true,
        }
    }
}

fn provisioned() -> Book<Bill> {
    let mut book: Book<Bill> = Book::new();
    book.section("cost");
    book.law(
        &["purge-uses-leftover"],
        (
            "what is removed when a second ends costs no more than users left of it, and is billed to nobody",
            |bill| {
                bill.removals().is_none()
                    || bill.cost_of_removals().saturating_add(bill.spent) <= BUDGET && bill.billed == 0
            },
        ),
        ("an item is removed in a second in which users spent something", |bill| {
            bill.removals().is_some_and(|ids| !ids.is_empty()) && bill.spent > 0
        }),
    );
    book.sight(
        &["purge-uses-leftover"],
        ("an expired item stays stored because users left something, but too little", |bill| {
            bill.removals() == Some(&[]) && bill.waits() && bill.spent == 2
        }),
    );
    throttling(&mut book);
    overload(&mut book);
    eventually(&mut book);
    book
}

fn throttling(book: &mut Book<Bill>) {
    book.law(
        &["purge-never-throttles-users"],
        ("a request is refused for want of units exactly if users themselves have spent too many of this second", |bill| {
            bill.asked().is_none_or(|request| {
                bill.throttled() == (price(request).saturating_add(bill.spent) > BUDGET)
            })
        }),
        ("a request is refused for want of units", Bill::throttled),
    );
    book.law(
        &["purge-never-throttles-users"],
        (
            "after every second users have the whole budget again, and pay for their own requests only",
            |bill| match bill.asked() {
                None => bill.after.left == BUDGET,
                Some(request) => bill.billed == if bill.throttled() { 0 } else { price(request) },
            },
        ),
        ("an item is removed, and users have the whole budget in the next second", |bill| {
            bill.removals().is_some_and(|ids| !ids.is_empty()) && bill.after.left == BUDGET
        }),
    );
}

fn overload(book: &mut Book<Bill>) {
    book.law(
        &["overload-delays-purge"],
        ("where users leave less than a removal costs, nothing is removed, and no answer shows what is expired", |bill| {
            let overload = bill.removals().is_some() && BUDGET < bill.spent.saturating_add(2);
            (!overload || bill.before.world.items.keys().eq(bill.after.world.items.keys()))
                && bill.shows_only_visible()
        }),
        ("users leave nothing of a second, and an expired item stays stored", |bill| {
            bill.removals() == Some(&[]) && bill.waits() && bill.spent == BUDGET
        }),
    );
}

fn eventually(book: &mut Book<Bill>) {
    book.section("purge");
    book.law(
        &["purge-eventually"],
        ("whatever is expired can still be removed, while settings stand and nobody writes it", |bill| {
            bill.hopeful
        }),
        ("an item is removed a second or more after its deadline", |bill| {
            let late = |id| {
                let world = &bill.before.world;
                world
                    .items
                    .get(id)
                    .is_some_and(|item| step::own_s(item) == Some(1) && step::age(world, item) == 2)
            };
            bill.removals().is_some_and(|ids| ids.iter().any(late))
        }),
    );
    book.law(
        &["purge-may-wait"],
        ("a second that ends without a removal takes nothing out of store", |bill| {
            bill.removals() != Some(&[]) || bill.before.world.items.keys().eq(bill.after.world.items.keys())
        }),
        ("a second ends without a removal although an item is expired and nobody spent anything", |bill| {
            bill.removals() == Some(&[]) && bill.waits() && bill.spent == 0
        }),
    );
}

fn serverless() -> Book<Bill> {
    let mut book: Book<Bill> = Book::new();
    book.section("cost");
    book.law(
        &["serverless-purge-is-billed"],
        ("each removal is billed what a delete of that item costs", |bill| {
            bill.removals().is_none() || bill.billed == bill.cost_of_removals()
        }),
        ("a removal is billed", |bill| bill.removals().is_some() && bill.billed > 0),
    );
    book.law(
        &["purge-never-throttles-users"],
        ("nobody is ever refused for want of units", |bill| !bill.throttled()),
        ("a query is answered after all that a second could hold", |bill| {
            bill.asked() == Some(&Request::Query) && bill.waits()
        }),
    );
    eventually(&mut book);
    book
}
