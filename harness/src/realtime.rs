//! Replays many vectors against one target whose clock runs by itself.
//!
//! All vectors wait side by side on one timeline, each in a session of its own, so a run lasts about as long as its
//! longest vector. The target's clock is known only as an interval, which the `_ts` of small writes narrows; a vector's
//! second is one second of that clock, and a request that may have fallen out of it is never guessed about: the vector
//! is tried again, and is inconclusive if that does not help.
//!
//! - `time`: the harness's own clock, the only one that is read
//! - `clock`, `probe`, `knowledge`: the target's clock
//! - `applicable`: which vectors a real clock can judge
//! - `timeline`: which vector starts in which second
//! - `attempt`: one vector, from request to request
//! - `board`, `crew`: who does what, and what follows from it
//! - `side_by_side`: the same for places that no vector describes

mod attempt;
mod clock;
mod clock_estimate;
mod eligibility;
mod probe;
mod scheduler;
pub mod session_pool;
mod start_schedule;
mod time;
mod workers;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use scheduler::{Board, Job};

pub use time::{Monotonic, Time};

use crate::run::{Run, VectorResult, hold_to_choices};
use crate::target::{Clock, Fault, Target};
use crate::vector::Vector;

/// How a target is tested whose clock runs by itself.
#[derive(Clone)]
pub struct Options {
    /// Vectors that last longer than so many seconds do not apply, and nothing is tried again that would end later.
    pub budget_s: u64,
    /// Ends the run when it becomes true; looked at every tenth of a second, but not while a target is answering.
    pub stop: Arc<AtomicBool>,
    /// Called about once a second.
    pub progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl Default for Options {
    /// A minute, never stopped, silent.
    fn default() -> Self {
        Self { budget_s: 60, stop: Arc::default(), progress: Arc::new(|_| {}) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("budget_s", &self.budget_s)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// So many seconds have passed.
    pub elapsed_s: u64,
    /// So many will have, as far as can be told.
    pub expected_s: u64,
    /// So many replays are over; a vector is replayed once for each schedule of removal.
    pub done: usize,
    /// Of so many that apply.
    pub of: usize,
}

/// Replays vectors against a target whose clock runs by itself.
///
/// Whatever breaks is a verdict of the vectors that it touches. A session that never answers is never given up: it is
/// the target's to know how long its way may take.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn run_real<'v>(
    target: &dyn Target,
    vectors: &[&'v Vector],
    options: &Options,
) -> Result<Run<'v>, Fault> {
    run_real_by(&Monotonic::start(), target, vectors, options)
}

/// The same by another clock than this machine's, for tests that do not want to wait.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn run_real_by<'v>(
    time: &impl Time,
    target: &dyn Target,
    vectors: &[&'v Vector],
    options: &Options,
) -> Result<Run<'v>, Fault> {
    let about = target.about();
    if about.clock != Clock::Real {
        return Err(Fault::Misuse(format!("the clock of {} is moved by the harness", about.name)));
    }
    let (board, not_applicable) = Board::new(target, &about, vectors, options, time.now_us());
    let mut board = workers::work(board, time, target, options);
    board.close();
    if let Some(fault) = board.misuse.take() {
        return Err(fault);
    }
    let requests = board.jobs.iter().map(|job| job.requests).fold(0, usize::saturating_add);
    let clock_width_us = board.clock_width_us(time.now_us());
    let mut jobs = std::mem::take(&mut board.jobs);
    let results = vectors.iter().zip(not_applicable).enumerate().map(|(place, (vector, verdict))| {
        let own = jobs.extract_if(.., |job| job.place == place).map(Job::into_replayed);
        verdict.map_or_else(
            || VectorResult::gravest(vector, own),
            |verdict| VectorResult::unasked(vector, verdict),
        )
    });
    let mut results: Vec<_> = results.collect();
    hold_to_choices(&mut results);
    Ok(Run { about, results, requests, clock_width_us, stale: Vec::new(), mishaps: Vec::new() })
}
