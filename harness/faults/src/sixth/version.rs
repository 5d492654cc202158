//! The new version of an item, and what a faulty store writes in its place or after a refusal.

use cosmos_ttl_harness::target::{Operation, Status};

use super::engine::{Lifespan, LsmKey, LsmRecord, OwnTtl};
use super::faults::ages::AgeSlip;
use super::faults::batches::BatchSlip;
use super::faults::ghosts::GhostSlip;
use super::faults::values::ValueSlip;
use super::items::{look_of, properties};
use super::leeway::Leeway;
use super::session::LsmSession;
use super::slip::Slip;
use crate::number::{self, Sent};

impl LsmSession {
    /// Returns the version that a write makes.
    pub(super) fn version(
        &mut self,
        operation: &Operation,
        key: &LsmKey,
        old: Option<&LsmRecord>,
        sent: OwnTtl,
    ) -> LsmRecord {
        let names_ttl = operation.ttl().is_some();
        let removes_ttl =
            matches!(operation, Operation::Patch(patch, _) if patch.remove.iter().any(|name| name == "ttl"));
        let keeps_ttl = matches!(operation, Operation::Patch(..)) && !names_ttl && !removes_ttl;
        let patch_keeps_ts = matches!(operation, Operation::Patch(..)) && self.may(Leeway::PatchKeepsTs);
        let ts_s = old.filter(|_| patch_keeps_ts && keeps_ttl).map_or(self.now_s, |old| old.ts_s);
        let mut record = LsmRecord {
            ts_s,
            counted_s: ts_s,
            made_s: old.map_or(self.now_s, |old| old.made_s),
            default_then: self.default_now(),
            ttl: old.filter(|_| keeps_ttl).map_or(sent, |old| old.ttl),
            etag: self.next_etag(),
            properties: properties(operation, old),
        };
        match self.slip {
            Some(Slip::Value(slip)) => self.slip_value(slip, operation, old, &mut record),
            Some(Slip::Age(slip)) => self.slip_age(slip, operation, old, &mut record),
            Some(Slip::Ghost(slip)) => {
                if let (None, Some(ghost)) = (old, self.engine.get(key)) {
                    slip_over_ghost(slip, operation, ghost, &mut record);
                }
            }
            Some(Slip::Batch(slip)) if self.batch_at.is_some() => {
                let before =
                    self.memo.dropped.get(key).or_else(|| self.engine.get(key)).filter(|_| old.is_none());
                let first_ttl = self.memo.batch_ttl;
                match slip {
                    BatchSlip::OwnTtlDropped if matches!(operation, Operation::Upsert(_)) => {
                        record.ttl = OwnTtl::Inherit;
                    }
                    BatchSlip::SharesFirstTtl => record.ttl = first_ttl.unwrap_or(record.ttl),
                    BatchSlip::FreezesDefault => {
                        if let (OwnTtl::Inherit, Lifespan::Seconds(n)) = (record.ttl, self.default_now()) {
                            record.ttl = OwnTtl::Seconds(n);
                        }
                    }
                    BatchSlip::DeleteThenCreateKeepsTtl | BatchSlip::UpsertOverGhostKeepsTtl
                        if !names_ttl
                            && (slip == BatchSlip::DeleteThenCreateKeepsTtl)
                                == matches!(operation, Operation::Create(_)) =>
                    {
                        record.ttl = before.map_or(record.ttl, |before| before.ttl);
                    }
                    BatchSlip::CreateOverGhostKeepsTs if matches!(operation, Operation::Create(_)) => {
                        if let Some(before) = before {
                            record.ts_s = before.ts_s;
                            record.counted_s = before.ts_s;
                        }
                    }
                    _ => {}
                }
                self.memo.batch_ttl.get_or_insert(record.ttl);
            }
            _ => {}
        }
        record
    }

