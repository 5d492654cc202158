//! The handler of batches.

use cosmos_ttl_harness::target::{Operation, Response, Status};

use super::call::HandlerCall;
use super::flaw::Flaw;
use super::latitude::OrderChoice;
use super::row::StoredRow;
use super::session::RowSession;

impl RowSession {
    /// Executes all operations, or puts back what they changed.
    pub(super) fn batch(&mut self, operations: &[Operation]) -> Response {
        let before = self.rows.clone();
        let mut statuses = vec![Status::Ok; operations.len()];
        let mut aborted = None;
        for (number, operation) in operations.iter().enumerate() {
            match self.operate(operation, HandlerCall::of(operation, true)) {
                Ok(response) => {
                    if let Some(status) = statuses.get_mut(number) {
                        *status = response.status;
                    }
                }
                Err(status) => {
                    aborted = Some(Response::aborted(status, number));
                    if self.latitude.order != OrderChoice::LastOfBatch {
                        break;
                    }
                }
            }
        }
        let response = aborted.unwrap_or_else(|| Response::committed(statuses));
        if response.status.is_success() {
            self.memory.last_batch_s = Some(self.now);
            if self.has(Flaw::DeletesLast) {
                for operation in operations.iter().filter(|one| matches!(one, Operation::Delete(..))) {
                    self.mark_deleted(operation.id());
                }
            }
        } else {
            self.roll_back(&before, operations);
        }
        response
    }

    fn mark_deleted(&mut self, id: &str) {
        let is_named = |row: &&mut StoredRow| row.partition == self.partition && row.id == id;
        self.rows.iter_mut().filter(is_named).for_each(|row| row.is_deleted = true);
    }

    /// Puts the rows back that a batch without effect changed.
    fn roll_back(&mut self, before: &[StoredRow], operations: &[Operation]) {
        let after = std::mem::replace(&mut self.rows, before.to_vec());
        let now = self.now;
        let partition = self.partition.clone();
        let is_named = |row: &StoredRow| {
            row.partition == partition && operations.iter().any(|operation| operation.id() == row.id)
        };
        let known = |row: &StoredRow| before.iter().any(|old| old.rid == row.rid);
        match self.flaw {
            Some(Flaw::AbortKeepsNew) => self.rows.extend(after.into_iter().filter(|row| !known(row))),
            Some(Flaw::AbortKeepsDeletes) => {
                for row in &mut self.rows {
                    row.is_deleted |= after.iter().any(|new| new.rid == row.rid && new.is_deleted);
                }
            }
            Some(Flaw::AbortKeepsWritten) => {
                for row in &mut self.rows {
                    if let Some(new) = after.iter().find(|new| new.rid == row.rid && !new.is_deleted) {
                        row.clone_from(new);
                    }
                }
            }
            Some(Flaw::AbortStamps) => {
                let expired: Vec<u64> =
                    self.rows.iter().filter(|row| self.is_over(row)).map(|row| row.rid).collect();
                let alive = self.rows.iter_mut().filter(|row| is_named(row) && !expired.contains(&row.rid));
                alive.for_each(|row| row.ts = now);
            }
            Some(Flaw::AbortRevives) => {
                let expired: Vec<u64> =
                    self.rows.iter().filter(|row| self.is_over(row)).map(|row| row.rid).collect();
                let dead = self.rows.iter_mut().filter(|row| is_named(row) && expired.contains(&row.rid));
                dead.for_each(|row| row.ts = now);
            }
            Some(Flaw::AbortDropsTtl) => {
                self.rows.iter_mut().filter(|row| is_named(row)).for_each(|row| drop(row.body.remove("ttl")));
            }
            _ => {}
        }
    }
}
