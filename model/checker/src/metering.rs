//! The costs of removal: items under a budget of request units, or on a serverless account.
//!
//! `purge-eventually` needs fairness, which stateright cannot state. It is said of every state instead: whatever is
//! expired there can still be removed, by some path on which the settings stay and no client writes it. The states of
//! which that is true are computed backwards from the removals on the explicit graph.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::age_abstraction::AgeCap;
use super::property_set::{Statement, statements};
use super::requests;
use super::search::explore;
use super::step::{ModelAction, SystemStep, age, gone, living, own_s};
use super::transition_system::{Happened, PreparedOf, SystemBounds, SystemState, TransitionSystem};
use cosmos_ttl_model::container::{ItemId, Operation, Refusal, Request, Response, Rules, TtlChange, World};
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_model::semantics::Semantics;
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput, Units};

/// Units a second. A read takes one, a delete two, a query all of them: so users can leave nothing, too little for a
/// removal, enough for one, and never enough for two.
pub(super) const BUDGET: Units = 3;
const COSTS: Costs = Costs { read: 1, write: 2, delete: 2, query: 3 };

#[derive(Clone, Debug)]
pub(super) struct Metering {
    bounds: SystemBounds<Bill>,
    throughput: Throughput,
    /// From where each item can still be removed.
    removable: Arc<HashSet<(MeteredState, ItemId)>>,
}

type MeteredState = SystemState<Budget>;

/// The request units that users have left of this second, and those that they have spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Budget {
    left: Units,
    /// By a reckoning of our own: what an answered request must cost, since the second began.
    spent: Units,
}

type MeteredStep = SystemStep<Bill>;

#[derive(Clone, Debug)]
pub(super) struct Bill {
    before: Budget,
    billed: Units,
    after: Budget,
    /// Whether everything that is expired now can still be removed.
    hopeful: bool,
}

impl Metering {
    pub(super) fn new(semantics: &Arc<dyn Semantics>, throughput: Throughput, items: u32) -> Self {
        let cost = if throughput == Throughput::Serverless { SERVERLESS } else { BUDGETED };
        let (cap, requests, rules) = (AgeCap::Longest(2), requests::few(items, 2), Rules::default());
        let sections = [("cost", cost), ("cost", PRICES), ("purge", EVENTUALLY)];
        let bounds = SystemBounds::new(semantics, rules, items, cap, requests, &sections);
        let system = Self { bounds, throughput, removable: Arc::default() };
        Self { removable: Arc::new(system.removable()), ..system }
    }

    /// Every state, with the steps that leave what is expired expired: backwards from the removals of each item.
    fn removable(&self) -> HashSet<(MeteredState, ItemId)> {
        let mut into: HashMap<(MeteredState, ItemId), Vec<MeteredState>> = HashMap::new();
        let mut open: Vec<(MeteredState, ItemId)> = Vec::new();
        explore(self, |_, state, step, next| {
            for id in self.bounds.ids() {
                if step.removals().is_some_and(|ids| ids.contains(&id)) {
                    open.push((*state, id));
                } else if !disturbs(&step.action, id) {
                    into.entry((*next, id)).or_default().push(*state);
                }
            }
        });
        let mut removable = HashSet::new();
        while let Some((state, id)) = open.pop() {
            if removable.insert((state, id)) {
                open.extend(into.get(&(state, id)).into_iter().flatten().map(|before| (*before, id)));
            }
        }
        removable
    }
}

/// Returns the cost of a request, computed independently of the model.
fn price(request: &Request) -> Units {
    match request {
        Request::Item(Operation::Read(_)) => 1,
        Request::Item(_) => 2,
        Request::Query | Request::Count => 3,
        Request::Configure(_) | Request::Batch(_) => 0,
    }
}

