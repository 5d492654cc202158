//! Which values are settings at all, what the documents leave open there, and changing the container under living items.

use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::{Item, Operation};
use cosmos_ttl_model::rule::{Sent, Ttl};

use super::{Container, WorldStep};
use crate::statement::{Statement, statements};
use crate::step::{age, aged, default_s, gone, inherits, is, on, own_s, parts, reached};
use crate::system::sent;

pub(super) const DOMAIN: &[Statement<Container>] = statements! { step: Container;
    [
        "container-zero-rejected", "container-below-minus-one-rejected", "container-above-maximum-rejected",
        "container-not-an-integer-rejected",
    ]
        always "a `defaultTtl` of 0, -2, 2147483648 or text is a bad request" =>
            step.draft().is_none_or(|draft| !wrong(draft.default_ttl) || step.is_bad_request());
        sometimes "a wrong `defaultTtl` is refused while an item is expired" =>
            step.draft().is_some_and(|draft| wrong(draft.default_ttl)) && step.is_bad_request() && step.some_before(gone);
    [
        "container-seconds-range", "container-minus-one-is-on-without-default", "container-absent-is-off",
        "leaving-default-out-switches-off", "item-integral-fraction",
    ]
        always "a `defaultTtl` that is absent, -1 or a number of seconds is taken as it is; 2.0 is taken as 2, or is a bad \
             request" =>
            step.draft().is_none_or(|draft| {
                let taken = step.configured().then(|| sent(step.after.settings.default_ttl));
                match draft.default_ttl {
                    FRACTION => taken == Some(Sent::Whole(2)) || step.is_bad_request(),
                    value => !right(value) || taken == Some(value),
                }
            });
        sometimes "`defaultTtl` becomes -1 where it was absent" =>
            !on(&step.before) && step.after.settings.default_ttl == Some(Ttl::Forever);
    [
        "item-zero-rejected", "item-below-minus-one-rejected", "item-above-maximum-rejected",
        "item-not-an-integer-rejected", "item-null-rejected",
    ]
        always "while the container is on, a `ttl` of 0, -2, 2147483648, text or null is a bad request, unless its item is \
             refused first" =>
            !(on(&step.before) && step.sent_ttl().is_some_and(wrong_ttl)) || step.is_refused_for_its_value();
        sometimes "a wrong `ttl` is refused where a visible item of that id is stored" =>
            step.sent_ttl().is_some_and(wrong) && step.is_bad_request() && step.visible().is_some();
    ["item-seconds-range", "item-minus-one-allowed", "item-absent-inherits"]
        always "a `ttl` that is absent, -1 or a number of seconds is never a bad request" =>
            !(step.sent_ttl().is_some_and(right) && step.is_bad_request());
        sometimes "a `ttl` is written while the container is off" =>
            !on(&step.before) && step.sent_ttl() == Some(Sent::Whole(1)) && step.written().is_some();
        sometimes "null is refused where a visible item is stored" =>
            step.sent_ttl() == Some(Sent::Null) && step.is_bad_request() && step.visible().is_some();
    ["container-null-in-replacement"]
        always "a `defaultTtl` of null switches the container off, whatever it was, or is a bad request, as chosen" =>
            !null_default(step) || match step.chose(OpenChoice::NullIsRefused) {
                Some(true) => step.is_bad_request(),
                _ => step.configured() && !on(&step.after),
            };
        sometimes "a `defaultTtl` of null brings an expired item back" =>
            null_default(step) && step.configured() && step.some_before(gone) && !on(&step.after);
        sometimes "a `defaultTtl` of null is refused while an item is stored" =>
            null_default(step) && step.is_bad_request() && !step.before.items.is_empty();
    ["refusal-order"]
        sometimes "a bad request is answered to a write that its item does not allow either" =>
            step.is_bad_request() && !step.refusals_of_item().is_empty();
        sometimes "a write with a wrong `ttl` meets the refusal of its item" =>
            on(&step.before) && step.sent_ttl().is_some_and(wrong) && step.is_refused_for_its_item();
    ["item-integral-fraction"]
        always "a `ttl` of 2.0 is stored as 2 seconds if that is chosen, and else is as wrong as text" => {
            let sent = |(operation, item): (&Operation, &Item)| {
                parts(operation).ttl != Some(FRACTION) || own_s(item) == Some(2) || item.has_wrong_ttl
            };
            let fraction = step.sent_ttl() == Some(FRACTION);
            step.writes().all(sent) && match step.chose(OpenChoice::FractionIsAccepted) {
                Some(true) => !step.is_bad_request() && step.written().is_none_or(|item| !item.has_wrong_ttl),
                _ => !(fraction && on(&step.before)) || step.is_refused_for_its_value(),
            }
        };
        sometimes "a `ttl` of 2.0 replaces another" =>
            step.sent_ttl() == Some(FRACTION) && on(&step.before) && overrode(step) && step.written().is_some();
        sometimes "a `ttl` of 2.0 is refused where a visible item is stored" =>
            step.sent_ttl() == Some(FRACTION) && step.is_bad_request() && step.visible().is_some();
        sometimes "a `defaultTtl` of 2.0 is taken" =>
            step.draft().is_some_and(|draft| draft.default_ttl == FRACTION) && step.configured();
        sometimes "a `defaultTtl` of 2.0 is refused" =>
            step.draft().is_some_and(|draft| draft.default_ttl == FRACTION) && step.is_bad_request();
    ["item-invalid-while-off"]
        always "while the container is off, a wrong `ttl` is a bad request, or is stored as one that has no \
             number of seconds, unless its item is refused first" =>
            on(&step.before)
                || !step.sent_ttl().is_some_and(wrong_ttl)
                || step.is_refused_for_its_value()
                || step.is_refused_for_its_item()
                || step.written().is_some_and(|new| new.has_wrong_ttl && own_s(new).is_none());
        sometimes "a `ttl` of 0 is refused while the container is off and a visible item is stored" =>
            !on(&step.before) && step.sent_ttl() == Some(Sent::Whole(0))
                && step.is_bad_request() && step.visible().is_some();
        sometimes "a `ttl` of 0, sent while the container is off, is stored in the place of another" =>
            !on(&step.before) && step.sent_ttl() == Some(Sent::Whole(0))
                && overrode(step) && step.written().is_some();
    ["item-invalid-while-off"]
        always "only a write of a wrong `ttl` while the container is off makes an item have one" =>
            step.changes().filter(|change| change.new.is_some_and(|new| new.has_wrong_ttl)).all(|change| {
                let had = change.old.is_some_and(|old| old.has_wrong_ttl);
                let odd = |one: &Operation| parts(one).ttl.is_some_and(|sent| !right(sent));
                had || !on(&step.before) && step.asks(change.id, odd)
            });
        sometimes "an item with a wrong `ttl` inherits once the container is on" =>
            step.some_look(false, |_, item| item.has_wrong_ttl);
        sometimes "an item with a wrong `ttl` never expires once the container is on" =>
            step.some_look(true, |world, item| item.has_wrong_ttl && reached(world, item, default_s(world)));
    ["item-invalid-while-off"]
        always "a patch that leaves `ttl` alone is a bad request only if a wrong one is stored and the container \
             is on" => {
            let stuck = on(&step.before) && step.target().is_some_and(|item| item.has_wrong_ttl);
            !(is!(step, Patch) && step.sent_ttl().is_none() && step.is_bad_request()) || stuck
        };
        sometimes "a patch is refused that leaves a stored wrong `ttl` alone" =>
            is!(step, Patch) && step.sent_ttl().is_none() && step.is_bad_request();
        sometimes "a patch succeeds that leaves a stored wrong `ttl` alone" =>
            on(&step.before) && step.sent_ttl().is_none() && step.written().is_some_and(|item| item.has_wrong_ttl);
};

