//! The target's clock, as far as it is known: never a point, always an interval.
//!
//! A write that was sent at `a` and answered at `b`, by the harness's clock, and whose `_ts` is `s`, happened somewhere
//! between `a` and `b` while the target's clock stood somewhere between `s` and `s + 1`. So the target's clock is ahead
//! of ours by at least `s - b` and by less than `s + 1 - a`. Every further write narrows this, most of all one on either
//! side of the moment at which `_ts` ticks.

use crate::observation_window::ClockInterval;

/// A second.
pub(super) const SECOND_US: i64 = 1_000_000;
/// One clock gains on another at most one part in this number: twice what disciplined clocks are slewed by.
const DRIFT: i64 = 1000;
/// How much a reading may be off, since servers behind one endpoint disagree or a clock is late. It grows where readings
/// contradict each other again and again, and stays. Runs against servers that are 150 ms apart are tested.
pub(super) const SLACKS_US: [i64; 4] = [20_000, 40_000, 80_000, 160_000];

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

    /// By how much the target's clock was ahead then: at least and at most.
    fn ahead_us(&self, slack_us: i64) -> (i64, i64) {
        let least_us = self.ts.saturating_mul(SECOND_US).saturating_sub(self.answered_us);
        let most_us = self.ts.saturating_add(1).saturating_mul(SECOND_US).saturating_sub(self.sent_us);
        (least_us.saturating_sub(slack_us), most_us.saturating_add(slack_us))
    }
}

/// The interval of the target's clock: by how much it is ahead of the harness's, at least and at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockView {
    low_us: i64,
    high_us: i64,
    /// When that was known; since then the clocks may have drifted apart.
    as_of_us: i64,
    pub(super) slack_us: i64,
    /// A usual round trip.
    pub(super) round_trip_us: i64,
    /// It shows no `_ts`, so its second is unknown.
    pub(super) vague: bool,
}

impl ClockView {
    /// A clock that runs as ours does and whose seconds begin at an unknown time.
    pub(super) fn vague(now_us: i64) -> Self {
        Self { low_us: 0, high_us: SECOND_US, as_of_us: now_us, slack_us: 0, round_trip_us: 0, vague: true }
    }

    /// The clock that shows these readings, the oldest first, with the least of these slacks; `None` where no clock in whole
    /// seconds can.
    pub(super) fn of(readings: &[Reading], slacks_us: &[i64]) -> Option<Self> {
        let first = readings.first()?;
        let mut sorted_us: Vec<_> = readings.iter().map(Reading::round_trip_us).collect();
        sorted_us.sort_unstable();
        let round_trip_us = *sorted_us.get(readings.len() / 2)?;
        slacks_us.iter().copied().find_map(|slack_us| {
            let (low_us, high_us) = first.ahead_us(slack_us);
            let as_of_us = first.answered_us;
            let mut clock = Self { low_us, high_us, as_of_us, slack_us, round_trip_us, vague: false };
            readings.iter().all(|reading| clock.learn(reading)).then_some(clock)
        })
    }

    /// Narrows the interval; says `false`, and learns nothing, where the reading contradicts all that is known.
    pub(super) fn learn(&mut self, reading: &Reading) -> bool {
        let (low_us, high_us) = self.fitting_us(reading.answered_us);
        let (least_us, most_us) = reading.ahead_us(self.slack_us);
        let (low_us, high_us) = (low_us.max(least_us), high_us.min(most_us));
        if high_us < low_us {
            return false;
        }
        *self = Self { low_us, high_us, as_of_us: reading.answered_us, ..*self };
        true
    }

    /// By how much the clock is ahead that fits all readings.
    pub(super) fn fitting_us(&self, now_us: i64) -> (i64, i64) {
        let drift_us = now_us.saturating_sub(self.as_of_us).max(0) / DRIFT;
        (self.low_us.saturating_sub(drift_us), self.high_us.saturating_add(drift_us))
    }

    /// By how much any server's clock is ahead. What fits all of them lies between them, so that each may be outside; the
    /// first slack is less than what requests keep from a tick.
    fn ahead_us(&self, now_us: i64) -> (i64, i64) {
        let [first_us, ..] = SLACKS_US;
        let apart_us = self.slack_us.saturating_sub(first_us).max(0);
        let (low_us, high_us) = self.fitting_us(now_us);
        (low_us.saturating_sub(apart_us), high_us.saturating_add(apart_us))
    }

    /// The least slack with which this reading would not contradict the clock, if it does.
    pub(super) fn needed_slack_us(&self, reading: &Reading) -> i64 {
        let (low_us, high_us) = self.fitting_us(reading.answered_us);
        let (least_us, most_us) = reading.ahead_us(self.slack_us);
        // Both the clock and the reading gain by a greater slack.
        let gap_us = least_us.saturating_sub(high_us).max(low_us.saturating_sub(most_us)).max(1);
        self.slack_us.saturating_add(gap_us.saturating_add(1) / 2)
    }

    /// How coarsely the clock is known.
    pub(super) fn width_us(&self, now_us: i64) -> i64 {
        let (low_us, high_us) = self.ahead_us(now_us);
        high_us.saturating_sub(low_us)
    }

    /// Returns the seconds in which a request may have been dealt with that was sent and answered then.
    pub(super) fn window(&self, sent_us: i64, answered_us: i64) -> ClockInterval {
        let (low_us, high_us) = self.ahead_us(answered_us);
        whole_s(sent_us.saturating_add(low_us))..=whole_s(answered_us.saturating_add(high_us))
    }

    /// Returns when, by the harness's clock, so much of this second of the target's clock has surely passed.
    pub(super) fn moment_us(&self, second: i64, phase_us: i64, now_us: i64) -> i64 {
        let (low_us, _) = self.ahead_us(now_us);
        second.saturating_mul(SECOND_US).saturating_add(phase_us).saturating_sub(low_us)
    }

    /// The first second of which, surely, no more than this has passed yet.
    pub(super) fn second_from(&self, phase_us: i64, now_us: i64) -> i64 {
        let (_, high_us) = self.ahead_us(now_us);
        let now_us = now_us.saturating_add(high_us);
        whole_s(now_us.saturating_sub(phase_us).saturating_add(SECOND_US).saturating_sub(1))
    }

    /// When, by the harness's clock, the next second probably begins that is at least so far away.
    pub(super) fn next_tick_us(&self, from_us: i64) -> i64 {
        let (low_us, high_us) = self.ahead_us(from_us);
        let middle_us = low_us.saturating_add(high_us.saturating_sub(low_us) / 2);
        let tick = whole_s(from_us.saturating_add(middle_us)).saturating_add(1);
        tick.saturating_mul(SECOND_US).saturating_sub(middle_us)
    }
}

pub(super) fn seconds_us(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND_US)
}

pub(super) fn whole_s(us: i64) -> i64 {
    us.div_euclid(SECOND_US)
}
