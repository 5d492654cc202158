//! Which values are settings at all, what the documents leave open there, and changing the container under living items.

use crate::property_set::{Statement, statements};
use crate::step::{
    ModelAction, WorldStep, age, aged, below, default_s, gone, inherits, living, on, own_s, reached, sent_ttl,
};
use crate::transition_system::sent_default;
use cosmos_ttl_model::container::{
    Index, Indexing, Item, ItemId, Operation, Refusal, Request, Response, Rules, SettingsDraft, TtlChange,
};
use cosmos_ttl_model::interpretation::{
    ContainerNull, IntegralFraction, InvalidWhileOff, LazyIndex, RefusalOrder,
};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, Wire};

/// Which values are settings, and the open clauses about values.
pub(super) const DOMAIN: &[Statement<WorldStep>] = statements! { step: WorldStep;
    [
        "container-zero-rejected", "container-below-minus-one-rejected", "container-above-maximum-rejected",
        "container-not-an-integer-rejected",
    ]
        always "a `defaultTtl` of 0, -2, 2147483648 or text is a bad request" =>
            step.draft().is_none_or(|draft| !wrong(draft.default_ttl) || refused(step));
        sometimes "a wrong `defaultTtl` is refused while an item is expired" =>
            step.draft().is_some_and(|draft| wrong(draft.default_ttl)) && refused(step) && step.some_before(gone);
    ["container-seconds-range", "container-minus-one-is-on-without-default", "container-absent-is-off"]
        always "a `defaultTtl` that is absent, -1 or a number of seconds is taken as it is" =>
            step.draft().filter(|draft| right(draft.default_ttl)).is_none_or(|draft| {
                step.configured() && sent_default(step.after.settings.default_ttl) == draft.default_ttl
            });
        sometimes "`defaultTtl` becomes -1 where it was absent" =>
            !on(&step.before) && step.after.settings.default_ttl == DefaultTtl::NoDefault;
    ["container-absent-is-off", "container-minus-one-is-on-without-default", "container-seconds-range"]
        always "a container is made with the `defaultTtl` that is sent, off where none is sent, and is empty" =>
            step.draft().filter(|draft| step.opens() && right(draft.default_ttl)).is_none_or(|draft| {
                let default_ttl = sent_default(step.after.settings.default_ttl);
                step.configured() && default_ttl == draft.default_ttl && step.after.items.is_empty()
            });
        sometimes "a container is made without `defaultTtl`" =>
            step.opens() && step.configured() && !on(&step.after);
    ["container-rejected-leaves-container"]
        always "a refused setting leaves the container and its items as they were" =>
            step.draft().is_none() || step.configured() || step.changed_nothing();
        sometimes "a setting is refused while items are stored" =>
            step.draft().is_some() && refused(step) && !step.before.items.is_empty();
    [
        "item-zero-rejected", "item-below-minus-one-rejected", "item-above-maximum-rejected",
        "item-not-an-integer-rejected",
    ]
        always "while the container is on, a `ttl` of 0, -2, 2147483648 or text is a bad request, \
             whatever is stored, unless its item is refused first" =>
            !(on(&step.before) && step.sent_ttl().is_some_and(wrong)) || value_refused(step);
        sometimes "a wrong `ttl` is refused where a visible item of that id is stored" =>
            step.sent_ttl().is_some_and(wrong) && refused(step) && step.visible().is_some();
    ["item-seconds-range", "item-minus-one-allowed", "item-absent-inherits"]
        always "a `ttl` that is absent, -1 or a number of seconds is never a bad request" =>
            !(step.sent_ttl().is_some_and(right) && refused(step));
        sometimes "a `ttl` is written while the container is off" =>
            !on(&step.before) && step.sent_ttl() == Some(Wire::Whole(1)) && step.written().is_some();
    ["item-rejected-stores-nothing", "failed-write-does-not-restart"]
        always "a request that is refused, for whatever reason, changes nothing" =>
            step.refusal().is_none() || step.changed_nothing();
        sometimes "a write is refused where a visible item, written earlier, is stored" =>
            step.refusal().is_some() && step.visible().is_some_and(|item| aged(&step.before, item));
    ["item-null-rejected"]
        when |rules| rules.edition == Edition::Y2024;
        always "while the container is on, a `ttl` of null is a bad request, unless its item is refused first" =>
            !(on(&step.before) && step.sent_ttl() == Some(Wire::Null)) || value_refused(step);
        sometimes "null is refused where a visible item is stored" =>
            step.sent_ttl() == Some(Wire::Null) && refused(step) && step.visible().is_some();
    ["item-null-inherits"]
        when |rules| rules.edition == Edition::Y2020;
        always "in the documents of 2020, a `ttl` of null is never a bad request" =>
            !(step.sent_ttl() == Some(Wire::Null) && refused(step));
        sometimes "null is stored as an absent `ttl`" =>
            step.sent_ttl() == Some(Wire::Null) && step.written().is_some_and(inherits);
    ["item-null-inherits"]
        when |rules| rules.edition == Edition::Y2020;
        always "in the documents of 2020, a write of null leaves the item without a `ttl` of its own" =>
            step.sent_ttl() != Some(Wire::Null) || step.refusal().is_some() || left_unset(step);
        sometimes "a patch to null takes the `ttl` of an item away" =>
            matches!(step.operation(), Some(Operation::Patch { ttl: TtlChange::Set(Wire::Null), .. }))
                && overrode(step) && left_unset(step);
    ["container-null-is-off"]
        when |rules| rules.interpretation.container_null == ContainerNull::Off;
        always "a `defaultTtl` of null switches the container off, whatever it was" =>
            !null_default(step) || step.configured() && !on(&step.after);
        sometimes "a `defaultTtl` of null brings an expired item back" =>
            null_default(step) && step.configured() && step.some_before(gone) && !on(&step.after);
    ["container-null-is-off"]
        when |rules| rules.interpretation.container_null == ContainerNull::Rejected;
        always "a `defaultTtl` of null is a bad request, whatever it was" =>
            !null_default(step) || refused(step);
        sometimes "a `defaultTtl` of null is refused while an item is stored" =>
            null_default(step) && refused(step) && !step.before.items.is_empty();
    ["refusal-order"]
        when |rules| rules.interpretation.refusal_order == RefusalOrder::First;
        always "a write that its item does not allow meets the refusal of its item, or a bad request if its \
             `ttl` is not right" =>
            step.refusal_of_item().is_none_or(|of_item| {
                step.refusal() == Some(of_item) || refused(step) && !step.sent_ttl().is_some_and(right)
            });
        sometimes "a bad request is answered to a write that its item does not allow either" =>
            refused(step) && step.refusal_of_item().is_some();
    ["refusal-order"]
        when |rules| rules.interpretation.refusal_order == RefusalOrder::First;
        always "no operation before the one that an aborted batch blames has a wrong `ttl`" =>
            blamed(step).is_none_or(|(before, _)| !before.iter().any(|one| sends_wrong(step, one)));
        sometimes "an aborted batch blames the operation before one with a wrong `ttl`" =>
            blamed(step).is_some_and(|(_, after)| after.iter().any(|one| sends_wrong(step, one)));
    ["refusal-order"]
        when |rules| rules.interpretation.refusal_order == RefusalOrder::Later;
        always "a write that its item does not allow meets the refusal of its item, whatever its `ttl`" =>
            step.refusal_of_item().is_none_or(|of_item| step.refusal() == Some(of_item));
        sometimes "a write with a wrong `ttl` meets the refusal of its item" =>
            step.refusal_of_item().is_some() && on(&step.before) && step.sent_ttl().is_some_and(wrong);
    ["refusal-order"]
        when |rules| rules.interpretation.refusal_order == RefusalOrder::Later;
        always "no operation after the one that an aborted batch blames has a wrong `ttl`" =>
            blamed(step).is_none_or(|(_, after)| !after.iter().any(|one| sends_wrong(step, one)));
        sometimes "an aborted batch blames an operation with a wrong `ttl` after one that finds no item" =>
            blamed(step).is_some_and(|(before, _)| before.iter().any(|one| patches_nothing(step, one)));
    ["item-integral-fraction"]
        when |rules| rules.interpretation.integral_fraction == IntegralFraction::Accepted;
        always "a `ttl` of 1.0 is never a bad request, and is stored as 1 second from now" =>
            fraction_sent(step).is_none_or(|seconds| {
                let stored = stored_now(step).and_then(own_s) == Some(seconds);
                !refused(step) && (step.refusal().is_some() || stored)
            });
        sometimes "a `ttl` of 1.0 replaces another" =>
            fraction_sent(step).is_some() && overrode(step) && step.written().is_some();
    ["item-integral-fraction"]
        when |rules| rules.interpretation.integral_fraction == IntegralFraction::Rejected;
        always "while the container is on, a `ttl` of 1.0 is a bad request, whatever is stored, unless its \
             item is refused first" =>
            !on(&step.before) || fraction_sent(step).is_none() || value_refused(step);
        sometimes "a `ttl` of 1.0 is refused where a visible item is stored" =>
            fraction_sent(step).is_some() && refused(step) && step.visible().is_some();
    ["item-invalid-while-off"]
        when |rules| rules.interpretation.invalid_while_off == InvalidWhileOff::Rejected;
        always "while the container is off, a `ttl` that is no setting is a bad request, whatever is \
             stored, unless its item is refused first" =>
            !nonsense_while_off(step) || value_refused(step);
        sometimes "a `ttl` of 0 is refused while the container is off and a visible item is stored" =>
            zero_while_off(step) && refused(step) && step.visible().is_some();
    ["item-invalid-while-off"]
        when |rules| rules.interpretation.invalid_while_off == InvalidWhileOff::Stored;
        always "while the container is off, a `ttl` that is no setting is never a bad request, and leaves \
             the item without one of its own" =>
            !nonsense_while_off(step) || !refused(step) && (step.refusal().is_some() || left_unset(step));
        sometimes "a `ttl` of 0, sent while the container is off, takes that of an item away" =>
            zero_while_off(step) && overrode(step) && left_unset(step);
};

