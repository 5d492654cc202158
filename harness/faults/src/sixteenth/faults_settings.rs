//! Faults in the container's settings and their changes.

use super::HiveFault;
use super::slip::HiveSlip;

hive_faults! {
    SETTING_FAULTS:
    "set-zero" SetZeroIsOff "A replace of the container takes `defaultTtl` 0 as off." ["container-zero-rejected"] "open 5; set 0";
    "set-below" SetBelowIsNoDefault "A replace of the container takes a `defaultTtl` below -1 as -1." ["container-below-minus-one-rejected"] "open 5; set -2";
    "set-above" SetAboveIsMost "A replace of the container takes a `defaultTtl` above the maximum as the maximum." ["container-above-maximum-rejected"] "open 5; set 2147483648";
    "default-truncates" DefaultTruncates "`defaultTtl` is read as a number of 32 bits." ["container-above-maximum-rejected"] "open 4294967295";
    "default-exponent" ExponentDefaultUnchecked "A `defaultTtl` above the maximum is taken as -1 if it is written with an exponent." ["container-above-maximum-rejected"] "open 3e9";
    "set-most" SetMostExclusive "A replace of the container refuses the greatest `defaultTtl` that is allowed." ["container-seconds-range"] "open 5; set 2147483647";
    "null-is-no-default" NullIsNoDefault "A replace of the container takes a null as `defaultTtl` as -1." ["off-never-expires"] "open 5; create a ttl=1; set null; +1; read a";
    "null-keeps-default" NullKeepsDefault "A replace of the container with a null as `defaultTtl` succeeds and keeps the default." ["off-never-expires"] "open 5; create a; set null; +5; read a";
    "told-before-check" ToldBeforeCheck "The partitions are told a new default before it is checked, and keep it when it is refused." ["container-rejected-leaves-container"] "open 9; create a; set 0; read a";
    "refusal-switches-off" RefusalSwitchesOff "Refused settings leave the container off." ["container-rejected-leaves-container"] "open 5; create a; set -2; +5; read a";
    "refused-indexing-keeps-default" RefusedIndexingKeepsDefault "Settings that are refused for their indexing mode change the default all the same." ["container-rejected-leaves-container"] "open 5; create a; set 9 none; +5; read a";
    "none-with-minus-one" NoneWithNoDefault "Indexing mode none goes with `defaultTtl` -1, because no item expires by itself." ["ttl-needs-an-index"] "open -1 none";
    "none-stays-none" NoneStaysNone "A `defaultTtl` is taken under indexing mode none if the mode was none before." ["ttl-needs-an-index"] "open off none; set 5 none";
    "none-compares-old" NoneComparesOldDefault "Indexing mode none is refused if the container was on before, although the request switches it off." ["leaving-default-out-switches-off"] "open 5; set off none";
    "old-none-blocks" OldNoneBlocks "A `defaultTtl` is refused if the indexing mode was none before, although the request sets it to consistent." ["indexed-modes-allow-ttl"] "open off none; set 5";
    "lazy-needs-default" LazyNeedsDefault "Lazy indexing goes with a default of seconds, and not with -1." ["indexed-modes-allow-ttl"] "open 5 lazy; set -1 lazy";
    "queries-hide-while-off" QueriesHideWhileOff "While the container is off, queries leave out items whose own `ttl` has passed." ["off-never-expires"] "open off; create a ttl=1; +1; query";
    "count-hides-while-off" CountHidesWhileOff "While the container is off, a count leaves out items whose own `ttl` has passed." ["off-never-expires"] "open off; create a ttl=1; +1; count";
    "sweeps-while-off" SweepsWhileOff "The sweeper removes items whose own `ttl` has passed while the container is off." ["off-never-expires" "purge-only-expired"] "open off; create a ttl=1; +1; purge; read a";
    "lowering-caps-own" LoweringCapsOwn "Lowering the default lowers each longer `ttl` of an item to it." ["item-seconds-override"] "open 9; create a ttl=7; set 3; +3; read a";
    "lowering-drops-minus-one" LoweringDropsMinusOne "Lowering the default makes items with `ttl` -1 inherit." ["item-minus-one-overrides"] "open 9; create a ttl=-1; set 3; +3; read a";
    "learns-with-writes" LearnsWithWrites "A partition learns new settings with its next write." ["current-settings-decide"] "open 5; create a; set 9; +5; read a";
    "new-actors-take-first" NewActorsTakeFirst "A partition that is used for the first time starts with the settings of the container's creation." ["current-settings-decide"] "open 5; set 9; in q create a; +5; in q read a";
    "empty-actors-not-told" EmptyActorsNotTold "A partition that holds no item is not told new settings." ["current-settings-decide"] "open 5; create a; delete a; set 9; create a; +5; read a";
    "told-once-each" ToldOnceEach "A partition takes settings that it had before as repeated, and drops them." ["current-settings-decide"] "open 5; create a; set 9; set 5; +5; read a";
    "same-default-after-off" SameDefaultAfterOff "An item that was written under a default does not expire when the container is switched off and on again with the same default." ["current-settings-decide" "item-inherits-seconds"] "open 5; create a; set off; set 5; +5; read a";
    "off-told-to-one" OffToldToOneAlone "Named partitions are not told that the container is off." ["leaving-default-out-switches-off" "off-never-expires"] "open 5; in q create a; set off; +5; in q read a";
    "emptied-actor-starts-anew" EmptiedActorStartsAnew "A partition that the sweeper has emptied starts again with the settings of the container's creation." ["current-settings-decide" "purge-invisible"] "open 5; create a; set 9; +9; purge; create a; +5; read a";
    "own-wakes-from-switch" OwnWakesFromSwitch "An item's `ttl` counts from the moment at which the container is switched on." ["dormant-ttl-wakes"] "open off; create a ttl=2; +2; set -1; read a";
    "inherited-from-switch" InheritedCountsFromSwitch "The default counts from the moment at which the container is switched on." ["switching-on-hides-old-items" "counted-from-last-write"] "open off; create a; +5; set 5; read a";
    "second-off-forgets" SecondOffForgets "When the container is switched off a second time, items lose their own lifetime." ["dormant-ttl-wakes"] "open -1; create a ttl=2; set off; set -1; set off; set -1; +2; read a";
    "none-forgets-ttl" NoneForgetsTtl "Indexing mode none drops the table of lifetimes, so that a `ttl` does not wake later." ["dormant-ttl-wakes"] "open 5; create a ttl=2; set off none; set -1; +2; read a";
    "batch-freezes-default" BatchFreezesDefault "An item that is written in a batch keeps the default of that moment." ["current-settings-decide" "raising-extends"] "open 5; batch [create a]; set 9; +5; read a";
    "patch-freezes-default" PatchFreezesDefault "A patched item keeps the default of that moment." ["current-settings-decide" "raising-extends"] "open 5; create a; patch a x=1; set 9; +5; read a";
    "finite-stays-finite" FiniteStaysFinite "Items that inherit a default of seconds keep it when the default becomes -1." ["item-inherits-no-default" "current-settings-decide"] "open 5; create a; set -1; +5; read a";
    "raising-from-change" RaisingCountsFromChange "A raised default counts from the moment at which it is raised." ["counted-from-last-write" "item-inherits-seconds"] "open 5; create a; +3; set 9; +6; read a";
    "lowering-spares-overdue" LoweringSparesOverdue "Items that a lowered default would hide at once keep the old one." ["switching-on-hides-old-items"] "open 9; create a; +4; set 3; read a";
    "mode-change-restamps" ModeChangeRestamps "A change of the indexing mode writes each item again, with a new `_ts`." ["settings-do-not-touch-ts"] "open 5; create a; +3; set 5 lazy; +2; read a";
    "default-changes-etags" DefaultChangesEtags "A change of the default gives each item a new etag." ["settings-do-not-touch-ts"] "open 5; create a; read a; set 9; read a";
    "lazy-reads-lag" LazyReadsLag "Under lazy indexing, the first point read after a change of the default finds nothing." ["raising-extends" "visible-before-deadline"] "open 5 lazy; create a; set 9 lazy; read a";
    "consistent-queries-lag" ConsistentQueriesLag "Under consistent indexing, the first query after a change of the default finds nothing." ["raising-extends" "visible-before-deadline"] "open 5; create a; set 9; query";
    "queries-use-old-default" QueriesUseOldDefault "Queries judge an item by the default that was in force when it was written." ["current-settings-decide" "raising-extends"] "open 5; create a; set 9; +5; query";
    "latch-toggles" LatchToggles "An item that one change of the settings leaves gone comes back with the next one." ["removed-never-returns"] "never; open 5; create a; +5; set off; read a; set -1; read a";
    "queries-show-gone" QueriesShowGone "Once the settings would show an expired item again, queries show it and point reads do not." ["removed-never-returns"] "never; open 5; create a; +5; set off; read a; query";
    "return-restamps" ReturnRestamps "An item that comes back with a change of the settings has a new `_ts`." ["settings-do-not-touch-ts"] "never; open 5; create a; read a; +5; set off; read a";
    "gone-blocks-create" GoneBlocksCreate "An item that is gone after a change of the settings still blocks its id." ["expired-id-is-free"] "never; open 5; create a; +5; set off; read a; create a";
    "created-absent-is-no-default" CreatedAbsentIsNoDefault "A container that is created without `defaultTtl` is on without a default." ["container-absent-is-off" "off-never-expires"] "open off; create a ttl=1; +1; read a";
    "set-minus-one-is-off" SetMinusOneIsOff "A replace of the container takes `defaultTtl` -1 as off." ["container-minus-one-is-on-without-default"] "open 5; create a ttl=1; set -1; +1; read a";
    "refusal-empties-index" RefusalEmptiesIndex "Refused settings leave the index empty, because it is dropped before they are checked." ["container-rejected-leaves-container"] "open 5; create a; set 0; query";
    "same-settings-restart" SameSettingsRestart "A replace of the container with the settings that it has restarts the count of all items." ["settings-do-not-touch-ts" "counted-from-last-write"] "open 5; create a; +3; set 5; +2; read a";
    "one-change-at-a-time" OneChangeAtATime "A replace of the container that changes the indexing mode and the default changes neither for items that are there." ["current-settings-decide"] "open 5; create a; set 9 lazy; +5; read a";
    "settings-version-is-second" SettingsVersionIsSecond "The version of the settings is their second, so that of two changes in one second the later is lost." ["current-settings-decide"] "open 5; create a; set 9; set 3; +3; read a";
    "return-forgets-ttl" ReturnForgetsTtl "An item that comes back when the container is switched off has lost its own lifetime." ["dormant-ttl-wakes"] "never; open -1; create a ttl=2; +2; set off; set -1; read a";
    "later-page-first-settings" LaterPageFirstSettings "All pages are judged by the settings at the first one." ["switching-on-hides-old-items" "expired-not-in-queries"] "open 9; create a ttl=-1; create b; +5; query by 1; set 3; query rest";
    "most-is-never" MostIsNever "The greatest lifetime stands for none." ["item-inherits-seconds" "item-seconds-override" "gone-at-deadline"] "open -1; create a ttl=2147483647; +2147483647; read a";
    "equal-ttl-inherits" EqualTtlInherits "A `ttl` equal to the default is taken as none, and follows the default when it changes." ["item-seconds-override"] "open 5; create a ttl=5; set 9; +5; read a";
    "lowering-spares-that-age" LoweringSparesThatAge "A lowered default hides at once what is older, and spares items of just that age." ["switching-on-hides-old-items"] "open 9; create a; +3; set 3; read a";
    "no-default-spares-overdue" NoDefaultSparesOverdue "When a default of -1 becomes one of seconds, items that would be hidden at once are spared." ["current-settings-decide" "item-inherits-seconds"] "open -1; create a; +4; set 3; read a";
    "sweeps-by-old-default" SweepsByOldDefault "The sweeper judges an item without `ttl` by the default that was in force when it was written." ["purge-only-expired" "current-settings-decide"] "open 5; create a; set 9; +5; purge; read a";
}