    fn slip_value(
        &self,
        slip: ValueSlip,
        operation: &Operation,
        old: Option<&LsmRecord>,
        record: &mut LsmRecord,
    ) {
        let in_batch = self.batch_at.is_some();
        let names_ttl = operation.ttl().is_some();
        let is_null = number::read(operation.ttl()) == Sent::Null;
        let (is_patch, is_replace) =
            (matches!(operation, Operation::Patch(..)), matches!(operation, Operation::Replace(..)));
        let is_upsert = matches!(operation, Operation::Upsert(_));
        let removes_ttl =
            matches!(operation, Operation::Patch(patch, _) if patch.remove.iter().any(|name| name == "ttl"));
        let client_ts = operation.properties().and_then(|sent| sent.get("_ts"));
        let client_ts = match number::read(client_ts) {
            Sent::Number(number) => i64::try_from(number.value).ok(),
            _ => None,
        };
        let sets_ts = match slip {
            ValueSlip::ClientTsByCreate => matches!(operation, Operation::Create(_)),
            ValueSlip::ClientTsByReplace => is_replace,
            ValueSlip::ClientTsByPatch => is_patch,
            ValueSlip::ClientTsInBatch => in_batch,
            ValueSlip::ClientFutureTs => is_upsert && client_ts > Some(self.now_s),
            _ => false,
        };
        if let (true, Some(ts_s)) = (sets_ts, client_ts) {
            record.ts_s = ts_s;
            record.counted_s = ts_s;
        }
        let Some(old) = old else { return };
        match slip {
            ValueSlip::DefaultWrittenByPatch if is_patch && record.ttl == OwnTtl::Inherit => {
                if let Lifespan::Seconds(n) = self.default_now() {
                    record.properties.insert("ttl".into(), n.into());
                }
            }
            ValueSlip::PatchErasesTtl if is_patch && !names_ttl => {
                record.ttl = OwnTtl::Inherit;
                record.properties.remove("ttl");
            }
            ValueSlip::PatchTtlIgnored if is_patch && names_ttl => record.ttl = old.ttl,
            ValueSlip::BatchPatchTtlIgnored if is_patch && names_ttl && in_batch => record.ttl = old.ttl,
            ValueSlip::PatchRemoveIgnored if removes_ttl => record.ttl = old.ttl,
            ValueSlip::PatchRemoveIsNever if removes_ttl => record.ttl = OwnTtl::Never,
            ValueSlip::ReplaceKeepsTtl if is_replace && !names_ttl && !in_batch => record.ttl = old.ttl,
            ValueSlip::BatchReplaceKeepsTtl if is_replace && !names_ttl && in_batch => record.ttl = old.ttl,
            ValueSlip::UpsertKeepsTtl if is_upsert && !names_ttl => record.ttl = old.ttl,
            ValueSlip::UpsertKeepsMinusOne if is_upsert && old.ttl == OwnTtl::Never => record.ttl = old.ttl,
            ValueSlip::NullKeepsOldIn2020 if is_replace && is_null => record.ttl = old.ttl,
            ValueSlip::NullPatchIgnoredIn2020 if is_patch && is_null => record.ttl = old.ttl,
            _ => {}
        }
    }

    fn slip_age(
        &self,
        slip: AgeSlip,
        operation: &Operation,
        old: Option<&LsmRecord>,
        record: &mut LsmRecord,
    ) {
        let in_batch = self.batch_at.is_some();
        match slip {
            AgeSlip::TsEven => record.ts_s -= record.ts_s % 2,
            AgeSlip::TsOfLastRequest => record.ts_s = self.memo.last_request_s,
            AgeSlip::BatchTsOfLastRequest if in_batch => record.ts_s = self.memo.last_request_s,
            _ => {}
        }
        record.counted_s = record.ts_s;
        let Some(old) = old else { return };
        let is_same = record.properties == old.properties;
        let is_replace = matches!(operation, Operation::Replace(..));
        let is_upsert = matches!(operation, Operation::Upsert(_));
        let is_matched = operation.etag().is_some();
        let keeps_ts = match slip {
            AgeSlip::ReplaceKeepsTs => is_replace && !in_batch,
            AgeSlip::MatchedReplaceKeepsTs => is_replace && is_matched,
            AgeSlip::UpsertKeepsTs => is_upsert && !in_batch,
            AgeSlip::SameReplaceKeepsTs => is_replace && is_same,
            AgeSlip::SameUpsertKeepsTs => is_upsert && is_same,
            AgeSlip::BatchReplaceKeepsTs => is_replace && in_batch,
            AgeSlip::BatchUpsertKeepsTs => is_upsert && in_batch,
            _ => false,
        };
        if keeps_ts {
            record.ts_s = old.ts_s;
            record.counted_s = old.ts_s;
        }
        let rewrites = is_replace || is_upsert;
        match slip {
            AgeSlip::SameTtlKeepsCount if rewrites && record.ttl == old.ttl && old.ttl != OwnTtl::Inherit => {
                record.counted_s = old.counted_s;
            }
            AgeSlip::ChangedTtlFromCreation if rewrites && record.ttl != old.ttl => {
                record.counted_s = old.made_s;
            }
            AgeSlip::ChangedTtlOnlyShortens if rewrites => {
                if let (OwnTtl::Seconds(new), OwnTtl::Seconds(before)) = (record.ttl, old.ttl) {
                    record.ttl = OwnTtl::Seconds(new.min(old.counted_s + before - self.now_s).max(1));
                }
            }
            AgeSlip::MinusOneKeepsCount
                if rewrites && old.ttl == OwnTtl::Never && record.ttl != OwnTtl::Never =>
            {
                record.counted_s = old.counted_s;
            }
            AgeSlip::RemovedTtlKeepsCount
                if rewrites && record.ttl == OwnTtl::Inherit && old.ttl != OwnTtl::Inherit =>
            {
                record.counted_s = old.counted_s;
            }
            _ => {}
        }
    }

