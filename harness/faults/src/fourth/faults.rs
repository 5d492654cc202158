//! The faults: stores with one mistake, each with the clauses that it breaks and a script that shows it.

mod batches;
mod changes;
mod clock;
mod defaults;
mod expired;
mod lifetimes;
mod purges;
mod rearmed;
mod refused;
mod shown;
mod successors;
mod timers;
mod values;
mod writes;

use super::choice::PLAIN;
use super::session::TimerStore;
use super::slip::{Slip, SlipScope};

/// A store with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct TimerFault {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, in one sentence.
    pub says: &'static str,
    /// The clauses of level must that it breaks.
    pub breaks: &'static [&'static str],
    /// A short script on which it answers as no correct store does.
    pub shown_by: &'static str,
    slip: Slip,
    scope: SlipScope,
}

impl TimerFault {
    /// Returns the faulty store.
    pub fn store(&self) -> TimerStore {
        TimerStore { name: self.name, choice: PLAIN, fault: Some((self.slip, self.scope)) }
    }
}

/// All lists, in the order of the clauses.
static LISTS: [&[TimerFault]; 14] = [values::FAULTS, defaults::FAULTS, lifetimes::FAULTS, shown::FAULTS, clock::FAULTS, timers::FAULTS, writes::FAULTS, refused::FAULTS, expired::FAULTS, successors::FAULTS, purges::FAULTS, changes::FAULTS, rearmed::FAULTS, batches::FAULTS];

/// Returns all faults, in the order of the clauses.
pub fn all_faults() -> impl Iterator<Item = &'static TimerFault> {
    LISTS.into_iter().flatten()
}

const fn fault(
    name: &'static str,
    says: &'static str,
    breaks: &'static [&'static str],
    shown_by: &'static str,
    slip: Slip,
    scope: SlipScope,
) -> TimerFault {
    TimerFault { name, says, breaks, shown_by, slip, scope }
}
