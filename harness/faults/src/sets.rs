//! The sets of independent faults and correct stores, each with a store of its own kind.

use cosmos_ttl_harness::target::Target;

use crate::{
    eighth, eleventh, fifteenth, fifth, fourteenth, fourth, ninth, second, seventh, sixteenth, sixth, tenth,
    third, thirteenth, twelfth,
};

/// The first set, under the names that the others have.
mod first {
    pub(super) use crate::LogStore;
    use crate::correct::CorrectStore;
    use crate::faults::SingleFault;
    use crate::{CORRECT, FAULTS};

    pub(super) fn all_faults() -> impl Iterator<Item = &'static SingleFault> {
        FAULTS.iter()
    }

    pub(super) fn all_correct() -> impl Iterator<Item = &'static CorrectStore> {
        CORRECT.iter()
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

/// Declares the sets: each has a module, and a kind of store in it. The stores, faults and correct stores of the modules
/// have types of their own, whose fields and functions have the same names.
macro_rules! sets {
    ($($(#[$doc:meta])* $set:ident: $module:ident::$store:ident,)*) => {
        /// A set of faults and correct stores: each author had read neither vectors nor the other set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FaultSet {
            $($(#[$doc])* $set,)*
        }

        impl FaultSet {
            /// All sets.
            pub const ALL: &[Self] = &[$(Self::$set),*];

            /// Returns the word that names it.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$set => stringify!($module),)*
                }
            }

            /// Returns its faults.
            pub fn faults(self) -> Vec<FaultEntry> {
                match self {
                    $(Self::$set => $module::all_faults()
                        .map(|fault| FaultEntry {
                            name: fault.name,
                            says: fault.says,
                            breaks: fault.breaks,
                            shown_by: fault.shown_by,
                            store: PlantedStore::$set(fault.store()),
                        })
                        .collect(),)*
                }
            }

            /// Returns its correct stores.
            pub fn correct(self) -> Vec<CorrectEntry> {
                match self {
                    $(Self::$set => $module::all_correct()
                        .map(|one| CorrectEntry {
                            name: one.name,
                            says: one.says,
                            store: PlantedStore::$set(one.store()),
                        })
                        .collect(),)*
                }
            }

            /// Returns its correct store that takes no freedom.
            pub fn usual_store(self) -> PlantedStore {
                match self {
                    $(Self::$set => PlantedStore::$set($module::$store::CORRECT),)*
                }
            }
        }

        /// A store of any set.
        #[derive(Clone, Copy, Debug)]
        pub enum PlantedStore {
            $($(#[$doc])* $set($module::$store),)*
        }

        impl PlantedStore {
            /// Returns the store as a target.
            pub fn target(&self) -> &dyn Target {
                match self {
                    $(Self::$set(store) => store,)*
                }
            }
        }
    };
}

sets! {
    /// Stores that keep a log of versions.
    First: first::LogStore,
    /// Stores that keep a map of documents for each partition.
    Second: second::DocumentStore,
    /// Stores that keep a table of rows, with a handler for each kind of request.
    Third: third::RowStore,
    /// Stores that keep a wheel of timers, and a tape of settings.
    Fourth: fourth::TimerStore,
    /// Stores that keep cells with timers, and a wheel of deadlines.
    Fifth: fifth::DepotStore,
    /// Stores that keep a memtable and sorted runs, which a compaction merges.
    Sixth: sixth::LsmStore,
    /// Stores that append facts, and fold them into two projections.
    Seventh: seventh::LedgerStore,
    /// Stores that compute at each access whether an item lives, behind a cache.
    Eighth: eighth::QuarryStore,
    /// Stores that compute a deadline when an item is written, and keep an order of deadlines.
    Ninth: ninth::MeadowStore,
    /// Stores that append records to a log, and answer queries from a cached view.
    Tenth: tenth::KilnStore,
    /// Stores that keep numbered versions of items, and the settings as a history of changes.
    Eleventh: eleventh::HarborStore,
    /// Stores that keep a table of rows with a deadline each, and records of changes that a batch undoes.
    Twelfth: twelfth::OrchardStore,
    /// Stores that make a new tree of the container with each write, and give each item a lease.
    Thirteenth: thirteenth::LanternStore,
    /// Stores with a table of documents, and indexes by key and by deadline that are kept in step by hand.
    Fourteenth: fourteenth::QuernStore,
    /// Stores that reduce commands to their state.
    Fifteenth: fifteenth::SluiceStore,
    /// Stores that give each partition to an actor with its own copy of the settings, and an index.
    Sixteenth: sixteenth::HiveStore,
}
