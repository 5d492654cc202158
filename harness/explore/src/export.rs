//! Vectors that are made when they are asked for, for runners of others and for real clocks.

use crate::reference::Reference;
use cosmos_ttl_harness::target::PurgedTarget;
use cosmos_ttl_harness::vector::{Suite, Vector};
use proptest::strategy::ValueTree as _;

use super::player::Player;
use super::write::write_whole;
use super::{next_seed, random};

/// More requests make a vector that no one reads, and longer waits one for which no one waits.
const MOST_REQUESTS: u64 = 24;
const PATIENCE_S: u64 = 4;
/// After so many sessions in a row that no vector can say, no more are drawn.
const MOST_IN_VAIN: u32 = 100;

/// Draws so many sessions from this seed on, and writes each as a vector. The model answered while they were drawn, and each
/// step expects every answer that it allows.
///
/// Returns fewer only where a hundred sessions in a row cannot be said.
pub fn random_vectors(suite: &Suite, count: usize, seed: u64) -> Vec<Vector> {
    let reference = Reference::default();
    let target = PurgedTarget::of(&reference);
    let (mut vectors, mut seed, mut in_vain) = (Vec::new(), seed, 0);
    while vectors.len() < count && in_vain < MOST_IN_VAIN {
        let id = format!("random-{}", vectors.len() + 1);
        let title =
            format!("The requests of the session with the seed {seed} are answered as the model allows");
        let written = random::drawn(seed).and_then(|session| {
            let player = Player::draw(&target, session.current(), MOST_REQUESTS, PATIENCE_S);
            // Where the container is refused, nothing else is asked.
            let script = Some(player.script()).filter(|script| !script.actions.is_empty())?;
            write_whole(&script, suite, &id, &title).ok()
        });
        in_vain = if written.is_some() { 0 } else { in_vain + 1 };
        vectors.extend(written);
        seed = next_seed(seed);
    }
    vectors
}
