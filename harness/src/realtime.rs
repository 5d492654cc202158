//! Replays many vectors against one target whose clock runs by itself.
//!
//! All vectors wait side by side on one timeline, each in a session of its own, so a run lasts about as long as its
//! longest vector. The target's clock is known only as an interval, which the `_ts` of small writes narrows; a vector's
//! second is one second of that clock, and a request that may have fallen out of it is never guessed about: the vector
//! is tried again, and is inconclusive if that does not help.
//!
//! - [`Time`]: the harness's own clock, the only one that is read
//! - `clock_view`: the target's clock as an interval
//! - `clock`: what is known of it
//! - `clock_probe`: looks at it
//! - `scheduler`: many sessions at one target, and the workers
//! - `vector_task`: one vector: what it asks when
//! - `vector_tasks`: all vectors: which a real clock can judge, which come when, and what follows
//! - `attempts`: what follows from one attempt at a vector
//! - `causes`: which failures have one cause, and which causes are confirmed
//! - `start_schedule`: in which second each starts

mod attempts;
mod causes;
mod clock;
mod clock_probe;
mod clock_view;
mod scheduler;
mod start_schedule;
mod vector_task;
mod vector_tasks;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use vector_tasks::VectorTasks;

use crate::run::{Run, hold_to_choices};
use crate::target::{Clock, Fault, Target, declared};
use crate::vector::Vector;

/// A clock of the harness. All waiting goes through it, so that a simulated clock can replace this machine's.
pub trait Time: Sync {
    /// Returns microseconds since some fixed moment; never goes back.
    fn now_us(&self) -> i64;

    /// Waits until then, or until the bell rings; may return before either. `guard` is that of `lock`.
    fn wait<'a, T>(
        &self,
        bell: &Condvar,
        lock: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        until_us: Option<i64>,
    ) -> MutexGuard<'a, T>;

    /// Wakes one thread that waits for the bell, or all of them.
    fn ring(&self, bell: &Condvar, all: bool);

    /// Does this work on as many threads as requests may wait for their responses at the same time.
    fn work_side_by_side(&self, work: &(dyn Fn() + Sync));
}

/// How many requests may wait for their responses at the same time on a clock that this machine moves.
const WORKERS: usize = 64;

/// The clock of this machine that never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    start: Instant,
}

impl Monotonic {
    /// A clock that counts from now.
    #[expect(clippy::disallowed_methods, reason = "this is the clock of the real-clock runner")]
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }
}

impl Time for Monotonic {
    fn now_us(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn wait<'a, T>(
        &self,
        bell: &Condvar,
        _lock: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        until_us: Option<i64>,
    ) -> MutexGuard<'a, T> {
        let Some(until_us) = until_us else {
            return bell.wait(guard).unwrap_or_else(PoisonError::into_inner);
        };
        let left_us = u64::try_from(until_us.saturating_sub(self.now_us())).unwrap_or(0);
        bell.wait_timeout(guard, Duration::from_micros(left_us)).unwrap_or_else(PoisonError::into_inner).0
    }

    fn ring(&self, bell: &Condvar, all: bool) {
        if all { bell.notify_all() } else { bell.notify_one() }
    }

    fn work_side_by_side(&self, work: &(dyn Fn() + Sync)) {
        thread::scope(|scope| {
            for _ in 1..WORKERS {
                // With fewer threads than wished for, the rest do the work.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }
}

/// How a target is tested whose clock runs by itself.
#[derive(Clone)]
pub struct Options {
    /// Vectors that last longer than this do not apply. No vector begins that would end later, counted in seconds from the
    /// first that begins, or from three seconds after the start: it is inconclusive. The run ends three seconds after it at
    /// the latest: the target is then [interrupted](Target::interrupt).
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

/// Returns why a run of these vectors on a real clock leaves one of them out, if it does.
///
/// Soak vectors last minutes for what others judge in seconds, so they are only replayed in a run of their own.
pub fn left_out(vectors: &[&Vector], budget_s: u64) -> impl Fn(&Vector) -> Option<String> + use<> {
    let soaks = vectors.iter().all(|vector| vector.is_soak());
    move |vector| {
        if vector.is_soak() && !soaks {
            return Some("waits for late removal (--profile soak)".into());
        }
        (budget_s < vector.span_s).then(|| format!("lasts longer than the budget of {budget_s} s (--budget)"))
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The seconds that have passed.
    pub elapsed_s: u64,
    /// The seconds that the run will take, as far as is known.
    pub expected_s: u64,
    /// The number of vectors that are over.
    pub done: usize,
    /// The number of vectors that apply.
    pub of: usize,
}

/// Replays vectors against a target whose clock runs by itself.
///
/// A fault is a verdict of the vectors that it concerns. Until the budget ends, it is the target's to know how long its way
/// may take.
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
    let without = declared(target)?;
    let tasks = VectorTasks::new(target, vectors, options, &without, time.now_us());
    let (mut tasks, mut clock) = scheduler::run(time, target, &options.stop, tasks);
    if let Some(fault) = tasks.misuse.take().or_else(|| clock.misuse.take()) {
        return Err(fault);
    }
    let width_us = clock.width_us(time.now_us());
    let clock_width_us = width_us.and_then(|width_us| u64::try_from(width_us).ok());
    let requests = tasks.requests;
    let (mut results, remarks) = tasks.into_results(vectors);
    let remarks = [clock.remarks(), remarks].concat();
    hold_to_choices(&mut results);
    Ok(Run { results, without, requests, clock_width_us, remarks, ..Run::unasked(about, &[], "") })
}
