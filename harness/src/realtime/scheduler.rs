//! The vectors of a run as tasks of a session pool: which come when, and what follows from their attempts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::attempt::Attempt;
use super::clock::SECOND_US;
use super::clock_estimate::ClockEstimate;
use super::session_pool::{ClockView, Demand, ProgressReport, TaskSource};
use super::{Options, Progress};
use crate::run;
use crate::target::{About, Fault, Opening, Target};
use crate::vector::{ExpectedResponse, Vector};
use crate::verdict::{VectorResult, Verdict};

/// The harness reports its progress so often.
const REPORT_US: i64 = SECOND_US;
/// A vector that stays inconclusive is tried so often.
const TRIES: u32 = 4;
/// So many that break in a row, and the target is taken to be gone.
const GONE: usize = 16;
/// In a second of which more has passed, no vector starts.
const START_UNTIL_US: i64 = 300_000;
/// So much of a second is not counted on.
const SPARE_US: i64 = 150_000;
/// At least so many requests are held to fit into a second, however slow the target.
const LEAST: usize = 16;
/// At most so many, however fast.
const MOST: usize = 2000;
/// Of the requests that the target would answer in a whole second, so many parts in ten are used.
const USED_TENTHS: usize = 4;
/// No vector is moved back further than this, in seconds.
const FURTHEST_S: i64 = 10_000;

/// A vector under one schedule of removal.
struct VectorTask<'v> {
    /// The vector's place among those that were given.
    place: usize,
    opening: Opening,
    vector: &'v Vector,
    timeless: bool,
    tries: u32,
    result: Option<VectorResult<'v>>,
}

/// The tasks of a run.
pub(super) struct VectorTasks<'t, 'v> {
    /// What the harness did wrong, or its user.
    pub(super) misuse: Option<Fault>,
    pub(super) requests: usize,
    target: &'t dyn Target,
    options: &'t Options,
    tasks: Vec<VectorTask<'v>>,
    /// To be tried, longest first.
    queue: VecDeque<usize>,
    schedule: StartSchedule,
    /// What is said of every vector that is not over, once the run has ended before its time.
    halted: Option<Verdict>,
    /// Requests answered while sessions were opened for the first time.
    prepared_requests: usize,
    broken_in_a_row: usize,
    eased_us: i64,
    started_us: i64,
    ends_us: i64,
    report_us: i64,
}

