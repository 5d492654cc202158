//! Stores of the second kind that break no clause of level must.

mod alone;
mod together;

use super::leeway::Leeway;
use super::session::DocumentStore;

/// A store that breaks no clause of level must.
#[derive(Clone, Copy, Debug)]
pub struct CorrectDocumentStore {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub says: &'static str,
    /// The clause that leaves the choice, or why no clause of level must forbids it.
    pub because: &'static str,
    /// Its choices.
    pub leeway: Leeway,
}

impl CorrectDocumentStore {
    /// Returns the store.
    pub fn store(&self) -> DocumentStore {
        DocumentStore { name: self.name, leeway: self.leeway, bug: None }
    }
}

/// Returns every correct store of the second kind.
pub fn all_correct() -> impl Iterator<Item = &'static CorrectDocumentStore> {
    [alone::STORES, together::STORES].into_iter().flatten()
}

/// Declares a list of correct stores.
macro_rules! stores {
    ($($name:literal: $says:literal because $because:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        pub(super) const STORES: &[super::CorrectDocumentStore] = &[$(super::CorrectDocumentStore {
            name: $name,
            says: $says,
            because: $because,
            leeway: Leeway { $($field: $value,)* ..PLAIN },
        }),*];
    };
}
use stores;
