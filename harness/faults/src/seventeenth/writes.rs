//! How a row is written: its body, its `_ts`, its version, its own lifetime and its place on the agenda.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Edition, Properties};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::tables::{CairnDefault, CairnKey, CairnLook, CairnOwn, CairnPath, CairnRow, CairnTables};
use super::triggers::is_redundant;
use super::values::{CairnEntry, nested_ttl};

/// A row to be written.
#[derive(Clone, Debug)]
pub(super) struct CairnWrite<'p> {
    pub(super) entry: CairnEntry,
    pub(super) path: CairnPath<'p>,
    pub(super) key: CairnKey,
    /// The body as sent, or as patched.
    pub(super) body: Properties,
    /// The own lifetime; `None` if it inherits.
    pub(super) own: Option<CairnOwn>,
    /// Whether the write says anything of the own lifetime: all do but some patches.
    pub(super) says_own: bool,
    /// The row before, if it is alive.
    pub(super) living: Option<CairnRow>,
    /// The row before, if it is expired.
    pub(super) dead: Option<CairnRow>,
}

impl CairnStore {
    /// Writes a row and returns it.
    pub(super) fn write(self, tables: &mut CairnTables, mut write: CairnWrite<'_>) -> CairnRow {
        let sent_ts = write.body.get("_ts").map(Literal::kind);
        write.body.remove("_ts");
        write.body.remove("_etag");
        let had_own = tables.own.get(&self.own_key(&write.key)).copied();
        let had_ttl = write.living.as_ref().and_then(|row| row.body.get("ttl").cloned());
        self.shape_body(tables, &mut write);
        let now = tables.now;
        let inserted = write.living.as_ref().map_or(now, |row| row.inserted);
        let version = self.next_version(tables, &write);
        let mut row = CairnRow {
            body: write.body.clone(),
            ts: now,
            version,
            inserted,
            inherited: None,
            written_under: tables.default(),
            own_from: None,
        };
        let ttl_changed = had_ttl != write.body.get("ttl").cloned();
        self.stamp(tables, &write, &mut row, ttl_changed, sent_ts);
        row.inherited = self.inherited_deadline(row.ts, tables.default());
        self.store_own(tables, &write, had_own);
        tables.unindexed.remove(&write.key);
        tables.last_write = now;
        tables.rows.insert(write.key.clone(), row.clone());
        self.plan(tables, &write);
        row
    }

