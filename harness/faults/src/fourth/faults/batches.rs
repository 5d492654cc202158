//! Batches that are refused, and those that take effect.

use cosmos_ttl_harness::target::Status;

use super::{TimerFault, fault};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::{ANY, with_ttl};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("abort-keeps-all-of-bad-value", "A batch that ends at a bad `ttl` keeps the operations before it.", &["item-rejected-stores-nothing"], "open 5; batch [create a | create b ttl=0]; read a", AbortKeepsAll(Status::BadRequest), ANY),
    fault("abort-keeps-all-of-conflict", "A batch that ends at a conflict keeps the operations before it.", &["item-rejected-stores-nothing", "failed-write-does-not-restart"], "open 5; create b; create c; +3; batch [replace c | create b]; +2; read c", AbortKeepsAll(Status::Conflict), ANY),
    fault("abort-keeps-all-of-missing", "A batch that ends at an expired item keeps the operations before it.", &["item-rejected-stores-nothing", "failed-write-does-not-restart"], "never; open 5; create b; +3; create c; +2; batch [upsert c x=1 | replace b]; read c", AbortKeepsAll(Status::NotFound), ANY),
    fault("abort-undoes-last-only", "A refused batch undoes its last write only.", &["item-rejected-stores-nothing"], "open 5; create z; batch [create a | create b | create z]; query", AbortUndoesLastOnly, ANY),
    fault("abort-undoes-once-only", "A refused batch goes back to the item's state between two of its writes.", &["item-rejected-stores-nothing", "failed-write-does-not-restart"], "open 5; create a x=1; batch [replace a x=2 | replace a x=3 | create a]; read a", AbortUndoesOnceOnly, ANY),
    fault("abort-leaves-new", "A refused batch leaves the items that it created.", &["item-rejected-stores-nothing"], "open 5; create z; batch [create a | create z]; read a", AbortLeavesNew, ANY),
    fault("abort-leaves-rewritten", "A refused batch leaves the items as it wrote them.", &["item-rejected-stores-nothing", "failed-write-does-not-restart"], "open 5; create a x=1; batch [replace a x=2 | create a]; read a", AbortLeavesRewritten, ANY),
    fault("abort-leaves-deleted", "A refused batch does not bring back the items that it deleted.", &["item-rejected-stores-nothing"], "open 5; create a; create z; batch [delete a | create z]; read a", AbortLeavesDeleted, ANY),
    fault("abort-leaves-feed", "A refused batch leaves its new items in the feed.", &["item-rejected-stores-nothing"], "open 5; create z; batch [create a | create z]; query", AbortLeavesFeed, ANY),
    fault("abort-leaves-name", "A refused batch leaves the names of its new items taken.", &["item-rejected-stores-nothing"], "open 5; create z; batch [create a | create z]; create a", AbortLeavesName, ANY),
    fault("abort-leaves-timer", "A refused batch leaves the timers of its new items.", &["item-rejected-stores-nothing", "visible-before-deadline"], "open 50; create z; batch [create a ttl=3 | create z]; create a; +3; read a", AbortLeavesTimer, ANY),
    fault("abort-revives", "A refused batch that wrote over an expired item brings it back to life.", &["no-write-revives", "hidden-immediately"], "never; open 5; create a; +5; create z; batch [create a | create z]; read a", AbortRevives, ANY),
    fault("abort-revives-elsewhere", "Outside the default partition, a refused batch revives the expired item that it wrote over.", &["no-write-revives", "hidden-immediately"], "never; open 5; in q create a; +5; in q create z; in q batch [upsert a | create z]; in q read a", AbortRevives, ANY.elsewhere()),
    fault("abort-keeps-new-timer", "A refused batch leaves the new timers of items that it wrote.", &["failed-write-does-not-restart", "item-rejected-stores-nothing"], "open 5; create a; +3; create z; batch [replace a | create z]; +2; read a", AbortKeepsNewTimer, ANY),
    fault("abort-keeps-new-ts", "A refused batch restores the content, but not `_ts`.", &["failed-write-does-not-restart", "item-rejected-stores-nothing"], "open 5; create a; +3; create z; batch [replace a | create z]; read a", AbortKeepsNewTs, ANY),
    fault("abort-disarms", "A refused batch arms no timer of what it restores.", &["failed-write-does-not-restart", "hidden-immediately"], "open 5; create a; create z; batch [replace a | create z]; +5; read a", AbortDisarms, ANY),
    fault("abort-disarms-deleted", "A refused batch arms no timer of an item with a `ttl` that it restores.", &["item-rejected-stores-nothing", "hidden-immediately"], "open 50; create a ttl=3; create z; batch [delete a | create z]; +3; read a", AbortDisarms, ANY.of(with_ttl)),
    fault("abort-restarts", "A refused batch arms the timers of what it restores from now.", &["failed-write-does-not-restart"], "open 5; create a; +3; create z; batch [delete a | create z]; +2; read a", AbortRestarts, ANY),
    fault("abort-restarts-under-condition", "A batch that ends at a stale etag counts what it restores from now.", &["failed-write-does-not-restart"], "open 5; create a; replace a; +3; batch [patch a x=1 | replace a if-stale]; +2; read a", AbortRestarts, ANY.guarded()),
    fault("abort-drops-feed", "A refused batch restores items, but queries do not find them.", &["item-rejected-stores-nothing", "visible-before-deadline"], "open 5; create a; create z; batch [delete a | create z]; query", AbortDropsFeed, ANY),
    fault("commit-disarms", "A batch with several writes cancels the timers that it armed.", &["item-inherits-seconds", "hidden-immediately"], "open 5; batch [create a | upsert b ttl=3]; +5; query", CommitDisarms, ANY),
    fault("commit-arms-last-only", "A batch arms the timer of its last write only.", &["item-inherits-seconds", "hidden-immediately"], "open 5; batch [create a | create b]; +5; query", CommitArmsLastOnly, ANY),
];
