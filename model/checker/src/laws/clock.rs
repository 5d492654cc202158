//! From which instant, to which instant.

use super::super::book::Book;
use super::super::step::{Move, Step, age, default_s, on, own_s};
use cosmos_ttl_model::container::{Item, World};
use cosmos_ttl_model::rule::ItemTtl;

pub(super) fn add(book: &mut Book<Step>) {
    book.section("clock");
    book.only(Step::looks, deadline);
    lists(book);
    timestamps(book);
}

/// The number of seconds that applies to an item, if one does.
fn applies_s(world: &World, item: &Item) -> Option<i64> {
    match item.ttl {
        _ if !on(world) => None,
        ItemTtl::Inherit => default_s(world),
        ItemTtl::Never | ItemTtl::Seconds(_) => own_s(item),
    }
}

fn deadline(book: &mut Book<Step>) {
    book.law(
        &["gone-at-deadline", "hidden-immediately"],
        (
            "no answer shows an item whose age has reached the seconds that apply to it, removed or not",
            |step| {
                step.every_look(
                    |world, item| applies_s(world, item).is_some_and(|s| age(world, item) >= s),
                    |_, _| false,
                )
            },
        ),
        ("a stored item is not shown in the very second of its deadline", |step| {
            step.some_look(false, |world, item| applies_s(world, item) == Some(age(world, item)))
        }),
    );
    book.law(
        &["visible-before-deadline"],
        ("every answer shows an item whose age is below the seconds that apply to it", |step| {
            step.every_look(
                |world, item| applies_s(world, item).is_some_and(|s| age(world, item) < s),
                |_, _| true,
            )
        }),
        ("an item is shown in its last second", |step| {
            step.some_look(true, |world, item| {
                applies_s(world, item) == Some(age(world, item).saturating_add(1))
            })
        }),
    );
}

fn lists(book: &mut Book<Step>) {
    book.law(
        &["gone-at-deadline", "visible-before-deadline"],
        (
            "a query, before the step and after it, lists the stored items that are not gone, and no other",
            Step::lists_rightly,
        ),
        ("a second passes and takes an item out of the list", |step| {
            step.did == Move::Pass && step.listed_after().len() < step.listed_before().len()
        }),
    );
}

fn timestamps(book: &mut Book<Step>) {
    book.law(
        &["counted-from-last-write", "server-sets-ts"],
        ("a write that succeeds answers with the `_ts` of now and an etag that no item had, and so it is stored", |step| {
            step.written().is_none_or(|item| {
                let fresh = step.before.items.values().all(|old| old.etag != item.etag);
                let stored = step.operation().and_then(|did| step.after.items.get(&super::super::step::named(did)));
                item.ts == step.before.now && fresh && stored == Some(item)
            })
        }),
        ("a write succeeds where an older item was stored", |step| {
            step.written().is_some() && step.target().is_some_and(|old| age(&step.before, old) > 0)
        }),
    );
    book.law(
        &["counted-from-last-write"],
        ("no step changes an item that it does not name", |step| {
            step.changes()
                .iter()
                .all(|change| change.old.is_none() || change.new.is_none() || step.names(change.id))
        }),
        ("a step that names no item leaves an old one as it is", |step| {
            step.did == Move::Pass && step.before.items.values().any(|item| age(&step.before, item) > 0)
        }),
    );
    book.law(
        &["ts-never-decreases"],
        ("no item's `_ts` goes back, and neither does the clock", |step| {
            step.before.now <= step.after.now
                && step.changes().iter().all(|change| match (change.old, change.new) {
                    (Some(old), Some(new)) => old.ts <= new.ts,
                    _ => true,
                })
        }),
        ("an item's `_ts` goes forward", |step| {
            step.changes().iter().any(|change| match (change.old, change.new) {
                (Some(old), Some(new)) => old.ts < new.ts,
                _ => false,
            })
        }),
    );
    book.law(
        &["counted-from-last-write"],
        ("a second that passes makes every item a second older", |step| {
            step.did != Move::Pass
                || step.before.items.iter().all(|(id, old)| {
                    let older = age(&step.before, old).saturating_add(1);
                    step.after.items.get(id).is_some_and(|new| age(&step.after, new) == older)
                })
        }),
        ("an item reaches the age of two seconds", |step| {
            step.after.items.values().any(|item| age(&step.after, item) == 2)
        }),
    );
}
