//! What writes do, and what a client sees of an expired item or of one that is not stored.

use crate::age_abstraction::kept_content;
use crate::property_set::{Statement, statements};
use crate::step::{ModelAction, WorldStep, age, gone, own_s};
use cosmos_ttl_model::container::{Etag, Item, Operation, Refusal, Request, Response, TtlChange};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredPrecondition, ExpiredUpsert};
use cosmos_ttl_model::rule::{ItemTtl, Wire};

/// What restarts the count, and what does not.
pub(super) const WRITES: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["write-restarts-count"]
        always "a replace or upsert of a visible item makes it as old as new" =>
            rewritten(step, is_whole_write).is_none_or(|(_, new)| new.ts == step.before.now);
        sometimes "an item in its second second is written anew" => rewritten(step, is_whole_write).is_some();
    ["patch-restarts-count"]
        always "a patch of a visible item makes it as old as new" =>
            rewritten(step, is_patch).is_none_or(|(_, new)| new.ts == step.before.now);
        sometimes "an item in its second second is patched" => rewritten(step, is_patch).is_some();
    ["identical-write-restarts-count"]
        always "a write that changes neither `ttl` nor content makes an item as old as new all the same" =>
            identical(step).is_none_or(|new| new.ts == step.before.now);
        sometimes "an item in its second second is written again as it is" => identical(step).is_some();
    ["read-does-not-restart"]
        always "a read, a query and a count change nothing" => !is_look(step) || step.changed_nothing();
        sometimes "an item in its second second is read" =>
            matches!(step.operation(), Some(Operation::Read(_)))
                && step.visible().is_some_and(|item| age(&step.before, item) > 0);
    ["changed-ttl-counts-from-that-write"]
        always "a write that sets `ttl` n stores n and counts from now" =>
            match (step.sent_ttl(), step.written()) {
                (Some(Wire::Whole(sent)), Some(new)) if (1..=2_147_483_647).contains(&sent) => {
                    own_s(new) == Some(sent) && new.ts == step.before.now
                }
                (Some(Wire::Whole(-1)), Some(new)) => new.ttl == ItemTtl::Never && new.ts == step.before.now,
                _ => true,
            };
        sometimes "an item in its second second gets another `ttl`" =>
            rewritten(step, |_| true)
                .is_some_and(|(old, new)| old.ttl != new.ttl && new.ttl != ItemTtl::Inherit);
    ["removed-ttl-inherits"]
        always "a write that leaves `ttl` out, or a patch that removes it, stores none" =>
            step.sent_ttl() != Some(Wire::Absent)
                || step.written().is_none_or(|new| new.ttl == ItemTtl::Inherit);
        sometimes "an item that had a `ttl` loses it" =>
            rewritten(step, |_| true)
                .is_some_and(|(old, new)| old.ttl != new.ttl && new.ttl == ItemTtl::Inherit);
    ["patch-restarts-count"]
        always "a patch that does not touch `ttl` or content leaves that as it was" => {
            let Some(Operation::Patch { ttl, content, .. }) = step.operation() else { return true };
            let (Some(old), Some(new)) = (step.target(), step.written()) else { return true };
            let keeps_ttl = *ttl != TtlChange::Keep || new.ttl == old.ttl;
            keeps_ttl && new.content == content.unwrap_or(old.content)
        };
        sometimes "a patch keeps a `ttl` of the item's own" => {
            let kept = |new: &Item| new.ttl != ItemTtl::Inherit && step.sent_ttl().is_none();
            step.operation().is_some_and(is_patch) && step.written().is_some_and(kept)
        };
    ["batch-shares-one-ts"]
        always "all writes of one batch bear the `_ts` of now" => {
            let Some(Response::Committed(answers)) = &step.answer else { return true };
            answers.iter().all(|answer| match answer {
                Response::Created(item) | Response::Ok(item) => item.ts == step.before.now,
                _ => true,
            })
        };
        sometimes "a batch of two writes commits over an older item" => {
            let Some(Response::Committed(answers)) = &step.answer else { return false };
            let writes = answers.iter().filter(|one| matches!(one, Response::Created(_) | Response::Ok(_)));
            writes.count() == 2 && step.some_before(|world, item| age(world, item) > 0)
        };
    ["batch-shares-one-ts", "item-rejected-stores-nothing"]
        always "a batch of which one operation is refused changes nothing" =>
            !matches!(step.answer, Some(Response::Aborted { .. })) || step.changed_nothing();
        sometimes "a batch is refused for its second operation, after a good first one" =>
            matches!(step.answer, Some(Response::Aborted { at: 1, .. }));
    ["read-does-not-restart"]
        always "what a read returns is what is stored" => match (&step.answer, step.target()) {
            (Some(Response::Found(found)), Some(stored)) => found == stored,
            (Some(Response::Found(_)), None) => false,
            _ => true,
        };
        sometimes "a read returns the content that was stored" => {
            let Some(Operation::Read(id)) = step.operation() else { return false };
            matches!(&step.answer, Some(Response::Found(found)) if found.content == kept_content(*id))
        };
};

