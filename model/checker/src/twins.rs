//! The main theorem: while settings stand, nobody can tell when the background removes what is expired.
//!
//! Two containers get the same requests. In the lazy one an expired item is removed at any moment or never; in the eager
//! one in the second of its deadline. Every answer must be the same. It stops being true as soon as settings may
//! lengthen a life: then an expired item comes back in one and not in the other (`reappearance`).

use std::sync::Arc;

use super::book::Book;
use super::engine::Machine;
use super::report::Scene;
use super::requests;
use super::step::{self, Move};
use super::storyboard;
use super::timeless::{Cap, Timeless};
use cosmos_ttl_model::container::{ItemId, Operation, Request, Response, Rules, SettingsDraft, World};
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_model::semantics::Semantics;

/// Which settings may follow on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// None.
    Never,
    /// Those under which no item lives longer.
    Shorter,
    /// All.
    Free,
}

/// Two containers that differ only in when they remove.
#[derive(Clone, Debug)]
pub(super) struct Twins {
    semantics: Arc<dyn Semantics>,
    rules: Rules,
    items: u32,
    cap: Cap,
    change: Change,
    requests: Arc<[Request]>,
    book: Arc<Book<Pair>>,
}

/// What both hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Both {
    lazy: Timeless,
    eager: Timeless,
}

/// What happened to both.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    lazy: World,
    eager: World,
    did: Move,
    answers: Option<(Response, Response)>,
    oldest: i64,
}

impl Twins {
    pub(super) fn new(
        semantics: Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        change: Change,
        book: Book<Pair>,
    ) -> Self {
        let cap = Cap::Own(2);
        let requests = requests::every(items, cap.longest()).into();
        Self { semantics, rules, items, cap, change, requests, book: Arc::new(book) }
    }

    /// The world after everything expired in it has been removed.
    fn swept(&self, world: World) -> World {
        (0..self.items).fold(world, |world, id| self.semantics.remove(&world, ItemId(id)).unwrap_or(world))
    }

    fn allows(&self, request: &Request, world: &World) -> bool {
        let Request::Configure(draft) = request else { return true };
        match self.change {
            Change::Never => false,
            Change::Shorter => rank(draft.default_ttl) <= rank(step::opening(world).default_ttl),
            Change::Free => true,
        }
    }