/// Whether a request writes an item with a `ttl`.
fn sets_ttl(request: &Request) -> bool {
    let Request::Item(operation) = request else { return false };
    match operation {
        Operation::Create(draft) | Operation::Upsert(draft) | Operation::Replace { draft, .. } => {
            draft.ttl != Wire::Absent
        }
        Operation::Patch { ttl, .. } => matches!(ttl, TtlChange::Set(_)),
        Operation::Read(_) | Operation::Delete { .. } => false,
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
    type Extra = Budget;
    type Seen = Bill;

    fn bounds(&self) -> &SystemBounds<Bill> {
        &self.bounds
    }

    fn opened(&self, world: &World) -> Budget {
        Budget { left: Metered::new(world.clone(), self.throughput).left, spent: 0 }
    }

    fn actions(&self, _: &MeteredState) -> Vec<ModelAction> {
        let ids: Vec<ItemId> = self.bounds.ids().collect();
        let each = ids.iter().map(|id| vec![*id]);
        let all = (ids.len() > 1).then(|| ids.clone());
        let removals = [Vec::new()].into_iter().chain(each).chain(all);
        self.bounds.asks().chain(removals.map(ModelAction::EndSecond)).collect()
    }

    fn happen(&self, from: &PreparedOf<Self>, action: &ModelAction) -> Option<(Happened, Bill)> {
        let before = from.state.extra;
        let metered =
            Metered { world: World::clone(&from.world), throughput: self.throughput, left: before.left };
        let SystemBounds { semantics, rules, .. } = &self.bounds;
        let (after, answer, billed, spent) = match action {
            ModelAction::Ask(request) => {
                let (after, answer, billed) = semantics.metered_step(&metered, *rules, COSTS, request);
                let refused = answer == Response::Refused(Refusal::TooManyRequests);
                let unlimited = self.throughput == Throughput::Serverless;
                let price = if refused || unlimited { 0 } else { price(request) };
                (after, Some(answer), billed, before.spent.saturating_add(price))
            }
            ModelAction::EndSecond(ids) => {
                let (after, billed) = semantics.end_second(&metered, COSTS, ids)?;
                (after, None, billed, 0)
            }
            _ => return None,
        };
        let Metered { world, left, .. } = after;
        let next = SystemState { world: self.bounds.aged(&world), extra: Budget { left, spent } };
        let mut expired = world.items.iter().filter(|(_, item)| gone(&world, item));
        let hopeful = expired.all(|(id, _)| self.removable.contains(&(next, *id)));
        Some(((world, answer), Bill { before, billed, after: next.extra, hopeful }))
    }

    fn extra_after(&self, _: &Budget, step: &MeteredStep) -> Budget {
        step.seen.after
    }
}

impl MeteredStep {
    /// Returns whether users were billed for a write with a `ttl`.
    fn bills_a_ttl(&self) -> bool {
        !self.throttled() && self.request().is_some_and(sets_ttl)
    }

    /// Returns the items that were removed at the end of the second, if it ended.
    fn removals(&self) -> Option<&[ItemId]> {
        if let ModelAction::EndSecond(ids) = &self.action { Some(ids) } else { None }
    }

    /// Whether the second ended without a removal although something was expired, after users had spent this.
    fn waits(&self, spent: Units) -> bool {
        self.removals() == Some(&[]) && self.is_late() && self.seen.before.spent == spent
    }

    fn removes_some(&self) -> bool {
        self.removals().is_some_and(|ids| !ids.is_empty())
    }

    /// Returns the cost of the removals, computed independently of the model.
    fn cost_of_removals(&self) -> Units {
        self.removals().map_or(0, |ids| ids.iter().map(|_| 2).sum())
    }

    fn throttled(&self) -> bool {
        self.answer == Some(Response::Refused(Refusal::TooManyRequests))
    }

    fn is_late(&self) -> bool {
        self.some_before(gone)
    }

    fn stores_the_same_items(&self) -> bool {
        self.before.items.keys().eq(self.after.items.keys())
    }

    /// Whether what a query or a read shows is visible.
    fn shows_only_visible(&self) -> bool {
        let visible = |id: &ItemId| living(&self.before, *id).is_some();
        match (self.operation(), &self.answer) {
            (_, Some(Response::Ids(ids))) => ids.iter().all(visible),
            (Some(read), Some(Response::Found(_))) => visible(&read.id()),
            _ => true,
        }
    }
}

const BUDGETED: &[Statement<MeteredStep>] = statements! { step: MeteredStep;
    ["purge-uses-leftover"]
        always "what is removed when a second ends costs no more than users left of it, and is billed to \
             nobody" =>
            step.removals().is_none()
                || step.cost_of_removals().saturating_add(step.seen.before.spent) <= BUDGET
                    && step.seen.billed == 0;
        sometimes "an item is removed in a second in which users spent something" =>
            step.removes_some() && step.seen.before.spent > 0;
    ["purge-uses-leftover"]
        sometimes "an expired item stays stored because users left something, but too little" =>
            step.waits(2);
    ["purge-never-throttles-users"]
        always "a request is refused for want of units exactly if users themselves have spent too many of \
             this second" =>
            step.request().is_none_or(|request| {
                step.throttled() == (price(request).saturating_add(step.seen.before.spent) > BUDGET)
            });
        sometimes "a request is refused for want of units" => step.throttled();
    ["purge-never-throttles-users"]
        always "after every second users have the whole budget again, and pay for their own requests only" =>
            match step.request() {
                None => step.seen.after.left == BUDGET,
                Some(request) => step.seen.billed == if step.throttled() { 0 } else { price(request) },
            };
        sometimes "an item is removed, and users have the whole budget in the next second" =>
            step.removes_some() && step.seen.after.left == BUDGET;
    ["overload-delays-purge"]
        always "where users leave less than a removal costs, nothing is removed, and no answer shows what \
             is expired" =>
            (step.removals().is_none() || step.seen.before.spent + 2 <= BUDGET || step.stores_the_same_items())
                && step.shows_only_visible();
        sometimes "users leave nothing of a second, and an expired item stays stored" => step.waits(BUDGET);
};

/// Holds on every account.
const PRICES: &[Statement<MeteredStep>] = statements! { step: MeteredStep;
    ["setting-ttl-is-free"]
        always "a write that sets a `ttl` is billed what a write without it is billed" =>
            !step.bills_a_ttl() || Some(step.seen.billed) == step.request().map(price);
        sometimes "a write that sets a `ttl` is billed" => step.bills_a_ttl();
};

const EVENTUALLY: &[Statement<MeteredStep>] = statements! { step: MeteredStep;
    ["purge-eventually"]
        always "whatever is expired can still be removed, while settings stand and nobody writes it" =>
            step.seen.hopeful;
        sometimes "an item is removed a second or more after its deadline" => {
            let mut removed = step.removals().unwrap_or_default().iter().filter_map(|id| step.before.items.get(id));
            removed.any(|item| own_s(item) == Some(1) && age(&step.before, item) == 2)
        };
    ["purge-may-wait"]
        always "a second that ends without a removal takes nothing out of store" =>
            step.removals() != Some(&[]) || step.stores_the_same_items();
        sometimes "a second ends without a removal although an item is expired and nobody spent anything" =>
            step.waits(0);
};

const SERVERLESS: &[Statement<MeteredStep>] = statements! { step: MeteredStep;
    ["serverless-purge-is-billed"]
        always "each removal is billed what a delete of that item costs" =>
            step.removals().is_none() || step.seen.billed == step.cost_of_removals();
        sometimes "a removal is billed" => step.removals().is_some() && step.seen.billed > 0;
    ["purge-never-throttles-users"]
        always "nobody is ever refused for want of units" => !step.throttled();
        sometimes "a query is answered after all that a second could hold" =>
            step.request() == Some(&Request::Query) && step.is_late();
};