    /// Does what a faulty store does after it refused an operation.
    pub(super) fn after_refusal(&mut self, operation: &Operation, key: &LsmKey, status: Status) {
        let stored = self.engine.get(key).cloned();
        let is_expired = stored.as_ref().is_some_and(|one| self.is_expired(key, one, look_of(operation)));
        if is_expired {
            self.memo.met.insert(key.clone());
        }
        let is_patch = matches!(operation, Operation::Patch(..));
        let is_replace = matches!(operation, Operation::Replace(..));
        let is_upsert = matches!(operation, Operation::Upsert(_));
        let is_create = matches!(operation, Operation::Create(_));
        match self.slip {
            Some(Slip::Ghost(slip)) if is_expired => match slip {
                GhostSlip::ReplaceRevives if is_replace => self.touch(key),
                GhostSlip::PatchRevives if is_patch => self.touch(key),
                GhostSlip::ReadRevives if matches!(operation, Operation::Read(_)) => self.touch(key),
                GhostSlip::RefusedCreateRevives if is_create => self.touch(key),
                GhostSlip::ConditionRevives if operation.etag().is_some() => self.touch(key),
                GhostSlip::CachedMiss if matches!(operation, Operation::Read(_)) => {
                    self.memo.marks.insert(key.clone());
                }
                GhostSlip::DeleteHidesNext if matches!(operation, Operation::Delete(..)) => {
                    self.memo.marks.insert(key.clone());
                }
                _ => {}
            },
            Some(Slip::Value(slip)) if !is_expired => {
                let properties = properties(operation, stored.as_ref());
                let is_bad = status == Status::BadRequest;
                let sent = self.sent_ttl(operation);
                let etag = self.next_etag();
                match (slip, stored) {
                    (ValueSlip::RefusedStoresNew, None) if is_bad && is_create => {
                        let record = LsmRecord {
                            ts_s: self.now_s,
                            counted_s: self.now_s,
                            made_s: self.now_s,
                            default_then: self.default_now(),
                            ttl: OwnTtl::Inherit,
                            etag,
                            properties,
                        };
                        self.engine.put(key.clone(), Some(record));
                    }
                    (ValueSlip::RefusedUpsertRemoves, Some(_)) if is_bad && is_upsert => {
                        self.engine.put(key.clone(), None);
                    }
                    (ValueSlip::RefusedReplaceStores, Some(_)) if is_bad && is_replace => {
                        self.engine.amend(key, |record| record.properties = properties);
                    }
                    (ValueSlip::RefusedReplaceTouches, Some(_)) if is_bad && is_replace => self.touch(key),
                    (ValueSlip::RefusedPatchStoresRest, Some(old)) if is_bad && is_patch => {
                        let mut properties = properties;
                        properties.remove("ttl");
                        properties.extend(old.properties.get("ttl").map(|ttl| ("ttl".into(), ttl.clone())));
                        self.engine.amend(key, |record| record.properties = properties);
                    }
                    (ValueSlip::RefusedPatchDropsTtl, Some(_)) if is_bad && is_patch => {
                        self.engine.amend(key, |record| record.ttl = OwnTtl::Inherit);
                    }
                    (ValueSlip::RefusedPatchTouches, Some(_)) if is_bad && is_patch => self.touch(key),
                    (ValueSlip::ConflictTouches, Some(_)) if status == Status::Conflict => self.touch(key),
                    (ValueSlip::ConflictSetsTtl, Some(_)) if status == Status::Conflict => {
                        self.engine.amend(key, |record| record.ttl = sent.unwrap_or(record.ttl));
                    }
                    (ValueSlip::StaleTouches, Some(_)) if status == Status::PreconditionFailed => {
                        self.touch(key);
                    }
                    (ValueSlip::StalePatchSetsTtl, Some(_))
                        if status == Status::PreconditionFailed && is_patch =>
                    {
                        self.engine.amend(key, |record| record.ttl = sent.unwrap_or(record.ttl));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Takes from an expired item what a faulty store does not forget.
fn slip_over_ghost(slip: GhostSlip, operation: &Operation, ghost: &LsmRecord, record: &mut LsmRecord) {
    let names_ttl = operation.ttl().is_some();
    let is_upsert = matches!(operation, Operation::Upsert(_));
    match slip {
        GhostSlip::CreateKeepsTtl if !is_upsert && !names_ttl => record.ttl = ghost.ttl,
        GhostSlip::UpsertKeepsTtl if is_upsert && !names_ttl => record.ttl = ghost.ttl,
        GhostSlip::CreateKeepsTs if !is_upsert => record.ts_s = ghost.ts_s,
        GhostSlip::UpsertStaysHidden if is_upsert => record.counted_s = ghost.counted_s,
        GhostSlip::CreateKeepsEtag if !is_upsert => record.etag.clone_from(&ghost.etag),
        GhostSlip::SameContentSameEtag if record.properties == ghost.properties => {
            record.etag.clone_from(&ghost.etag);
        }
        GhostSlip::CreateKeepsProperties if !is_upsert => {
            let kept = ghost.properties.iter().filter(|(name, _)| *name != "ttl");
            for (name, one) in kept {
                record.properties.entry(name.clone()).or_insert_with(|| one.clone());
            }
        }
        _ => {}
    }
}
