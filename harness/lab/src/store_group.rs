//! Groups of stores: our mutants and controls, and each set of faults and correct stores of other authors.

use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_mutants::{CONTROLS, Mutant, all_controls, mutants};

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

    /// Returns the number of its faulty stores, of its correct ones, and of those that meet the suite of two items.
    pub fn sizes(self) -> [usize; 3] {
        match self {
            Self::Mutants => [faulty_mutants().count(), all_controls().len(), CONTROLS.len()],
            Self::Set(set) => {
                let correct = set.correct().len();
                [set.faults().len(), correct, correct]
            }
        }
    }
}

/// Returns the mutants that are faulty.
pub(crate) fn faulty_mutants() -> impl Iterator<Item = &'static Mutant> {
    mutants().filter(|one| one.equivalent.is_none())
}
