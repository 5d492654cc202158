//! The vectors of a run as tasks of the scheduler: which come when, and what follows from an attempt.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::attempts::{Next, RetryFacts, is_server_error};
use super::causes::{Cause, Causes};
use super::clock::{ClockEstimate, Pace};
use super::clock_view::{SECOND_US, seconds_us};
use super::scheduler::SIDE_BY_SIDE;
use super::start_schedule::StartSchedule;
use super::vector_task::{CHECK_US, VectorTask};
use super::{Options, Progress, left_out};
use crate::target::{Fault, Part, Target};
use crate::vector::Vector;
use crate::verdict::{Outcome, VectorResult, Verdict};

/// Interval between reports of progress.
const REPORT_US: i64 = SECOND_US;
/// The number of vectors that break in a row before the target is taken to be gone.
const GONE: usize = 16;
/// In a second of which more has passed, no vector starts.
const START_UNTIL_US: i64 = 300_000;
/// So much of a second is not counted on.
const SPARE_US: i64 = 150_000;
/// A vector waits this often for another second in which the clock may become known well enough for it.
const HOLDS: u32 = 5;
/// So long at most the budget does not count at the start, while the target's clock is searched for.
const LEAD_IN_US: i64 = 3 * SECOND_US;
/// Before a vector begins again, so much time goes by at most: for a scan of the clock, and until the next second.
const AGAIN_US: i64 = 2 * SECOND_US + SECOND_US / 2;
/// So many failures of one cause are replayed at a time; the others wait for what these say.
const OF_ONE_CAUSE: usize = 3;

/// Tells how far a run has come; called while nothing is locked.
pub(super) type ProgressReport = Box<dyn FnOnce() + Send>;

/// The tasks of a run.
pub(super) struct VectorTasks<'t, 'v> {
    /// A misuse by the harness, or by its user.
    pub(super) misuse: Option<Fault>,
    pub(super) requests: usize,
    options: &'t Options,
    /// To be tried, longest first.
    queue: VecDeque<VectorTask<'t, 'v>>,
    /// To be tried again, once the clock was scanned after they failed, unless their cause is confirmed before.
    suspects: Vec<VectorTask<'t, 'v>>,
    causes: Causes<'v>,
    /// How often a vector was tried again, by what its last attempt came to.
    tried_again: BTreeMap<Outcome, usize>,
    /// By the place of the vector.
    done: BTreeMap<usize, VectorResult<'v>>,
    /// How many tasks there are, how many are not done, and how many of these depend on the clock.
    count: usize,
    left: usize,
    left_timed: usize,
    schedule: StartSchedule,
    /// The verdict of every vector that is not over, once the run has ended early.
    halted: Option<Verdict>,
    broken_in_a_row: usize,
    started_us: i64,
    /// When the first vector that depends on the clock began.
    began_us: Option<i64>,
    ends_us: i64,
    /// When the last of all first attempts ends, as far as can be told.
    planned_us: i64,
    report_us: i64,
}

