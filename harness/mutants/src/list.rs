//! Every mutant and every control, by section.

mod clock;
mod controls;
mod domain;
mod expired;
mod indexing;
mod lifetime;
mod purge;
mod settings;
mod writes;

use super::independent_store::IndependentStore;
use super::mutation::Mutation;
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::target::{About, Fault, Opening, Session, Target};

pub use controls::CONTROLS;

/// A store with one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Immutable; what `mutant:NAME` says.
    pub name: &'static str,
    /// The clauses that it breaks, at least one.
    pub clauses: &'static [&'static str],
    /// Which misreading it is, in a sentence.
    pub says: &'static str,
    /// How the store is changed.
    pub mutation: Mutation,
    /// Why nobody can tell it from a right store, where nobody can.
    pub equivalent: Option<&'static str>,
}

impl Mutant {
    const fn new(
        name: &'static str,
        clauses: &'static [&'static str],
        mutation: Mutation,
        says: &'static str,
    ) -> Self {
        Self { name, clauses, says, mutation, equivalent: None }
    }

    /// The store.
    pub fn store(&self) -> IndependentStore {
        IndependentStore::with(self.mutation)
    }
}

/// A store that is right in a way of its own: no vector may fail it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Immutable; `mutant:NAME` names it too.
    pub name: &'static str,
    /// What it does that is allowed, in a sentence.
    pub says: &'static str,
    /// The store.
    pub store: IndependentStore,
}

const SECTIONS: [&[Mutant]; 8] = [
    domain::LIST,
    lifetime::LIST,
    clock::LIST,
    writes::LIST,
    expired::LIST,
    purge::LIST,
    settings::LIST,
    indexing::LIST,
];

/// Every mutant, in the order of the sections.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> {
    SECTIONS.into_iter().flatten()
}

/// The mutant or the control with this name, as a target that goes by it.
///
/// # Errors
///
/// The names that it may have been meant for, where there is none.
pub fn named(name: &str) -> Result<NamedStore, Vec<&'static str>> {
    let mutant = mutants().find(|mutant| mutant.name == name).map(|mutant| (mutant.name, mutant.store()));
    let control = || CONTROLS.iter().find(|one| one.name == name).map(|one| (one.name, one.store));
    if let Some((name, store)) = mutant.or_else(control) {
        return Ok(NamedStore { name, store });
    }
    let names = mutants().map(|mutant| mutant.name).chain(CONTROLS.iter().map(|one| one.name));
    Err(suggest::suggest(name, names))
}

/// A store that goes by the name of its mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedStore {
    /// The name of the mutant or the control.
    pub name: &'static str,
    /// The store behind it.
    pub store: IndependentStore,
}

impl Target for NamedStore {
    fn about(&self) -> About {
        About { name: format!("mutant:{}", self.name), ..self.store.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        self.store.open(opening)
    }
}
