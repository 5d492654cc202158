//! The target's clock is looked at; what is known of it so far, and what that makes of the verdicts.

use super::Time;
use super::clock::{Reading, ServerClock};
use super::session_pool::ClockView;
use crate::catch_panic::catch_panic;
use crate::target::{
    Body, Container, Document, Fault, Opening, Operation, Properties, Request, Session, Status, Target,
};
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
#[derive(Debug)]
pub struct ClockEstimate {
    phase: Phase,
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
    /// What the harness did wrong when it looked, or its user.
    pub(super) misuse: Option<Fault>,
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
enum Phase {
    Searching,
    Settled,
    /// The target shows no `_ts`.
    Vague,
    Lost(Verdict),
}

impl ClockEstimate {
    pub(super) fn new(now_us: i64) -> Self {
        Self {
            phase: Phase::Searching,
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
            misuse: None,
            due_us: now_us,
        }
    }

    /// Returns whether the clock is known well enough to start anything by it.
    pub fn is_settled(&self) -> bool {
        matches!(self.phase, Phase::Settled | Phase::Vague)
    }

    /// How wide the interval is in which the clock is known to be; `None` where it is not known at all.
    pub(super) fn width_us(&self, now_us: i64) -> Option<i64> {
        (self.phase == Phase::Settled).then(|| self.clock.width_us(now_us))
    }

    /// The clock, as well as it is known.
    pub(super) fn view(&self, now_us: i64) -> ClockView {
        ClockView {
            clock: self.clock,
            round_trip_us: self.round_trip_us(),
            vague: self.width_us(now_us).is_none(),
        }
    }

