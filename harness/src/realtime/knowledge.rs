//! What is known of the target's clock so far, and what that makes of the verdicts.

use super::clock::{Reading, SECOND_US, ServerClock};
use super::probe::Heard;
use crate::target::Fault;
use crate::verdict::Verdict;

/// Between two looks while the clock's tick is searched for. Forty small writes a second are within every throughput.
const SEARCH_US: i64 = 25_000;
/// How long the search goes on where the clock stays coarse.
const SEARCH_AT_MOST_US: i64 = 2_500_000;
/// How narrow the interval is to be, apart from what the round trip makes impossible.
const NARROW_US: i64 = 80_000;
/// The clock is given up after so many looks in a row that bring nothing.
const FAILURES: u32 = 5;

/// What is known of the target's clock.
pub(super) struct Knowledge {
    stage: Stage,
    clock: ServerClock,
    /// What the search has read so far.
    readings: Vec<Reading>,
    search_since_us: i64,
    failures: u32,
    /// The sending of the last look that agreed with all before.
    confirmed_us: i64,
    /// From the last good look to the first that contradicted it.
    jumps_us: Vec<(i64, i64)>,
    /// When to look again.
    pub(super) due_us: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    Searching,
    Settled,
    /// The target shows no `_ts`.
    Vague,
    Lost(Verdict),
}

impl Knowledge {
    pub(super) fn new(now_us: i64) -> Self {
        Self {
            stage: Stage::Searching,
            clock: ServerClock::vague(now_us),
            readings: Vec::new(),
            search_since_us: now_us,
            failures: 0,
            confirmed_us: i64::MIN,
            jumps_us: Vec::new(),
            due_us: now_us,
        }
    }

    /// The clock, once it is known well enough to start anything by it.
    pub(super) fn settled(&self) -> Option<ServerClock> {
        matches!(self.stage, Stage::Settled | Stage::Vague).then_some(self.clock)
    }

    /// The clock, as well as it is known.
    pub(super) fn clock(&self) -> ServerClock {
        self.clock
    }

    /// What must be said of every vector that depends on the clock, where there is none.
    pub(super) fn lost(&self) -> Option<&Verdict> {
        match &self.stage {
            Stage::Lost(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// Why the clock is as coarse as it is; for people.
    pub(super) fn why_coarse(&self) -> &'static str {
        match self.stage {
            Stage::Vague => "since it shows no `_ts`",
            _ => "since it answers slowly",
        }
    }

    /// A usual round trip.
    pub(super) fn round_trip_us(&self) -> i64 {
        let mut all: Vec<_> = self.readings.iter().map(Reading::round_trip_us).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    }

    /// Whether the clock is known to have run evenly up to this moment.
    pub(super) fn is_confirmed(&self, until_us: i64) -> bool {
        self.stage == Stage::Vague || until_us <= self.confirmed_us
    }

    /// Whether the clock may have jumped between these moments.
    pub(super) fn jumped(&self, from_us: i64, until_us: i64) -> bool {
        self.jumps_us.iter().any(|(from, until)| *from <= until_us && from_us <= *until)
    }

    /// Learns from a look.
    pub(super) fn hear(&mut self, heard: Heard, now_us: i64) {
        self.due_us = now_us.saturating_add(SEARCH_US);
        match heard {
            Heard::Nothing(fault) => self.hear_nothing(fault),
            Heard::NoTs if self.readings.is_empty() => {
                self.stage = Stage::Vague;
                self.clock = ServerClock::vague(now_us);
                self.due_us = i64::MAX;
            }
            Heard::NoTs => {
                self.hear_nothing(Fault::Broken("an item has no `_ts`, and others had".into()));
            }
            Heard::Reading(reading) => {
                self.failures = 0;
                if self.stage == Stage::Settled {
                    self.check(reading);
                } else {
                    self.search(reading);
                }
            }
        }
        if self.stage == Stage::Settled {
            // Where the tick is expected, a look halves what is not known of it.
            self.due_us = self.clock.next_tick_us(now_us.saturating_add(SECOND_US / 4));
        }
    }

    fn hear_nothing(&mut self, fault: Fault) {
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES {
            return;
        }
        self.stage = Stage::Lost(match fault {
            Fault::Unsupported(why) => Verdict::Unsupported(format!("its clock cannot be read: {why}")),
            fault => Verdict::Broken(format!("its clock cannot be read: {fault}")),
        });
    }

    fn check(&mut self, reading: Reading) {
        if self.clock.learn(&reading) {
            self.confirmed_us = reading.sent_us;
            return;
        }
        self.jumps_us.push((self.confirmed_us, reading.answered_us));
        self.readings.clear();
        self.search_since_us = reading.answered_us;
        self.stage = Stage::Searching;
        self.search(reading);
    }

    fn search(&mut self, reading: Reading) {
        self.readings.push(reading);
        let Some(clock) = ServerClock::of(&self.readings) else {
            self.stage = Stage::Lost(Verdict::Broken(no_clock(&self.readings)));
            return;
        };
        self.clock = clock;
        let fastest_us = self.readings.iter().map(Reading::round_trip_us).min().unwrap_or(0);
        let narrow_us = fastest_us.saturating_mul(2).saturating_add(NARROW_US);
        let searched_us = reading.answered_us.saturating_sub(self.search_since_us);
        if clock.width_us(reading.answered_us) <= narrow_us || SEARCH_AT_MOST_US <= searched_us {
            self.stage = Stage::Settled;
            self.confirmed_us = reading.sent_us;
        }
    }
}

fn no_clock(readings: &[Reading]) -> String {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return String::new() };
    let apart_ms = last.sent_us.saturating_sub(first.sent_us) / 1000;
    format!(
        "its `_ts` does not count seconds: it was {}, and {apart_ms} ms later it was {}",
        first.ts, last.ts
    )
}
