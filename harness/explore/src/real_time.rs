//! Exploration of a target whose clock runs by itself.
//!
//! Sessions are played side by side, since they mostly wait. In which second a request is dealt with is known only as an
//! interval, and what is believed of the session is held in each of its seconds: what could have fallen into either is
//! never claimed. Where the reply to a write was lost, the write took effect in one of these seconds, or not. A difference
//! counts only if the clock is known to have run evenly all the while, and if it shows once more: in a fresh session, after
//! the clock was scanned.

use std::collections::{BTreeMap, VecDeque};
use std::slice;
use std::sync::atomic::Ordering;

use super::counterexample::{Counterexample, Finding, KeptClauses, NullChoice, fails};
use super::explore::{Exploration, ExploreOptions, Explorer, SearchResult};
use super::left_out::LeftOut;
use super::player::Player;
use super::script::{Call, Script};
use super::shrink::{ShrinkEffort, shrink_in_batches};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::realtime::session_pool::{
    ClockEstimate, Demand, SIDE_BY_SIDE, SessionPool, TaskSource,
};
use cosmos_ttl_harness::realtime::{Options as RunOptions, Time, run_real_by};
use cosmos_ttl_harness::target::{Clock, Fault, PurgedTarget, Removal, Request, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Verdict;

/// After this many requests a session is given up: it waits more than it asks.
pub const MOST_REQUESTS: u64 = 24;
/// The longest wait: most lives here are that short.
const PATIENCE_S: u64 = 4;
const SECOND_US: i64 = 1_000_000;
/// The time that a replay needs in addition to its waits, to know that the clock ran evenly.
const BESIDE_S: u64 = 8;
/// How often a script is replayed until it shows its difference again.
const SHOWS: u32 = 2;
/// The time that a scan of the clock needs: it has to see the clock tick.
const SCAN_S: u64 = 3;

/// Explores a target whose clock runs by itself, up to a difference from a must; with `strict`, also from a `should`. It
/// ends after this many seconds of the harness's clock, so far as what was found does not have to be confirmed.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a session.
pub fn search(
    time: &impl Time,
    target: &dyn Target,
    suite: &Suite,
    options: &ExploreOptions<'_>,
    budget_s: u64,
    strict: bool,
) -> Result<SearchResult, Fault> {
    search_but(time, target, suite, options, budget_s, strict, &LeftOut::default())
}

/// Searches as [`search`] does, and goes on after each difference that is left out.
///
/// # Errors
///
/// As [`search`].
pub fn search_but(
    time: &impl Time,
    target: &dyn Target,
    suite: &Suite,
    options: &ExploreOptions<'_>,
    budget_s: u64,
    strict: bool,
    left_out: &LeftOut,
) -> Result<SearchResult, Fault> {
    let target = &catch_panic(|| Ok(PurgedTarget::of(target)))?;
    let about = catch_panic(|| Ok(target.about()))?;
    if about.clock != Clock::Real {
        return Err(Fault::Misuse(format!("the clock of {} is moved by the harness", about.name)));
    }
    let until_us = after(time.now_us(), budget_s);
    let pool = SessionPool::new(time, target, &about, options.stop);
    let mut real_time = RealTime { target, pool, suite, until_us };
    let mut explorer = Explorer::new(target, about, options);
    explorer.left_out = Some(left_out);
    explorer.session_requests = MOST_REQUESTS;
    explorer.patience_s = PATIENCE_S;
    let searched = explorer.search(strict, |explorer| {
        real_time.pool.run(explorer, until_us);
        explorer.take_misuse()?;
        Ok(explorer.explored.found.as_ref().and_then(|found| real_time.counterexample(found)))
    });
    real_time.pool.close();
    let mut searched = searched?;
    let Exploration { coverage, mishaps, cut_short, .. } = &mut searched.explored;
    if let Some(verdict) = real_time.pool.lost() {
        coverage.broken += u64::from(matches!(verdict, Verdict::Broken(_)));
        mishaps.extend(verdict.reason());
        *cut_short = true;
    }
    if options.stop.load(Ordering::Relaxed) {
        // What follows from an interruption is nobody's fault.
        mishaps.clear();
        coverage.broken = 0;
        *cut_short = true;
    }
    Ok(searched)
}

struct RealTime<'t, 's, T> {
    target: &'t PurgedTarget<'t>,
    pool: SessionPool<'t, T>,
    suite: &'s Suite,
    until_us: i64,
}

impl<'t, T: Time> RealTime<'t, '_, T> {
    /// Shows it once more, makes it smaller as long as the budget lasts, and shows what is left; `None` where it does not
    /// show again.
    fn counterexample(&mut self, found: &Finding) -> Option<Counterexample> {
        if let Some(chosen) = &found.beside {
            return self.of_choice(found, chosen);
        }
        let removal = found.removal;
        // Where a request may have fallen into either of two seconds, a difference does not show each time.
        let whole = (0..SHOWS).find_map(|_| self.shows_again(&found.script, removal))?;
        let (small, effort) = self.shrink(&found.script, removal);
        let smaller = if effort.tried == 0 { None } else { self.shows_again(&small, removal) };
        let (player, script, effort) = match &smaller {
            Some(player) => (player, &small, effort),
            None => (&whole, &found.script, ShrinkEffort::default()),
        };
        Counterexample::shown(player, script, self.suite, effort, &mut |vector| self.fails(vector))
    }

    fn shows_again(&mut self, script: &Script, removal: Option<Removal>) -> Option<Player<'t>> {
        self.again(script, removal).filter(|player| player.difference().is_some())
    }

    /// Plays a script in a fresh session after a scan of the clock, whatever is left of the budget.
    fn again(&mut self, script: &Script, removal: Option<Removal>) -> Option<Player<'t>> {
        let now_us = self.pool.time.now_us();
        let until_us = after(now_us, script.span_s().saturating_add(BESIDE_S + SCAN_S));
        self.replay(slice::from_ref(script), removal, Some(now_us), until_us).pop()
    }

    /// Plays these scripts side by side until the first of them differs, and returns the players in their order; those
    /// that did not come to their end in time show nothing. They begin after a scan of the clock that began at
    /// `scan_us` or later.
    fn replay(
        &mut self,
        scripts: &[Script],
        removal: Option<Removal>,
        scan_us: Option<i64>,
        until_us: i64,
    ) -> Vec<Player<'t>> {
        let target = self.target;
        let players = scripts.iter().zip(0..).map(|(script, number)| {
            let mut player = Player::replaying(target, script, removal);
            player.seed = number;
            player
        });
        let mut replays = Replays { left: players.collect(), over: BTreeMap::new(), scan_us };
        self.pool.run(&mut replays, until_us);
        replays.over.into_values().collect()
    }

    /// Shrinks as far as the budget allows that is left after one more replay.
    fn shrink(&mut self, script: &Script, removal: Option<Removal>) -> (Script, ShrinkEffort) {
        let reserved_us = after(0, script.span_s().saturating_add(BESIDE_S));
        let until_us = self.until_us.saturating_sub(reserved_us);
        let mut clauses = KeptClauses::of(script);
        shrink_in_batches(script, SIDE_BY_SIDE, &mut |batch| {
            if self.pool.is_over(until_us) {
                return None;
            }
            let allowed = batch.iter().enumerate().filter(|(_, script)| clauses.allows(script));
            let (numbers, scripts): (Vec<_>, Vec<_>) =
                allowed.map(|(number, script)| (number, script.clone())).unzip();
            if scripts.is_empty() {
                return Some(None);
            }
            let players = self.replay(&scripts, removal, None, until_us);
            let differs = players.iter().find(|player| player.difference().is_some());
            let failing = differs.and_then(|player| usize::try_from(player.seed).ok());
            let failing = failing.and_then(|number| numbers.get(number).copied());
            if let Some(smaller) = failing.and_then(|number| batch.get(number)) {
                clauses.keeps(smaller);
            }
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
        fails(run_real_by(self.pool.time, self.pool.target, &[vector], &options))
    }

    /// Plays two sessions once more: with nothing but what is sent null, or else as they were.
    fn of_choice(&mut self, found: &Finding, chosen: &NullChoice) -> Option<Counterexample> {
        let bare = (nulls(&chosen.script), nulls(&found.script));
        let whole = (chosen.script.clone(), found.script.clone());
        [bare, whole].into_iter().find_map(|(earlier, later)| {
            // One after the other, as they were found.
            let earlier = self.again(&earlier, chosen.removal);
            let both = [earlier?, self.again(&later, found.removal)?];
            let [one, other] = both.each_ref().map(|player| player.null.map(|(null, _)| null));
            (one? != other?).then(|| Counterexample::of_two(found, &later, &both))
        })
    }
}

/// Plays scripts; their numbers are the players' seeds.
struct Replays<'t> {
    left: VecDeque<Player<'t>>,
    over: BTreeMap<u64, Player<'t>>,
    /// Since when the clock has to be scanned before any of them begins, if it was not yet.
    scan_us: Option<i64>,
}

impl<'t> TaskSource<Player<'t>> for Replays<'t> {
    fn next(&mut self, active: usize, clock: &ClockEstimate, _now_us: i64) -> Option<Player<'t>> {
        self.scan_us.take_if(|scan_us| clock.is_scanned_since(*scan_us));
        let may = active < SIDE_BY_SIDE && clock.is_settled() && self.scan_us.is_none();
        if may { self.left.pop_front() } else { None }
    }

    fn wants_scan(&self, _clock: &ClockEstimate, _now_us: i64) -> bool {
        self.scan_us.is_some()
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
        if differs { Demand::Enough } else { Demand::More }
    }
}

/// Only the settings that were sent.
fn nulls(script: &Script) -> Script {
    let mut script = script.clone();
    let is_setting = |call: &Call| matches!(call.request, Request::ReplaceContainer(_));
    script.actions.retain(|action| action.call().is_some_and(is_setting));
    script
}

fn after(from_us: i64, seconds: u64) -> i64 {
    from_us.saturating_add(SECOND_US.saturating_mul(i64::try_from(seconds).unwrap_or(i64::MAX)))
}