    /// What must be said of every vector that depends on the clock, where there is none.
    pub(super) fn lost(&self) -> Option<&Verdict> {
        match &self.phase {
            Phase::Lost(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// A usual round trip.
    fn round_trip_us(&self) -> i64 {
        let mut all: Vec<_> = self.readings.iter().map(Reading::round_trip_us).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    }

    /// Whether the clock ran evenly between these moments; `None` while that is not known. In a hurry, a single look
    /// after them will do: it rules out every jump that led into another second and did not stop near its beginning or
    /// end.
    pub(super) fn ran_evenly(&self, from_us: i64, until_us: i64, hurry: bool) -> Option<bool> {
        let known_us = if hurry { self.agreed_us } else { self.confirmed_us };
        if self.jumped(from_us, until_us) {
            return Some(false);
        }
        (self.phase == Phase::Vague || until_us <= known_us).then_some(true)
    }

    /// Has the clock looked at as soon as possible.
    pub(super) fn hurry(&mut self, now_us: i64) {
        if now_us < self.due_us && self.phase == Phase::Settled {
            (self.aim, self.due_us) = (Aim::Now, now_us);
        }
    }

    /// Whether the clock may have jumped between these moments.
    pub(super) fn jumped(&self, from_us: i64, until_us: i64) -> bool {
        self.jumps_us.iter().any(|(from, until)| *from <= until_us && from_us <= *until)
    }

    /// Learns from a look; returns whether it shows that the clock has jumped.
    pub(super) fn hear(&mut self, answer: Result<Option<Reading>, Fault>, now_us: i64) -> bool {
        let jumps = self.jumps_us.len();
        self.due_us = now_us.saturating_add(SEARCH_US);
        match answer {
            Err(fault) => self.hear_nothing(fault, now_us),
            Ok(None) if self.readings.is_empty() => {
                self.phase = Phase::Vague;
                self.clock = ServerClock::vague(now_us);
                self.due_us = i64::MAX;
            }
            Ok(None) => {
                self.hear_nothing(Fault::Broken("an item has no `_ts`, and others had".into()), now_us);
            }
            Ok(Some(reading)) => {
                self.failures = 0;
                if self.phase == Phase::Settled {
                    self.check(reading);
                } else {
                    self.search(reading);
                }
            }
        }
        jumps < self.jumps_us.len()
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
        if matches!(fault, Fault::Misuse(_)) {
            self.misuse.get_or_insert(fault.clone());
        } else if self.failures < FAILURES {
            return;
        }
        self.phase = Phase::Lost(match fault {
            Fault::Unsupported(why) => Verdict::Unsupported(format!("its clock cannot be read: {why}")),
            fault => Verdict::Broken(format!("its clock cannot be read: {fault}")),
        });
    }

    fn check(&mut self, reading: Reading) {
        if !self.clock.learn(&reading) {
            return self.jump(reading);
        }
        self.agreed_us = reading.sent_us;
        let quick = reading.round_trip_us() <= self.slowest_us();
        match (self.aim, self.before_us) {
            (Aim::BeforeTick, _) => self.before_us = quick.then_some(reading.sent_us),
            (Aim::AfterTick, Some(before_us)) if quick => self.confirmed_us = before_us,
            _ => {}
        }
        self.aim(reading.answered_us);
    }

    /// Forgets all that was known before this reading.
    fn jump(&mut self, reading: Reading) {
        self.jumps_us.push((self.confirmed_us, reading.answered_us));
        if self.jumps_us.len() > JUMPS {
            self.phase = Phase::Lost(Verdict::Broken("its clock jumps again and again".into()));
            return;
        }
        self.readings.clear();
        self.search_since_us = reading.answered_us;
        self.phase = Phase::Searching;
        self.search(reading);
    }

    fn search(&mut self, reading: Reading) {
        self.readings.push(reading);
        let Some(clock) = ServerClock::of(&self.readings) else {
            if self.jumps_us.is_empty() {
                self.phase = Phase::Lost(Verdict::Broken(no_clock(&self.readings)));
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
        if narrow || searched_us >= SEARCH_AT_MOST_US {
            self.phase = Phase::Settled;
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

/// Reads the target's clock: writes an item in a place of its own, and looks at its `_ts`.
///
/// Only these writes teach the harness what time it is there. Those of the vectors are under test: a store whose patch
/// keeps the old `_ts` must not put the clock of every other vector in doubt.
pub(super) struct ClockProbe<'t> {
    target: &'t dyn Target,
    opening: Opening,
    session: Option<Box<dyn Session + 't>>,
    written: u64,
}

impl<'t> ClockProbe<'t> {
    pub(super) fn new(target: &'t dyn Target, opening: Opening) -> Self {
        Self { target, opening, session: None, written: 0 }
    }

    /// Looks at the target's clock, unless it shows no `_ts`; after a fault, the next look is in a new place.
    pub(super) fn look(&mut self, time: &impl Time) -> Result<Option<Reading>, Fault> {
        self.try_look(time).inspect_err(|_| self.close())
    }

    fn try_look(&mut self, time: &impl Time) -> Result<Option<Reading>, Fault> {
        let session = match &mut self.session {
            Some(session) => session,
            None => self.session.insert(open_container(self.target, self.opening)?),
        };
        self.written = self.written.saturating_add(1);
        let document = Document { id: format!("clock-{}", self.written), properties: Properties::new() };
        let write = Request::Item(Operation::Create(document));
        let sent_us = time.now_us();
        let response = catch_panic(|| session.send(&write))?;
        let answered_us = time.now_us();
        match (response.status, response.body) {
            (Status::Created, Body::Item(item)) => Ok(item.ts.map(|ts| Reading { sent_us, answered_us, ts })),
            (Status::Created, _) => Ok(None),
            (status, _) => Err(Fault::Broken(format!("an item is answered `{status}`"))),
        }
    }

    /// Gives the place up; nothing depends on whether that works.
    pub(super) fn close(&mut self) {
        if let Some(mut session) = self.session.take() {
            let _ = catch_panic(|| session.close());
        }
    }
}

fn open_container<'t>(target: &'t dyn Target, opening: Opening) -> Result<Box<dyn Session + 't>, Fault> {
    let mut session = catch_panic(|| target.open(&opening))?;
    match catch_panic(|| session.send(&Request::CreateContainer(Container::default()))) {
        Ok(response) if response.status == Status::Created => Ok(session),
        answer => {
            // The fault that counts is the first.
            let _ = catch_panic(|| session.close());
            Err(Fault::Broken(format!("a container is answered `{}`", answer?.status)))
        }
    }
}
