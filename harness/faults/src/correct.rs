//! Stores that break no clause: each uses its freedom in a way of its own.

mod alone;
mod pairs;

use crate::freedom::Freedom;
use crate::store::LogStore;

/// A store that breaks no clause.
#[derive(Clone, Copy, Debug)]
pub struct CorrectStore {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub says: &'static str,
    /// The clause that leaves the choice, or why no clause forbids it.
    pub because: &'static str,
    /// How it uses its freedom.
    pub freedom: Freedom,
}

impl CorrectStore {
    /// Returns the store.
    pub fn store(&self) -> LogStore {
        LogStore { name: self.name, freedom: self.freedom, mistake: None }
    }
}

/// All correct stores.
pub static CORRECT: CorrectLists = CorrectLists(&[alone::STORES, pairs::STORES]);

/// Lists of correct stores.
#[derive(Debug)]
pub struct CorrectLists(&'static [&'static [CorrectStore]]);

impl CorrectLists {
    /// Returns every correct store.
    pub fn iter(&self) -> impl Iterator<Item = &'static CorrectStore> {
        self.0.iter().copied().flatten()
    }
}

/// Declares a list of correct stores.
macro_rules! stores {
    ($($name:literal: $says:literal because $because:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        pub(super) const STORES: &[super::CorrectStore] = &[$(super::CorrectStore {
            name: $name,
            says: $says,
            because: $because,
            freedom: Freedom { $($field: $value,)* ..USUAL },
        }),*];
    };
}
use stores;
