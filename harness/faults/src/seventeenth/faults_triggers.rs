//! Faults of the triggers on a change of settings.

use super::CairnFault;
use super::flaw::CairnFlaw;

cairn_faults! { TRIGGER_FAULTS:
    "seventeenth-raise-ignored" RaiseIgnored
        "A larger default does not change the deadlines that are stored."
        ["raising-extends" "current-settings-decide"] "open 3; create a; set 9; +3; read a";
    "seventeenth-lower-ignored" LowerIgnored
        "A smaller default does not change the deadlines that are stored."
        ["switching-on-hides-old-items" "current-settings-decide"] "open 9; create a; set 3; +3; read a";
    "seventeenth-switch-on-skips-old" SwitchOnSkipsOld
        "Items that were written while time to live was off get no deadline when it is switched on."
        ["switching-on-hides-old-items" "current-settings-decide"] "open off; create a; set 3; +3; read a";
    "seventeenth-from-minus-one-skips" FromMinusOneSkips
        "A first default in seconds after -1 does not reach the items that are there."
        ["current-settings-decide" "item-inherits-seconds"] "open -1; create a; set 3; +3; read a";
    "seventeenth-minus-one-skips-trigger" MinusOneSkipsTrigger
        "A change of the default to -1 leaves the deadlines that are stored."
        ["item-inherits-no-default" "current-settings-decide"] "open 3; create a; set -1; +3; read a";
    "seventeenth-raise-twice-adds-twice" RaiseTwiceAddsTwice
        "A larger default adds its difference from the one under which the item was written, each time."
        ["current-settings-decide" "gone-at-deadline"] "open 3; create a; set 5; set 9; +9; read a";
    "seventeenth-trigger-one-partition" TriggerOnePartition
        "A new default reaches only the items of the default partition."
        ["current-settings-decide" "switching-on-hides-old-items"]
        "open 9; in q create a; set 3; +3; in q read a";
    "seventeenth-trigger-first-portion" TriggerFirstPortion
        "A new default reaches only the first hundred items, for the update is done in portions."
        ["current-settings-decide" "switching-on-hides-old-items"] "open 9; 120 create a; set 3; +3; query";
    "seventeenth-switch-on-counts-from-now" SwitchOnCountsFromNow
        "Items that inherit live from the instant at which time to live is switched on."
        ["switching-on-hides-old-items" "counted-from-last-write"]
        "open off; create a; +2; set 3; +1; read a";
    "seventeenth-raise-counts-from-now" RaiseCountsFromNow
        "A larger default counts from the instant of the change."
        ["raising-extends" "counted-from-last-write"] "open 5; create a; +3; set 6; +3; read a";
    "seventeenth-from-minus-one-counts-from-now" FromMinusOneCountsFromNow
        "A first default in seconds after -1 counts from the instant of the change."
        ["switching-on-hides-old-items" "counted-from-last-write"]
        "open -1; create a; +3; set 5; +2; read a";
    "seventeenth-same-default-restarts" SameDefaultRestarts
        "A change of the indexing alone restarts the count of items that inherit."
        ["counted-from-last-write" "settings-do-not-touch-ts"]
        "open 5; create a; +3; set 5 lazy; +2; read a";
    "seventeenth-return-to-first-ignored" ReturnToFirstIgnored
        "A return to the default that the container was created with is taken as no change."
        ["current-settings-decide"] "open 5; create a; set 9; set 5; +5; read a";
    "seventeenth-trigger-misses-same-second" TriggerMissesSameSecond
        "A new default reaches only the items that were written in an earlier second."
        ["current-settings-decide"] "open 9; +1; create a; set 3; +3; read a";
    "seventeenth-setting-bumps-version" SettingBumpsVersion
        "A change of the settings gives new etags to the items that inherit."
        ["settings-do-not-touch-ts"] "open 5; create a; set 9; replace a if-match";
    "seventeenth-off-restamps" OffRestamps
        "Switching time to live off sets the `_ts` of all items to now."
        ["settings-do-not-touch-ts"] "open 5; create a; +3; set off; set 5; +2; read a";
    "seventeenth-off-drops-own" OffDropsOwn
        "Switching time to live off empties the table of own lifetimes."
        ["dormant-ttl-wakes"] "open 9; create a ttl=2; set off; set 9; +2; read a";
    "seventeenth-off-strips-content" OffStripsContent
        "Switching time to live off takes `ttl` out of all documents."
        ["settings-do-not-touch-ts" "inherited-ttl-not-written-back"]
        "open 9; create a ttl=5; set off; read a";
    "seventeenth-dormant-counts-from-switch" DormantCountsFromSwitch
        "A lifetime that slept while time to live was off counts from the instant at which it is switched on."
        ["dormant-ttl-wakes"] "open off; create a ttl=3; +2; set 9; +1; read a";
    "seventeenth-prunes-redundant-own" PrunesRedundantOwn
        "A new default drops the lifetimes that are equal to it, and so the items follow later ones."
        ["item-minus-one-overrides" "item-seconds-override"]
        "open 5; create a ttl=-1; set -1; set 5; +5; read a";
    "seventeenth-index-change-loses-others" IndexChangeLosesOthers
        "A change of the indexing builds the table again from the default partition alone."
        ["settings-do-not-touch-ts" "visible-before-deadline"]
        "open 5; in q create a; set 5 lazy; in q read a";
    "seventeenth-switch-on-unindexes" SwitchOnUnindexes
        "Under consistent indexing, queries miss older items after time to live was switched on."
        ["visible-before-deadline" "settings-do-not-touch-ts"] "open off; create a; set 5; query";
}
