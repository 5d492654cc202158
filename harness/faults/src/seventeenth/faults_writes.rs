//! Faults in what a write restarts and stores, and in what a refused one leaves.

use super::CairnFault;
use super::flaw::CairnFlaw;

cairn_faults! { WRITE_FAULTS:
    "seventeenth-abort-keeps-own" AbortKeepsOwn
        "The savepoint of a batch does not cover the table of own lifetimes."
        ["item-rejected-stores-nothing" "failed-write-does-not-restart"]
        "open 9; create a; batch [replace a ttl=2 | create a]; +2; read a";
    "seventeenth-abort-keeps-ts" AbortKeepsTs
        "A batch that is undone leaves its `_ts` on the items that it changed."
        ["item-rejected-stores-nothing" "failed-write-does-not-restart"]
        "open 5; create a; +3; batch [replace a | create a]; +2; read a";
    "seventeenth-abort-forgets-deletes" AbortForgetsDeletes
        "A batch that is undone does not bring back what it deleted."
        ["item-rejected-stores-nothing"] "open 5; create a; create b; batch [delete a | create b]; read a";
    "seventeenth-abort-keeps-inserts" AbortKeepsInserts
        "A batch that is undone leaves the items that it inserted."
        ["item-rejected-stores-nothing"] "open 5; create a; batch [upsert b | create a]; read b";
    "seventeenth-abort-keeps-versions" AbortKeepsVersions
        "A batch that is undone leaves new etags behind, so that the known one is refused."
        ["item-rejected-stores-nothing"]
        "open 5; create a; batch [replace a | create a]; replace a x=1 if-match";
    "seventeenth-abort-keeps-bodies" AbortKeepsBodies
        "A batch that is undone leaves the content that it wrote over that of other items."
        ["item-rejected-stores-nothing"]
        "open 5; create a; batch [patch a x=1 | create a]; read a";
    "seventeenth-abort-reinserts-deleted" AbortReinsertsDeleted
        "A batch that is undone inserts again what it deleted, and that restarts the count."
        ["item-rejected-stores-nothing" "failed-write-does-not-restart"]
        "open 5; create a; create b ttl=-1; +3; batch [delete a | create b]; +2; read a";
    "seventeenth-abort-forgets-own-of-deleted" AbortForgetsOwnOfDeleted
        "A batch that is undone inserts again what it deleted, without its own lifetime."
        ["item-rejected-stores-nothing" "item-seconds-override"]
        "open 9; create a ttl=2; create b; batch [delete a | create b]; +2; read a";
    "seventeenth-abort-revives-expired" AbortRevivesExpired
        "A batch that is undone writes back the expired item over which it created, with a new `_ts`."
        ["no-write-revives" "item-rejected-stores-nothing"]
        "open 5; create a; create b ttl=-1; +5; batch [create a | create b]; read a";
    "seventeenth-refused-patch-applies" RefusedPatchApplies
        "A patch with a refused lifetime has already set its other properties."
        ["item-rejected-stores-nothing"] "open 5; create a; patch a x=1 ttl=0; read a";
    "seventeenth-stale-replace-clears-own" StaleReplaceClearsOwn
        "A replace that fails its precondition has already deleted the item's own lifetime."
        ["item-rejected-stores-nothing" "item-seconds-override"]
        "open 9; create a ttl=2; replace a ttl=2 x=1; replace a if-stale; +2; read a";
    "seventeenth-stale-delete-touches" StaleDeleteTouches
        "A delete that fails its precondition restarts the count."
        ["failed-write-does-not-restart"]
        "open 5; create a; replace a x=1; +3; delete a if-stale; +2; read a";
    "seventeenth-conflict-stores-own" ConflictStoresOwn
        "A create that conflicts has already stored its lifetime for the item that is there."
        ["item-rejected-stores-nothing"] "open 9; create a; create a ttl=2; +2; read a";
    "seventeenth-conflict-touches" ConflictTouches
        "A create that conflicts restarts the count of the item that is there."
        ["failed-write-does-not-restart"] "open 5; create a; +3; create a; +2; read a";
    "seventeenth-refused-upsert-touches" RefusedUpsertTouches
        "An upsert with a refused lifetime restarts the count."
        ["failed-write-does-not-restart" "item-rejected-stores-nothing"]
        "open 5; create a; +3; upsert a ttl=0; +2; read a";
    "seventeenth-identical-upsert-skipped" IdenticalUpsertSkipped
        "An upsert of the same content changes nothing, not even `_ts`."
        ["identical-write-restarts-count"] "open 5; create a x=1; +3; upsert a x=1; +2; read a";
    "seventeenth-identical-batch-replace-skipped" IdenticalBatchReplaceSkipped
        "A replace with the same content changes nothing if it is in a batch."
        ["identical-write-restarts-count"] "open 5; create a; +3; batch [replace a]; +2; read a";
    "seventeenth-only-ttl-changed-keeps-ts" OnlyTtlChangedKeepsTs
        "A replace that changes nothing but the lifetime keeps `_ts`."
        ["changed-ttl-counts-from-that-write" "write-restarts-count"]
        "open -1; create a ttl=5; +3; replace a ttl=6; +3; read a";
    "seventeenth-patch-ttl-keeps-ts" PatchTtlKeepsTs
        "A patch that changes the lifetime makes it count from the write before."
        ["changed-ttl-counts-from-that-write"]
        "open -1; create a ttl=5; +3; patch a ttl=6; +3; read a";
    "seventeenth-conditional-replace-keeps-ts" ConditionalReplaceKeepsTs
        "A replace under an etag does not set `_ts`."
        ["write-restarts-count"] "open 5; create a; +3; replace a x=1 if-match; +2; read a";
    "seventeenth-off-upsert-keeps-ts" OffUpsertKeepsTs
        "An upsert does not set `_ts` while time to live is off."
        ["write-restarts-count"] "open off; create a; +3; upsert a; set 5; +2; read a";
    "seventeenth-never-replace-keeps-ts" NeverReplaceKeepsTs
        "A replace of an item that never expires leaves its `_ts`, which nobody seems to need."
        ["write-restarts-count" "changed-ttl-counts-from-that-write"]
        "open 5; create a ttl=-1; +3; replace a; +2; read a";
    "seventeenth-patch-stamps-insertion" PatchStampsInsertion
        "A patch sets `_ts` back to the second in which the item was inserted."
        ["ts-never-decreases"] "open 9; create a; +3; replace a; patch a x=1; read a";
    "seventeenth-patch-remove-keeps-own" PatchRemoveKeepsOwn
        "A patch that removes the lifetime leaves its row in the other table."
        ["removed-ttl-inherits"] "open 9; create a ttl=2; patch a -ttl; +2; read a";
    "seventeenth-replace-keeps-own" ReplaceKeepsOwn
        "A replace without a lifetime keeps the one that the item had."
        ["removed-ttl-inherits"] "open 9; create a ttl=2; replace a; +2; read a";
    "seventeenth-batch-upsert-keeps-own" BatchUpsertKeepsOwn
        "An upsert without a lifetime keeps the one that the item had, if it is in a batch."
        ["removed-ttl-inherits"] "open 9; create a ttl=2; batch [upsert a]; +2; read a";
    "seventeenth-patch-clears-own" PatchClearsOwn
        "A patch of another property makes the item inherit."
        ["item-seconds-override"] "open 9; create a ttl=2; patch a x=1; +2; read a";
    "seventeenth-conditional-patch-keeps-own" ConditionalPatchKeepsOwn
        "A patch of the lifetime under an etag changes the document alone."
        ["changed-ttl-counts-from-that-write" "item-seconds-override"]
        "open 9; create a; patch a ttl=2 if-match; +2; read a";
    "seventeenth-off-create-stores-no-own" OffCreateStoresNoOwn
        "An item's lifetime is not noted if it is created while time to live is off."
        ["dormant-ttl-wakes"] "open off; create a ttl=2; set 9; +2; read a";
    "seventeenth-off-patch-keeps-own" OffPatchKeepsOwn
        "A lifetime that a patch sets while time to live is off is not noted."
        ["dormant-ttl-wakes" "changed-ttl-counts-from-that-write"]
        "open off; create a; patch a ttl=2; set 9; +2; read a";
    "seventeenth-off-replace-keeps-own" OffReplaceKeepsOwn
        "A replace that drops the lifetime while time to live is off does not delete its row."
        ["removed-ttl-inherits"] "open 9; create a ttl=2; set off; replace a; set 9; +2; read a";
    "seventeenth-equal-to-default-not-stored" EqualToDefaultNotStored
        "A lifetime equal to the default is not noted, and so the item follows later defaults."
        ["item-seconds-override" "current-settings-decide"]
        "open 5; create a ttl=5; set 9; +5; read a";
    "seventeenth-never-not-stored-without-default" NeverNotStoredWithoutDefault
        "A lifetime of -1 is not noted in a container without a default, and so later defaults apply to the item."
        ["item-minus-one-overrides" "current-settings-decide"]
        "open -1; create a ttl=-1; set 2; +2; read a";
    "seventeenth-delete-leaves-own" DeleteLeavesOwn
        "A delete leaves the row of the lifetime, which the next item of that id gets."
        ["item-absent-inherits" "item-inherits-seconds"]
        "open 9; create a ttl=2; delete a; create a; +2; read a";
    "seventeenth-create-keeps-own" CreateKeepsOwn
        "A create over an expired item leaves the lifetime that it had."
        ["expired-id-is-free"] "open 9; create a ttl=2; +2; create a; +2; read a";
    "seventeenth-create-keeps-ts" CreateKeepsTs
        "A create over an expired item keeps its `_ts`."
        ["expired-id-is-free"] "open 9; create a ttl=2; +2; create a; read a; +7; read a";
    "seventeenth-create-merges-body" CreateMergesBody
        "A create over an expired item keeps the properties that it does not set."
        ["expired-id-is-free"] "open 9; create a ttl=2 x=1; +2; create a; read a";
    "seventeenth-row-version-restarts" RowVersionRestarts
        "Each row counts its own versions from 1, so that the item after an expired one has its etag."
        ["expired-id-is-free"] "open 9; create a ttl=2; +2; create a; read a";
    "seventeenth-upsert-on-expired-keeps-own" UpsertOnExpiredKeepsOwn
        "An upsert over an expired item leaves the lifetime that it had."
        ["removed-ttl-inherits"] "open 9; create a ttl=2; +2; upsert a; +2; read a";
    "seventeenth-own-by-id" OwnById
        "The table of own lifetimes has the id as its key, without the partition."
        ["identity-is-partition-and-id"] "open 9; create a ttl=2; in q create a; +2; read a";
    "seventeenth-delete-own-by-id" DeleteOwnById
        "A delete removes the lifetimes of all items with that id, whatever their partition."
        ["identity-is-partition-and-id"]
        "open 9; create a ttl=2; in q create a; in q delete a; +2; read a";
    "seventeenth-batch-own-in-default-partition" BatchOwnInDefaultPartition
        "A batch notes lifetimes under the default partition."
        ["item-seconds-override" "identity-is-partition-and-id"]
        "open 9; in q batch [create a ttl=2]; +2; in q read a";
}
