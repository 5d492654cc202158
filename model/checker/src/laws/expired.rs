//! What a client sees of an expired item that is still stored, and of one that is not stored at all.

use super::super::book::Book;
use super::super::step::{Step, age, gone, named};
use cosmos_ttl_model::container::{Item, Operation, Refusal, Response};
use cosmos_ttl_model::rule::{ItemTtl, Wire};

pub(super) fn add(book: &mut Book<Step>) {
    book.section("expired");
    book.law(
        &["expired-read-not-found"],
        ("a read of an item that is gone answers not found", |step| {
            !is_read(step) || step.living().is_some() || step.refusal() == Some(Refusal::NotFound)
        }),
        ("a read meets an expired item that is still stored", |step| is_read(step) && step.ghost().is_some()),
    );
    book.law(
        &["expired-not-in-queries"],
        ("no query lists an item that is gone", |step| match &step.answer {
            Some(Response::Ids(ids)) => {
                ids.iter().all(|id| step.before.items.get(id).is_some_and(|item| !gone(&step.before, item)))
            }
            _ => true,
        }),
        (
            "a query leaves out an expired item that is still stored",
            |step| matches!(&step.answer, Some(Response::Ids(ids)) if ids.len() < step.before.items.len()),
        ),
    );
    refusals(book);
    creations(book);
    book.law(
        &["no-write-revives"],
        ("while the settings stand, only a create or an upsert makes an id visible that was not", |step| {
            step.before.settings != step.after.settings
                || step.listed_after().iter().all(|id| step.listed_before().contains(id) || step.makes(*id))
        }),
        ("a replace of an expired item that is still stored comes to nothing", |step| {
            matches!(step.operation(), Some(Operation::Replace { .. }))
                && step.ghost().is_some()
                && step.changed_nothing()
        }),
    );
}

fn is_read(step: &Step) -> bool {
    matches!(step.operation(), Some(Operation::Read(_)))
}

fn unconditional(step: &Step) -> bool {
    match step.operation() {
        Some(
            Operation::Replace { if_match, .. }
            | Operation::Patch { if_match, .. }
            | Operation::Delete { if_match, .. },
        ) => if_match.is_none(),
        _ => false,
    }
}

/// Whether an unconditional write of something that is gone, with nothing wrong about it, is answered with not found.
fn not_found(step: &Step, kind: fn(&Operation) -> bool) -> bool {
    let concerned = step.operation().is_some_and(kind) && unconditional(step) && step.living().is_none();
    !concerned || matches!(step.refusal(), Some(Refusal::NotFound | Refusal::BadRequest))
}

/// Whether such a write meets an expired item that is still stored.
fn met(step: &Step, kind: fn(&Operation) -> bool) -> bool {
    step.operation().is_some_and(kind)
        && unconditional(step)
        && step.ghost().is_some()
        && step.refusal() == Some(Refusal::NotFound)
}

fn refusals(book: &mut Book<Step>) {
    book.law(
        &["expired-replace-not-found"],
        ("a replace of an item that is gone answers not found", |step| {
            not_found(step, |did| matches!(did, Operation::Replace { .. }))
        }),
        ("a replace meets an expired item that is still stored", |step| {
            met(step, |did| matches!(did, Operation::Replace { .. }))
        }),
    );
    book.law(
        &["expired-patch-not-found"],
        ("a patch of an item that is gone answers not found", |step| {
            not_found(step, |did| matches!(did, Operation::Patch { .. }))
        }),
        ("a patch meets an expired item that is still stored", |step| {
            met(step, |did| matches!(did, Operation::Patch { .. }))
        }),
    );
    book.law(
        &["expired-delete-not-found"],
        ("a delete of an item that is gone answers not found", |step| {
            not_found(step, |did| matches!(did, Operation::Delete { .. }))
        }),
        ("a delete meets an expired item that is still stored", |step| {
            met(step, |did| matches!(did, Operation::Delete { .. }))
        }),
    );
    book.law(
        &["expired-precondition"],
        ("a conditional write of an item that is gone never succeeds", |step| {
            !is_conditional(step) || step.living().is_some() || step.refusal().is_some()
        }),
        ("a conditional write names the right etag of an expired item that is still stored", |step| {
            names_its_etag(step) && step.ghost().is_some()
        }),
    );
    book.law(
        &["expired-precondition"],
        ("a conditional write of a visible item succeeds exactly with its etag", |step| {
            !is_conditional(step)
                || step.living().is_none()
                || (step.refusal() == Some(Refusal::PreconditionFailed)) != names_its_etag(step)
        }),
        ("a conditional write is refused for its etag", |step| {
            step.refusal() == Some(Refusal::PreconditionFailed) && step.living().is_some()
        }),
    );
}

