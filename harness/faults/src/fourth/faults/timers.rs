//! Timers that are not armed, and turns of the wheel that miss some.

use super::{TimerFault, fault};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Batch, Create, Delete, List, Patch, Query, Read, Replace, Settings, Upsert};
use crate::fourth::slip::{ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("upsert-arms-none", "An upsert arms no timer.", &["item-inherits-seconds", "item-seconds-override"], "open 5; upsert a; +5; read a", NeverArms, on(&[Upsert])),
    fault("batch-arms-none", "A batch arms no timer.", &["item-inherits-seconds", "item-seconds-override"], "open 5; batch [create a ttl=3]; +5; read a", NeverArms, ANY.batched()),
    fault("later-in-batch-arms-none", "Only the first operation of a batch arms its timer.", &["item-inherits-seconds", "item-seconds-override"], "open 5; batch [create a | create b ttl=3]; +5; read b", NeverArms, ANY.later()),
    fault("replace-under-condition-arms-none", "A conditional replace arms no timer.", &["item-inherits-seconds", "item-seconds-override"], "open 5; create a; replace a if-match; +5; read a", NeverArms, on(&[Replace]).guarded()),
    fault("one-timer-for-a-second", "The wheel holds one timer for each second: the last one armed.", &["hidden-immediately", "gone-at-deadline"], "open 5; create a; create b; +5; read a; read b", OneTimerForASecond, ANY),
    fault("one-timer-for-a-second-by-settings", "A change of settings builds a wheel with one timer for each second.", &["switching-on-hides-old-items", "hidden-immediately"], "open off; create a; create b; set 5; +5; read a; read b", OneTimerForASecond, on(&[Settings])),
    fault("one-timer-for-second-and-id", "The wheel knows timers by second and id, so two partitions share one.", &["identity-is-partition-and-id", "hidden-immediately"], "open 5; create a; in q create a; +5; read a; in q read a", OneTimerForSecondAndId, ANY),
    fault("wheel-of-three", "The wheel holds three timers; the fourth item never expires.", &["hidden-immediately", "gone-at-deadline"], "open 5; 4 create a; +5; query; read a3", WheelHolds(3), ANY),
    fault("wheel-of-sixteen", "The wheel holds sixteen timers; later items never expire.", &["hidden-immediately", "gone-at-deadline"], "open 5; 17 create a; +5; query", WheelHolds(16), ANY),
    fault("turn-fires-one", "Each request fires one timer at most.", &["hidden-immediately", "expired-not-in-queries"], "open 5; create a; create b; +5; query", TurnFires(1), ANY),
    fault("turn-fires-ten", "Each request fires ten timers at most.", &["hidden-immediately", "expired-not-in-queries"], "open 5; 12 create a; +5; query", TurnFires(10), ANY),
    fault("turn-fires-one-second", "Each request fires the timers of one second only.", &["hidden-immediately", "expired-not-in-queries"], "open 5; create a; +1; create b; +5; query", TurnFiresOneSecond, ANY),
    fault("wheel-stops", "The wheel turns only when expired items are removed.", &["hidden-immediately", "expired-read-not-found", "expired-not-in-queries"], "never; open 5; create a; +5; read a", WheelStops, ANY),
    fault("wheel-stops-in-reads", "A point read does not turn the wheel.", &["hidden-immediately", "expired-read-not-found"], "never; open 5; create a; +5; read a; query; read a", WheelStops, on(&[Read])),
    fault("wheel-stops-in-feeds", "Queries and lists do not turn the wheel.", &["hidden-immediately", "expired-not-in-queries"], "never; open 5; create a; +5; query; list", WheelStops, on(&[Query, List])),
    fault("wheel-stops-in-pages", "A request for a page does not turn the wheel.", &["hidden-immediately", "expired-not-in-queries"], "never; open 5; create a; +5; query by 3", WheelStops, ANY.paged()),
    fault("wheel-stops-in-batches", "A batch does not turn the wheel.", &["hidden-immediately", "expired-replace-not-found"], "never; open 5; create a; +5; batch [replace a]; read a", WheelStops, on(&[Batch])),
    fault("wheel-stops-in-writes", "Replace, patch and delete do not turn the wheel.", &["expired-replace-not-found", "expired-patch-not-found", "expired-delete-not-found"], "never; open 5; create a; +5; replace a; read a", WheelStops, on(&[Replace, Patch, Delete])),
    fault("wheel-stops-in-creates", "A create does not turn the wheel, and meets the expired item.", &["expired-id-is-free"], "never; open 5; create a; +5; create a", WheelStops, on(&[Create])),
    fault("fires-default-partition", "The wheel ignores timers outside the default partition.", &["hidden-immediately", "identity-is-partition-and-id"], "open 5; in q create a; +5; in q read a", FiresOnlyDefaultPartition, ANY),
    fault("fires-namesakes", "A timer expires the items with the same id in every partition.", &["identity-is-partition-and-id", "visible-before-deadline"], "open -1; create a ttl=3; in q create a; +3; in q read a", FiresNamesakes, ANY),
    fault("reads-linger", "A point read shows an item for one second more.", &["hidden-immediately", "expired-read-not-found"], "never; open 5; create a; +5; read a", Lingers(1), on(&[Read])),
    fault("queries-linger", "A query shows an item for two seconds more.", &["hidden-immediately", "expired-not-in-queries"], "never; open 5; create a; +6; query", Lingers(2), on(&[Query])),
    fault("lists-linger", "A list shows an item for a minute more.", &["hidden-immediately", "expired-not-in-queries"], "never; open 5; create a; +64; list", Lingers(60), on(&[List])),
    fault("deletes-linger", "A delete finds an item for one second more.", &["expired-delete-not-found", "hidden-immediately"], "never; open 5; create a; +5; delete a", Lingers(1), on(&[Delete])),
    fault("queries-hide-ahead", "A query hides an item one second early.", &["visible-before-deadline"], "open 5; create a; +4; query", HidesAhead(1), on(&[Query])),
    fault("pages-hide-ahead", "A page hides an item one second early.", &["visible-before-deadline"], "open 5; create a; +4; list by 2", HidesAhead(1), ANY.paged()),
    fault("patches-hide-ahead", "A patch does not find an item in its last second.", &["visible-before-deadline"], "open 5; create a; +4; patch a x=1", HidesAhead(1), on(&[Patch])),
    fault("creates-hide-ahead", "A create replaces an item in its last second.", &["visible-before-deadline"], "open 5; create a x=1; +4; create a; read a", HidesAhead(1), on(&[Create])),
    fault("batched-reads-hide-ahead", "A read in a batch does not find an item in its last second.", &["visible-before-deadline"], "open 5; create a; +4; batch [read a]", HidesAhead(1), on(&[Read]).batched()),
];
