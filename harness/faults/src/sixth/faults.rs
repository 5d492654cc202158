//! The faults, by the part of the engine that makes the mistake.

pub(super) mod ages;
pub(super) mod batches;
pub(super) mod compactions;
pub(super) mod feeds;
pub(super) mod ghosts;
pub(super) mod settings;
pub(super) mod values;

use super::session::LsmStore;
use super::slip::Slip;

/// A store with a single mistake.
#[derive(Clone, Copy, Debug)]
pub struct LsmFault {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    /// A short script on which it answers as no correct store does.
    pub shown_by: &'static str,
    pub(super) slip: Slip,
}

impl LsmFault {
    /// Returns the store.
    pub fn store(&self) -> LsmStore {
        LsmStore { name: self.name, leeways: &[], slip: Some(self.slip) }
    }
}

/// Returns all faults.
pub fn all_faults() -> impl Iterator<Item = &'static LsmFault> {
    let parts = [
        settings::LIST,
        values::LIST,
        ages::LIST,
        ghosts::LIST,
        compactions::LIST,
        batches::LIST,
        feeds::LIST,
    ];
    parts.into_iter().flatten()
}
