//! Changes of the settings that arm timers wrongly, or touch items.

use super::{TimerFault, fault};
use crate::fourth::slip::DefaultKind::{Seconds};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::{Change, Touch, ANY, with_ttl, without_ttl};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("raise-keeps-timers", "A greater default does not reach the timers that are armed.", &["raising-extends", "current-settings-decide"], "open 5; create a; set 9; +5; read a", KeepsTimers(Change::Raise), ANY),
    fault("raise-keeps-timers-elsewhere", "A greater default does not reach timers outside the default partition.", &["raising-extends", "identity-is-partition-and-id"], "open 5; in q create a; set 9; +5; in q read a", KeepsTimers(Change::Raise), ANY.elsewhere()),
    fault("lower-keeps-timers", "A smaller default does not reach the timers that are armed.", &["switching-on-hides-old-items", "current-settings-decide"], "open 9; create a; set 5; +5; read a", KeepsTimers(Change::Lower), ANY),
    fault("off-keeps-timers", "Switching off leaves the timers in the wheel.", &["leaving-default-out-switches-off", "off-never-expires"], "open 5; create a; set off; +5; read a", KeepsTimers(Change::ToOff), ANY),
    fault("off-keeps-own-timers", "Switching off cancels only the timers of items that inherit.", &["leaving-default-out-switches-off", "off-never-expires"], "open 5; create a ttl=3; set off; +3; read a", KeepsTimers(Change::ToOff), ANY.of(with_ttl)),
    fault("minus-one-keeps-timers", "A change to -1 leaves the timers of items that inherit.", &["current-settings-decide", "item-inherits-no-default"], "open 5; create a; set -1; +5; read a", KeepsTimers(Change::ToMinusOne), ANY),
    fault("on-arms-no-own-timers", "Switching on does not arm timers of items that kept a `ttl`.", &["dormant-ttl-wakes"], "open off; create a ttl=3; set 9; +3; read a", KeepsTimers(Change::FromOff), ANY.of(with_ttl)),
    fault("on-arms-no-default-timers", "Switching on does not reach older items without `ttl`.", &["switching-on-hides-old-items", "current-settings-decide"], "open off; create a; set 5; +5; read a", KeepsTimers(Change::FromOff), ANY.of(without_ttl)),
    fault("on-again-arms-no-timers", "Switching on for the second time arms no timers of older items.", &["dormant-ttl-wakes", "switching-on-hides-old-items"], "open 5; create a; set off; set 5; +5; read a", KeepsTimers(Change::FromOff), ANY.after(Seconds)),
    fault("from-minus-one-arms-no-timers", "A change from -1 to seconds does not reach older items.", &["switching-on-hides-old-items", "current-settings-decide"], "open -1; create a; set 5; +5; read a", KeepsTimers(Change::FromMinusOne), ANY),
    fault("rearms-one", "A change reaches the first item only.", &["current-settings-decide", "switching-on-hides-old-items"], "open off; create a; create b; set 5; +5; read b", RearmsAtMost(1), ANY),
    fault("rearms-ten", "A change reaches ten items at most.", &["current-settings-decide", "raising-extends"], "open 5; 12 create a; set 9; +5; query", RearmsAtMost(10), ANY),
    fault("default-of-the-write", "An item lives by the default in force when it was written.", &["current-settings-decide"], "open 5; create a; set 9; +5; read a", DefaultOfTheWrite, ANY),
    fault("default-of-the-write-of-own", "An item with a `ttl` that was written while off never expires.", &["dormant-ttl-wakes", "current-settings-decide"], "open off; create a ttl=3; set 9; +3; read a", DefaultOfTheWrite, ANY.of(with_ttl)),
    fault("returns-later", "An item that one setting left hidden returns under the next one.", &["removed-never-returns"], "never; open 5; create a; +5; read a; set 100; read a; set off; read a", ReturnsLater, ANY),
    fault("change-touches-ts", "A change of the settings sets every `_ts` to now.", &["settings-do-not-touch-ts"], "open 5; create a; +3; set 9; read a", ChangeTouches(Change::Any, Touch::Ts), ANY),
    fault("on-restarts", "Switching on counts every lifetime from now.", &["dormant-ttl-wakes", "switching-on-hides-old-items"], "open off; create a ttl=5; +3; set -1; +2; read a", ChangeTouches(Change::FromOff, Touch::Timer), ANY),
    fault("lower-restarts", "A smaller default counts from the change.", &["switching-on-hides-old-items", "settings-do-not-touch-ts"], "open 9; create a; +3; set 5; +2; read a", ChangeTouches(Change::Lower, Touch::Timer), ANY),
    fault("raise-restarts", "A greater default counts from the change.", &["current-settings-decide", "gone-at-deadline"], "open 5; create a; +3; set 9; +6; read a", ChangeTouches(Change::Raise, Touch::Timer), ANY),
    fault("minus-one-restarts-own", "A change to -1 counts an item's own `ttl` from the change.", &["settings-do-not-touch-ts", "gone-at-deadline"], "open 9; create a ttl=5; +3; set -1; +2; read a", ChangeTouches(Change::ToMinusOne, Touch::Timer), ANY.of(with_ttl)),
    fault("change-touches-etag", "A change of the settings gives every item a new etag.", &["settings-do-not-touch-ts"], "open 5; create a; set 9; read a", ChangeTouches(Change::Any, Touch::Etag), ANY),
    fault("off-removes-ttl", "Switching off takes the `ttl` away from every item.", &["dormant-ttl-wakes", "settings-do-not-touch-ts"], "open 5; create a ttl=9; set off; read a", ChangeTouches(Change::ToOff, Touch::RemoveTtl), ANY),
    fault("on-writes-default", "Switching on writes the default into items without `ttl`.", &["settings-do-not-touch-ts", "inherited-ttl-not-written-back"], "open off; create a; set 5; read a", ChangeTouches(Change::FromOff, Touch::WriteDefault), ANY),
    fault("returning-touches-ts", "An item that comes back has a new `_ts`.", &["settings-do-not-touch-ts"], "never; open 5; create a; +5; read a; set 100; read a", ReturningTouches(Touch::Ts), ANY),
    fault("returning-touches-etag", "An item that comes back has a new etag.", &["settings-do-not-touch-ts"], "never; open 5; create a; +5; read a; set off; read a", ReturningTouches(Touch::Etag), ANY),
    fault("returning-loses-ttl", "An item that comes back has lost its `ttl`.", &["settings-do-not-touch-ts"], "never; open -1; create a ttl=5; +5; read a; set off; read a", ReturningTouches(Touch::RemoveTtl), ANY),
    fault("returning-leaves-feed", "An item that comes back is found by reads, but by no query.", &["visible-before-deadline", "off-never-expires"], "never; open 5; create a; +5; read a; set off; read a; query", FiringLeavesFeed, ANY),
];
