//! The faults: each is one mistake, with the shortest script that shows it.

mod judging;
mod sending;
mod settings;
mod storing;
mod sweeping;

use crate::freedom::{Freedom, USUAL};
use crate::mistake::Mistake;
use crate::store::LogStore;

/// A store with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct SingleFault {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    /// The mistake.
    pub mistake: Mistake,
    /// A short script on which it answers as no correct store does.
    pub shown_by: &'static str,
}

impl SingleFault {
    /// Returns the store that makes this mistake.
    pub fn store(&self) -> LogStore {
        LogStore { name: self.name, freedom: FREEDOM, mistake: Some(self.mistake) }
    }
}

/// The choices of the stores that make mistakes.
const FREEDOM: Freedom = USUAL;

/// All faults, in lists of one topic each.
pub static FAULTS: FaultLists =
    FaultLists(&[judging::FAULTS, storing::FAULTS, sending::FAULTS, settings::FAULTS, sweeping::FAULTS]);

/// Lists of faults.
#[derive(Debug)]
pub struct FaultLists(&'static [&'static [SingleFault]]);

impl FaultLists {
    /// Returns every fault.
    pub fn iter(&self) -> impl Iterator<Item = &'static SingleFault> {
        self.0.iter().copied().flatten()
    }
}

/// Declares a list of faults.
macro_rules! faults {
    ($($name:literal: $says:literal breaks $breaks:tt by $mistake:expr; $script:literal)*) => {
        pub(super) const FAULTS: &[super::SingleFault] = &[$(super::SingleFault {
            name: $name,
            says: $says,
            breaks: &$breaks,
            mistake: $mistake,
            shown_by: $script,
        }),*];
    };
}
use faults;
