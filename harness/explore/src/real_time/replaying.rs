//! Script once more, each in a fresh place, side by side; and how one that differs is made smaller so.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::exploring::HURRY_US;
use super::player::Player;
use crate::script::Script;
use crate::shrink::simplifications;
use cosmos_ttl_harness::realtime::Time;
use cosmos_ttl_harness::realtime::session_pool::{
    ClockEstimate, Demand, SIDE_BY_SIDE, SessionPool, TaskSource,
};
use cosmos_ttl_harness::target::{Opening, Removal, Target};

/// How a difference was made smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shrunk {
    /// So many storyboards were tried.
    pub tried: u32,
    /// No single simplification of the last differs.
    pub whole: bool,
}

/// Plays these storyboards.
struct Replaying<'t> {
    left: VecDeque<(usize, Player<'t>)>,
    /// By their seeds, which are the places in the row.
    over: BTreeMap<u64, Player<'t>>,
    /// The first that differs is enough.
    one_is_enough: bool,
}

impl<'t> TaskSource<Player<'t>> for Replaying<'t> {
    fn next(&mut self, active: usize, clock: &ClockEstimate) -> Option<Player<'t>> {
        if active >= SIDE_BY_SIDE || !clock.is_settled() {
            return None;
        }
        self.left.pop_front().map(|(_, player)| player)
    }

    fn over(&mut self, mut player: Player<'t>, sure: bool, _: &ClockEstimate, _: i64) {
        if !sure {
            player.ending = None;
        }
        self.over.insert(player.seed, player);
    }

    fn demand(&self) -> Demand {
        let mut before = 0;
        for (place, player) in &self.over {
            if self.one_is_enough && *place == before && player.difference().is_some() {
                return Demand::Enough;
            }
            before = if *place == before { before.saturating_add(1) } else { u64::MAX };
        }
        Demand::More
    }

    fn hurries(&self, _idle: bool, waited_us: i64) -> bool {
        waited_us > HURRY_US
    }
}

/// Plays these storyboards side by side, and hands them back in their order; those that did not come to an end in time
/// show nothing.
pub(super) fn again<'t, T: Time>(
    pool: &mut SessionPool<'t, T>,
    boards: &[(&Script, Option<Removal>)],
    one_is_enough: bool,
    until_us: i64,
) -> Vec<Player<'t>> {
    let target: &'t dyn Target = pool.target;
    let players = boards.iter().enumerate().map(|(place, (board, removal))| {
        let seed = u64::try_from(place).unwrap_or(u64::MAX);
        (place, Player::again(target, seed, Opening::new(board.edition, *removal), board))
    });
    let mut replaying = Replaying { left: players.collect(), over: BTreeMap::new(), one_is_enough };
    pool.run(&mut replaying, until_us);
    replaying.over.into_values().collect()
}

/// The smallest storyboard that still differs, as far as one comes until then.
pub(super) fn shrink<T: Time>(
    pool: &mut SessionPool<'_, T>,
    board: &Script,
    removal: Option<Removal>,
    until_us: i64,
) -> (Script, Shrunk) {
    let mut shrinking = Shrinking { removal, until_us, shrunk: Shrunk::default(), tried: BTreeSet::new() };
    let mut best = board.clone();
    let mut from: usize = 0;
    loop {
        let mut around = simplifications(&best);
        let middle = from.min(around.len());
        around.rotate_left(middle);
        around.retain(|board| !shrinking.tried.contains(&format!("{board:?}")));
        let Some((at, smaller)) = shrinking.first(pool, &around) else { return (best, shrinking.shrunk) };
        // Whatever stands at the same place is likely to go as well.
        from = middle.saturating_add(at);
        best = smaller;
    }
}

struct Shrinking {
    removal: Option<Removal>,
    until_us: i64,
    shrunk: Shrunk,
    tried: BTreeSet<String>,
}

impl Shrinking {
    /// The first of these that differs; `None` where none does, or where time is up.
    fn first<T: Time>(
        &mut self,
        pool: &mut SessionPool<'_, T>,
        boards: &[Script],
    ) -> Option<(usize, Script)> {
        for (number, row) in boards.chunks(SIDE_BY_SIDE).enumerate() {
            if pool.is_over(self.until_us) {
                return None;
            }
            let played: Vec<_> = row.iter().map(|board| (board, self.removal)).collect();
            let players = again(pool, &played, true, self.until_us);
            let count = u32::try_from(players.len()).unwrap_or(u32::MAX);
            self.shrunk.tried = self.shrunk.tried.saturating_add(count);
            self.tried.extend(row.iter().map(|board| format!("{board:?}")));
            let differs = players.iter().find(|player| player.difference().is_some());
            let place = differs.and_then(|player| usize::try_from(player.seed).ok());
            if let Some(smaller) = place.and_then(|place| row.get(place)) {
                return Some((number.saturating_mul(SIDE_BY_SIDE), smaller.clone()));
            }
        }
        // A row that ended before its time says nothing of its last.
        self.shrunk.whole = !pool.is_over(self.until_us);
        None
    }
}
