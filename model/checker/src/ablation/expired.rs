//! Expired items without one clause, and more entries of clauses that have one.

use super::{ModelAblation, USUAL, older, without};
use cosmos_ttl_model::container::{Index, Indexing, Item, Operation, Refusal, Request, Response, Rules};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredPrecondition, ExpiredUpsert, Interpretation};
use cosmos_ttl_model::rule::{DefaultTtl, Wire};

/// What a client sees of an expired item.
#[rustfmt::skip]
pub(super) const EXPIRED: &[ModelAblation] = &[
    without("expired-read-not-found", "a point read finds an expired item until it is removed")
        .revives(|request| matches!(request, Request::Item(Operation::Read(_)))),
    without("expired-not-in-queries", "a query returns expired items until they are removed")
        .revives(|request| matches!(request, Request::Query)),
    without("expired-in-aggregates", "a count must leave out what is expired")
        .insists("excluded", |choices| choices.aggregates = Aggregates::Excluded,
            Interpretation { aggregates: Aggregates::Counted, ..USUAL }),
    without("expired-replace-not-found", "a replace of an expired item succeeds until that is removed")
        .revives(|request| matches!(request, Request::Item(Operation::Replace { .. }))),
    without("expired-patch-not-found", "a patch of an expired item succeeds until that is removed")
        .revives(|request| matches!(request, Request::Item(Operation::Patch { .. }))),
    without("expired-delete-not-found", "a delete of an expired item succeeds until that is removed")
        .revives(|request| matches!(request, Request::Item(Operation::Delete { .. }))),
    without("expired-id-is-free", "a create conflicts with an expired item until that is removed")
        .revives(|request| matches!(request, Request::Item(Operation::Create(_)))),
    without("expired-upsert-creates", "an upsert wants to replace an expired item, and does not find it")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Upsert(draft)) if world.expired(draft.id).is_some() => {
                (world.clone(), Response::Refused(Refusal::NotFound))
            }
            _ => world.step(rules, request),
        }),
    without("expired-upsert-status", "such an upsert must answer as one that makes an item")
        .insists("created", |choices| choices.expired_upsert = ExpiredUpsert::Created,
            Interpretation { expired_upsert: ExpiredUpsert::Replaced, ..USUAL }),
    without("expired-precondition", "a conditional write of an expired item must answer not found")
        .insists("not-found", |choices| choices.expired_precondition = ExpiredPrecondition::NotFound,
            Interpretation { expired_precondition: ExpiredPrecondition::PreconditionFailed, ..USUAL }),
    without("no-write-revives", "a refused replace or patch of an expired item restarts its count")
        .then(|asked, after, answer| {
            let (Request::Item(operation), Response::Refused(_)) = (asked.request, answer) else { return };
            let revives = matches!(operation, Operation::Replace { .. } | Operation::Patch { .. });
            if revives && asked.before.expired(operation.id()).is_some() {
                after.items.entry(operation.id()).and_modify(|item| item.ts = asked.before.now);
            }
        }),
];

/// The last second in which a clock is right that stops too early.
const LAST_SECOND: i64 = 2;

/// Faults that break a law in a way that no other entry does.
#[rustfmt::skip]
pub(super) const FURTHER: &[ModelAblation] = &[
    without("container-null-is-off", "null is refused where the default is two seconds, and taken elsewhere")
        .step(|world, rules, request| match (request, world.settings.default_ttl) {
            (Request::Configure(draft), DefaultTtl::Seconds(seconds))
                if draft.default_ttl == Wire::Null && seconds.get() == 2 =>
            {
                (world.clone(), Response::Refused(Refusal::BadRequest))
            }
            _ => world.step(rules, request),
        }),
    without("expired-precondition", "the right etag of an expired item lets a replace, patch or delete succeed")
        .revives(|request| matches!(request, Request::Item(
                Operation::Replace { if_match: Some(_), .. }
                | Operation::Patch { if_match: Some(_), .. }
                | Operation::Delete { if_match: Some(_), .. },
            ))),
    without("ts-never-decreases", "an upsert sets the `_ts` of every other item a second back")
        .then(|asked, after, _| {
            let Request::Item(Operation::Upsert(draft)) = asked.request else { return };
            let written = after.items.get(&draft.id).copied();
            after.items.values_mut().for_each(|item| if Some(*item) != written { *item = older(*item, 1) });
        }),
    without("counted-from-last-write", "once the clock has shown two seconds item counts as new")
        .seen(|world, item| if LAST_SECOND < world.now { Item { ts: world.now, ..item } } else { item }),
    without("expired-in-aggregates", "a count goes by other rules once the clock has shown two seconds")
        .step(|world, rules, request| match request {
            Request::Count if LAST_SECOND < world.now => world.step(Rules::default(), request),
            _ => world.step(rules, request),
        }),
    without("purge-eventually", "what is not removed in the second of its deadline is never removed")
        .end_second(|metered, costs, removals| {
            let world = &metered.world;
            let late = |item: &Item| world.is_expired(&older(*item, -1));
            if removals.iter().any(|id| world.items.get(id).is_some_and(late)) {
                return None;
            }
            metered.end_second(costs, removals)
        }),
    without("ttl-needs-an-index", "indexing mode none is taken with a `defaultTtl`, and does not index")
        .then(|asked, after, answer| {
            if let (Request::Configure(draft), Response::Refused(_)) = (asked.request, &answer)
                && draft.indexing == Indexing::None
            {
                after.settings.indexing = Indexing::None;
                *answer = Response::Configured;
            }
        }),
    without("lazy-index-may-lag", "a consistent index is built anew whenever settings change")
        .then(|_, after, answer| {
            if *answer == Response::Configured && after.settings.indexing == Indexing::Consistent {
                after.index = Index::Rebuilding;
            }
        }),
];
