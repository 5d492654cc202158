//! Patches, replaces and upserts that change the wrong properties.

use super::faults;
use crate::third::flaw::Flaw::*;

faults! {
    "patch-ignores-ttl": "A patch does not set `ttl`."
        breaks ["changed-ttl-counts-from-that-write"] by PatchIgnoresTtl, shown_by "open -1; create a; patch a ttl=2"
    "patch-keeps-removed-ttl": "A patch does not take `ttl` away."
        breaks ["removed-ttl-inherits"] by PatchKeepsRemovedTtl, shown_by "open -1; create a ttl=2; patch a -ttl"
    "removed-is-never": "A patch that takes `ttl` away sets it to -1."
        breaks ["removed-ttl-inherits"] by PatchRemovedIsNever, shown_by "open 5; create a ttl=2; patch a -ttl"
    "patch-applied-in-part": "A refused patch sets everything but the `ttl` that is not allowed."
        breaks ["item-rejected-stores-nothing"] by PatchAppliedInPart, shown_by "open 5; create a; patch a x=1 ttl=0; read a"
    "patch-drops-ttl": "A patch of another property takes `ttl` away."
        breaks ["inherited-ttl-not-written-back", "item-seconds-override"] by PatchDropsTtl, shown_by "open 5; create a ttl=9; patch a x=1"
    "replace-merges": "A replace keeps the properties that it does not bring."
        breaks ["removed-ttl-inherits"] by ReplaceMerges, shown_by "open 5; create a ttl=9; replace a"
    "upsert-merges": "An upsert of a living item keeps the properties that it does not bring."
        breaks ["removed-ttl-inherits"] by UpsertMerges, shown_by "open 5; create a ttl=9; upsert a"
    "replace-keeps-first-ttl": "A replace does not change a `ttl`."
        breaks ["changed-ttl-counts-from-that-write"] by ReplaceKeepsFirstTtl, shown_by "open 5; create a ttl=9; replace a ttl=2"
    "shared-bodies": "Items with equal content share it, and a patch of one changes all."
        breaks ["identity-is-partition-and-id"] by SharedBodies, shown_by "open off; create a x=1; create b x=1; patch a x=2; read b"
}
