//! The sets of independent faults and correct stores, each with a store of its own kind.

use cosmos_ttl_faults::correct::CorrectStore;
use cosmos_ttl_faults::faults::SingleFault;
use cosmos_ttl_faults::fifth::{self, CorrectDepotStore, DepotFault, DepotStore};
use cosmos_ttl_faults::fourth::{self, CorrectTimerStore, TimerFault, TimerStore};
use cosmos_ttl_faults::second::{self, CorrectDocumentStore, DocumentFault, DocumentStore};
use cosmos_ttl_faults::seventh::{self, CorrectLedgerStore, LedgerFault, LedgerStore};
use cosmos_ttl_faults::sixth::{self, CorrectLsmStore, LsmFault, LsmStore};
use cosmos_ttl_faults::third::{self, CorrectRowStore, RowFault, RowStore};
use cosmos_ttl_faults::{CORRECT, FAULTS, LogStore};
use cosmos_ttl_harness::target::Target;

/// A set of faults and correct stores: each author had read neither vectors nor the other set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultSet {
    /// Stores that keep a log of versions.
    First,
    /// Stores that keep a map of documents for each partition.
    Second,
    /// Stores that keep a table of rows, with a handler for each kind of request.
    Third,
    /// Stores that keep a wheel of timers, and a tape of settings.
    Fourth,
    /// Stores that keep cells with timers, and a wheel of deadlines.
    Fifth,
    /// Stores that keep a memtable and sorted runs, which a compaction merges.
    Sixth,
    /// Stores that append facts, and fold them into two projections.
    Seventh,
}

impl FaultSet {
    /// All sets.
    pub const ALL: [Self; 7] =
        [Self::First, Self::Second, Self::Third, Self::Fourth, Self::Fifth, Self::Sixth, Self::Seventh];

    /// Returns the word that names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
            Self::Third => "third",
            Self::Fourth => "fourth",
            Self::Fifth => "fifth",
            Self::Sixth => "sixth",
            Self::Seventh => "seventh",
        }
    }

    /// Returns its faults.
    pub fn faults(self) -> Vec<FaultEntry> {
        match self {
            Self::First => FAULTS.iter().map(FaultEntry::from).collect(),
            Self::Second => second::all_faults().map(FaultEntry::from).collect(),
            Self::Third => third::all_faults().map(FaultEntry::from).collect(),
            Self::Fourth => fourth::all_faults().map(FaultEntry::from).collect(),
            Self::Fifth => fifth::all_faults().map(FaultEntry::from).collect(),
            Self::Sixth => sixth::all_faults().map(FaultEntry::from).collect(),
            Self::Seventh => seventh::all_faults().map(FaultEntry::from).collect(),
        }
    }

    /// Returns its correct stores.
    pub fn correct(self) -> Vec<CorrectEntry> {
        match self {
            Self::First => CORRECT.iter().map(CorrectEntry::from).collect(),
            Self::Second => second::all_correct().map(CorrectEntry::from).collect(),
            Self::Third => third::all_correct().map(CorrectEntry::from).collect(),
            Self::Fourth => fourth::all_correct().map(CorrectEntry::from).collect(),
            Self::Fifth => fifth::all_correct().map(CorrectEntry::from).collect(),
            Self::Sixth => sixth::all_correct().map(CorrectEntry::from).collect(),
            Self::Seventh => seventh::all_correct().map(CorrectEntry::from).collect(),
        }
    }
}

/// A store of any set.
#[derive(Clone, Copy, Debug)]
pub enum PlantedStore {
    /// Of the first set.
    First(LogStore),
    /// Of the second set.
    Second(DocumentStore),
    /// Of the third set.
    Third(RowStore),
    /// Of the fourth set.
    Fourth(TimerStore),
    /// Of the fifth set.
    Fifth(DepotStore),
    /// Of the sixth set.
    Sixth(LsmStore),
    /// Of the seventh set.
    Seventh(LedgerStore),
}

impl PlantedStore {
    /// Returns the store as a target.
    pub fn target(&self) -> &dyn Target {
        match self {
            Self::First(store) => store,
            Self::Second(store) => store,
            Self::Third(store) => store,
            Self::Fourth(store) => store,
            Self::Fifth(store) => store,
            Self::Sixth(store) => store,
            Self::Seventh(store) => store,
        }
    }
}

/// A store with one mistake, of any set.
#[derive(Clone, Copy, Debug)]
pub struct FaultEntry {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    /// A short script on which it answers as no correct store does.
    pub shown_by: &'static str,
    /// The store.
    pub store: PlantedStore,
}

/// A store that breaks no clause of level must, of any set.
#[derive(Clone, Copy, Debug)]
pub struct CorrectEntry {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The store.
    pub store: PlantedStore,
}

impl From<&'static SingleFault> for FaultEntry {
    fn from(fault: &'static SingleFault) -> Self {
        let SingleFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::First(fault.store()) }
    }
}

impl From<&'static DocumentFault> for FaultEntry {
    fn from(fault: &'static DocumentFault) -> Self {
        let DocumentFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::Second(fault.store()) }
    }
}

impl From<&'static RowFault> for FaultEntry {
    fn from(fault: &'static RowFault) -> Self {
        let RowFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::Third(fault.store()) }
    }
}

impl From<&'static TimerFault> for FaultEntry {
    fn from(fault: &'static TimerFault) -> Self {
        let TimerFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::Fourth(fault.store()) }
    }
}

impl From<&'static CorrectStore> for CorrectEntry {
    fn from(one: &'static CorrectStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::First(one.store()) }
    }
}

impl From<&'static CorrectDocumentStore> for CorrectEntry {
    fn from(one: &'static CorrectDocumentStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::Second(one.store()) }
    }
}

impl From<&'static CorrectRowStore> for CorrectEntry {
    fn from(one: &'static CorrectRowStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::Third(one.store()) }
    }
}

impl From<&'static CorrectTimerStore> for CorrectEntry {
    fn from(one: &'static CorrectTimerStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::Fourth(one.store()) }
    }
}

impl From<&'static DepotFault> for FaultEntry {
    fn from(fault: &'static DepotFault) -> Self {
        let DepotFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::Fifth(fault.store()) }
    }
}

impl From<&'static CorrectDepotStore> for CorrectEntry {
    fn from(one: &'static CorrectDepotStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::Fifth(one.store()) }
    }
}

impl From<&'static LsmFault> for FaultEntry {
    fn from(fault: &'static LsmFault) -> Self {
        let LsmFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::Sixth(fault.store()) }
    }
}

impl From<&'static CorrectLsmStore> for CorrectEntry {
    fn from(one: &'static CorrectLsmStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::Sixth(one.store()) }
    }
}

impl From<&'static LedgerFault> for FaultEntry {
    fn from(fault: &'static LedgerFault) -> Self {
        let LedgerFault { name, says, breaks, shown_by, .. } = *fault;
        Self { name, says, breaks, shown_by, store: PlantedStore::Seventh(fault.store()) }
    }
}

impl From<&'static CorrectLedgerStore> for CorrectEntry {
    fn from(one: &'static CorrectLedgerStore) -> Self {
        Self { name: one.name, says: one.says, store: PlantedStore::Seventh(one.store()) }
    }
}