impl<'t, 'v> VectorTasks<'t, 'v> {
    /// Everything that is to be done with vectors that apply; and the verdicts of those that do not.
    pub(super) fn new(
        target: &'t dyn Target,
        about: &About,
        vectors: &[&'v Vector],
        options: &'t Options,
        now_us: i64,
    ) -> (Self, Vec<Option<Verdict>>) {
        let mut tasks = Vec::new();
        let mut verdicts = Vec::new();
        for (place, vector) in vectors.iter().enumerate() {
            let budget_s = options.budget_s;
            let openings = match run::openings(about, vector) {
                Ok(_) if budget_s < vector.span_s => {
                    Err(format!("lasts longer than the budget of {budget_s} s (--budget)"))
                }
                openings => openings,
            };
            tasks.extend(openings.iter().flatten().map(|opening| VectorTask {
                place,
                opening: *opening,
                vector,
                timeless: is_timeless(vector),
                tries: 0,
                result: None,
            }));
            verdicts.push(openings.err().map(Verdict::NotApplicable));
        }
        let mut queue: Vec<usize> = (0..tasks.len()).collect();
        queue.sort_by_key(|number| Reverse(tasks.get(*number).map(|task| task.vector.span_s)));
        let longest_s = tasks.iter().map(|task| task.vector.span_s).max().unwrap_or(0);
        let all = Self {
            misuse: None,
            requests: 0,
            target,
            options,
            tasks,
            queue: queue.into(),
            schedule: StartSchedule::new(),
            halted: None,
            prepared_requests: 0,
            broken_in_a_row: 0,
            eased_us: now_us,
            started_us: now_us,
            ends_us: now_us.saturating_add(seconds_us(longest_s)).saturating_add(SECOND_US),
            report_us: now_us.saturating_add(REPORT_US),
        };
        (all, verdicts)
    }

    /// What came of each task of the vector in this place, and under what it was replayed.
    pub(super) fn take_results(&mut self, place: usize) -> Vec<(Opening, VectorResult<'v>)> {
        let unfinished = Verdict::NotRun("the run ended before".into());
        let unfinished = self.ended_early().unwrap_or(unfinished);
        let own = self.tasks.extract_if(.., |task| task.place == place);
        let result = |VectorTask { vector, opening, result, .. }| {
            (opening, result.unwrap_or_else(|| VectorResult::unasked(vector, unfinished.clone())))
        };
        own.map(result).collect()
    }

    fn ended_early(&self) -> Option<Verdict> {
        let interrupted = || Verdict::NotRun("interrupted".into());
        self.halted.clone().or_else(|| self.options.stop.load(Ordering::Relaxed).then(interrupted))
    }

    fn halt(&mut self, why: String) {
        self.halted.get_or_insert(Verdict::NotRun(why));
    }

    /// What is said of a task whatever came of it: the run is halted, or there is no clock to go by.
    fn given_up(&self, timeless: bool, clock: &ClockEstimate) -> Option<Verdict> {
        self.ended_early().or_else(|| clock.lost().filter(|_| !timeless).cloned())
    }

    /// Notes that an attempt broke, or did not.
    fn note_health(&mut self, result: &VectorResult<'_>) {
        let Verdict::Broken(why) = &result.verdict else {
            self.broken_in_a_row = 0;
            return;
        };
        self.broken_in_a_row = self.broken_in_a_row.saturating_add(1);
        if self.broken_in_a_row >= GONE {
            self.halt(format!("the target is gone: {why}"));
        }
    }

    /// Ends a task, or tries it once more.
    fn conclude(&mut self, number: usize, mut result: VectorResult<'v>, now_us: i64) {
        let Some(task) = self.tasks.get_mut(number) else { return };
        task.tries = task.tries.saturating_add(1);
        if let Verdict::Inconclusive(why) = &mut result.verdict {
            let ends_us = now_us.saturating_add(seconds_us(task.vector.span_s));
            let budget_ends_us = self.started_us.saturating_add(seconds_us(self.options.budget_s));
            if task.tries < TRIES && ends_us <= budget_ends_us {
                self.queue.push_back(number);
                if self.eased_us.saturating_add(SECOND_US) <= now_us {
                    self.eased_us = now_us;
                    self.schedule.ease();
                }
                return;
            }
            *why = format!("{why} (tried {} times)", task.tries);
        }
        task.result = Some(result);
    }
}

impl<'t, 'v> TaskSource<Attempt<'t, 'v>> for VectorTasks<'t, 'v> {
    fn next(&mut self, _active: usize, clock: &ClockEstimate) -> Option<Attempt<'t, 'v>> {
        while let Some(number) = self.queue.pop_front() {
            let Some(task) = self.tasks.get(number) else { continue };
            let given_up = self.given_up(task.timeless, clock);
            if given_up.is_none() {
                let mut attempt = Attempt::new(number, (self.target, task.opening), task.vector);
                (attempt.timeless, attempt.is_first) = (task.timeless, task.tries == 0);
                return Some(attempt);
            }
            if let Some(task) = self.tasks.get_mut(number) {
                task.result = given_up.map(|verdict| VectorResult::unasked(task.vector, verdict));
            }
        }
        None
    }

    fn over(&mut self, attempt: Attempt<'t, 'v>, sure: bool, clock: &ClockEstimate, now_us: i64) {
        let number = attempt.task;
        let Some(task) = self.tasks.get_mut(number) else { return };
        let timeless = task.timeless;
        let given_up = self.given_up(timeless, clock);
        let result = match attempt.ended {
            Some(Err(misuse)) => {
                self.misuse.get_or_insert(misuse);
                return self.halt("the harness was used wrongly".into());
            }
            Some(Ok(result)) => {
                if given_up.is_none() {
                    self.requests = self.requests.saturating_add(result.answers.len());
                }
                self.note_health(&result);
                Some(result).filter(|_| sure)
            }
            None => None,
        };
        if let (Some(verdict), Some(task)) = (given_up, self.tasks.get_mut(number)) {
            task.result = Some(VectorResult::unasked(attempt.vector, verdict));
            return;
        }
        let jumped = || Verdict::Inconclusive("the target's clock jumped while this was replayed".into());
        let result = result.unwrap_or_else(|| VectorResult::unasked(attempt.vector, jumped()));
        self.conclude(number, result, now_us);
    }

    fn demand(&self) -> Demand {
        if self.halted.is_some() { Demand::Halt } else { Demand::More }
    }

