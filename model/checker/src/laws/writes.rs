//! What restarts the count, and what does not.

use super::super::book::Book;
use super::super::step::{Step, age};
use super::super::timeless::kept_content;
use cosmos_ttl_model::container::{Item, Operation, Request, Response};
use cosmos_ttl_model::rule::{ItemTtl, Wire};

pub(super) fn add(book: &mut Book<Step>) {
    book.section("writes");
    restarts(book);
    looks(book);
    new_ttl(book);
    batches(book);
}

/// The item after a successful operation of this kind, and as it was visible before, a second or more old.
fn rewritten(step: &Step, kind: fn(&Operation) -> bool) -> Option<(&Item, &Item)> {
    let old = step.living().filter(|old| age(&step.before, old) > 0)?;
    step.operation().filter(|did| kind(did))?;
    Some((old, step.written()?))
}

fn is_whole_write(did: &Operation) -> bool {
    matches!(did, Operation::Replace { .. } | Operation::Upsert(_))
}

fn is_patch(did: &Operation) -> bool {
    matches!(did, Operation::Patch { .. })
}

fn restarts(book: &mut Book<Step>) {
    book.law(
        &["write-restarts-count"],
        ("a replace or upsert of a visible item makes it as old as new", |step| {
            rewritten(step, is_whole_write).is_none_or(|(_, new)| new.ts == step.before.now)
        }),
        ("an item in its second second is written anew", |step| rewritten(step, is_whole_write).is_some()),
    );
    book.law(
        &["patch-restarts-count"],
        ("a patch of a visible item makes it as old as new", |step| {
            rewritten(step, is_patch).is_none_or(|(_, new)| new.ts == step.before.now)
        }),
        ("an item in its second second is patched", |step| rewritten(step, is_patch).is_some()),
    );
    book.law(
        &["identical-write-restarts-count"],
        ("a write that changes neither `ttl` nor content makes an item as old as new all the same", |step| {
            identical(step).is_none_or(|new| new.ts == step.before.now)
        }),
        ("an item in its second second is written again as it is", |step| identical(step).is_some()),
    );
}

fn identical(step: &Step) -> Option<&Item> {
    let (old, new) = rewritten(step, |_| true)?;
    (old.ttl == new.ttl && old.content == new.content).then_some(new)
}

fn looks(book: &mut Book<Step>) {
    book.law(
        &["read-does-not-restart"],
        ("a read, a query and a count change nothing", |step| !is_look(step) || step.changed_nothing()),
        ("an item in its second second is read", |step| {
            matches!(step.operation(), Some(Operation::Read(_)))
                && step.living().is_some_and(|item| age(&step.before, item) > 0)
        }),
    );
}

fn is_look(step: &Step) -> bool {
    use super::super::step::Move;
    matches!(step.did, Move::Ask(Request::Item(Operation::Read(_)) | Request::Query | Request::Count))
}

fn new_ttl(book: &mut Book<Step>) {
    book.law(
        &["changed-ttl-counts-from-that-write"],
        ("a write that sets `ttl` n stores n and counts from now", |step| {
            match (step.sent_ttl(), step.written()) {
                (Some(Wire::Whole(sent)), Some(new)) if (1..=2_147_483_647).contains(&sent) => {
                    super::super::step::own_s(new) == Some(sent) && new.ts == step.before.now
                }
                (Some(Wire::Whole(-1)), Some(new)) => new.ttl == ItemTtl::Never && new.ts == step.before.now,
                _ => true,
            }
        }),
        ("an item in its second second gets another `ttl`", |step| {
            rewritten(step, |_| true)
                .is_some_and(|(old, new)| old.ttl != new.ttl && new.ttl != ItemTtl::Inherit)
        }),
    );
    book.law(
        &["removed-ttl-inherits"],
        ("a write that leaves `ttl` out, or a patch that removes it, stores none", |step| {
            step.sent_ttl() != Some(Wire::Absent)
                || step.written().is_none_or(|new| new.ttl == ItemTtl::Inherit)
        }),
        ("an item that had a `ttl` loses it", |step| {
            rewritten(step, |_| true)
                .is_some_and(|(old, new)| old.ttl != new.ttl && new.ttl == ItemTtl::Inherit)
        }),
    );
    book.law(
        &["patch-restarts-count"],
        ("a patch that does not touch `ttl` or content leaves that as it was", |step| {
            let Some(Operation::Patch { ttl, content, .. }) = step.operation() else { return true };
            let (Some(old), Some(new)) = (step.target(), step.written()) else { return true };
            let keeps_ttl = *ttl != cosmos_ttl_model::container::TtlChange::Keep || new.ttl == old.ttl;
            keeps_ttl && new.content == content.unwrap_or(old.content)
        }),
        ("a patch keeps a `ttl` of the item's own", |step| {
            let kept = |new: &Item| new.ttl != ItemTtl::Inherit && step.sent_ttl().is_none();
            step.operation().is_some_and(is_patch) && step.written().is_some_and(kept)
        }),
    );
}

fn batches(book: &mut Book<Step>) {
    book.law(
        &["batch-shares-one-ts"],
        ("all writes of one batch bear the `_ts` of now", |step| {
            let Some(Response::Committed(answers)) = &step.answer else { return true };
            answers.iter().all(|answer| match answer {
                Response::Created(item) | Response::Ok(item) => item.ts == step.before.now,
                _ => true,
            })
        }),
        ("a batch of two writes commits over an older item", |step| {
            let two = |answers: &[Response]| {
                answers
                    .iter()
                    .filter(|answer| matches!(answer, Response::Created(_) | Response::Ok(_)))
                    .count()
                    == 2
            };
            matches!(&step.answer, Some(Response::Committed(answers)) if two(answers))
                && step.before.items.values().any(|item| age(&step.before, item) > 0)
        }),
    );
    book.law(
        &["batch-shares-one-ts", "item-rejected-stores-nothing"],
        ("a batch of which one operation is refused changes nothing", |step| {
            !matches!(step.answer, Some(Response::Aborted { .. })) || step.changed_nothing()
        }),
        ("a batch is refused for its second operation, after a good first one", |step| {
            matches!(step.answer, Some(Response::Aborted { at: 1, .. }))
        }),
    );
    book.law(
        &["read-does-not-restart"],
        ("what a read returns is what is stored", |step| match (&step.answer, step.target()) {
            (Some(Response::Found(found)), Some(stored)) => found == stored,
            (Some(Response::Found(_)), None) => false,
            _ => true,
        }),
        ("a read returns the content that was stored", |step| {
            let Some(Operation::Read(id)) = step.operation() else { return false };
            matches!(&step.answer, Some(Response::Found(found)) if found.content == kept_content(*id))
        }),
    );
}
