//! The state, and the notes that it keeps besides the items.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{Edition, Etag, Id, Indexing, PartitionKey, Properties};

/// Which item: its partition and its id together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SluiceKey {
    pub(super) partition: PartitionKey,
    pub(super) id: Id,
}

/// The container's `defaultTtl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SluiceDefault {
    #[default]
    Off,
    Forever,
    Seconds(i64),
}

impl SluiceDefault {
    pub(super) fn seconds(self) -> Option<i64> {
        if let Self::Seconds(seconds) = self { Some(seconds) } else { None }
    }
}

/// What an item's own `ttl` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SluiceLifetime {
    Inherit,
    Forever,
    Seconds(i64),
}

/// The container's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SluiceSettings {
    pub(super) default: SluiceDefault,
    pub(super) indexing: Indexing,
}

/// A stored item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SluiceRecord {
    /// As written, without what the server adds.
    pub(super) properties: Properties,
    pub(super) ts: i64,
    pub(super) etag: Etag,
    /// Read from `ttl` once, when it is written.
    pub(super) lifetime: SluiceLifetime,
    /// The second in which it was created.
    pub(super) born: i64,
    /// The default under which it was last written.
    pub(super) wrote_under: SluiceDefault,
}

/// Notes besides the items. A correct store never lets them decide; each is what some implementation keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct SluiceNotes {
    /// The clock at the request before.
    pub(super) last_request_at: Option<i64>,
    /// The last default that was a number of seconds.
    pub(super) last_seconds: Option<i64>,
    /// The default with which the container was created.
    pub(super) first_default: SluiceDefault,
    /// The default before the last change, until the next write.
    pub(super) stale_default: Option<SluiceDefault>,
    /// When time to live was last switched on.
    pub(super) switched_on_at: Option<i64>,
    /// Whether the index is being built again, which the next write ends.
    pub(super) is_reindexing: bool,
    /// Queries to come that miss items, because a lazy index is built again.
    pub(super) lagging_queries: u32,
    /// Keys whose items were seen to expire.
    pub(super) doomed: BTreeSet<SluiceKey>,
    /// Deadlines as they were when the items were written.
    pub(super) timers: BTreeSet<(i64, SluiceKey)>,
    /// Items that were removed in the background.
    pub(super) removed: BTreeMap<SluiceKey, SluiceRecord>,
    /// Items that a client deleted.
    pub(super) deleted: BTreeMap<SluiceKey, SluiceRecord>,
    /// All etags that each item ever had.
    pub(super) etags: BTreeMap<SluiceKey, Vec<Etag>>,
    /// Own lifetimes by id.
    pub(super) by_id: BTreeMap<Id, SluiceLifetime>,
    /// Items as they were last read.
    pub(super) read_cache: BTreeMap<SluiceKey, SluiceRecord>,
    /// Keys that a read found expired.
    pub(super) known_missing: BTreeSet<SluiceKey>,
    /// Results of queries by partition, with the number of writes before them.
    pub(super) query_cache: BTreeMap<PartitionKey, (u64, Vec<Id>)>,
    /// What refused deletes took from the counter of items.
    pub(super) refused_deletes: u64,
    /// The results of which pages are still asked for.
    pub(super) snapshots: Vec<Vec<Id>>,
    /// How many counts were answered.
    pub(super) counts: u64,
}

/// The state of one container.
#[derive(Clone, Debug)]
pub(super) struct SluiceState {
    pub(super) edition: Edition,
    pub(super) now: i64,
    /// Absent until the container is created.
    pub(super) settings: Option<SluiceSettings>,
    pub(super) items: BTreeMap<SluiceKey, SluiceRecord>,
    /// The number of writes, of which etags are made.
    pub(super) revision: u64,
    pub(super) notes: SluiceNotes,
}

impl SluiceState {
    pub(super) fn new(edition: Edition, now: i64) -> Self {
        let notes = SluiceNotes::default();
        Self { edition, now, settings: None, items: BTreeMap::new(), revision: 0, notes }
    }

    pub(super) fn default_ttl(&self) -> SluiceDefault {
        self.settings.map_or(SluiceDefault::Off, |settings| settings.default)
    }

    /// Returns the items of one partition, by their ids.
    pub(super) fn of_partition(&self, partition: &str) -> impl Iterator<Item = (&SluiceKey, &SluiceRecord)> {
        self.items.iter().filter(move |(key, _)| key.partition == partition)
    }
}
