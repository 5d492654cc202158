//! Faults in when an item is expired, and in what a client sees then.

use super::CairnFault;
use super::flaw::CairnFlaw;

cairn_faults! { LOOK_FAULTS:
    "seventeenth-inherited-deadline-wraps" InheritedDeadlineWraps
        "The column of inherited deadlines has 32 bits with a sign."
        ["deadline-does-not-overflow" "visible-before-deadline"] "open 2147483647; create a; read a";
    "seventeenth-own-deadline-wraps" OwnDeadlineWraps
        "The deadline that follows from an item's own lifetime is computed in 32 bits without a sign."
        ["deadline-does-not-overflow"] "open -1; +500000000; create a ttl=2147483647; read a";
    "seventeenth-own-deadline-capped" OwnDeadlineCapped
        "No deadline of an own lifetime lies beyond the last second that 31 bits hold."
        ["deadline-does-not-overflow" "visible-before-deadline"]
        "open -1; create a ttl=2147483647; +447483647; read a";
    "seventeenth-ages-as-real" AgesAsReal
        "Ages and lifetimes are compared as numbers of single precision."
        ["visible-before-deadline"] "open -1; create a ttl=16777217; +16777216; read a";
    "seventeenth-query-at-deadline" QueryAtDeadline
        "A query still returns an item in the second of its deadline."
        ["gone-at-deadline" "expired-not-in-queries"] "open 5; create a; +5; query";
    "seventeenth-list-at-deadline" ListAtDeadline
        "A list still returns an item in the second of its deadline."
        ["gone-at-deadline" "expired-not-in-queries"] "open 5; create a; +5; list";
    "seventeenth-create-at-deadline" CreateAtDeadline
        "A create conflicts with an item in the second of its deadline."
        ["gone-at-deadline" "expired-id-is-free"] "open 5; create a; +5; create a";
    "seventeenth-delete-at-deadline" DeleteAtDeadline
        "A delete finds an item in the second of its deadline."
        ["gone-at-deadline" "expired-delete-not-found"] "open 5; create a; +5; delete a";
    "seventeenth-patch-at-deadline" PatchAtDeadline
        "A patch finds an item in the second of its deadline."
        ["gone-at-deadline" "expired-patch-not-found"] "open 5; create a; +5; patch a x=1";
    "seventeenth-batch-replace-at-deadline" BatchReplaceAtDeadline
        "A replace in a batch finds an item in the second of its deadline."
        ["gone-at-deadline" "expired-replace-not-found"] "open 5; create a; +5; batch [replace a]";
    "seventeenth-batch-read-at-deadline" BatchReadAtDeadline
        "A read in a batch finds an item in the second of its deadline."
        ["gone-at-deadline" "expired-read-not-found"] "open 5; create a; +5; batch [read a]";
    "seventeenth-query-early-inherited" QueryEarlyInherited
        "A query hides an item that inherits one second too early."
        ["visible-before-deadline" "item-inherits-seconds"] "open 5; create a; +4; query";
    "seventeenth-replace-early" ReplaceEarly
        "A replace does not find an item in its last second."
        ["visible-before-deadline"] "open 5; create a; +4; replace a";
    "seventeenth-query-shorter-of-both" QueryShorterOfBoth
        "A query applies the shorter of an item's own lifetime and the default."
        ["item-seconds-override"] "open 2; create a ttl=9; +2; query";
    "seventeenth-read-longer-of-both" ReadLongerOfBoth
        "A read applies the longer of an item's own lifetime and the default."
        ["item-seconds-override"] "open 9; create a ttl=2; +2; read a";
    "seventeenth-list-ignores-own-without-default" ListIgnoresOwnWithoutDefault
        "A list ignores own lifetimes in a container without a default."
        ["item-seconds-override" "expired-not-in-queries"] "open -1; create a ttl=2; +2; list";
    "seventeenth-count-skips-nulls" CountSkipsNulls
        "A count counts the column of deadlines, and so misses items without one."
        ["item-inherits-no-default" "item-minus-one-overrides"] "open 5; create a ttl=-1; create b; count";
    "seventeenth-count-all-partitions" CountAllPartitions
        "A count in one partition counts the items of all."
        ["identity-is-partition-and-id"] "open 5; create a; in q create b; count";
    "seventeenth-list-skips-never" ListSkipsNever
        "A list misses items with a lifetime of -1, for their comparison with now yields null."
        ["item-minus-one-overrides"] "open 5; create a ttl=-1; create b; list";
    "seventeenth-query-at-last-write" QueryAtLastWrite
        "A query sees the container as of the last write, its clock included."
        ["hidden-immediately" "expired-not-in-queries"] "open 5; create a; +7; query";
    "seventeenth-query-cursor-frozen" QueryCursorFrozen
        "Later pages of a query hold what was visible when the first one was made."
        ["expired-not-in-queries" "hidden-immediately"]
        "open -1; create a; create b ttl=2; query by 1; +2; query rest";
    "seventeenth-list-cursor-clock" ListCursorClock
        "Later pages of a list are judged by the clock of the first one."
        ["expired-not-in-queries" "hidden-immediately"]
        "open -1; create a; create b ttl=2; list by 1; +2; list rest";
    "seventeenth-list-cursor-settings" ListCursorSettings
        "Later pages of a list are judged by the settings of the first one."
        ["switching-on-hides-old-items" "current-settings-decide"]
        "open 9; create a; create b; list by 1; set 2; +2; list rest";
    "seventeenth-conditional-replace-revives" ConditionalReplaceRevives
        "A replace under the right etag does not look whether the item is expired."
        ["no-write-revives" "expired-replace-not-found"]
        "open 5; create a; +5; replace a if-match; read a";
    "seventeenth-batch-patch-revives" BatchPatchRevives
        "A patch in a batch does not look whether the item is expired."
        ["no-write-revives" "expired-patch-not-found"] "open 5; create a; +9; batch [patch a x=1]; read a";
    "seventeenth-conditional-delete-of-expired" ConditionalDeleteOfExpired
        "A delete under the right etag succeeds on an expired item."
        ["expired-delete-not-found"] "open 5; create a; +5; delete a if-match";
    "seventeenth-batch-create-conflicts" BatchCreateConflicts
        "A create in a batch conflicts with an expired item that is not removed yet."
        ["expired-id-is-free"] "open 5; create a; +9; batch [create a]";
    "seventeenth-create-conflicts-with-own" CreateConflictsWithOwn
        "A create conflicts with an expired item that had its own lifetime."
        ["expired-id-is-free"] "open 5; create a ttl=2; +9; create a";
    "seventeenth-batch-read-touches" BatchReadTouches
        "A read in a batch restarts the count."
        ["read-does-not-restart"] "open 5; create a; +3; batch [read a]; +2; read a";
    "seventeenth-query-touches" QueryTouches
        "A query restarts the count of the items that it returns."
        ["read-does-not-restart"] "open 5; create a; +3; query; +2; read a";
}
