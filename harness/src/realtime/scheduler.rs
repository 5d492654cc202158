//! Everything that is to be done, and what came of it. Decides; asks nobody and reads no clock.

mod outcomes;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::attempt::{Attempt, Finished, Pacing};
use super::clock::SECOND_US;
use super::clock_estimate::Knowledge;
use super::eligibility::{is_timeless, openings};
use super::probe::{Heard, Probe};
use super::start_schedule::Timeline;
use super::{Options, Progress};
use crate::replay::Replayed;
use crate::target::{About, Fault, Opening, Target};
use crate::vector::Vector;
use crate::verdict::Verdict;

/// So many sessions are opened at once: enough to keep a target busy, few enough to leave it time for the clock.
const PREPARING: usize = 16;
/// The harness reports its progress so often.
const REPORT_US: i64 = SECOND_US;

/// A vector under one schedule of removal.
pub(super) struct Job<'t, 'v> {
    /// The vector's place among those that were given.
    pub(super) place: usize,
    pub(super) opening: Opening,
    pub(super) requests: usize,
    vector: &'v Vector,
    timeless: bool,
    tries: u32,
    attempt: Option<Box<Attempt<'t, 'v>>>,
    stage: Stage,
}

enum Stage {
    Open,
    /// Over, but the clock is not yet known to have run evenly until then.
    Unconfirmed(Finished),
    Over(Replayed),
}

