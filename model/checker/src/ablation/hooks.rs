//! What the entries are made of: worlds in disguise, and items written otherwise than they were.

use cosmos_ttl_model::container::{Item, ItemId, Operation, Request, Response, Rules, TtlChange, World};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, Wire};

/// Runs a step on a world whose items look otherwise, and takes the disguise off what it did not write.
pub(super) fn disguised(
    world: &World,
    request: &Request,
    disguise: impl Fn(Item) -> Item,
    step: impl FnOnce(&World) -> (World, Response),
) -> (World, Response) {
    let mut masked = world.clone();
    masked.items.values_mut().for_each(|item| *item = disguise(*item));
    let (mut after, mut answer) = step(&masked);
    undisguise(&mut after, &masked, world);
    match request {
        Request::Item(Operation::Read(id)) => {
            if let (Response::Found(found), Some(item)) = (&mut answer, world.items.get(id)) {
                *found = *item;
            }
        }
        // A patch that leaves `ttl` alone leaves the one that was under the disguise.
        Request::Item(Operation::Patch { id, ttl: TtlChange::Keep, .. }) => {
            if let (Response::Ok(_), Some(old)) = (&answer, world.items.get(id)) {
                amend(&mut after, &mut answer, *id, |item| item.ttl = old.ttl);
            }
        }
        _ => {}
    }
    (after, answer)
}

/// Gives items that nobody wrote since they were masked their old look.
pub(super) fn undisguise(after: &mut World, masked: &World, world: &World) {
    for (id, item) in &mut after.items {
        if masked.items.get(id) == Some(item) {
            *item = world.items.get(id).copied().unwrap_or(*item);
        }
    }
}

/// Runs a request as if nothing ever expired.
pub(super) fn revived(world: &World, rules: Rules, request: &Request) -> (World, Response) {
    let mut off = world.clone();
    off.settings.default_ttl = DefaultTtl::Off;
    let (mut after, answer) = off.step(rules, request);
    after.settings = world.settings;
    (after, answer)
}

/// Changes an item that was just written, in store and in the answer.
pub(super) fn amend(after: &mut World, answer: &mut Response, id: ItemId, change: impl FnOnce(&mut Item)) {
    if let Some(item) = after.items.get_mut(&id) {
        change(item);
        retell(answer, *item);
    }
}

fn retell(answer: &mut Response, item: Item) {
    match answer {
        Response::Created(told) | Response::Ok(told) if told.etag == item.etag => *told = item,
        Response::Committed(all) => all.iter_mut().for_each(|answer| retell(answer, item)),
        _ => {}
    }
}

/// The items that a step wrote.
pub(super) fn written(before: &World, after: &World) -> Vec<ItemId> {
    let etag = |world: &World, id: &ItemId| world.items.get(id).map(|item| item.etag);
    after.items.keys().filter(|id| etag(before, id) != etag(after, id)).copied().collect()
}

/// The items that a step wrote over visible ones, with these.
pub(super) fn overwritten(before: &World, after: &World) -> Vec<(ItemId, Item)> {
    written(before, after).into_iter().filter_map(|id| Some((id, *before.visible(id)?))).collect()
}

/// Changes every stored item.
pub(super) fn every(world: &mut World, change: impl Fn(&mut Item)) {
    world.items.values_mut().for_each(change);
}

/// Gives an item without a `ttl` this one.
pub(super) fn inherit(item: &mut Item, ttl: ItemTtl) {
    if item.ttl == ItemTtl::Inherit {
        item.ttl = ttl;
    }
}

/// An item that is so many seconds older.
pub(super) fn older(item: Item, seconds: i64) -> Item {
    Item { ts: item.ts.saturating_sub(seconds), ..item }
}

/// The `ttl` that says what a default says.
pub(super) fn as_own(default_ttl: DefaultTtl) -> ItemTtl {
    match default_ttl {
        DefaultTtl::Seconds(seconds) => ItemTtl::Seconds(seconds),
        DefaultTtl::Off | DefaultTtl::NoDefault => ItemTtl::Never,
    }
}

/// The `ttl` of one second.
pub(super) fn one_second() -> ItemTtl {
    TtlSeconds::new(1).map_or(ItemTtl::Inherit, ItemTtl::Seconds)
}

/// A default as it would be sent.
pub(super) fn sent(default_ttl: DefaultTtl) -> Wire {
    match default_ttl {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}