/// What a client sees of an item that is gone, and the open clauses about that.
pub(super) const EXPIRED: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["expired-read-not-found"]
        always "a read of an item that is gone answers not found" =>
            !is_read(step) || step.visible().is_some() || step.refusal() == Some(Refusal::NotFound);
        sometimes "a read meets an expired item that is still stored" =>
            is_read(step) && step.expired().is_some();
    ["expired-not-in-queries"]
        always "no query lists an item that is gone" => step.answers_living();
        sometimes "a query leaves out an expired item that is still stored" =>
            matches!(&step.answer, Some(Response::Ids(ids)) if ids.len() < step.before.items.len());
    ["expired-replace-not-found"]
        always "a replace of an item that is gone answers not found" => not_found(step, is_replace);
        sometimes "a replace meets an expired item that is still stored" => met(step, is_replace);
    ["expired-patch-not-found"]
        always "a patch of an item that is gone answers not found" => not_found(step, is_patch);
        sometimes "a patch meets an expired item that is still stored" => met(step, is_patch);
    ["expired-delete-not-found"]
        always "a delete of an item that is gone answers not found" => not_found(step, is_delete);
        sometimes "a delete meets an expired item that is still stored" => met(step, is_delete);
    ["expired-precondition"]
        always "a conditional write of an item that is gone never succeeds" =>
            !is_conditional(step) || step.visible().is_some() || step.refusal().is_some();
        sometimes "a conditional write names the right etag of an expired item that is still stored" =>
            names_its_etag(step) && step.expired().is_some();
    ["expired-precondition"]
        always "a conditional write of a visible item succeeds exactly with its etag" =>
            !is_conditional(step)
                || step.visible().is_none()
                || (step.refusal() == Some(Refusal::PreconditionFailed)) != names_its_etag(step);
        sometimes "a conditional write is refused for its etag" =>
            step.refusal() == Some(Refusal::PreconditionFailed) && step.visible().is_some();
    ["expired-id-is-free"]
        always "a create makes a new item exactly where none is visible, and keeps nothing of an old one" =>
            match (step.operation(), &step.answer) {
                (Some(Operation::Create(_)), Some(Response::Created(new))) => {
                    step.visible().is_none() && made_anew(step, new)
                }
                (Some(Operation::Create(_)), Some(Response::Refused(Refusal::Conflict))) => {
                    step.visible().is_some()
                }
                (Some(Operation::Create(_)), Some(Response::Refused(Refusal::BadRequest))) => true,
                (Some(Operation::Create(_)), _) => false,
                _ => true,
            };
        sometimes "a create takes the id of an expired item that is still stored" =>
            matches!(step.operation(), Some(Operation::Create(_)))
                && step.expired().is_some()
                && step.written().is_some();
    ["expired-upsert-creates"]
        always "an upsert stores what was sent, and keeps nothing of an item that is gone" =>
            !matches!(step.operation(), Some(Operation::Upsert(_)))
                || step.refusal() == Some(Refusal::BadRequest)
                || step.written().is_some_and(|new| made_anew(step, new));
        sometimes "an upsert takes the id of an expired item that is still stored" =>
            matches!(step.operation(), Some(Operation::Upsert(_)))
                && step.expired().is_some()
                && step.written().is_some();
    ["expired-upsert-status"]
        always "an upsert answers created where nothing is stored, and ok where an item is visible" =>
            match (step.operation(), &step.answer) {
                (Some(Operation::Upsert(_)), Some(Response::Created(_))) => step.visible().is_none(),
                (Some(Operation::Upsert(_)), Some(Response::Ok(_))) => step.target().is_some(),
                _ => true,
            };
        sometimes "an upsert replaces a visible item" =>
            matches!((step.operation(), &step.answer), (Some(Operation::Upsert(_)), Some(Response::Ok(_))))
                && step.visible().is_some();
    ["no-write-revives"]
        always "while the settings stand, only a create or an upsert makes an id visible that was not" =>
            step.before.settings != step.after.settings
                || step
                    .listed_after()
                    .iter()
                    .all(|id| step.listed_before().contains(id) || step.makes(*id));
        sometimes "a replace of an expired item that is still stored comes to nothing" =>
            matches!(step.operation(), Some(Operation::Replace { .. }))
                && step.expired().is_some()
                && step.changed_nothing();
    ["expired-in-aggregates"]
        when |rules| rules.interpretation.aggregates == Aggregates::Excluded;
        always "a count counts the visible items" =>
            !matches!(step.answer, Some(Response::Count(count)) if count != bounds(step).0);
        sometimes "a count leaves out an expired item that is still stored" =>
            matches!(step.answer, Some(Response::Count(count)) if count < bounds(step).1);
    ["expired-in-aggregates"]
        when |rules| rules.interpretation.aggregates == Aggregates::Counted;
        always "a count counts no fewer than the visible and no more than the stored items" => {
            let (visible, stored) = bounds(step);
            !matches!(step.answer, Some(Response::Count(count)) if count < visible || stored < count)
        };
        sometimes "a count counts an expired item that is still stored" =>
            matches!(step.answer, Some(Response::Count(count)) if bounds(step).0 < count);
    ["expired-upsert-status"]
        when |rules| rules.interpretation.expired_upsert == ExpiredUpsert::Replaced;
        sometimes "an upsert answers ok for an expired item that is still stored" =>
            step.expired().is_some()
                && matches!(step.operation(), Some(Operation::Upsert(_)))
                && matches!(step.answer, Some(Response::Ok(_)));
    ["expired-precondition"]
        sometimes "a conditional write of an expired item is refused as chosen" => {
            let chosen = match step.rules.interpretation.expired_precondition {
                ExpiredPrecondition::NotFound => Refusal::NotFound,
                ExpiredPrecondition::PreconditionFailed => Refusal::PreconditionFailed,
            };
            matches!(step.operation(), Some(Operation::Delete { if_match: Some(_), .. }))
                && step.expired().is_some()
                && step.refusal() == Some(chosen)
        };
};

