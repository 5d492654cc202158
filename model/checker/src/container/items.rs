//! How long an item lives, what writes do, what a client sees of an expired item, and what the background removes.

use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::{Item, Operation, Refusal, Request, Response, TtlChange, World};
use cosmos_ttl_model::rule::{Sent, Ttl};

use super::indexing::lags;
use super::settings::impossible;
use super::settings::right;
use super::{Container, WorldStep};
use crate::statement::{Statement, statements};
use crate::step::{
    age, aged, applies_s, below, default_s, gone, inherits, is, never, on, own_s, parts, reached,
};
use crate::system::ModelAction;

/// The three-by-three matrix, cell by cell, and what becomes of a `ttl`.
pub(super) const LIFETIME: &[Statement<Container>] = statements! { step: Container;
    ["off-never-expires"]
        always "while the container is off, every stored item is found and listed" =>
            step.every_look(true, |world, _| !on(world));
        sometimes "an item whose age has reached its own `ttl` is shown because the container is off" =>
            step.some_look(true, |world, item| !on(world) && reached(world, item, own_s(item)));
    ["item-minus-one-overrides"]
        always "while the container is on, an item with `ttl` -1 is found and listed" =>
            step.every_look(true, |world, item| on(world) && never(item));
        sometimes "an item with `ttl` -1 is shown although its age has reached the default" =>
            step.some_look(true, |world, item| never(item) && reached(world, item, default_s(world)));
    ["item-seconds-override"]
        always "while the container is on, an item with `ttl` n is shown exactly while its age is below n" =>
            step.every_look(true, |world, item| on(world) && below(world, item, own_s(item)))
                && step.every_look(false, |world, item| on(world) && reached(world, item, own_s(item)));
        sometimes "an item with a `ttl` of its own outlives a shorter default" =>
            step.some_look(true, |world, item| own_s(item).is_some() && reached(world, item, default_s(world)));
        sometimes "an item with a `ttl` of its own is gone before a longer default" =>
            step.some_look(false, |world, item| own_s(item).is_some() && below(world, item, default_s(world)));
    ["item-inherits-seconds"]
        always "while the default is n, an item without `ttl` is shown exactly while its age is below n" =>
            step.every_look(true, |world, item| inherits(item) && below(world, item, default_s(world)))
                && step.every_look(false, |world, item| inherits(item) && reached(world, item, default_s(world)));
        sometimes "an item without `ttl` is stored and not shown" =>
            step.some_look(false, |_, item| inherits(item));
    ["item-inherits-no-default"]
        always "while the default is -1, an item without `ttl` is found and listed" =>
            step.every_look(true, |world, item| no_default_set(world) && inherits(item));
        sometimes "an item without `ttl` grows old under a default of -1" =>
            step.some_look(true, |world, item| no_default_set(world) && inherits(item) && age(world, item) > 1);
    ["item-seconds-override", "container-minus-one-is-on-without-default"]
        sometimes "an item with a `ttl` of its own is gone under a default of -1" =>
            step.some_look(false, |world, item| no_default_set(world) && own_s(item).is_some());
    ["whole-item-expires"]
        always "a read returns an item whole, as it is stored" => match (&step.answer, step.target()) {
            (Some(Response::Found(found)), Some(stored)) => found == stored,
            (Some(Response::Found(_)), None) => false,
            _ => true,
        };
        sometimes "a read returns an item" => matches!(step.answer, Some(Response::Found(_)));
};

fn no_default_set(world: &World) -> bool {
    world.settings.default_ttl == Some(Ttl::Forever)
}

pub(super) const CLOCK: &[Statement<Container>] = statements! { step: Container;
    [
        "counted-from-last-write", "server-sets-ts", "batch-shares-one-ts", "expired-id-is-free",
        "write-restarts-count", "patch-restarts-count", "identical-write-restarts-count", "ts-never-decreases",
    ]
        always "every write that succeeds, alone or in a batch, answers with the `_ts` of now, a new etag, and the \
             content that was sent" =>
            step.writes().all(|(operation, item)| {
                let fresh = step.before.items.values().all(|old| old.etag != item.etag);
                let sent = parts(operation).content;
                item.ts == step.before.now && fresh && sent.is_none_or(|sent| sent == item.content)
            });
        sometimes "an item in its second second is written anew" =>
            is!(step, Replace | Upsert) && rewritten(step).is_some();
        sometimes "an item in its second second is patched" => is!(step, Patch) && rewritten(step).is_some();
        sometimes "an item in its second second is written again as it is" =>
            rewritten(step).is_some_and(|(old, new)| (old.ttl, old.content) == (new.ttl, new.content));
    ["counted-from-last-write", "whole-item-expires"]
        always "an item that a step writes is stored as the last answer to a write of it says" =>
            step.changes().all(|change| {
                let told = step.writes().filter(|(operation, _)| operation.id() == change.id).last();
                !step.asks(change.id, |_| true) || change.new.is_none() || told.map(|(_, item)| *item) == change.new
            }) && step.writes().all(|(operation, _)| {
                step.changes().any(|change| change.id == operation.id())
            });
        sometimes "a batch writes an item twice" => step.writes().count() == 2 && step.changes().count() == 1;
    ["counted-from-last-write", "purge-may-wait", "ts-never-decreases"]
        always "a second that passes makes every item a second older, and changes nothing else" => {
            let same = step.before.items == step.after.items && step.keeps_the_rest();
            !step.passes() || same && step.after.now == step.before.now + 1
        };
        sometimes "an item reaches the age of two seconds" =>
            step.after.items.values().any(|item| age(&step.after, item) == 2);
};

