//! How long an item lives, what writes do, what a client sees of an expired item, and what the background removes.

use crate::age_abstraction::kept_content;
use crate::property_set::{Statement, statements};
use crate::step::{
    ItemChange, ModelAction, WorldStep, age, aged, below, default_s, gone, inherits, is, on, own_s, reached,
    sent_ttl, written,
};
use cosmos_ttl_model::container::{Etag, Item, Operation, Refusal, Request, Response, TtlChange, World};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredPrecondition, ExpiredUpsert};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

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
        always "an item has no `ttl` of its own but the one that it had, or one that a client sent for it" =>
            step.changes().iter().all(|change| change.new.is_none_or(|new| {
                inherits(&new)
                    || change.old.is_some_and(|old| old.ttl == new.ttl)
                    || step.asks(change.id, |operation| sends(operation, new.ttl))
            }));
        sometimes "an item without a `ttl` is shown while there is a default" =>
            step.some_look(true, |world, item| inherits(item) && default_s(world).is_some());
    ["whole-item-expires"]
        always "a read returns an item whole, as it is stored" => match (&step.answer, step.target()) {
            (Some(Response::Found(found)), Some(stored)) => found == stored,
            (Some(Response::Found(_)), None) => false,
            _ => true,
        };
        sometimes "a read returns the content that was stored" => {
            let Some(Operation::Read(id)) = step.operation() else { return false };
            matches!(&step.answer, Some(Response::Found(found)) if found.content == kept_content(*id))
        };
};

/// Whether an operation sends this `ttl`.
fn sends(operation: &Operation, ttl: ItemTtl) -> bool {
    match (sent_ttl(operation), ttl) {
        (Some(Wire::Whole(sent) | Wire::WholeAsFraction(sent)), ItemTtl::Seconds(own)) => sent == own.get(),
        (Some(Wire::Whole(-1) | Wire::WholeAsFraction(-1)), ItemTtl::Never) => true,
        _ => false,
    }
}

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

/// Statements about removal: which items it takes, that no client can see it, that it may wait, and what else removes
/// an item.
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
        sometimes "an item is removed that was hidden already" => {
            let ModelAction::Remove(id) = step.action else { return false };
            step.before.items.contains_key(&id) && !step.listed_before().contains(&id)
        };
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

/// Statements about writes: which of them restart the count.
pub(super) const WRITES: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["write-restarts-count"]
        always "a replace or upsert of a visible item makes it as old as new" =>
            rewritten(step, is!(step, Replace | Upsert)).is_none_or(|(_, new)| new.ts == step.before.now);
        sometimes "an item in its second second is written anew" => rewritten(step, is!(step, Replace | Upsert)).is_some();
    ["patch-restarts-count"]
        always "a patch of a visible item makes it as old as new" =>
            rewritten(step, is!(step, Patch)).is_none_or(|(_, new)| new.ts == step.before.now);
        sometimes "an item in its second second is patched" => rewritten(step, is!(step, Patch)).is_some();
    ["identical-write-restarts-count"]
        always "a write that changes neither `ttl` nor content makes an item as old as new all the same" =>
            identical(step).is_none_or(|new| new.ts == step.before.now);
        sometimes "an item in its second second is written again as it is" => identical(step).is_some();
    ["read-does-not-restart"]
        always "a read, a query and a count change nothing" => !(is!(step, Read) || matches!(step.request(), Some(Request::Query | Request::Count))) || step.changed_nothing();
        sometimes "an item in its second second is read" =>
            is!(step, Read) && step.visible().is_some_and(|item| aged(&step.before, item));
    ["changed-ttl-counts-from-that-write"]
        always "a write that sets `ttl` n stores n and counts from now" =>
            match (step.sent_ttl(), step.written()) {
                (Some(Wire::Whole(sent)), Some(new)) if (1..=2_147_483_647).contains(&sent) => {
                    own_s(new) == Some(sent) && new.ts == step.before.now
                }
                (Some(Wire::Whole(-1)), Some(new)) => new.ttl == ItemTtl::Never && new.ts == step.before.now,
                _ => true,
            };
        sometimes "an item in its second second gets another `ttl`" =>
            gets_other_ttl(step).is_some_and(|ttl| ttl != ItemTtl::Inherit);
    ["removed-ttl-inherits", "item-absent-inherits"]
        always "a write that leaves `ttl` out, or a patch that removes it, stores none" =>
            step.sent_ttl() != Some(Wire::Absent)
                || step.written().is_none_or(|new| new.ttl == ItemTtl::Inherit);
        sometimes "an item that had a `ttl` loses it" => gets_other_ttl(step) == Some(ItemTtl::Inherit);
    ["patch-restarts-count"]
        always "a patch that does not touch `ttl` or content leaves that as it was" => {
            let Some(Operation::Patch { ttl, content, .. }) = step.operation() else { return true };
            let (Some(old), Some(new)) = (step.target(), step.written()) else { return true };
            let keeps_ttl = *ttl != TtlChange::Keep || new.ttl == old.ttl;
            keeps_ttl && new.content == content.unwrap_or(old.content)
        };
        sometimes "a patch keeps a `ttl` of the item's own" => {
            let kept = |new: &Item| new.ttl != ItemTtl::Inherit && step.sent_ttl().is_none();
            is!(step, Patch) && step.written().is_some_and(kept)
        };
    ["batch-shares-one-ts"]
        always "all writes of one batch bear the `_ts` of now" => {
            let Some(Response::Committed(answers)) = &step.answer else { return true };
            answers.iter().filter_map(written).all(|item| item.ts == step.before.now)
        };
        sometimes "a batch of two writes commits over an older item" => {
            let Some(Response::Committed(answers)) = &step.answer else { return false };
            answers.iter().filter_map(written).count() == 2 && step.some_before(aged)
        };
    ["batch-shares-one-ts", "item-rejected-stores-nothing"]
        always "a batch of which one operation is refused changes nothing" =>
            !matches!(step.answer, Some(Response::Aborted { .. })) || step.changed_nothing();
        sometimes "a batch is refused for its second operation, after a good first one" =>
            matches!(step.answer, Some(Response::Aborted { at: 1, .. }));
};

