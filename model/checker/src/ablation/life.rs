//! Lives, clocks, writes, removal and expired items without one clause, and more entries of clauses that have one.

use super::{
    ModelAblation, amend, as_own, inherit, older, one_second, revived, with_default, without, written,
};
use cosmos_ttl_model::container::{
    Content, Etag, Index, Indexing, Item, ItemId, Operation, Refusal, Request, Response, Rules, TtlChange,
    World,
};
use cosmos_ttl_model::interpretation::{
    Aggregates, ExpiredPrecondition, ExpiredUpsert, Interpretation, RefusalOrder,
};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Lifetime, Wire};
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput, Units};

/// A number that stands for no content.
const NO_CONTENT: Content = Content(u32::MAX);

/// Marks an item that was made while an expired one of its id was still stored.
const OVER_AN_EXPIRED_ONE: u32 = 1 << 31;

/// More units than anything costs.
const PLENTY: Units = 1_000;

/// The last second in which a clock is right that stops too early.
const LAST_SECOND: i64 = 2;

/// How long an item lives.
#[rustfmt::skip]
pub(super) const LIFETIME: &[ModelAblation] = &[
    without("off-never-expires", "an item's own `ttl` counts while the container is off as well")
        .step(|world, rules, request| {
            if let Request::Configure(_) = request {
                return world.step(rules, request);
            }
            let (after, answer) = switched_on(world).step(rules, request);
            (World { settings: world.settings, ..after }, answer)
        })
        .remove(remove_by_own_ttl),
    without("item-seconds-override", "a default holds for every item, whatever number the item says")
        .seen(|world, item| match (world.settings.default_ttl, item.ttl) {
            (DefaultTtl::Seconds(_), ItemTtl::Seconds(_)) => Item { ttl: ItemTtl::Inherit, ..item },
            _ => item,
        }),
    without("item-minus-one-overrides", "-1 of an item says nothing: the default holds")
        .seen(|_, item| if item.ttl == ItemTtl::Never { Item { ttl: ItemTtl::Inherit, ..item } } else { item }),
    without("item-inherits-seconds", "an item without `ttl` never expires, whatever the default")
        .seen(|_, item| if item.ttl == ItemTtl::Inherit { Item { ttl: ItemTtl::Never, ..item } } else { item }),
    without("item-inherits-no-default", "under -1 an item without `ttl` lives as short as can be, a second")
        .seen(|world, item| match (world.settings.default_ttl, item.ttl) {
            (DefaultTtl::NoDefault, ItemTtl::Inherit) => Item { ttl: one_second(), ..item },
            _ => item,
        }),
    without("inherited-ttl-not-written-back", "the default is written into every item that has no `ttl`")
        .writes(|asked, _, item| if let DefaultTtl::Seconds(_) = asked.before.settings.default_ttl {
            inherit(item, as_own(asked.before.settings.default_ttl));
        }),
    without("whole-item-expires", "of an expired item the content goes, and the rest can still be read")
        .step(read_empty),
];

/// From which second, to which second.
#[rustfmt::skip]
pub(super) const CLOCK: &[ModelAblation] = &[
    without("counted-from-last-write", "lifetime is counted from when the item was created")
        .writes(|_, old, item| item.ts = old.unwrap_or(item).ts),
    without("gone-at-deadline", "the second of the deadline is the last visible one")
        .seen(|_, item| older(item, -1)),
    without("visible-before-deadline", "the second before the deadline is the first hidden one")
        .seen(|_, item| older(item, 1)),
    without("hidden-immediately", "an expired item is seen until it is removed")
        .revives(|request| !matches!(request, Request::Configure(_))),
    without("deadline-does-not-overflow", "a deadline that 32 bits cannot hold has passed long since")
        .seen(|world, item| match world.lifetime(&item) {
            Lifetime::Seconds(seconds) if i64::from(i32::MAX) < item.ts.saturating_add(seconds.get()) => {
                older(item, seconds.get())
            }
            _ => item,
        }),
    without("server-sets-ts", "a client's clock sets `_ts`; this one's is a second slow")
        .writes(|_, _, item| *item = older(*item, 1)),
    without("ts-never-decreases", "whatever writes an item again sets its `_ts` a second back")
        .writes(|_, old, item| if let Some(old) = old { item.ts = older(*old, 1).ts }),
];

