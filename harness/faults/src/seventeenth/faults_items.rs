//! Faults in what an item may carry, and which property is its own lifetime.

use super::CairnFault;
use super::flaw::CairnFlaw;

cairn_faults! { ITEM_FAULTS:
    "seventeenth-upsert-insert-unchecked" UpsertInsertUnchecked
        "An upsert that inserts does not refuse a lifetime of 0."
        ["item-zero-rejected"] "open 5; upsert a ttl=0";
    "seventeenth-patch-zero-inherits" PatchZeroInherits
        "A patch takes a lifetime of 0 as none."
        ["item-zero-rejected"] "open 5; create a; patch a ttl=0";
    "seventeenth-batch-create-zero-never" BatchCreateZeroNever
        "A create in a batch takes a lifetime of 0 as never."
        ["item-zero-rejected"] "open 5; batch [create a ttl=0]";
    "seventeenth-conditional-replace-unchecked" ConditionalReplaceUnchecked
        "A replace under an etag does not refuse a lifetime of 0."
        ["item-zero-rejected"] "open 5; create a; replace a ttl=0 if-match";
    "seventeenth-replace-negative-never" ReplaceNegativeNever
        "A replace takes every negative lifetime as never."
        ["item-below-minus-one-rejected"] "open 5; create a; replace a ttl=-2";
    "seventeenth-upsert-negative-never" UpsertNegativeNever
        "An upsert that updates takes every negative lifetime as never."
        ["item-below-minus-one-rejected"] "open 5; create a; upsert a ttl=-2";
    "seventeenth-batch-patch-unchecked" BatchPatchUnchecked
        "A patch in a batch does not refuse lifetimes below -1."
        ["item-below-minus-one-rejected"] "open 5; create a; batch [patch a ttl=-2]";
    "seventeenth-create-above-clamps" CreateAboveClamps
        "A create lowers a lifetime above the maximum to the maximum."
        ["item-above-maximum-rejected"] "open 5; create a ttl=2147483648";
    "seventeenth-patch-above-accepted" PatchAboveAccepted
        "A patch knows no greatest lifetime."
        ["item-above-maximum-rejected"] "open 5; create a; patch a ttl=2147483648";
    "seventeenth-replace-above-wraps" ReplaceAboveWraps
        "A replace cuts a lifetime to 32 bits before it checks its range."
        ["item-above-maximum-rejected"] "open 5; create a; replace a ttl=4294967301";
    "seventeenth-batch-upsert-above-accepted" BatchUpsertAboveAccepted
        "An upsert in a batch knows no greatest lifetime."
        ["item-above-maximum-rejected"] "open 5; batch [upsert a ttl=2147483648]";
    "seventeenth-upsert-maximum-refused" UpsertMaximumRefused
        "An upsert refuses the greatest lifetime itself."
        ["item-seconds-range"] "open 5; upsert a ttl=2147483647";
    "seventeenth-longer-than-default-refused" LongerThanDefaultRefused
        "An item may not live longer than the container's default says."
        ["item-seconds-range" "item-seconds-override"] "open 5; create a ttl=9";
    "seventeenth-patch-minus-one-refused" PatchMinusOneRefused
        "A patch cannot set a lifetime of -1."
        ["item-minus-one-allowed"] "open 5; create a; patch a ttl=-1";
    "seventeenth-batch-minus-one-refused" BatchMinusOneRefused
        "A batch refuses a lifetime of -1."
        ["item-minus-one-allowed"] "open 5; batch [create a ttl=-1]";
    "seventeenth-null-upsert-inherits" NullUpsertInherits
        "An upsert takes a lifetime of null as none, in the edition that refuses it."
        ["item-null-rejected"] "open 5; upsert a ttl=null";
    "seventeenth-null-patch-removes" NullPatchRemoves
        "A patch takes a lifetime of null as its removal, in the edition that refuses it."
        ["item-null-rejected"] "open 5; create a ttl=9; patch a ttl=null";
    "seventeenth-null-conditional-replace-never" NullConditionalReplaceNever
        "A replace under an etag accepts a lifetime of null, in the edition that refuses it."
        ["item-null-rejected"] "open 5; create a; replace a ttl=null if-match";
    "seventeenth-null-2020-never" Null2020Never
        "In the older edition an item with null never expires."
        ["item-null-inherits"] "2020; open 5; create a ttl=null; +5; read a";
    "seventeenth-null-2020-keeps-own" Null2020KeepsOwn
        "In the older edition a replace with null keeps the lifetime that the item had."
        ["item-null-inherits"] "2020; open 9; create a ttl=2; replace a ttl=null; +2; read a";
    "seventeenth-null-2020-batch-refused" Null2020BatchRefused
        "In the older edition a batch refuses null."
        ["item-null-inherits"] "2020; open 5; batch [create a ttl=null]";
    "seventeenth-null-2020-patch-refused" Null2020PatchRefused
        "In the older edition a patch refuses null."
        ["item-null-inherits"] "2020; open 5; create a; patch a ttl=null";
    "seventeenth-null-2020-dropped" Null2020Dropped
        "In the older edition null is dropped from the item that is stored."
        ["inherited-ttl-not-written-back"] "2020; open 5; create a ttl=null; read a";
    "seventeenth-off-drops-ttl" OffDropsTtl
        "An item that is written while the container is off is shown without its lifetime."
        ["inherited-ttl-not-written-back"] "open off; create a ttl=3; read a";
    "seventeenth-never-dropped-from-body" NeverDroppedFromBody
        "A lifetime of -1 is dropped from an item in a container without a default, where it says nothing new."
        ["inherited-ttl-not-written-back"] "open -1; create a ttl=-1; read a";
    "seventeenth-patch-writes-default" PatchWritesDefault
        "A patch of an item without a lifetime stores the container's default in it."
        ["inherited-ttl-not-written-back"] "open 5; create a; patch a x=1; read a";
    "seventeenth-batch-create-writes-default" BatchCreateWritesDefault
        "A create in a batch fills in the container's default."
        ["inherited-ttl-not-written-back"] "open 5; batch [create a]; read a";
    "seventeenth-nested-ttl-counts" NestedTtlCounts
        "A create takes the lifetime from a nested property where the root has none."
        ["only-root-ttl-counts"] "open 5; create a x={\"ttl\":1}; +1; read a";
    "seventeenth-name-ignores-case" NameIgnoresCase
        "The names of properties are compared without regard to case, as those of columns."
        ["only-root-ttl-counts"] "open 5; create a TTL=1; +1; read a";
    "seventeenth-patch-alias" PatchAlias
        "A patch of `_ttl` sets the lifetime."
        ["only-root-ttl-counts"] "open 5; create a; patch a _ttl=1; +1; read a";
    "seventeenth-patch-removes-any-case" PatchRemovesAnyCase
        "A patch that removes `TTL` removes the effect of `ttl`."
        ["only-root-ttl-counts" "item-seconds-override"]
        "open 9; create a ttl=2 TTL=3; patch a -TTL; +2; read a";
    "seventeenth-parts-expire" PartsExpire
        "A nested object disappears from an item when as many seconds have passed as its own `ttl` says."
        ["whole-item-expires" "only-root-ttl-counts"] "open 9; create a x={\"ttl\":2}; +2; read a";
    "seventeenth-replace-takes-ts" ReplaceTakesTs
        "A replace stores the `_ts` that the client sends along."
        ["server-sets-ts"] "open 9; create a; replace a _ts=1; read a";
    "seventeenth-create-takes-later-ts" CreateTakesLaterTs
        "A create stores a client's `_ts` if it lies in the future."
        ["server-sets-ts"] "open 5; create a _ts=9999999999; +5; read a";
    "seventeenth-batch-upsert-takes-ts" BatchUpsertTakesTs
        "An upsert in a batch stores the `_ts` that the client sends along."
        ["server-sets-ts"] "open 9; batch [upsert a _ts=1]; read a";
    "seventeenth-patch-takes-ts" PatchTakesTs
        "A patch of `_ts` changes it."
        ["server-sets-ts"] "open 9; create a; patch a _ts=1; read a";
}
