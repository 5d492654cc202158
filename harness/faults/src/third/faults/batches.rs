//! Batches that are not all or nothing.

use super::faults;
use crate::third::flaw::Flaw::*;

faults! {
    "abort-keeps-new": "A batch without effect leaves the items that it made."
        breaks ["item-rejected-stores-nothing"] by AbortKeepsNew, shown_by "open off; batch [create a | read b]; read a"
    "abort-keeps-deletes": "A batch without effect leaves items deleted."
        breaks ["item-rejected-stores-nothing"] by AbortKeepsDeletes, shown_by "open off; create a; batch [delete a | read b]; read a"
    "abort-keeps-written": "A batch without effect leaves what it wrote over old items."
        breaks ["item-rejected-stores-nothing"] by AbortKeepsWritten, shown_by "open off; create a; batch [replace a x=1 | read b]; read a"
    "abort-stamps": "A batch without effect puts its items back with a new `_ts`."
        breaks ["failed-write-does-not-restart"] by AbortStamps, shown_by "open off; create a; +1; batch [replace a | read b]; read a"
    "abort-drops-ttl": "A batch without effect puts its items back without their `ttl`."
        breaks ["item-rejected-stores-nothing"] by AbortDropsTtl, shown_by "open off; create a ttl=2; batch [replace a | read b]; read a"
    "abort-revives": "A batch without effect puts expired items back with a new `_ts`."
        breaks ["no-write-revives"] by AbortRevives, shown_by "open 2; create a; +2; batch [upsert a | read b]; read a"
    "deletes-last": "A batch writes its deletes after everything else."
        breaks ["visible-before-deadline"] by DeletesLast, shown_by "open off; create a; batch [delete a | create a]; read a"
    "batch-in-default-partition": "Every batch works on the default partition."
        breaks ["identity-is-partition-and-id"] by BatchInDefault, shown_by "open off; in q batch [create a]; read a"
}
