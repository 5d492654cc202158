//! How long an item lives, from which second to which, and what the background removes.

use crate::property_set::{Statement, statements};
use crate::step::{
    ItemChange, ModelAction, WorldStep, age, aged, below, default_s, gone, inherits, on, own_s, reached,
};
use cosmos_ttl_model::container::{Item, Operation, World};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};

/// The three-by-three matrix, cell by cell, and what becomes of a `ttl`.
pub(super) const LIFETIME: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["off-never-expires"]
        always "while the container is off, every stored item is found and listed" =>
            step.every_look(true, |world, _| !on(world));
        sometimes "an item whose age has reached its own `ttl` is shown because the container is off" =>
            step.some_look(true, |world, item| !on(world) && reached(world, item, own_s(item)));
    ["item-minus-one-overrides"]
        always "while the container is on, an item with `ttl` -1 is found and listed" =>
            step.every_look(true, |world, item| on(world) && never(item));
        sometimes "an item with `ttl` -1 is shown although its age has reached the default" =>
            step.some_look(true, |world, item| never(item) && reached(world, item, default_s(world)));
    ["item-seconds-override"]
        always "while the container is on, an item with `ttl` n is shown exactly while its age is below n" =>
            step.every_look(true, |world, item| on(world) && below(world, item, own_s(item)))
                && step.every_look(false, |world, item| on(world) && reached(world, item, own_s(item)));
        sometimes "an item with a `ttl` of its own outlives a shorter default" =>
            step.some_look(true, |world, item| own_s(item).is_some() && reached(world, item, default_s(world)));
    ["item-seconds-override"]
        sometimes "an item with a `ttl` of its own is gone before a longer default" =>
            step.some_look(false, |world, item| own_s(item).is_some() && below(world, item, default_s(world)));
    ["item-inherits-seconds"]
        always "while the default is n, an item without `ttl` is shown exactly while its age is below n" =>
            step.every_look(true, |world, item| inherits(item) && below(world, item, default_s(world)))
                && step.every_look(false, |world, item| inherits(item) && reached(world, item, default_s(world)));
        sometimes "an item without `ttl` is stored and not shown" =>
            step.some_look(false, |_, item| inherits(item));
    ["item-inherits-no-default"]
        always "while the default is -1, an item without `ttl` is found and listed" =>
            step.every_look(true, |world, item| no_default_set(world) && inherits(item));
        sometimes "an item without `ttl` grows old under a default of -1" =>
            step.some_look(true, |world, item| no_default_set(world) && inherits(item) && age(world, item) > 1);
    ["item-seconds-override", "container-minus-one-is-on-without-default"]
        sometimes "an item with a `ttl` of its own is gone under a default of -1" =>
            step.some_look(false, |world, item| no_default_set(world) && own_s(item).is_some());
    ["inherited-ttl-not-written-back"]
        always "what is stored without a `ttl` stays without, and a `ttl` stays as it was, until a client \
             writes the item" =>
            step.rewrites().all(|(id, old, new)| new.ttl == old.ttl || step.names(id));
        sometimes "an item without a `ttl` is shown while there is a default" =>
            step.some_look(true, |world, item| inherits(item) && default_s(world).is_some());
};

