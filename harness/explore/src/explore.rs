//! Plays session after session, until an answer differs or enough was asked.

use std::sync::atomic::{AtomicBool, Ordering};

use cosmos_ttl_model::interpretation::ContainerNull;

use super::counterexample::Counterexample;
use super::coverage::Coverage;
use super::generator::Generator;
use super::peer::Peer;
use super::player::{Difference, Ending, Player};
use super::script::Script;
use super::swarm::ActionKind;
use cosmos_ttl_belief::Contradiction;
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::realtime::session_pool::{ClockEstimate, Demand, SIDE_BY_SIDE, TaskSource};
use cosmos_ttl_harness::target::{About, Clock, Fault, Removal, Target};
use cosmos_ttl_harness::vector::Suite;

/// How much to explore, and from where.
#[derive(Clone, Copy, Debug)]
pub struct ExploreOptions<'a> {
    /// The seed of the first session; each next session has the next seed, so that any of them can be played alone.
    pub seed: u64,
    /// How many requests to ask.
    pub steps: u64,
    /// Ends the exploration when it becomes true; looked at before each session.
    pub stop: &'a AtomicBool,
}

/// What was explored.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The target.
    pub about: About,
    /// What was reached.
    pub coverage: Coverage,
    /// The last difference that was found, if there is one.
    pub found: Option<Finding>,
    /// What the target did wrong otherwise, a sentence each; at most a few.
    pub mishaps: Vec<String>,
    /// It ended before enough was asked.
    pub cut_short: bool,
}

/// A difference, as it was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed of its session.
    pub seed: u64,
    /// How many requests the whole exploration had asked by then.
    pub after: u64,
    /// Everything that happened in its session, up to the answer that differs.
    pub script: Script,
    /// What differs.
    pub difference: Difference,
    /// Another session, in which the target chose otherwise, if that is what differs.
    pub beside: Option<NullChoice>,
}

/// What a target takes a container's null for (`container-null-is-off`), and where that showed first. The choice binds
/// the target in every session.
#[derive(Clone, Debug)]
pub struct NullChoice {
    /// The seed of the session.
    pub seed: u64,
    /// How many requests were answered in all sessions before it.
    pub before: u64,
    /// What was done there until it showed.
    pub script: Script,
    /// The schedule of removal.
    pub removal: Option<Removal>,
    /// The choice.
    pub null: ContainerNull,
}

/// An exploration with its differences made small.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// What was explored.
    pub explored: Exploration,
    /// The difference to show, and the seed of its session: one from a must, if there is one.
    pub shown: Option<(u64, Counterexample)>,
    /// How many differences from a `should` were found.
    pub shoulds: usize,
    /// On a clock that runs by itself: what was found and did not show again.
    pub unconfirmed: Option<Finding>,
}

/// A target that breaks this often has nothing to say.
const MOST_MISHAPS: usize = 5;
/// After this long a single look at the clock has to do for a difference.
pub(super) const HURRY_US: i64 = 3_000_000;
/// How many differences from a `should` are passed by in search of one from a must.
const MOST_SHOULDS: usize = 5;

/// Explores a target whose clock the harness moves, up to the first difference.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a session.
pub fn explore(target: &dyn Target, options: &ExploreOptions<'_>) -> Result<Exploration, Fault> {
    let mut explorer = Explorer::new(target, virtual_clock(target)?, options);
    explorer.play()?;
    Ok(explorer.into_exploration())
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
    let mut explorer = Explorer::new(target, virtual_clock(target)?, options);
    let mut virtual_time = VirtualTime { target, suite, replays };
    let SearchState { shown, shoulds, unconfirmed } = explorer.search(&mut virtual_time, strict)?;
    Ok(SearchResult { explored: explorer.into_exploration(), shown, shoulds, unconfirmed })
}

/// Plays the session of one seed to its end, and returns what was done in it.
///
/// # Errors
///
/// [`Fault::Misuse`] where the harness does not move the clock.
pub fn draw(target: &dyn Target, seed: u64) -> Result<Script, Fault> {
    let about = virtual_clock(target)?;
    let mut generator = Generator::new(seed, &[], u64::MAX);
    let opening = generator.opening(&about);
    let player = Player::drawing(target, seed, opening, generator).play();
    Ok(player.script(player.actions.len()))
}

