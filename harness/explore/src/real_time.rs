//! Exploration of a target whose clock runs by itself.
//!
//! Places are played side by side, since they mostly wait. In which second a request is dealt with is known only as an
//! interval, and the worlds are in each of its seconds: what could have fallen into either is never claimed. A place
//! whose reply was lost is given up. A difference counts only if the clock is known to have run evenly all the while,
//! and if it shows once more in a fresh place.

mod exploring;
mod player;
mod replaying;

use std::sync::atomic::{AtomicBool, Ordering};

pub use exploring::MOST_REQUESTS;
pub use replaying::Shrunk;

use self::exploring::Exploring;
use self::player::Player;
use self::replaying::{again, shrink};
use super::choice::Chosen;
use super::counterexample::Counterexample;
use super::play::Difference;
use super::run::{Explored, Found};
use super::script::{Action, Call, Script};
use super::write::write;
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::realtime::session_pool::SessionPool;
use cosmos_ttl_harness::realtime::{Monotonic, Options as Run, Time, run_real_by};
use cosmos_ttl_harness::target::{Clock, Fault, Request, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};

/// How much, how long, and from where.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The seed of the first place.
    pub seed: u64,
    /// After how many requests to end.
    pub steps: u64,
    /// After how many seconds to end, so far as what was found does not have to be confirmed.
    pub budget_s: u64,
    /// A difference from a `should` counts as one from a must.
    pub strict: bool,
    /// Ends it when it becomes true.
    pub stop: &'a AtomicBool,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct RealTimeResult {
    /// What was explored; `found` is what was found last.
    pub explored: Explored,
    /// What was confirmed, how it was made smaller, and the seed of its place.
    pub confirmed: Option<(u64, Counterexample, Shrunk)>,
    /// What was found and did not show again.
    pub unconfirmed: Option<Found>,
    /// How many differences from a `should` were found.
    pub shoulds: usize,
}

const SECOND_US: i64 = 1_000_000;
/// What a replay needs beside its waits: time to know that the clock ran evenly.
const BESIDE_S: u64 = 8;

/// Explores a target whose clock runs by itself.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a place.
pub fn explore(target: &dyn Target, suite: &Suite, options: &Options<'_>) -> Result<RealTimeResult, Fault> {
    explore_by(&Monotonic::start(), target, suite, options)
}

/// The same by another clock than this machine's, for tests that do not want to wait.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a place.
pub fn explore_by(
    time: &impl Time,
    target: &dyn Target,
    suite: &Suite,
    options: &Options<'_>,
) -> Result<RealTimeResult, Fault> {
    let about = catch_panic(|| Ok(target.about()))?;
    if about.clock != Clock::Real {
        return Err(Fault::Misuse(format!("the clock of {} is moved by the harness", about.name)));
    }
    let begun_us = time.now_us();
    let mut way = Way {
        pool: SessionPool::new(time, target, &about, options.stop),
        suite,
        options,
        until_us: after(begun_us, options.budget_s),
    };
    let mut exploring = Exploring::new(target, about, options.seed, options.steps);
    let outcome = way.go(&mut exploring);
    way.pool.close();
    let (confirmed, unconfirmed, shoulds) = outcome?;
    let interrupted = options.stop.load(Ordering::Relaxed) || exploring.is_broken();
    let Exploring { about, mut coverage, found, mut mishaps, .. } = exploring;
    let cut_short = match way.pool.lost() {
        Some(verdict) => {
            coverage.broken =
                coverage.broken.saturating_add(u64::from(matches!(verdict, Verdict::Broken(_))));
            mishaps.extend(verdict.reason());
            true
        }
        None => interrupted,
    };
    let explored = Explored { about, coverage, found, mishaps, cut_short };
    Ok(RealTimeResult { explored, confirmed, unconfirmed, shoulds })
}

/// What is confirmed, what is not, and how many differences there were from a `should`.
type Came = (Option<(u64, Counterexample, Shrunk)>, Option<Found>, usize);

struct Way<'t, 'o, T> {
    pool: SessionPool<'t, T>,
    suite: &'o Suite,
    options: &'o Options<'o>,
    until_us: i64,
}