/// Statements about expired items as a client sees them, and the open clauses about them.
pub(super) const EXPIRED: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["expired-read-not-found"]
        always "a read of an item that is gone answers not found" =>
            !is!(step, Read) || step.visible().is_some() || step.refusal() == Some(Refusal::NotFound);
        sometimes "a read meets an expired item that is still stored" =>
            is!(step, Read) && step.expired().is_some();
    ["expired-not-in-queries"]
        always "no query lists an item that is gone" => step.answers_living();
        sometimes "a query leaves out an expired item that is still stored" =>
            matches!(&step.answer, Some(Response::Ids(ids)) if ids.len() < step.before.items.len());
    ["expired-replace-not-found"]
        always "a replace of an item that is gone answers not found" => not_found(step, is!(step, Replace));
        sometimes "a replace meets an expired item that is still stored" => met(step, is!(step, Replace));
    ["expired-patch-not-found"]
        always "a patch of an item that is gone answers not found" => not_found(step, is!(step, Patch));
        sometimes "a patch meets an expired item that is still stored" => met(step, is!(step, Patch));
    ["expired-delete-not-found"]
        always "a delete of an item that is gone answers not found" => not_found(step, is!(step, Delete));
        sometimes "a delete meets an expired item that is still stored" => met(step, is!(step, Delete));
    ["expired-precondition"]
        always "a conditional write of an item that is gone never succeeds" =>
            !is_conditional(step) || step.visible().is_some() || step.refusal().is_some();
        sometimes "a conditional write names the right etag of an expired item that is still stored" =>
            names_its_etag(step) && step.expired().is_some();
    ["expired-precondition"]
        always "a conditional write of a visible item succeeds exactly with its etag" =>
            !is_conditional(step)
                || step.visible().is_none()
                || (step.refusal() == Some(Refusal::PreconditionFailed)) != names_its_etag(step);
        sometimes "a conditional write is refused for its etag" =>
            step.refusal() == Some(Refusal::PreconditionFailed) && step.visible().is_some();
    ["expired-id-is-free"]
        always "a create makes a new item exactly where none is visible, and keeps nothing of an old one" =>
            !is!(step, Create) || match &step.answer {
                Some(Response::Created(new)) => step.visible().is_none() && made_anew(step, new),
                Some(Response::Refused(Refusal::Conflict)) => step.visible().is_some(),
                answer => *answer == Some(Response::Refused(Refusal::BadRequest)),
            };
        sometimes "a create takes the id of an expired item that is still stored" =>
            is!(step, Create) && step.expired().is_some() && step.written().is_some();
    ["expired-upsert-creates"]
        always "an upsert stores what was sent, and keeps nothing of an item that is gone" =>
            !is!(step, Upsert)
                || step.refusal() == Some(Refusal::BadRequest)
                || step.written().is_some_and(|new| made_anew(step, new));
        sometimes "an upsert takes the id of an expired item that is still stored" =>
            is!(step, Upsert) && step.expired().is_some() && step.written().is_some();
    ["expired-upsert-status"]
        always "an upsert answers created where nothing is stored, and ok where an item is visible" =>
            !is!(step, Upsert) || match &step.answer {
                Some(Response::Created(_)) => step.visible().is_none(),
                Some(Response::Ok(_)) => step.target().is_some(),
                _ => true,
            };
        sometimes "an upsert replaces a visible item" =>
            is!(step, Upsert) && matches!(step.answer, Some(Response::Ok(_))) && step.visible().is_some();
    ["no-write-revives"]
        always "while the settings stand, only a create or an upsert makes an id visible that was not" =>
            {
                let mut shown = step.listed_after().iter().filter(|id| !step.listed_before().contains(id));
                step.before.settings != step.after.settings || shown.all(|id| step.makes(*id))
            };
        sometimes "a replace of an expired item that is still stored comes to nothing" =>
            is!(step, Replace) && step.expired().is_some() && step.changed_nothing();
    ["expired-in-aggregates"]
        when |rules| rules.interpretation.aggregates == Aggregates::Excluded;
        always "a count counts the visible items" =>
            !matches!(step.answer, Some(Response::Count(count)) if count != bounds(step).0);
        sometimes "a count leaves out an expired item that is still stored" =>
            matches!(step.answer, Some(Response::Count(count)) if count < bounds(step).1);
    ["expired-in-aggregates"]
        when |rules| rules.interpretation.aggregates == Aggregates::Counted;
        always "a count counts no fewer than the visible and no more than the stored items" => {
            let (visible, stored) = bounds(step);
            !matches!(step.answer, Some(Response::Count(count)) if count < visible || stored < count)
        };
        sometimes "a count counts an expired item that is still stored" =>
            matches!(step.answer, Some(Response::Count(count)) if bounds(step).0 < count);
    ["expired-upsert-status"]
        when |rules| rules.interpretation.expired_upsert == ExpiredUpsert::Replaced;
        sometimes "an upsert answers ok for an expired item that is still stored" =>
            is!(step, Upsert) && step.expired().is_some() && matches!(step.answer, Some(Response::Ok(_)));
    ["expired-precondition"]
        sometimes "a conditional write of an expired item is refused as chosen" => {
            let chosen = match step.rules.interpretation.expired_precondition {
                ExpiredPrecondition::NotFound => Refusal::NotFound,
                ExpiredPrecondition::PreconditionFailed => Refusal::PreconditionFailed,
            };
            is!(step, Delete) && is_conditional(step) && step.expired().is_some() && step.refusal() == Some(chosen)
        };
};

