//! The vectors of a run as tasks of a session pool: which come when, what each asks when, and what follows from that.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::attempts::{Attempts, Leave, Next};
use super::clock::SECOND_US;
use super::session_pool::{
    ClockEstimate, ClockView, Demand, PoolClient, ProgressReport, SIDE_BY_SIDE, TaskSource, Turn,
};
use super::start_schedule::{Booking, StartSchedule};
use super::{Options, Progress, Time};
use crate::catch_panic::catch_panic;
use crate::replay::Replay;
use crate::run;
use crate::target::{About, Fault, Opening, Operation, Session, Target};
use crate::vector::{ExpectedResponse, Step, Vector};
use crate::verdict::{Outcome, VectorResult, Verdict};

/// Looks are sent early in their second and writes in the middle of it. A store that counts from the instant of the
/// write, and not from its second, so shows its items too long.
const LOOK_US: i64 = 80_000;
const WRITE_US: i64 = 400_000;
/// Those that are due in the same second are spread over so much of it.
const SPREAD_US: i64 = 200_000;
/// Nothing is sent sooner after a tick.
const SOONEST_US: i64 = 60_000;
/// So much of a second is left over after the last answer that is expected in it.
const REST_US: i64 = 50_000;
/// The harness reports its progress so often.
const REPORT_US: i64 = SECOND_US;
/// So many that break in a row, and the target is taken to be gone.
const GONE: usize = 16;
/// In a second of which more has passed, no vector starts.
const START_UNTIL_US: i64 = 300_000;
/// So much of a second is not counted on.
const SPARE_US: i64 = 150_000;
/// A vector waits this often for another second in which the clock may become known well enough for it.
const HOLDS: u32 = 5;
/// After this many failures that showed again, and none that did not, the rest count where time is short.
const TRUSTED: usize = 3;

/// A vector under one schedule of removal: a session of its own, and when to ask what.
pub(super) struct VectorTask<'t, 'v> {
    /// The vector's place among those that were given, and the task's among all of its vector's.
    number: (usize, usize),
    vector: &'v Vector,
    target: &'t dyn Target,
    opening: Opening,
    /// Nothing that the vector expects depends on the clock.
    timeless: bool,
    attempts: Attempts<'v>,
    holds: u32,
    /// Waits until it is started once more.
    held: bool,
    running: Option<(Box<dyn Session + 't>, Replay<'v>)>,
    /// Its origin moves on where the target is late.
    booking: Booking,
    /// From the sending of the first request that depends on the clock to the answer to the last.
    timed_us: Option<(i64, i64)>,
    /// When all was asked that does not depend on the clock.
    prepared_us: i64,
    /// What came of it; only wrong use is a fault.
    result: Option<Result<VectorResult<'v>, Fault>>,
}

impl VectorTask<'_, '_> {
    /// Opens the session and asks whatever does not depend on the clock: all that comes before the first write at second
    /// 0, or everything.
    ///
    /// A container may be older than its vector, since nothing counts from its making.
    fn prepare(&mut self) -> Result<(), Fault> {
        match catch_panic(|| self.target.open(&self.opening)) {
            Ok(session) => {
                let (session, replay) = self.running.insert((session, Replay::new(self.vector)));
                while replay.next_step().is_some_and(|step| self.timeless || !needs_clock(step)) {
                    replay.ask(|request| Ok((catch_panic(|| session.send(request))?, None)))?;
                }
            }
            Err(fault) => self.conclude(Verdict::of_fault(fault, "before second 0: ")?),
        }
        Ok(())
    }

    fn go_on(&mut self, time: &impl Time, clock: ClockView) -> Result<Turn, Fault> {
        if self.held {
            self.held = false;
            return Ok(Turn::Start);
        }
        if self.running.is_none() {
            self.prepare()?;
            self.prepared_us = time.now_us();
            if self.running.as_ref().is_some_and(|(_, replay)| replay.next_step().is_some()) {
                return Ok(Turn::Start);
            }
        }
        while let Some(due_us) = self.due_us(clock, time.now_us()) {
            if time.now_us() < due_us {
                return Ok(Turn::At(due_us));
            }
            self.ask(time, clock)?;
        }
        if let Some((mut session, replay)) = self.running.take() {
            // A pass does not survive a fault in closing.
            self.result = Some(Ok(replay.into_result().closed(session.as_mut())));
        }
        Ok(Turn::Over)
    }

    /// Takes this for its result, without any request of its vector.
    fn conclude(&mut self, verdict: Verdict) {
        self.result = Some(Ok(VectorResult::unasked(self.vector, verdict)));
    }

