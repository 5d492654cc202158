//! The harness's own clock: the only place that reads one.

use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A clock of the harness, and who works by it.
pub trait Time: Sync {
    /// Microseconds since some fixed moment; never goes back.
    fn now_us(&self) -> i64;

    /// Waits until then, or until the bell rings; may return before either.
    fn wait<'a, T>(&self, bell: &Condvar, guard: MutexGuard<'a, T>, until_us: i64) -> MutexGuard<'a, T>;

    /// How many requests may wait for their answers at once. A clock that only one thread may move says 1.
    fn workers(&self) -> usize;
}

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

    fn wait<'a, T>(&self, bell: &Condvar, guard: MutexGuard<'a, T>, until_us: i64) -> MutexGuard<'a, T> {
        let left_us = u64::try_from(until_us.saturating_sub(self.now_us())).unwrap_or(0);
        bell.wait_timeout(guard, Duration::from_micros(left_us)).unwrap_or_else(PoisonError::into_inner).0
    }

    fn workers(&self) -> usize {
        64
    }
}
