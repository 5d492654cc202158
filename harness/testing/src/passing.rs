//! Time that passes by itself, and time that passes when everybody waits, as a target knows them.

use std::time::Duration;

use crate::simulation::time::SimulatedTime;
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

impl TargetClock for SimulatedTime {
    fn now_us(&self) -> i64 {
        Time::now_us(self)
    }

    fn sleep_us(&self, us: i64) {
        Self::sleep_us(self, us);
    }
}
