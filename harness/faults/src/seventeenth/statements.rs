//! The statements for single operations.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Document, Operation, Patch, Status};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::tables::{CairnKey, CairnLook, CairnOwn, CairnPath, CairnRow, CairnTables};
use super::values::CairnEntry;
use super::writes::CairnWrite;

/// The result of an operation: its status, and the row that its answer shows.
pub(super) type CairnDone = (Status, Option<CairnRow>);

impl CairnStore {
    /// Executes an operation.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(super) fn execute(
        self,
        tables: &mut CairnTables,
        operation: &Operation,
        path: CairnPath<'_>,
    ) -> Result<CairnDone, Status> {
        let key: CairnKey = (path.partition.to_owned(), operation.id().to_owned());
        let result = match operation {
            Operation::Read(_) => self.read(tables, &key, path),
            Operation::Delete(_, etag) => self.delete(tables, &key, etag.as_deref(), path),
            Operation::Patch(changes, etag) => {
                self.patch(tables, key.clone(), changes, etag.as_deref(), path)
            }
            Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
                self.put(tables, key.clone(), operation, document, path)
            }
        };
        if let Err(refusal) = &result {
            self.after_refusal(tables, operation, &key, *refusal);
        }
        result
    }

    fn look_of(operation: &Operation) -> CairnLook {
        match operation {
            Operation::Create(_) => CairnLook::Create,
            Operation::Upsert(_) => CairnLook::Upsert,
            Operation::Replace(..) => CairnLook::Replace,
            Operation::Patch(..) => CairnLook::Patch,
            Operation::Read(_) => CairnLook::Read,
            Operation::Delete(..) => CairnLook::Delete,
        }
    }

    /// Returns the living row with this key, and the expired one.
    fn find(
        self,
        tables: &CairnTables,
        key: &CairnKey,
        look: CairnLook,
        path: CairnPath<'_>,
    ) -> (Option<CairnRow>, Option<CairnRow>) {
        match tables.rows.get(key) {
            Some(row) if self.is_expired(tables, key, row, look, path) => (None, Some(row.clone())),
            row => (row.cloned(), None),
        }
    }

    /// Returns the living row that a statement changes.
    ///
    /// # Errors
    ///
    /// The refusal: it is not there, or it is another version.
    fn find_for_change(
        self,
        tables: &CairnTables,
        key: &CairnKey,
        look: CairnLook,
        etag: Option<&str>,
        path: CairnPath<'_>,
    ) -> Result<CairnRow, Status> {
        let (living, dead) = self.find(tables, key, look, path);
        let Some(row) = living else {
            let failed = match self.leave {
                Some(CairnLeave::ExpiredFailsPrecondition) => dead.is_some() && etag.is_some(),
                Some(CairnLeave::ExpiredFailsPreconditionOfDelete) => {
                    dead.is_some() && etag.is_some() && look == CairnLook::Delete
                }
                _ => false,
            };
            return Err(if failed { Status::PreconditionFailed } else { Status::NotFound });
        };
        match etag {
            Some(etag) if etag != self.etag(key, &row) => Err(Status::PreconditionFailed),
            _ => Ok(row),
        }
    }

    fn read(
        self,
        tables: &mut CairnTables,
        key: &CairnKey,
        path: CairnPath<'_>,
    ) -> Result<CairnDone, Status> {
        let (living, dead) = self.find(tables, key, CairnLook::Read, path);
        if let Some(row) = living {
            if self.has(BatchReadTouches) && path.in_batch {
                self.touch(tables, key);
            }
            return Ok((Status::Found, Some(row)));
        }
        if dead.is_some() && self.may(CairnLeave::RemovesOnSight) {
            self.erase(tables, key);
        }
        Err(Status::NotFound)
    }

    fn delete(
        self,
        tables: &mut CairnTables,
        key: &CairnKey,
        etag: Option<&str>,
        path: CairnPath<'_>,
    ) -> Result<CairnDone, Status> {
        let row = self.find_for_change(tables, key, CairnLook::Delete, etag, path)?;
        let own_key = self.own_key(key);
        let own = tables.own.get(&own_key).copied();
        let planned: Vec<_> = tables.agenda.iter().filter(|(_, one)| one == key).cloned().collect();
        self.erase(tables, key);
        tables.last_write = tables.now;
        if self.has(DeleteLeavesOwn)
            && let Some(own) = own
        {
            tables.own.insert(own_key, own);
        }
        if self.has(DeleteLeavesAgenda) {
            tables.agenda.extend(planned);
        }
        if self.has(DeleteIsExpiry) {
            tables.archive.insert(key.clone(), row);
        }
        if self.has(DeleteOwnById) {
            tables.own.retain(|one, _| one.1 != key.1);
        }
        Ok((Status::NoContent, None))
    }

    fn put(
        self,
        tables: &mut CairnTables,
        key: CairnKey,
        operation: &Operation,
        document: &Document,
        path: CairnPath<'_>,
    ) -> Result<CairnDone, Status> {
        let look = Self::look_of(operation);
        let (living, dead) = self.find(tables, &key, look, path);
        let entry = match operation {
            Operation::Create(_) => CairnEntry::Create,
            Operation::Upsert(_) if living.is_some() => CairnEntry::Update,
            Operation::Upsert(_) => CairnEntry::Insert,
            _ => CairnEntry::Replace,
        };
        let sent = self.sent_ttl(operation, &document.properties);
        let own = sent.map_or(Ok(None), |sent| self.read_own(tables, entry, path, sent));
        if !self.may(CairnLeave::ItemBeforeValue) {
            own?;
        }
        match entry {
            CairnEntry::Create if living.is_some() => return Err(Status::Conflict),
            CairnEntry::Create if self.has(SweepLeavesTombstone) && tables.archive.contains_key(&key) => {
                return Err(Status::Conflict);
            }
            CairnEntry::Replace => {
                let etag = operation.etag().map(String::as_str);
                self.find_for_change(tables, &key, look, etag, path)?;
            }
            _ => {}
        }
        let own = own?;
        let status = match entry {
            CairnEntry::Insert if dead.is_some() && self.may(CairnLeave::UpsertOverExpiredReplaces) => {
                Status::Ok
            }
            CairnEntry::Create | CairnEntry::Insert => Status::Created,
            _ => Status::Ok,
        };
        let body = document.properties.clone();
        let write = CairnWrite { entry, path, key, body, own, says_own: true, living, dead };
        Ok((status, Some(self.write(tables, write))))
    }

    fn patch(
        self,
        tables: &mut CairnTables,
        key: CairnKey,
        changes: &Patch,
        etag: Option<&str>,
        path: CairnPath<'_>,
    ) -> Result<CairnDone, Status> {
        let operation = Operation::Patch(changes.clone(), None);
        let sent = self.sent_ttl(&operation, &changes.set);
        let own = sent.map(|sent| self.read_own(tables, CairnEntry::Patch, path, sent)).transpose();
        let is_refused = (self.may(CairnLeave::PatchOfTsRefused) && changes.set.contains_key("_ts"))
            || (self.may(CairnLeave::EmptyPatchRefused)
                && changes.set.is_empty()
                && changes.remove.is_empty())
            || (self.may(CairnLeave::LongPatchRefused)
                && changes.set.len().saturating_add(changes.remove.len()) > 10);
        let own = if is_refused { Err(Status::BadRequest) } else { own };
        if !self.may(CairnLeave::ItemBeforeValue) {
            own?;
        }
        let old = self.find_for_change(tables, &key, CairnLook::Patch, etag, path)?;
        let own = own?;
        let mut body = old.body.clone();
        body.extend(changes.set.clone());
        for name in &changes.remove {
            let removed = body.remove(name);
            if removed.is_none() && self.may(CairnLeave::RemovingNothingRefused) {
                return Err(Status::BadRequest);
            }
        }
        let keeps_invalid = tables.rows.get(&key).is_some_and(|row| {
            let kept = row.body.get("ttl").filter(|ttl| body.get("ttl") == Some(ttl));
            kept.is_some_and(|ttl| self.read_own(tables, CairnEntry::Patch, path, ttl).is_err())
        });
        if keeps_invalid && self.may(CairnLeave::InvalidStoredRefusesPatches) {
            return Err(Status::BadRequest);
        }
        let removes = changes
            .remove
            .iter()
            .any(|name| name == "ttl" || (self.has(PatchRemovesAnyCase) && name.eq_ignore_ascii_case("ttl")));
        let own_before = tables.own.get(&self.own_key(&key)).copied();
        let (own, says_own) = match own {
            Some(own) => (own, true),
            None if removes => (None, true),
            None if self.has(PatchClearsOwn) => (None, false),
            None => (own_before, false),
        };
        let entry = CairnEntry::Patch;
        let write = CairnWrite { entry, path, key, body, own, says_own, living: Some(old), dead: None };
        Ok((Status::Ok, Some(self.write(tables, write))))
    }

    /// A refusal leaves the tables as they were; only a mistake does anything here.
    fn after_refusal(self, tables: &mut CairnTables, operation: &Operation, key: &CairnKey, refusal: Status) {
        match (operation, refusal) {
            (Operation::Create(document), Status::Conflict) => {
                if self.has(ConflictTouches) {
                    self.touch(tables, key);
                }
                let sent = document.ttl().map(Literal::kind);
                if let Some(LiteralKind::Whole(seconds @ 1..)) = sent
                    && self.has(ConflictStoresOwn)
                {
                    tables.own.insert(key.clone(), CairnOwn::Seconds(seconds));
                }
            }
            (Operation::Upsert(_), Status::BadRequest) if self.has(RefusedUpsertTouches) => {
                self.touch(tables, key);
            }
            (Operation::Replace(..), Status::PreconditionFailed) if self.has(StaleReplaceClearsOwn) => {
                tables.own.remove(key);
            }
            (Operation::Patch(patch, _), Status::BadRequest) if self.has(RefusedPatchApplies) => {
                if let Some(row) = tables.rows.get_mut(key) {
                    let others = patch.set.iter().filter(|(name, _)| *name != "ttl");
                    row.body.extend(others.map(|(name, value)| (name.clone(), value.clone())));
                }
            }
            (Operation::Delete(..), Status::PreconditionFailed) if self.has(StaleDeleteTouches) => {
                self.touch(tables, key);
            }
            _ => {}
        }
    }

    /// Sets a row's `_ts` to now, by a mistake.
    pub(super) fn touch(self, tables: &mut CairnTables, key: &CairnKey) {
        let (now, default) = (tables.now, tables.default());
        if let Some(row) = tables.rows.get_mut(key) {
            row.ts = now;
            row.inherited = self.inherited_deadline(now, default);
        }
    }
}
