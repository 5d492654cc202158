//! What clients see of expired items, and their removal.

use cosmos_ttl_harness::target::Status;

use super::{TimerFault, fault};
use crate::fourth::slip::Slip::*;
use crate::fourth::slip::TimerPath::{Create, Delete, List, Patch, Query, Read, Replace};
use crate::fourth::slip::{on};

pub(super) static FAULTS: &[TimerFault] = &[
    fault("expired-read", "A point read returns an expired item until it is removed.", &["expired-read-not-found", "hidden-immediately"], "never; open 5; create a; +5; read a", SeesExpired, on(&[Read])),
    fault("expired-read-in-batch", "A read in a batch finds an expired item.", &["expired-read-not-found", "hidden-immediately"], "never; open 5; create a; +5; batch [read a]", SeesExpired, on(&[Read]).batched()),
    fault("expired-query", "A query returns expired items until they are removed.", &["expired-not-in-queries", "hidden-immediately"], "never; open 5; create a; +5; query", SeesExpired, on(&[Query])),
    fault("expired-list", "A list returns expired items until they are removed.", &["expired-not-in-queries", "hidden-immediately"], "never; open 5; create a; +5; list", SeesExpired, on(&[List])),
    fault("expired-page", "A page of a query holds expired items.", &["expired-not-in-queries", "hidden-immediately"], "never; open 5; create a; +5; query by 2", SeesExpired, on(&[Query]).paged()),
    fault("expired-replace", "A replace finds an expired item, and revives it.", &["expired-replace-not-found", "no-write-revives"], "never; open 5; create a; +5; replace a; read a", SeesExpired, on(&[Replace])),
    fault("expired-conditional-replace", "A conditional replace with the expired item's etag revives it.", &["expired-replace-not-found", "no-write-revives"], "never; open 5; create a; +5; replace a if-match; read a", SeesExpired, on(&[Replace]).guarded()),
    fault("expired-replace-in-batch", "A replace in a batch revives an expired item.", &["expired-replace-not-found", "no-write-revives"], "never; open 5; create a; +5; batch [replace a]; read a", SeesExpired, on(&[Replace]).batched()),
    fault("expired-patch", "A patch finds an expired item, and revives it.", &["expired-patch-not-found", "no-write-revives"], "never; open 5; create a; +5; patch a x=1; read a", SeesExpired, on(&[Patch])),
    fault("expired-conditional-patch", "A conditional patch with the expired item's etag revives it.", &["expired-patch-not-found", "no-write-revives"], "never; open 5; create a; +5; patch a ttl=-1 if-match; read a", SeesExpired, on(&[Patch]).guarded()),
    fault("expired-patch-in-batch-elsewhere", "A patch in a batch outside the default partition revives an expired item.", &["expired-patch-not-found", "no-write-revives"], "never; open 5; in q create a; +5; in q batch [patch a x=1]; in q read a", SeesExpired, on(&[Patch]).batched().elsewhere()),
    fault("expired-patch-later-in-batch", "A patch revives an expired item, if it is not the batch's first operation.", &["expired-patch-not-found", "no-write-revives"], "never; open 5; create a; +5; batch [create b | patch a x=1]; read a", SeesExpired, on(&[Patch]).later()),
    fault("expired-delete", "A delete finds an expired item until it is removed.", &["expired-delete-not-found"], "never; open 5; create a; +5; delete a", SeesExpired, on(&[Delete])),
    fault("expired-conditional-delete", "A conditional delete with the expired item's etag succeeds.", &["expired-delete-not-found"], "never; open 5; create a; +5; delete a if-match", SeesExpired, on(&[Delete]).guarded()),
    fault("expired-delete-in-batch", "A delete in a batch finds an expired item.", &["expired-delete-not-found"], "never; open 5; create a; +5; batch [delete a]", SeesExpired, on(&[Delete]).batched()),
    fault("expired-create", "A create meets an expired item until it is removed.", &["expired-id-is-free"], "never; open 5; create a; +5; create a", SeesExpired, on(&[Create])),
    fault("expired-create-in-batch", "A create in a batch meets an expired item.", &["expired-id-is-free"], "never; open 5; create a; +5; batch [create a]", SeesExpired, on(&[Create]).batched()),
    fault("expired-create-later-in-batch", "The index that a batch checks from its second operation on still has expired items.", &["expired-id-is-free"], "never; open 5; create a; +5; batch [create b | create a]", SeesExpired, on(&[Create]).later()),
    fault("expired-read-gone", "A point read of an item that is expired, but not removed, answers 410.", &["expired-read-not-found", "purge-invisible"], "never; open 5; create a; +5; read a", ExpiredAnswers(Status::Other(410)), on(&[Read])),
    fault("expired-delete-no-content", "A delete of an expired item answers that it was deleted.", &["expired-delete-not-found", "purge-invisible"], "never; open 5; create a; +5; delete a", ExpiredAnswers(Status::NoContent), on(&[Delete])),
    fault("expired-replace-conflict", "A replace of an expired item answers with a conflict.", &["expired-replace-not-found", "purge-invisible"], "never; open 5; create a; +5; replace a", ExpiredAnswers(Status::Conflict), on(&[Replace])),
    fault("expired-patch-bad-request", "A patch of an expired item answers with a bad request.", &["expired-patch-not-found", "purge-invisible"], "never; open 5; create a; +5; patch a x=1", ExpiredAnswers(Status::BadRequest), on(&[Patch])),
    fault("expired-create-precondition", "A create over an expired item in a batch answers that a precondition failed.", &["expired-id-is-free"], "never; open 5; create a; +5; batch [create a]", ExpiredAnswers(Status::PreconditionFailed), on(&[Create]).batched()),
];
