//! Place after place, each with the next seed, until something differs or enough was asked.

use super::player::{Ending, Player};
use crate::choice::Chosen;
use crate::coverage::{Coverage, add};
use crate::generate::{Generator, Kind};
use crate::run::Found;
use cosmos_ttl_harness::realtime::session_pool::{ClockEstimate, Demand, SIDE_BY_SIDE, TaskSource};
use cosmos_ttl_harness::target::{About, Fault, Target};

/// Nobody waits longer at once: most lives here are that short.
const PATIENCE_S: u64 = 4;
/// After so many requests a place is given up: it waits more than it asks.
pub const MOST_REQUESTS: u64 = 24;
/// After so long a single look at the clock has to do.
pub(super) const HURRY_US: i64 = 3_000_000;
/// A target that breaks so often has nothing to say.
const MOST_MISHAPS: usize = 5;

/// Whoever says where to explore next.
pub(super) struct Exploring<'t> {
    pub(super) target: &'t dyn Target,
    pub(super) about: About,
    /// The seed of the next place.
    pub(super) seed: u64,
    /// So many requests may still be asked.
    pub(super) left: u64,
    pub(super) coverage: Coverage,
    pub(super) chosen: Option<Chosen>,
    pub(super) found: Option<Found>,
    pub(super) mishaps: Vec<String>,
    pub(super) misuse: Option<Fault>,
    avoid: Vec<Kind>,
}

impl<'t> Exploring<'t> {
    pub(super) fn new(target: &'t dyn Target, about: About, seed: u64, left: u64) -> Self {
        Self {
            target,
            about,
            seed,
            left,
            coverage: Coverage::default(),
            chosen: None,
            found: None,
            mishaps: Vec::new(),
            misuse: None,
            avoid: Vec::new(),
        }
    }

    pub(super) fn is_broken(&self) -> bool {
        MOST_MISHAPS <= self.mishaps.len()
    }

    fn broke(&mut self, seed: u64, fault: Fault) {
        match fault {
            Fault::Misuse(_) => {
                self.misuse.get_or_insert(fault);
                return;
            }
            Fault::Broken(_) => add(&mut self.coverage.broken),
            Fault::Unsupported(_) | Fault::Unknown(_) => add(&mut self.coverage.given_up),
        }
        if !self.is_broken() {
            self.mishaps.push(format!("the place of seed {seed}: {fault}"));
        }
    }

    /// Holds the target to what it chose in another place.
    fn hold(&mut self, player: &Player<'_>) -> Option<Found> {
        let (null, moves) = player.null?;
        let (seed, removal, script) = (player.seed, player.opening.removal, player.board(moves));
        let Some(chosen) = &self.chosen else {
            let before = self.coverage.requests;
            self.chosen = Some(Chosen { seed, before, script, removal, null });
            return None;
        };
        let differs = chosen.differs(null)?;
        let at_s = player.told.last().map_or(0, |asked| asked.at_s);
        let difference = super::Difference { at: moves.checked_sub(2), at_s, removal, differs };
        let beside = Some(chosen.clone());
        Some(Found { seed, after: self.coverage.requests, script, difference, beside })
    }
}

impl<'t> TaskSource<Player<'t>> for Exploring<'t> {
    fn next(&mut self, active: usize, clock: &ClockEstimate) -> Option<Player<'t>> {
        if self.left == 0 || active >= SIDE_BY_SIDE || !clock.is_settled() {
            return None;
        }
        let mut generator = Generator::new(self.seed, &self.avoid).impatient(PATIENCE_S);
        let opening = generator.opening(&self.about);
        let mut player = Player::drawn(self.target, self.seed, opening, generator);
        player.requests = player.requests.min(MOST_REQUESTS).min(self.left);
        self.left = self.left.saturating_sub(player.requests);
        self.seed = self.seed.wrapping_add(1);
        Some(player)
    }

    fn over(&mut self, mut player: Player<'t>, sure: bool, _: &ClockEstimate, _: i64) {
        self.coverage.join(&player.coverage);
        self.left = self.left.saturating_add(player.requests.saturating_sub(player.coverage.requests));
        self.avoid.append(&mut player.not_offered);
        let chosen = self.hold(&player);
        let found = match player.ending.take() {
            Some(Ending::Differs(difference)) if sure => {
                let (script, after) = (player.board(player.actions.len()), self.coverage.requests);
                Some(Found { seed: player.seed, after, script, difference, beside: None })
            }
            // The clock jumped meanwhile, or nobody knows whether it did.
            Some(Ending::Differs(_) | Ending::GivenUp) => {
                add(&mut self.coverage.given_up);
                None
            }
            Some(Ending::Broke(fault)) => {
                self.broke(player.seed, fault);
                None
            }
            None if !sure => {
                add(&mut self.coverage.given_up);
                None
            }
            None => None,
        };
        if let Some(found) = found.or(chosen) {
            self.found.get_or_insert(found);
        }
    }

    fn demand(&self) -> Demand {
        let enough = self.found.is_some() || self.misuse.is_some() || self.is_broken();
        if enough { Demand::Enough } else { Demand::More }
    }

    fn hurries(&self, _idle: bool, waited_us: i64) -> bool {
        waited_us > HURRY_US
    }
}