    fn asked(&self, lazy: &World, eager: &World, request: &Request) -> (World, World, (Response, Response)) {
        let (lazy, lazy_answer) = self.semantics.step(lazy, self.rules, request);
        let (eager, eager_answer) = self.semantics.step(eager, self.rules, request);
        (lazy, eager, (lazy_answer, eager_answer))
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

impl Machine for Twins {
    type State = Both;
    type Move = Move;
    type Ready = Both;
    type Step = Pair;

    fn start(&self) -> Vec<Both> {
        let drafts = requests::settings_up_to(self.cap.longest()).into_iter().map(requests::consistent);
        let worlds = drafts.filter_map(|draft| self.semantics.open(self.rules, 0, draft).ok());
        let states = worlds.map(|world| Timeless::of(&world, self.cap));
        states.map(|world| Both { lazy: world, eager: world }).collect()
    }

    fn moves(&self, state: &Both) -> Vec<Move> {
        let world = state.lazy.world();
        let allowed = self.requests.iter().filter(|request| self.allows(request, &world));
        let mut all: Vec<Move> = allowed.cloned().map(Move::Ask).collect();
        all.push(Move::Pass);
        all.extend((0..self.items).map(|id| Move::Remove(ItemId(id))));
        all
    }

    fn ready(&self, state: &Both) -> Both {
        *state
    }

    fn take(&self, state: &Both, choice: Move) -> Option<(Pair, Both)> {
        let (lazy, eager) = (state.lazy.world(), state.eager.world());
        let (lazy_after, eager_after, answers) = match &choice {
            Move::Ask(request) => {
                let (lazy, eager, answers) = self.asked(&lazy, &eager, request);
                (lazy, eager, Some(answers))
            }
            Move::Pass => (self.semantics.pass(&lazy, 1), self.semantics.pass(&eager, 1), None),
            Move::Remove(id) => (self.semantics.remove(&lazy, *id)?, eager.clone(), None),
            Move::CatchUp => return None,
        };
        let eager_after = self.swept(eager_after);
        let next =
            Both { lazy: Timeless::of(&lazy_after, self.cap), eager: Timeless::of(&eager_after, self.cap) };
        // Ages are capped at each item's own `ttl`: only an age of 0 is sure to be just that.
        Some((Pair { lazy, eager, did: choice, answers, oldest: 0 }, next))
    }

    fn book(&self) -> &Book<Pair> {
        &self.book
    }

    fn opening(&self, start: &Both) -> SettingsDraft {
        step::opening(&start.lazy.world())
    }

    fn look(&self, _: &Both) -> Vec<Scene> {
        Vec::new()
    }

    fn words(&self, choice: &Move) -> String {
        choice.words()
    }

    fn scenes(&self, step: &Pair) -> Vec<Scene> {
        match (&step.did, &step.answers) {
            (Move::Ask(request), Some((lazy, eager))) => {
                let asked =
                    Scene::Asked { request: request.clone(), response: lazy.clone(), oldest: step.oldest };
                let other = (lazy != eager).then(|| {
                    Scene::Noted(format!(
                        "a store that removes at the deadline answers {}",
                        storyboard::answered(eager)
                    ))
                });
                vec![asked].into_iter().chain(other).collect()
            }
            (Move::Remove(id), _) => vec![Scene::Removed(*id)],
            _ => vec![Scene::Passed],
        }
    }
}

impl Pair {
    fn differs(&self) -> bool {
        self.answers.as_ref().is_some_and(|(lazy, eager)| lazy != eager)
    }

    /// Whether the lazy one still stores what the eager one has removed.
    fn lags(&self) -> bool {
        self.eager.items.len() < self.lazy.items.len()
    }

    fn is_count(&self) -> bool {
        self.did == Move::Ask(Request::Count)
    }

    fn is_upsert(&self) -> bool {
        matches!(self.did, Move::Ask(Request::Item(Operation::Upsert(_))))
    }

    fn is_batch_with_upsert(&self) -> bool {
        let Move::Ask(Request::Batch(operations)) = &self.did else { return false };
        operations.iter().any(|operation| matches!(operation, Operation::Upsert(_)))
    }
}

/// What holds as long as no life is lengthened.
pub(super) fn invisible() -> Book<Pair> {
    let mut book: Book<Pair> = Book::new();
    book.section("purge");
    book.law(
        &["purge-invisible", "hidden-immediately"],
        ("every answer is the same whether expired items are still stored or were removed at their deadline", |pair| {
            !pair.differs()
        }),
        ("both answer while only one still stores an expired item", |pair| pair.lags() && pair.answers.is_some()),
    );
    book
}

/// What can be seen once lives may be lengthened.
pub(super) fn visible() -> Book<Pair> {
    let mut book: Book<Pair> = Book::new();
    book.section("settings");
    book.law(
        &["reappearance"],
        ("two stores that hold the same answer the same", |pair| pair.lazy != pair.eager || !pair.differs()),
        ("one store holds what the other has removed", Pair::lags),
    );
    book.sight(
        &["reappearance"],
        ("two stores that differ only in what was removed answer differently", Pair::differs),
    );
    book
}

/// What tells even while settings stand, where open clauses are read the other way.
pub(super) fn told_by_other_readings() -> Book<Pair> {
    let mut book: Book<Pair> = Book::new();
    book.section("purge");
    book.law(
        &["purge-invisible"],
        ("nothing but a count or the status of an upsert tells what was removed", |pair| {
            !pair.differs() || pair.is_count() || pair.is_upsert() || pair.is_batch_with_upsert()
        }),
        ("both answer while only one still stores an expired item", |pair| {
            pair.lags() && pair.answers.is_some()
        }),
    );
    book.section("expired");
    book.sight(
        &["expired-in-aggregates"],
        ("a count that counts the expired tells what was removed", |pair| pair.differs() && pair.is_count()),
    );
    book.sight(
        &["expired-upsert-status"],
        ("an upsert that answers ok for the expired tells what was removed", |pair| {
            pair.differs() && pair.is_upsert()
        }),
    );
    book
}