/// What a worker is to do.
pub(super) enum Work<'t, 'v> {
    Look(Box<Probe<'t>>),
    Prepare { job: usize, opening: Opening, vector: &'v Vector, timeless: bool },
    Go { job: usize, attempt: Box<Attempt<'t, 'v>>, pacing: Pacing },
    Close(Box<Attempt<'t, 'v>>),
    Report(Progress),
}

/// What came of that.
pub(super) enum Done<'t, 'v> {
    Looked(Box<Probe<'t>>, Heard),
    /// Nothing is left to ask before the vector's second 0, or at all.
    Prepared(usize, Box<Attempt<'t, 'v>>),
    /// There is no session.
    Refused(usize, Fault),
    /// To be gone on with at this moment.
    Waits(usize, Box<Attempt<'t, 'v>>, i64),
    Finished(usize, Finished),
    Closed,
    Reported,
    /// The harness was used wrongly.
    Misused(Fault),
}

pub(super) enum Next<'t, 'v> {
    Work(Work<'t, 'v>),
    WaitUntil(i64),
    Over,
}

/// The state of a run.
pub(super) struct Board<'t, 'v> {
    pub(super) jobs: Vec<Job<'t, 'v>>,
    /// What the harness did wrong, or its user.
    pub(super) misuse: Option<Fault>,
    knowledge: Knowledge,
    probe: Option<Box<Probe<'t>>>,
    timeline: Timeline,
    /// To be opened, longest first.
    to_prepare: VecDeque<usize>,
    /// Wait for a second 0.
    to_start: Vec<usize>,
    /// Wait for their next moment.
    waiting: BinaryHeap<Reverse<(i64, usize)>>,
    to_close: Vec<Attempt<'t, 'v>>,
    /// How many are in the hands of workers, and how many of these are being opened.
    in_hand: usize,
    preparing: usize,
    /// Requests answered while sessions were opened for the first time.
    prepared_requests: usize,
    broken_in_a_row: usize,
    eased_us: i64,
    started_us: i64,
    ends_us: i64,
    report_us: i64,
    budget_s: u64,
}

impl<'t, 'v> Board<'t, 'v> {
    /// Everything that is to be done with vectors that apply; and the verdicts of those that do not.
    pub(super) fn new(
        target: &'t dyn Target,
        about: &About,
        vectors: &[&'v Vector],
        options: &Options,
        now_us: i64,
    ) -> (Self, Vec<Option<Verdict>>) {
        let mut jobs = Vec::new();
        let mut verdicts = Vec::new();
        for (place, vector) in vectors.iter().enumerate() {
            let openings = openings(about, vector, options.budget_s);
            jobs.extend(openings.iter().flatten().map(|opening| Job::new(place, *opening, vector)));
            verdicts.push(openings.err());
        }
        let mut to_prepare: Vec<usize> = (0..jobs.len()).collect();
        to_prepare.sort_by_key(|job| Reverse(jobs.get(*job).map(|job| job.vector.span_s)));
        let longest_s = jobs.iter().map(|job| job.vector.span_s).max().unwrap_or(0);
        let edition = about.editions.iter().max().copied().unwrap_or_default();
        let probe = Probe::new(target, Opening::new(edition, about.removals.first().copied()));
        let board = Self {
            jobs,
            misuse: None,
            knowledge: Knowledge::new(now_us),
            probe: Some(Box::new(probe)),
            timeline: Timeline::new(),
            to_prepare: to_prepare.into(),
            to_start: Vec::new(),
            waiting: BinaryHeap::new(),
            to_close: Vec::new(),
            preparing: 0,
            in_hand: 0,
            prepared_requests: 0,
            broken_in_a_row: 0,
            eased_us: now_us,
            started_us: now_us,
            ends_us: now_us.saturating_add(seconds_us(longest_s)).saturating_add(SECOND_US),
            report_us: now_us.saturating_add(REPORT_US),
            budget_s: options.budget_s,
        };
        (board, verdicts)
    }

    /// What to do next.
    pub(super) fn next(&mut self, now_us: i64) -> Next<'t, 'v> {
        if self.is_over() {
            return Next::Over;
        }
        if let Some(work) = self.due(now_us).or_else(|| self.idle_work()) {
            return Next::Work(work);
        }
        let waiting_us = self.waiting.peek().map_or(i64::MAX, |Reverse((due_us, _))| *due_us);
        let look_us = if self.looks() { self.knowledge.due_us } else { i64::MAX };
        Next::WaitUntil(waiting_us.min(look_us).min(self.report_us))
    }

    fn is_over(&self) -> bool {
        let over = |job: &Job<'_, '_>| matches!(job.stage, Stage::Over(_));
        self.in_hand == 0 && self.to_close.is_empty() && self.jobs.iter().all(over)
    }

    /// What cannot wait.
    fn due(&mut self, now_us: i64) -> Option<Work<'t, 'v>> {
        if self.looks() && self.knowledge.due_us <= now_us {
            return self.probe.take().map(Work::Look);
        }
        while let Some(Reverse((_, job))) =
            self.waiting.peek().filter(|Reverse((due_us, _))| *due_us <= now_us)
        {
            let job = *job;
            self.waiting.pop();
            if let Some(attempt) = self.jobs.get_mut(job).and_then(|job| job.attempt.take()) {
                self.in_hand = self.in_hand.saturating_add(1);
                return Some(Work::Go { job, attempt, pacing: self.pacing() });
            }
        }
        if self.report_us <= now_us {
            self.report_us = i64::MAX;
            return Some(Work::Report(self.progress(now_us)));
        }
        None
    }

    /// What can.
    fn idle_work(&mut self) -> Option<Work<'t, 'v>> {
        if let Some(attempt) = self.to_close.pop() {
            self.in_hand = self.in_hand.saturating_add(1);
            return Some(Work::Close(Box::new(attempt)));
        }
        while self.preparing < PREPARING {
            let number = self.to_prepare.pop_front()?;
            if let Some(job) = self.jobs.get(number).filter(|job| job.is_open()) {
                self.preparing = self.preparing.saturating_add(1);
                self.in_hand = self.in_hand.saturating_add(1);
                let Job { opening, vector, timeless, .. } = *job;
                return Some(Work::Prepare { job: number, opening, vector, timeless });
            }
        }
        None
    }

    /// Whether anyone cares what time it is at the target, and nobody is looking.
    fn looks(&self) -> bool {
        self.probe.is_some()
            && self.knowledge.lost().is_none()
            && self.jobs.iter().any(|job| !job.timeless && !matches!(job.stage, Stage::Over(_)))
    }

    fn pacing(&self) -> Pacing {
        Pacing { clock: self.knowledge.clock(), round_trip_us: self.knowledge.round_trip_us() }
    }

    /// How wide the interval is in which the clock is known to be; `None` where it is not known at all.
    pub(super) fn clock_width_us(&self, now_us: i64) -> Option<u64> {
        self.knowledge.width_us(now_us).and_then(|width_us| u64::try_from(width_us).ok())
    }

    /// Gives up the place in which the clock was read.
    pub(super) fn close(&mut self) {
        if let Some(probe) = &mut self.probe {
            probe.close();
        }
    }

    fn progress(&self, now_us: i64) -> Progress {
        let done = self.jobs.iter().filter(|job| matches!(job.stage, Stage::Over(_))).count();
        Progress {
            elapsed_s: whole_s(now_us.saturating_sub(self.started_us)),
            expected_s: whole_s(self.ends_us.max(now_us).saturating_sub(self.started_us)),
            done,
            of: self.jobs.len(),
        }
    }
}

/// What is said of a vector that nobody came to.
const UNFINISHED: &str = "the run ended before";

impl<'v> Job<'_, 'v> {
    fn new(place: usize, opening: Opening, vector: &'v Vector) -> Self {
        let timeless = is_timeless(vector);
        let (attempt, stage) = (None, Stage::Open);
        Self { place, opening, requests: 0, vector, timeless, tries: 0, attempt, stage }
    }

    fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open)
    }

    /// What came of it, and under what it was replayed.
    pub(super) fn into_replayed(self) -> (Opening, Replayed) {
        let replayed = match self.stage {
            Stage::Over(replayed) => replayed,
            Stage::Open | Stage::Unconfirmed(_) => Replayed::unasked(Verdict::NotRun(UNFINISHED.into())),
        };
        (self.opening, replayed)
    }
}

fn seconds_us(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND_US)
}

fn whole_s(us: i64) -> u64 {
    u64::try_from(us / SECOND_US).unwrap_or(0)
}
