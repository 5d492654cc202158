//! The three-by-three matrix, cell by cell: each cell says when an item is shown in terms of that cell alone.

use super::super::book::Book;
use super::super::step::{Step, age, default_s, on, own_s};
use cosmos_ttl_model::container::{Item, World};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};

pub(super) fn add(book: &mut Book<Step>) {
    book.section("lifetime");
    book.only(Step::looks, |book| {
        off_and_never(book);
        seconds(book);
        no_default(book);
    });
    book.law(
        &["inherited-ttl-not-written-back"],
        ("what is stored without a `ttl` stays without, and a `ttl` stays as it was, until a client writes the item", |step| {
            step.changes().iter().all(|change| match (change.old, change.new) {
                (Some(old), Some(new)) => new.ttl == old.ttl || step.names(change.id),
                _ => true,
            })
        }),
        ("an item without a `ttl` is shown while there is a default", |step| {
            step.some_look(true, |world, item| inherits(item) && default_s(world).is_some())
        }),
    );
}

fn inherits(item: &Item) -> bool {
    item.ttl == ItemTtl::Inherit
}

fn never(item: &Item) -> bool {
    item.ttl == ItemTtl::Never
}

fn no_default_set(world: &World) -> bool {
    world.settings.default_ttl == DefaultTtl::NoDefault
}

fn off_and_never(book: &mut Book<Step>) {
    book.law(
        &["off-never-expires"],
        ("while the container is off, every stored item is found and listed", |step| {
            step.every_look(|world, _| !on(world), |_, _| true)
        }),
        ("an item whose age has reached its own `ttl` is shown because the container is off", |step| {
            step.some_look(true, |world, item| {
                !on(world) && own_s(item).is_some_and(|own| age(world, item) >= own)
            })
        }),
    );
    book.law(
        &["item-minus-one-overrides"],
        ("while the container is on, an item with `ttl` -1 is found and listed", |step| {
            step.every_look(|world, item| on(world) && never(item), |_, _| true)
        }),
        ("an item with `ttl` -1 is shown although its age has reached the default", |step| {
            step.some_look(true, |world, item| {
                never(item) && default_s(world).is_some_and(|default| age(world, item) >= default)
            })
        }),
    );
}

fn seconds(book: &mut Book<Step>) {
    book.law(
        &["item-seconds-override"],
        (
            "while the container is on, an item with `ttl` n is shown exactly while its age is below n",
            |step| {
                step.every_look(
                    |world, item| on(world) && own_s(item).is_some(),
                    |world, item| own_s(item).is_some_and(|own| age(world, item) < own),
                )
            },
        ),
        ("an item with a `ttl` of its own outlives a shorter default", |step| {
            step.some_look(true, |world, item| {
                own_s(item).is_some() && default_s(world).is_some_and(|default| default <= age(world, item))
            })
        }),
    );
    book.sight(
        &["item-seconds-override"],
        ("an item with a `ttl` of its own is gone before a longer default", |step| {
            step.some_look(false, |world, item| {
                own_s(item).is_some() && default_s(world).is_some_and(|default| age(world, item) < default)
            })
        }),
    );
    book.law(
        &["item-inherits-seconds"],
        ("while the default is n, an item without `ttl` is shown exactly while its age is below n", |step| {
            step.every_look(
                |world, item| inherits(item) && default_s(world).is_some(),
                |world, item| default_s(world).is_some_and(|default| age(world, item) < default),
            )
        }),
        ("an item without `ttl` is stored and not shown", |step| {
            step.some_look(false, |_, item| inherits(item))
        }),
    );
}

fn no_default(book: &mut Book<Step>) {
    book.law(
        &["item-inherits-no-default"],
        ("while the default is -1, an item without `ttl` is found and listed", |step| {
            step.every_look(|world, item| no_default_set(world) && inherits(item), |_, _| true)
        }),
        ("an item without `ttl` grows old under a default of -1", |step| {
            step.some_look(true, |world, item| {
                no_default_set(world) && inherits(item) && age(world, item) > 1
            })
        }),
    );
    book.sight(
        &["item-seconds-override", "container-minus-one-is-on-without-default"],
        ("an item with a `ttl` of its own is gone under a default of -1", |step| {
            step.some_look(false, |world, item| no_default_set(world) && own_s(item).is_some())
        }),
    );
}
