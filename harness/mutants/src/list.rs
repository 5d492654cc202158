//! Every mutant, and the store of a name.

use super::controls::all_controls;
use super::mutation::Mutation;
use super::store::IndependentStore;
use cosmos_ttl_harness::suggest;
use serde::Serialize;

/// Declares mutants: a name, the clauses that it breaks, its mutation, and a sentence.
macro_rules! mutants {
    ($($name:literal breaks $clauses:expr =>
        $mutation:ident $(($($argument:expr),+))?, $says:literal;)+) => {
        pub(super) const MUTANTS: &[super::Mutant] = &[$(super::Mutant {
            name: $name,
            clauses: &$clauses,
            says: $says,
            mutation: crate::mutation::Mutation::$mutation $(($($argument),+))?,
        }),+];
    };
}

mod identity;
mod paths;
mod time;
mod values;
mod visibility;

/// Longer than anything lasts.
const FOR_EVER: i128 = 1 << 100;

/// A store with one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mutant {
    /// Immutable; what `mutant:NAME` says.
    pub name: &'static str,
    /// The clauses that it breaks, at least one.
    pub clauses: &'static [&'static str],
    /// Which misreading it is, in a sentence.
    pub says: &'static str,
    /// How the store is changed.
    #[serde(skip)]
    pub mutation: Mutation,
}

impl Mutant {
    /// Returns the store.
    pub fn store(&self) -> IndependentStore {
        IndependentStore { mutation: Some(self.mutation), ..IndependentStore::default() }
    }
}

/// Returns every mutant, in the order of the sections.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> + Clone {
    let written =
        [values::MUTANTS, time::MUTANTS, visibility::MUTANTS, identity::MUTANTS].into_iter().flatten();
    written.chain(paths::TABLES.iter().copied().flatten().copied().flatten())
}

/// Returns the store of the mutant or the control with this name, as a target that goes by it.
///
/// # Errors
///
/// The names that it may have been meant for, where there is none.
pub fn named(name: &str) -> Result<IndependentStore, Vec<&'static str>> {
    let mutants = mutants().map(|one| (one.name, one.store()));
    let mut all = mutants.chain(all_controls().iter().map(|one| (one.name, one.store)));
    let names = all.clone().map(|(name, _)| name);
    match all.find(|(one, _)| *one == name) {
        Some((name, store)) => Ok(IndependentStore { name: Some(name), ..store }),
        None => Err(suggest::suggest(name, names)),
    }
}
