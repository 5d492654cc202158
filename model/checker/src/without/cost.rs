//! Request units.

use super::Without;
use cosmos_ttl_model::throughput::{Metered, Throughput, Units};

/// More units than anything costs.
const PLENTY: Units = 1_000;

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("purge-uses-leftover", "removal spends whatever it needs, left over or not")
        .end_second(|metered, costs, removals| {
            Metered { left: PLENTY, ..metered.clone() }.end_second(costs, removals)
        }),
    Without::new("purge-never-throttles-users", "removal is charged to the users of the next second")
        .end_second(|metered, costs, removals| {
            let (mut after, billed) = metered.end_second(costs, removals)?;
            if let Throughput::Provisioned(_) = metered.throughput {
                let cost = removals.iter().fold(0, |sum: Units, _| sum.saturating_add(costs.delete));
                after.left = after.left.saturating_sub(cost);
            }
            Some((after, billed))
        }),
    Without::new("overload-delays-purge", "removal has its way once users have taken everything")
        .end_second(|metered, costs, removals| {
            let left = if metered.left == 0 { PLENTY } else { metered.left };
            Metered { left, ..metered.clone() }.end_second(costs, removals)
        }),
    Without::new("serverless-purge-is-billed", "removal is free on serverless accounts")
        .end_second(|metered, costs, removals| {
            let (after, billed) = metered.end_second(costs, removals)?;
            Some((after, if metered.throughput == Throughput::Serverless { 0 } else { billed }))
        }),
];
