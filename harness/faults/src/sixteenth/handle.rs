//! How an actor handles an operation on an item: what is refused, and in which order.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Edition, Id, Indexing, Operation, Status};

use super::HiveStore;
use super::actor::{HiveActor, HiveEntry};
use super::liberty::HiveLiberty;
use super::life::HiveLook;
use super::slip::HiveSlip::*;
use super::values::{HiveDefault, HiveTtl};

/// What is stored under an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiveOver {
    Nothing,
    Living,
    Expired,
}

/// The circumstances of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct HiveMessage<'m> {
    pub(super) now: i64,
    pub(super) edition: Edition,
    pub(super) partition: &'m str,
    pub(super) in_batch: bool,
    /// The number of the operation in its batch.
    pub(super) position: usize,
    /// Whether a later operation of the batch is about the same item.
    pub(super) is_followed: bool,
    /// Whether the actor was made for this message.
    pub(super) is_first: bool,
}

/// The circumstances of an operation.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each mistake depends on another circumstance")]
pub(super) struct HiveCall {
    pub(super) now: i64,
    pub(super) edition: Edition,
    pub(super) word: &'static str,
    pub(super) in_batch: bool,
    pub(super) position: usize,
    pub(super) is_followed: bool,
    pub(super) is_first: bool,
    pub(super) is_named: bool,
    pub(super) is_conditional: bool,
    /// Whether it is a patch that also takes a property away.
    pub(super) removes: bool,
    pub(super) default: HiveDefault,
    pub(super) is_off: bool,
    pub(super) is_unindexed: bool,
    pub(super) over: HiveOver,
    /// The age and the `ttl` of the item that is there.
    pub(super) age_s: i64,
    pub(super) own: HiveTtl,
}

/// An operation that succeeded: its status, and the item that its answer shows.
#[derive(Debug)]
pub(super) struct HiveDone {
    pub(super) status: Status,
    pub(super) shown: Option<(Id, HiveEntry)>,
}

impl HiveStore {
    fn call(self, actor: &HiveActor, operation: &Operation, message: &HiveMessage<'_>) -> HiveCall {
        let stored = actor.entries.get(operation.id());
        let look = if matches!(operation, Operation::Read(_)) {
            if message.in_batch { HiveLook::BatchRead } else { HiveLook::Point }
        } else {
            HiveLook::Write
        };
        let now = match (operation, self.slip) {
            (Operation::Create(_), Some(CreateEndsEarly)) => message.now + 1,
            (Operation::Delete(..), Some(DeleteInDeadlineSecond)) => message.now - 1,
            (Operation::Replace(..), Some(BatchReplaceInDeadlineSecond)) if message.in_batch => {
                message.now - 1
            }
            _ => message.now,
        };
        let over = match stored {
            None => HiveOver::Nothing,
            Some(entry) if self.is_expired(&actor.settings, &entry.life, look, now) => HiveOver::Expired,
            Some(_) => HiveOver::Living,
        };
        let removes = matches!(operation, Operation::Patch(patch, _) if !patch.remove.is_empty());
        HiveCall {
            now: message.now,
            edition: message.edition,
            word: operation.word(),
            in_batch: message.in_batch,
            position: message.position,
            is_followed: message.is_followed,
            is_first: message.is_first,
            is_named: message.partition != DEFAULT_PARTITION,
            is_conditional: operation.etag().is_some(),
            removes,
            default: actor.settings.default,
            is_off: actor.settings.default == HiveDefault::Off,
            is_unindexed: actor.settings.indexing == Indexing::None,
            over,
            age_s: stored.map_or(0, |entry| message.now - entry.life.from),
            own: stored.map_or(HiveTtl::Inherit, |entry| entry.life.ttl),
        }
    }

