//! Physical removal in the background.

use super::super::book::Book;
use super::super::step::{Change, Move, Step, age, gone, on, own_s};

pub(super) fn add(book: &mut Book<Step>) {
    book.section("purge");
    book.only(Step::is_unasked, takes_one);
    deletes(book);
    book.only(Step::is_unasked, |book| {
        unseen(book);
        waits(book);
    });
}

fn takes_one(book: &mut Book<Step>) {
    book.law(
        &["purge-only-expired"],
        (
            "the background removes only what is gone under the settings of this moment, and that alone",
            |step| {
                let Move::Remove(id) = step.did else { return true };
                let old = step.before.items.get(&id).copied();
                let alone = [Change { id, old, new: None }];
                old.is_some_and(|item| gone(&step.before, &item))
                    && *step.changes() == alone
                    && step.before.settings == step.after.settings
            },
        ),
        ("the background removes one item and leaves nothing else to see", |step| {
            matches!(step.did, Move::Remove(_)) && step.after.items.is_empty()
        }),
    );
}

fn deletes(book: &mut Book<Step>) {
    book.law(
        &["purge-only-expired"],
        ("nothing but a delete takes a visible item out of store", |step| {
            step.changes().iter().filter(|change| change.new.is_none()).all(|change| {
                change.old.is_none_or(|old| gone(&step.before, &old)) || step.deletes(change.id)
            })
        }),
        ("a delete takes a visible item out of store", |step| {
            step.living().is_some() && step.after.items.len() < step.before.items.len()
        }),
    );
}

fn unseen(book: &mut Book<Step>) {
    book.law(
        &["purge-invisible"],
        ("a removal changes no list", |step| {
            !matches!(step.did, Move::Remove(_)) || step.listed_before() == step.listed_after()
        }),
        ("an item is removed that was hidden already", |step| matches!(step.did, Move::Remove(_))),
    );
}

fn waits(book: &mut Book<Step>) {
    book.law(
        &["off-stops-purge"],
        ("nothing is removed while the container is off", |step| {
            !matches!(step.did, Move::Remove(_)) || on(&step.before)
        }),
        ("an item outlives its own `ttl` in store while the container is off", |step| {
            let outlived = |item| own_s(item).is_some_and(|own| age(&step.before, item) >= own);
            step.did == Move::Pass && !on(&step.before) && step.before.items.values().any(outlived)
        }),
    );
    book.law(
        &["purge-may-wait"],
        ("a second that passes takes nothing out of store", |step| {
            step.did != Move::Pass || step.before.items.keys().eq(step.after.items.keys())
        }),
        ("an item is still stored a second after its deadline", |step| {
            step.did == Move::Pass && step.before.items.values().any(|item| gone(&step.before, item))
        }),
    );
}
