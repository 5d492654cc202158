//! Other things that may be done without a clause: faults that break a law in a way that no other entry does.

use super::Without;
use super::hooks::{every, older, revived};
use cosmos_ttl_model::container::{Index, Indexing, Item, Operation, Refusal, Request, Response, Rules};
use cosmos_ttl_model::rule::{DefaultTtl, Wire};

/// The last second in which a clock is right that stops too early.
const LAST_SECOND: i64 = 2;

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("container-null-is-off", "null is refused where the default is two seconds, and taken elsewhere")
        .step(|world, rules, request| match (request, world.settings.default_ttl) {
            (Request::Configure(draft), DefaultTtl::Seconds(seconds))
                if draft.default_ttl == Wire::Null && seconds.get() == 2 =>
            {
                (world.clone(), Response::Refused(Refusal::BadRequest))
            }
            _ => world.step(rules, request),
        }),
    Without::new("expired-precondition", "the right etag of an expired item lets a replace, patch or delete succeed")
        .step(|world, rules, request| match request {
            Request::Item(
                Operation::Replace { if_match: Some(_), .. }
                | Operation::Patch { if_match: Some(_), .. }
                | Operation::Delete { if_match: Some(_), .. },
            ) => revived(world, rules, request),
            _ => world.step(rules, request),
        }),
    Without::new("ts-never-decreases", "an upsert sets the `_ts` of every other item a second back")
        .then(|turn, after, _| {
            let Request::Item(Operation::Upsert(draft)) = turn.request else { return };
            let written = after.items.get(&draft.id).copied();
            every(after, |item| if Some(*item) != written { *item = older(*item, 1) });
        }),
    Without::new("counted-from-last-write", "once the clock has shown two seconds, every item counts as new")
        .seen(|world, item| if LAST_SECOND < world.now { Item { ts: world.now, ..item } } else { item }),
    Without::new("expired-in-aggregates", "a count goes by other rules once the clock has shown two seconds")
        .step(|world, rules, request| match request {
            Request::Count if LAST_SECOND < world.now => world.step(Rules::default(), request),
            _ => world.step(rules, request),
        }),
    Without::new("purge-eventually", "what is not removed in the second of its deadline is never removed")
        .end_second(|metered, costs, removals| {
            let world = &metered.world;
            let late = |item: &Item| world.is_expired(&older(*item, -1));
            if removals.iter().any(|id| world.items.get(id).is_some_and(late)) {
                return None;
            }
            metered.end_second(costs, removals)
        }),
    Without::new("ttl-needs-an-index", "indexing mode none is taken with a `defaultTtl`, and does not index")
        .then(|turn, after, answer| {
            if let (Request::Configure(draft), Response::Refused(_)) = (turn.request, &answer)
                && draft.indexing == Indexing::None
            {
                after.settings.indexing = Indexing::None;
                *answer = Response::Configured;
            }
        }),
    Without::new("lazy-index-may-lag", "a consistent index is built anew whenever settings change")
        .then(|_, after, answer| {
            if *answer == Response::Configured && after.settings.indexing == Indexing::Consistent {
                after.index = Index::Rebuilding;
            }
        }),
];
