//! The main machine: one container, its clients, its clock and its background.

use std::sync::Arc;

use super::book::Book;
use super::engine::Machine;
use super::laws;
use super::renaming::Renaming;
use super::report::Scene;
use super::requests;
use super::step::{self, Move, Ready, Step};
use super::timeless::{Cap, Timeless};
use cosmos_ttl_model::container::{Index, ItemId, Request, Response, Rules, SettingsDraft, World};
use cosmos_ttl_model::semantics::Semantics;

/// Whether worlds are told apart by which item has which name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// They are.
    Named,
    /// Items are sorted: worlds that renaming makes the same are one.
    Sorted,
}

/// A container with so many items, and whatever may be asked of it.
#[derive(Clone, Debug)]
pub(super) struct Container {
    semantics: Arc<dyn Semantics>,
    rules: Rules,
    items: u32,
    cap: Cap,
    order: Order,
    openings: Vec<SettingsDraft>,
    requests: Arc<[Request]>,
    book: Arc<Book<Step>>,
}

impl Container {
    /// Every request, for worlds of a few hundred states.
    pub(super) fn every(semantics: Arc<dyn Semantics>, rules: Rules, items: u32, cap: Cap) -> Self {
        let requests = requests::every(items, cap.longest());
        Self::with(semantics, rules, items, cap, requests, laws::of_container(rules))
    }

    /// What clients do that decides about lives, for walking along what they can tell.
    pub(super) fn clients(semantics: Arc<dyn Semantics>, rules: Rules, items: u32, cap: Cap) -> Self {
        let requests = requests::clients(items, cap.longest());
        Self::with(semantics, rules, items, cap, requests, laws::of_container(rules))
    }

    /// What may be asked.
    pub(super) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The requests that change most, for worlds of many items. What can be asked about one item can be asked about
    /// every other, so that items can be sorted.
    pub(super) fn few(semantics: Arc<dyn Semantics>, items: u32, cap: Cap, order: Order) -> Self {
        let requests = requests::few(items, cap.longest());
        let machine =
            Self::with(semantics, Rules::default(), items, cap, requests, laws::of_large_container());
        Self { order, ..machine }
    }

    /// One item under every indexing mode.
    pub(super) fn indexing(semantics: Arc<dyn Semantics>, rules: Rules, cap: Cap) -> Self {
        let settings = requests::indexings(cap.longest());
        let mut requests = requests::few(1, cap.longest());
        requests.extend(settings.iter().copied().map(Request::Configure));
        let mut machine = Self::with(semantics, rules, 1, cap, requests, laws::of_indexing(rules));
        machine.openings = settings;
        machine
    }

    fn with(
        semantics: Arc<dyn Semantics>,
        rules: Rules,
        items: u32,
        cap: Cap,
        requests: Vec<Request>,
        book: Book<Step>,
    ) -> Self {
        let openings =
            requests::settings_up_to(cap.longest()).into_iter().map(requests::consistent).collect();
        let (order, requests, book) = (Order::Named, requests.into(), Arc::new(book));
        Self { semantics, rules, items, cap, order, openings, requests, book }
    }

    /// Returns the state that stands for a world. Laws have looked at the world itself by then.
    fn state(&self, world: &World) -> Timeless {
        let state = Timeless::of(world, self.cap);
        match self.order {
            Order::Named => state,
            Order::Sorted => state.sorted(),
        }
    }

    fn ids(&self) -> impl Iterator<Item = ItemId> {
        (0..self.items).map(ItemId)
    }

    fn listed(&self, world: &World) -> Vec<ItemId> {
        match self.semantics.step(world, self.rules, &Request::Query) {
            (_, Response::Ids(ids)) => ids,
            _ => Vec::new(),
        }
    }

    fn happen(&self, before: &World, choice: &Move) -> Option<(World, Option<Response>)> {
        match choice {
            Move::Ask(request) => {
                let (after, answer) = self.semantics.step(before, self.rules, request);
                Some((after, Some(answer)))
            }
            Move::Pass => Some((self.semantics.pass(before, 1), None)),
            Move::Remove(id) => Some((self.semantics.remove(before, *id)?, None)),
            Move::CatchUp => Some((self.semantics.catch_up(before), None)),
        }
    }
}

impl Machine for Container {
    type State = Timeless;
    type Move = Move;
    type Ready = Ready;
    type Step = Step;

    fn start(&self) -> Vec<Timeless> {
        let worlds = self.openings.iter().filter_map(|draft| self.semantics.open(self.rules, 0, *draft).ok());
        worlds.map(|world| self.state(&world)).collect()
    }

    fn moves(&self, state: &Timeless) -> Vec<Move> {
        let mut all: Vec<Move> = self.requests.iter().cloned().map(Move::Ask).collect();
        all.push(Move::Pass);
        all.extend(self.ids().map(Move::Remove));
        if state.index() == Index::Rebuilding {
            all.push(Move::CatchUp);
        }
        all
    }

    fn ready(&self, state: &Timeless) -> Ready {
        let world = state.world();
        let listed = self.listed(&world);
        Ready::new(world, listed)
    }

    fn take(&self, ready: &Ready, choice: Move) -> Option<(Step, Timeless)> {
        let happened = self.happen(ready, &choice)?;
        let next = self.state(&happened.0);
        let oldest = i64::from(self.cap.longest());
        let list = |world: &World| self.listed(world);
        let step = Step::new(self.rules, ready, choice, happened, list, oldest);
        Some((step, next))
    }

    fn book(&self) -> &Book<Step> {
        &self.book
    }

    fn named(&self, start: &Timeless, choices: &[Move]) -> (Self, Vec<Move>) {
        let machine = Self { order: Order::Named, ..self.clone() };
        let mut state = *start;
        let mut named = Vec::new();
        for choice in choices {
            let choice = match self.order {
                Order::Named => choice.clone(),
                Order::Sorted => Renaming::new(state.order()).choice(choice),
            };
            let Some((_, next)) = machine.take(&machine.ready(&state), choice.clone()) else { break };
            named.push(choice);
            state = next;
        }
        (machine, named)
    }

    fn opening(&self, start: &Timeless) -> SettingsDraft {
        step::opening(&start.world())
    }

    fn look(&self, state: &Timeless) -> Vec<Scene> {
        step::look(&*self.semantics, self.rules, &state.world(), i64::from(self.cap.longest()))
    }

    fn words(&self, choice: &Move) -> String {
        choice.words()
    }

    fn scenes(&self, step: &Step) -> Vec<Scene> {
        step.scenes()
    }
}
