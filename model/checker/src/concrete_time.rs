//! Shows that nothing is lost by telling worlds apart by ages.
//!
//! Worlds with a real clock, real etags and contents that are all different take every step together with the world of
//! ages that stands for them. Both must answer alike, shifted and renamed, and must lead to worlds that correspond again.

use core::hash::{Hash, Hasher};
use std::sync::Arc;

use super::age_abstraction::{AgeCap, NEW, NEXT_ETAG, STALE, kept_content, kept_etag};
use super::property_set::{Statement, statements};
use super::report::TraceEvent;
use super::requests::{self, named_mut, with_items, with_operations};
use super::step::{ModelAction, SystemStep, age, gone, own_s};
use super::transition_system::{Happened, PreparedOf, StateOf, SystemBounds, TransitionSystem, events};
use cosmos_ttl_model::container::{Content, Etag, Index, Item, Operation, Request, Response, Rules, World};
use cosmos_ttl_model::semantics::Semantics;

/// Contents from here on are made by writes; no two writes bring the same.
const FIRST_FRESH: u32 = 100;

/// Bounds of worlds with a clock that stops after some seconds.
#[derive(Clone, Copy, Debug)]
pub struct ClockBounds {
    /// Under which rules.
    pub rules: Rules,
    /// How many items.
    pub items: u32,
    /// The longest lifetime.
    pub longest_s: u8,
    /// Whether there is every indexing mode.
    pub indexings: bool,
    /// When the clock starts.
    pub first_second: i64,
    /// When the clock stops.
    pub last_second: i64,
    /// How many writes there may be.
    pub writes: u32,
}

#[derive(Clone, Debug)]
pub(super) struct ConcreteTime {
    bounds: SystemBounds<Correspondence>,
    first_second: i64,
    last_second: i64,
    writes: u32,
}

/// A world that is told apart by everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConcreteWorld(World);

impl Hash for ConcreteWorld {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let World { now, settings, items, next_etag, index } = &self.0;
        (now, settings.default_ttl, settings.indexing, items, next_etag, index).hash(hasher);
    }
}

type ConcreteStep = SystemStep<Correspondence>;

/// How the two correspond.
#[derive(Clone, Debug)]
pub(super) struct Correspondence {
    /// Whether both allowed the step, answered the same and became the same.
    agrees: bool,
    /// Whether an age has passed the cap.
    saturated: bool,
    /// Whether an item is stored that is not the first of its id.
    written_again: bool,
}

impl ConcreteTime {
    /// Returns the system; each setting of the openings can also be set later.
    pub(super) fn new(semantics: &Arc<dyn Semantics>, clock: ClockBounds, cap: AgeCap) -> Self {
        let ClockBounds { rules, items, longest_s, indexings, first_second, last_second, writes } = clock;
        let openings = if indexings { requests::indexings } else { requests::consistent_settings }(longest_s);
        let mut requests = if items == 1 { requests::every } else { requests::few }(items, longest_s);
        for request in openings.iter().copied().map(Request::Configure) {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        let usual = [("clock", CLOCK), ("purge", PURGE)];
        let late = [("clock", LATE)];
        let sections = if first_second == 0 { &usual[..] } else { &late };
        let bounds = SystemBounds::new(semantics, rules, items, cap, requests, sections);
        Self { bounds: SystemBounds { openings, ..bounds }, first_second, last_second, writes }
    }

    /// An item of a response of this world, as the world of ages would show it.
    fn renamed(&self, before: &World, item: &Item) -> Item {
        let owner = |same: fn(&Item, &Item) -> bool| {
            before.items.iter().find(|(_, old)| same(old, item)).map(|(id, _)| *id)
        };
        let fresh = item.etag.0.wrapping_sub(before.next_etag.0).saturating_add(NEXT_ETAG.0);
        let etag = owner(|old, item| old.etag == item.etag).map_or(Etag(fresh), kept_etag);
        let content = match owner(|old, item| old.content == item.content) {
            Some(id) => kept_content(id),
            None if item.content.0 >= FIRST_FRESH => NEW,
            None => item.content,
        };
        let age = self.bounds.cap.capped(item.ttl, before.now.saturating_sub(item.ts));
        Item { ttl: item.ttl, ts: age.saturating_neg(), etag, content }
    }
}

/// Makes an operation of the world of ages what would be sent to this one.
fn make_concrete(world: &World, operation: &mut Operation) {
    let (id, content, etag) = named_mut(operation);
    let stored = world.items.get(id);
    match (content, stored) {
        (Some(content @ &mut NEW), _) => *content = Content(world.next_etag.0.saturating_add(FIRST_FRESH)),
        (Some(kept), Some(item)) => *kept = item.content,
        _ => {}
    }
    if let Some(etag) = etag.filter(|etag| **etag != STALE) {
        *etag = stored.map_or(Etag(STALE.0 - 1), |item| item.etag);
    }
}

impl TransitionSystem for ConcreteTime {
    type Extra = ConcreteWorld;
    type Seen = Correspondence;

