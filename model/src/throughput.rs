//! The costs of requests and background removal, apart from the rule, which does not depend on them.
//!
//! On provisioned throughput each second has a budget of request units. Users come first: a request that finds too few
//! left is refused, and removal gets only what a second has left over when it ends. On a serverless account there is no
//! budget, and each removal is billed as a delete of that item.

use crate::choices::Choose;
use crate::container::{ItemId, Operation, Refusal, Request, Response, World};

/// A number of request units.
pub type Units = u32;

/// How an account pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Throughput {
    /// This number of request units a second, used or not.
    Provisioned(Units),
    /// By the request unit, without a budget.
    Serverless,
}

/// The cost of each kind of request, in request units. The documents give no figures, so it is a parameter. A delete by the
/// background costs as much as one by a user, and a count as much as a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Costs {
    pub read: Units,
    pub write: Units,
    pub delete: Units,
    pub query: Units,
}

impl Costs {
    /// Returns the cost of a request. A change of settings does not count against this budget.
    pub fn of(&self, request: &Request) -> Units {
        match request {
            Request::Item(Operation::Read(_) | Operation::ReadUnless { .. }) => self.read,
            Request::Item(Operation::Delete { .. }) => self.delete,
            Request::Item(_) => self.write,
            Request::Batch(all) => {
                all.iter().fold(0, |sum, one| sum.saturating_add(self.of(&Request::Item(*one))))
            }
            Request::Query | Request::Count => self.query,
            Request::Configure(_) => 0,
        }
    }
}

/// A container whose requests are paid for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Metered {
    pub world: World,
    pub throughput: Throughput,
    /// The request units that users have left of this second's budget; always 0 without a budget.
    pub left: Units,
}

impl Metered {
    /// The container at the start of a second.
    pub fn new(world: World, throughput: Throughput) -> Self {
        Self { world, throughput, left: budget(throughput) }
    }

    /// Answers a user's request, and returns the request units billed for it. Where the budget of this second does not
    /// suffice, the answer is [`Refusal::TooManyRequests`], at no cost.
    pub fn answer(&mut self, costs: Costs, request: &Request, choose: &mut dyn Choose) -> (Response, Units) {
        let cost = costs.of(request);
        if self.throughput != Throughput::Serverless {
            let Some(left) = self.left.checked_sub(cost) else {
                return (Response::Refused(Refusal::TooManyRequests), 0);
            };
            self.left = left;
        }
        (self.world.answer(request, choose), cost)
    }

    /// Ends this second, in which the background removes these items with what users left over of it
    /// (`purge-uses-leftover`, `purge-never-throttles-users`, `overload-delays-purge`).
    ///
    /// Returns the request units billed: none on provisioned throughput, where what is left over is paid for already; a
    /// delete for each on a serverless account (`serverless-purge-is-billed`). `None` where an item is not expired or
    /// too few units are left; the container is not to be used then.
    pub fn end_second(&mut self, costs: Costs, removals: &[ItemId]) -> Option<Units> {
        let mut cost: Units = 0;
        for id in removals {
            self.world.remove(*id).then_some(())?;
            cost = cost.saturating_add(costs.delete);
        }
        let billed = match self.throughput {
            Throughput::Provisioned(_) if self.left < cost => return None,
            Throughput::Provisioned(_) => 0,
            Throughput::Serverless => cost,
        };
        self.world.wait(1);
        self.left = budget(self.throughput);
        Some(billed)
    }
}

fn budget(throughput: Throughput) -> Units {
    match throughput {
        Throughput::Provisioned(units_a_second) => units_a_second,
        Throughput::Serverless => 0,
    }
}
