//! Plays session after session, until an answer differs or enough was asked.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::counterexample::{Counterexample, Finding};
use super::coverage::Coverage;
use super::left_out::LeftOut;
use super::player::{Ending, Player};
use super::random;
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::target::{About, Clock, Fault, Part, PurgedTarget, Target, declared};
use cosmos_ttl_harness::vector::Suite;
use proptest::strategy::ValueTree as _;

/// How much to explore, and from where.
#[derive(Clone, Copy, Debug)]
pub struct ExploreOptions<'a> {
    /// The seed of the first session. Each next session has the [`next_seed`], so that any of them can be played alone.
    pub seed: u64,
    /// How many requests to ask.
    pub steps: u64,
    /// Ends the exploration when it becomes true; looked at before each session.
    pub stop: &'a AtomicBool,
}

/// The extent of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The target.
    pub about: About,
    /// The parts that it declares missing: no request needed them.
    pub without: BTreeSet<Part>,
    /// The states and actions that it reached.
    pub coverage: Coverage,
    /// The last difference that was found, if there is one.
    pub found: Option<Finding>,
    /// How many differences were left out.
    pub left_out: u64,
    /// The other mistakes of the target, a sentence each; at most a few.
    pub mishaps: Vec<String>,
    /// It ended before enough was asked.
    pub cut_short: bool,
}

/// An exploration with its differences made small.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The extent of the exploration.
    pub explored: Exploration,
    /// The difference to show, and the seed of its session: one from a must, if there is one.
    pub shown: Option<(u64, Counterexample)>,
    /// How many differences from a `should` were found.
    pub shoulds: usize,
}

/// How many mishaps are told, and after how many sessions in a row that broke the target has nothing to say.
const MOST_MISHAPS: usize = 5;
/// How many differences from a `should` are passed by in search of one from a must.
const MOST_SHOULDS: usize = 5;

/// Returns the seed of the session that follows the one of this seed: a hash, so that explorations from neighbouring seeds
/// have no session in common.
pub fn next_seed(seed: u64) -> u64 {
    // The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), a bijection.
    let mut hash = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Explores a target whose clock the harness moves, up to the first difference. Sends no request that needs a part which the
/// target declares missing.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a session.
pub fn explore(target: &dyn Target, options: &ExploreOptions<'_>) -> Result<Exploration, Fault> {
    let target = &catch_panic(|| Ok(PurgedTarget::of(target)))?;
    let mut explorer = Explorer::new(target, options)?;
    explorer.play()?;
    Ok(explorer.explored)
}

/// Explores a target whose clock the harness moves, up to a difference from a must; with `strict`, also from a `should`.
/// A difference is made as small as this many replays allow.
///
/// # Errors
///
/// [`Fault::Misuse`], and [`Fault::Unknown`] where a difference does not show again.
pub fn search(
    target: &dyn Target,
    suite: &Suite,
    options: &ExploreOptions<'_>,
    replays: u32,
    strict: bool,
) -> Result<SearchResult, Fault> {
    search_but(target, suite, options, replays, strict, &LeftOut::default())
}

/// Searches as [`search`] does, and goes on after each difference that is left out.
///
/// # Errors
///
/// As [`search`].
pub fn search_but(
    target: &dyn Target,
    suite: &Suite,
    options: &ExploreOptions<'_>,
    replays: u32,
    strict: bool,
    left_out: &LeftOut,
) -> Result<SearchResult, Fault> {
    let target = &catch_panic(|| Ok(PurgedTarget::of(target)))?;
    let mut explorer = Explorer::new(target, options)?;
    explorer.left_out = Some(left_out);
    let (mut shown, mut shoulds) = (None, 0);
    loop {
        explorer.play()?;
        let Some(found) = explorer.explored.found.take() else { break };
        let example = Counterexample::of(target.target, suite, &found, replays)?;
        let (seed, is_left_out) = (found.seed, left_out.takes_example(&example));
        explorer.explored.found = Some(found);
        if is_left_out {
            explorer.explored.left_out += 1;
        } else if strict || !example.is_should() {
            shown = Some((seed, example));
            break;
        } else {
            shoulds += 1;
            shown.get_or_insert((seed, example));
        }
        if explorer.left == 0 || shoulds >= MOST_SHOULDS {
            break;
        }
        explorer.explored.found = None;
    }
    Ok(SearchResult { explored: explorer.explored, shown, shoulds })
}

/// Says which session to play next, and collects what follows from each.
struct Explorer<'t> {
    target: &'t PurgedTarget<'t>,
    explored: Exploration,
    stop: &'t AtomicBool,
    seed: u64,
    /// How many requests may still be asked.
    left: u64,
    /// Differences to pass by.
    left_out: Option<&'t LeftOut>,
    misuse: Option<Fault>,
    broken_in_a_row: usize,
}

