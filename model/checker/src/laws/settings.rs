//! Changing the container under living items.

use super::super::book::Book;
use super::super::step::{Step, age, default_s, gone, on, own_s};
use cosmos_ttl_model::container::Item;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

pub(super) fn add(book: &mut Book<Step>) {
    book.section("settings");
    book.only(Step::configures, |book| {
        now(book);
        switches(book);
        raising(book);
        untouched(book);
    });
    book.law(
        &["removed-never-returns"],
        ("what is not stored comes into store only by a create or an upsert", |step| {
            step.changes().iter().all(|change| change.old.is_some() || step.makes(change.id))
        }),
        ("settings change over an item that is gone for good", |step| {
            changed(step) && step.before.items.is_empty()
        }),
    );
}

fn untouched(book: &mut Book<Step>) {
    book.law(
        &["settings-do-not-touch-ts"],
        ("new settings change no item: neither `_ts`, `ttl`, content nor etag", |step| {
            !step.configured() || step.changes().is_empty()
        }),
        ("settings change over an item in its second second", |step| {
            changed(step) && step.before.items.values().any(|item| age(&step.before, item) > 0)
        }),
    );
    book.sight(
        &["reappearance"],
        ("an expired item that was not removed is listed again under other settings", |step| {
            changed(step) && step.listed_after().iter().any(|id| !step.listed_before().contains(id))
        }),
    );
}

fn changed(step: &Step) -> bool {
    step.configured() && step.before.settings != step.after.settings
}

fn inherits(item: &Item) -> bool {
    item.ttl == ItemTtl::Inherit
}

fn now(book: &mut Book<Step>) {
    book.law(
        &["current-settings-decide"],
        ("right after settings change, the list is what the new ones say", |step| {
            !step.configured()
                || step
                    .after
                    .items
                    .iter()
                    .all(|(id, item)| step.listed_after().contains(id) != gone(&step.after, item))
        }),
        ("an item is hidden by a default under which it was not written", |step| {
            changed(step)
                && step
                    .after
                    .items
                    .iter()
                    .any(|(id, item)| inherits(item) && !step.listed_after().contains(id))
        }),
    );
    book.law(
        &["switching-on-hides-old-items"],
        ("switching on, or lowering the default, hides at once whatever is old enough", |step| {
            let lowered = match (default_s(&step.before), default_s(&step.after)) {
                (Some(before), Some(after)) => after < before,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            !(step.configured() && lowered)
                || step.after.items.iter().all(|(id, item)| {
                    !inherits(item)
                        || default_s(&step.after).is_none_or(|default| age(&step.after, item) < default)
                        || !step.listed_after().contains(id)
                })
        }),
        ("a lower default hides an item that was visible", |step| {
            let lower = default_s(&step.after).is_some() && default_s(&step.after) < default_s(&step.before);
            step.configured()
                && lower
                && step.listed_before().iter().any(|id| !step.listed_after().contains(id))
        }),
    );
    book.sight(
        &["switching-on-hides-old-items"],
        ("switching on hides an item that was visible", |step| {
            step.configured() && !on(&step.before) && step.listed_after().len() < step.listed_before().len()
        }),
    );
}

fn switches(book: &mut Book<Step>) {
    book.law(
        &["leaving-default-out-switches-off"],
        (
            "replacing the settings without `defaultTtl` switches off, and every stored item is listed",
            |step| {
                step.draft().is_none_or(|draft| draft.default_ttl != Wire::Absent)
                    || step.after.settings.default_ttl == DefaultTtl::Off
                        && step.after.items.keys().eq(step.listed_after().iter())
            },
        ),
        ("switching off shows an item that its own `ttl` had hidden", |step| {
            changed(step)
                && !on(&step.after)
                && step.before.items.values().any(|item| own_s(item).is_some() && gone(&step.before, item))
        }),
    );
    book.law(
        &["dormant-ttl-wakes"],
        ("switching on makes an item's own `ttl` count, from the `_ts` that it has", |step| {
            !changed(step)
                || on(&step.before)
                || step.after.items.iter().all(|(id, item)| {
                    own_s(item)
                        .is_none_or(|own| step.listed_after().contains(id) == (age(&step.before, item) < own))
                })
        }),
        ("switching on hides an item that has a `ttl` of its own", |step| {
            let hidden = |(id, item)| own_s(item).is_some() && !step.listed_after().contains(id);
            changed(step) && !on(&step.before) && step.after.items.iter().any(hidden)
        }),
    );
}

fn raising(book: &mut Book<Step>) {
    book.law(
        &["raising-extends"],
        ("raising the default hides no visible item", |step| {
            !raised(step) || step.listed_before().iter().all(|id| step.listed_after().contains(id))
        }),
        ("the default is raised over an item in its last second", |step| {
            let last = |item: &Item| {
                inherits(item) && default_s(&step.before) == Some(age(&step.before, item).saturating_add(1))
            };
            raised(step) && step.before.items.values().any(last)
        }),
    );
}

fn raised(step: &Step) -> bool {
    step.configured()
        && matches!((default_s(&step.before), default_s(&step.after)), (Some(before), Some(after)) if before < after)
}
