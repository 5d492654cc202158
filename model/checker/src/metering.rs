//! The costs of removal: two items under a budget of request units, or on a serverless account.
//!
//! `purge-eventually` needs fairness, which stateright cannot state. It is said of every state instead: whatever is
//! expired there can still be removed, by some path on which the settings stay and no client writes it. So stateright
//! visits everything twice. In between one walk goes backwards over the steps of the first visit, from the removals of
//! each item, and what it reaches is what the property asks for on the second.

use std::collections::HashSet;
use std::sync::Arc;

use cosmos_ttl_model::choices::every;
use cosmos_ttl_model::container::{ItemId, Operation, Refusal, Request, Response, World};
use cosmos_ttl_model::rule::Sent;
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput, Units};

use crate::judge::{Judge, judge};
use crate::requests::{self, A, B};
use crate::semantics::Semantics;
use crate::statement::{Section, Statement, statements};
use crate::step::{age, gone, own_s, parts};
use crate::story::operations;
use crate::system::{ModelAction, Node, Outcome, Step, System};
use crate::world::canonical;

/// Units a second. A read takes one, a delete two, a query all of them: so users can leave nothing, too little for a
/// removal, enough for one, and never enough for two.
pub(crate) const BUDGET: Units = 3;
const COSTS: Costs = Costs { read: 1, write: 2, delete: 2, query: 3 };

#[derive(Clone)]
pub(crate) struct Metering {
    throughput: Throughput,
    /// From where each item can still be removed, once that is known.
    removable: Option<Removable>,
}

type Removable = HashSet<(World, Budget, ItemId)>;

/// The request units that users have left of this second, and those that they have spent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    left: Units,
    /// By a reckoning of our own: what an answered request must cost, since the second began.
    spent: Units,
}

pub(crate) struct Bill {
    billed: Units,
    after: Budget,
    /// Whether everything that is expired now can still be removed.
    hopeful: bool,
}

impl Metering {
    /// Two items on an account, after a first visit that shows from where each can still be removed.
    pub(crate) fn judge(semantics: Semantics, throughput: Throughput) -> Judge<Self> {
        let sections: &[Section<Self>] = match throughput {
            Throughput::Provisioned(_) => &[("cost", BUDGETED), ("cost", PRICES), ("purge", REMOVAL)],
            Throughput::Serverless => &[("cost", SERVERLESS), ("cost", PRICES), ("purge", REMOVAL)],
        };
        let visit = |removable| {
            let removals = [vec![], vec![A], vec![B], vec![A, B]].map(ModelAction::EndSecond);
            let system = Self { throughput, removable };
            Judge::new(system, semantics, requests::openings(), requests::priced(), removals, sections)
        };
        let (_, steps) = judge("", "", visit(None));
        visit(Some(removable(&steps)))
    }
}

/// The worlds from which each item can be removed while its client leaves it alone and settings stand.
fn removable(steps: &[Arc<Step<Metering>>]) -> Removable {
    let mut removable = Removable::new();
    let key = |node: &Node<Metering>, id| (node.world.clone(), node.memory, id);
    loop {
        let known = removable.len();
        for (step, id) in steps.iter().rev().flat_map(|step| [(step, A), (step, B)]) {
            let is_removed = step.removals().is_some_and(|ids| ids.contains(&id));
            if is_removed || !disturbs(&step.action, id) && removable.contains(&key(step.next(), id)) {
                removable.insert(key(&step.before, id));
            }
        }
        if removable.len() == known {
            return removable;
        }
    }
}

/// Returns the cost of a request, computed independently of the model.
fn price(request: &Request) -> Units {
    let of_operation = |operation: &Operation| {
        if let Operation::Read(_) | Operation::ReadUnless { .. } = operation { 1 } else { 2 }
    };
    match request {
        Request::Query | Request::Count => 3,
        other => operations(other).iter().map(of_operation).sum(),
    }
}

/// Whether a client writes this item or changes the settings.
fn disturbs(action: &ModelAction, id: ItemId) -> bool {
    let ModelAction::Ask(request) = action else { return false };
    let writes =
        |one: &Operation| one.id() == id && !matches!(one, Operation::Read(_) | Operation::ReadUnless { .. });
    matches!(request, Request::Configure(_)) || operations(request).iter().any(writes)
}

impl System for Metering {
    type Memory = Budget;
    type Seen = Bill;

    fn open(&self, world: &World) -> Budget {
        Budget { left: Metered::new(world.clone(), self.throughput).left, spent: 0 }
    }

