//! Values, settings and indexing modes without one clause.

use super::{AnsweredRequest, ModelAblation, as_own, inherit, one_second, reread, without};
use crate::transition_system::sent_default;
use cosmos_ttl_model::container::{
    Indexing, Item, Operation, Refusal, Request, Response, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::{
    ContainerNull, IntegralFraction, InvalidWhileOff, LazyIndex, RefusalOrder,
};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, MAX_TTL_S, Wire};

const MAX: i64 = MAX_TTL_S as i64;

/// Not a valid value.
const NONE: Wire = Wire::Whole(0);

/// Which values are settings.
#[rustfmt::skip]
pub(super) const VALUES: &[ModelAblation] = &[
    without("container-absent-is-off", "a new container without `defaultTtl` is on, without a default")
        .settings(|world, draft| match draft.default_ttl {
            Wire::Absent if world.is_none() => with(draft, Wire::Whole(-1)),
            _ => draft,
        }),
    without("container-null-is-off", "null must mean the same as leaving it out; it may not be refused")
        .insists("off", |choices| choices.container_null = ContainerNull::Off,
            |choices| choices.container_null = ContainerNull::Rejected),
    without("container-minus-one-is-on-without-default", "-1 is the same as leaving `defaultTtl` out")
        .settings(|_, draft| default(draft, |wire| if wire == Wire::Whole(-1) { Wire::Absent } else { wire })),
    without("container-seconds-range", "the bounds themselves, 1 and 2147483647, are refused")
        .settings(|_, draft| default(draft, without_bounds)),
    without("container-zero-rejected", "0 is taken as if it were absent")
        .settings(|_, draft| default(draft, |wire| if wire == NONE { Wire::Absent } else { wire })),
    without("container-below-minus-one-rejected", "every negative number is taken as -1")
        .settings(|_, draft| default(draft, negative_as_never)),
    without("container-above-maximum-rejected", "whatever is too large is taken as -1, as good as forever")
        .settings(|_, draft| default(draft, too_large_as_never)),
    without("container-not-an-integer-rejected", "what is no whole number is taken as if it were absent")
        .settings(|_, draft| default(draft, |wire| match wire {
            Wire::NoNumber | Wire::WholeAsFraction(_) => Wire::Absent,
            wire => wire,
        })),
    without("container-rejected-leaves-container", "a refused setting leaves the container switched off")
        .then(|asked, after, answer| {
            if let (Request::Configure(_), Response::Refused(_)) = (asked.request, answer) {
                after.settings.default_ttl = DefaultTtl::Off;
            }
        }),
    without("item-absent-inherits", "an item without `ttl` is stored with -1")
        .ttl(|_, _, wire| if wire == Wire::Absent { Wire::Whole(-1) } else { wire }),
    without("item-minus-one-allowed", "-1 is no number of seconds and refused")
        .ttl(|_, _, wire| if wire == Wire::Whole(-1) { NONE } else { wire }),
    without("item-seconds-range", "the bounds themselves, 1 and 2147483647, are refused")
        .ttl(|_, _, wire| without_bounds(wire)),
    without("item-null-rejected", "null inherits, as in the edition before")
        .ttl(|_, rules, wire| match (wire, rules.edition) {
            (Wire::Null, Edition::Y2024) => Wire::Absent,
            _ => wire,
        }),
    without("item-null-inherits", "null is refused, as in the edition after")
        .ttl(|_, rules, wire| match (wire, rules.edition) {
            (Wire::Null, Edition::Y2020) => NONE,
            _ => wire,
        }),
    without("item-zero-rejected", "0 is taken as if it were absent")
        .ttl(|_, _, wire| if wire == NONE { Wire::Absent } else { wire }),
    without("item-below-minus-one-rejected", "every negative number is taken as -1")
        .ttl(|_, _, wire| negative_as_never(wire)),
    without("item-above-maximum-rejected", "whatever is too large is taken as -1, as good as forever")
        .ttl(|_, _, wire| too_large_as_never(wire)),
    without("item-not-an-integer-rejected", "what is no whole number is taken as if it were absent")
        .ttl(|_, _, wire| if wire == Wire::NoNumber { Wire::Absent } else { wire }),
    without("item-integral-fraction", "10.0 must be refused; it may not count as 10")
        .insists("rejected", |choices| choices.integral_fraction = IntegralFraction::Rejected,
            |choices| choices.integral_fraction = IntegralFraction::Accepted),
    without("item-invalid-while-off", "what is no setting must be refused while the container is off as well")
        .insists("rejected", |choices| choices.invalid_while_off = InvalidWhileOff::Rejected,
            |choices| choices.invalid_while_off = InvalidWhileOff::Stored),
    without("refusal-order", "of two refusals the first must be answered, the value's before the item's")
        .insists("first", |choices| choices.refusal_order = RefusalOrder::First,
            |choices| choices.refusal_order = RefusalOrder::Later),
    without("item-rejected-stores-nothing", "a refused write is stored all the same, without its `ttl`")
        .then(store_all_the_same),
];

