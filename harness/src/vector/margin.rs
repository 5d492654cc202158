//! How close a vector looks at the moments in which something might expire.
//!
//! The harness does not know the rule, and need not: whatever a target does, an item can only expire some ttl after a
//! write, be it the item's own or a container's. Every such moment counts, also those at which a right target does
//! nothing, because a wrong one may.

use std::collections::BTreeSet;

use super::Step;
use crate::literal::{Literal, LiteralKind};
use crate::target::{Operation, Request};

/// Every lifetime that an item, or a container, is ever given in these steps, in seconds.
pub(super) fn lifetimes_s(steps: &[Step]) -> BTreeSet<u64> {
    let mut lifetimes_s = BTreeSet::new();
    let mut add = |literal: Option<&Literal>| {
        if let Some(LiteralKind::Whole(seconds) | LiteralKind::WholeAsFraction(seconds)) =
            literal.map(Literal::kind)
        {
            lifetimes_s.extend(
                u64::try_from(seconds).ok().filter(|seconds| 0 < *seconds && u32::try_from(*seconds).is_ok()),
            );
        }
    };
    for step in steps {
        match &step.request {
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                add(container.default_ttl.as_ref());
            }
            request => request.operations().iter().for_each(|operation| add(operation.ttl())),
        }
    }
    lifetimes_s
}

/// The items that a request writes, if it succeeds.
pub(super) fn written(request: &Request) -> impl Iterator<Item = &str> {
    request.operations().iter().filter(|operation| operation.is_write()).map(Operation::id)
}

/// The least distance, in seconds, between a request and a moment at which something might expire.
pub(super) fn margin_s(steps: &[Step]) -> Option<u64> {
    let lifetimes_s = lifetimes_s(steps);
    let mut writes_s = BTreeSet::new();
    let mut margin_s: Option<u64> = None;
    for step in steps {
        for write_s in &writes_s {
            for lifetime_s in &lifetimes_s {
                let deadline_s = lifetime_s.saturating_add(*write_s);
                let distance_s = deadline_s.abs_diff(step.at_s);
                margin_s = Some(margin_s.map_or(distance_s, |least| least.min(distance_s)));
            }
        }
        writes_s.extend(written(&step.request).next().map(|_| step.at_s));
    }
    margin_s
}