    /// When the next step is due; gives up where there is no good moment for it.
    fn due_us(&mut self, clock: ClockView, now_us: i64) -> Option<i64> {
        let (_, replay) = self.running.as_mut()?;
        let step = replay.next_step()?;
        let meant = self.booking.origin.saturating_add_unsigned(step.at_s);
        let Some(second) = replay.observation_window().nearest(meant) else {
            replay.give_up(Verdict::Inconclusive(format!(
                "at second {}: the target was late before, so that no moment would show what is meant",
                step.at_s
            )));
            return None;
        };
        Some(clock.moment_us(second, self.phase_us(step, clock, now_us), now_us))
    }

    /// Where in its second the step is sent.
    fn phase_us(&self, step: &Step, clock: ClockView, now_us: i64) -> i64 {
        let place = self.booking.places.get(&step.at_s).copied().unwrap_or(0);
        let base_us = if writes(step) { WRITE_US } else { LOOK_US };
        let phase_us = base_us.saturating_add(SPREAD_US.saturating_mul(place) / 1000);
        let same_second = self.vector.steps.iter().filter(|other| other.at_s == step.at_s).count();
        let answers = i64::try_from(same_second).unwrap_or(i64::MAX).saturating_mul(2);
        let latest_us = SECOND_US
            .saturating_sub(clock.width_us(now_us))
            .saturating_sub(answers.saturating_mul(clock.round_trip_us))
            .saturating_sub(REST_US);
        phase_us.min(latest_us).max(SOONEST_US)
    }

    fn ask(&mut self, time: &impl Time, clock: ClockView) -> Result<(), Fault> {
        let Self { running: Some((session, replay)), booking, timed_us, .. } = self else { return Ok(()) };
        let Some(step) = replay.next_step() else { return Ok(()) };
        replay.ask(|request| {
            let sent_us = time.now_us();
            let response = catch_panic(|| session.send(request));
            let answered_us = time.now_us();
            *timed_us = Some((timed_us.map_or(sent_us, |(from_us, _)| from_us), answered_us));
            let window = clock.window(sent_us, answered_us);
            // Whoever was late stays as late, so that what follows keeps its distance.
            booking.origin = booking.origin.max(window.start().saturating_sub_unsigned(step.at_s));
            Ok((response?, Some(window)))
        })
    }
}

impl PoolClient for VectorTask<'_, '_> {
    fn go<T: Time>(&mut self, time: &T, clock: ClockView) -> Turn {
        self.go_on(time, clock).unwrap_or_else(|misuse| {
            self.leave();
            self.result = Some(Err(misuse));
            Turn::Over
        })
    }

    /// Its verdict does not depend on whether that works, and is none about time to live.
    fn leave(&mut self) {
        if let Some((mut session, _)) = self.running.take() {
            let _ = catch_panic(|| session.close());
        }
    }

    fn begun_us(&self) -> Option<i64> {
        self.timed_us.map(|(from_us, _)| from_us)
    }

    fn claims_us(&self) -> Option<(i64, i64)> {
        match &self.result {
            Some(Ok(VectorResult { verdict: Verdict::Pass | Verdict::Fail(_), .. })) => self.timed_us,
            _ => None,
        }
    }
}

fn needs_clock(step: &Step) -> bool {
    step.at_s > 0 || writes(step)
}

fn writes(step: &Step) -> bool {
    step.request.operations().iter().any(Operation::is_write)
}