/// The deadline, and what the clock does to items.
pub(super) const CLOCK: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["gone-at-deadline", "hidden-immediately"]
        always "no answer shows an item whose age has reached the seconds that apply to it, removed or not" =>
            step.every_look(false, |world, item| reached(world, item, applies_s(world, item)));
        sometimes "a stored item is not shown in the very second of its deadline" =>
            step.some_look(false, |world, item| applies_s(world, item) == Some(age(world, item)));
    ["visible-before-deadline"]
        always "every answer shows an item whose age is below the seconds that apply to it" =>
            step.every_look(true, |world, item| below(world, item, applies_s(world, item)));
        sometimes "an item is shown in its last second" =>
            step.some_look(true, |world, item| applies_s(world, item) == Some(age(world, item) + 1));
    ["gone-at-deadline", "visible-before-deadline"]
        always "a query, before the step and after it, lists the stored items that are not gone, and no \
             other" =>
            step.lists_rightly();
        sometimes "a second passes and takes an item out of the list" =>
            step.passes() && step.listed_after().len() < step.listed_before().len();
    ["counted-from-last-write", "server-sets-ts"]
        always "a write that succeeds answers with the `_ts` of now and an etag that no item had, and so \
             it is stored" =>
            step.written().is_none_or(|item| {
                let fresh = step.before.items.values().all(|old| old.etag != item.etag);
                item.ts == step.before.now && fresh && step.target_after() == Some(item)
            });
        sometimes "a write succeeds where an older item was stored" =>
            step.written().is_some() && step.target().is_some_and(|old| aged(&step.before, old));
    ["counted-from-last-write"]
        always "no step changes an item that it does not name" =>
            step.rewrites().all(|(id, ..)| step.names(id));
        sometimes "a step that names no item leaves an old one as it is" =>
            step.passes() && step.some_before(aged);
    ["ts-never-decreases"]
        always "no item's `_ts` goes back, and neither does the clock" =>
            step.before.now <= step.after.now && step.rewrites().all(|(_, old, new)| old.ts <= new.ts);
        sometimes "an item's `_ts` goes forward" =>
            step.rewrites().any(|(_, old, new)| old.ts < new.ts);
    ["counted-from-last-write"]
        always "a second that passes makes every item a second older" =>
            !step.passes()
                || step.before.items.iter().all(|(id, old)| {
                    let older = age(&step.before, old) + 1;
                    step.after.items.get(id).is_some_and(|new| age(&step.after, new) == older)
                });
        sometimes "an item reaches the age of two seconds" =>
            step.after.items.values().any(|item| age(&step.after, item) == 2);
};

/// What removal takes, that it cannot be seen and may wait, and what else takes an item out of store.
pub(super) const PURGE: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["purge-only-expired"]
        always "the background removes only what is gone under the settings of this moment, and that alone" =>
            {
                let ModelAction::Remove(id) = step.action else { return true };
                let old = step.before.items.get(&id).copied();
                let alone = [ItemChange { id, old, new: None }];
                old.is_some_and(|item| gone(&step.before, &item))
                    && *step.changes() == alone
                    && step.before.settings == step.after.settings
            };
        sometimes "the background removes one item and leaves nothing else to see" =>
            step.removes() && step.after.items.is_empty();
    ["purge-only-expired"]
        always "nothing but a delete takes a visible item out of store" =>
            step.changes().iter().filter(|change| change.new.is_none()).all(|change| {
                change.old.is_none_or(|old| gone(&step.before, &old))
                    || step.asks(change.id, |operation| matches!(operation, Operation::Delete { .. }))
            });
        sometimes "a delete takes a visible item out of store" =>
            step.visible().is_some() && step.after.items.len() < step.before.items.len();
    ["purge-invisible"]
        always "a removal changes no list" => !step.removes() || step.listed_before() == step.listed_after();
        sometimes "an item is removed that was hidden already" => step.removes();
    ["off-stops-purge"]
        always "nothing is removed while the container is off" => !step.removes() || on(&step.before);
        sometimes "an item outlives its own `ttl` in store while the container is off" =>
            step.passes() && step.some_before(|world, item| !on(world) && reached(world, item, own_s(item)));
    ["purge-may-wait"]
        always "a second that passes takes nothing out of store" =>
            !step.passes() || step.before.items.keys().eq(step.after.items.keys());
        sometimes "an item is still stored a second after its deadline" =>
            step.passes() && step.some_before(gone);
};

fn never(item: &Item) -> bool {
    item.ttl == ItemTtl::Never
}

fn no_default_set(world: &World) -> bool {
    world.settings.default_ttl == DefaultTtl::NoDefault
}

/// The number of seconds that applies to an item, if one does.
fn applies_s(world: &World, item: &Item) -> Option<i64> {
    match item.ttl {
        _ if !on(world) => None,
        ItemTtl::Inherit => default_s(world),
        ItemTtl::Never | ItemTtl::Seconds(_) => own_s(item),
    }
}
