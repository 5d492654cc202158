//! Exploration of a target whose clock runs by itself.
//!
//! Sessions are played side by side, since they mostly wait. In which second a request is dealt with is known only as an
//! interval, and what is believed of the session is held in each of its seconds: what could have fallen into either is
//! never claimed. A session whose reply was lost is given up. A difference counts only if the clock is known to have run
//! evenly all the while, and if it shows once more in a fresh session.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use super::counterexample::{Counterexample, Finding, NullChoice};
use super::explore::{self, Explorer, HURRY_US, SearchResult, Searcher};
use super::player::Player;
use super::script::{Action, Call, Script};
use super::shrink::{ShrinkEffort, shrink_in_batches};
use super::write::write;
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::realtime::session_pool::{
    ClockEstimate, Demand, SIDE_BY_SIDE, SessionPool, TaskSource,
};
use cosmos_ttl_harness::realtime::{Monotonic, Options as RunOptions, Time, run_real_by};
use cosmos_ttl_harness::target::{Clock, Fault, Removal, Request, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};

/// How much and how long to explore, and from where.
#[derive(Clone, Copy, Debug)]
pub struct RealTimeOptions<'a> {
    /// The seed of the first session.
    pub seed: u64,
    /// How many requests to ask.
    pub steps: u64,
    /// After how many seconds to end, so far as what was found does not have to be confirmed.
    pub budget_s: u64,
    /// A difference from a `should` counts as one from a must.
    pub strict: bool,
    /// Ends the exploration when it becomes true.
    pub stop: &'a AtomicBool,
}

/// After this many requests a session is given up: it waits more than it asks.
pub const MOST_REQUESTS: u64 = 24;
/// The longest wait: most lives here are that short.
const PATIENCE_S: u64 = 4;
const SECOND_US: i64 = 1_000_000;
/// What a replay needs beside its waits: time to know that the clock ran evenly.
const BESIDE_S: u64 = 8;

/// Explores a target whose clock runs by itself.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a session.
pub fn search(
    target: &dyn Target,
    suite: &Suite,
    options: &RealTimeOptions<'_>,
) -> Result<SearchResult, Fault> {
    search_by(&Monotonic::start(), target, suite, options)
}

/// Explores by another clock than this machine's, for tests that do not want to wait.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a session.
pub fn search_by(
    time: &impl Time,
    target: &dyn Target,
    suite: &Suite,
    options: &RealTimeOptions<'_>,
) -> Result<SearchResult, Fault> {
    let about = catch_panic(|| Ok(target.about()))?;
    if about.clock != Clock::Real {
        return Err(Fault::Misuse(format!("the clock of {} is moved by the harness", about.name)));
    }
    let RealTimeOptions { seed, steps, budget_s, strict, stop } = *options;
    let until_us = after(time.now_us(), budget_s);
    let mut real_time = RealTime { pool: SessionPool::new(time, target, &about, stop), suite, until_us };
    let mut explorer = Explorer::new(target, about, &explore::ExploreOptions { seed, steps, stop });
    explorer.session_requests = MOST_REQUESTS;
    explorer.patience_s = PATIENCE_S;
    let searched = explorer.search(&mut real_time, strict);
    real_time.pool.close();
    let mut searched = searched?;
    if let Some(verdict) = real_time.pool.lost() {
        searched.explored.coverage.broken += u64::from(matches!(verdict, Verdict::Broken(_)));
        searched.explored.mishaps.extend(verdict.reason());
        searched.explored.cut_short = true;
    }
    if stop.load(Ordering::Relaxed) {
        // What follows from an interruption is nobody's fault.
        searched.explored.mishaps.clear();
        searched.explored.coverage.broken = 0;
        searched.explored.cut_short = true;
    }
    Ok(searched)
}

struct RealTime<'t, 's, T> {
    pool: SessionPool<'t, T>,
    suite: &'s Suite,
    until_us: i64,
}

impl<'t, T: Time> Searcher<'t> for RealTime<'t, '_, T> {
    fn play(&mut self, explorer: &mut Explorer<'t>) -> Result<(), Fault> {
        self.pool.run(explorer, self.until_us);
        explorer.take_misuse()
    }

    /// Makes it smaller as long as the budget lasts, and shows it once more.
    fn counterexample(&mut self, found: &Finding) -> Result<Option<Counterexample>, Fault> {
        if let Some(chosen) = &found.beside {
            return Ok(self.of_choice(found, chosen));
        }
        let removal = found.difference.removal;
        let (small, effort) = self.shrink(&found.script, removal);
        for (script, effort) in [(&small, effort), (&found.script, ShrinkEffort::default())] {
            let until_us = self.at_least(script.span_s());
            let player = self.replay(&[script], removal, false, until_us).pop();
            let Some((difference, player)) =
                player.and_then(|player| Some((player.difference()?.clone(), player)))
            else {
                continue;
            };
            let written = write(script, self.suite, &[], &mut |vector| self.fails(vector));
            let (script, exchanges) = (script.clone(), player.exchanges());
            let (only_so, beside) = (false, Vec::new());
            return Ok(Some(Counterexample {
                script,
                difference,
                exchanges,
                only_so,
                beside,
                written,
                effort,
            }));
        }
        Ok(None)
    }