    fn shape_body(self, tables: &CairnTables, write: &mut CairnWrite<'_>) {
        let body = &mut write.body;
        let default = match tables.default() {
            CairnDefault::Seconds(seconds) => Some(Literal::from(seconds)),
            _ => None,
        };
        let fills = (self.has(PatchWritesDefault) && write.entry == CairnEntry::Patch)
            || (self.has(BatchCreateWritesDefault)
                && write.path.in_batch
                && write.entry == CairnEntry::Create);
        if fills && let Some(default) = default {
            body.entry("ttl".into()).or_insert(default);
        }
        let drops = (self.has(OffDropsTtl) && tables.is_off())
            || (self.has(NeverDroppedFromBody)
                && write.own == Some(CairnOwn::Never)
                && tables.default() == CairnDefault::NoDefault);
        let is_null = body.get("ttl").is_some_and(|ttl| ttl.kind() == LiteralKind::Null);
        let drops_null = self.has(Null2020Dropped) && tables.edition == Edition::Y2020 && is_null;
        if drops || drops_null {
            body.remove("ttl");
        }
        if self.has(CreateMergesBody)
            && write.entry == CairnEntry::Create
            && let Some(dead) = &write.dead
        {
            for (name, value) in dead.body.iter().filter(|(name, _)| *name != "ttl") {
                body.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }

    fn next_version(self, tables: &mut CairnTables, write: &CairnWrite<'_>) -> u64 {
        if self.has(RowVersionRestarts) {
            return write.living.as_ref().map_or(1, |row| row.version.saturating_add(1));
        }
        if self.may(CairnLeave::EtagsCountedForEachKey) {
            let count = tables.writes_of.entry(write.key.clone()).or_default();
            *count = count.saturating_add(1);
            return *count;
        }
        if let Some(shared) = tables.batch_version {
            return shared;
        }
        tables.versions = tables.versions.saturating_add(1);
        if write.path.in_batch && self.may(CairnLeave::EtagsSharedInBatch) {
            tables.batch_version = Some(tables.versions);
        }
        tables.versions
    }

    /// Sets `_ts`: to now, unless a mistake or a freedom has it otherwise.
    fn stamp(
        self,
        tables: &CairnTables,
        write: &CairnWrite<'_>,
        row: &mut CairnRow,
        ttl_changed: bool,
        sent_ts: Option<LiteralKind>,
    ) {
        let CairnWrite { entry, path, living, dead, .. } = write;
        if let Some(LiteralKind::Whole(sent)) = sent_ts {
            let takes = (self.has(ReplaceTakesTs) && *entry == CairnEntry::Replace)
                || (self.has(BatchUpsertTakesTs)
                    && path.in_batch
                    && matches!(entry, CairnEntry::Insert | CairnEntry::Update))
                || (self.has(PatchTakesTs) && *entry == CairnEntry::Patch)
                || (self.has(CreateTakesLaterTs) && *entry == CairnEntry::Create && sent > row.ts);
            if takes {
                row.ts = sent;
            }
        }
        if let (Some(dead), CairnEntry::Create) = (dead, entry)
            && self.has(CreateKeepsTs)
        {
            row.ts = dead.ts;
        }
        let Some(old) = living else { return };
        let same_body = old.body == row.body;
        let only_ttl = {
            let without = |body: &Properties| {
                let mut body = body.clone();
                body.remove("ttl");
                body
            };
            ttl_changed && without(&old.body) == without(&row.body)
        };
        let keeps = (self.has(IdenticalUpsertSkipped) && *entry == CairnEntry::Update && same_body)
            || (self.has(IdenticalBatchReplaceSkipped)
                && *entry == CairnEntry::Replace
                && path.in_batch
                && same_body)
            || (self.has(OnlyTtlChangedKeepsTs) && *entry == CairnEntry::Replace && only_ttl)
            || (self.has(PatchTtlKeepsTs) && *entry == CairnEntry::Patch && ttl_changed)
            || (self.has(ConditionalReplaceKeepsTs) && *entry == CairnEntry::Replace && path.has_etag)
            || (self.has(OffUpsertKeepsTs) && *entry == CairnEntry::Update && tables.is_off())
            || (self.has(NeverReplaceKeepsTs)
                && *entry == CairnEntry::Replace
                && tables.own.get(&write.key) == Some(&CairnOwn::Never))
            || (self.may(CairnLeave::PatchOfDataKeepsTs) && *entry == CairnEntry::Patch && !write.says_own);
        if keeps {
            row.ts = old.ts;
        }
        if self.has(PatchStampsInsertion) && *entry == CairnEntry::Patch {
            row.ts = old.inserted;
        }
    }

    /// Writes the row of the own lifetime.
    fn store_own(self, tables: &mut CairnTables, write: &CairnWrite<'_>, had: Option<CairnOwn>) {
        let CairnWrite { entry, path, .. } = write;
        let mut own = write.own;
        if *entry == CairnEntry::Create
            && self.has(NestedTtlCounts)
            && let Some(seconds) = write.body.values().find_map(nested_ttl)
        {
            own = own.or(Some(CairnOwn::Seconds(seconds)));
        }
        let is_null = write.body.get("ttl").is_some_and(|ttl| ttl.kind() == LiteralKind::Null);
        let keeps = match entry {
            CairnEntry::Patch => {
                !write.says_own && !self.has(PatchClearsOwn)
                    || (self.has(PatchRemoveKeepsOwn) && own.is_none())
                    || (self.has(ConditionalPatchKeepsOwn) && path.has_etag)
                    || (self.has(OffPatchKeepsOwn) && tables.is_off())
            }
            CairnEntry::Replace => {
                (self.has(ReplaceKeepsOwn) && own.is_none())
                    || (self.has(OffReplaceKeepsOwn) && tables.is_off())
                    || (self.has(Null2020KeepsOwn) && is_null)
            }
            CairnEntry::Update => self.has(BatchUpsertKeepsOwn) && path.in_batch && own.is_none(),
            CairnEntry::Insert => self.has(UpsertOnExpiredKeepsOwn) && own.is_none(),
            CairnEntry::Create => {
                own.is_none()
                    && ((self.has(CreateKeepsOwn) && write.dead.is_some())
                        || self.has_any(&[DeleteLeavesOwn, SweepLeavesOwn]))
            }
        };
        if keeps {
            own = had;
        }
        let redundant = own.is_some_and(|own| is_redundant(own, tables.default()));
        let unsaid = match own {
            Some(CairnOwn::Never) => redundant && self.has(NeverNotStoredWithoutDefault),
            _ => redundant && self.has(EqualToDefaultNotStored),
        };
        if unsaid || (self.has(OffCreateStoresNoOwn) && tables.is_off() && *entry == CairnEntry::Create) {
            own = None;
        }
        let mut key = self.own_key(&write.key);
        if self.has(BatchOwnInDefaultPartition) && path.in_batch {
            DEFAULT_PARTITION.clone_into(&mut key.0);
        }
        match own {
            Some(own) => tables.own.insert(key, own),
            None => tables.own.remove(&key),
        };
    }

    /// Brings the agenda in step with a row.
    fn plan(self, tables: &mut CairnTables, write: &CairnWrite<'_>) {
        let stays = match write.entry {
            CairnEntry::Replace => self.has(AgendaStaleAfterReplace),
            CairnEntry::Patch => self.has(AgendaStaleAfterPatch),
            CairnEntry::Create => self.has_any(&[AgendaStaleAfterCreate, DeleteLeavesAgenda]),
            CairnEntry::Update => self.has(AgendaStaleAfterBatchUpsert) && write.path.in_batch,
            CairnEntry::Insert => self.has(AgendaStaleAfterUpsert),
        };
        if !stays {
            tables.agenda.retain(|(_, key)| *key != write.key);
        }
        let row = tables.rows.get(&write.key);
        let deadline = row.and_then(|row| self.deadline(tables, &write.key, row, CairnLook::Sweep));
        tables.agenda.extend(deadline.map(|deadline| (deadline, write.key.clone())));
    }

    /// Deletes a row, with what belongs to it.
    pub(super) fn erase(self, tables: &mut CairnTables, key: &CairnKey) {
        tables.rows.remove(key);
        tables.own.remove(&self.own_key(key));
        tables.unindexed.remove(key);
        tables.agenda.retain(|(_, planned)| planned != key);
    }
}
