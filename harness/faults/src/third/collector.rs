//! The collector, which removes rows in the background.

use cosmos_ttl_harness::target::{Operation, Request};

use super::call::{Handler, HandlerCall};
use super::flaw::Flaw;
use super::latitude::RowRemoval;
use super::row::{RowDefault, RowTtl, StoredRow};
use super::session::RowSession;

impl RowSession {
    /// Removes every row that is deleted or expired.
    pub(super) fn collect(&mut self) {
        let doomed: Vec<usize> =
            self.rows.iter().enumerate().filter(|(_, row)| self.is_garbage(row)).map(|(at, _)| at).collect();
        if doomed.is_empty() && self.memory.marked_ids.is_empty() && self.memory.marked_rows.is_empty() {
            return;
        }
        let rows: Vec<StoredRow> = doomed.iter().filter_map(|at| self.rows.get(*at).cloned()).collect();
        let expired: Vec<StoredRow> = rows.iter().filter(|row| !row.is_deleted).cloned().collect();
        match self.flaw {
            Some(Flaw::CollectsStalePositions) => {
                for at in doomed {
                    if at < self.rows.len() {
                        self.rows.remove(at);
                    }
                }
            }
            Some(Flaw::CollectsMarkedIds) => {
                let marked = std::mem::take(&mut self.memory.marked_ids);
                self.rows.retain(|row| !marked.contains(&(row.partition.clone(), row.id.clone())));
                self.memory.marked_ids = expired.into_iter().map(|row| (row.partition, row.id)).collect();
            }
            Some(Flaw::CollectsMarkedRows) => {
                let marked = std::mem::take(&mut self.memory.marked_rows);
                self.rows.retain(|row| !marked.contains(&row.rid));
                self.memory.marked_rows = expired.into_iter().map(|row| row.rid).collect();
            }
            Some(Flaw::CollectsIdEverywhere) => {
                self.rows.retain(|row| !expired.iter().any(|gone| gone.id == row.id));
            }
            Some(Flaw::CollectsPrefix) => {
                self.rows.retain(|row| {
                    !expired
                        .iter()
                        .any(|gone| gone.partition == row.partition && row.id.starts_with(&gone.id))
                });
            }
            Some(Flaw::CollectsWholePartition) => {
                self.rows.retain(|row| !expired.iter().any(|gone| gone.partition == row.partition));
            }
            _ => {
                self.memory.collected.extend(expired.iter().cloned());
                let doomed: Vec<u64> = rows.iter().map(|row| row.rid).collect();
                self.rows.retain(|row| !doomed.contains(&row.rid));
            }
        }
        if self.has(Flaw::CollectedIdTaken) {
            self.memory.taken.extend(rows.iter().map(|row| (row.partition.clone(), row.id.clone())));
        }
        if self.has(Flaw::CollectsWithStamps) {
            let now = self.now;
            self.rows.iter_mut().for_each(|row| row.ts = now);
        }
    }

    fn is_garbage(&self, row: &StoredRow) -> bool {
        if row.is_deleted {
            return true;
        }
        let age_s = self.now - row.ts;
        let own = self.own_ttl(row);
        match (self.flaw, self.default_now(), own) {
            (Some(Flaw::CollectsUnderFirstSettings), now, RowTtl::Inherits) if now != RowDefault::Off => {
                matches!(self.memory.first_default, RowDefault::Seconds(first) if first <= age_s)
            }
            (Some(Flaw::CollectsWhileOff), RowDefault::Off, RowTtl::Seconds(own)) => own <= age_s,
            (Some(Flaw::CollectsByDefault), RowDefault::Seconds(default), RowTtl::Seconds(_)) => {
                default <= age_s
            }
            (Some(Flaw::CollectsNever), RowDefault::Seconds(default), RowTtl::Never) => default <= age_s,
            (Some(Flaw::CollectsEarly), RowDefault::Seconds(default), RowTtl::Inherits) => {
                default <= age_s + 1
            }
            _ => self.is_over(row),
        }
    }

    /// Removes rows as the store chooses by itself.
    pub(super) fn collect_by_itself(&mut self, request: &Request) {
        let is_write = request.operations().iter().any(Operation::is_write);
        let upsert = HandlerCall::alone(Handler::Upsert);
        match self.latitude.removal {
            RowRemoval::After(grace_s) => {
                let now = i128::from(self.now);
                let late = self.rids_of(|session, row| {
                    let life = session.life(row, upsert);
                    life.is_some_and(|(start, seconds)| start + seconds + i128::from(grace_s) <= now)
                });
                self.rows.retain(|row| !late.contains(&row.rid));
            }
            RowRemoval::WithWrites if is_write => self.collect(),
            RowRemoval::EachThird if self.requests.is_multiple_of(3) => self.collect(),
            RowRemoval::WithSettings if matches!(request, Request::ReplaceContainer(_)) => self.collect(),
            RowRemoval::InThisPartition => {
                let gone =
                    self.rids_of(|session, row| row.partition == session.partition && session.is_over(row));
                self.rows.retain(|row| !gone.contains(&row.rid));
            }
            RowRemoval::OneFromTheEnd => {
                if let Some(at) = self.rows.iter().rposition(|row| self.is_over(row)) {
                    self.rows.remove(at);
                }
            }
            RowRemoval::WithReads => {
                for operation in request.operations().iter().filter(|operation| !operation.is_write()) {
                    let met = self.rids_of(|session, row| {
                        row.partition == session.partition && row.id == operation.id() && session.is_over(row)
                    });
                    self.rows.retain(|row| !met.contains(&row.rid));
                }
            }
            RowRemoval::Scheduled
            | RowRemoval::WithWrites
            | RowRemoval::EachThird
            | RowRemoval::WithSettings => {}
        }
    }
}