    /// Only at the very end does anyone wait for this.
    fn hurries(&self, idle: bool, _waited_us: i64) -> bool {
        idle && self.queue.is_empty()
    }

    fn needs_clock(&self) -> bool {
        self.tasks.iter().any(|task| !task.timeless && task.result.is_none())
    }

    /// Gives those that are prepared their second 0, longest first; refuses those for which the clock is too coarse.
    fn start(
        &mut self,
        mut attempts: Vec<Attempt<'t, 'v>>,
        clock: ClockView,
        now_us: i64,
    ) -> Vec<(Attempt<'t, 'v>, Option<i64>)> {
        let request_us = clock.clock.width_us(now_us).saturating_add(clock.round_trip_us);
        let why = if clock.vague { "since it shows no `_ts`" } else { "since it answers slowly" };
        for attempt in attempts.iter().filter(|attempt| attempt.is_first) {
            // The session was opened and, usually, its container made.
            self.prepared_requests = self.prepared_requests.saturating_add(2);
            let prepared_us = attempt.prepared_us.saturating_sub(self.started_us);
            self.schedule.measured(self.prepared_requests, prepared_us);
        }
        attempts.sort_by_key(|attempt| (Reverse(attempt.vector.span_s), attempt.task));
        let mut started = Vec::with_capacity(attempts.len());
        for mut attempt in attempts {
            if let Some(verdict) = too_coarse(attempt.vector, request_us, why).filter(|_| attempt.is_first) {
                attempt.ended = Some(Ok(VectorResult::unasked(attempt.vector, verdict)));
                started.push((attempt, None));
                continue;
            }
            let earliest = clock.clock.second_from(START_UNTIL_US, now_us);
            attempt.booking = self.schedule.book(&profile(attempt.vector), earliest);
            let due_us = attempt.due_us(clock, now_us).unwrap_or(now_us);
            self.ends_us = self.ends_us.max(due_us.saturating_add(seconds_us(attempt.vector.span_s)));
            started.push((attempt, Some(due_us)));
        }
        started
    }

    fn went_on(&mut self) {
        self.broken_in_a_row = 0;
    }

    fn clock_jumped(&mut self) {
        self.schedule.clear();
    }

    fn report(&mut self, now_us: i64) -> Option<ProgressReport> {
        if now_us < self.report_us {
            return None;
        }
        self.report_us = now_us.saturating_add(REPORT_US);
        let progress = Progress {
            elapsed_s: whole_s(now_us.saturating_sub(self.started_us)),
            expected_s: whole_s(self.ends_us.max(now_us).saturating_sub(self.started_us)),
            done: self.tasks.iter().filter(|task| task.result.is_some()).count(),
            of: self.tasks.len(),
        };
        let tell = Arc::clone(&self.options.progress);
        Some(Box::new(move || tell(progress)))
    }
}

/// Whether nothing that the vector expects depends on the clock.
fn is_timeless(vector: &Vector) -> bool {
    let names_second = |outcome: &ExpectedResponse| match outcome {
        ExpectedResponse::Status(_, details) => details.written_at_s.is_some(),
        _ => false,
    };
    vector.span_s == 0
        && vector.margin_s.is_none()
        && !vector.steps.iter().any(|step| step.expect.outcomes().any(names_second))
}

/// Refuses a vector that looks closer at a deadline than this clock can tell apart. A request takes up so much of the
/// clock: what is not known of it, and the time to the answer.
fn too_coarse(vector: &Vector, request_us: i64, why: &str) -> Option<Verdict> {
    let margin_s = vector.margin_s?;
    // In the very second of a deadline, and in the one before, the request must fall into that second alone.
    let room_us = seconds_us(margin_s.max(1));
    if request_us.saturating_add(SPARE_US) < room_us {
        return None;
    }
    Some(Verdict::NotApplicable(format!(
        "looks {margin_s} s from a deadline; {why}, a request to this target is known only to {} ms",
        request_us / 1000
    )))
}

fn seconds_us(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND_US)
}

fn whole_s(us: i64) -> u64 {
    u64::try_from(us / SECOND_US).unwrap_or(0)
}

/// Who starts in which second: as early as possible, and so that no second holds more requests than the target can
/// answer in time.
///
/// All vectors look at whole seconds, so all their requests fall into the same moments. What each will ask in which
/// second is known beforehand. So every vector books its seconds, and is moved back where one of them is full.
#[derive(Debug)]
struct StartSchedule {
    capacity: usize,
    /// How many requests are booked in which second of the target's clock.
    booked: BTreeMap<i64, usize>,
}

