//! What the documents leave open: each choice is lived up to, and reached.

use super::super::book::Book;
use super::super::step::{Step, gone, on};
use crate::container::{Operation, Refusal, Response, Rules};
use crate::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, InvalidWhileOff,
};
use crate::rule::{ItemTtl, Wire};

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
    let fraction: fn(&Step) -> bool = match choices.integral_fraction {
        IntegralFraction::Accepted => |step| fraction_sent(step) && step.written().is_some(),
        IntegralFraction::Rejected => {
            |step| fraction_sent(step) && step.refusal() == Some(Refusal::BadRequest)
        }
    };
    book.sight(&["item-integral-fraction"], ("a `ttl` of 1.0 is answered as chosen", fraction));
    let while_off: fn(&Step) -> bool = match choices.invalid_while_off {
        InvalidWhileOff::Rejected => {
            |step| zero_while_off(step) && step.refusal() == Some(Refusal::BadRequest)
        }
        InvalidWhileOff::Stored => {
            |step| zero_while_off(step) && step.written().is_some_and(|item| item.ttl == ItemTtl::Inherit)
        }
    };
    book.sight(
        &["item-invalid-while-off"],
        ("a `ttl` of 0 while the container is off is answered as chosen", while_off),
    );
    let null: fn(&Step) -> bool = match choices.container_null {
        ContainerNull::Off => {
            |step| null_default(step) && step.configured() && on(&step.before) && !on(&step.after)
        }
        ContainerNull::Rejected => |step| null_default(step) && step.refusal() == Some(Refusal::BadRequest),
    };
    book.sight(&["container-null-is-off"], ("a `defaultTtl` of null is answered as chosen", null));
}

fn fraction_sent(step: &Step) -> bool {
    on(&step.before) && matches!(step.sent_ttl(), Some(Wire::WholeAsFraction(_)))
}

fn zero_while_off(step: &Step) -> bool {
    !on(&step.before) && step.sent_ttl() == Some(Wire::Whole(0))
}

fn null_default(step: &Step) -> bool {
    step.draft().is_some_and(|draft| draft.default_ttl == Wire::Null)
}
