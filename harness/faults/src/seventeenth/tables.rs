//! The tables, and what is computed from a row: when it is expired.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Edition, Indexing, Properties};

use super::CairnStore;
use super::flaw::CairnFlaw::*;

/// The primary key of a row: its partition and its id.
pub(super) type CairnKey = (String, String);

/// A row of the table of own lifetimes; an item without one inherits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CairnOwn {
    Never,
    Seconds(i64),
}

/// The container's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CairnDefault {
    Off,
    NoDefault,
    Seconds(i64),
}

/// The row of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CairnSettings {
    pub(super) default: CairnDefault,
    pub(super) indexing: Indexing,
}

/// A row of the table of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CairnRow {
    pub(super) body: Properties,
    pub(super) ts: i64,
    pub(super) version: u64,
    /// When the row was inserted.
    pub(super) inserted: i64,
    /// The deadline that follows from the default; triggers keep it in step with the settings.
    pub(super) inherited: Option<i64>,
    /// The default when the row was written. Only a mistake uses it.
    pub(super) written_under: CairnDefault,
    /// From when its own lifetime counts, if not from `ts`. Only a mistake sets it.
    pub(super) own_from: Option<i64>,
}

/// All tables of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CairnTables {
    pub(super) edition: Edition,
    pub(super) now: i64,
    pub(super) settings: Option<CairnSettings>,
    pub(super) rows: BTreeMap<CairnKey, CairnRow>,
    pub(super) own: BTreeMap<CairnKey, CairnOwn>,
    /// The deadlines, in their order, for the sweeper.
    pub(super) agenda: BTreeSet<(i64, CairnKey)>,
    pub(super) versions: u64,
    /// The version that all writes of the present batch share, if they share one.
    pub(super) batch_version: Option<u64>,
    /// The keys of the items that were expired when the present batch began. Only a mistake uses them.
    pub(super) dead_before_batch: BTreeSet<CairnKey>,
    /// How often each key was written, where versions are counted for each key.
    pub(super) writes_of: BTreeMap<CairnKey, u64>,
    /// When the last write happened.
    pub(super) last_write: i64,
    /// Removed rows that are kept, by a mistake.
    pub(super) archive: BTreeMap<CairnKey, CairnRow>,
    /// Keys that the index of queries lacks.
    pub(super) unindexed: BTreeSet<CairnKey>,
    /// The default of the container when it was created.
    pub(super) first_default: CairnDefault,
    /// Whether time to live was ever on.
    pub(super) was_on: bool,
    /// How many queries still find a half-built index.
    pub(super) lag: u32,
    /// What the statistics say of the number of items in each partition.
    pub(super) statistics: BTreeMap<String, u64>,
}

impl CairnTables {
    pub(super) fn new(edition: Edition, now: i64) -> Self {
        Self {
            edition,
            now,
            settings: None,
            rows: BTreeMap::new(),
            own: BTreeMap::new(),
            agenda: BTreeSet::new(),
            versions: 0,
            batch_version: None,
            dead_before_batch: BTreeSet::new(),
            writes_of: BTreeMap::new(),
            last_write: now,
            archive: BTreeMap::new(),
            unindexed: BTreeSet::new(),
            first_default: CairnDefault::Off,
            was_on: false,
            lag: 0,
            statistics: BTreeMap::new(),
        }
    }

    pub(super) fn default(&self) -> CairnDefault {
        self.settings.map_or(CairnDefault::Off, |settings| settings.default)
    }

    pub(super) fn is_off(&self) -> bool {
        self.default() == CairnDefault::Off
    }
}

/// The statement that looks at a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CairnLook {
    Read,
    Query,
    List,
    Count,
    Create,
    Upsert,
    Replace,
    Patch,
    Delete,
    Sweep,
}

/// Where an operation comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct CairnPath<'p> {
    pub(super) partition: &'p str,
    pub(super) in_batch: bool,
    pub(super) has_etag: bool,
}

impl CairnStore {
    /// Returns the key of the row of own lifetimes that belongs to an item.
    pub(super) fn own_key(self, key: &CairnKey) -> CairnKey {
        if self.has(OwnById) { (DEFAULT_PARTITION.to_owned(), key.1.clone()) } else { key.clone() }
    }

    /// Returns `from + lifetime`.
    fn sum(self, from: i64, lifetime: i64, is_own: bool) -> i64 {
        let sum = from.saturating_add(lifetime);
        let highest = i64::from(i32::MAX);
        let wrap = 1_i64 << 32;
        if !is_own && self.has(InheritedDeadlineWraps) && sum > highest {
            sum.saturating_sub(wrap)
        } else if is_own && self.has(OwnDeadlineWraps) {
            sum.rem_euclid(wrap)
        } else if is_own && self.has(OwnDeadlineCapped) {
            sum.min(highest)
        } else {
            sum
        }
    }

    /// Returns the deadline that follows from a default.
    pub(super) fn inherited_deadline(self, from: i64, default: CairnDefault) -> Option<i64> {
        match default {
            CairnDefault::Off | CairnDefault::NoDefault => None,
            CairnDefault::Seconds(seconds) => Some(self.sum(from, seconds, false)),
        }
    }