/// Returns whether the value sent as `ttl` is a number that is not allowed, or not a whole number.
fn wrong(wire: Wire) -> bool {
    match wire {
        Wire::Whole(number) => number != -1 && !(1..=2_147_483_647).contains(&number),
        Wire::NoNumber => true,
        Wire::Absent | Wire::Null | Wire::WholeAsFraction(_) => false,
    }
}

fn right(wire: Wire) -> bool {
    matches!(wire, Wire::Absent | Wire::Whole(_)) && !wrong(wire)
}

fn refused(step: &WorldStep) -> bool {
    step.refusal() == Some(Refusal::BadRequest)
}

/// Whether it is refused for its value, or else for its item where that refusal is answered before (`refusal-order`).
fn value_refused(step: &WorldStep) -> bool {
    let later = step.rules.interpretation.refusal_order == RefusalOrder::Later;
    refused(step) || later && step.refusal_of_item().is_some_and(|of_item| step.refusal() == Some(of_item))
}

/// The operations before and after the one that an aborted batch blames.
fn blamed(step: &WorldStep) -> Option<(&[Operation], &[Operation])> {
    let (Some(Request::Batch(operations)), Some(Response::Aborted { at, .. })) =
        (step.request(), &step.answer)
    else {
        return None;
    };
    Some((operations.get(..*at)?, operations.get(at.checked_add(1)?..)?))
}