    /// Handles an operation.
    pub(super) fn handle(
        self,
        actor: &mut HiveActor,
        operation: &Operation,
        message: &HiveMessage<'_>,
    ) -> Result<HiveDone, Status> {
        let mut call = self.call(actor, operation, message);
        if self.may(HiveLiberty::RemovesWhatItMeets) && call.over == HiveOver::Expired {
            actor.forget(operation.id());
            call.over = HiveOver::Nothing;
        }
        let result = self.judge_and_write(actor, operation, &call);
        if let Err(refusal) = &result {
            self.after_refusal(actor, operation, &call, *refusal);
        }
        result
    }

    /// Returns whether an operation sends a `ttl` that is refused, whatever item it is about.
    pub(super) fn refuses_value(
        self,
        actor: &HiveActor,
        operation: &Operation,
        message: &HiveMessage<'_>,
    ) -> bool {
        self.sent_ttl(operation, &self.call(actor, operation, message)).is_err()
    }

    fn judge_and_write(
        self,
        actor: &mut HiveActor,
        operation: &Operation,
        call: &HiveCall,
    ) -> Result<HiveDone, Status> {
        if self.may(HiveLiberty::ItemBeforeValue)
            || (self.may(HiveLiberty::ItemBeforeValueInBatches) && call.in_batch)
        {
            self.check_item(actor, operation, call)?;
        }
        self.check_value(operation, call)?;
        self.check_item(actor, operation, call)?;
        let id = operation.id();
        match operation {
            Operation::Read(_) => {
                if call.in_batch && self.has(BatchReadTouches) {
                    actor.change_life(id, |life| (life.ts, life.from) = (call.now, call.now));
                }
                let shown = actor.entries.get(id).cloned().map(|entry| (id.to_owned(), entry));
                Ok(HiveDone { status: Status::Found, shown })
            }
            Operation::Delete(..) => {
                self.delete(actor, id);
                Ok(HiveDone { status: Status::NoContent, shown: None })
            }
            Operation::Create(_) | Operation::Upsert(_) | Operation::Replace(..) | Operation::Patch(..) => {
                self.write(actor, operation, call)?;
                let shown = actor.entries.get(id).cloned().map(|entry| (id.to_owned(), entry));
                Ok(HiveDone { status: self.written_status(operation, call), shown })
            }
        }
    }

    fn written_status(self, operation: &Operation, call: &HiveCall) -> Status {
        match (operation, call.over) {
            (Operation::Create(_), _) | (Operation::Upsert(_), HiveOver::Nothing) => Status::Created,
            (Operation::Upsert(_), HiveOver::Expired) => {
                let replaces = self.may(HiveLiberty::UpsertOverExpiredReplaces)
                    || (self.may(HiveLiberty::UpsertOverExpiredReplacesInBatches) && call.in_batch);
                if replaces { Status::Ok } else { Status::Created }
            }
            _ => Status::Ok,
        }
    }

    /// Checks what an operation sends.
    fn check_value(self, operation: &Operation, call: &HiveCall) -> Result<(), Status> {
        let refused = self.sent_ttl(operation, call).is_err()
            || match operation {
                Operation::Patch(patch, _) => {
                    let changes = patch.set.len() + patch.remove.len();
                    match self.liberty {
                        Some(HiveLiberty::PatchOfTsRefused) => patch.set.contains_key("_ts"),
                        Some(HiveLiberty::PatchOfTsRefusedInBatches) => {
                            call.in_batch && patch.set.contains_key("_ts")
                        }
                        Some(HiveLiberty::EmptyPatchRefused) => changes == 0,
                        Some(HiveLiberty::LongPatchRefused) => changes > 10,
                        _ => false,
                    }
                }
                _ => false,
            };
        if refused { Err(Status::BadRequest) } else { Ok(()) }
    }

