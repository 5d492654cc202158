//! New items under the names of expired ones, and refusals that revive.

use cosmos_ttl_harness::target::Status;

use super::{TimerFault, fault};
use crate::fourth::scope::TimerPath::{Create, Delete, Read, Replace, Upsert};
use crate::fourth::scope::{ANY, on};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::Touch;

pub(super) static FAULTS: &[TimerFault] = &[
    fault(
        "expired-leaves-ttl",
        "A create over an expired item takes over its `ttl`.",
        &["expired-id-is-free"],
        "never; open 5; create a ttl=3; +3; create a; read a",
        ExpiredLeavesTtl,
        on(&[Create]),
    ),
    fault(
        "expired-leaves-hidden-ttl",
        "A create over an expired item lives by the old `ttl`, which is not shown.",
        &["expired-id-is-free"],
        "never; open 5; create a ttl=3; +3; create a; +3; read a",
        ExpiredLeavesHiddenTtl,
        on(&[Create]),
    ),
    fault(
        "expired-leaves-ttl-to-upsert",
        "An upsert over an expired item lives by the old `ttl`.",
        &["removed-ttl-inherits"],
        "never; open 5; create a ttl=3; +3; upsert a; +3; read a",
        ExpiredLeavesHiddenTtl,
        on(&[Upsert]),
    ),
    fault(
        "expired-leaves-properties",
        "A create over an expired item keeps properties of the old one.",
        &["expired-id-is-free"],
        "never; open 5; create a x=1; +5; create a y=2; read a",
        ExpiredLeavesProperties,
        on(&[Create]),
    ),
    fault(
        "expired-leaves-ts",
        "A create over an expired item shows the old `_ts`.",
        &["expired-id-is-free"],
        "never; open 5; create a; +5; create a; read a",
        ExpiredLeavesTs,
        on(&[Create]),
    ),
    fault(
        "expired-leaves-ts-to-upsert",
        "An upsert over an expired item shows the old `_ts`.",
        &["write-restarts-count"],
        "never; open 5; create a; +5; upsert a; read a",
        ExpiredLeavesTs,
        on(&[Upsert]),
    ),
    fault(
        "expired-leaves-etag",
        "A create over an expired item has the old etag.",
        &["expired-id-is-free"],
        "never; open 5; create a; +5; create a; read a",
        ExpiredLeavesEtag,
        on(&[Create]),
    ),
    fault(
        "expired-leaves-timer",
        "A create over an expired item answers created, but the new item is hidden.",
        &["expired-id-is-free", "visible-before-deadline"],
        "never; open 5; create a; +5; create a; read a",
        ExpiredLeavesTimer,
        on(&[Create]),
    ),
    fault(
        "expired-leaves-timer-to-upsert",
        "An upsert over an expired item succeeds, but the item stays hidden.",
        &["write-restarts-count", "visible-before-deadline"],
        "never; open 5; create a; +5; upsert a; read a",
        ExpiredLeavesTimer,
        on(&[Upsert]),
    ),
    fault(
        "expired-leaves-timer-in-batch",
        "A create in a batch over an expired item makes a hidden one.",
        &["expired-id-is-free", "visible-before-deadline"],
        "never; open 5; create a; +5; batch [create a]; read a",
        ExpiredLeavesTimer,
        on(&[Create]).batched(),
    ),
    fault(
        "etag-is-content",
        "The etag is computed from the content, so a new item has the expired one's.",
        &["expired-id-is-free"],
        "open 5; create a x=1; +5; create a x=1; read a",
        EtagIsContent,
        ANY,
    ),
    fault(
        "finds-namesakes",
        "A create meets an item with that id in another partition.",
        &["identity-is-partition-and-id"],
        "open 5; create a; in q create a",
        FindsNamesakes,
        on(&[Create]),
    ),
    fault(
        "refused-replace-revives",
        "A refused replace of an expired item arms its timer again, and so revives it.",
        &["no-write-revives", "failed-write-does-not-restart"],
        "never; open 5; create a; +5; replace a; read a",
        RefusedTouches(Status::NotFound, Touch::Ts),
        on(&[Replace]),
    ),
    fault(
        "missed-read-revives",
        "A read that does not find an expired item arms its timer again.",
        &["no-write-revives", "read-does-not-restart"],
        "never; open 5; create a; +5; read a; read a",
        RefusedTouches(Status::NotFound, Touch::Timer),
        on(&[Read]),
    ),
    fault(
        "refused-delete-in-batch-revives",
        "A refused delete of an expired item in a batch arms its timer again.",
        &["no-write-revives", "failed-write-does-not-restart"],
        "never; open 5; create a; +5; batch [delete a]; read a",
        RefusedTouches(Status::NotFound, Touch::Timer),
        on(&[Delete]).batched(),
    ),
    fault(
        "refused-replace-stores",
        "A replace of an expired item answers not found, but stores.",
        &["item-rejected-stores-nothing", "no-write-revives"],
        "never; open 5; create a; +5; replace a x=1; read a",
        RefusedStores(Status::NotFound),
        on(&[Replace]),
    ),
];