impl<'t, 'v> VectorTasks<'t, 'v> {
    /// Everything that is to be done with the vectors that the budget has time for; the others are done.
    pub(super) fn new(
        target: &'t dyn Target,
        vectors: &[&'v Vector],
        options: &'t Options,
        missing: &BTreeSet<Part>,
        now_us: i64,
    ) -> Self {
        let mut tasks = Vec::new();
        let mut done = BTreeMap::new();
        let left_out = left_out(vectors, options.budget_s);
        for (place, vector) in vectors.iter().enumerate() {
            if let Some(result) = VectorResult::not_offered(vector, missing) {
                done.insert(place, result);
            } else if let Some(why) = left_out(vector) {
                done.insert(place, VectorResult::unasked(vector, Verdict::NotApplicable(why)));
            } else {
                tasks.push(VectorTask::new(place, vector, target));
            }
        }
        tasks.sort_by_key(|task| Reverse(task.vector.span_s));
        let longest_s = tasks.first().map_or(0, |task| task.vector.span_s);
        Self {
            misuse: None,
            requests: 0,
            options,
            count: tasks.len(),
            left: tasks.len(),
            left_timed: tasks.iter().filter(|task| !task.timeless).count(),
            queue: tasks.into(),
            suspects: Vec::new(),
            causes: Causes::default(),
            tried_again: BTreeMap::new(),
            done,
            schedule: StartSchedule::new(),
            halted: None,
            broken_in_a_row: 0,
            started_us: now_us,
            began_us: None,
            ends_us: now_us.saturating_add(seconds_us(longest_s)).saturating_add(SECOND_US),
            planned_us: now_us,
            report_us: now_us.saturating_add(REPORT_US),
        }
    }

    /// How unstable the target was, or the way to it: a sentence for each kind of trouble.
    fn remarks(&self) -> Vec<String> {
        let count = |outcome| self.tried_again.get(&outcome).copied().unwrap_or(0);
        let troubles = [
            (self.causes.once(true), "that a vector failed, and not when it was tried again"),
            (
                self.causes.witnessed,
                "that three vectors failed once each for the same cause, which counts as confirmed",
            ),
            (self.causes.once(false), "that a vector failed once, and could not be tried again"),
            (count(Outcome::Inconclusive), "that a reply was lost, late or not in its second"),
            (count(Outcome::Broken), "that the target, or the way to it, broke for a moment"),
        ];
        let times = |count| if count == 1 { "once".into() } else { format!("{count} times") };
        let troubles = troubles.into_iter().filter(|(count, _)| *count > 0);
        troubles.map(|(count, what)| format!("it happened {} {what}", times(count))).collect()
    }

    /// Returns the result of each vector, and the remarks about the run.
    pub(super) fn into_results(mut self, vectors: &[&'v Vector]) -> (Vec<VectorResult<'v>>, Vec<String>) {
        let unfinished = self.ended_early().unwrap_or(Verdict::NotRun("the run ended before".into()));
        let left = std::mem::take(&mut self.queue).into_iter().chain(std::mem::take(&mut self.suspects));
        for task in left.collect::<Vec<_>>() {
            self.give_up(task, unfinished.clone());
        }
        self.done.extend(self.causes.stand());
        let remarks = self.remarks();
        let result = |(place, vector): (usize, &&'v Vector)| {
            let unfinished = || VectorResult::unasked(vector, unfinished.clone());
            self.done.remove(&place).unwrap_or_else(unfinished)
        };
        (vectors.iter().enumerate().map(result).collect(), remarks)
    }

    fn ended_early(&self) -> Option<Verdict> {
        let interrupted = || Verdict::NotRun("interrupted".into());
        self.halted.clone().or_else(|| self.options.stop.load(Ordering::Relaxed).then(interrupted))
    }

    fn halt(&mut self, why: String) {
        self.halted.get_or_insert(Verdict::NotRun(why));
    }

    /// Returns the verdict of a task if it cannot continue: the run is halted, or there is no clock.
    fn given_up(&self, task: &VectorTask<'_, '_>, clock: &ClockEstimate) -> Option<Verdict> {
        self.ended_early().or_else(|| clock.lost().filter(|_| !task.timeless).cloned())
    }

    /// Notes that a task broke, or did not.
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

    /// Ends a task; `passed` is whether its last attempt did.
    fn finish(&mut self, mut task: VectorTask<'t, 'v>, result: VectorResult<'v>, passed: bool) {
        self.left = self.left.saturating_sub(1);
        self.left_timed = self.left_timed.saturating_sub(usize::from(!task.timeless));
        if let Some(cause) = task.replayed {
            let replayed = self.causes.replayed(&cause);
            *replayed = replayed.saturating_sub(1);
        }
        let is_inconclusive = result.verdict.outcome() == Outcome::Inconclusive;
        if let Some(failed) = task.attempts.take_failure().filter(|_| is_inconclusive) {
            self.causes.keep(task.place, failed, passed);
        }
        self.done.insert(task.place, result);
    }

    /// Ends a task that is not replayed, or not again.
    fn give_up(&mut self, mut task: VectorTask<'t, 'v>, verdict: Verdict) {
        let why = verdict.reason().unwrap_or_default();
        let stands = self.causes.is_confirmed(task.attempts.cause().as_ref());
        let earlier = task.attempts.given_up(&why, stands);
        let result = earlier.unwrap_or_else(|| VectorResult::unasked(task.vector, verdict));
        self.finish(task, result, false);
    }

    /// When second 0 of a replay must come for it to end within the budget, if that of another came then. What begins in
    /// the first second is within the budget, however slowly the target answers.
    fn latest_us(&self, task: &VectorTask<'_, '_>, begins_us: i64, pace: Pace) -> i64 {
        let first_us = self.began_us.unwrap_or(begins_us).min(self.started_us.saturating_add(LEAD_IN_US));
        // All that begin in the same second do not begin at the same moment.
        let first_us = first_us.saturating_add(SECOND_US);
        let until_us = first_us.saturating_add(seconds_us(self.options.budget_s));
        until_us.saturating_sub(task.lasts_us(pace)).max(first_us)
    }

    fn is_within_budget(&self, task: &VectorTask<'_, '_>, begins_us: i64, pace: Pace) -> bool {
        begins_us <= self.latest_us(task, begins_us, pace)
    }

    /// Whether an attempt that opens its session at this moment would end within the budget.
    fn may_open(&self, task: &VectorTask<'_, '_>, clock: &ClockEstimate, opens_us: i64) -> bool {
        let pace = clock.pace();
        self.is_within_budget(task, opens_us.saturating_add(task.prepares_us(pace)), pace)
    }

    /// Whether a failure may be replayed again after a scan.
    fn may_follow_scan(&self, task: &VectorTask<'_, '_>, clock: &ClockEstimate, now_us: i64) -> bool {
        let failed_us = task.attempts.failed_us().unwrap_or(now_us);
        self.may_open(task, clock, clock.scan_ends_us(failed_us, now_us))
    }

    fn has_no_time(&self) -> Verdict {
        let budget_s = self.options.budget_s;
        Verdict::Inconclusive(format!("no time was left for it within the budget of {budget_s} s (--budget)"))
    }

    /// Whether a failure needs no second session any more.
    fn stands(&self, task: &VectorTask<'_, '_>, clock: &ClockEstimate, now_us: i64) -> bool {
        let jumped = task.attempts.failed_us().is_some_and(|failed_us| clock.jumped(failed_us, now_us));
        !jumped && self.causes.is_confirmed(task.attempts.cause().as_ref())
    }

    /// Whether enough causes are confirmed, and no failure was refuted, so that the run does not wait half as long again.
    fn is_trusted(&self, task: &VectorTask<'_, '_>, now_us: i64) -> bool {
        let again_us = seconds_us(task.vector.span_s).saturating_add(AGAIN_US).saturating_add(CHECK_US);
        let planned_us = self.planned_us.saturating_sub(self.started_us);
        let limit_us = self.started_us.saturating_add(planned_us.saturating_mul(3) / 2);
        self.causes.has_many() && limit_us < now_us.saturating_add(again_us)
    }

    /// Ends a task, or tries it once more.
    fn finish_or_retry(
        &mut self,
        mut task: VectorTask<'t, 'v>,
        result: VectorResult<'v>,
        clock: &ClockEstimate,
        now_us: i64,
    ) {
        let failed_us = task.attempts.failed_us();
        let (outcome, is_error) = (result.verdict.outcome(), is_server_error(&result));
        let cause = task.attempts.cause().or_else(|| Cause::of(&result));
        let facts = RetryFacts {
            answered_us: task.answered_us,
            may_retry: !task.is_hopeless && self.may_open(&task, clock, now_us),
            is_confirmed: task.is_wrong_by_seconds()
                || self.causes.is_confirmed(cause.as_ref())
                || !is_error && !result.blurred && self.is_trusted(&task, now_us),
        };
        if outcome == Outcome::Pass && failed_us.is_some_and(|failed_us| clock.jumped(failed_us, now_us)) {
            task.attempts.take_failure();
        }
        let next = task.attempts.note(result, facts);
        if !matches!(next, Next::Finish(_)) {
            let count = self.tried_again.entry(outcome).or_default();
            *count = count.saturating_add(1);
        }
        match next {
            Next::Finish(result) => {
                let shows = failed_us.is_some() || is_error || task.is_wrong_by_seconds();
                if shows && outcome == Outcome::Fail && result.verdict.outcome() == Outcome::Fail {
                    self.causes.confirm(Cause::of(&result));
                }
                self.finish(task, *result, outcome == Outcome::Pass);
            }
            Next::RetryAfterScan => self.suspects.push(task),
            Next::Retry => self.queue.push_back(task),
        }
    }

    /// Has those replayed at once that failed, after a scan of the clock: a few of each cause, the shortest first.
    fn release_suspects(&mut self, clock: &ClockEstimate, now_us: i64) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_by_key(|task| (task.vector.span_s, task.place));
        for mut task in suspects {
            let (Some(cause), Some(failed_us)) = (task.attempts.cause(), task.attempts.failed_us()) else {
                continue;
            };
            let jumped = clock.jumped(failed_us, now_us);
            let is_lost = clock.lost().is_some();
            let is_scanned =
                jumped || is_lost || !needs_scan(&task, clock) || failed_us <= clock.scanned_us();
            if is_scanned && !jumped && !is_lost {
                self.causes.witness(&cause, failed_us, now_us);
            }
            let stands = self.stands(&task, clock, now_us);
            if stands || !is_scanned && !self.may_follow_scan(&task, clock, now_us) {
                self.give_up(task, self.has_no_time());
            } else if is_scanned && (jumped || *self.causes.replayed(&cause) < OF_ONE_CAUSE) {
                let replayed = self.causes.replayed(&cause);
                *replayed = replayed.saturating_add(1);
                task.replayed = Some(cause);
                self.queue.push_front(task);
            } else {
                self.suspects.push(task);
            }
        }
    }

    /// Returns the next task, if there is one.
    pub(super) fn next(&mut self, clock: &ClockEstimate, now_us: i64) -> Option<VectorTask<'t, 'v>> {
        self.release_suspects(clock, now_us);
        while let Some(mut task) = self.queue.pop_front() {
            match self.given_up(&task, clock) {
                Some(verdict) => self.give_up(task, verdict),
                None if self.stands(&task, clock, now_us) => {
                    self.give_up(task, self.has_no_time());
                }
                None if self.may_open(&task, clock, now_us) => {
                    let begins_us = self.started_us.saturating_add(LEAD_IN_US);
                    task.latest_us = self.latest_us(&task, begins_us, clock.pace());
                    task.ends_us = self.latest_end_us();
                    // At the first failure a single look has to do: it falls into the moment that made it.
                    task.check_us = if task.attempts.failed_us().is_some() { CHECK_US } else { 0 };
                    return Some(task);
                }
                None => self.give_up(task, self.has_no_time()),
            }
        }
        None
    }

    /// Takes back a task that is over. `sure` is whether the clock is known to have run evenly all the while.
    pub(super) fn over(
        &mut self,
        mut task: VectorTask<'t, 'v>,
        sure: bool,
        clock: &ClockEstimate,
        now_us: i64,
    ) {
        let given_up = self.given_up(&task, clock);
        let jumped = task.claims_us().is_none_or(|(from_us, until_us)| clock.jumped(from_us, until_us));
        let result = match task.result.take() {
            Some(Err(misuse)) => {
                self.misuse.get_or_insert(misuse);
                return self.halt("the harness was used wrongly".into());
            }
            Some(Ok(result)) => {
                self.note_health(&result);
                let failed = result.verdict.outcome() == Outcome::Fail && !result.blurred;
                if given_up.is_none() {
                    self.requests = self.requests.saturating_add(result.answers.len());
                    Some(result).filter(|_| sure)
                } else {
                    if failed && !jumped {
                        task.attempts.failed(result, task.answered_us);
                    }
                    None
                }
            }
            None => None,
        };
        if let Some(verdict) = given_up {
            return self.give_up(task, verdict);
        }
        let why = || Verdict::Inconclusive("the target's clock jumped while this was replayed".into());
        let result = result.unwrap_or_else(|| VectorResult::unasked(task.vector, why()));
        self.finish_or_retry(task, result, clock, now_us);
    }

    /// Returns whether all ends at once.
    pub(super) fn is_halted(&self) -> bool {
        self.halted.is_some()
    }

    /// Returns whether a single look at the clock has to do for this task, which waits for its confirmation: only at the very
    /// end does anyone wait for that. A failure has time.
    pub(super) fn hurries(&self, task: &VectorTask<'t, 'v>, idle: bool) -> bool {
        let failed = matches!(&task.result, Some(Ok(result)) if result.verdict.outcome() == Outcome::Fail);
        idle && self.queue.is_empty() && !failed
    }

    /// Returns whether the clock is to be scanned: polled so densely that no adjustment of it is missed.
    pub(super) fn wants_scan(&self, clock: &ClockEstimate, now_us: i64) -> bool {
        self.suspects.iter().any(|task| {
            let failed_us = task.attempts.failed_us().unwrap_or(now_us);
            let is_needed = needs_scan(task, clock) && clock.scanned_us() < failed_us;
            is_needed && self.may_follow_scan(task, clock, now_us)
        })
    }

    /// Returns whether any task depends on the target's time.
    pub(super) fn needs_clock(&self) -> bool {
        self.left_timed > 0
    }

    /// Gives those that are prepared their second 0, longest first; refuses those for which the clock is too coarse.
    pub(super) fn start(
        &mut self,
        mut tasks: Vec<VectorTask<'t, 'v>>,
        clock: &ClockEstimate,
        now_us: i64,
    ) -> Vec<(VectorTask<'t, 'v>, Option<i64>)> {
        let (pace, clock) = (clock.pace(), clock.clock);
        let request_us = clock.width_us(now_us).saturating_add(clock.round_trip_us);
        self.schedule.measured(SIDE_BY_SIDE, clock.round_trip_us);
        tasks.sort_by_key(|task| (Reverse(task.vector.span_s), task.place));
        let start = |mut task: VectorTask<'t, 'v>| {
            if let Some(why) = too_coarse(task.vector, request_us) {
                if clock.vague {
                    task.conclude(Verdict::Unsupported(format!("{why}, since it shows no `_ts`")));
                    return (task, None);
                }
                if task.holds < HOLDS {
                    task.holds = task.holds.saturating_add(1);
                    task.held = true;
                    return (task, Some(now_us.saturating_add(SECOND_US)));
                }
                task.is_hopeless = true;
                task.conclude(Verdict::Inconclusive(format!("{why}, since it answers slowly")));
                return (task, None);
            }
            let earliest = clock.second_from(START_UNTIL_US, now_us);
            let booking = self.schedule.book(task.vector, earliest, task.attempts.wants_to_be_alone());
            let before = std::mem::replace(&mut task.booking, booking);
            // What failed for the moment of its second fails again only at the same.
            if task.attempts.failed_us().is_some() {
                task.booking.places = before.places;
            }
            let due_us = task.due_us(clock, now_us).unwrap_or(now_us);
            if !self.is_within_budget(&task, due_us, pace) {
                self.take_back(&task);
                // More requests may fit into a second soon.
                if self.is_within_budget(&task, now_us.saturating_add(AGAIN_US), pace) {
                    task.held = true;
                    return (task, Some(now_us.saturating_add(SECOND_US)));
                }
                task.is_hopeless = true;
                task.conclude(self.has_no_time());
                return (task, None);
            }
            self.began_us.get_or_insert(due_us);
            let ends_us = due_us.saturating_add(seconds_us(task.vector.span_s));
            self.ends_us = self.ends_us.max(ends_us);
            if task.attempts.is_first() {
                self.planned_us = self.planned_us.max(ends_us);
            }
            (task, Some(due_us))
        };
        tasks.into_iter().map(start).collect()
    }

    /// A task went on, and its target is well.
    pub(super) fn went_on(&mut self) {
        self.broken_in_a_row = 0;
    }

    /// Counts the answers that a task got; returns whether those that have not begun are to begin at another time.
    pub(super) fn heard(&mut self, task: &mut VectorTask<'t, 'v>, now_us: i64) -> bool {
        self.schedule.heard(std::mem::take(&mut task.answers), now_us)
    }

    /// Takes back the second 0 of a task that has not begun.
    pub(super) fn take_back(&mut self, task: &VectorTask<'t, 'v>) {
        self.schedule.release(task.vector, &task.booking);
    }

    /// When the run ends, whatever the target does.
    fn latest_end_us(&self) -> i64 {
        self.started_us.saturating_add(seconds_us(self.options.budget_s)).saturating_add(LEAD_IN_US)
    }

    /// Ends the run if its time is up; returns whether this did.
    pub(super) fn ends_now(&mut self, now_us: i64) -> bool {
        let ends = self.halted.is_none() && self.latest_end_us() <= now_us;
        if ends {
            self.halted = Some(self.has_no_time());
        }
        ends
    }

    /// The target's clock jumped: no second is any more when it was.
    pub(super) fn clock_jumped(&mut self) {
        self.schedule.clear();
    }

    /// Returns what to tell now, if it is time for that.
    pub(super) fn report(&mut self, now_us: i64) -> Option<ProgressReport> {
        if now_us < self.report_us {
            return None;
        }
        self.report_us = now_us.saturating_add(REPORT_US);
        let progress = Progress {
            elapsed_s: whole_s(now_us.saturating_sub(self.started_us)),
            expected_s: whole_s(self.ends_us.max(now_us).saturating_sub(self.started_us)),
            done: self.count.saturating_sub(self.left),
            of: self.count,
        };
        let tell = Arc::clone(&self.options.progress);
        Some(Box::new(move || tell(progress)))
    }
}

/// Whether its failure has to show again after a scan of the clock.
fn needs_scan(task: &VectorTask<'_, '_>, clock: &ClockEstimate) -> bool {
    !task.timeless && !clock.clock.vague
}

/// Refuses a vector that looks closer at a deadline than this clock can tell apart. A request takes up so much of the
/// clock: what is not known of it, and the time to the answer.
fn too_coarse(vector: &Vector, request_us: i64) -> Option<String> {
    let margin_s = vector.margin_s?;
    // In the very second of a deadline, and in the one before, the request must fall into that second alone.
    let room_us = seconds_us(margin_s.max(1));
    if request_us.saturating_add(SPARE_US) < room_us {
        return None;
    }
    let known_ms = request_us / 1000;
    Some(format!(
        "looks {margin_s} s from a deadline; a request to this target is known only to {known_ms} ms"
    ))
}

fn whole_s(us: i64) -> u64 {
    u64::try_from(us / SECOND_US).unwrap_or(0)
}
