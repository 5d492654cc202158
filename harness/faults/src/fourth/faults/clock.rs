//! Deadlines, timers and the wheel.

use super::{TimerFault, fault};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Patch, Replace, Settings, Upsert};
use crate::fourth::slip::{ANY, on, with_ttl, without_ttl};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("one-second-late", "Timers fire one second late.", &["gone-at-deadline", "hidden-immediately"], "open 5; create a; +5; read a; +1; read a", DeadlineMoves(1), ANY),
    fault("one-second-early", "Timers fire one second early.", &["visible-before-deadline", "gone-at-deadline"], "open 5; create a; +4; read a", DeadlineMoves(-1), ANY),
    fault("own-one-second-late", "The timer of an item's own `ttl` fires one second late.", &["gone-at-deadline", "hidden-immediately"], "open 5; create a ttl=3; +3; read a", DeadlineMoves(1), ANY.of(with_ttl)),
    fault("default-one-second-early-after-change", "A change of the default arms timers one second early.", &["visible-before-deadline", "raising-extends"], "open 5; create a; set 9; +8; read a", DeadlineMoves(-1), on(&[Settings]).of(without_ttl)),
    fault("upsert-one-second-early", "An upsert arms its timer one second early.", &["visible-before-deadline"], "open 5; upsert a; +4; read a", DeadlineMoves(-1), on(&[Upsert])),
    fault("ticks-of-ten", "The wheel has a tick of ten seconds, and timers wait for the next.", &["gone-at-deadline", "hidden-immediately"], "open 5; create a; +5; read a", RoundsUp(10), ANY),
    fault("ticks-of-a-minute-for-defaults", "Timers of the default wait for the next full minute.", &["gone-at-deadline", "hidden-immediately"], "open 5; create a; +5; read a", RoundsUp(60), ANY.of(without_ttl)),
    fault("ticks-rounded-down", "The wheel has a tick of four seconds, and timers fire at the one before.", &["visible-before-deadline"], "open 7; create a; +4; read a; +2; read a", RoundsDown(4), ANY),
    fault("days-cut", "A lifetime of a day or more is cut down to whole days.", &["visible-before-deadline"], "open 90000; create a; +86400; read a", DaysOf(86_400), ANY),
    fault("wraps-32", "A deadline beyond 32 bits with a sign wraps round into the past.", &["deadline-does-not-overflow", "visible-before-deadline"], "open -1; create a ttl=2147483647; read a", Wraps32, ANY),
    fault("wraps-32-on-change", "A change of the settings computes deadlines with 32 bits.", &["deadline-does-not-overflow", "visible-before-deadline"], "open 5; create a; set 2147483647; read a", Wraps32, on(&[Settings])),
    fault("wraps-unsigned-32", "Deadlines have 32 bits without a sign, and wrap once the clock is far enough.", &["deadline-does-not-overflow", "visible-before-deadline"], "open -1; +2000000000; create a ttl=1000000000; read a", WrapsUnsigned32, ANY),
    fault("clamps-32", "A deadline beyond 32 bits is cut down to the last second of 32 bits.", &["deadline-does-not-overflow", "visible-before-deadline"], "open -1; create a ttl=1000000000; +500000000; read a", Clamps32, ANY),
    fault("overflow-never", "A deadline beyond 32 bits arms no timer.", &["gone-at-deadline", "hidden-immediately"], "open -1; create a ttl=1000000000; +1000000000; read a", OverflowNever, ANY),
    fault("milliseconds-32", "Lifetimes are milliseconds of 32 bits, and wrap after 24 days.", &["visible-before-deadline", "item-seconds-override"], "open -1; create a ttl=3000000; read a", Milliseconds32, ANY),
    fault("floats", "Lifetimes are floats of 24 bits, and lose seconds.", &["visible-before-deadline", "item-seconds-override"], "open -1; create a ttl=16777217; +16777216; read a", Float24Bits, ANY),
    fault("horizon-wraps", "The wheel has a day of slots, and a longer lifetime goes round.", &["visible-before-deadline"], "open -1; create a ttl=100000; +13600; read a", HorizonWraps(86_400), ANY),
    fault("horizon-cuts", "No timer lies farther ahead than thirty days.", &["visible-before-deadline"], "open -1; create a ttl=7776000; +2592000; read a", Horizon(2_592_000), ANY),
    fault("horizon-never", "A timer farther ahead than two to the twentieth seconds is not armed.", &["gone-at-deadline", "hidden-immediately"], "open -1; create a ttl=1048577; +1048577; read a", HorizonNever(1 << 20), ANY),
    fault("counts-from-birth", "Timers count from the item's creation.", &["counted-from-last-write", "write-restarts-count"], "open 5; create a; +3; replace a; +2; read a", CountsFromBirth, ANY),
    fault("counts-from-birth-after-change", "A change of the default counts from the item's creation.", &["counted-from-last-write"], "open 50; create a; +3; replace a; set 5; +2; read a", CountsFromBirth, on(&[Settings])),
    fault("counts-from-opening", "Timers of the default count from the session's beginning.", &["counted-from-last-write", "visible-before-deadline"], "open 5; +3; create a; +2; read a", CountsFromOpening, ANY.of(without_ttl)),
    fault("counts-from-change", "The timer of a new item counts from the last change of the settings.", &["counted-from-last-write", "visible-before-deadline"], "open 5; +3; create a; +2; read a", TimerCountsFromChange, ANY),
    fault("stamps-minutes", "A write stamps the minute that has begun, and counts from it.", &["counted-from-last-write", "visible-before-deadline"], "open 50; +50; create a; +40; read a", StampsMinutes, ANY),
    fault("stamps-ahead", "A write stamps the next second, and counts from this one.", &["counted-from-last-write", "gone-at-deadline"], "open 5; create a; +2; upsert a; +5; read a", StampsAhead(1), on(&[Upsert])),
    fault("stamps-behind", "A batch stamps the second before.", &["counted-from-last-write"], "open 5; create z; batch [create a]; read a", StampsAhead(-1), ANY.batched()),
    fault("replace-lags", "A replace takes the time from a clock that is ten seconds slow, and `_ts` goes back.", &["ts-never-decreases", "counted-from-last-write"], "open 50; +20; create a; +3; replace a; read a", StampsAhead(-10), on(&[Replace])),
    fault("restored-ts", "A replace with a matching etag writes the second before the last write.", &["ts-never-decreases", "write-restarts-count"], "open 50; create a; replace a if-match; read a", StampsAhead(-1), on(&[Replace]).guarded()),
    fault("client-sets-ts", "A `_ts` that a client sends is taken over.", &["server-sets-ts"], "open 5; create a _ts=1600000000; read a", ClientSetsTs, ANY),
    fault("client-sets-ts-by-patch", "A patch can set `_ts`.", &["server-sets-ts"], "open 5; create a; patch a _ts=1600000000; read a", ClientSetsTs, on(&[Patch])),
    fault("client-sets-ts-by-replace", "A replace with a `_ts` in the future lives longer.", &["server-sets-ts"], "open 5; create a; replace a _ts=1700001000; +5; read a", ClientSetsTs, on(&[Replace])),
    fault("client-sets-anchor", "A `_ts` that a client sends is not shown, but the timer counts from it.", &["server-sets-ts"], "open 5; create a _ts=1699999998; read a; +3; read a", ClientSetsAnchor, ANY),
    fault("shows-milliseconds", "`_ts` is shown in milliseconds.", &["counted-from-last-write"], "open 5; create a; +1; create b; read b", ShowsMilliseconds, ANY),
];