/// The tasks of a run.
pub(super) struct VectorTasks<'t, 'v> {
    /// What the harness did wrong, or its user.
    pub(super) misuse: Option<Fault>,
    pub(super) requests: usize,
    options: &'t Options,
    /// To be tried, longest first.
    queue: VecDeque<VectorTask<'t, 'v>>,
    /// To be tried again, once the clock was scanned after they failed.
    suspects: Vec<VectorTask<'t, 'v>>,
    /// How many failures showed again, and how many did not.
    shown_again: usize,
    refuted: usize,
    done: BTreeMap<(usize, usize), (Opening, VectorResult<'v>)>,
    /// How many tasks there are, how many are not done, and how many of these depend on the clock.
    count: usize,
    left: usize,
    left_timed: usize,
    schedule: StartSchedule,
    /// What is said of every vector that is not over, once the run has ended before its time.
    halted: Option<Verdict>,
    broken_in_a_row: usize,
    eased_us: i64,
    started_us: i64,
    ends_us: i64,
    /// When the last of all first attempts ends, as far as can be told.
    planned_us: i64,
    report_us: i64,
}

impl<'t, 'v> VectorTasks<'t, 'v> {
    /// Everything that is to be done with vectors that apply; those that do not are done.
    pub(super) fn new(
        target: &'t dyn Target,
        about: &About,
        vectors: &[&'v Vector],
        options: &'t Options,
        now_us: i64,
    ) -> Self {
        let mut tasks = Vec::new();
        let mut done = BTreeMap::new();
        for (place, vector) in vectors.iter().enumerate() {
            let budget_s = options.budget_s;
            let openings = match run::openings(about, vector) {
                Ok(_) if budget_s < vector.span_s => {
                    Err(format!("lasts longer than the budget of {budget_s} s (--budget)"))
                }
                openings => openings,
            };
            if let Err(why) = &openings {
                let result = VectorResult::unasked(vector, Verdict::NotApplicable(why.clone()));
                done.insert((place, 0), (Opening::default(), result));
            }
            tasks.extend(openings.iter().flatten().enumerate().map(|(number, opening)| VectorTask {
                number: (place, number),
                vector,
                target,
                opening: *opening,
                timeless: is_timeless(vector),
                attempts: Attempts::default(),
                holds: 0,
                held: false,
                running: None,
                booking: Booking::default(),
                timed_us: None,
                prepared_us: 0,
                result: None,
            }));
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
            shown_again: 0,
            refuted: 0,
            done,
            schedule: StartSchedule::new(),
            halted: None,
            broken_in_a_row: 0,
            eased_us: now_us,
            started_us: now_us,
            ends_us: now_us.saturating_add(seconds_us(longest_s)).saturating_add(SECOND_US),
            planned_us: now_us.saturating_add(seconds_us(longest_s)).saturating_add(SECOND_US),
            report_us: now_us.saturating_add(REPORT_US),
        }
    }

    /// What came of each vector.
    pub(super) fn into_results(mut self, vectors: &[&'v Vector]) -> Vec<VectorResult<'v>> {
        let unfinished = self.ended_early().unwrap_or(Verdict::NotRun("the run ended before".into()));
        let left = std::mem::take(&mut self.queue).into_iter().chain(std::mem::take(&mut self.suspects));
        for task in left.collect::<Vec<_>>() {
            self.give_up(task, unfinished.clone());
        }
        let mut done = self.done.into_iter().peekable();
        let result = |(place, vector): (usize, &&'v Vector)| {
            let own = std::iter::from_fn(|| done.next_if(|((of, _), _)| *of == place));
            VectorResult::gravest(vector, own.map(|(_, result)| result))
        };
        vectors.iter().enumerate().map(result).collect()
    }

    fn ended_early(&self) -> Option<Verdict> {
        let interrupted = || Verdict::NotRun("interrupted".into());
        self.halted.clone().or_else(|| self.options.stop.load(Ordering::Relaxed).then(interrupted))
    }

    fn halt(&mut self, why: String) {
        self.halted.get_or_insert(Verdict::NotRun(why));
    }

    /// What is said of a task whatever came of it: the run is halted, or there is no clock to go by.
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

    fn finish(&mut self, task: &VectorTask<'t, 'v>, result: VectorResult<'v>) {
        self.left = self.left.saturating_sub(1);
        self.left_timed = self.left_timed.saturating_sub(usize::from(!task.timeless));
        self.done.insert(task.number, (task.opening, result));
    }

    /// Ends a task that is not replayed, or not again.
    fn give_up(&mut self, mut task: VectorTask<'t, 'v>, verdict: Verdict) {
        let why = verdict.reason().unwrap_or_default();
        let earlier = std::mem::take(&mut task.attempts).given_up(&why);
        let result = earlier.unwrap_or_else(|| VectorResult::unasked(task.vector, verdict));
        self.finish(&task, result);
    }

    /// Whether a replay that begins then would end within the budget.
    fn within_budget(&self, vector: &Vector, from_us: i64) -> bool {
        let budget_ends_us = self.started_us.saturating_add(seconds_us(self.options.budget_s));
        from_us.saturating_add(seconds_us(vector.span_s)) <= budget_ends_us
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
        let planned_us = self.planned_us.saturating_sub(self.started_us);
        let limit_us = self.started_us.saturating_add(planned_us.saturating_mul(3) / 2);
        let leave = Leave {
            now_us,
            within_budget: self.within_budget(task.vector, now_us),
            trusts_failures: self.shown_again >= TRUSTED
                && self.refuted == 0
                && limit_us < now_us.saturating_add(seconds_us(task.vector.span_s)),
        };
        let jumped = failed_us.is_some_and(|failed_us| clock.jumped(failed_us, now_us));
        let next = task.attempts.note(result, jumped, leave);
        task.timed_us = None;
        match next {
            Next::Finish(result) => {
                if failed_us.is_some() {
                    let failed = matches!(result.verdict, Verdict::Fail(_));
                    self.shown_again = self.shown_again.saturating_add(usize::from(failed));
                    self.refuted = self.refuted.saturating_add(usize::from(!failed));
                }
                self.finish(&task, result);
            }
            Next::RetryAfterScan if !task.timeless && !clock.clock.vague => self.suspects.push(task),
            Next::RetryAfterScan => self.queue.push_back(task),
            Next::Retry => {
                self.queue.push_back(task);
                if self.eased_us.saturating_add(SECOND_US) <= now_us {
                    self.eased_us = now_us;
                    self.schedule.ease();
                }
            }
        }
    }
}

impl<'t, 'v> TaskSource<VectorTask<'t, 'v>> for VectorTasks<'t, 'v> {
    fn next(&mut self, _active: usize, clock: &ClockEstimate) -> Option<VectorTask<'t, 'v>> {
        let scanned_us = clock.scanned_us();
        let ready =
            |task: &mut VectorTask<'_, '_>| task.attempts.failed_us().is_some_and(|us| us <= scanned_us);
        self.queue.extend(self.suspects.extract_if(.., ready));
        while let Some(task) = self.queue.pop_front() {
            match self.given_up(&task, clock) {
                Some(verdict) => self.give_up(task, verdict),
                None => return Some(task),
            }
        }
        None
    }

    fn over(&mut self, mut task: VectorTask<'t, 'v>, sure: bool, clock: &ClockEstimate, now_us: i64) {
        let given_up = self.given_up(&task, clock);
        let result = match task.result.take() {
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
        if let Some(verdict) = given_up {
            return self.give_up(task, verdict);
        }
        let jumped = || Verdict::Inconclusive("the target's clock jumped while this was replayed".into());
        let result = result.unwrap_or_else(|| VectorResult::unasked(task.vector, jumped()));
        self.finish_or_retry(task, result, clock, now_us);
    }

    fn demand(&self) -> Demand {
        if self.halted.is_some() { Demand::Halt } else { Demand::More }
    }

    /// Only at the very end does anyone wait for this. A failure has time.
    fn hurries(&self, task: &VectorTask<'t, 'v>, idle: bool) -> bool {
        let failed = matches!(&task.result, Some(Ok(result)) if result.verdict.outcome() == Outcome::Fail);
        idle && self.queue.is_empty() && !failed
    }

    fn wants_scan(&self) -> bool {
        !self.suspects.is_empty()
    }

    fn needs_clock(&self) -> bool {
        self.left_timed > 0
    }

    /// Gives those that are prepared their second 0, longest first; refuses those for which the clock is too coarse.
    fn start(
        &mut self,
        mut tasks: Vec<VectorTask<'t, 'v>>,
        clock: ClockView,
        now_us: i64,
    ) -> Vec<(VectorTask<'t, 'v>, Option<i64>)> {
        let request_us = clock.width_us(now_us).saturating_add(clock.round_trip_us);
        self.schedule.measured(SIDE_BY_SIDE, clock.round_trip_us);
        tasks.sort_by_key(|task| (Reverse(task.vector.span_s), task.number));
        let start = |mut task: VectorTask<'t, 'v>| {
            if let Some(why) = too_coarse(task.vector, request_us) {
                if clock.vague {
                    task.conclude(Verdict::NotApplicable(format!("{why}, since it shows no `_ts`")));
                    return (task, None);
                }
                if task.holds < HOLDS {
                    task.holds = task.holds.saturating_add(1);
                    task.held = true;
                    return (task, Some(now_us.saturating_add(SECOND_US)));
                }
                task.conclude(Verdict::Inconclusive(format!("{why}, since it answers slowly")));
                return (task, None);
            }
            task.booking = self.schedule.book(task.vector, clock.second_from(START_UNTIL_US, now_us));
            let due_us = task.due_us(clock, now_us).unwrap_or(now_us);
            let ends_us = due_us.saturating_add(seconds_us(task.vector.span_s));
            self.ends_us = self.ends_us.max(ends_us);
            if task.attempts.is_first() {
                self.planned_us = self.planned_us.max(ends_us);
            }
            (task, Some(due_us))
        };
        tasks.into_iter().map(start).collect()
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
            done: self.count.saturating_sub(self.left),
            of: self.count,
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

fn seconds_us(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND_US)
}

fn whole_s(us: i64) -> u64 {
    u64::try_from(us / SECOND_US).unwrap_or(0)
}