fn if_match(step: &Step) -> Option<cosmos_ttl_model::container::Etag> {
    match step.operation()? {
        Operation::Replace { if_match, .. }
        | Operation::Patch { if_match, .. }
        | Operation::Delete { if_match, .. } => *if_match,
        Operation::Create(_) | Operation::Upsert(_) | Operation::Read(_) => None,
    }
}

fn is_conditional(step: &Step) -> bool {
    if_match(step).is_some()
}

fn names_its_etag(step: &Step) -> bool {
    if_match(step).is_some() && if_match(step) == step.target().map(|item| item.etag)
}

/// Whether what is now stored under the id is what was sent, of now, and nothing of what was there.
fn made_anew(step: &Step, new: &Item) -> bool {
    let stored = step.operation().and_then(|did| step.after.items.get(&named(did)));
    let content = match step.operation() {
        Some(Operation::Create(draft) | Operation::Upsert(draft)) => Some(draft.content),
        _ => None,
    };
    let no_old_ttl = step.sent_ttl() != Some(Wire::Absent) || new.ttl == ItemTtl::Inherit;
    no_old_ttl
        && stored == Some(new)
        && content == Some(new.content)
        && age(&step.after, new) == 0
        && step.target().is_none_or(|old| old.etag != new.etag)
}

fn creations(book: &mut Book<Step>) {
    book.law(
        &["expired-id-is-free"],
        (
            "a create makes a new item exactly where none is visible, and keeps nothing of an old one",
            |step| match (step.operation(), &step.answer) {
                (Some(Operation::Create(_)), Some(Response::Created(new))) => {
                    step.living().is_none() && made_anew(step, new)
                }
                (Some(Operation::Create(_)), Some(Response::Refused(Refusal::Conflict))) => {
                    step.living().is_some()
                }
                (Some(Operation::Create(_)), Some(Response::Refused(Refusal::BadRequest))) => true,
                (Some(Operation::Create(_)), _) => false,
                _ => true,
            },
        ),
        ("a create takes the id of an expired item that is still stored", |step| {
            matches!(step.operation(), Some(Operation::Create(_)))
                && step.ghost().is_some()
                && step.written().is_some()
        }),
    );
    book.law(
        &["expired-upsert-creates"],
        ("an upsert stores what was sent, and keeps nothing of an item that is gone", |step| {
            !matches!(step.operation(), Some(Operation::Upsert(_)))
                || step.refusal() == Some(Refusal::BadRequest)
                || step.written().is_some_and(|new| made_anew(step, new))
        }),
        ("an upsert takes the id of an expired item that is still stored", |step| {
            matches!(step.operation(), Some(Operation::Upsert(_)))
                && step.ghost().is_some()
                && step.written().is_some()
        }),
    );
    book.law(
        &["expired-upsert-status"],
        (
            "an upsert answers created where nothing is stored, and ok where an item is visible",
            |step| match (step.operation(), &step.answer) {
                (Some(Operation::Upsert(_)), Some(Response::Created(_))) => step.living().is_none(),
                (Some(Operation::Upsert(_)), Some(Response::Ok(_))) => step.target().is_some(),
                _ => true,
            },
        ),
        ("an upsert replaces a visible item", |step| {
            matches!((step.operation(), &step.answer), (Some(Operation::Upsert(_)), Some(Response::Ok(_))))
                && step.living().is_some()
        }),
    );
}
