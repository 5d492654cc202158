//! How close a vector looks at the moments in which something might expire.
//!
//! The harness does not know the rule, and need not: whatever a target does, an item can only expire some ttl after a
//! write, be it the item's own or a container's. Every such moment counts, also those at which a right target does
//! nothing, because a wrong one may.

use std::collections::BTreeSet;

use super::Step;
use crate::literal::LiteralKind;
use crate::target::{Operation, Request};

/// Every lifetime that an item, or a container, is ever given in these steps, in seconds.
pub(super) fn lifetimes_s(steps: &[Step]) -> BTreeSet<u64> {
    let literals = steps.iter().flat_map(|step| {
        let container = match &step.request {
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                container.default_ttl.as_ref()
            }
            _ => None,
        };
        container.into_iter().chain(step.request.operations().iter().filter_map(Operation::ttl))
    });
    let seconds = literals.filter_map(|literal| match literal.kind() {
        LiteralKind::Whole(seconds) | LiteralKind::WholeAsFraction(seconds) => u32::try_from(seconds).ok(),
        LiteralKind::Null | LiteralKind::Other => None,
    });
    seconds.filter(|seconds| *seconds > 0).map(u64::from).collect()
}

/// The items that a request writes, if it succeeds.
pub(super) fn written(request: &Request) -> impl Iterator<Item = &str> {
    request.operations().iter().filter(|operation| operation.is_write()).map(Operation::id)
}

/// The least distance, in seconds, between a request and a moment at which something might expire.
pub(super) fn margin_s(steps: &[Step]) -> Option<u64> {
    let lifetimes_s = lifetimes_s(steps);
    let mut writes_s = BTreeSet::new();
    let mut distances_s = BTreeSet::new();
    for step in steps {
        let deadlines_s =
            writes_s.iter().flat_map(|write_s| lifetimes_s.iter().map(|s| s.saturating_add(*write_s)));
        distances_s.extend(deadlines_s.map(|deadline_s| deadline_s.abs_diff(step.at_s)));
        writes_s.extend(written(&step.request).next().map(|_| step.at_s));
    }
    distances_s.first().copied()
}
