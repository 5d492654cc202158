//! What a client sees of an expired item.

use super::Without;
use super::domain::{USUAL, reading};
use super::hooks::revived;
use cosmos_ttl_model::container::{Operation, Refusal, Request, Response};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredPrecondition, ExpiredUpsert, Interpretation};

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("expired-read-not-found", "a point read finds an expired item until it is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Read(_)) => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("expired-not-in-queries", "a query returns expired items until they are removed")
        .step(|world, rules, request| match request {
            Request::Query => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("expired-in-aggregates", "a count must leave out what is expired")
        .insists("excluded", |rules| reading(rules, |i| Interpretation { aggregates: Aggregates::Excluded, ..i }),
            Interpretation { aggregates: Aggregates::Counted, ..USUAL }),
    Without::new("expired-replace-not-found", "a replace of an expired item succeeds until that is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Replace { .. }) => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("expired-patch-not-found", "a patch of an expired item succeeds until that is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Patch { .. }) => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("expired-delete-not-found", "a delete of an expired item succeeds until that is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Delete { .. }) => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("expired-id-is-free", "a create conflicts with an expired item until that is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Create(_)) => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("expired-upsert-creates", "an upsert wants to replace an expired item, and does not find it")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Upsert(draft)) if world.expired(draft.id).is_some() => {
                (world.clone(), Response::Refused(Refusal::NotFound))
            }
            _ => world.step(rules, request),
        }),
    Without::new("expired-upsert-status", "such an upsert must answer as one that makes an item")
        .insists("created", |rules| reading(rules, |i| Interpretation { expired_upsert: ExpiredUpsert::Created, ..i }),
            Interpretation { expired_upsert: ExpiredUpsert::Replaced, ..USUAL }),
    Without::new("expired-precondition", "a conditional write of an expired item must answer not found")
        .insists("not-found",
            |rules| reading(rules, |i| Interpretation { expired_precondition: ExpiredPrecondition::NotFound, ..i }),
            Interpretation { expired_precondition: ExpiredPrecondition::PreconditionFailed, ..USUAL }),
    Without::new("no-write-revives", "a refused replace or patch of an expired item restarts its count")
        .then(|turn, after, answer| {
            let (Request::Item(operation), Response::Refused(_)) = (turn.request, answer) else { return };
            let revives = matches!(operation, Operation::Replace { .. } | Operation::Patch { .. });
            if revives && turn.before.expired(operation.id()).is_some() {
                after.items.entry(operation.id()).and_modify(|item| item.ts = turn.before.now);
            }
        }),
];
