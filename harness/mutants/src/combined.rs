//! Places that are asked the same, beside each other.

use super::independent_store::{IndependentSession, IndependentStore, SessionState};
use super::mutation::{Mutation as M, Sweep};
use super::store::Labels;

/// All that the answers of some places depend on from now on, and how they compare: where two of these are equal, the
/// same requests are answered alike in both, and differ between the places in both or in neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CombinedState {
    places: Vec<SessionState>,
    etags: Vec<Option<usize>>,
}

impl CombinedState {
    /// These places, which have all seen the same seconds pass, and the etags that whoever asks them may still send.
    /// Nothing that they are asked may live longer than this many seconds.
    pub fn of<'a>(
        places: impl IntoIterator<Item = &'a IndependentSession>,
        etags: impl IntoIterator<Item = Option<&'a str>>,
        longest_s: u64,
    ) -> Self {
        let mut labels = Labels::new(longest_s);
        let places = places.into_iter().map(|place| place.state(&mut labels)).collect();
        let etags = etags.into_iter().map(|etag| labels.shown(etag?)).collect();
        Self { places, etags }
    }
}

impl IndependentStore {
    /// Whether nothing but what [`CombinedState`] holds decides what it answers: of the mutations only one is said to be so,
    /// since others may remember more, or go by the calendar.
    pub fn is_decided_by_state(&self) -> bool {
        matches!(self.mutation, None | Some(M::Sweeps(Sweep::WhenSwitchedOff)))
    }
}