impl<'t, T: Time> Way<'t, '_, T> {
    /// Until a must is broken, or enough was asked.
    fn go(&mut self, exploring: &mut Exploring<'t>) -> Result<Came, Fault> {
        let mut should = None;
        let mut unconfirmed = None;
        let mut shoulds: usize = 0;
        loop {
            self.pool.run(exploring, self.until_us);
            if let Some(fault) = exploring.misuse.take() {
                return Err(fault);
            }
            let Some(found) = &exploring.found else { return Ok((should, unconfirmed, shoulds)) };
            match self.confirmed(found) {
                Some((smallest, shrunk)) => {
                    let seed = found.seed;
                    if !smallest.is_should() || self.options.strict {
                        return Ok((Some((seed, smallest, shrunk)), unconfirmed, shoulds));
                    }
                    shoulds = shoulds.saturating_add(1);
                    should.get_or_insert((seed, smallest, shrunk));
                }
                None => {
                    unconfirmed.get_or_insert(found.clone());
                }
            }
            if exploring.left == 0 || self.pool.is_over(self.until_us) {
                return Ok((should, unconfirmed, shoulds));
            }
            exploring.found = None;
        }
    }

    /// Made smaller as long as the budget lasts, and shown once more; `None` where it does not show.
    fn confirmed(&mut self, found: &Found) -> Option<(Counterexample, Shrunk)> {
        if let Some(chosen) = &found.beside {
            return Some((self.chosen(found, chosen)?, Shrunk::default()));
        }
        let removal = found.difference.removal;
        let reserved = found.script.span_s().saturating_add(BESIDE_S);
        let until_us = after(self.until_us, 0).saturating_sub(after(0, reserved));
        let (small, shrunk) = shrink(&mut self.pool, &found.script, removal, until_us);
        for (board, shrunk) in [(&small, shrunk), (&found.script, Shrunk::default())] {
            let until_us = self.at_least(board.span_s());
            let player = again(&mut self.pool, &[(board, removal)], false, until_us).pop();
            let Some(player) = player.filter(|player| player.difference().is_some()) else { continue };
            return Some((self.smallest(board.clone(), player)?, shrunk));
        }
        None
    }

    /// What a replay of so many seconds needs, whatever is left of the budget.
    fn at_least(&self, span_s: u64) -> i64 {
        after(self.pool.time.now_us(), span_s.saturating_add(BESIDE_S))
    }

    fn smallest(&self, script: Script, player: Player<'_>) -> Option<Counterexample> {
        let difference = player.difference()?.clone();
        let written = write(&script, self.suite, &[], &mut |vector| self.fails(vector));
        Some(Counterexample {
            script,
            difference,
            told: player.told,
            only_so: false,
            beside: Vec::new(),
            written,
        })
    }

    /// Whether the target fails the vector too.
    fn fails(&self, vector: &Vector) -> bool {
        if self.pool.stop.load(Ordering::Relaxed) {
            return false;
        }
        let options = Run { budget_s: vector.span_s.saturating_add(BESIDE_S), ..Run::default() };
        let run = run_real_by(self.pool.time, self.pool.target, &[vector], &options);
        run.is_ok_and(|run| run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail))
    }

    /// Two places once more: with nothing but what is sent null, or else as they were.
    fn chosen(&mut self, found: &Found, chosen: &Chosen) -> Option<Counterexample> {
        let bare = (nulls(&chosen.script), nulls(&found.script));
        for (earlier, later) in [bare, (chosen.script.clone(), found.script.clone())] {
            let until_us = self.at_least(earlier.span_s().max(later.span_s()));
            let mut told = Vec::new();
            // One after the other, as they were found.
            for (board, removal) in [(&earlier, chosen.removal), (&later, found.difference.removal)] {
                let player = again(&mut self.pool, &[(board, removal)], false, until_us).pop();
                told.extend(player.and_then(|player| Some((player.null?.0, player.told))));
            }
            if let [(one, beside), (other, told)] = told.as_slice()
                && one != other
            {
                return Some(Counterexample::chosen(found, later, beside.clone(), told.clone()));
            }
        }
        None
    }
}

/// Only the settings that were sent.
fn nulls(board: &Script) -> Script {
    let configures =
        |one: &&Action| matches!(one, Action::Call(Call { request: Request::ReplaceContainer(_), .. }));
    Script { actions: board.actions.iter().filter(configures).cloned().collect(), ..board.clone() }
}

fn after(from_us: i64, seconds: u64) -> i64 {
    from_us.saturating_add(SECOND_US.saturating_mul(i64::try_from(seconds).unwrap_or(i64::MAX)))
}
