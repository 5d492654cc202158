//! The target's clock, as far as it is known: never a point, always an interval.
//!
//! A write that was sent at `a` and answered at `b`, by the harness's clock, and whose `_ts` is `s`, happened somewhere
//! between `a` and `b` while the target's clock stood somewhere between `s` and `s + 1`. So the target's clock is ahead
//! of ours by at least `s - b` and by less than `s + 1 - a`. Every further write narrows this, most of all one on either
//! side of the moment at which `_ts` ticks.

use crate::observation_window::ClockInterval;

/// A second.
pub(super) const SECOND_US: i64 = 1_000_000;

/// One clock gains on another at most one part in so many: twice what disciplined clocks are slewed by.
const DRIFT: i64 = 1000;

/// How far the servers of one target may disagree, or its clock be late; grows where the readings demand it.
const SLACKS_US: [i64; 4] = [20_000, 40_000, 80_000, 160_000];

/// A write that the target answered with its `_ts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) sent_us: i64,
    pub(super) answered_us: i64,
    pub(super) ts: i64,
}

impl Reading {
    pub(super) fn round_trip_us(&self) -> i64 {
        self.answered_us.saturating_sub(self.sent_us)
    }
}

/// By how much the target's clock is ahead of the harness's: at least and at most.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "the unit")]
pub(super) struct ServerClock {
    low_us: i64,
    high_us: i64,
    /// When that was known; since then the clocks may have drifted apart.
    as_of_us: i64,
    slack_us: i64,
}

impl ServerClock {
    /// A clock that runs as ours does and whose seconds begin nobody knows when.
    pub(super) fn vague(now_us: i64) -> Self {
        Self { low_us: 0, high_us: SECOND_US, as_of_us: now_us, slack_us: 0 }
    }

    /// The clock that shows these readings, the oldest first; `None` where no clock in whole seconds can.
    pub(super) fn of(readings: &[Reading]) -> Option<Self> {
        SLACKS_US.iter().find_map(|slack_us| Self::with_slack(readings, *slack_us))
    }

    fn with_slack(readings: &[Reading], slack_us: i64) -> Option<Self> {
        let first = readings.first()?;
        let (low_us, high_us) = offsets(first, slack_us);
        let mut clock = Self { low_us, high_us, as_of_us: first.answered_us, slack_us };
        readings.iter().all(|reading| clock.learn(reading)).then_some(clock)
    }

    /// Narrows the interval; says `false`, and learns nothing, where the reading contradicts all that is known.
    pub(super) fn learn(&mut self, reading: &Reading) -> bool {
        let (low_us, high_us) = self.offsets_at(reading.answered_us);
        let (least_us, most_us) = offsets(reading, self.slack_us);
        let (low_us, high_us) = (low_us.max(least_us), high_us.min(most_us));
        if high_us < low_us {
            return false;
        }
        *self = Self { low_us, high_us, as_of_us: reading.answered_us, slack_us: self.slack_us };
        true
    }

    fn offsets_at(&self, now_us: i64) -> (i64, i64) {
        let drift_us = now_us.saturating_sub(self.as_of_us).max(0) / DRIFT;
        (self.low_us.saturating_sub(drift_us), self.high_us.saturating_add(drift_us))
    }

    pub(super) fn slack_us(&self) -> i64 {
        self.slack_us
    }

    /// How coarsely the clock is known.
    pub(super) fn width_us(&self, now_us: i64) -> i64 {
        let (low_us, high_us) = self.offsets_at(now_us);
        high_us.saturating_sub(low_us)
    }

    /// The seconds in which a request may have been dealt with that was sent and answered then.
    pub(super) fn window(&self, sent_us: i64, answered_us: i64) -> ClockInterval {
        let (low_us, high_us) = self.offsets_at(answered_us);
        whole_s(sent_us.saturating_add(low_us))..=whole_s(answered_us.saturating_add(high_us))
    }

    /// When, by the harness's clock, so much of this second of the target's clock has surely passed.
    pub(super) fn moment_us(&self, second: i64, phase_us: i64, now_us: i64) -> i64 {
        let (low_us, _) = self.offsets_at(now_us);
        second.saturating_mul(SECOND_US).saturating_add(phase_us).saturating_sub(low_us)
    }

