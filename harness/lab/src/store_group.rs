//! Groups of stores: our mutants and controls, and each set of faults and correct stores of other authors.

use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_mutants::{CONTROLS, Control, Mutant, all_controls, mutants};

/// A store under its name.
pub type NamedStore<'s> = (&'static str, &'s dyn Target);

/// The stores of a group.
#[expect(missing_debug_implementations, reason = "targets cannot be printed")]
pub struct GroupStores<'s> {
    /// The faulty stores.
    pub faulty: Vec<NamedStore<'s>>,
    /// The correct stores for the suite of one item.
    pub correct: Vec<NamedStore<'s>>,
    /// The correct stores that meet the suite of two items as well.
    pub correct_by_two_items: Vec<NamedStore<'s>>,
}

/// Stores that are scored together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreGroup {
    /// Our mutants and controls.
    Mutants,
    /// The faults and the correct stores of a set.
    Set(FaultSet),
}

impl StoreGroup {
    /// Returns all groups.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Mutants].into_iter().chain(FaultSet::ALL.iter().copied().map(Self::Set))
    }

    /// Returns the word that names the group.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mutants => "mutants",
            Self::Set(set) => set.word(),
        }
    }

    /// Hands its stores to a function, and returns the result.
    pub fn with_stores<R>(self, take: impl FnOnce(&GroupStores<'_>) -> R) -> R {
        match self {
            Self::Mutants => {
                let stores: Vec<_> = faulty_mutants().map(|one| (one.name, one.store())).collect();
                let controls =
                    |all: &'static [Control]| all.iter().map(|one| (one.name, &one.store as _)).collect();
                take(&GroupStores {
                    faulty: stores.iter().map(|(name, store)| (*name, store as _)).collect(),
                    correct: controls(all_controls()),
                    correct_by_two_items: controls(&CONTROLS),
                })
            }
            Self::Set(set) => {
                let (wrong, right) = (set.faults(), set.correct());
                let correct: Vec<_> = right.iter().map(|one| (one.name, one.store.target())).collect();
                take(&GroupStores {
                    faulty: wrong.iter().map(|one| (one.name, one.store.target())).collect(),
                    correct: correct.clone(),
                    correct_by_two_items: correct,
                })
            }
        }
    }
}

/// Returns the mutants that are faulty.
pub fn faulty_mutants() -> impl Iterator<Item = &'static Mutant> {
    mutants()
}