pub(super) const PURGE: &[Statement<Container>] = statements! { step: Container;
    ["purge-only-expired", "off-stops-purge"]
        always "the background removes only what is gone under the settings of this moment, and that alone" => {
            let ModelAction::Remove(id) = *step.action else { return true };
            let mut left = step.before.items.clone();
            let is_gone = left.remove(&id).is_some_and(|item| gone(&step.before, &item));
            let same_rest = step.keeps_the_rest() && step.before.now == step.after.now;
            is_gone && left == step.after.items && same_rest
        };
        sometimes "the background removes one item and leaves nothing else to see" =>
            matches!(*step.action, ModelAction::Remove(_)) && step.after.items.is_empty();
    ["purge-only-expired"]
        always "a delete that succeeds, and nothing else, takes a visible item out of store" =>
            (step.answer != Some(Response::NoContent) || step.changes().any(|change| change.new.is_none()))
                && step.changes().filter(|change| change.new.is_none()).all(|change| {
                change.old.is_none_or(|old| gone(&step.before, &old))
                    || step.asks(change.id, |operation| matches!(operation, Operation::Delete { .. }))
            });
        sometimes "a delete takes a visible item out of store" =>
            step.visible().is_some() && step.after.items.len() < step.before.items.len();
};

pub(super) const WRITES: &[Statement<Container>] = statements! { step: Container;
    ["read-does-not-restart"]
        always "a read, a query and a count change nothing" =>
            !(is!(step, Read) || matches!(step.request(), Some(Request::Query | Request::Count)))
                || step.changed_nothing();
        sometimes "an item in its second second is read" =>
            is!(step, Read) && step.visible().is_some_and(|item| aged(&step.before, item));
    [
        "changed-ttl-counts-from-that-write", "removed-ttl-inherits", "item-absent-inherits",
        "inherited-ttl-not-written-back",
    ]
        always "a write that sets `ttl` n, alone or in a batch, stores n; one that leaves it out or removes it, none" =>
            step.writes().all(|(operation, new)| {
                let is = |ttl| new.ttl == ttl && !new.has_wrong_ttl;
                match parts(operation).ttl {
                    Some(Sent::Absent) => is(None),
                    Some(Sent::Whole(-1)) => is(Some(Ttl::Forever)),
                    Some(Sent::Whole(n)) if (1..=2_147_483_647).contains(&n) => is(Some(Ttl::Seconds(n))),
                    _ => true,
                }
            });
        sometimes "an item in its second second gets another `ttl`" =>
            rewritten(step).is_some_and(|(old, new)| old.ttl != new.ttl && !inherits(new));
        sometimes "an item that had a `ttl` loses it" =>
            rewritten(step).is_some_and(|(old, new)| old.ttl != new.ttl && inherits(new));
    ["patch-restarts-count"]
        always "a patch that does not touch `ttl` or content leaves that as it was" => {
            let Some(Operation::Patch { ttl, content, .. }) = step.operation() else { return true };
            let (Some(old), Some(new)) = (step.target(), step.written()) else { return true };
            let same_ttl = (new.ttl, new.has_wrong_ttl) == (old.ttl, old.has_wrong_ttl);
            (*ttl != TtlChange::Keep || same_ttl) && new.content == content.unwrap_or(old.content)
        };
        sometimes "a patch keeps a `ttl` of the item's own" =>
            is!(step, Patch) && step.sent_ttl().is_none() && step.written().is_some_and(|new| !inherits(new));
    ["failed-write-does-not-restart", "item-rejected-stores-nothing", "container-rejected-leaves-container"]
        always "a request that is refused, for whatever reason, changes nothing" =>
            step.refusal().is_none() || step.changed_nothing();
        sometimes "a write is refused where a visible item, written earlier, is stored" =>
            step.refusal().is_some() && step.visible().is_some_and(|item| aged(&step.before, item));
        sometimes "a batch is refused for its second operation, after a good first one" =>
            matches!(step.answer, Some(Response::Aborted { at: 1, .. }));
};