fn sends_wrong(step: &WorldStep, operation: &Operation) -> bool {
    on(&step.before) && sent_ttl(operation).is_some_and(wrong)
}

/// Returns whether it is a patch of an item that no client sees and that no operation of the batch makes.
fn patches_nothing(step: &WorldStep, operation: &Operation) -> bool {
    let id = operation.id();
    matches!(operation, Operation::Patch { .. }) && living(&step.before, id).is_none() && !step.makes(id)
}

fn null_default(step: &WorldStep) -> bool {
    step.draft().is_some_and(|draft| draft.default_ttl == Wire::Null)
}

/// The item as it is stored now, if it was written in this second.
fn stored_now(step: &WorldStep) -> Option<&Item> {
    step.target_after().filter(|item| age(&step.after, item) == 0)
}

/// Returns whether the item is stored now, written in this second, and has no `ttl`.
fn left_unset(step: &WorldStep) -> bool {
    stored_now(step).is_some_and(inherits)
}

/// Whether the item that the one operation is about had a setting of its own.
fn overrode(step: &WorldStep) -> bool {
    step.visible().is_some_and(|item| !inherits(item))
}

/// The number of seconds that was sent as `ttl`, written as a fraction.
fn fraction_sent(step: &WorldStep) -> Option<i64> {
    match step.sent_ttl()? {
        Wire::WholeAsFraction(number) if number > 0 && right(Wire::Whole(number)) => Some(number),
        _ => None,
    }
}

