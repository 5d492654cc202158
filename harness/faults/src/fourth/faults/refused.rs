//! Reads and refused requests that change something, and deletes.

use cosmos_ttl_harness::target::Status;

use super::{TimerFault, fault};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Create, List, Patch, Query, Read, Replace, Upsert};
use crate::fourth::slip::{Touch, ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("read-restarts", "A point read sets `_ts` to now.", &["read-does-not-restart"], "open 5; create a; +3; read a; +2; read a", ReadTouches(Touch::Ts), on(&[Read])),
    fault("read-restarts-timer", "A point read arms the timer again, and shows the old `_ts`.", &["read-does-not-restart"], "open 5; create a; +3; read a; +2; read a", ReadTouches(Touch::Timer), on(&[Read])),
    fault("query-restarts-timer", "A query arms the timers of its items again.", &["read-does-not-restart"], "open 5; create a; +3; query; +2; read a", ReadTouches(Touch::Timer), on(&[Query])),
    fault("list-shows-other-ts", "A list changes the `_ts` that is shown.", &["read-does-not-restart"], "open 5; create a; +3; list; read a", ReadTouches(Touch::ShownTs), on(&[List])),
    fault("batched-read-restarts", "A read in a batch arms the timer again.", &["read-does-not-restart"], "open 5; create a; +3; batch [read a]; +2; read a", ReadTouches(Touch::Timer), on(&[Read]).batched()),
    fault("page-restarts", "A request for a page arms the timers of the partition again.", &["read-does-not-restart"], "open 5; create a; +3; query by 2; +2; read a", ReadTouches(Touch::Timer), ANY.paged()),
    fault("failed-condition-restarts", "A write with a stale etag sets `_ts` to now.", &["failed-write-does-not-restart"], "open 5; create a; replace a; +3; replace a if-stale; +2; read a", RefusedTouches(Status::PreconditionFailed, Touch::Ts), ANY),
    fault("conflict-restarts", "A create that meets an item arms its timer again.", &["failed-write-does-not-restart"], "open 5; create a; +3; create a; +2; read a", RefusedTouches(Status::Conflict, Touch::Timer), ANY),
    fault("conflict-in-batch-restarts", "A create in a batch that meets an item sets its `_ts` to now.", &["failed-write-does-not-restart", "item-rejected-stores-nothing"], "open 5; create a; +3; batch [create a]; +2; read a", RefusedTouches(Status::Conflict, Touch::Ts), ANY.batched()),
    fault("bad-value-restarts", "A write with a `ttl` that is not allowed arms the timer again.", &["failed-write-does-not-restart"], "open 5; create a; +3; upsert a ttl=0; +2; read a", RefusedTouches(Status::BadRequest, Touch::Timer), ANY),
    fault("bad-patch-restarts", "A patch with a `ttl` that is not allowed sets `_ts` to now.", &["failed-write-does-not-restart", "item-rejected-stores-nothing"], "open 5; create a; +3; patch a ttl=-5; read a", RefusedTouches(Status::BadRequest, Touch::ShownTs), on(&[Patch])),
    fault("bad-replace-stores", "A replace with a `ttl` that is not allowed stores the other properties.", &["item-rejected-stores-nothing"], "open 5; create a x=1; replace a x=2 ttl=0; read a", RefusedStores(Status::BadRequest), on(&[Replace])),
    fault("bad-upsert-stores", "An upsert with a `ttl` that is not allowed stores the other properties.", &["item-rejected-stores-nothing"], "open 5; create a x=1; upsert a x=2 ttl=0; read a", RefusedStores(Status::BadRequest), on(&[Upsert])),
    fault("bad-patch-stores", "A patch with a `ttl` that is not allowed sets the other properties.", &["item-rejected-stores-nothing"], "open 5; create a x=1; patch a x=2 ttl=0; read a", RefusedStores(Status::BadRequest), on(&[Patch])),
    fault("failed-condition-stores", "A replace with a stale etag answers so, but stores.", &["item-rejected-stores-nothing", "failed-write-does-not-restart"], "open 5; create a x=1; replace a x=2; replace a x=3 if-stale; read a", RefusedStores(Status::PreconditionFailed), on(&[Replace])),
    fault("bad-replace-removes", "A replace deletes the old item before it checks the `ttl`.", &["item-rejected-stores-nothing"], "open 5; create a; replace a ttl=0; read a", RefusedRemoves(Status::BadRequest), on(&[Replace])),
    fault("failed-condition-disarms", "A replace cancels the timer before it compares the etag.", &["failed-write-does-not-restart", "hidden-immediately"], "open 5; create a; replace a; replace a if-stale; +5; read a", RefusedDisarms(Status::PreconditionFailed), on(&[Replace])),
    fault("bad-upsert-disarms", "An upsert cancels the timer before it checks the `ttl`.", &["failed-write-does-not-restart", "hidden-immediately"], "open 5; create a; upsert a ttl=0; +5; read a", RefusedDisarms(Status::BadRequest), on(&[Upsert])),
    fault("bad-create-appears", "A create with a `ttl` that is not allowed stores the item without it.", &["item-rejected-stores-nothing"], "open 5; create a ttl=0; read a", RefusedNewAppears, on(&[Create])),
    fault("delete-leaves-timer", "A delete leaves the timer, which expires the next item of that name.", &["visible-before-deadline", "counted-from-last-write"], "open 5; create a; +3; delete a; create a; +2; read a", DeleteLeavesTimer, ANY),
    fault("delete-takes-namesakes", "A delete removes the items with that id in every partition.", &["identity-is-partition-and-id"], "open 5; create a; in q create a; delete a; in q read a", DeleteTakesNamesakes, ANY),
    fault("delete-only-expires", "A delete marks the item as expired, and another setting brings it back.", &["removed-never-returns"], "open 5; create a; delete a; read a; set off; read a", DeleteOnlyExpires, ANY),
    fault("batched-delete-only-expires", "A delete in a batch marks the item as expired, and another setting brings it back.", &["removed-never-returns"], "open 5; create a; batch [delete a]; set 9; read a", DeleteOnlyExpires, ANY.batched()),
];