    /// Returns the deadline of a row as a statement sees it.
    pub(super) fn deadline(
        self,
        tables: &CairnTables,
        key: &CairnKey,
        row: &CairnRow,
        look: CairnLook,
    ) -> Option<i64> {
        let own = tables.own.get(&self.own_key(key)).copied();
        let of_own = match own {
            Some(CairnOwn::Seconds(seconds)) => Some(self.sum(row.own_from.unwrap_or(row.ts), seconds, true)),
            _ => None,
        };
        if tables.is_off() {
            let honours = self.has(OffHonoursOwn)
                || (self.has(OffHonoursOwnAfterOn) && tables.was_on)
                || (self.has(OffQueryHonoursOwn) && look == CairnLook::Query)
                || (self.has(SweepWhileOff) && look == CairnLook::Sweep);
            return of_own.filter(|_| honours);
        }
        match (own, of_own) {
            (Some(CairnOwn::Never), _) => {
                let ignored = self.has(SweepIgnoresNever) && look == CairnLook::Sweep;
                row.inherited.filter(|_| ignored)
            }
            (_, Some(deadline)) => {
                let shorter = (self.has(QueryShorterOfBoth) && look == CairnLook::Query)
                    || (self.has(SweepShorterOfBoth) && look == CairnLook::Sweep);
                let longer = self.has(ReadLongerOfBoth) && look == CairnLook::Read;
                let ignored = self.has(ListIgnoresOwnWithoutDefault) && look == CairnLook::List;
                match row.inherited {
                    Some(inherited) if shorter => Some(deadline.min(inherited)),
                    Some(inherited) if longer => Some(deadline.max(inherited)),
                    None if ignored => None,
                    _ => Some(deadline),
                }
            }
            _ => row.inherited,
        }
    }

    /// Returns whether a row is expired for a statement.
    pub(super) fn is_expired(
        self,
        tables: &CairnTables,
        key: &CairnKey,
        row: &CairnRow,
        look: CairnLook,
        path: CairnPath<'_>,
    ) -> bool {
        let changes = matches!(look, CairnLook::Read | CairnLook::Patch | CairnLook::Replace);
        if self.has(BatchPrefetchesExpiry) && changes && tables.dead_before_batch.contains(key) {
            return true;
        }
        let Some(deadline) = self.deadline(tables, key, row, look) else { return false };
        let mut now = tables.now;
        if self.has(AgesAsReal) {
            return as_real(now.saturating_sub(row.ts)) >= as_real(deadline.saturating_sub(row.ts));
        }
        if self.has(QueryAtLastWrite) && look == CairnLook::Query {
            now = tables.last_write;
        }
        let later = match look {
            CairnLook::Query => self.has(QueryAtDeadline),
            CairnLook::List => self.has(ListAtDeadline),
            CairnLook::Create => self.has(CreateAtDeadline),
            CairnLook::Delete => self.has(DeleteAtDeadline),
            CairnLook::Patch => self.has(PatchAtDeadline),
            CairnLook::Replace => self.has(BatchReplaceAtDeadline) && path.in_batch,
            CairnLook::Read => self.has(BatchReadAtDeadline) && path.in_batch,
            _ => false,
        };
        let is_own = tables.own.contains_key(&self.own_key(key));
        let earlier = (self.has(SweepEarly) && look == CairnLook::Sweep)
            || (self.has(QueryEarlyInherited) && look == CairnLook::Query && !is_own)
            || (self.has(ReplaceEarly) && look == CairnLook::Replace);
        let skips = (self.has(ConditionalReplaceRevives) && look == CairnLook::Replace && path.has_etag)
            || (self.has(ConditionalDeleteOfExpired) && look == CairnLook::Delete && path.has_etag)
            || (self.has(BatchPatchRevives) && look == CairnLook::Patch && path.in_batch)
            || (self.has(BatchCreateConflicts) && look == CairnLook::Create && path.in_batch)
            || (self.has(CreateConflictsWithOwn) && look == CairnLook::Create && is_own);
        if skips {
            return false;
        }
        let margin = i64::from(earlier) - i64::from(later);
        deadline <= now.saturating_add(margin)
    }
}

/// Returns a number of seconds as a column of single precision holds it: 24 significant bits.
fn as_real(seconds: i64) -> i64 {
    let magnitude = seconds.unsigned_abs();
    let bits = u64::BITS.saturating_sub(magnitude.leading_zeros());
    let unit = 1_i64.checked_shl(bits.saturating_sub(24)).unwrap_or(1);
    let half = unit.checked_div(2).unwrap_or(0);
    let rest = seconds.checked_rem(unit).unwrap_or(0);
    let down = seconds.saturating_sub(rest);
    // A tie goes to the even neighbour.
    let is_odd = down.checked_div(unit).unwrap_or(0).checked_rem(2) == Some(1);
    if unit > 1 && (rest > half || (rest == half && is_odd)) { down.saturating_add(unit) } else { down }
}
