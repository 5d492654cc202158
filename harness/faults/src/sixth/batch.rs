//! Batches: a snapshot of the engine, the operations, and the way back.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Operation, Response, Status};

use super::engine::{LsmEngine, LsmKey};
use super::faults::batches::BatchSlip;
use super::leeway::Leeway;
use super::life::Look;
use super::session::LsmSession;
use super::slip::Slip;

impl LsmSession {
    /// Executes all operations, or none.
    pub(super) fn batch(&mut self, operations: &[Operation]) -> Response {
        if self.may(Leeway::BatchValuesFirst) {
            let wrong = operations.iter().position(|operation| self.sent_ttl(operation).is_none());
            if let Some(at) = wrong {
                return Response::aborted(Status::BadRequest, at);
            }
        }
        let before = self.engine.clone();
        self.memo.batch_ttl = None;
        let mut statuses = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            self.batch_at = Some(at);
            if self.slips(BatchSlip::DeleteThenCreateKeepsTtl) {
                let key = self.key(operation.id());
                if let Some(record) = self.engine.get(&key).cloned() {
                    self.memo.dropped.insert(key, record);
                }
            }
            let (status, _) = self.operate(operation);
            self.batch_at = None;
            if !status.is_success() {
                self.roll_back(before, operations, at, status);
                return Response::aborted(status, at);
            }
            statuses.push(status);
        }
        self.memo.dropped.clear();
        Response::committed(statuses)
    }

    /// Restores the engine after the operation with this number was refused.
    fn roll_back(&mut self, before: LsmEngine, operations: &[Operation], at: usize, status: Status) {
        let after = std::mem::replace(&mut self.engine, before);
        let Some(Slip::Batch(slip)) = self.slip else { return };
        let done = operations.get(..at).unwrap_or_default();
        let keys_of = |kind: fn(&Operation) -> bool| -> Vec<LsmKey> {
            done.iter().filter(|one| kind(one)).map(|one| self.key(one.id())).collect()
        };
        let written = keys_of(Operation::is_write);
        match slip {
            BatchSlip::AbortKeepsWrites => self.engine = after,
            BatchSlip::AbortKeepsAtConflict if status == Status::Conflict => self.engine = after,
            BatchSlip::AbortKeepsAtNotFound if status == Status::NotFound => self.engine = after,
            BatchSlip::AbortKeepsFlushed
                if after.keys_by_level().len() > self.engine.keys_by_level().len() =>
            {
                self.engine = after;
            }
            BatchSlip::AbortTouches => {
                for key in written {
                    if self.living(&key, Look::Upsert).is_some() {
                        self.touch(&key);
                    }
                }
            }
            BatchSlip::AbortTouchesRead => {
                for key in keys_of(|one| matches!(one, Operation::Read(_))) {
                    self.touch(&key);
                }
            }
            BatchSlip::AbortLosesDeleted => {
                for key in keys_of(|one| matches!(one, Operation::Delete(..))) {
                    self.engine.put(key, None);
                }
            }
            BatchSlip::AbortKeepsPatchedTtl => {
                for key in keys_of(|one| matches!(one, Operation::Patch(..))) {
                    let ttl = after.get(&key).map(|record| record.ttl);
                    self.engine.amend(&key, |record| record.ttl = ttl.unwrap_or(record.ttl));
                }
            }
            BatchSlip::AbortRevivesGhost => {
                for key in written {
                    if self.living(&key, Look::Upsert).is_none() {
                        self.touch(&key);
                    }
                }
            }
            BatchSlip::AbortRevivesPatchedGhost if self.partition != DEFAULT_PARTITION => {
                if let Some(Operation::Patch(patch, _)) = operations.get(at) {
                    let key = self.key(&patch.id);
                    self.touch(&key);
                }
            }
            BatchSlip::AbortNewEtags => {
                for key in written {
                    let etag = self.next_etag();
                    self.engine.amend(&key, |record| record.etag = etag);
                }
            }
            BatchSlip::AbortLosesSecond => {
                let mut records = self.engine.merged();
                let (partition, now_s) = (self.partition.clone(), self.now_s);
                records.retain(|key, record| key.0 != partition || record.ts_s != now_s);
                self.engine = LsmEngine::of(records);
            }
            _ => {}
        }
    }
}