/// The item after a successful operation of this kind, and as it was visible before, a second or more old.
fn rewritten(step: &WorldStep, kind: fn(&Operation) -> bool) -> Option<(&Item, &Item)> {
    let old = step.visible().filter(|old| age(&step.before, old) > 0)?;
    step.operation().filter(|did| kind(did))?;
    Some((old, step.written()?))
}

fn is_whole_write(did: &Operation) -> bool {
    matches!(did, Operation::Replace { .. } | Operation::Upsert(_))
}

fn is_replace(did: &Operation) -> bool {
    matches!(did, Operation::Replace { .. })
}

fn is_delete(did: &Operation) -> bool {
    matches!(did, Operation::Delete { .. })
}

fn is_patch(did: &Operation) -> bool {
    matches!(did, Operation::Patch { .. })
}

fn identical(step: &WorldStep) -> Option<&Item> {
    let (old, new) = rewritten(step, |_| true)?;
    (old.ttl == new.ttl && old.content == new.content).then_some(new)
}

fn is_look(step: &WorldStep) -> bool {
    matches!(
        step.action,
        ModelAction::Ask(Request::Item(Operation::Read(_)) | Request::Query | Request::Count)
    )
}

fn is_read(step: &WorldStep) -> bool {
    matches!(step.operation(), Some(Operation::Read(_)))
}

/// Whether an unconditional write of something that is gone, with nothing wrong about it, is answered with not found.
fn not_found(step: &WorldStep, kind: fn(&Operation) -> bool) -> bool {
    let concerned = step.operation().is_some_and(kind) && !is_conditional(step) && step.visible().is_none();
    !concerned || matches!(step.refusal(), Some(Refusal::NotFound | Refusal::BadRequest))
}

/// Whether such a write meets an expired item that is still stored.
fn met(step: &WorldStep, kind: fn(&Operation) -> bool) -> bool {
    step.operation().is_some_and(kind)
        && !is_conditional(step)
        && step.expired().is_some()
        && step.refusal() == Some(Refusal::NotFound)
}

/// How many items a count may report: from those that are visible to all that are stored.
fn bounds(step: &WorldStep) -> (usize, usize) {
    let visible = step.before.items.values().filter(|item| !gone(&step.before, item)).count();
    (visible, step.before.items.len())
}

fn if_match(step: &WorldStep) -> Option<Etag> {
    match step.operation()? {
        Operation::Replace { if_match, .. }
        | Operation::Patch { if_match, .. }
        | Operation::Delete { if_match, .. } => *if_match,
        Operation::Create(_) | Operation::Upsert(_) | Operation::Read(_) => None,
    }
}

fn is_conditional(step: &WorldStep) -> bool {
    if_match(step).is_some()
}

fn names_its_etag(step: &WorldStep) -> bool {
    if_match(step).is_some() && if_match(step) == step.target().map(|item| item.etag)
}

/// Whether what is now stored under the id is what was sent, of now, and nothing of what was there.
fn made_anew(step: &WorldStep, new: &Item) -> bool {
    let stored = step.operation().and_then(|did| step.after.items.get(&did.id()));
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
