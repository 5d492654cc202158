//! The faults.

use super::ledger::LedgerStore;
use super::slip::Slip;

/// A store with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct LedgerFault {
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

impl LedgerFault {
    /// Returns the store.
    pub const fn store(&self) -> LedgerStore {
        LedgerStore { name: self.name, slip: Some(self.slip), ..LedgerStore::CORRECT }
    }
}

/// Returns all faults.
pub fn all_faults() -> impl Iterator<Item = &'static LedgerFault> {
    std::iter::empty()
}