/// Whether a `ttl` was sent, while the container is off, that would be refused if it were on.
fn nonsense_while_off(step: &WorldStep) -> bool {
    let Rules { edition, interpretation } = step.rules;
    let nonsense = |wire| match wire {
        Wire::Null => edition == Edition::Y2024,
        Wire::WholeAsFraction(number) => {
            interpretation.integral_fraction == IntegralFraction::Rejected || wrong(Wire::Whole(number))
        }
        Wire::Absent | Wire::Whole(_) | Wire::NoNumber => wrong(wire),
    };
    !on(&step.before) && step.sent_ttl().is_some_and(nonsense)
}

fn zero_while_off(step: &WorldStep) -> bool {
    !on(&step.before) && step.sent_ttl() == Some(Wire::Whole(0))
}

/// Changing the container under living items.
pub(super) const SETTINGS: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["current-settings-decide"]
        always "right after settings change, the list is what the new ones say" =>
            !step.configured()
                || step.after.items.iter().all(|(id, item)| step.lists(*id) != gone(&step.after, item));
        sometimes "an item is hidden by a default under which it was not written" =>
            changed(step) && step.after.items.iter().any(|(id, item)| inherits(item) && !step.lists(*id));
    ["switching-on-hides-old-items"]
        always "switching on, or lowering the default, hides at once whatever is old enough" => {
            let lowered = match (default_s(&step.before), default_s(&step.after)) {
                (Some(before), Some(after)) => after < before,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            let hidden = |(id, item): (&ItemId, &Item)| {
                !(inherits(item) && reached(&step.after, item, default_s(&step.after)) && step.lists(*id))
            };
            !(step.configured() && lowered) || step.after.items.iter().all(hidden)
        };
        sometimes "a lower default hides an item that was visible" => {
            let lower = default_s(&step.after).is_some() && default_s(&step.after) < default_s(&step.before);
            step.configured() && lower && step.listed_before().iter().any(|id| !step.lists(*id))
        };
    ["switching-on-hides-old-items"]
        sometimes "switching on hides an item that was visible" =>
            step.configured() && !on(&step.before) && step.listed_after().len() < step.listed_before().len();
    ["leaving-default-out-switches-off"]
        always "replacing the settings without `defaultTtl` switches off, and every stored item is listed" =>
            step.draft().is_none_or(|draft| draft.default_ttl != Wire::Absent)
                || step.after.settings.default_ttl == DefaultTtl::Off
                    && step.after.items.keys().eq(step.listed_after().iter());
        sometimes "switching off shows an item that its own `ttl` had hidden" =>
            changed(step) && !on(&step.after)
                && step.some_before(|world, item| own_s(item).is_some() && gone(world, item));
    ["dormant-ttl-wakes"]
        always "switching on makes an item's own `ttl` count, from the `_ts` that it has" =>
            !changed(step) || on(&step.before)
                || step.after.items.iter().all(|(id, item)| {
                    own_s(item).is_none_or(|own| step.lists(*id) == (age(&step.before, item) < own))
                });
        sometimes "switching on hides an item that has a `ttl` of its own" => {
            let hidden = |(id, item): (&ItemId, &Item)| own_s(item).is_some() && !step.lists(*id);
            changed(step) && !on(&step.before) && step.after.items.iter().any(hidden)
        };
    ["raising-extends"]
        always "after the default is raised, an item that inherited still does, and is listed while its age is \
             below the new default" =>
            !raised(step) || step.before.items.iter().filter(|(_, old)| inherits(old)).all(|(id, _)| {
                let inheriting = step.after.items.get(id).filter(|new| inherits(new));
                inheriting.is_some_and(|new| {
                    step.lists(*id) == below(&step.after, new, default_s(&step.after))
                })
            });
        sometimes "the default is raised over an item in its last second" => {
            let last = |world: &_, item: &_| default_s(world) == Some(age(world, item) + 1);
            raised(step) && step.some_before(|world, item| inherits(item) && last(world, item))
        };
    ["settings-do-not-touch-ts"]
        always "new settings change no item: neither `_ts`, `ttl`, content nor etag" =>
            !step.configured() || step.changes().is_empty();
        sometimes "settings change over an item in its second second" =>
            changed(step) && step.some_before(aged);
    ["reappearance"]
        sometimes "an expired item that was not removed is listed again under other settings" =>
            changed(step) && step.listed_after().iter().any(|id| !step.listed_before().contains(id));
    ["removed-never-returns"]
        always "what is not stored comes into store only by a create or an upsert" =>
            step.changes().iter().all(|change| change.old.is_some() || step.makes(change.id));
        sometimes "an item comes into store" =>
            step.changes().iter().any(|change| change.old.is_none() && change.new.is_some());
    ["removed-never-returns"]
        always "a delete that succeeds takes the item out of store" =>
            step.answer != Some(Response::NoContent) || step.target_after().is_none();
        sometimes "an item that would be gone a second later is deleted" =>
            step.answer == Some(Response::NoContent)
                && step.target().is_some_and(|item| own_s(item) == Some(age(&step.before, item) + 1));
};

