//! The faults of the second set: each is one mistake, with a script that shows it.

mod changes;
mod deadlines;
mod expired;
mod identity;
mod stamps;
mod sweeping;
mod values;

use super::bug::Bug;
use super::leeway::PLAIN;
use super::session::DocumentStore;

/// A store of the second kind with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct DocumentFault {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    bug: Bug,
    /// A script on which it answers as no correct store does.
    pub shown_by: &'static str,
}

impl DocumentFault {
    /// Returns the store that makes this mistake.
    pub fn store(&self) -> DocumentStore {
        DocumentStore { name: self.name, leeway: PLAIN, bug: Some(self.bug) }
    }
}

/// Returns every fault of the second set.
pub fn all_faults() -> impl Iterator<Item = &'static DocumentFault> {
    let lists = [
        deadlines::FAULTS,
        stamps::FAULTS,
        values::FAULTS,
        changes::FAULTS,
        expired::FAULTS,
        sweeping::FAULTS,
        identity::FAULTS,
    ];
    lists.into_iter().flatten()
}

/// Declares a list of faults.
macro_rules! faults {
    ($($name:literal: $says:literal breaks $breaks:tt by $bug:expr; $script:literal)*) => {
        pub(super) const FAULTS: &[super::DocumentFault] = &[$(super::DocumentFault {
            name: $name,
            says: $says,
            breaks: &$breaks,
            bug: $bug,
            shown_by: $script,
        }),*];
    };
}
use faults;
