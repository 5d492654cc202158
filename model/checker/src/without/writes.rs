//! What restarts the count, and what does not.

use super::hooks::{amend, overwritten};
use super::{Turn, Without};
use cosmos_ttl_model::container::{Item, Operation, Request, Response, TtlChange, World};
use cosmos_ttl_model::rule::{ItemTtl, Wire};

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("write-restarts-count", "a replace or an upsert of a visible item keeps its `_ts`")
        .then(|turn, after, answer| {
            keep_ts(turn, after, answer, |request, _, _| {
                matches!(request, Request::Item(Operation::Replace { .. } | Operation::Upsert(_)))
            });
        }),
    Without::new("patch-restarts-count", "a patch keeps the item's `_ts`")
        .then(|turn, after, answer| {
            keep_ts(turn, after, answer, |request, _, _| matches!(request, Request::Item(Operation::Patch { .. })));
        }),
    Without::new("identical-write-restarts-count", "a write that changes nothing keeps the item's `_ts`")
        .then(|turn, after, answer| {
            keep_ts(turn, after, answer, |_, old, new| old.ttl == new.ttl && old.content == new.content);
        }),
    Without::new("read-does-not-restart", "point reads and queries restart the count of what they find")
        .then(|turn, after, answer| match (turn.request, answer) {
            (Request::Item(Operation::Read(id)), Response::Found(_)) => {
                after.items.entry(*id).and_modify(|item| item.ts = turn.before.now);
            }
            (Request::Query, Response::Ids(ids)) => {
                for id in ids {
                    after.items.entry(*id).and_modify(|item| item.ts = turn.before.now);
                }
            }
            _ => {}
        }),
    Without::new("failed-write-does-not-restart", "a write that is refused restarts the count all the same")
        .then(|turn, after, answer| {
            let touched: &[Operation] = match (turn.request, answer) {
                (Request::Item(operation), Response::Refused(_)) => std::slice::from_ref(operation),
                (Request::Batch(all), Response::Aborted { .. }) => all,
                _ => &[],
            };
            for operation in touched.iter().filter(|operation| !matches!(operation, Operation::Read(_))) {
                if turn.before.visible(operation.id()).is_some() {
                    after.items.entry(operation.id()).and_modify(|item| item.ts = turn.before.now);
                }
            }
        }),
    Without::new("changed-ttl-counts-from-that-write", "a new `ttl` counts from where the old one did")
        .then(|turn, after, answer| keep_ts(turn, after, answer, |_, old, new| old.ttl != new.ttl)),
    Without::new("removed-ttl-inherits", "a write that leaves `ttl` out keeps the one that the item had")
        .then(|turn, after, answer| {
            let left_out = match turn.request {
                Request::Item(Operation::Replace { draft, .. } | Operation::Upsert(draft)) => {
                    draft.ttl == Wire::Absent
                }
                Request::Item(Operation::Patch { ttl, .. }) => *ttl == TtlChange::Remove,
                _ => false,
            };
            for (id, old) in overwritten(turn.before, after).into_iter().filter(|_| left_out) {
                amend(after, answer, id, |item| if item.ttl == ItemTtl::Inherit { item.ttl = old.ttl });
            }
        }),
    Without::new("batch-shares-one-ts", "each write of a batch has a second of its own, and the last one has this")
        .then(|turn, after, answer| {
            let Request::Batch(operations) = turn.request else { return };
            let Response::Committed(_) = answer else { return };
            for (before_the_last, operation) in (0..).zip(operations.iter().rev()) {
                if !matches!(operation, Operation::Read(_) | Operation::Delete { .. }) {
                    let ts = turn.before.now.saturating_sub(before_the_last);
                    amend(after, answer, operation.id(), |item| item.ts = ts);
                }
            }
        }),
];

/// Whatever was written over a visible item, and is meant, keeps the `_ts` of that.
fn keep_ts(
    turn: &Turn<'_>,
    after: &mut World,
    answer: &mut Response,
    meant: fn(&Request, &Item, &Item) -> bool,
) {
    for (id, old) in overwritten(turn.before, after) {
        let is_meant = after.items.get(&id).is_some_and(|new| meant(turn.request, &old, new));
        if is_meant {
            amend(after, answer, id, |item| item.ts = old.ts);
        }
    }
}
