//! What removal may cost: items under a budget of request units, or on a serverless account.
//!
//! `purge-eventually` needs fairness, which stateright cannot state. It is said of every state instead: whatever is
//! expired there can still be removed, by some path on which the settings stay and nobody writes it. The states of
//! which that is true are computed backwards from the removals on the explicit graph.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::age_abstraction::{AgeCap, AgedWorld};
use super::property_set::{PropertySet, Statement};
use super::report::TraceEvent;
use super::requests;
use super::step::{ModelAction, age, gone, own_s};
use super::transition_system::{Prepared, SystemBounds, TransitionSystem, events};
use cosmos_ttl_model::container::{ItemId, Operation, Refusal, Request, Response, Rules, World};
use cosmos_ttl_model::semantics::Semantics;
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput, Units};

/// Units a second. A read takes one, a delete two, a query all of them: so users can leave nothing, too little for a
/// removal, enough for one, and never enough for two.
const BUDGET: Units = 3;
const COSTS: Costs = Costs { read: 1, write: 2, delete: 2, query: 3 };

/// A container whose requests are paid for.
#[derive(Clone, Debug)]
pub(super) struct Metering {
    bounds: SystemBounds<MeteredStep>,
    throughput: Throughput,
    /// From where each item can still be removed.
    removable: Arc<HashSet<(MeteredState, ItemId)>>,
}

/// What is stored, what users have left of this second, and what they have spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MeteredState {
    world: AgedWorld,
    left: Units,
    /// By a reckoning of our own: what an answered request must cost, since the second began.
    spent: Units,
}

/// What happened, and what it cost.
#[derive(Clone, Debug)]
pub(super) struct MeteredStep {
    before: World,
    spent: Units,
    action: ModelAction,
    answer: Option<Response>,
    billed: Units,
    after: Metered,
    /// Whether everything that is expired now can still be removed.
    hopeful: bool,
}

impl Metering {
    pub(super) fn provisioned(semantics: &Arc<dyn Semantics>, items: u32) -> Self {
        let sections = [("cost", BUDGETED), ("purge", EVENTUALLY)];
        Self::new(semantics, Throughput::Provisioned(BUDGET), items, &sections)
    }

    pub(super) fn serverless(semantics: &Arc<dyn Semantics>, items: u32) -> Self {
        let sections = [("cost", SERVERLESS), ("purge", EVENTUALLY)];
        Self::new(semantics, Throughput::Serverless, items, &sections)
    }

    fn new(
        semantics: &Arc<dyn Semantics>,
        throughput: Throughput,
        items: u32,
        sections: &[(&'static str, &'static [Statement<MeteredStep>])],
    ) -> Self {
        let requests = requests::few(items, 2);
        let (cap, properties) = (AgeCap::Longest(2), PropertySet::of(sections));
        let bounds = SystemBounds::new(semantics, Rules::default(), items, cap, requests, properties);
        let mut system = Self { bounds, throughput, removable: Arc::default() };
        system.removable = Arc::new(system.removable());
        system
    }

    fn state(&self, metered: &Metered, spent: Units) -> MeteredState {
        MeteredState { world: self.bounds.aged(&metered.world), left: metered.left, spent }
    }

    /// Returns the container after an action, the response, the units billed, and what users have spent since.
    fn happen(
        &self,
        state: MeteredState,
        action: &ModelAction,
    ) -> Option<(Metered, Option<Response>, Units, Units)> {
        let before = Metered { world: state.world.world(), throughput: self.throughput, left: state.left };
        let SystemBounds { semantics, rules, .. } = &self.bounds;
        match action {
            ModelAction::Ask(request) => {
                let (after, answer, billed) = semantics.metered_step(&before, *rules, COSTS, request);
                let refused = answer == Response::Refused(Refusal::TooManyRequests);
                let unlimited = self.throughput == Throughput::Serverless;
                let price = if refused || unlimited { 0 } else { price(request) };
                Some((after, Some(answer), billed, state.spent.saturating_add(price)))
            }
            ModelAction::EndSecond(ids) => {
                let (after, billed) = semantics.end_second(&before, COSTS, ids)?;
                Some((after, None, billed, 0))
            }
            _ => None,
        }
    }