impl<'t> Explorer<'t> {
    fn new(target: &'t PurgedTarget<'t>, options: &ExploreOptions<'t>) -> Result<Self, Fault> {
        let about = target.about.clone();
        if about.clock != Clock::Virtual {
            let what = format!("the clock of {} runs by itself, and exploration moves it", about.name);
            let help = "`cosmos-ttl run --random 100` replays random requests as vectors";
            return Err(Fault::Misuse(format!("{what}; {help}")));
        }
        let without = declared(target.target)?;
        let (coverage, mishaps) = (Coverage::default(), Vec::new());
        Ok(Self {
            target,
            explored: Exploration {
                about,
                without,
                coverage,
                found: None,
                left_out: 0,
                mishaps,
                cut_short: false,
            },
            stop: options.stop,
            seed: options.seed,
            left: options.steps,
            left_out: None,
            misuse: None,
            broken_in_a_row: 0,
        })
    }

    /// Plays one session after the other, where the harness moves the clock.
    fn play(&mut self) -> Result<(), Fault> {
        while self.left > 0 && !self.is_enough() {
            if self.stop.load(Ordering::Relaxed) {
                self.explored.cut_short = true;
                break;
            }
            let Some(drawn) = random::drawn(self.seed) else { break };
            let player = Player::draw(self.target, drawn.current(), self.left, u64::MAX);
            self.finish(self.seed, player);
            self.seed = next_seed(self.seed);
        }
        self.misuse.take().map_or(Ok(()), Err)
    }

    fn broke(&mut self, seed: u64, fault: Fault) {
        let Exploration { coverage, mishaps, cut_short, .. } = &mut self.explored;
        match fault {
            Fault::Misuse(_) => {
                self.misuse.get_or_insert(fault);
                return;
            }
            Fault::Broken(_) if self.stop.load(Ordering::Relaxed) => {
                *cut_short = true;
                return;
            }
            Fault::Unsupported(_) | Fault::Unknown(_) => {
                coverage.given_up += 1;
                return;
            }
            Fault::Broken(_) => coverage.broken += 1,
        }
        self.broken_in_a_row += 1;
        if mishaps.len() < MOST_MISHAPS {
            mishaps.push(format!("the place of seed {seed}: {fault}"));
        }
        *cut_short |= self.broken_in_a_row >= MOST_MISHAPS;
    }

    fn finish(&mut self, seed: u64, mut player: Player) {
        self.explored.coverage.join(&player.coverage);
        // A session costs something even if nothing is answered in it.
        self.left = self.left.saturating_sub(player.coverage.requests.max(1));
        match player.ending.take() {
            Some(Ending::Differs(differs)) => {
                let (after, script) = (self.explored.coverage.requests, player.script());
                if self.left_out.is_some_and(|left_out| left_out.takes_script(&script)) {
                    self.explored.left_out += 1;
                } else {
                    let removal = player.removal;
                    self.explored.found = Some(Finding { seed, after, script, removal, differs });
                }
            }
            Some(Ending::Broke(fault)) => self.broke(seed, fault),
            Some(Ending::GivenUp) => self.explored.coverage.given_up += 1,
            None => self.broken_in_a_row = 0,
        }
    }

    fn is_enough(&self) -> bool {
        let is_gone = self.broken_in_a_row >= MOST_MISHAPS;
        self.explored.found.is_some() || self.misuse.is_some() || is_gone
    }
}
