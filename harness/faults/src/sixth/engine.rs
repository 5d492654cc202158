//! The storage engine: a memtable, sorted runs, and a merged view of them.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Document, Etag, Id, Item, PartitionKey, Properties};

/// A memtable of this many keys becomes a run.
const FLUSH_KEYS: usize = 3;
/// This many runs become one.
const MERGE_RUNS: usize = 4;

/// The partition and the id of an item.
pub(super) type LsmKey = (PartitionKey, Id);

/// Versions by their keys; `None` is a tombstone.
type SortedRun = BTreeMap<LsmKey, Option<LsmRecord>>;

/// A container's `defaultTtl`, as read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lifespan {
    /// Time to live is off.
    #[default]
    Off,
    /// On, without a default.
    NoDefault,
    /// On, with a default.
    Seconds(i64),
}

/// An item's `ttl`, as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnTtl {
    /// The default applies.
    Inherit,
    /// The item never expires.
    Never,
    /// The item has its own lifetime.
    Seconds(i64),
}

/// One version of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LsmRecord {
    /// `_ts`
    pub(super) ts_s: i64,
    /// The second from which its life counts: its `_ts`, but for faults.
    pub(super) counted_s: i64,
    /// When its id was made.
    pub(super) made_s: i64,
    /// The default when it was written, for faults.
    pub(super) default_then: Lifespan,
    pub(super) ttl: OwnTtl,
    pub(super) etag: Etag,
    pub(super) properties: Properties,
}

impl LsmRecord {
    /// Returns the item that an answer shows.
    pub(super) fn item(&self, id: &str) -> Item {
        let document = Document { id: id.to_owned(), properties: self.properties.clone() };
        Item { document, ts: Some(self.ts_s), etag: Some(self.etag.clone()) }
    }
}

/// A memtable, and runs with the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct LsmEngine {
    memtable: SortedRun,
    runs: Vec<SortedRun>,
}

impl LsmEngine {
    /// Returns the newest version.
    pub(super) fn get(&self, key: &LsmKey) -> Option<&LsmRecord> {
        self.levels().rev().find_map(|run| run.get(key)).and_then(Option::as_ref)
    }

    /// Returns the oldest version that is still stored.
    pub(super) fn oldest(&self, key: &LsmKey) -> Option<&LsmRecord> {
        self.levels().find_map(|run| run.get(key)).and_then(Option::as_ref)
    }

    /// Writes a version, or a tombstone.
    pub(super) fn put(&mut self, key: LsmKey, version: Option<LsmRecord>) {
        self.memtable.insert(key, version);
        if self.memtable.len() >= FLUSH_KEYS {
            self.runs.push(std::mem::take(&mut self.memtable));
        }
        if self.runs.len() >= MERGE_RUNS {
            let merged = self.runs.drain(..).flatten().collect();
            self.runs = vec![merged];
        }
    }

    /// Changes the newest version in place.
    pub(super) fn amend(&mut self, key: &LsmKey, change: impl FnOnce(&mut LsmRecord)) {
        let mut newest = std::iter::once(&mut self.memtable).chain(self.runs.iter_mut().rev());
        if let Some(Some(record)) = newest.find_map(|run| run.get_mut(key)) {
            change(record);
        }
    }

    /// Changes the newest version of every item in place.
    pub(super) fn amend_all(&mut self, mut change: impl FnMut(&LsmKey, &mut LsmRecord)) {
        for key in self.merged().into_keys() {
            self.amend(&key, |record| change(&key, record));
        }
    }

    /// Removes the newest version, and shows the one before.
    pub(super) fn pop(&mut self, key: &LsmKey) {
        let newest = std::iter::once(&mut self.memtable).chain(self.runs.iter_mut().rev());
        if let Some(run) = newest.into_iter().find(|run| run.contains_key(key)) {
            run.remove(key);
        }
    }

    /// Returns the newest version of every item.
    pub(super) fn merged(&self) -> BTreeMap<LsmKey, LsmRecord> {
        let all: SortedRun = self.levels().flatten().map(|(key, cell)| (key.clone(), cell.clone())).collect();
        all.into_iter().filter_map(|(key, cell)| Some((key, cell?))).collect()
    }

    /// Returns the oldest version of every item.
    pub(super) fn merged_backwards(&self) -> BTreeMap<LsmKey, LsmRecord> {
        let cells = self.levels().rev().flatten();
        let all: SortedRun = cells.map(|(key, cell)| (key.clone(), cell.clone())).collect();
        all.into_iter().filter_map(|(key, cell)| Some((key, cell?))).collect()
    }

    /// Returns the keys of each level.
    pub(super) fn keys_by_level(&self) -> Vec<Vec<LsmKey>> {
        self.levels().map(|run| run.keys().cloned().collect()).collect()
    }

    /// Returns an engine of one run.
    pub(super) fn of(records: BTreeMap<LsmKey, LsmRecord>) -> Self {
        let run = records.into_iter().map(|(key, record)| (key, Some(record))).collect();
        Self { memtable: SortedRun::new(), runs: vec![run] }
    }

    /// Returns the levels with the oldest first.
    fn levels(&self) -> impl DoubleEndedIterator<Item = &SortedRun> {
        self.runs.iter().chain(std::iter::once(&self.memtable))
    }
}