    fn outcomes(&self, of: &Semantics, from: &Node<Self>, action: &ModelAction) -> Vec<Outcome<Bill>> {
        let Budget { left, spent } = from.memory;
        let before = Metered { world: from.world.clone(), throughput: self.throughput, left };
        let ways = every(|path| {
            let mut metered = before.clone();
            let (answer, billed, spent) = match action {
                ModelAction::Ask(request) => {
                    let (answer, billed) = (of.answer_metered)(&mut metered, COSTS, request, path);
                    let is_free = answer == Response::Refused(Refusal::TooManyRequests)
                        || self.throughput == Throughput::Serverless;
                    let price = if is_free { 0 } else { price(request) };
                    // A broken model lets users spend without an end.
                    (Some(answer), billed, (spent + price).min(2 * BUDGET))
                }
                ModelAction::EndSecond(ids) => (None, (of.end_second)(&mut metered, COSTS, ids)?, 0),
                _ => return None,
            };
            let after = Budget { left: metered.left, spent };
            let next = canonical(&metered.world);
            let is_removable =
                |id| self.removable.as_ref().is_none_or(|all| all.contains(&(next.clone(), after, id)));
            let hopeful = next.items.iter().all(|(id, item)| !gone(&next, item) || is_removable(*id));
            Some((answer, metered.world, Bill { billed, after, hopeful }))
        });
        let ways = ways.into_iter().filter_map(|(made, way)| Some((made, way?)));
        ways.map(|(made, (answer, after, seen))| Outcome { made, answer, after, seen }).collect()
    }

    fn remember(&self, step: &Step<Self>) -> Budget {
        step.seen.after
    }
}

impl Step<Metering> {
    /// Returns the items that were removed at the end of the second, if it ended.
    fn removals(&self) -> Option<&[ItemId]> {
        if let ModelAction::EndSecond(ids) = &*self.action { Some(ids) } else { None }
    }

    /// Whether the second ended without a removal although something was expired, after users had spent this.
    fn waits(&self, spent: Units) -> bool {
        self.removals() == Some(&[]) && self.some_before(gone) && self.before.memory.spent == spent
    }

    /// Returns the cost of the removals, computed independently of the model.
    fn cost_of_removals(&self) -> Units {
        self.removals().into_iter().flatten().map(|_| 2).sum()
    }

    fn throttled(&self) -> bool {
        self.answer == Some(Response::Refused(Refusal::TooManyRequests))
    }
}

const BUDGETED: &[Statement<Metering>] = statements! { step: Metering;
    ["purge-uses-leftover", "overload-delays-purge"]
        always "what is removed when a second ends costs no more than users left of it, and is billed to nobody" =>
            step.removals().is_none()
                || step.cost_of_removals() + step.before.memory.spent <= BUDGET && step.seen.billed == 0;
        sometimes "an item is removed in a second in which users spent something" =>
            step.cost_of_removals() > 0 && step.before.memory.spent > 0;
        sometimes "an expired item stays stored because users left something, but too little" => step.waits(2);
        sometimes "users leave nothing of a second, and an expired item stays stored" => step.waits(BUDGET);
    ["purge-never-throttles-users"]
        always "a request is refused for want of units exactly if users themselves have spent too many of this \
             second, and then changes nothing; every second begins with the whole budget" =>
            step.request().map_or(step.seen.after.left == BUDGET, |request| {
                let too_many = price(request) + step.before.memory.spent > BUDGET;
                step.throttled() == too_many && (!too_many || step.changed_nothing())
            });
        sometimes "a request is refused for want of units" => step.throttled();
};

const PRICES: &[Statement<Metering>] = statements! { step: Metering;
    ["setting-ttl-is-free"]
        always "a request is billed what it costs without the `ttl` that it sets, and nothing if it is refused for \
             want of units" =>
            step.request().is_none_or(|request| {
                step.seen.billed == if step.throttled() { 0 } else { price(request) }
            });
        sometimes "a batch that sets a `ttl` is billed" =>
            !step.throttled() && step.asks(A, |one| parts(one).ttl == Some(Sent::Whole(1)))
                && matches!(step.request(), Some(Request::Batch(_)));
};

const REMOVAL: &[Statement<Metering>] = statements! { step: Metering;
    ["purge-only-expired", "purge-may-wait"]
        always "what is removed when a second ends is gone, and nothing else changes but the clock" =>
            step.removals().is_none_or(|ids| {
                let mut left = step.before.items.clone();
                left.retain(|id, _| !ids.contains(id));
                let is_gone = |id| step.before.items.get(id).is_some_and(|item| gone(&step.before, item));
                ids.iter().all(is_gone)
                    && left == step.after.items
                    && step.keeps_the_rest()
                    && step.after.now == step.before.now + 1
            });
        sometimes "an item is removed when a second ends" => step.cost_of_removals() > 0;
    ["purge-eventually"]
        always "whatever is expired can still be removed, while settings stand and nobody writes it" =>
            step.seen.hopeful;
        sometimes "an item is removed a second or more after its deadline" => {
            let mut removed = step.removals().unwrap_or_default().iter().filter_map(|id| step.before.items.get(id));
            removed.any(|item| own_s(item) == Some(1) && age(&step.before, item) == 2)
        };
    ["purge-may-wait"]
        sometimes "a second ends without a removal although an item is expired and nobody spent anything" =>
            step.waits(0);
};

const SERVERLESS: &[Statement<Metering>] = statements! { step: Metering;
    ["serverless-purge-is-billed"]
        always "each removal is billed what a delete of that item costs" =>
            step.removals().is_none() || step.seen.billed == step.cost_of_removals();
        sometimes "two removals are billed" => step.removals().is_some() && step.seen.billed == 4;
    ["purge-never-throttles-users"]
        always "nobody is ever refused for want of units" => !step.throttled();
        sometimes "a query is answered after all that a second could hold" =>
            step.request() == Some(&Request::Query) && step.some_before(gone);
};
