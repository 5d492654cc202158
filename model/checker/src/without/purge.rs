//! Removal in the background.

use super::Without;
use super::hooks::written;
use cosmos_ttl_model::container::{Etag, ItemId, Operation, Refusal, Request, Response, World};
use cosmos_ttl_model::rule::DefaultTtl;

/// Marks an item that was made while an expired one of its id was still stored.
const OVER_AN_EXPIRED_ONE: u32 = 1 << 31;

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("purge-only-expired", "whatever will expire is removed as soon as there is time for it")
        .remove(|world, id| {
            let late = World { now: i64::MAX, ..world.clone() };
            late.remove(id).map(|after| World { now: world.now, ..after })
        }),
    Without::new("purge-may-wait", "every expired item is removed as time passes")
        .pass(|world, seconds| {
            let next = world.pass(seconds);
            let mut kept = next.clone();
            kept.items.retain(|_, item| !next.is_expired(item));
            kept
        }),
    Without::new("purge-invisible", "the id of an expired item is taken until that is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Create(draft) | Operation::Upsert(draft)) if world.expired(draft.id).is_some() => {
                (world.clone(), Response::Refused(Refusal::Conflict))
            }
            _ => world.step(rules, request),
        }),
    Without::new("purge-spares-recreated", "what is made over an expired item is removed in the place of that")
        .then(|turn, after, answer| {
            for id in written(turn.before, after) {
                let over = turn.before.expired(id).is_some()
                    || turn.before.items.get(&id).is_some_and(|old| old.etag.0 & OVER_AN_EXPIRED_ONE != 0);
                if over {
                    mark(after, answer, id);
                }
            }
        })
        .remove(|world, id| match world.items.get(&id) {
            Some(item) if item.etag.0 & OVER_AN_EXPIRED_ONE != 0 && item.etag != Etag(u32::MAX) => {
                let mut after = world.clone();
                after.items.remove(&id);
                Some(after)
            }
            _ => world.remove(id),
        }),
    Without::new("purge-eventually", "nothing is ever removed")
        .remove(|_, _| None)
        .end_second(|metered, costs, removals| {
            if removals.is_empty() { metered.end_second(costs, removals) } else { None }
        }),
    Without::new("off-stops-purge", "removal goes on by the items' own `ttl` while the container is off")
        .remove(|world, id| {
            let mut on = world.clone();
            if on.settings.default_ttl == DefaultTtl::Off {
                on.settings.default_ttl = DefaultTtl::NoDefault;
            }
            on.remove(id).map(|after| World { settings: world.settings, ..after })
        }),
];

/// Marks an item, in store and in the answer.
fn mark(after: &mut World, answer: &mut Response, id: ItemId) {
    let Some(item) = after.items.get_mut(&id) else { return };
    let marked = Etag(item.etag.0 | OVER_AN_EXPIRED_ONE);
    if let Response::Created(told) | Response::Ok(told) = answer
        && told.etag == item.etag
    {
        told.etag = marked;
    }
    item.etag = marked;
}