/// Ablations of the clauses about writes: which of them restart the count.
#[rustfmt::skip]
pub(super) const WRITES: &[ModelAblation] = &[
    without("write-restarts-count", "a replace or an upsert of a visible item keeps its `_ts`")
        .writes(|asked, old, item| {
            let whole = matches!(asked.request, Request::Item(Operation::Replace { .. } | Operation::Upsert(_)));
            item.ts = old.filter(|_| whole).unwrap_or(item).ts;
        }),
    without("patch-restarts-count", "a patch keeps the item's `_ts`")
        .writes(|asked, old, item| {
            let patches = matches!(asked.request, Request::Item(Operation::Patch { .. }));
            item.ts = old.filter(|_| patches).unwrap_or(item).ts;
        }),
    without("identical-write-restarts-count", "a write that changes nothing keeps the item's `_ts`")
        .writes(|_, old, item| {
            item.ts = old.filter(|old| old.ttl == item.ttl && old.content == item.content).unwrap_or(item).ts;
        }),
    without("read-does-not-restart", "point reads and queries restart the count of what they find")
        .then(|asked, after, answer| match (asked.request, answer) {
            (Request::Item(Operation::Read(id)), Response::Found(_)) => asked.restart(after, *id),
            (Request::Query, Response::Ids(ids)) => ids.iter().for_each(|id| asked.restart(after, *id)),
            _ => {}
        }),
    without("failed-write-does-not-restart", "a write that is refused restarts the count all the same")
        .then(|asked, after, answer| {
            let touched: &[Operation] = match (asked.request, answer) {
                (Request::Item(operation), Response::Refused(_)) => std::slice::from_ref(operation),
                (Request::Batch(all), Response::Aborted { .. }) => all,
                _ => &[],
            };
            for operation in touched.iter().filter(|operation| !matches!(operation, Operation::Read(_))) {
                if asked.before.visible(operation.id()).is_some() {
                    asked.restart(after, operation.id());
                }
            }
        }),
    without("changed-ttl-counts-from-that-write", "a new `ttl` counts from where the old one did")
        .writes(|_, old, item| item.ts = old.filter(|old| old.ttl != item.ttl).unwrap_or(item).ts),
    without("removed-ttl-inherits", "a write that leaves `ttl` out keeps the one that the item had")
        .writes(|asked, old, item| {
            let Request::Item(operation) = asked.request else { return };
            let left_out = match operation {
                Operation::Replace { draft, .. } | Operation::Upsert(draft) => draft.ttl == Wire::Absent,
                Operation::Patch { ttl, .. } => *ttl == TtlChange::Remove,
                _ => false,
            };
            inherit(item, old.filter(|_| left_out).unwrap_or(item).ttl);
        }),
    without("batch-shares-one-ts", "each write of a batch has a second of its own, and the last one has this")
        .then(|asked, after, answer| {
            let Request::Batch(operations) = asked.request else { return };
            let Response::Committed(_) = answer else { return };
            for (before_the_last, operation) in (0..).zip(operations.iter().rev()) {
                if !matches!(operation, Operation::Read(_) | Operation::Delete { .. }) {
                    let ts = asked.before.now.saturating_sub(before_the_last);
                    amend(after, answer, operation.id(), |item| item.ts = ts);
                }
            }
        }),
];

