//! Which values are settings at all.

use super::super::book::Book;
use super::super::step::{Step, age, gone, on};
use cosmos_ttl_model::container::{Operation, Refusal, Rules};
use cosmos_ttl_model::interpretation::ContainerNull;
use cosmos_ttl_model::rule::{DefaultTtl, Edition, ItemTtl, Wire};

pub(super) fn add(book: &mut Book<Step>, rules: Rules) {
    book.section("domain");
    defaults(book);
    items(book);
    nulls(book, rules.edition);
    default_nulls(book, rules.interpretation.container_null);
}

/// Whether what was sent as `ttl` is a number that is no setting, or no whole number at all.
pub(super) fn wrong(wire: Wire) -> bool {
    match wire {
        Wire::Whole(number) => number != -1 && !(1..=2_147_483_647).contains(&number),
        Wire::NoNumber => true,
        Wire::Absent | Wire::Null | Wire::WholeAsFraction(_) => false,
    }
}

pub(super) fn right(wire: Wire) -> bool {
    matches!(wire, Wire::Absent | Wire::Whole(_)) && !wrong(wire)
}

pub(super) fn refused(step: &Step) -> bool {
    step.refusal() == Some(Refusal::BadRequest)
}

fn defaults(book: &mut Book<Step>) {
    book.law(
        &[
            "container-zero-rejected",
            "container-below-minus-one-rejected",
            "container-above-maximum-rejected",
            "container-not-an-integer-rejected",
        ],
        ("a `defaultTtl` of 0, -2, 2147483648 or text is a bad request", |step| {
            step.draft().is_none_or(|draft| !wrong(draft.default_ttl) || refused(step))
        }),
        ("a wrong `defaultTtl` is refused while an item is expired", |step| {
            let expired = step.before.items.values().any(|item| gone(&step.before, item));
            step.draft().is_some() && refused(step) && expired
        }),
    );
    book.law(
        &["container-seconds-range", "container-minus-one-is-on-without-default", "container-absent-is-off"],
        ("a `defaultTtl` that is absent, -1 or a number of seconds is taken as it is", |step| {
            step.draft().filter(|draft| right(draft.default_ttl)).is_none_or(|draft| {
                let taken = match step.after.settings.default_ttl {
                    DefaultTtl::Off => Wire::Absent,
                    DefaultTtl::NoDefault => Wire::Whole(-1),
                    DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
                };
                step.configured() && taken == draft.default_ttl
            })
        }),
        ("`defaultTtl` becomes -1 where it was absent", |step| {
            !on(&step.before) && step.after.settings.default_ttl == DefaultTtl::NoDefault
        }),
    );
    book.law(
        &["container-rejected-leaves-container"],
        ("a refused setting leaves the container and its items as they were", |step| {
            step.draft().is_none() || step.configured() || step.changed_nothing()
        }),
        ("a setting is refused while items are stored", |step| {
            step.draft().is_some() && refused(step) && !step.before.items.is_empty()
        }),
    );
}

fn items(book: &mut Book<Step>) {
    book.law(
        &[
            "item-zero-rejected",
            "item-below-minus-one-rejected",
            "item-above-maximum-rejected",
            "item-not-an-integer-rejected",
        ],
        ("while the container is on, a `ttl` of 0, -2, 2147483648 or text is a bad request, whatever is stored", |step| {
            let wrong = on(&step.before) && step.sent_ttl().is_some_and(wrong);
            !wrong || refused(step)
        }),
        ("a wrong `ttl` is refused where a visible item of that id is stored", |step| {
            step.sent_ttl().is_some_and(wrong) && refused(step) && step.living().is_some()
        }),
    );
    book.law(
        &["item-seconds-range", "item-minus-one-allowed", "item-absent-inherits"],
        ("a `ttl` that is absent, -1 or a number of seconds is never a bad request", |step| {
            !(step.sent_ttl().is_some_and(right) && refused(step))
        }),
        ("a `ttl` is written while the container is off", |step| {
            !on(&step.before) && step.sent_ttl() == Some(Wire::Whole(1)) && step.written().is_some()
        }),
    );
    book.law(
        &["item-rejected-stores-nothing", "failed-write-does-not-restart"],
        ("a request that is refused, for whatever reason, changes nothing", |step| {
            step.refusal().is_none() || step.changed_nothing()
        }),
        ("a write is refused where a visible item, written earlier, is stored", |step| {
            step.refusal().is_some() && step.living().is_some_and(|item| age(&step.before, item) > 0)
        }),
    );
}

fn nulls(book: &mut Book<Step>, edition: Edition) {
    match edition {
        Edition::Y2024 => book.law(
            &["item-null-rejected"],
            ("while the container is on, a `ttl` of null is a bad request", |step| {
                !(on(&step.before) && step.sent_ttl() == Some(Wire::Null)) || refused(step)
            }),
            ("null is refused where a visible item is stored", |step| {
                step.sent_ttl() == Some(Wire::Null) && refused(step) && step.living().is_some()
            }),
        ),
        Edition::Y2020 => null_inherits(book),
    }
}

fn default_nulls(book: &mut Book<Step>, choice: ContainerNull) {
    let clauses = &["container-null-is-off"];
    match choice {
        ContainerNull::Off => book.law(
            clauses,
            ("a `defaultTtl` of null switches the container off, whatever it was", |step| {
                !null_default(step) || step.configured() && !on(&step.after)
            }),
            ("a `defaultTtl` of null brings an expired item back", |step| {
                let expired = step.before.items.values().any(|item| gone(&step.before, item));
                null_default(step) && step.configured() && expired && !on(&step.after)
            }),
        ),
        ContainerNull::Rejected => book.law(
            clauses,
            ("a `defaultTtl` of null is a bad request, whatever it was", |step| {
                !null_default(step) || refused(step)
            }),
            ("a `defaultTtl` of null is refused while an item is stored", |step| {
                null_default(step) && refused(step) && !step.before.items.is_empty()
            }),
        ),
    }
}

fn null_default(step: &Step) -> bool {
    step.draft().is_some_and(|draft| draft.default_ttl == Wire::Null)
}

fn null_inherits(book: &mut Book<Step>) {
    book.law(
        &["item-null-inherits"],
        ("in the documents of 2020, a `ttl` of null is never a bad request", |step| {
            !(step.sent_ttl() == Some(Wire::Null) && refused(step))
        }),
        ("null is stored as an absent `ttl`", |step| {
            step.sent_ttl() == Some(Wire::Null)
                && step.written().is_some_and(|item| item.ttl == ItemTtl::Inherit)
        }),
    );
    book.law(
        &["item-null-inherits"],
        ("in the documents of 2020, a write of null leaves the item without a `ttl` of its own", |step| {
            step.sent_ttl() != Some(Wire::Null) || step.refusal().is_some() || left_unset(step)
        }),
        ("a patch to null takes the `ttl` of an item away", |step| {
            let patched = matches!(step.operation(), Some(Operation::Patch { .. }));
            patched && step.sent_ttl() == Some(Wire::Null) && overrode(step) && left_unset(step)
        }),
    );
}

/// Whether the item is stored now, written in this second, with no setting of its own.
pub(super) fn left_unset(step: &Step) -> bool {
    step.outcome().is_some_and(|item| item.ttl == ItemTtl::Inherit && age(&step.after, item) == 0)
}

/// Whether the item that the one operation is about had a setting of its own.
pub(super) fn overrode(step: &Step) -> bool {
    step.living().is_some_and(|item| item.ttl != ItemTtl::Inherit)
}
