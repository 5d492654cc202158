//! The target's clock, as far as it is known: never a point, always an interval.
//!
//! A write that was sent at `a` and answered at `b`, by the harness's clock, and whose `_ts` is `s`, happened somewhere
//! between `a` and `b` while the target's clock stood somewhere between `s` and `s + 1`. So the target's clock is ahead
//! of ours by at least `s - b` and by less than `s + 1 - a`. Every further write narrows this, most of all one on either
//! side of the moment at which `_ts` ticks.

use crate::observation_window::ClockInterval;
use crate::target::Fault;
use crate::verdict::Verdict;

/// A second.
pub(super) const SECOND_US: i64 = 1_000_000;
/// One clock gains on another at most one part in so many: twice what disciplined clocks are slewed by.
const DRIFT: i64 = 1000;
/// How much a reading may be off, since servers behind one endpoint disagree or a clock is late. It grows where readings
/// contradict each other again and again, and stays. Runs against servers that are 150 ms apart are tested.
const SLACKS_US: [i64; 4] = [20_000, 40_000, 80_000, 160_000];
/// Between two looks while the clock's tick is searched for. Forty small writes a second are within every throughput.
const SEARCH_US: i64 = 25_000;
/// How long the search goes on where the clock stays coarse, and how many looks it takes at least.
const SEARCH_AT_MOST_US: i64 = 2_500_000;
const SEARCH_AT_LEAST: usize = 8;
/// A search begins again where its looks contradict each other: at least so often, and for so long. A clock that was set
/// back by seconds may wait until these have passed.
const SEARCHES: u32 = 3;
const SEARCHES_AT_MOST_US: i64 = 10_000_000;
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

/// A write that the target answered with its `_ts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) sent_us: i64,
    pub(super) answered_us: i64,
    pub(super) ts: i64,
}

impl Reading {
    fn round_trip_us(&self) -> i64 {
        self.answered_us.saturating_sub(self.sent_us)
    }

    /// By how much the target's clock was ahead then: at least and at most.
    fn ahead_us(&self, slack_us: i64) -> (i64, i64) {
        let least_us = self.ts.saturating_mul(SECOND_US).saturating_sub(self.answered_us);
        let most_us = self.ts.saturating_add(1).saturating_mul(SECOND_US).saturating_sub(self.sent_us);
        (least_us.saturating_sub(slack_us), most_us.saturating_add(slack_us))
    }
}

/// What the target's clock shows: by how much it is ahead of the harness's, at least and at most.
#[derive(Clone, Copy, Debug)]
pub struct ClockView {
    low_us: i64,
    high_us: i64,
    /// When that was known; since then the clocks may have drifted apart.
    as_of_us: i64,
    slack_us: i64,
    /// A usual round trip.
    pub(super) round_trip_us: i64,
    /// It shows no `_ts`, so that nobody knows what second it is there.
    pub vague: bool,
}

impl ClockView {
    /// A clock that runs as ours does and whose seconds begin nobody knows when.
    fn vague(now_us: i64) -> Self {
        Self { low_us: 0, high_us: SECOND_US, as_of_us: now_us, slack_us: 0, round_trip_us: 0, vague: true }
    }

