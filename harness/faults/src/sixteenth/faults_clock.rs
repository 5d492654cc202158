//! Faults in the arithmetic of deadlines, in `_ts` and in what restarts the count.

use super::HiveFault;
use super::slip::HiveSlip;

hive_faults! {
    CLOCK_FAULTS:
    "later-page-last-second" LaterPageLastSecond "All pages but the first still hold an item in the second of its deadline." ["gone-at-deadline" "expired-not-in-queries"] "open 5; create a ttl=-1; create b; query by 1; +5; query rest";
    "later-page-first-time" LaterPageFirstTime "All pages are judged by the time of the first one." ["hidden-immediately" "expired-not-in-queries"] "open 5; create a ttl=-1; create b; list by 1; +6; list rest";
    "own-ends-early-in-lists" OwnEndsEarlyInLists "A list leaves out an item with its own `ttl` in its last visible second." ["visible-before-deadline"] "open -1; create a ttl=2; +1; list";
    "deadline-of-32-bits" DeadlineOf32Bits "A deadline is a number of 32 bits without a sign." ["deadline-does-not-overflow"] "open -1; +500000000; create a ttl=2147483647; read a";
    "ts-of-32-bits" TsOf32Bits "`_ts` is a number of 32 bits with a sign, which is negative after 2038." ["server-sets-ts" "visible-before-deadline"] "open 9; +500000000; create a; read a";
    "sweep-timer-overflows" SweepTimerOverflows "The sweeper's timers count milliseconds in 32 bits: a lifetime that is longer ends with the next sweep." ["purge-only-expired"] "open -1; create a ttl=2147484; purge; read a";
    "patch-keeps-longest" PatchKeepsLongest "A patch that shortens `ttl` leaves the later deadline in force." ["changed-ttl-counts-from-that-write"] "open -1; create a ttl=9; patch a ttl=2; +2; read a";
    "old-timer-fires" OldTimerFires "The sweeper removes an item at the deadline of its first `ttl`, although a later write has lengthened it." ["purge-only-expired"] "open -1; create a ttl=2; replace a ttl=9; +2; purge; read a";
    "timer-survives-delete" TimerSurvivesDelete "The sweeper removes an item without `ttl` at the deadline of a deleted one with its id." ["purge-only-expired"] "open -1; create a ttl=2; delete a; create a; +2; purge; read a";
    "batch-last-message" BatchUsesLastMessage "A batch is stamped with the time of the partition's message before it." ["write-restarts-count" "server-sets-ts"] "open 5; create a; +3; batch [replace a]; +2; read a";
    "lists-last-message" ListsUseLastMessage "A list is judged by the time of the partition's message before it." ["hidden-immediately" "expired-not-in-queries"] "open 5; create a; +5; list";
    "same-replace-dropped" SameReplaceDropped "A conditional replace with the same content changes nothing." ["identical-write-restarts-count"] "open 5; create a; read a; +3; replace a if-match; +2; read a";
    "upsert-of-ttl-keeps-ts" UpsertOfTtlAloneKeepsTs "An upsert that changes nothing but `ttl` keeps `_ts`." ["write-restarts-count" "changed-ttl-counts-from-that-write"] "open -1; create a ttl=5; +3; upsert a ttl=4; +1; read a";
    "delete-and-create-coalesce" DeleteAndCreateCoalesce "A batch that deletes an item and creates it again keeps its `_ts`." ["counted-from-last-write" "server-sets-ts"] "open 5; create a; +3; batch [delete a | create a]; +2; read a";
    "batch-client-ts" BatchTakesClientTs "A create in a batch takes the `_ts` that the client sends." ["server-sets-ts"] "open 5; batch [create a _ts=-9]; read a";
    "upsert-later-ts" UpsertTakesLaterTs "An upsert takes the `_ts` that the client sends, if it is later than now." ["server-sets-ts"] "open 5; upsert a _ts=9999999999; +5; read a";
    "batch-patch-ts" BatchPatchTakesTs "A patch in a batch sets `_ts`." ["server-sets-ts" "ts-never-decreases"] "open 5; create a; batch [patch a _ts=-9]; read a";
    "batch-read-touches" BatchReadTouches "A read in a batch restarts the count." ["read-does-not-restart"] "open 5; create a; +3; batch [read a]; +2; read a";
    "pages-touch" PagesTouch "A page restarts the count of the items on it." ["read-does-not-restart"] "open 5; create a; +3; query by 1; +2; read a";
    "stale-delete-touches" StaleDeleteTouches "A delete under a stale etag restarts the count." ["failed-write-does-not-restart" "item-rejected-stores-nothing"] "open 5; create a; read a; replace a; read a; +3; delete a if-stale; +2; read a";
    "batch-conflict-touches" BatchConflictTouches "A create in a batch that meets a living item restarts its count, although the batch is aborted." ["failed-write-does-not-restart" "item-rejected-stores-nothing"] "open 5; create a; +3; batch [create a]; +2; read a";
    "undo-keeps-ts" UndoKeepsTs "An aborted batch takes back what it wrote, and not the `_ts`." ["failed-write-does-not-restart" "item-rejected-stores-nothing"] "open 5; create a; +3; batch [replace a x=1 | create a]; +2; read a";
    "list-uses-default" ListsUseDefault "A list judges each item by the default, unless its `ttl` is -1." ["item-seconds-override" "expired-not-in-queries"] "open 9; create a ttl=2; +2; list";
    "count-uses-default" CountUsesDefault "A count judges each item by the default, unless its `ttl` is -1." ["item-seconds-override" "visible-before-deadline"] "open 5; create a ttl=9; +5; count";
    "sweeps-early" SweepsEarly "The sweeper removes an item in its last visible second." ["purge-only-expired"] "open 5; create a; +4; purge; read a";
    "sweeps-minus-one" SweepsMinusOne "The sweeper takes `ttl` -1 as none, and removes the item when the default has passed." ["purge-only-expired" "item-minus-one-overrides"] "open 5; create a ttl=-1; +5; purge; read a";
    "off-writes-keep-ts" OffWritesKeepTs "While the container is off, a replace keeps `_ts`, because nothing is counted." ["write-restarts-count" "dormant-ttl-wakes"] "open off; create a; +5; replace a; set 5; read a";
    "never-writes-keep-ts" NeverWritesKeepTs "A replace of an item with `ttl` -1 keeps `_ts`, because nothing is counted." ["write-restarts-count"] "open 5; create a ttl=-1; +5; replace a; read a";
    "conditional-patch-keeps-ts" ConditionalPatchKeepsTs "A patch under an etag keeps `_ts`, so that a new `ttl` counts from the write before." ["changed-ttl-counts-from-that-write"] "open -1; create a; read a; +5; patch a ttl=3 if-match; read a";
}