/// The item as it was visible before a successful operation, a second or more old, and as it is after it.
fn rewritten(step: &WorldStep, concerned: bool) -> Option<(&Item, &Item)> {
    let old = step.visible().filter(|old| concerned && aged(&step.before, old))?;
    Some((old, step.written()?))
}

/// The `ttl` of such an item after the operation, where that is another one.
fn gets_other_ttl(step: &WorldStep) -> Option<ItemTtl> {
    rewritten(step, true).filter(|(old, new)| old.ttl != new.ttl).map(|(_, new)| new.ttl)
}

fn identical(step: &WorldStep) -> Option<&Item> {
    let (old, new) = rewritten(step, true)?;
    (old.ttl == new.ttl && old.content == new.content).then_some(new)
}

/// Whether an unconditional write of something that is gone, with nothing wrong about it, is answered with not found.
fn not_found(step: &WorldStep, concerned: bool) -> bool {
    !(concerned && !is_conditional(step) && step.visible().is_none())
        || matches!(step.refusal(), Some(Refusal::NotFound | Refusal::BadRequest))
}

/// Whether such a write meets an expired item that is still stored.
fn met(step: &WorldStep, concerned: bool) -> bool {
    concerned
        && !is_conditional(step)
        && step.expired().is_some()
        && step.refusal() == Some(Refusal::NotFound)
}

/// How many items a count may report: from those that are visible to all that are stored.
fn bounds(step: &WorldStep) -> (usize, usize) {
    let visible = step.before.items.values().filter(|item| !gone(&step.before, item)).count();
    (visible, step.before.items.len())
}

fn if_match(step: &WorldStep) -> Option<Etag> {
    match step.operation()? {
        Operation::Replace { if_match, .. }
        | Operation::Patch { if_match, .. }
        | Operation::Delete { if_match, .. } => *if_match,
        Operation::Create(_) | Operation::Upsert(_) | Operation::Read(_) => None,
    }
}

fn is_conditional(step: &WorldStep) -> bool {
    if_match(step).is_some()
}

fn names_its_etag(step: &WorldStep) -> bool {
    is_conditional(step) && if_match(step) == step.target().map(|item| item.etag)
}

/// Whether what is now stored under the id is what was sent, of now, and nothing of what was there.
fn made_anew(step: &WorldStep, new: &Item) -> bool {
    let content = match step.operation() {
        Some(Operation::Create(draft) | Operation::Upsert(draft)) => Some(draft.content),
        _ => None,
    };
    let no_old_ttl = step.sent_ttl() != Some(Wire::Absent) || new.ttl == ItemTtl::Inherit;
    no_old_ttl
        && step.target_after() == Some(new)
        && content == Some(new.content)
        && age(&step.after, new) == 0
        && step.target().is_none_or(|old| old.etag != new.etag)
}