    /// Checks whether the item is there, or is not, as the operation needs it, and has the etag that it requires.
    fn check_item(self, actor: &HiveActor, operation: &Operation, call: &HiveCall) -> Result<(), Status> {
        let stored = actor.entries.get(operation.id());
        match operation {
            Operation::Create(_) => {
                let conflicts = call.over == HiveOver::Living
                    || stored.is_some_and(|entry| match self.slip {
                        // It was alive under the default that was in force when it was written.
                        Some(CreateUsesOldDefault) => {
                            let old =
                                super::values::HiveSettings { default: entry.life.written, ..actor.settings };
                            !self.is_expired(&old, &entry.life, HiveLook::Write, call.now)
                        }
                        Some(GoneBlocksCreate) => entry.life.is_latched,
                        _ => false,
                    });
                return if conflicts { Err(Status::Conflict) } else { Ok(()) };
            }
            Operation::Upsert(_) => return Ok(()),
            _ => {}
        }
        let has_etag = |etag: &String| {
            let is_older = |older: &HiveEntry| self.has(ExpiredEtagOpensNew) && older.etag == *etag;
            stored.is_some_and(|entry| entry.etag == *etag || entry.older.as_deref().is_some_and(is_older))
        };
        let is_there = match call.over {
            HiveOver::Living => true,
            HiveOver::Nothing => false,
            HiveOver::Expired => match (operation, self.slip) {
                (Operation::Replace(_, Some(etag)), Some(ExpiredEtagReplaces))
                | (Operation::Delete(_, Some(etag)), Some(ExpiredEtagDeletes)) => has_etag(etag),
                (Operation::Patch(..), Some(BatchPatchesExpired))
                | (Operation::Read(_), Some(BatchReadsExpired)) => call.in_batch,
                (Operation::Delete(..), Some(NamedDeletesExpired)) => call.is_named,
                _ => false,
            },
        };
        let etag_fails = operation.etag().is_some_and(|etag| !has_etag(etag));
        match (is_there, operation.etag()) {
            (false, Some(_)) => {
                let fails = self.may(HiveLiberty::MissingFailsPrecondition)
                    || (self.may(HiveLiberty::ExpiredDeleteFailsPrecondition)
                        && matches!(operation, Operation::Delete(..)));
                let fails = fails && call.over == HiveOver::Expired;
                Err(if fails { Status::PreconditionFailed } else { Status::NotFound })
            }
            (false, None) => Err(Status::NotFound),
            (true, _) if etag_fails => Err(Status::PreconditionFailed),
            (true, _) => match (operation, stored) {
                (Operation::Patch(patch, _), Some(entry)) if self.may(HiveLiberty::VoidRemovalRefused) => {
                    let has =
                        |name: &String| entry.properties.contains_key(name) || patch.set.contains_key(name);
                    if patch.remove.iter().all(has) { Ok(()) } else { Err(Status::BadRequest) }
                }
                _ => Ok(()),
            },
        }
    }

    fn delete(self, actor: &mut HiveActor, id: &str) {
        let Some(entry) = actor.entries.get_mut(id) else { return };
        actor.notes.deleted.insert(id.to_owned(), entry.life.clone());
        if !self.has(TimerSurvivesDelete) {
            actor.notes.timers.remove(id);
        }
        if self.has(DeletionIsTombstone) {
            actor.change_life(id, |life| life.is_deleted = true);
        } else if self.has(OlderReturns)
            && let Some(older) = entry.older.take()
        {
            *entry = *older;
            actor.reindex();
        } else {
            actor.forget(id);
        }
    }

    /// A refusal leaves everything as it was; only a mistake lets it do anything.
    fn after_refusal(self, actor: &mut HiveActor, operation: &Operation, call: &HiveCall, refusal: Status) {
        let touches = match (operation, self.slip) {
            (Operation::Delete(..), Some(StaleDeleteTouches)) => refusal == Status::PreconditionFailed,
            (Operation::Create(_), Some(BatchConflictTouches)) => {
                call.in_batch && refusal == Status::Conflict
            }
            (Operation::Upsert(_), Some(RefusedUpsertRevives)) => refusal == Status::BadRequest,
            (Operation::Patch(..), Some(PatchTouchesExpired)) => {
                call.over == HiveOver::Expired && refusal == Status::NotFound
            }
            _ => false,
        };
        if touches {
            actor.change_life(operation.id(), |life| (life.ts, life.from) = (call.now, call.now));
        }
    }
}