    /// The clock that shows these readings, the oldest first, with the least of these slacks; `None` where no clock in whole
    /// seconds can.
    fn of(readings: &[Reading], slacks_us: &[i64]) -> Option<Self> {
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
    fn learn(&mut self, reading: &Reading) -> bool {
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
    fn fitting_us(&self, now_us: i64) -> (i64, i64) {
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
    fn needed_slack_us(&self, reading: &Reading) -> i64 {
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
    pub fn window(&self, sent_us: i64, answered_us: i64) -> ClockInterval {
        let (low_us, high_us) = self.ahead_us(answered_us);
        whole_s(sent_us.saturating_add(low_us))..=whole_s(answered_us.saturating_add(high_us))
    }

    /// Returns when, by the harness's clock, so much of this second of the target's clock has surely passed.
    pub fn moment_us(&self, second: i64, phase_us: i64, now_us: i64) -> i64 {
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
    fn next_tick_us(&self, from_us: i64) -> i64 {
        let (low_us, high_us) = self.ahead_us(from_us);
        let middle_us = low_us.saturating_add(high_us.saturating_sub(low_us) / 2);
        let tick = whole_s(from_us.saturating_add(middle_us)).saturating_add(1);
        tick.saturating_mul(SECOND_US).saturating_sub(middle_us)
    }
}

fn whole_s(us: i64) -> i64 {
    us.div_euclid(SECOND_US)
}

/// What is known of the target's clock.
#[derive(Debug)]
pub struct ClockEstimate {
    phase: Phase,
    /// The clock, as well as it is known.
    pub(super) clock: ClockView,
    /// What the search has read so far.
    readings: Vec<Reading>,
    failures: u32,
    aim: Aim,
    /// The sending of the last look that agreed with all before.
    agreed_us: i64,
    /// The sending of the last look just before a tick, if it agreed.
    before_us: Option<i64>,
    /// Until then, no jump can have gone unnoticed.
    confirmed_us: i64,
    /// When the last scan or search began that found no jump.
    scanned_us: i64,
    /// The looks of the scan that goes on.
    scan: Option<Vec<Reading>>,
    /// How many scans have begun.
    pub(super) scans: u32,
    /// How often the search began again since the clock was last known, and when it first began.
    searches: u32,
    searching_us: i64,
    /// No search allows for a smaller slack. It grows with every small jump but the first: a clock is set once, and servers
    /// disagree again and again.
    least_slack_us: i64,
    small_jumps: u32,
    /// From the last good look to the first that contradicted it.
    jumps_us: Vec<(i64, i64)>,
    /// What the harness did wrong when it looked, or its user.
    pub(super) misuse: Option<Fault>,
    /// When to look again.
    pub(super) due_us: i64,
}

/// Where a look falls. A `_ts` alone says little: a clock that is half a second ahead of what is believed shows the same
/// through half of every second. Just before a tick it would show the next second, and one that is behind would show
/// the last second just after it. What falls onto the tick halves what is not known of it. Two say when the tick probably
/// is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    BeforeTick(i64),
    OnTick(i64),
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
            clock: ClockView::vague(now_us),
            readings: Vec::new(),
            failures: 0,
            aim: Aim::Now,
            agreed_us: i64::MIN,
            before_us: None,
            confirmed_us: i64::MIN,
            scanned_us: i64::MIN,
            scan: None,
            scans: 0,
            searches: 0,
            searching_us: now_us,
            least_slack_us: 0,
            small_jumps: 0,
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

    /// What must be said of every vector that depends on the clock, where there is none.
    pub(super) fn lost(&self) -> Option<&Verdict> {
        match &self.phase {
            Phase::Lost(verdict) => Some(verdict),
            _ => None,
        }
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

    /// Has the clock scanned, from now on until it ticks.
    pub(super) fn scan(&mut self, now_us: i64) {
        if self.phase == Phase::Settled && self.scan.is_none() {
            self.scan = Some(Vec::new());
            self.scans = self.scans.saturating_add(1);
            (self.aim, self.due_us) = (Aim::Now, now_us);
        }
    }

    /// Since when the clock is known as well as looks in quick succession can tell.
    pub(super) fn scanned_us(&self) -> i64 {
        self.scanned_us
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
                self.clock = ClockView::vague(now_us);
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
        if self.scan.is_some() {
            (self.aim, self.due_us) = (Aim::Now, now_us.saturating_add(SEARCH_US));
            return;
        }
        // So far from the tick, a look that contradicts what is known is sure to do so.
        let after_us = (self.clock.width_us(now_us) / 2)
            .saturating_add(self.clock.slack_us)
            .saturating_add(SLOWER_US)
            .min(FARTHEST_US);
        // One before it has to be answered there.
        let before_us = after_us.saturating_add(self.clock.round_trip_us.saturating_mul(2)).min(FARTHEST_US);
        (self.aim, self.due_us) = match self.aim {
            Aim::BeforeTick(tick_us) => (Aim::OnTick(tick_us), tick_us),
            Aim::OnTick(tick_us) => (Aim::AfterTick, tick_us.saturating_add(after_us)),
            Aim::AfterTick | Aim::Now => {
                let tick_us = self.clock.next_tick_us(now_us.saturating_add(before_us));
                (Aim::BeforeTick(tick_us), tick_us.saturating_sub(before_us))
            }
        };
    }

    /// A look that took longer confirms nothing.
    fn slowest_us(&self) -> i64 {
        self.clock.round_trip_us.saturating_mul(2).saturating_add(SLOWER_US)
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
        if let Some(scan) = &mut self.scan {
            scan.push(reading);
            if !self.end_scan(reading) {
                return self.jump(reading);
            }
        }
        let quick = reading.round_trip_us() <= self.slowest_us();
        match (self.aim, self.before_us) {
            (Aim::BeforeTick(_), _) => self.before_us = quick.then_some(reading.sent_us),
            (Aim::AfterTick, Some(before_us)) if quick => self.confirmed_us = before_us,
            _ => {}
        }
        self.aim(reading.answered_us);
    }

    /// Ends a scan that saw the clock tick; says `false` where that shows another clock than the one that is known.
    fn end_scan(&mut self, last: Reading) -> bool {
        let Some(scan) = self.scan.take_if(|scan| scan.first().is_some_and(|first| first.ts < last.ts))
        else {
            return true;
        };
        let (Some(first), Some(fresh)) = (scan.first(), ClockView::of(&scan, &[self.clock.slack_us])) else {
            return false;
        };
        let ((low_us, high_us), (least_us, most_us)) =
            (self.clock.fitting_us(last.answered_us), fresh.fitting_us(last.answered_us));
        if most_us < low_us || high_us < least_us {
            return false;
        }
        (self.clock, self.scanned_us) = (fresh, first.sent_us);
        true
    }

    /// Forgets all that was known before this reading.
    fn jump(&mut self, reading: Reading) {
        let scanning = self.scan.take().is_some();
        let from_us = if scanning { self.scanned_us.min(self.confirmed_us) } else { self.confirmed_us };
        self.jumps_us.push((from_us, reading.answered_us));
        let slack_us = self.clock.needed_slack_us(&reading);
        if SLACKS_US.iter().any(|known_us| slack_us <= *known_us) {
            if self.small_jumps > 0 {
                self.least_slack_us = self.least_slack_us.max(slack_us);
            }
            self.small_jumps = self.small_jumps.saturating_add(1);
        }
        if self.jumps_us.len() > JUMPS {
            self.phase = Phase::Lost(Verdict::Broken("its clock jumps again and again".into()));
            return;
        }
        self.readings.clear();
        self.phase = Phase::Searching;
        self.searching_us = reading.sent_us;
        self.search(reading);
    }

    /// The slacks that a search may allow for. Where the one before found no clock, this one may allow for servers that
    /// disagree, and not only for a step of the clock.
    fn slacks_us(&self) -> &'static [i64] {
        let from = SLACKS_US.iter().position(|slack_us| self.least_slack_us <= *slack_us).unwrap_or(0);
        let slacks_us = SLACKS_US.get(from..).unwrap_or_default();
        if self.searches == 0 { slacks_us.get(..1).unwrap_or_default() } else { slacks_us }
    }

    fn search(&mut self, reading: Reading) {
        self.readings.push(reading);
        let Some(clock) = ClockView::of(&self.readings, self.slacks_us()) else {
            self.searches = self.searches.saturating_add(1);
            let searched_us = reading.answered_us.saturating_sub(self.searching_us);
            if self.searches >= SEARCHES && searched_us >= SEARCHES_AT_MOST_US {
                self.phase = Phase::Lost(Verdict::Broken(no_clock(&self.readings)));
            } else {
                self.readings.clear();
                self.search(reading);
            }
            return;
        };
        self.clock = clock;
        let fastest_us = self.readings.iter().map(Reading::round_trip_us).min().unwrap_or(0);
        let narrow_us = fastest_us.saturating_mul(2).saturating_add(NARROW_US);
        let Some(first) = self.readings.first() else { return };
        let searched_us = reading.answered_us.saturating_sub(first.sent_us);
        let narrow = first.ts != reading.ts && clock.width_us(reading.answered_us) <= narrow_us;
        let enough = searched_us >= SEARCH_AT_MOST_US && self.readings.len() >= SEARCH_AT_LEAST;
        if narrow || enough {
            self.phase = Phase::Settled;
            self.searches = 0;
            self.least_slack_us = self.least_slack_us.max(clock.slack_us);
            self.scanned_us = first.sent_us;
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
