//! Removal in the background, pages and counts.

use super::{TimerFault, fault};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{List, Query};
use crate::fourth::slip::{ANY, on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("purges-old-queue", "The queue of removal outlives a change of settings, and a visible item is removed.", &["purge-only-expired", "raising-extends"], "never; open 5; create a; +5; read a; set 100; replace a; purge; read a", PurgesOldQueue, ANY),
    fault("purges-by-name", "The queue of removal holds names, and removes the item that was created again.", &["purge-spares-recreated"], "never; open 5; create a; +5; read a; create a; purge; read a", PurgesByName, ANY),
    fault("purges-ahead", "Removal takes items that have one second left.", &["purge-only-expired"], "never; open 5; create a; +4; purge; read a", PurgesAhead(1), ANY),
    fault("purges-by-default", "Removal looks at the default alone.", &["purge-only-expired"], "never; open 5; create a ttl=-1; +5; purge; read a", PurgesByDefault, ANY),
    fault("purges-by-old-default", "After a change of the default, removal still follows the one before.", &["purge-only-expired"], "never; open 5; create a; set 9; +5; purge; read a", PurgesByOldDefault, ANY),
    fault("purges-while-off", "Removal takes items by their own `ttl` while the container is off.", &["purge-only-expired", "off-never-expires"], "never; open off; create a ttl=5; +5; purge; read a", PurgesWhileOff, ANY),
    fault("purge-takes-namesakes", "Removal takes the items with that id in every partition.", &["identity-is-partition-and-id", "purge-only-expired"], "never; open -1; create a ttl=5; in q create a; +5; purge; in q read a", PurgeTakesNamesakes, ANY),
    fault("purge-takes-neighbour", "Removal takes the next item of the feed as well.", &["purge-only-expired", "identity-is-partition-and-id"], "never; open -1; create a ttl=5; create b; +5; purge; read b", PurgeTakesNeighbour, ANY),
    fault("purge-leaves-feed", "Removal forgets the feed, and queries show removed ids.", &["expired-not-in-queries", "purge-invisible"], "never; open 5; create a; +5; purge; query", PurgeLeavesFeed, ANY),
    fault("purge-keeps-name", "The name of a removed item stays taken.", &["expired-id-is-free", "purge-invisible"], "never; open 5; create a; +5; purge; create a", PurgeKeepsName, ANY),
    fault("purge-touches", "Removal sets the `_ts` of the items that it passes.", &["purge-invisible", "counted-from-last-write"], "never; open -1; create a; +5; purge; read a", PurgeTouches, ANY),
    fault("purge-disarms", "Removal empties the wheel, and later items are never expired.", &["hidden-immediately", "purge-invisible"], "never; open 5; create a; +3; create b; +2; purge; +3; read b", PurgeDisarms, ANY),
    fault("pages-of-a-snapshot", "Later pages show items that have expired since the first one.", &["expired-not-in-queries", "hidden-immediately"], "never; open 5; create a; +1; create b; +1; create c ttl=2; query by 1; +3; query rest", PagesOfASnapshot, ANY),
    fault("empty-page-ends", "Expired items count for the size of a page, and an empty page is the last one.", &["visible-before-deadline", "purge-invisible"], "never; open -1; create a ttl=3; create b; +3; list by 1; list rest", EmptyPageEnds, ANY),
    fault("feed-stops-at-expired", "A query ends at the first expired item of the feed.", &["visible-before-deadline", "purge-invisible"], "never; open -1; create a ttl=3; create b; +3; query", FeedStopsAtExpired, on(&[Query])),
    fault("list-skips-after-expired", "A list skips the item that follows an expired one.", &["visible-before-deadline", "purge-invisible"], "never; open -1; create a ttl=3; create b; create c; +3; list", FeedSkipsAfterExpired, on(&[List])),
    fault("count-subtracts-twice", "A count subtracts expired items twice: when they expire, and once more.", &["visible-before-deadline"], "never; open -1; create a ttl=3; create b; create c; +3; count", CountSubtractsTwice, ANY),
    fault("count-ignores-timers", "A count leaves out the items that have a timer.", &["visible-before-deadline"], "open -1; create a ttl=3; create b; count", CountIgnoresTtlItems, ANY),
];
