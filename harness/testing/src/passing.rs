//! Time that passes by itself, and time that passes when somebody waits.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use cosmos_ttl_harness::realtime::{Monotonic, Time};

use crate::remote::TargetClock;

/// This machine's time, as a target knows it.
pub struct Real(pub Monotonic);

impl TargetClock for Real {
    fn now_us(&self) -> i64 {
        self.0.now_us()
    }

    #[expect(clippy::disallowed_methods, reason = "a way that takes time")]
    fn sleep_us(&self, us: i64) {
        std::thread::sleep(Duration::from_micros(u64::try_from(us).unwrap_or(0)));
    }
}

/// Time that only passes while the one thread of a test waits: hours in no time, and the same in every run.
#[derive(Debug, Default)]
pub struct Simulated(AtomicI64);

impl TargetClock for Simulated {
    fn now_us(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep_us(&self, us: i64) {
        self.0.fetch_add(us, Ordering::Relaxed);
    }
}

impl Time for Simulated {
    fn now_us(&self) -> i64 {
        // Nothing is ever done in no time at all.
        self.0.fetch_add(5, Ordering::Relaxed)
    }

    fn wait<'a, T>(
        &self,
        _bell: &Condvar,
        _lock: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        until_us: Option<i64>,
    ) -> MutexGuard<'a, T> {
        self.0.fetch_max(until_us.unwrap_or(0), Ordering::Relaxed);
        guard
    }

    fn ring(&self, _bell: &Condvar, _all: bool) {}

    fn work_side_by_side(&self, work: &(dyn Fn() + Sync)) {
        work();
    }
}
