//! What the documents leave open: each choice is lived up to, and reached.

use super::super::book::Book;
use super::super::step::{Step, age, gone, on, own_s};
use super::domain::{left_unset, overrode, refused, right, wrong};
use cosmos_ttl_model::container::{Operation, Refusal, Response, Rules};
use cosmos_ttl_model::interpretation::{
    Aggregates, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, InvalidWhileOff,
};
use cosmos_ttl_model::rule::{Edition, Wire};

pub(super) fn add(book: &mut Book<Step>, rules: Rules) {
    let choices = rules.interpretation;
    book.section("expired");
    aggregates(book, choices.aggregates);
    match choices.expired_upsert {
        ExpiredUpsert::Created => {}
        ExpiredUpsert::Replaced => book.sight(
            &["expired-upsert-status"],
            ("an upsert answers ok for an expired item that is still stored", |step| {
                step.ghost().is_some()
                    && matches!(step.operation(), Some(Operation::Upsert(_)))
                    && matches!(step.answer, Some(Response::Ok(_)))
            }),
        ),
    }
    let wanted: fn(&Step) -> bool = match choices.expired_precondition {
        ExpiredPrecondition::NotFound => |step| conditional_met(step, Refusal::NotFound),
        ExpiredPrecondition::PreconditionFailed => |step| conditional_met(step, Refusal::PreconditionFailed),
    };
    book.sight(
        &["expired-precondition"],
        ("a conditional write of an expired item is refused as chosen", wanted),
    );
    domain(book, rules);
}

fn conditional_met(step: &Step, refusal: Refusal) -> bool {
    let conditional = matches!(step.operation(), Some(Operation::Delete { if_match: Some(_), .. }));
    conditional && step.ghost().is_some() && step.refusal() == Some(refusal)
}

/// How many items a count may report: from those that are visible to all that are stored.
fn bounds(step: &Step) -> (usize, usize) {
    let visible = step.before.items.values().filter(|item| !gone(&step.before, item)).count();
    (visible, step.before.items.len())
}

fn aggregates(book: &mut Book<Step>, choice: Aggregates) {
    let clauses = &["expired-in-aggregates"];
    match choice {
        Aggregates::Excluded => book.law(
            clauses,
            (
                "a count counts the visible items",
                |step| !matches!(step.answer, Some(Response::Count(count)) if count != bounds(step).0),
            ),
            (
                "a count leaves out an expired item that is still stored",
                |step| matches!(step.answer, Some(Response::Count(count)) if count < bounds(step).1),
            ),
        ),
        Aggregates::Counted => book.law(
            clauses,
            ("a count counts no fewer than the visible and no more than the stored items", |step| {
                let (visible, stored) = bounds(step);
                !matches!(step.answer, Some(Response::Count(count)) if count < visible || stored < count)
            }),
            (
                "a count counts an expired item that is still stored",
                |step| matches!(step.answer, Some(Response::Count(count)) if bounds(step).0 < count),
            ),
        ),
    }
}

fn domain(book: &mut Book<Step>, rules: Rules) {
    let choices = rules.interpretation;
    book.section("domain");
    fractions(book, choices.integral_fraction);
    while_off(book, choices.invalid_while_off);
}

fn fractions(book: &mut Book<Step>, choice: IntegralFraction) {
    let clauses = &["item-integral-fraction"];
    match choice {
        IntegralFraction::Accepted => book.law(
            clauses,
            ("a `ttl` of 1.0 is never a bad request, and is stored as 1 second from now", |step| {
                fraction_sent(step).is_none_or(|number| {
                    !refused(step) && (step.refusal().is_some() || stored_as(step, number))
                })
            }),
            ("a `ttl` of 1.0 replaces another", |step| {
                fraction_sent(step).is_some() && overrode(step) && step.written().is_some()
            }),
        ),
        IntegralFraction::Rejected => book.law(
            clauses,
            ("while the container is on, a `ttl` of 1.0 is a bad request, whatever is stored", |step| {
                !on(&step.before) || fraction_sent(step).is_none() || refused(step)
            }),
            ("a `ttl` of 1.0 is refused where a visible item is stored", |step| {
                fraction_sent(step).is_some() && refused(step) && step.living().is_some()
            }),
        ),
    }
}

fn while_off(book: &mut Book<Step>, choice: InvalidWhileOff) {
    let clauses = &["item-invalid-while-off"];
    match choice {
        InvalidWhileOff::Rejected => book.law(
            clauses,
            (
                "while the container is off, a `ttl` that is no setting is a bad request, whatever is stored",
                |step| !nonsense_while_off(step) || refused(step),
            ),
            ("a `ttl` of 0 is refused while the container is off and a visible item is stored", |step| {
                zero_while_off(step) && refused(step) && step.living().is_some()
            }),
        ),
        InvalidWhileOff::Stored => book.law(
            clauses,
            (
                "while the container is off, a `ttl` that is no setting is never a bad request, \
                 and leaves the item without one of its own",
                |step| {
                    !nonsense_while_off(step)
                        || !refused(step) && (step.refusal().is_some() || left_unset(step))
                },
            ),
            ("a `ttl` of 0, sent while the container is off, takes that of an item away", |step| {
                zero_while_off(step) && overrode(step) && left_unset(step)
            }),
        ),
    }
}

/// The number of seconds that was sent as `ttl`, written as a fraction.
fn fraction_sent(step: &Step) -> Option<i64> {
    match step.sent_ttl()? {
        Wire::WholeAsFraction(number) if number > 0 && right(Wire::Whole(number)) => Some(number),
        _ => None,
    }
}

/// Whether the item is stored now, written in this second, to live so many seconds.
fn stored_as(step: &Step, seconds: i64) -> bool {
    step.outcome().is_some_and(|item| own_s(item) == Some(seconds) && age(&step.after, item) == 0)
}

/// Whether a `ttl` was sent, while the container is off, that would be refused if it were on.
fn nonsense_while_off(step: &Step) -> bool {
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

fn zero_while_off(step: &Step) -> bool {
    !on(&step.before) && step.sent_ttl() == Some(Wire::Whole(0))
}
