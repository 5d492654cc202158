//! The players of tests, by the machine from which the tests are made.

use cosmos_ttl_harness::target::{Edition, Fault, Opening, PurgedTarget};
use cosmos_ttl_model::choices::Preferences;

use crate::input::Alphabet;
use crate::machine::Machine;
use crate::pair::PairMachine;
use crate::pair_player;
use crate::place::{self, PlaceResult, RequestTable};
use crate::suite::TestCase;
use crate::transitions::Transitions;

/// A machine with a way to play its tests.
pub(crate) trait PlayableMachine: Transitions + Sized {
    /// The data that all places share.
    type Prepared;
    /// How many tests share a place at most.
    const SEATS: usize;

    fn made(longest_s: u8, edition: Edition, choices: Preferences) -> Self;

    fn choices(&self) -> Preferences;

    fn alphabet(&self) -> &Alphabet;

    fn prepared(&self) -> Self::Prepared;

    /// Plays tests in one place.
    fn play(
        &self,
        target: &PurgedTarget<'_>,
        opening: Opening,
        prepared: &Self::Prepared,
        tests: &[TestCase],
    ) -> Result<PlaceResult, Fault>;
}

impl PlayableMachine for Machine {
    type Prepared = RequestTable;
    const SEATS: usize = place::SEATS;

    fn made(longest_s: u8, edition: Edition, choices: Preferences) -> Self {
        Self::new(longest_s, edition, choices)
    }

    fn choices(&self) -> Preferences {
        self.choices
    }

    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn prepared(&self) -> RequestTable {
        RequestTable::new(self)
    }

    fn play(
        &self,
        target: &PurgedTarget<'_>,
        opening: Opening,
        prepared: &RequestTable,
        tests: &[TestCase],
    ) -> Result<PlaceResult, Fault> {
        place::play(target, opening, self, prepared, tests)
    }
}

impl PlayableMachine for PairMachine {
    type Prepared = ();
    const SEATS: usize = 1;

    fn made(_: u8, edition: Edition, choices: Preferences) -> Self {
        Self::new(edition, choices)
    }

    fn choices(&self) -> Preferences {
        self.choices
    }

    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn prepared(&self) {}

    fn play(
        &self,
        target: &PurgedTarget<'_>,
        opening: Opening,
        (): &(),
        tests: &[TestCase],
    ) -> Result<PlaceResult, Fault> {
        tests
            .first()
            .map_or(Ok(PlaceResult::default()), |test| pair_player::play(target, opening, self, test))
    }
}
