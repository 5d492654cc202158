//! Faults in batches, in what becomes of expired items, in removal and in the identity of items.

use super::HiveFault;
use super::slip::HiveSlip;

hive_faults! {
    ITEM_FAULTS:
    "undo-deletes-upserted" UndoDeletesUpserted "An aborted batch takes an upsert back by deleting the item." ["item-rejected-stores-nothing"] "open 5; create a; batch [upsert a | create a]; read a";
    "undo-forgets-deleted" UndoForgetsDeleted "An aborted batch does not bring back what it deleted." ["item-rejected-stores-nothing"] "open 5; create a; create b; batch [delete a | create b]; read a";
    "undo-spares-recreated" UndoSparesRecreated "An aborted batch leaves an item that it created over an expired one." ["item-rejected-stores-nothing" "no-write-revives"] "never; open 5; create a; create b ttl=-1; +5; batch [create a | create b]; read a";
    "named-batch-not-undone" NamedBatchNotUndone "An aborted batch in a named partition is not taken back." ["item-rejected-stores-nothing"] "open 5; in q create b; in q batch [create a | create b]; in q read a";
    "refused-upsert-revives" RefusedUpsertRevives "An upsert that is refused for its value restarts the count of the item, an expired one too." ["no-write-revives" "item-rejected-stores-nothing" "failed-write-does-not-restart"] "never; open 5; create a; +5; upsert a ttl=0; read a";
    "patch-touches-expired" PatchTouchesExpired "A patch of an expired item is not found, and yet restarts its count." ["no-write-revives" "failed-write-does-not-restart"] "never; open 5; create a; +5; patch a x=1; read a";
    "expired-etag-replaces" ExpiredEtagReplaces "A replace under the etag of an expired item that is still stored succeeds." ["expired-replace-not-found" "no-write-revives"] "never; open 5; create a; read a; +5; replace a if-match";
    "expired-etag-deletes" ExpiredEtagDeletes "A delete under the etag of an expired item that is still stored succeeds." ["expired-delete-not-found"] "never; open 5; create a; read a; +5; delete a if-match";
    "named-deletes-expired" NamedDeletesExpired "In a named partition an expired item that is still stored can be deleted." ["expired-delete-not-found" "purge-invisible"] "never; open 5; in q create a; +5; in q delete a";
    "batch-patches-expired" BatchPatchesExpired "A batch patches an expired item that is still stored." ["expired-patch-not-found" "no-write-revives"] "never; open 5; create a; +5; batch [patch a x=1]";
    "batch-reads-expired" BatchReadsExpired "A read in a batch finds an expired item that is still stored." ["expired-read-not-found"] "never; open 5; create a; +5; batch [read a]";
    "batch-replace-merges" BatchReplaceMerges "A replace in a batch that leaves `ttl` out keeps the one that the item had." ["removed-ttl-inherits"] "open 5; create a ttl=9; batch [replace a]; +5; read a";
    "upsert-merges-off" UpsertMergesWhileOff "While the container is off, an upsert that leaves `ttl` out keeps the one that the item had." ["removed-ttl-inherits"] "open off; create a ttl=2; upsert a; read a";
    "batch-create-keeps-ttl" BatchCreateKeepsTtl "A create in a batch over an expired item that is still stored takes over its `ttl`." ["expired-id-is-free"] "never; open 5; create a ttl=2; +2; batch [create a]; +2; read a";
    "create-uses-old-default" CreateUsesOldDefault "A create conflicts with an item that is expired only because the default was lowered after it was written." ["expired-id-is-free"] "never; open 9; create a; +4; set 3; create a";
    "etag-of-content" EtagOfContent "An etag is a digest of the content, so that an item that is created again has the etag of the expired one." ["expired-id-is-free"] "open 5; create a; read a; +5; create a; read a";
    "sweep-resets-revisions" SweepResetsRevisions "An etag is the number of the item's version, which starts again after the sweeper has removed the item." ["expired-id-is-free" "purge-invisible"] "open 5; create a; +5; purge; create a; read a";
    "index-misses-patches" IndexMissesPatches "A patch does not change the lifetime in the index, so that queries go by the old one." ["visible-before-deadline" "changed-ttl-counts-from-that-write"] "open -1; create a ttl=2; patch a ttl=9; +2; query";
    "index-misses-batch-replaces" IndexMissesBatchReplaces "A replace in a batch does not change the lifetime in the index, so that queries go by the old one." ["visible-before-deadline" "write-restarts-count"] "open 5; create a; +3; batch [replace a]; +2; query";
    "deletion-is-tombstone" DeletionIsTombstone "A deleted item is marked as expired, so that it is there again when the container is switched off." ["removed-never-returns"] "open 5; create a; delete a; read a; set off; read a";
    "older-returns" OlderReturns "When an item that was created over an expired one is deleted, the expired one takes its place." ["removed-never-returns"] "never; open 5; create a ttl=2; +2; create a; delete a; set off; read a";
    "picked-removed-by-id" PickedRemovedById "The sweeper picks expired items on one visit and removes what has their ids on the next." ["purge-spares-recreated" "purge-only-expired"] "never; open 5; create a; +5; purge; create a; purge; read a";
    "picked-removed-by-etag" PickedRemovedByEtag "The sweeper picks expired items, and removes them on its next visit unless they were written since, also where new settings show them." ["purge-only-expired" "removed-never-returns"] "never; open 5; create a; +5; purge; set 9; read a; purge; read a";
    "sweeps-namesakes" SweepsNamesakes "The sweeper removes items with the id of an expired one in all partitions." ["identity-is-partition-and-id" "purge-only-expired"] "open -1; create a ttl=1; in q create a; +1; purge; in q read a";
    "writes-touch-namesakes" WritesTouchNamesakes "A write restarts the count of items with its id in other partitions." ["identity-is-partition-and-id" "counted-from-last-write"] "open 5; create a; +3; in q create a; +2; read a";
    "ttl-of-namesake" TtlOfNamesake "The lifetime is kept by id alone, so that a write changes that of its namesakes in other partitions." ["identity-is-partition-and-id"] "open -1; in q create a ttl=9; create a ttl=1; +1; in q read a";
    "nested-part-expires" NestedPartExpires "A part of an item with a `ttl` of its own is left out of answers when it has passed." ["whole-item-expires" "only-root-ttl-counts"] "open -1; create a x={\"ttl\":1}; +1; read a";
    "new-upserted-never" NewUpsertedNever "An item without `ttl` that an upsert makes never expires." ["item-absent-inherits" "item-inherits-seconds"] "open 5; upsert a; +5; read a";
    "batch-caps-own" BatchCapsOwn "In a batch a `ttl` above the default is lowered to it." ["item-seconds-override"] "open 5; batch [create a ttl=9]; +5; read a";
    "patch-forgets-minus-one" PatchForgetsMinusOne "A patch that does not set `ttl` makes an item with `ttl` -1 inherit." ["item-minus-one-overrides"] "open 5; create a ttl=-1; patch a x=1; +5; read a";
    "batch-removal-keeps-life" BatchRemovalKeepsLife "A patch in a batch takes `ttl` away and leaves the lifetime that it gave." ["removed-ttl-inherits"] "open -1; create a ttl=2; batch [patch a -ttl]; +2; read a";
    "delete-and-create-keep-ttl" DeleteAndCreateKeepTtl "A batch that deletes an item and creates it again without `ttl` keeps its lifetime." ["item-absent-inherits" "item-inherits-seconds"] "open 5; create a ttl=9; batch [delete a | create a]; +5; read a";
    "index-misses-recreated" IndexMissesRecreated "A create over an expired item that is still stored leaves the old row in the index, so that queries miss it." ["visible-before-deadline" "expired-id-is-free"] "never; open 5; create a; +5; create a; query";
    "sweeper-keeps-settings" SweeperKeepsSettings "The sweeper judges by the settings of its last visit." ["purge-only-expired" "current-settings-decide"] "open 5; create a; purge; set 9; +5; purge; read a";
}