fn virtual_clock(target: &dyn Target) -> Result<About, Fault> {
    let about = catch_panic(|| Ok(target.about()))?;
    if about.clock != Clock::Virtual {
        return Err(Fault::Misuse(format!("the clock of {} is not moved by the harness", about.name)));
    }
    Ok(about)
}

/// How an explorer's sessions are played, and how its findings become counterexamples.
pub(super) trait Searcher<'t> {
    /// Plays until the explorer has found something or has asked enough.
    fn play(&mut self, explorer: &mut Explorer<'t>) -> Result<(), Fault>;

    /// Makes a finding small; `None` where it does not show again.
    fn counterexample(&mut self, found: &Finding) -> Result<Option<Counterexample>, Fault>;

    /// Whether there is no time left.
    fn is_over(&self) -> bool;
}

struct VirtualTime<'t, 's> {
    target: &'t dyn Target,
    suite: &'s Suite,
    replays: u32,
}

impl<'t> Searcher<'t> for VirtualTime<'t, '_> {
    fn play(&mut self, explorer: &mut Explorer<'t>) -> Result<(), Fault> {
        explorer.play()
    }

    fn counterexample(&mut self, found: &Finding) -> Result<Option<Counterexample>, Fault> {
        Counterexample::of(self.target, self.suite, found, self.replays).map(Some)
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// What a search has to show, as in [`SearchResult`].
pub(super) struct SearchState {
    pub(super) shown: Option<(u64, Counterexample)>,
    pub(super) shoulds: usize,
    pub(super) unconfirmed: Option<Finding>,
}

/// Says which session to play next, and collects what follows from each.
pub(super) struct Explorer<'t> {
    target: &'t dyn Target,
    pub(super) about: About,
    stop: &'t AtomicBool,
    /// Another target to compare with, and whether differences in what is open count.
    pub(super) peer: Option<(&'t dyn Target, bool)>,
    /// The most requests of one session, and the most seconds of one wait.
    pub(super) session_requests: u64,
    pub(super) patience_s: u64,
    seed: u64,
    /// How many requests may still be asked.
    left: u64,
    pub(super) coverage: Coverage,
    chosen: Option<NullChoice>,
    pub(super) found: Option<Finding>,
    pub(super) mishaps: Vec<String>,
    misuse: Option<Fault>,
    avoid: Vec<ActionKind>,
    pub(super) cut_short: bool,
}

impl<'t> Explorer<'t> {
    pub(super) fn new(target: &'t dyn Target, about: About, options: &ExploreOptions<'t>) -> Self {
        Self {
            target,
            about,
            stop: options.stop,
            peer: None,
            session_requests: u64::MAX,
            patience_s: u64::MAX,
            seed: options.seed,
            left: options.steps,
            coverage: Coverage::default(),
            chosen: None,
            found: None,
            mishaps: Vec::new(),
            misuse: None,
            avoid: Vec::new(),
            cut_short: false,
        }
    }

    /// Plays one session after the other, where the harness moves the clock.
    pub(super) fn play(&mut self) -> Result<(), Fault> {
        while self.left > 0 && !self.is_enough() {
            if self.stop.load(Ordering::Relaxed) {
                self.cut_short = true;
                break;
            }
            let player = self.next_player();
            self.finish(player.play(), true);
        }
        self.take_misuse()
    }

    /// Searches until a must is broken or enough was asked.
    pub(super) fn search(
        &mut self,
        searcher: &mut impl Searcher<'t>,
        strict: bool,
    ) -> Result<SearchState, Fault> {
        let (mut should, mut unconfirmed, mut shoulds) = (None, None, 0);
        loop {
            searcher.play(self)?;
            let Some(found) = &self.found else { break };
            match searcher.counterexample(found)? {
                Some(shown) if strict || !shown.is_should() => {
                    return Ok(SearchState { shown: Some((found.seed, shown)), shoulds, unconfirmed });
                }
                Some(shown) => {
                    shoulds += 1;
                    should.get_or_insert((found.seed, shown));
                }
                None => {
                    unconfirmed.get_or_insert(found.clone());
                }
            }
            if self.left == 0 || shoulds >= MOST_SHOULDS || searcher.is_over() {
                break;
            }
            self.found = None;
        }
        Ok(SearchState { shown: should, shoulds, unconfirmed })
    }

    pub(super) fn into_exploration(self) -> Exploration {
        let cut_short = self.cut_short || self.is_broken();
        let Self { about, coverage, found, mishaps, .. } = self;
        Exploration { about, coverage, found, mishaps, cut_short }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.mishaps.len() >= MOST_MISHAPS
    }

    pub(super) fn take_misuse(&mut self) -> Result<(), Fault> {
        self.misuse.take().map_or(Ok(()), Err)
    }

    fn broke(&mut self, seed: u64, fault: Fault) {
        match fault {
            Fault::Misuse(_) => {
                self.misuse.get_or_insert(fault);
                return;
            }
            Fault::Broken(_) if self.stop.load(Ordering::Relaxed) => {
                self.cut_short = true;
                return;
            }
            Fault::Broken(_) => self.coverage.broken += 1,
            Fault::Unsupported(_) | Fault::Unknown(_) => self.coverage.given_up += 1,
        }
        if !self.is_broken() {
            self.mishaps.push(format!("the place of seed {seed}: {fault}"));
        }
    }

    /// Holds the target to what it chose in an earlier session.
    fn hold(&mut self, player: &Player<'_>) -> Option<Finding> {
        let (null, actions) = player.null?;
        let (seed, removal, script) = (player.seed, player.opening.removal, player.script(actions));
        let Some(chosen) = &self.chosen else {
            let before = self.coverage.requests - player.coverage.requests;
            self.chosen = Some(NullChoice { seed, before, script, removal, null });
            return None;
        };
        if chosen.null == null {
            return None;
        }
        let differs = Contradiction {
            expected: format!(
                "{}, as it chose before in the place of seed {}",
                word(chosen.null),
                chosen.seed
            ),
            got: word(null).into(),
        };
        let difference = Difference { at: actions.checked_sub(2), at_s: player.now_s(), removal, differs };
        let after = self.coverage.requests;
        Some(Finding { seed, after, script, difference, beside: Some(chosen.clone()) })
    }

    fn next_player(&mut self) -> Player<'t> {
        let mut generator = Generator::new(self.seed, &self.avoid, self.patience_s);
        let opening = generator.opening(&self.about);
        let mut player = Player::drawing(self.target, self.seed, opening, generator);
        player.peer = self.peer.map(|(target, ignore_open)| Peer::new(target, ignore_open));
        player.requests = player.requests.min(self.session_requests).min(self.left);
        player.bound_null = self.chosen.as_ref().filter(|_| self.peer.is_none()).map(|chosen| chosen.null);
        self.left -= player.requests;
        self.seed = self.seed.wrapping_add(1);
        player
    }

    fn finish(&mut self, mut player: Player<'t>, sure: bool) {
        self.coverage.join(&player.coverage);
        self.left += player.requests - player.coverage.requests;
        self.avoid.append(&mut player.not_offered);
        let chosen = if self.peer.is_none() { self.hold(&player) } else { None };
        let found = match player.ending.take() {
            Some(Ending::Differs(difference)) if sure => {
                let (script, after) = (player.script(player.actions.len()), self.coverage.requests);
                Some(Finding { seed: player.seed, after, script, difference, beside: None })
            }
            // The clock jumped meanwhile, or nobody knows whether it did.
            Some(Ending::Differs(_) | Ending::GivenUp) => {
                self.coverage.given_up += 1;
                None
            }
            Some(Ending::Broke(fault)) => {
                self.broke(player.seed, fault);
                None
            }
            None if !sure => {
                self.coverage.given_up += 1;
                None
            }
            Some(Ending::ChoseOtherwise) | None => None,
        };
        if let Some(found) = found.or(chosen) {
            self.found.get_or_insert(found);
        }
    }

    fn is_enough(&self) -> bool {
        self.found.is_some() || self.misuse.is_some() || self.is_broken()
    }
}

fn word(null: ContainerNull) -> &'static str {
    match null {
        ContainerNull::Off => "null taken for off",
        ContainerNull::Rejected => "null refused",
    }
}

impl<'t> TaskSource<Player<'t>> for Explorer<'t> {
    fn next(&mut self, active: usize, clock: &ClockEstimate) -> Option<Player<'t>> {
        let may = self.left > 0 && active < SIDE_BY_SIDE && clock.is_settled();
        may.then(|| self.next_player())
    }

    fn over(&mut self, player: Player<'t>, sure: bool, _: &ClockEstimate, _: i64) {
        self.finish(player, sure);
    }

    fn demand(&self) -> Demand {
        if self.is_enough() { Demand::Enough } else { Demand::More }
    }

    fn hurries(&self, _idle: bool, waited_us: i64) -> bool {
        waited_us > HURRY_US
    }
}