/// The index, and what it may leave out.
pub(super) const INDEXING: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["ttl-needs-an-index"]
        always "no container ever has indexing mode none and time to live on" =>
            !(step.after.settings.indexing == Indexing::None && on(&step.after));
        sometimes "settings with indexing mode none and a default are refused" =>
            step.draft().is_some_and(index_off_with_default) && step.refusal() == Some(Refusal::BadRequest);
    ["indexed-modes-allow-ttl"]
        always "every other pair of indexing mode and default is accepted" =>
            step.draft().is_none_or(|draft| index_off_with_default(draft) || step.configured());
        sometimes "lazy indexing is accepted with a default" =>
            step.configured() && step.after.settings.indexing == Indexing::Lazy && on(&step.after);
    ["ttl-needs-an-index"]
        sometimes "a container without an index is switched on together with an index" =>
            step.configured() && step.before.settings.indexing == Indexing::None && on(&step.after);
    ["lazy-index-may-lag"]
        always "a query leaves out a visible item only while a lazy index is rebuilt" => {
            let Some(Response::Ids(ids)) = &step.answer else { return true };
            let complete =
                step.before.items.iter().all(|(id, item)| gone(&step.before, item) || ids.contains(id));
            complete || step.before.settings.indexing == Indexing::Lazy && step.before.index == Index::Rebuilding
        };
        sometimes "a query is answered while a lazy index is rebuilt" =>
            step.before.index == Index::Rebuilding && matches!(step.answer, Some(Response::Ids(_)));
    ["lazy-index-may-lag"]
        always "only a changed `defaultTtl` under lazy indexing starts a rebuild of the index" => {
            let begun = step.before.index == Index::Ready && step.after.index == Index::Rebuilding;
            let changed = step.before.settings.default_ttl != step.after.settings.default_ttl;
            !begun || changed && step.after.settings.indexing == Indexing::Lazy
        };
        sometimes "a change of settings leaves a lazy index as it was" =>
            step.configured() && step.after.settings.indexing == Indexing::Lazy && step.after.index == Index::Ready;
    ["lazy-index-may-lag"]
        always "a lazy index that catches up changes nothing but what queries find" =>
            step.action != ModelAction::CatchUp
                || step.after.index == Index::Ready
                    && step.changes().is_empty()
                    && step.before.settings == step.after.settings;
        sometimes "a lazy index catches up while an expired item is stored" =>
            step.action == ModelAction::CatchUp && step.some_before(gone);
    ["lazy-index-may-lag"]
        always "no query lists an item that is gone, unless a lazy index is rebuilt" =>
            step.before.index == Index::Rebuilding || step.answers_living();
        sometimes "an item has expired before a lazy index caught up" =>
            step.before.index == Index::Rebuilding && step.some_before(gone);
    ["lazy-index-may-lag"]
        when |rules| rules.interpretation.lazy_index == LazyIndex::Incomplete;
        sometimes "a query leaves out a visible item" =>
            matches!(&step.answer, Some(Response::Ids(ids)) if ids.is_empty())
                && step.some_before(|world, item| !gone(world, item));
};

fn changed(step: &WorldStep) -> bool {
    step.configured() && step.before.settings != step.after.settings
}

fn raised(step: &WorldStep) -> bool {
    step.configured()
        && matches!((default_s(&step.before), default_s(&step.after)), (Some(before), Some(after)) if before < after)
}

fn index_off_with_default(draft: &SettingsDraft) -> bool {
    draft.indexing == Indexing::None && draft.default_ttl != Wire::Absent
}
