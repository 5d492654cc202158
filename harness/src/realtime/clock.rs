//! The estimate of the target's clock: reads that search for it, reads around its ticks, and scans.

use super::clock_probe::SESSIONS;
use super::clock_view::{ClockView, Reading, SECOND_US, SLACKS_US};
use crate::target::Fault;
use crate::verdict::Verdict;

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
/// The number of looks in a row without a result after which the clock is given up.
const FAILURES: u32 = 10;
/// Between two of these.
const FAILED_US: i64 = 100_000;
/// A look that takes longer than usual tells less; so much longer it may take.
const SLOWER_US: i64 = 10_000;
/// A clock that jumps more often is none.
const JUMPS: usize = 10;
/// No read near a tick is further from it.
const FARTHEST_US: i64 = 450_000;

/// The estimate of the target's clock.
#[derive(Debug)]
pub(super) struct ClockEstimate {
    phase: Phase,
    /// The clock, as well as it is known.
    pub(super) clock: ClockView,
    /// The readings of the search so far.
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
    /// When the last scan began.
    scan_us: i64,
    /// The least time that it took to open a session and to create its container.
    pub(super) opening_us: i64,
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
    /// A misuse by the harness, or by its user, during a read.
    pub(super) misuse: Option<Fault>,
    /// When to look again.
    pub(super) due_us: i64,
}

/// How long the target takes over a request, and to open a session with a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) request_us: i64,
    pub(super) container_us: i64,
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
            scan_us: i64::MIN,
            opening_us: 0,
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
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.phase, Phase::Settled | Phase::Vague)
    }

    /// How wide the interval is in which the clock is known to be; `None` where it is not known at all.
    pub(super) fn width_us(&self, now_us: i64) -> Option<i64> {
        (self.phase == Phase::Settled).then(|| self.clock.width_us(now_us))
    }

    /// Returns the verdict of every vector that depends on the clock, if there is no clock.
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

    /// Returns the remarks about the clock that a reader needs to weigh the run, a sentence each.
    pub(super) fn remarks(&self) -> Vec<String> {
        let jumps = self.jumps_us.len();
        let times = if jumps == 1 { "once".into() } else { format!("{jumps} times") };
        let jumped = format!(
            "the target's clock jumped {times}: it was set, it runs too fast or too slow, or its servers have different \
             clocks"
        );
        let apart_ms = self.least_slack_us / 1000;
        let apart = format!("the target's `_ts` fit together only if its clocks may differ by {apart_ms} ms");
        let remarks = [(jumps > 0, jumped), (self.least_slack_us > SLACKS_US[0], apart)];
        remarks.into_iter().filter(|(applies, _)| *applies).map(|(_, remark)| remark).collect()
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
            (self.scan, self.scan_us) = (Some(Vec::new()), now_us);
            self.scans = self.scans.saturating_add(1);
            (self.aim, self.due_us) = (Aim::Now, now_us);
        }
    }

    /// Since when the clock is known as well as looks in quick succession can tell.
    pub(super) fn scanned_us(&self) -> i64 {
        self.scanned_us
    }

    /// How long the target takes over what it is asked, as the looks at its clock tell.
    pub(super) fn pace(&self) -> Pace {
        let request_us = self.clock.round_trip_us;
        Pace { request_us, container_us: self.opening_us.max(request_us) }
    }

    /// When a scan that begins at this moment or later will probably have ended. The first one opens all sessions of the
    /// probe but one, each later one opens one.
    pub(super) fn scan_ends_us(&self, since_us: i64, now_us: i64) -> i64 {
        let pace = self.pace();
        let ends_us = |begins_us: i64, scans: u32| {
            let opened = if scans == 0 { SESSIONS.saturating_sub(1) } else { 1 };
            let opened = i64::try_from(opened).unwrap_or(i64::MAX);
            begins_us
                .saturating_add(pace.container_us.saturating_mul(opened))
                .saturating_add(SECOND_US)
                .saturating_add(pace.request_us)
        };
        if self.scan.is_none() {
            return ends_us(now_us, self.scans);
        }
        let this_us = ends_us(self.scan_us, self.scans.saturating_sub(1)).max(now_us);
        if since_us <= self.scan_us { this_us } else { ends_us(this_us, self.scans) }
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
