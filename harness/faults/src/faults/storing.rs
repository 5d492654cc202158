//! Faults of writes that store something else, and of refused writes that leave a trace.

use cosmos_ttl_harness::target::Status;

use super::faults;
use crate::mistake::AbortTrace::{self, StaysDeleted};
use crate::mistake::Access::{Create, Delete, Patch, Replace, Upsert};
use crate::mistake::Mistake::{Abort, Residue, Write};
use crate::mistake::Miswrite::*;
use crate::mistake::{self, WRITES, alone, at, batched, conditional};

faults! {
    "replace-keeps-ts": "A replace keeps the item's `_ts`."
        breaks ["write-restarts-count"] by Write(at(&[Replace]), KeepsTs);
        "open 5; create a; +1; replace a"
    "upsert-keeps-ts": "An upsert over a living item keeps its `_ts`."
        breaks ["write-restarts-count"] by Write(at(&[Upsert]), KeepsTs);
        "open 5; create a; +1; upsert a"
    "batch-replace-keeps-ts": "A replace in a batch keeps the item's `_ts`."
        breaks ["write-restarts-count"] by Write(batched(&[Replace]), KeepsTs);
        "open 5; create a; +1; batch [replace a]; read a"
    "batch-upsert-keeps-ts": "An upsert in a batch keeps a living item's `_ts`."
        breaks ["write-restarts-count"] by Write(batched(&[Upsert]), KeepsTs);
        "open 5; create a; +1; batch [upsert a]; read a"
    "conditional-replace-keeps-ts": "A replace under an etag keeps the item's `_ts`."
        breaks ["write-restarts-count"] by Write(conditional(&[Replace]), KeepsTs);
        "open 5; create a; +1; replace a if-match"
    "patched-ttl-keeps-ts": "A patch that changes ttl keeps the item's `_ts`."
        breaks ["changed-ttl-counts-from-that-write"] by Write(at(&[Patch]), KeepsTsIfTtlChanges);
        "open 100; create a; +1; patch a ttl=5"
    "batch-patched-ttl-keeps-ts": "A patch that changes ttl in a batch keeps the item's `_ts`."
        breaks ["changed-ttl-counts-from-that-write"] by Write(batched(&[Patch]), KeepsTsIfTtlChanges);
        "open 100; create a; +1; batch [patch a ttl=5]; read a"
    "replaced-ttl-keeps-ts": "A replace that changes ttl keeps the item's `_ts`."
        breaks ["changed-ttl-counts-from-that-write"] by Write(at(&[Replace]), KeepsTsIfTtlChanges);
        "open 100; create a; +1; replace a ttl=5"
    "identical-replace-keeps-ts": "A replace with the same content keeps the item's `_ts`."
        breaks ["identical-write-restarts-count"] by Write(at(&[Replace]), KeepsTsIfSame);
        "open 5; create a; +1; replace a"
    "identical-upsert-keeps-ts": "An upsert with the same content keeps the item's `_ts`."
        breaks ["identical-write-restarts-count"] by Write(at(&[Upsert]), KeepsTsIfSame);
        "open 5; create a; +1; upsert a"
    "identical-batch-write-keeps-ts": "A replace or upsert with the same content in a batch keeps the item's `_ts`."
        breaks ["identical-write-restarts-count"] by Write(batched(&[Replace, Upsert]), KeepsTsIfSame);
        "open 5; create a; +1; batch [upsert a]; read a"
    "upsert-of-same-ttl-keeps-ts": "An upsert starts the count again only if it changes ttl."
        breaks ["write-restarts-count"] by Write(at(&[Upsert]), KeepsTsUnlessTtlChanges);
        "open 5; create a; +1; upsert a x=1"
    "create-keeps-expired-ts": "A create over an expired item keeps its `_ts`, so the new item is expired, too."
        breaks ["expired-id-is-free"] by Write(at(&[Create]), KeepsExpiredTs);
        "open 5; create a; +5; create a"
    "batch-create-keeps-expired-ts": "A create over an expired item in a batch keeps its `_ts`."
        breaks ["expired-id-is-free"] by Write(batched(&[Create]), KeepsExpiredTs);
        "open 5; create a; +5; batch [create a]; read a"
    "upsert-keeps-expired-ts": "An upsert over an expired item keeps its `_ts`, so the item stays expired."
        breaks ["write-restarts-count"] by Write(at(&[Upsert]), KeepsExpiredTs);
        "open 5; create a; +5; upsert a"
    "create-keeps-expired-ttl": "A create over an expired item keeps the lifetime of the old one."
        breaks ["expired-id-is-free"] by Write(at(&[Create]), KeepsExpiredOwn);
        "open 100; create a ttl=5; +5; create a; +5; read a"
    "batch-create-keeps-expired-ttl": "A create over an expired item in a batch keeps the lifetime of the old one."
        breaks ["expired-id-is-free"] by Write(batched(&[Create]), KeepsExpiredOwn);
        "open 100; create a ttl=5; +5; batch [create a]; +5; read a"
    "create-merges-expired": "A create over an expired item keeps those properties of it that it does not bring."
        breaks ["expired-id-is-free"] by Write(at(&[Create]), KeepsExpiredProperties);
        "open 5; create a x=1; +5; create a"
    "batch-create-merges-expired": "A create over an expired item in a batch keeps properties of the old one."
        breaks ["expired-id-is-free"] by Write(batched(&[Create]), KeepsExpiredProperties);
        "open 5; create a x=1; +5; batch [create a]; read a"
    "create-takes-client-ts": "A create stores the `_ts` that the client sends."
        breaks ["server-sets-ts"] by Write(at(&[Create]), ClientTs);
        "open 5; create a _ts=1000; read a"
    "upsert-takes-client-ts": "An upsert stores the `_ts` that the client sends."
        breaks ["server-sets-ts"] by Write(at(&[Upsert]), ClientTs);
        "open 5; create a; upsert a _ts=1000"
    "replace-takes-client-ts": "A replace stores the `_ts` that the client sends."
        breaks ["server-sets-ts"] by Write(at(&[Replace]), ClientTs);
        "open 5; create a; replace a _ts=1000"
    "batch-takes-client-ts": "Writes in a batch store the `_ts` that the client sends."
        breaks ["server-sets-ts"] by Write(batched(WRITES), ClientTs);
        "open 5; batch [create a _ts=1000]; read a"
    "upsert-rounds-ts-up": "An upsert rounds `_ts` up to the next second."
        breaks ["counted-from-last-write", "gone-at-deadline"] by Write(at(&[Upsert]), TsOff(1));
        "open 5; create a; upsert a"
    "patch-rounds-ts-up": "A patch that sets ttl rounds `_ts` up to the next second."
        breaks ["counted-from-last-write", "changed-ttl-counts-from-that-write"]
        by Write(at(&[Patch]), TsOff(1));
        "open 100; create a; patch a ttl=5"
    "batch-ts-is-early": "Writes in a batch have the `_ts` of the second before."
        breaks ["counted-from-last-write", "visible-before-deadline"] by Write(batched(WRITES), TsOff(-1));
        "open 5; batch [create a]; +4; read a"
    "replace-keeps-ttl": "A replace without ttl keeps the lifetime that the item had."
        breaks ["removed-ttl-inherits"] by Write(at(&[Replace]), KeepsOwn);
        "open 100; create a ttl=5; replace a; +5; read a"
    "upsert-keeps-ttl": "An upsert without ttl keeps the lifetime that the item had."
        breaks ["removed-ttl-inherits"] by Write(at(&[Upsert]), KeepsOwn);
        "open 100; create a ttl=5; upsert a; +5; read a"
    "patch-cannot-remove-ttl": "A patch that removes ttl takes the property away, and its lifetime stays."
        breaks ["removed-ttl-inherits"] by Write(at(&[Patch]), KeepsOwn);
        "open 100; create a ttl=5; patch a -ttl; +5; read a"
    "batch-replace-keeps-ttl": "A replace or upsert without ttl in a batch keeps the lifetime that the item had."
        breaks ["removed-ttl-inherits"] by Write(batched(&[Replace, Upsert]), KeepsOwn);
        "open 100; create a ttl=5; batch [replace a]; +5; read a"
    "batch-patch-cannot-remove-ttl": "A patch in a batch that removes ttl leaves its lifetime."
        breaks ["removed-ttl-inherits"] by Write(batched(&[Patch]), KeepsOwn);
        "open 100; create a ttl=5; batch [patch a -ttl]; +5; read a"
    "first-ttl-counts-for-ever": "A replace stores a new ttl, and the item's first one counts."
        breaks ["changed-ttl-counts-from-that-write"] by Write(at(&[Replace]), KeepsFirstOwn);
        "open -1; create a ttl=100; replace a ttl=5; +5; read a"
    "upsert-first-ttl-counts": "An upsert stores a new ttl, and the item's first one counts."
        breaks ["changed-ttl-counts-from-that-write"] by Write(at(&[Upsert]), KeepsFirstOwn);
        "open -1; create a ttl=100; upsert a ttl=5; +5; read a"
    "patched-ttl-is-plain-data": "A ttl that a patch sets is stored as plain data."
        breaks ["item-seconds-override", "changed-ttl-counts-from-that-write"]
        by Write(alone(&[Patch]), ForgetsOwn);
        "open -1; create a; patch a ttl=5; +5; read a"
    "batch-patch-forgets-ttl": "A patch of another property in a batch makes the item inherit, though it shows its ttl."
        breaks ["item-seconds-override"] by Write(batched(&[Patch]), ForgetsOwn);
        "open 100; create a ttl=5; batch [patch a x=1]; +5; read a"
    "batch-ttl-is-plain-data": "A ttl that a create or upsert in a batch brings is stored as plain data."
        breaks ["item-seconds-override"] by Write(batched(&[Create, Upsert]), ForgetsOwn);
        "open -1; batch [create a ttl=5]; +5; read a"
    "ttl-stripped-while-off": "A container that is off stores no ttl."
        breaks ["dormant-ttl-wakes", "inherited-ttl-not-written-back"] by Write(at(WRITES), ForgetsOwnWhileOff);
        "open off; create a ttl=5"
    "upsert-strips-ttl-while-off": "An upsert to a container that is off stores no ttl."
        breaks ["dormant-ttl-wakes"] by Write(at(&[Upsert]), ForgetsOwnWhileOff);
        "open off; upsert a ttl=5"
    "ttl-unheard-while-off": "A ttl that is written while the container is off is plain data for ever."
        breaks ["dormant-ttl-wakes"] by Write(at(WRITES), DeafWhileOff);
        "open off; create a ttl=5; set -1; +5; read a"
    "patched-ttl-unheard-while-off": "A ttl that a patch sets while the container is off is plain data for ever."
        breaks ["dormant-ttl-wakes"] by Write(at(&[Patch]), DeafWhileOff);
        "open off; create a; patch a ttl=5; set -1; +5; read a"
    "batch-ttl-unheard-while-off": "A ttl that a batch writes while the container is off is plain data for ever."
        breaks ["dormant-ttl-wakes"] by Write(batched(WRITES), DeafWhileOff);
        "open off; batch [create a ttl=5]; set -1; +5; read a"
    "create-writes-default-back": "A create without ttl stores the default as the item's ttl."
        breaks ["inherited-ttl-not-written-back"] by Write(at(&[Create]), WritesDefaultBack);
        "open 5; create a"
    "patch-writes-default-back": "A patch of an item without ttl stores the default as its ttl."
        breaks ["inherited-ttl-not-written-back"] by Write(at(&[Patch]), WritesDefaultBack);
        "open 5; create a; patch a x=1"
    "upsert-writes-default-back": "An upsert without ttl stores the default as the item's ttl."
        breaks ["inherited-ttl-not-written-back"] by Write(at(&[Upsert]), WritesDefaultBack);
        "open 5; upsert a"
    "batch-writes-default-back": "Writes in a batch without ttl store the default as the item's ttl."
        breaks ["inherited-ttl-not-written-back"] by Write(batched(WRITES), WritesDefaultBack);
        "open 5; batch [create a]; read a"
    "replace-freezes-default": "A replace without ttl makes the default of that moment the item's own lifetime."
        breaks ["current-settings-decide"] by Write(at(&[Replace]), FreezesDefault);
        "open 5; create a; replace a; set 100; +5; read a"
    "patch-removing-ttl-freezes-default": "A patch makes the default of that moment the own lifetime of an item without ttl."
        breaks ["current-settings-decide"] by Write(at(&[Patch]), FreezesDefault);
        "open 5; create a ttl=7; patch a -ttl; set 100; +5; read a"
    "underscore-ttl-counts": "A property `_ttl` counts as ttl."
        breaks ["only-root-ttl-counts"] by Write(at(WRITES), Alias("_ttl"));
        "open -1; create a _ttl=5; +5; read a"
    "capital-ttl-counts": "A property `TTL` counts as ttl."
        breaks ["only-root-ttl-counts"] by Write(at(WRITES), Alias("TTL"));
        "open -1; create a TTL=5; +5; read a"
    "mixed-case-ttl-counts": "A property `Ttl` counts as ttl."
        breaks ["only-root-ttl-counts"] by Write(at(WRITES), Alias("Ttl"));
        "open -1; create a Ttl=5; +5; read a"
    "time-to-live-counts": "A property `timeToLive` counts as ttl."
        breaks ["only-root-ttl-counts"] by Write(at(WRITES), Alias("timeToLive"));
        "open -1; create a timeToLive=5; +5; read a"
    "item-default-ttl-counts": "A property `defaultTtl` of an item counts as ttl."
        breaks ["only-root-ttl-counts"] by Write(at(WRITES), Alias("defaultTtl"));
        "open -1; create a defaultTtl=5; +5; read a"
    "nested-ttl-counts": "A ttl inside of another property counts."
        breaks ["only-root-ttl-counts"] by Write(at(WRITES), Nested);
        "open -1; create a x={\"ttl\":5}; +5; read a"
    "patched-alias-counts": "A property `_ttl` that a patch sets counts as ttl."
        breaks ["only-root-ttl-counts"] by Write(at(&[Patch]), Alias("_ttl"));
        "open -1; create a; patch a _ttl=5; +5; read a"
    "replace-drops-minus-one": "A replace takes ttl -1 for an instruction to remove ttl."
        breaks ["item-minus-one-overrides"] by Write(at(&[Replace]), DropsMinusOne);
        "open 5; create a; replace a ttl=-1"
    "patch-drops-minus-one": "A patch takes ttl -1 for an instruction to remove ttl."
        breaks ["item-minus-one-overrides"] by Write(at(&[Patch]), DropsMinusOne);
        "open 5; create a; patch a ttl=-1"
    "stale-replace-restarts": "A replace that is refused for its etag starts the count again."
        breaks ["failed-write-does-not-restart"]
        by Residue(at(&[Replace]), Status::PreconditionFailed, mistake::Residue::Restarts);
        "open 5; create a; upsert a; +1; replace a if-stale; read a"
    "stale-patch-restarts": "A patch that is refused for its etag starts the count again."
        breaks ["failed-write-does-not-restart"]
        by Residue(at(&[Patch]), Status::PreconditionFailed, mistake::Residue::Restarts);
        "open 5; create a; upsert a; +1; patch a x=1 if-stale; read a"
    "stale-delete-restarts": "A delete that is refused for its etag starts the count again."
        breaks ["failed-write-does-not-restart"]
        by Residue(at(&[Delete]), Status::PreconditionFailed, mistake::Residue::Restarts);
        "open 5; create a; upsert a; +1; delete a if-stale; read a"
    "conflict-restarts": "A create that conflicts starts the count of the other item again."
        breaks ["failed-write-does-not-restart"]
        by Residue(at(&[Create]), Status::Conflict, mistake::Residue::Restarts);
        "open 5; create a; +1; create a; read a"
    "bad-upsert-restarts": "An upsert with a bad ttl is refused and starts the count again."
        breaks ["failed-write-does-not-restart"]
        by Residue(at(&[Upsert]), Status::BadRequest, mistake::Residue::Restarts);
        "open 5; create a; +1; upsert a ttl=0; read a"
    "bad-patch-restarts": "A patch with a bad ttl is refused and starts the count again."
        breaks ["failed-write-does-not-restart"]
        by Residue(at(&[Patch]), Status::BadRequest, mistake::Residue::Restarts);
        "open 5; create a; +1; patch a ttl=0; read a"
    "bad-replace-stores": "A replace with a bad ttl is refused after its content was stored."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Replace]), Status::BadRequest, mistake::Residue::Stores);
        "open 5; replace a ttl=0 x=1; read a"
    "bad-create-stores": "A create with a bad ttl is refused after the item was stored."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Create]), Status::BadRequest, mistake::Residue::Stores);
        "open 5; create a ttl=0; read a"
    "bad-patch-stores": "A patch with a bad ttl is refused after its other properties were stored."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Patch]), Status::BadRequest, mistake::Residue::Stores);
        "open 5; patch a ttl=0 x=1; read a"
    "bad-upsert-deletes": "An upsert with a bad ttl is refused after the old item was deleted."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Upsert]), Status::BadRequest, mistake::Residue::Deletes);
        "open 5; create a; upsert a ttl=0; read a"
    "bad-replace-drops-ttl": "A replace with a bad ttl is refused, and the item inherits from then on."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Replace]), Status::BadRequest, mistake::Residue::DropsOwn);
        "open 100; create a ttl=5; replace a ttl=0; +5; read a"
    "missing-replace-stores": "A replace of a missing or expired item is refused, and stores the item nevertheless."
        breaks ["no-write-revives", "item-rejected-stores-nothing"]
        by Residue(at(&[Replace]), Status::NotFound, mistake::Residue::Stores);
        "open 5; replace a; read a"
    "missing-patch-stores": "A patch of a missing or expired item is refused, and stores what it sets nevertheless."
        breaks ["no-write-revives", "item-rejected-stores-nothing"]
        by Residue(at(&[Patch]), Status::NotFound, mistake::Residue::Stores);
        "open 5; patch a x=1; read a"
    "conflict-stores": "A create that conflicts overwrites the other item."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Create]), Status::Conflict, mistake::Residue::Stores);
        "open 5; create a; create a x=1; read a"
    "stale-patch-drops-ttl": "A patch that is refused for its etag makes the item inherit."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Patch]), Status::PreconditionFailed, mistake::Residue::DropsOwn);
        "open 100; create a ttl=5; upsert a ttl=5; patch a x=1 if-stale; +5; read a"
    "stale-delete-deletes": "A delete that is refused for its etag deletes the item."
        breaks ["item-rejected-stores-nothing"]
        by Residue(at(&[Delete]), Status::PreconditionFailed, mistake::Residue::Deletes);
        "open 5; create a; upsert a; delete a if-stale; read a"
    "aborted-batch-stays": "An aborted batch keeps what it did before the refused operation."
        breaks ["item-rejected-stores-nothing"] by Abort(AbortTrace::Stays);
        "open 5; batch [create a | create b ttl=0]; read a"
    "aborted-batch-stays-deleted": "An aborted batch does not bring back what it deleted."
        breaks ["item-rejected-stores-nothing"] by Abort(StaysDeleted);
        "open 5; create a; batch [delete a | create b ttl=0]; read a"
    "aborted-batch-restarts": "An aborted batch starts the count of the items again that it had written."
        breaks ["failed-write-does-not-restart"] by Abort(AbortTrace::Restarts);
        "open 5; create a; +1; batch [upsert a | create b ttl=0]; read a"
    "aborted-batch-keeps-ttl": "An aborted batch leaves the lifetimes that it wrote."
        breaks ["item-rejected-stores-nothing"] by Abort(AbortTrace::KeepsOwn);
        "open 100; create a; batch [patch a ttl=5 | create b ttl=0]; +5; read a"
}