    fn bounds(&self) -> &SystemBounds<Correspondence> {
        &self.bounds
    }

    fn first_second(&self) -> i64 {
        self.first_second
    }

    fn opened(&self, world: &World) -> ConcreteWorld {
        ConcreteWorld(world.clone())
    }

    fn extra_after(&self, _: &ConcreteWorld, step: &ConcreteStep) -> ConcreteWorld {
        ConcreteWorld(step.after.clone())
    }

    fn actions(&self, state: &StateOf<Self>) -> Vec<ModelAction> {
        let ConcreteWorld(world) = &state.extra;
        let asks = self.bounds.asks().filter(|_| world.next_etag.0 < self.writes);
        let pass = (world.now < self.last_second).then_some(ModelAction::Pass);
        let catch_up = (world.index == Index::Rebuilding).then_some(ModelAction::CatchUp);
        asks.chain(pass).chain(self.bounds.ids().map(ModelAction::Remove)).chain(catch_up).collect()
    }

    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, Correspondence)> {
        let ConcreteWorld(world) = &from.state.extra;
        let sent = match action {
            ModelAction::Ask(request) => {
                ModelAction::Ask(with_operations(request, |operation| make_concrete(world, operation)))
            }
            other => other.clone(),
        };
        let concrete = self.bounds.happen(world, &sent);
        let aged = self.bounds.happen(&from.world, action);
        let allowed = concrete.is_some() == aged.is_some();
        if concrete.is_none() && allowed {
            return None;
        }
        let unmoved = || (world.clone(), None);
        let (after, answer) = concrete.unwrap_or_else(unmoved);
        let (aged_after, aged_answer) = aged.unwrap_or_else(unmoved);
        let answered = answer.as_ref().map(|answer| with_items(answer, &|item| self.renamed(world, item)))
            == aged_answer;
        let became = self.bounds.aged(&after) == self.bounds.aged(&aged_after);
        let saturated = world.items.values().any(|item| age(world, item) > self.bounds.oldest());
        let written_again = world.items.values().any(|item| item.etag.0 > 0);
        let agrees = allowed && answered && became;
        Some(((after, answer), Correspondence { agrees, saturated, written_again }))
    }

    fn events(&self, step: &ConcreteStep) -> Vec<TraceEvent> {
        events(step, 0)
    }
}

const CLOCK: &[Statement<ConcreteStep>] = statements! { step: ConcreteStep;
    ["counted-from-last-write"]
        always "a world with a clock allows, answers and becomes what the world of ages in its place does" =>
            step.seen.agrees;
        sometimes "a client asks about an item that is older than the longest lifetime" =>
            step.seen.saturated && step.answer.is_some();
};

const PURGE: &[Statement<ConcreteStep>] = statements! { step: ConcreteStep;
    ["purge-spares-recreated"]
        always "the background removes no item that is visible, even where another of its id had expired" =>
            match step.action {
                ModelAction::Remove(id) => step.before.items.get(&id).is_some_and(|item| gone(&step.before, item)),
                _ => true,
            };
        sometimes "an expired item is removed that is not the first of its id" =>
            matches!(step.action, ModelAction::Remove(_)) && step.seen.written_again;
};

/// Statements about a clock that passes the greatest number of 32 bits.
const LATE: &[Statement<ConcreteStep>] = statements! { step: ConcreteStep;
    ["deadline-does-not-overflow"]
        always "a world with a clock around second 2147483647 allows, answers and becomes what the world of ages in \
             its place does" =>
            step.seen.agrees;
        sometimes "an item is read whose deadline is later than second 2147483647" => {
            let Some(Response::Found(item)) = &step.answer else { return false };
            own_s(item).is_some_and(|seconds| i64::from(i32::MAX) < item.ts.saturating_add(seconds))
        };
};