/// How many requests a vector makes in which of its seconds.
type WaitingProfile = BTreeMap<u64, usize>;

/// The seconds that a vector booked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Booking {
    /// Its second 0, by the target's clock.
    pub(super) origin: i64,
    /// For each second in which it asks, how much of what fits was booked before: its place in the queue, in
    /// thousandths.
    pub(super) places: BTreeMap<u64, i64>,
}

/// What a vector asks in which second.
fn profile(vector: &Vector) -> WaitingProfile {
    let mut profile = WaitingProfile::new();
    for step in &vector.steps {
        let count = profile.entry(step.at_s).or_default();
        *count = count.saturating_add(1);
    }
    profile
}

impl StartSchedule {
    fn new() -> Self {
        Self { capacity: MOST, booked: BTreeMap::new() }
    }

    /// The target answered so many requests in this time, all that it could.
    fn measured(&mut self, requests: usize, in_us: i64) {
        let in_us = usize::try_from(in_us).unwrap_or(1);
        let a_second = requests.saturating_mul(1_000_000).checked_div(in_us).unwrap_or(MOST);
        self.capacity = (a_second.saturating_mul(USED_TENTHS) / 10).clamp(LEAST, MOST);
    }

    /// The target was late: it is asked less from now on.
    fn ease(&mut self) {
        self.capacity = (self.capacity / 2).max(LEAST);
    }

    /// Forgets what is booked.
    fn clear(&mut self) {
        self.booked.clear();
    }

    /// Books a vector's seconds, the first not before this one.
    fn book(&mut self, profile: &WaitingProfile, earliest: i64) -> Booking {
        let latest = earliest.saturating_add(FURTHEST_S);
        let origin = (earliest..latest).find(|origin| self.fits(profile, *origin)).unwrap_or(latest);
        let mut places = BTreeMap::new();
        for (at_s, count) in profile {
            let booked = self.booked.entry(origin.saturating_add_unsigned(*at_s)).or_default();
            let place = booked.saturating_mul(1000).checked_div(self.capacity).unwrap_or(0);
            places.insert(*at_s, i64::try_from(place).unwrap_or(1000).min(1000));
            *booked = booked.saturating_add(*count);
        }
        Booking { origin, places }
    }

    /// A second that is still empty takes any vector.
    fn fits(&self, profile: &WaitingProfile, origin: i64) -> bool {
        profile.iter().all(|(at_s, count)| {
            let booked = self.booked.get(&origin.saturating_add_unsigned(*at_s)).copied().unwrap_or(0);
            booked == 0 || booked.saturating_add(*count) <= self.capacity
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(capacity: usize) -> StartSchedule {
        StartSchedule { capacity, booked: BTreeMap::new() }
    }

    #[test]
    fn whoever_fits_starts_at_once() {
        let mut schedule = schedule(10);
        let profile = WaitingProfile::from([(0, 4), (3, 1)]);
        assert_eq!(schedule.book(&profile, 7).origin, 7);
        let second = schedule.book(&profile, 7);
        assert_eq!((second.origin, second.places), (7, BTreeMap::from([(0, 400), (3, 100)])));
    }

    #[test]
    fn no_second_is_overbooked() {
        let mut schedule = schedule(10);
        let profile = WaitingProfile::from([(0, 4), (1, 4)]);
        let origins: Vec<_> = (0..5).map(|_| schedule.book(&profile, 0).origin).collect();
        assert_eq!(origins, [0, 0, 2, 2, 4]);
        assert!(schedule.booked.values().all(|booked| *booked <= 10));
    }

    #[test]
    fn a_vector_that_asks_more_than_fits_gets_seconds_of_its_own() {
        let mut schedule = schedule(10);
        let greedy = WaitingProfile::from([(0, 25)]);
        assert_eq!(schedule.book(&greedy, 0).origin, 0);
        assert_eq!(schedule.book(&greedy, 0).origin, 1);
        assert_eq!(schedule.book(&WaitingProfile::from([(0, 1)]), 0).origin, 2);
    }

    #[test]
    fn the_capacity_is_a_part_of_what_was_measured() {
        let mut schedule = schedule(10);
        schedule.measured(50, 100_000);
        assert_eq!(schedule.capacity, 200);
        schedule.ease();
        assert_eq!(schedule.capacity, 100);
        schedule.measured(1, 1_000_000);
        assert_eq!(schedule.capacity, LEAST);
    }
}