/// Removal in the background.
#[rustfmt::skip]
pub(super) const PURGE: &[ModelAblation] = &[
    without("purge-only-expired", "whatever will expire is removed as soon as there is time for it")
        .remove(|world, id| {
            let late = World { now: i64::MAX, ..world.clone() };
            late.remove(id).map(|after| World { now: world.now, ..after })
        }),
    without("purge-may-wait", "every expired item is removed as time passes")
        .pass(|world, seconds| {
            let next = world.pass(seconds);
            let mut kept = next.clone();
            kept.items.retain(|_, item| !next.is_expired(item));
            kept
        }),
    without("purge-invisible", "the id of an expired item is taken until that is removed")
        .step(|world, rules, request| match request {
            Request::Item(Operation::Create(draft) | Operation::Upsert(draft)) if world.expired(draft.id).is_some() => {
                (world.clone(), Response::Refused(Refusal::Conflict))
            }
            _ => world.step(rules, request),
        }),
    without("purge-spares-recreated", "what is made over an expired item is removed in the place of that")
        .then(|asked, after, answer| {
            for id in written(asked.before, after) {
                let over = asked.before.expired(id).is_some()
                    || asked.before.items.get(&id).is_some_and(|old| old.etag.0 & OVER_AN_EXPIRED_ONE != 0);
                if over {
                    amend(after, answer, id, |item| item.etag = Etag(item.etag.0 | OVER_AN_EXPIRED_ONE));
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
    without("purge-eventually", "nothing is ever removed")
        .remove(|_, _| None)
        .end_second(|metered, costs, removals| {
            if removals.is_empty() { metered.end_second(costs, removals) } else { None }
        }),
    without("off-stops-purge", "removal goes on by the items' own `ttl` while the container is off")
        .remove(remove_by_own_ttl),
];

/// Request units.
#[rustfmt::skip]
pub(super) const COST: &[ModelAblation] = &[
    without("purge-uses-leftover", "removal spends whatever it needs, left over or not")
        .end_second(|metered, costs, removals| {
            Metered { left: PLENTY, ..metered.clone() }.end_second(costs, removals)
        }),
    without("purge-never-throttles-users", "removal is charged to the users of the next second")
        .end_second(|metered, costs, removals| {
            let (mut after, billed) = metered.end_second(costs, removals)?;
            if let Throughput::Provisioned(_) = metered.throughput {
                let cost = removals.iter().fold(0, |sum: Units, _| sum.saturating_add(costs.delete));
                after.left = after.left.saturating_sub(cost);
            }
            Some((after, billed))
        }),
    without("overload-delays-purge", "removal has its way once users have taken everything")
        .end_second(|metered, costs, removals| {
            let left = if metered.left == 0 { PLENTY } else { metered.left };
            Metered { left, ..metered.clone() }.end_second(costs, removals)
        }),
    without("serverless-purge-is-billed", "removal is free on serverless accounts")
        .end_second(|metered, costs, removals| {
            let (after, billed) = metered.end_second(costs, removals)?;
            Some((after, if metered.throughput == Throughput::Serverless { 0 } else { billed }))
        }),
    without("setting-ttl-is-free", "an upsert with a `ttl` costs one request unit more")
        .metered_step(|metered, rules, costs, request| {
            let sets_ttl =
                matches!(request, Request::Item(Operation::Upsert(draft)) if draft.ttl != Wire::Absent);
            let write = costs.write.saturating_add(Units::from(sets_ttl));
            metered.step(rules, Costs { write, ..costs }, request)
        }),
];

/// Ablations of the clauses about expired items, as a client sees them.
#[rustfmt::skip]
pub(super) const EXPIRED: &[ModelAblation] = &[
    without("expired-read-not-found", "a point read finds an expired item until it is removed")
        .revives(|request| matches!(request, Request::Item(Operation::Read(_)))),
    without("expired-not-in-queries", "a query returns expired items until they are removed")
        .revives(|request| matches!(request, Request::Query)),
    without("expired-in-aggregates", "a count must leave out what is expired")
        .insists("excluded", |choices| choices.aggregates = Aggregates::Excluded,
            |choices| choices.aggregates = Aggregates::Counted),
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
            |choices| choices.expired_upsert = ExpiredUpsert::Replaced),
    without("expired-precondition", "a conditional write of an expired item must answer not found")
        .insists("not-found", |choices| choices.expired_precondition = ExpiredPrecondition::NotFound,
            |choices| choices.expired_precondition = ExpiredPrecondition::PreconditionFailed),
    without("no-write-revives", "a refused replace or patch of an expired item restarts its count")
        .then(|asked, after, answer| {
            let (Request::Item(operation), Response::Refused(_)) = (asked.request, answer) else { return };
            let revives = matches!(operation, Operation::Replace { .. } | Operation::Patch { .. });
            if revives && asked.before.expired(operation.id()).is_some() {
                asked.restart(after, operation.id());
            }
        }),
];

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
    without("refusal-order", "of several refusals in a batch the last one is answered")
        .step(|world, rules, request| match request {
            Request::Batch(_) => {
                let interpretation = Interpretation { refusal_order: RefusalOrder::Later, ..rules.interpretation };
                world.step(Rules { interpretation, ..rules }, request)
            }
            _ => world.step(rules, request),
        }),
    without("removed-never-returns", "new settings store an item again that is no longer stored")
        .then(|asked, after, answer| {
            if *answer == Response::Configured && after.items.is_empty() {
                let (ttl, ts) = (ItemTtl::Inherit, asked.before.now);
                let item = Item { ttl, ts, etag: after.next_etag, content: NO_CONTENT };
                after.items.insert(ItemId(0), item);
            }
        }),
    without("expired-in-aggregates", "a count counts one item more than is stored")
        .then(|_, _, answer| if let Response::Count(count) = answer { *count = count.saturating_add(1) }),
    without("expired-upsert-status", "every upsert answers created")
        .then(|asked, _, answer| {
            if let (Request::Item(Operation::Upsert(_)), Response::Ok(item)) = (asked.request, &*answer) {
                *answer = Response::Created(*item);
            }
        }),
    without("purge-may-wait", "a second that ends takes everything that is expired out of store")
        .end_second(|metered, costs, removals| {
            let (mut after, billed) = metered.end_second(costs, removals)?;
            after.world.items.retain(|_, item| !metered.world.is_expired(item));
            Some((after, billed))
        }),
    without("purge-never-throttles-users", "a serverless account refuses queries, as if it had a budget")
        .metered_step(|metered, rules, costs, request| match (metered.throughput, request) {
            (Throughput::Serverless, Request::Query) => {
                (metered.clone(), Response::Refused(Refusal::TooManyRequests), 0)
            }
            _ => metered.step(rules, costs, request),
        }),
    without("lazy-index-may-lag", "a lazy index that catches up takes expired items out of store")
        .catch_up(|world| {
            let mut after = world.catch_up();
            after.items.retain(|_, item| !world.is_expired(item));
            after
        }),
    without("lazy-index-may-lag", "a lazy index never catches up").catch_up(World::clone),
    without("lazy-index-may-lag", "a consistent index is rebuilt whenever settings change")
        .then(|_, after, answer| {
            if *answer == Response::Configured && after.settings.indexing == Indexing::Consistent {
                after.index = Index::Rebuilding;
            }
        }),
];

/// A container that is on, without a default if it was off.
fn switched_on(world: &World) -> World {
    match world.settings.default_ttl {
        DefaultTtl::Off => with_default(world, DefaultTtl::NoDefault),
        _ => world.clone(),
    }
}

fn remove_by_own_ttl(world: &World, id: ItemId) -> Option<World> {
    Some(World { settings: world.settings, ..switched_on(world).remove(id)? })
}

fn read_empty(world: &World, rules: Rules, request: &Request) -> (World, Response) {
    let Request::Item(Operation::Read(id)) = request else {
        let step = if *request == Request::Query { revived } else { World::step };
        return step(world, rules, request);
    };
    match world.expired(*id) {
        Some(item) => (world.clone(), Response::Found(Item { content: NO_CONTENT, ..*item })),
        None => world.step(rules, request),
    }
}