    fn is_over(&self) -> bool {
        self.pool.is_over(self.until_us)
    }
}

impl<'t, T: Time> RealTime<'t, '_, T> {
    /// Returns when a replay of this many seconds is over, whatever is left of the budget.
    fn at_least(&self, span_s: u64) -> i64 {
        after(self.pool.time.now_us(), span_s.saturating_add(BESIDE_S))
    }

    /// Plays these scripts side by side, and returns the players in their order; those that did not come to their end in
    /// time show nothing.
    fn replay(
        &mut self,
        scripts: &[&Script],
        removal: Option<Removal>,
        one_is_enough: bool,
        until_us: i64,
    ) -> Vec<Player<'t>> {
        let target: &'t dyn Target = self.pool.target;
        let players = scripts.iter().zip(0..).map(|(script, number)| {
            let mut player = Player::replaying(target, script, removal);
            player.seed = number;
            player
        });
        let mut replays = Replays { left: players.collect(), over: BTreeMap::new(), one_is_enough };
        self.pool.run(&mut replays, until_us);
        replays.over.into_values().collect()
    }

    /// Shrinks as far as the budget allows that is left after one more replay.
    fn shrink(&mut self, script: &Script, removal: Option<Removal>) -> (Script, ShrinkEffort) {
        let reserved_us = after(0, script.span_s().saturating_add(BESIDE_S));
        let until_us = self.until_us.saturating_sub(reserved_us);
        shrink_in_batches(script, SIDE_BY_SIDE, &mut |batch| {
            let scripts: Vec<_> = batch.iter().collect();
            if self.pool.is_over(until_us) {
                return None;
            }
            let players = self.replay(&scripts, removal, true, until_us);
            let differs = players.iter().find(|player| player.difference().is_some());
            let failing = differs.and_then(|player| usize::try_from(player.seed).ok());
            // A row that ended before its time says nothing of its last.
            if failing.is_none() && self.pool.is_over(until_us) { None } else { Some(failing) }
        })
    }

    /// Whether the target fails the vector too.
    fn fails(&self, vector: &Vector) -> bool {
        if self.pool.stop.load(Ordering::Relaxed) {
            return false;
        }
        let budget_s = vector.span_s.saturating_add(BESIDE_S);
        let options = RunOptions { budget_s, ..RunOptions::default() };
        let run = run_real_by(self.pool.time, self.pool.target, &[vector], &options);
        run.is_ok_and(|run| run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail))
    }

    /// Plays two sessions once more: with nothing but what is sent null, or else as they were.
    fn of_choice(&mut self, found: &Finding, chosen: &NullChoice) -> Option<Counterexample> {
        let bare = (nulls(&chosen.script), nulls(&found.script));
        for (earlier, later) in [bare, (chosen.script.clone(), found.script.clone())] {
            let until_us = self.at_least(earlier.span_s().max(later.span_s()));
            // One after the other, as they were found.
            let mut shown = |script: &Script, removal| {
                let player = self.replay(&[script], removal, false, until_us).pop()?;
                Some((player.null?.0, player.exchanges()))
            };
            let both = (shown(&earlier, chosen.removal), shown(&later, found.difference.removal));
            if let (Some((one, beside)), Some((other, exchanges))) = both
                && one != other
            {
                return Some(Counterexample::of_two(found, later, beside, exchanges));
            }
        }
        None
    }
}

/// Plays scripts; their numbers are the players' seeds.
struct Replays<'t> {
    left: VecDeque<Player<'t>>,
    over: BTreeMap<u64, Player<'t>>,
    /// The first that differs is enough.
    one_is_enough: bool,
}

impl<'t> TaskSource<Player<'t>> for Replays<'t> {
    fn next(&mut self, active: usize, clock: &ClockEstimate) -> Option<Player<'t>> {
        let may = active < SIDE_BY_SIDE && clock.is_settled();
        if may { self.left.pop_front() } else { None }
    }

    fn over(&mut self, mut player: Player<'t>, sure: bool, _: &ClockEstimate, _: i64) {
        if !sure {
            player.ending = None;
        }
        self.over.insert(player.seed, player);
    }

    fn demand(&self) -> Demand {
        let mut in_order = self.over.iter().zip(0..).take_while(|((number, _), place)| *number == place);
        let differs = in_order.any(|((_, player), _)| player.difference().is_some());
        if self.one_is_enough && differs { Demand::Enough } else { Demand::More }
    }

    fn hurries(&self, _idle: bool, waited_us: i64) -> bool {
        waited_us > HURRY_US
    }
}

/// Only the settings that were sent.
fn nulls(script: &Script) -> Script {
    let configures =
        |action: &&Action| matches!(action, Action::Call(Call { request: Request::ReplaceContainer(_), .. }));
    Script { actions: script.actions.iter().filter(configures).cloned().collect(), ..script.clone() }
}

fn after(from_us: i64, seconds: u64) -> i64 {
    from_us.saturating_add(SECOND_US.saturating_mul(i64::try_from(seconds).unwrap_or(i64::MAX)))
}
