//! Batches: all operations in one transaction, which a refusal undoes.

use cosmos_ttl_harness::target::{Operation, Response, Status};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::tables::{CairnPath, CairnTables};

impl CairnStore {
    /// Executes a batch.
    pub(super) fn transact(
        self,
        tables: &mut CairnTables,
        operations: &[Operation],
        partition: &str,
    ) -> Response {
        let is_refused = (operations.is_empty() && self.may(CairnLeave::EmptyBatchRefused))
            || (operations.len() > 100 && self.may(CairnLeave::LongBatchRefused));
        if is_refused {
            return Response::new(Status::BadRequest);
        }
        let path = |operation: &Operation| CairnPath {
            partition,
            in_batch: true,
            has_etag: operation.etag().is_some(),
        };
        let saved = tables.clone();
        tables.batch_version = None;
        let mut statuses = Vec::with_capacity(operations.len());
        let mut refused = None;
        for (at, operation) in operations.iter().enumerate() {
            match self.execute(tables, operation, path(operation)) {
                Ok((status, _)) => statuses.push(status),
                Err(status) => {
                    refused = refused.or(Some((status, at)));
                    break;
                }
            }
        }
        tables.batch_version = None;
        let Some(first) = refused else { return Response::committed(statuses) };
        let undone = std::mem::replace(tables, saved);
        self.after_abort(tables, &undone);
        let (status, at) = self.blamed(tables, operations, partition).unwrap_or(first);
        Response::aborted(status, at)
    }

    /// Returns another refused operation than the one that was met first, where a freedom blames it.
    fn blamed(
        self,
        tables: &CairnTables,
        operations: &[Operation],
        partition: &str,
    ) -> Option<(Status, usize)> {
        if !self.may(CairnLeave::BatchBlamesValues) {
            return None;
        }
        // Values are checked while the request is read, before any operation is executed.
        operations.iter().enumerate().rev().find_map(|(at, operation)| {
            let sent = operation.ttl()?;
            let path = CairnPath { partition, in_batch: true, has_etag: operation.etag().is_some() };
            let entry = super::values::CairnEntry::Create;
            self.read_own(tables, entry, path, sent).err().map(|status| (status, at))
        })
    }

    /// All tables are as they were before the batch; only a mistake leaves anything of it.
    fn after_abort(self, tables: &mut CairnTables, undone: &CairnTables) {
        if self.has(AbortKeepsOwn) {
            tables.own.clone_from(&undone.own);
        }
        if self.has(AbortKeepsTs) {
            for (key, row) in &mut tables.rows {
                if let Some(other) = undone.rows.get(key) {
                    row.ts = other.ts;
                    row.inherited = other.inherited;
                }
            }
        }
        if self.has(AbortForgetsDeletes) {
            tables.rows.retain(|key, _| undone.rows.contains_key(key));
        }
        if self.has(AbortKeepsInserts) {
            for (key, row) in &undone.rows {
                tables.rows.entry(key.clone()).or_insert_with(|| row.clone());
            }
        }
        if self.has(AbortKeepsVersions) {
            for (key, row) in &mut tables.rows {
                row.version = undone.rows.get(key).map_or(row.version, |other| other.version);
            }
        }
        if self.has(AbortKeepsAgenda) {
            tables.agenda.extend(undone.agenda.iter().cloned());
        }
        if self.has(AbortKeepsBodies) {
            for (key, row) in &mut tables.rows {
                if let Some(other) = undone.rows.get(key) {
                    row.body.clone_from(&other.body);
                }
            }
        }
    }
}