    /// Every state, with the steps that leave what is expired expired: backwards from the removals of each item.
    fn removable(&self) -> HashSet<(MeteredState, ItemId)> {
        let mut waiting = self.start();
        let mut known: HashSet<MeteredState> = waiting.iter().copied().collect();
        let mut into: HashMap<(MeteredState, ItemId), Vec<MeteredState>> = HashMap::new();
        let mut open: Vec<(MeteredState, ItemId)> = Vec::new();
        while let Some(state) = waiting.pop() {
            for action in self.actions(&state) {
                let Some((after, _, _, spent)) = self.happen(state, &action) else { continue };
                let next = self.state(&after, spent);
                for id in self.bounds.ids() {
                    if matches!(&action, ModelAction::EndSecond(ids) if ids.contains(&id)) {
                        open.push((state, id));
                    } else if !disturbs(&action, id) {
                        into.entry((next, id)).or_default().push(state);
                    }
                }
                if known.insert(next) {
                    waiting.push(next);
                }
            }
        }
        let mut removable = HashSet::new();
        while let Some((state, id)) = open.pop() {
            if removable.insert((state, id)) {
                open.extend(into.get(&(state, id)).into_iter().flatten().map(|before| (*before, id)));
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
fn disturbs(action: &ModelAction, id: ItemId) -> bool {
    match action {
        ModelAction::Ask(Request::Item(Operation::Read(_)) | Request::Query | Request::Count) => false,
        ModelAction::Ask(Request::Item(operation)) => operation.id() == id,
        ModelAction::Ask(Request::Configure(_) | Request::Batch(_)) => true,
        _ => false,
    }
}

impl TransitionSystem for Metering {
    type State = MeteredState;
    type Step = MeteredStep;

    fn bounds(&self) -> &SystemBounds<MeteredStep> {
        &self.bounds
    }

    fn opened(&self, world: World) -> MeteredState {
        self.state(&Metered::new(world, self.throughput), 0)
    }

    fn shown(&self, state: &MeteredState) -> World {
        state.world.world()
    }

    fn actions(&self, _: &MeteredState) -> Vec<ModelAction> {
        let ids: Vec<ItemId> = self.bounds.ids().collect();
        let each = ids.iter().map(|id| vec![*id]);
        let all = (ids.len() > 1).then(|| ids.clone());
        let removals = [Vec::new()].into_iter().chain(each).chain(all);
        self.bounds.asks().chain(removals.map(ModelAction::EndSecond)).collect()
    }

    fn take(
        &self,
        from: &Prepared<MeteredState>,
        action: ModelAction,
    ) -> Option<(MeteredStep, MeteredState)> {
        let (after, answer, billed, spent) = self.happen(from.state, &action)?;
        let next = self.state(&after, spent);
        let mut expired = after.world.items.iter().filter(|(_, item)| gone(&after.world, item));
        let hopeful = expired.all(|(id, _)| self.removable.contains(&(next, *id)));
        let before = World::clone(&from.world);
        Some((MeteredStep { before, spent: from.state.spent, action, answer, billed, after, hopeful }, next))
    }

    fn events(&self, step: &MeteredStep) -> Vec<TraceEvent> {
        events(&step.action, step.answer.as_ref(), self.bounds.oldest())
    }
}

impl MeteredStep {
    /// What was removed, where the second ended.
    fn removals(&self) -> Option<&[ItemId]> {
        match &self.action {
            ModelAction::EndSecond(ids) => Some(ids),
            _ => None,
        }
    }

    /// Whether the second ended without a removal although something was expired, after users had spent this.
    fn waits(&self, spent: Units) -> bool {
        self.removals() == Some(&[]) && self.is_late() && self.spent == spent
    }

    fn removes(&self) -> bool {
        self.removals().is_some_and(|ids| !ids.is_empty())
    }

    /// What the removals must cost, reckoned by hand.
    fn cost_of_removals(&self) -> Units {
        self.removals().map_or(0, |ids| ids.iter().map(|_| 2).sum())
    }

    fn throttled(&self) -> bool {
        self.answer == Some(Response::Refused(Refusal::TooManyRequests))
    }

    fn asked(&self) -> Option<&Request> {
        match &self.action {
            ModelAction::Ask(request) => Some(request),
            _ => None,
        }
    }

    /// Whether something is expired and stored before the step.
    fn is_late(&self) -> bool {
        self.before.items.values().any(|item| gone(&self.before, item))
    }

    fn stores_the_same_items(&self) -> bool {
        self.before.items.keys().eq(self.after.world.items.keys())
    }

    /// Whether what a query or a read shows is visible.
    fn shows_only_visible(&self) -> bool {
        let visible = |id| self.before.items.get(id).is_some_and(|item| !gone(&self.before, item));
        match (&self.action, &self.answer) {
            (_, Some(Response::Ids(ids))) => ids.iter().all(visible),
            (ModelAction::Ask(Request::Item(Operation::Read(id))), Some(Response::Found(_))) => visible(id),
            _ => true,
        }
    }
}

const fn clauses(clauses: &'static [&'static str]) -> Statement<MeteredStep> {
    Statement::of(clauses)
}

const BUDGETED: &[Statement<MeteredStep>] = &[
    clauses(&["purge-uses-leftover"])
        .always(
            "what is removed when a second ends costs no more than users left of it, \
             and is billed to nobody",
            |step| {
                step.removals().is_none()
                    || step.cost_of_removals().saturating_add(step.spent) <= BUDGET && step.billed == 0
            },
        )
        .sometimes("an item is removed in a second in which users spent something", |step| {
            step.removes() && step.spent > 0
        }),
    clauses(&["purge-uses-leftover"])
        .sometimes("an expired item stays stored because users left something, but too little", |step| {
            step.waits(2)
        }),
    clauses(&["purge-never-throttles-users"])
        .always(
            "a request is refused for want of units exactly if users themselves \
             have spent too many of this second",
            |step| {
                step.asked().is_none_or(|request| {
                    step.throttled() == (price(request).saturating_add(step.spent) > BUDGET)
                })
            },
        )
        .sometimes("a request is refused for want of units", MeteredStep::throttled),
    clauses(&["purge-never-throttles-users"])
        .always(
            "after every second users have the whole budget again, and pay for their own requests only",
            |step| match step.asked() {
                None => step.after.left == BUDGET,
                Some(request) => step.billed == if step.throttled() { 0 } else { price(request) },
            },
        )
        .sometimes("an item is removed, and users have the whole budget in the next second", |step| {
            step.removes() && step.after.left == BUDGET
        }),
    clauses(&["overload-delays-purge"])
        .always(
            "where users leave less than a removal costs, nothing is removed, \
             and no answer shows what is expired",
            |step| {
                let overload = step.removals().is_some() && BUDGET < step.spent.saturating_add(2);
                (!overload || step.stores_the_same_items()) && step.shows_only_visible()
            },
        )
        .sometimes("users leave nothing of a second, and an expired item stays stored", |step| {
            step.waits(BUDGET)
        }),
];

const EVENTUALLY: &[Statement<MeteredStep>] = &[
    clauses(&["purge-eventually"])
        .always(
            "whatever is expired can still be removed, while settings stand and nobody writes it",
            |step| step.hopeful,
        )
        .sometimes("an item is removed a second or more after its deadline", |step| {
            let late = |id| {
                let item = step.before.items.get(id);
                item.is_some_and(|item| own_s(item) == Some(1) && age(&step.before, item) == 2)
            };
            step.removals().is_some_and(|ids| ids.iter().any(late))
        }),
    clauses(&["purge-may-wait"])
        .always("a second that ends without a removal takes nothing out of store", |step| {
            step.removals() != Some(&[]) || step.stores_the_same_items()
        })
        .sometimes(
            "a second ends without a removal although an item is expired and nobody spent anything",
            |step| step.waits(0),
        ),
];

const SERVERLESS: &[Statement<MeteredStep>] = &[
    clauses(&["serverless-purge-is-billed"])
        .always("each removal is billed what a delete of that item costs", |step| {
            step.removals().is_none() || step.billed == step.cost_of_removals()
        })
        .sometimes("a removal is billed", |step| step.removals().is_some() && step.billed > 0),
    clauses(&["purge-never-throttles-users"])
        .always("nobody is ever refused for want of units", |step| !step.throttled())
        .sometimes("a query is answered after all that a second could hold", |step| {
            step.asked() == Some(&Request::Query) && step.is_late()
        }),
];