    /// The first second of which, surely, no more than this has passed yet.
    pub(super) fn second_from(&self, phase_us: i64, now_us: i64) -> i64 {
        let (_, high_us) = self.offsets_at(now_us);
        let now_us = now_us.saturating_add(high_us);
        whole_s(now_us.saturating_sub(phase_us).saturating_add(SECOND_US).saturating_sub(1))
    }

    /// When, by the harness's clock, the next second probably begins that is at least so far away.
    pub(super) fn next_tick_us(&self, from_us: i64) -> i64 {
        let (low_us, high_us) = self.offsets_at(from_us);
        let middle_us = low_us.saturating_add(high_us.saturating_sub(low_us) / 2);
        let tick = whole_s(from_us.saturating_add(middle_us)).saturating_add(1);
        tick.saturating_mul(SECOND_US).saturating_sub(middle_us)
    }
}

fn offsets(reading: &Reading, slack_us: i64) -> (i64, i64) {
    let least_us = reading.ts.saturating_mul(SECOND_US).saturating_sub(reading.answered_us);
    let most_us = reading.ts.saturating_add(1).saturating_mul(SECOND_US).saturating_sub(reading.sent_us);
    (least_us.saturating_sub(slack_us), most_us.saturating_add(slack_us))
}

fn whole_s(us: i64) -> i64 {
    us.div_euclid(SECOND_US)
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "small numbers")]
mod tests {
    use super::*;

    const OFFSET_US: i64 = 1_700_000_000_400_000;

    /// A write at this moment, answered a millisecond later.
    fn reading(sent_us: i64) -> Reading {
        let ts = (sent_us + 500 + OFFSET_US).div_euclid(SECOND_US);
        Reading { sent_us, answered_us: sent_us + 1000, ts }
    }

    #[test]
    fn readings_on_both_sides_of_a_tick_narrow_the_clock() {
        let clock = ServerClock::of(&[reading(580_000), reading(605_000)]).unwrap();
        assert!(clock.low_us <= OFFSET_US && OFFSET_US <= clock.high_us);
        assert!(clock.width_us(606_000) < 70_000, "{clock:?}");
    }

    #[test]
    fn a_request_far_from_a_tick_has_one_second_and_one_near_it_has_two() {
        let clock = ServerClock::of(&[reading(580_000), reading(605_000)]).unwrap();
        assert_eq!(clock.window(1_000_000, 1_001_000), 1_700_000_001..=1_700_000_001);
        assert_eq!(clock.window(1_590_000, 1_610_000), 1_700_000_001..=1_700_000_002);
    }

    #[test]
    fn the_interval_widens_as_time_passes() {
        let clock = ServerClock::of(&[reading(580_000), reading(605_000)]).unwrap();
        assert_eq!(clock.width_us(606_000 + 10 * SECOND_US), clock.width_us(606_000) + 20_000);
    }

    #[test]
    fn what_does_not_count_seconds_is_no_clock() {
        let stands = |sent_us| Reading { ts: 7, ..reading(sent_us) };
        assert!(ServerClock::of(&[stands(0), stands(900_000)]).is_some());
        assert!(ServerClock::of(&[stands(0), stands(2_000_000)]).is_none());
        let milliseconds = |sent_us| Reading { ts: sent_us / 1000, ..reading(sent_us) };
        assert!(ServerClock::of(&[milliseconds(0), milliseconds(25_000)]).is_none());
    }

    #[test]
    fn a_clock_that_jumps_contradicts_what_was_known() {
        let mut clock = ServerClock::of(&[reading(580_000), reading(605_000)]).unwrap();
        assert!(clock.learn(&reading(1_000_000)));
        assert!(!clock.learn(&Reading { ts: 1_700_000_003, ..reading(1_100_000) }));
        assert!(clock.learn(&reading(1_200_000)));
    }

    #[test]
    fn a_second_counts_from_where_it_surely_began() {
        let clock = ServerClock::of(&[reading(580_000), reading(605_000)]).unwrap();
        let moment_us = clock.moment_us(1_700_000_003, 80_000, 606_000);
        assert!(1_700_000_003_080_000 <= moment_us + OFFSET_US);
        assert!(moment_us + OFFSET_US <= 1_700_000_003_150_000);
        assert_eq!(clock.second_from(300_000, 700_000), 1_700_000_001);
        assert_eq!(clock.second_from(300_000, 1_000_000), 1_700_000_002);
    }
}