pub(super) const EXPIRED: &[Statement<Container>] = statements! { step: Container;
    [
        "expired-read-not-found", "expired-replace-not-found", "expired-patch-not-found",
        "expired-delete-not-found", "expired-precondition", "no-write-revives", "refusal-order",
        "conditional-read-of-expired",
    ]
        always "an operation that its item does not allow is not found, in conflict, or fails its condition, unless its \
             `ttl` is not right or the patch is impossible; any other succeeds, or is a bad request" =>
            step.operation().is_none() || match (step.refusal(), step.refusals_of_item()) {
                (None, for_item) => for_item.is_empty(),
                (Some(Refusal::BadRequest), for_item) => {
                    for_item.is_empty() || impossible(step) || step.sent_ttl().is_some_and(|sent| !right(sent))
                }
                (Some(refusal), for_item) => for_item.contains(&refusal),
            };
        sometimes "a read meets an expired item that is still stored" =>
            is!(step, Read) && step.expired().is_some();
    ["expired-not-in-queries"]
        sometimes "a query leaves out an expired item that is still stored" =>
            matches!(&step.answer, Some(Response::Ids(ids)) if ids.len() < step.before.items.len());
    ["expired-precondition"]
        sometimes "a conditional write of an expired item is not found" =>
            step.is_conditional() && step.expired().is_some() && step.refusal() == Some(Refusal::NotFound);
        sometimes "a conditional write of an expired item fails its condition" => {
            let fails = step.refusal() == Some(Refusal::PreconditionFailed);
            step.names_its_etag() && step.expired().is_some() && fails
        };
        sometimes "a conditional write is refused for its etag" =>
            step.refusal() == Some(Refusal::PreconditionFailed) && step.visible().is_some();
    ["expired-id-is-free"]
        sometimes "a create takes the id of an expired item that is still stored" =>
            is!(step, Create) && step.expired().is_some() && step.written().is_some();
    ["expired-upsert-creates", "expired-upsert-status"]
        always "an upsert answers created where nothing is stored, and ok where an item is visible, unless it is a \
             bad request" =>
            !is!(step, Upsert) || match &step.answer {
                Some(Response::Created(_)) => step.visible().is_none(),
                Some(Response::Ok(_)) => step.target().is_some(),
                _ => step.is_bad_request(),
            };
        sometimes "an upsert over an expired item answers created" =>
            is!(step, Upsert) && step.expired().is_some() && matches!(step.answer, Some(Response::Created(_)));
        sometimes "an upsert over an expired item answers ok" =>
            is!(step, Upsert) && step.expired().is_some() && matches!(step.answer, Some(Response::Ok(_)));
};

/// Statements about lists, also of a container with a lazy index.
pub(super) const LISTS: &[Statement<Container>] = statements! { step: Container;
    [
        "gone-at-deadline", "visible-before-deadline", "hidden-immediately", "expired-not-in-queries",
        "current-settings-decide", "switching-on-hides-old-items", "change-hides-at-once", "dormant-ttl-wakes",
        "raising-extends", "lazy-index-may-lag",
    ]
        always "a query lists every item that is not gone under the settings of this moment, and no other, unless a \
             rebuilt index lags" =>
            match &step.answer {
                Some(Response::Ids(ids)) => {
                    let living = step.before.items.iter().filter(|(_, item)| !gone(&step.before, item));
                    living.map(|(id, _)| id).eq(ids)
                }
                Some(Response::AnyIds) => lags(step),
                _ => true,
            };
        sometimes "a stored item is not shown in the very second of its deadline" =>
            step.some_look(false, |world, item| applies_s(world, item) == Some(age(world, item)));
        sometimes "an item is shown in its last second" =>
            step.some_look(true, |world, item| applies_s(world, item) == Some(age(world, item) + 1));
};

/// Statements about counts, also of a container with a lazy index.
pub(super) const COUNTS: &[Statement<Container>] = statements! { step: Container;
    ["expired-in-aggregates", "lazy-index-may-lag"]
        always "a count counts the visible items, or any number up to the stored ones if that is chosen, unless a \
             rebuilt index lags" => {
            let visible = step.before.items.values().filter(|item| !gone(&step.before, item)).count();
            let most = match step.chose(OpenChoice::ExpiredAreCounted) {
                Some(true) => step.before.items.len(),
                _ => visible,
            };
            step.request() != Some(&Request::Count)
                || step.counted() == Some((visible, Some(most)))
                || step.counted() == Some((0, None)) && lags(step)
        };
        sometimes "a count leaves out an expired item that is still stored" =>
            matches!(step.counted(), Some((_, Some(most))) if most < step.before.items.len());
        sometimes "a count may show an expired item that a list leaves out" =>
            matches!(step.counted(), Some((least, Some(most))) if least < most);
};

/// The item as it was visible before a successful operation, a second or more old, and as it is after it.
fn rewritten(step: &WorldStep) -> Option<(&Item, &Item)> {
    let old = step.visible().filter(|old| aged(&step.before, old))?;
    Some((old, step.written()?))
}
