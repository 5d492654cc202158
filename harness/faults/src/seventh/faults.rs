//! The faults.

mod clock;
mod combined;
mod container_values;
mod expired;
mod item_values;
mod removal;
mod settings;
mod writes;

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

/// The lists, in the order of the clauses.
const LISTS: [&[LedgerFault]; 8] = [
    container_values::FAULTS,
    settings::FAULTS,
    item_values::FAULTS,
    clock::FAULTS,
    writes::FAULTS,
    expired::FAULTS,
    removal::FAULTS,
    combined::FAULTS,
];

/// Returns all faults.
pub fn all_faults() -> impl Iterator<Item = &'static LedgerFault> {
    LISTS.iter().copied().flatten()
}

const fn fault(
    name: &'static str,
    says: &'static str,
    breaks: &'static [&'static str],
    shown_by: &'static str,
    slip: Slip,
) -> LedgerFault {
    LedgerFault { name, says, breaks, shown_by, slip }
}
