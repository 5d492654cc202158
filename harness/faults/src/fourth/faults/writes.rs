//! Writes that restart the count wrongly, and refused requests that change something.

use super::{TimerFault, fault};
use crate::fourth::slip::DefaultKind::{Off};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Patch, Replace, Upsert};
use crate::fourth::slip::{ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("replace-keeps-timer", "A replace does not arm the timer again.", &["write-restarts-count"], "open 5; create a; +3; replace a; +2; read a", RewriteKeepsTimer, on(&[Replace])),
    fault("upsert-keeps-timer", "An upsert over an item does not arm the timer again.", &["write-restarts-count"], "open 5; create a; +3; upsert a; +2; read a", RewriteKeepsTimer, on(&[Upsert])),
    fault("batched-replace-keeps-timer", "A replace in a batch does not arm the timer again.", &["write-restarts-count"], "open 5; create a; +3; batch [replace a]; +2; read a", RewriteKeepsTimer, on(&[Replace]).batched()),
    fault("timer-stays-after-off", "Once the container was off, a write does not arm the timer again.", &["write-restarts-count"], "open 5; set off; set 5; create a; +3; replace a; +2; read a", RewriteKeepsTimer, on(&[Replace, Upsert]).after(Off)),
    fault("replace-leaves-timer", "A replace leaves the old timer in the wheel.", &["write-restarts-count", "visible-before-deadline"], "open 5; create a; +3; replace a; +2; read a", RewriteLeavesTimer, on(&[Replace])),
    fault("upsert-leaves-timer", "An upsert over an item leaves the old timer in the wheel.", &["write-restarts-count", "visible-before-deadline"], "open 5; create a; +3; upsert a ttl=100; +2; read a", RewriteLeavesTimer, on(&[Upsert])),
    fault("patched-minus-one-leaves-timer", "A patch to `ttl` -1 leaves the old timer in the wheel.", &["changed-ttl-counts-from-that-write", "item-minus-one-overrides"], "open 5; create a; patch a ttl=-1; +5; read a", TimerSurvivesMinusOne, on(&[Patch])),
    fault("minus-one-leaves-timer", "A replace or upsert with `ttl` -1 does not cancel the timer.", &["item-minus-one-overrides", "changed-ttl-counts-from-that-write"], "open 5; create a ttl=3; replace a ttl=-1; +3; read a", TimerSurvivesMinusOne, on(&[Replace, Upsert])),
    fault("replace-keeps-ts", "A replace arms the timer again, but shows the old `_ts`.", &["write-restarts-count"], "open 5; create a; +3; replace a; read a", TsStays, on(&[Replace])),
    fault("same-content-by-replace", "A replace with identical content is taken for no write.", &["identical-write-restarts-count"], "open 5; create a x=1; +3; replace a x=1; +2; read a", SameContentKeepsTimer, on(&[Replace])),
    fault("same-content-by-upsert", "An upsert with identical content is taken for no write.", &["identical-write-restarts-count"], "open 5; create a x=1; +3; upsert a x=1; +2; read a", SameContentKeepsTimer, on(&[Upsert])),
    fault("same-ttl", "A write that leaves the `ttl` as it was does not arm the timer again.", &["write-restarts-count"], "open 5; create a x=1 ttl=4; +3; replace a x=2 ttl=4; +1; read a", SameTtlKeepsTimer, on(&[Replace, Upsert])),
    fault("other-ttl-by-patch", "A patch to another `ttl` does not arm the timer again.", &["changed-ttl-counts-from-that-write"], "open 5; create a ttl=4; patch a ttl=9; +4; read a", OtherTtlKeepsTimer, on(&[Patch])),
    fault("other-ttl-by-replace", "A replace with another `ttl` does not arm the timer again.", &["changed-ttl-counts-from-that-write", "write-restarts-count"], "open 5; create a ttl=9; replace a ttl=3; +3; read a", OtherTtlKeepsTimer, on(&[Replace])),
    fault("other-ttl-by-batched-patch", "A patch in a batch to another `ttl` does not arm the timer again.", &["changed-ttl-counts-from-that-write"], "open 5; create a ttl=4; batch [patch a ttl=9]; +4; read a", OtherTtlKeepsTimer, on(&[Patch]).batched()),
    fault("only-later-timer", "A write can move the timer to a later second only.", &["changed-ttl-counts-from-that-write", "item-seconds-override"], "open -1; create a ttl=9; replace a ttl=3; +3; read a", OnlyLaterTimerCounts, ANY),
    fault("only-earlier-timer", "A write can move the timer to an earlier second only.", &["changed-ttl-counts-from-that-write", "write-restarts-count"], "open -1; create a ttl=3; upsert a ttl=9; +3; read a", OnlyEarlierTimerCounts, on(&[Upsert])),
    fault("adds-to-the-rest", "A write adds the lifetime to the seconds that are left.", &["write-restarts-count", "counted-from-last-write"], "open 5; create a; +2; upsert a; +5; read a", AddsToTheRest, on(&[Upsert])),
    fault("left-out-ttl-stays-by-upsert", "An upsert without `ttl` merges: the old one stays.", &["removed-ttl-inherits"], "open 5; create a ttl=9; upsert a; +5; read a", LeftOutTtlStays, on(&[Upsert])),
    fault("left-out-ttl-stays-by-replace", "A replace without `ttl` shows none, but the old one still counts.", &["removed-ttl-inherits"], "open 5; create a ttl=9; replace a; +5; read a", LeftOutTtlStaysHidden, on(&[Replace])),
    fault("left-out-ttl-stays-in-batch", "In a batch, an upsert without `ttl` leaves the old one in force.", &["removed-ttl-inherits"], "open 5; create a ttl=9; batch [upsert a]; +5; read a", LeftOutTtlStaysHidden, on(&[Upsert]).batched()),
    fault("left-out-ttl-stays-while-off", "A replace without `ttl` while the container is off leaves the old one for later.", &["removed-ttl-inherits"], "open off; create a ttl=9; replace a; set 5; +5; read a", LeftOutTtlStaysHidden, on(&[Replace]).under(Off)),
    fault("patch-removed-ttl-stays", "A patch that removes `ttl` changes only what is shown.", &["removed-ttl-inherits"], "open 9; create a ttl=3; patch a -ttl; +3; read a", RemovedTtlStays, ANY),
    fault("patch-removed-ttl-stays-in-batch", "In a batch, a patch that removes `ttl` changes only what is shown.", &["removed-ttl-inherits"], "open 9; create a ttl=3; batch [patch a -ttl]; +3; read a", RemovedTtlStays, ANY.batched()),
    fault("patch-removed-ttl-is-never", "An item whose `ttl` was removed by a patch never expires.", &["removed-ttl-inherits"], "open 5; create a ttl=3; patch a -ttl; +5; read a", RemovedTtlIsNever, ANY),
    fault("patched-ttl-ignored", "A patch of `ttl` changes only what is shown.", &["changed-ttl-counts-from-that-write", "item-seconds-override"], "open 9; create a; patch a ttl=3; +3; read a", PatchedTtlIgnored, ANY),
    fault("patched-ttl-ignored-while-off", "A patch of `ttl` while the container is off does not count later.", &["dormant-ttl-wakes", "item-seconds-override"], "open off; create a; patch a ttl=3; set 9; +3; read a", PatchedTtlIgnored, ANY.under(Off)),
    fault("patch-drops-ttl", "A patch of another property loses the `ttl`.", &["inherited-ttl-not-written-back", "item-seconds-override"], "open 9; create a ttl=3; patch a x=1; +3; read a", PatchDropsTtl, ANY),
    fault("conditional-patch-drops-ttl", "A conditional patch of another property loses the `ttl`.", &["inherited-ttl-not-written-back", "item-seconds-override"], "open 9; create a ttl=3; patch a x=1 if-match; +3; read a", PatchDropsTtl, ANY.guarded()),
];