/// Changing the container under living items.
#[rustfmt::skip]
pub(super) const SETTINGS: &[ModelAblation] = &[
    without("current-settings-decide", "an item lives by the default under which it was written")
        .configures(|old, _, item| inherit(item, as_own(old.settings.default_ttl))),
    without("leaving-default-out-switches-off", "settings without `defaultTtl` leave the one that there is")
        .settings(|world, draft| match (world, draft.default_ttl) {
            (Some(world), Wire::Absent) => {
                SettingsDraft { default_ttl: sent_default(world.settings.default_ttl), ..draft }
            }
            _ => draft,
        }),
    without("dormant-ttl-wakes", "a `ttl` that was asleep is forgotten when the container is on again")
        .configures(|old, new, item| {
            if old.settings.default_ttl == DefaultTtl::Off && new.settings.default_ttl != DefaultTtl::Off {
                item.ttl = ItemTtl::Inherit;
            }
        }),
    without("switching-on-hides-old-items", "what new settings would hide at once starts to count anew")
        .configures(|old, new, item| if !old.is_expired(item) && new.is_expired(item) { item.ts = old.now }),
    without("raising-extends", "a larger default is for items that are written from then on")
        .configures(|old, new, item| match (old.settings.default_ttl, new.settings.default_ttl) {
            (DefaultTtl::Seconds(old), DefaultTtl::Seconds(new)) if old < new => {
                inherit(item, ItemTtl::Seconds(old));
            }
            _ => {}
        }),
    without("settings-do-not-touch-ts", "a change of settings sets every item's `_ts` to now")
        .configures(|old, _, item| item.ts = old.now),
    without("reappearance", "what is stored must come back, so that nothing may ever be removed")
        .insists("back", |_| {}, |_| {})
        .remove(|_, _| None),
    without("removed-never-returns", "a delete only hides an item, until the container is switched off")
        .then(hide_the_deleted),
];

/// Indexing modes.
#[rustfmt::skip]
pub(super) const INDEXING: &[ModelAblation] = &[
    without("ttl-needs-an-index", "indexing mode none is taken with a `defaultTtl`, and indexes all the same")
        .settings(|_, draft| match (draft.indexing, draft.default_ttl) {
            (Indexing::None, Wire::Whole(_)) => SettingsDraft { indexing: Indexing::Consistent, ..draft },
            _ => draft,
        }),
    without("indexed-modes-allow-ttl", "only indexing mode consistent allows a `defaultTtl`")
        .settings(|_, draft| match (draft.indexing, draft.default_ttl) {
            (Indexing::Lazy, Wire::Whole(_)) => SettingsDraft { indexing: Indexing::None, ..draft },
            _ => draft,
        }),
    without("lazy-index-may-lag", "queries must be complete while a lazy index is rebuilt")
        .insists("complete", |choices| choices.lazy_index = LazyIndex::Complete,
            |choices| choices.lazy_index = LazyIndex::Incomplete),
];

fn with(draft: SettingsDraft, default_ttl: Wire) -> SettingsDraft {
    SettingsDraft { default_ttl, ..draft }
}

fn default(draft: SettingsDraft, read: fn(Wire) -> Wire) -> SettingsDraft {
    with(draft, read(draft.default_ttl))
}

fn without_bounds(wire: Wire) -> Wire {
    if let Wire::Whole(1 | MAX) = wire { NONE } else { wire }
}

fn negative_as_never(wire: Wire) -> Wire {
    if matches!(wire, Wire::Whole(number) if number < 0) { Wire::Whole(-1) } else { wire }
}

fn too_large_as_never(wire: Wire) -> Wire {
    if matches!(wire, Wire::Whole(number) if number > MAX) { Wire::Whole(-1) } else { wire }
}

fn store_all_the_same(asked: &AnsweredRequest<'_>, after: &mut World, answer: &mut Response) {
    if *answer != Response::Refused(Refusal::BadRequest) {
        return;
    }
    let Request::Item(mut stored) = *asked.request else { return };
    match &mut stored {
        Operation::Patch { ttl, .. } => *ttl = TtlChange::Keep,
        operation => reread(operation, |_| Wire::Absent),
    }
    *after = asked.before.step(asked.rules, &Request::Item(stored)).0;
}

/// While the container is on, a deleted item is kept as one that expired long ago.
fn hide_the_deleted(asked: &AnsweredRequest<'_>, after: &mut World, answer: &mut Response) {
    let Request::Item(Operation::Delete { id, .. }) = asked.request else { return };
    let on = asked.before.settings.default_ttl != DefaultTtl::Off;
    if let (Response::NoContent, Some(old), true) = (answer, asked.before.items.get(id), on) {
        let ts = asked.before.now.saturating_sub(1);
        after.items.insert(*id, Item { ttl: one_second(), ts, ..*old });
    }
}