/// A `ttl` or a `defaultTtl` of 2.0.
const FRACTION: Sent = Sent::WholeAsFraction(2);

/// Returns whether the value is a number that is not allowed, or no whole number at all.
fn wrong(sent: Sent) -> bool {
    match sent {
        Sent::Whole(number) | Sent::WholeAsFraction(number) => {
            number != -1 && !(1..=2_147_483_647).contains(&number)
        }
        Sent::Other => true,
        Sent::Absent | Sent::Null => false,
    }
}

pub(super) fn right(sent: Sent) -> bool {
    matches!(sent, Sent::Absent | Sent::Whole(_)) && !wrong(sent)
}

fn wrong_ttl(sent: Sent) -> bool {
    sent == Sent::Null || wrong(sent)
}

fn null_default(step: &WorldStep) -> bool {
    step.draft().is_some_and(|draft| draft.default_ttl == Sent::Null)
}

/// Whether the item that the one operation is about had a setting of its own.
fn overrode(step: &WorldStep) -> bool {
    step.visible().is_some_and(|item| !inherits(item))
}

pub(super) const SETTINGS: &[Statement<Container>] = statements! { step: Container;
    ["current-settings-decide", "switching-on-hides-old-items", "dormant-ttl-wakes", "raising-extends"]
        sometimes "a lower default hides an item that was visible" =>
            default_s(&step.after) < default_s(&step.before) && step.hides(|_| true);
        sometimes "switching on hides an item without `ttl`" =>
            !on(&step.before) && step.hides(inherits);
        sometimes "switching on hides an item that has a `ttl` of its own" =>
            !on(&step.before) && step.hides(|item| own_s(item).is_some());
        sometimes "the default is raised over an item in its last second" =>
            default_s(&step.before) < default_s(&step.after)
                && step.some_before(|world, item| inherits(item) && default_s(world) == Some(age(world, item) + 1));
    ["settings-do-not-touch-ts"]
        always "new settings change no item: neither `_ts`, `ttl`, content nor etag" =>
            !step.configured() || step.before.items == step.after.items;
        sometimes "settings change over an item in its second second" =>
            step.configured() && step.before.settings != step.after.settings && step.some_before(aged);
    ["removed-never-returns"]
        always "what is not stored comes into store only by a create or an upsert" =>
            step.changes().all(|change| {
                let makes = |one: &Operation| matches!(one, Operation::Create(_) | Operation::Upsert(_));
                change.old.is_some() || step.asks(change.id, makes)
            });
        sometimes "an item comes into store" =>
            step.changes().any(|change| change.old.is_none());
};
