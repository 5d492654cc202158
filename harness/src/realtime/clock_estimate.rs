//! What is known of the target's clock so far, and what that makes of the verdicts.

use super::clock::{Reading, ServerClock};
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
const FAILURES: u32 = 10;
/// Between two of these.
const FAILED_US: i64 = 100_000;
/// A look that takes longer than usual tells less; so much longer it may take.
const SLOWER_US: i64 = 10_000;
/// A clock that jumps more often is none.
const JUMPS: usize = 10;
/// No look beside a tick is further from it.
const FARTHEST_US: i64 = 450_000;

/// What is known of the target's clock.
pub(super) struct Knowledge {
    stage: Stage,
    clock: ServerClock,
    /// What the search has read so far.
    readings: Vec<Reading>,
    search_since_us: i64,
    failures: u32,
    aim: Aim,
    /// When the tick probably is that is aimed at.
    tick_us: i64,
    /// The sending of the last look that agreed with all before.
    agreed_us: i64,
    /// The sending of the last look just before a tick, if it agreed.
    before_us: Option<i64>,
    /// Until then, no jump can have gone unnoticed.
    confirmed_us: i64,
    /// From the last good look to the first that contradicted it.
    jumps_us: Vec<(i64, i64)>,
    /// When to look again.
    pub(super) due_us: i64,
}

/// Where a look falls. A `_ts` alone says little: a clock that is half a second ahead of what is believed shows the same
/// through half of every second. Just before a tick it would show the next second, and one that is behind would show
/// the last second just after it. What falls onto the tick halves what is not known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    BeforeTick,
    OnTick,
    AfterTick,
    Now,
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
            aim: Aim::Now,
            tick_us: now_us,
            agreed_us: i64::MIN,
            before_us: None,
            confirmed_us: i64::MIN,
            jumps_us: Vec::new(),
            due_us: now_us,
        }
    }

    /// The clock, once it is known well enough to start anything by it.
    pub(super) fn settled(&self) -> Option<ServerClock> {
        matches!(self.stage, Stage::Settled | Stage::Vague).then_some(self.clock)
    }

    /// How wide the interval is in which the clock is known to be; `None` where it is not known at all.
    pub(super) fn width_us(&self, now_us: i64) -> Option<i64> {
        (self.stage == Stage::Settled).then(|| self.clock.width_us(now_us))
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

    /// Whether the clock is known to have run evenly up to this moment. In a hurry, a single look after it will do: it
    /// rules out every jump that led into another second and did not stop near its beginning or end.
    pub(super) fn is_confirmed(&self, until_us: i64, hurry: bool) -> bool {
        let known_us = if hurry { self.agreed_us } else { self.confirmed_us };
        self.stage == Stage::Vague || until_us <= known_us
    }

    /// Has the clock looked at as soon as possible.
    pub(super) fn hurry(&mut self, now_us: i64) {
        if now_us < self.due_us && self.stage == Stage::Settled {
            (self.aim, self.due_us) = (Aim::Now, now_us);
        }
    }

    /// Whether the clock may have jumped between these moments.
    pub(super) fn jumped(&self, from_us: i64, until_us: i64) -> bool {
        self.jumps_us.iter().any(|(from, until)| *from <= until_us && from_us <= *until)
    }

    /// How often the clock has jumped.
    pub(super) fn jumps(&self) -> usize {
        self.jumps_us.len()
    }

    /// Learns from a look.
    pub(super) fn hear(&mut self, heard: Heard, now_us: i64) {
        self.due_us = now_us.saturating_add(SEARCH_US);
        match heard {
            Heard::Nothing(fault) => self.hear_nothing(fault, now_us),
            Heard::NoTs if self.readings.is_empty() => {
                self.stage = Stage::Vague;
                self.clock = ServerClock::vague(now_us);
                self.due_us = i64::MAX;
            }
            Heard::NoTs => {
                self.hear_nothing(Fault::Broken("an item has no `_ts`, and others had".into()), now_us);
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
    }

    /// Aims the next look.
    fn aim(&mut self, now_us: i64) {
        // So far from the tick, a look that contradicts what is known is sure to do so.
        let beside_us = (self.clock.width_us(now_us) / 2)
            .saturating_add(self.slowest_us())
            .saturating_add(self.clock.slack_us())
            .min(FARTHEST_US);
        (self.aim, self.due_us) = match self.aim {
            Aim::BeforeTick => (Aim::OnTick, self.tick_us),
            Aim::OnTick => (Aim::AfterTick, self.tick_us.saturating_add(beside_us)),
            Aim::AfterTick | Aim::Now => {
                self.tick_us = self.clock.next_tick_us(now_us.saturating_add(beside_us));
                (Aim::BeforeTick, self.tick_us.saturating_sub(beside_us))
            }
        };
    }

    /// A look that took longer confirms nothing.
    fn slowest_us(&self) -> i64 {
        self.round_trip_us().saturating_mul(2).saturating_add(SLOWER_US)
    }

    fn hear_nothing(&mut self, fault: Fault, now_us: i64) {
        self.due_us = now_us.saturating_add(FAILED_US);
        self.aim = Aim::Now;
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
            self.agree(reading);
            return self.aim(reading.answered_us);
        }
        self.jump(reading);
    }

    /// Forgets all that was known before this reading.
    fn jump(&mut self, reading: Reading) {
        self.jumps_us.push((self.confirmed_us, reading.answered_us));
        if JUMPS < self.jumps_us.len() {
            self.stage = Stage::Lost(Verdict::Broken("its clock jumps again and again".into()));
            return;
        }
        self.readings.clear();
        self.search_since_us = reading.answered_us;
        self.stage = Stage::Searching;
        self.search(reading);
    }

    fn agree(&mut self, reading: Reading) {
        self.agreed_us = reading.sent_us;
        let quick = reading.round_trip_us() <= self.slowest_us();
        match (self.aim, self.before_us) {
            (Aim::BeforeTick, _) => self.before_us = quick.then_some(reading.sent_us),
            (Aim::AfterTick, Some(before_us)) if quick => self.confirmed_us = before_us,
            _ => {}
        }
    }

    fn search(&mut self, reading: Reading) {
        self.readings.push(reading);
        let Some(clock) = ServerClock::of(&self.readings) else {
            if self.jumps_us.is_empty() {
                self.stage = Stage::Lost(Verdict::Broken(no_clock(&self.readings)));
            } else {
                self.jump(reading);
            }
            return;
        };
        self.clock = clock;
        let fastest_us = self.readings.iter().map(Reading::round_trip_us).min().unwrap_or(0);
        let narrow_us = fastest_us.saturating_mul(2).saturating_add(NARROW_US);
        let searched_us = reading.answered_us.saturating_sub(self.search_since_us);
        let ticked = self.readings.first().is_some_and(|first| first.ts != reading.ts);
        let narrow = ticked && clock.width_us(reading.answered_us) <= narrow_us;
        if narrow || SEARCH_AT_MOST_US <= searched_us {
            self.stage = Stage::Settled;
            (self.agreed_us, self.before_us, self.aim) = (reading.sent_us, None, Aim::Now);
            self.aim(reading.answered_us);
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
