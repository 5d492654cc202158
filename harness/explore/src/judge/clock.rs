//! The server's clock, as far as the `_ts` in a log tell it: never a point, always an interval.

use cosmos_ttl_harness::request_log::{LogClock, LogTime};

const SECOND_US: i64 = 1_000_000;
/// One clock gains on another at most one part in this number.
const DRIFT: i64 = 1000;
/// How far the clocks of the servers behind one endpoint may be apart.
const APART_US: i64 = 160_000;
/// No clock shows seconds beyond these.
const BEYOND_S: i64 = 1 << 52;

/// The first and the last second that the server's clock may have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seconds {
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Seconds {
    pub(super) fn only(second: i64) -> Self {
        Self { first: second, last: second }
    }

    pub(super) fn contains(self, second: i64) -> bool {
        (self.first..=self.last).contains(&second)
    }
}

/// By how much the clock of a container's servers is ahead of the writer's.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerClock {
    clock: LogClock,
    /// At least and at most, and when that was known; `None` before the first `_ts`.
    ahead_us: Option<(i64, i64, i64)>,
}

impl ServerClock {
    pub(super) fn new(clock: LogClock) -> Self {
        Self { clock, ahead_us: None }
    }

    /// Whether a `_ts` was shown.
    pub(super) fn is_known(&self) -> bool {
        self.ahead_us.is_some()
    }

    /// The seconds in which something may have happened that happened between these moments.
    pub(super) fn seconds(&self, from: LogTime, until: LogTime) -> Seconds {
        let Some((low_us, high_us, as_of_us)) = self.ahead_us else {
            return Seconds { first: -BEYOND_S, last: BEYOND_S };
        };
        let wider_us = match self.clock {
            LogClock::Exact => 0,
            LogClock::Writer => {
                APART_US.saturating_add(drift_us(from.us, as_of_us).max(drift_us(until.us, as_of_us)))
            }
        };
        let second = |us: i64| us.div_euclid(SECOND_US).clamp(-BEYOND_S, BEYOND_S);
        Seconds {
            first: second(from.us.saturating_add(low_us).saturating_sub(wider_us)),
            last: second(until.us.saturating_add(high_us).saturating_add(wider_us)),
        }
    }

    /// Learns from a write between these moments, whose `_ts` is one of the [seconds](Self::seconds) that are possible.
    pub(super) fn learn(&mut self, sent: LogTime, received: LogTime, ts: i64) {
        let start_us = ts.saturating_mul(SECOND_US);
        let (least_us, most_us) = match self.clock {
            LogClock::Exact => (start_us.saturating_sub(sent.us), start_us.saturating_sub(sent.us)),
            LogClock::Writer => (
                start_us.saturating_sub(received.us).saturating_sub(APART_US),
                start_us.saturating_add(SECOND_US + APART_US).saturating_sub(sent.us),
            ),
        };
        let (low_us, high_us) = match self.ahead_us {
            Some((low_us, high_us, as_of_us)) => {
                let drift_us = drift_us(received.us, as_of_us);
                (low_us.saturating_sub(drift_us).max(least_us), high_us.saturating_add(drift_us).min(most_us))
            }
            None => (least_us, most_us),
        };
        // Servers that are as far apart as that leave nothing between them.
        self.ahead_us = Some((low_us.min(high_us), high_us.max(low_us), received.us));
    }
}

fn drift_us(at_us: i64, as_of_us: i64) -> i64 {
    at_us.saturating_sub(as_of_us).saturating_abs() / DRIFT
}
