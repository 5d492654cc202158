//! One vector as a task of the scheduler: its session, its replay, and when it asks what.

use super::Time;
use super::attempts::Attempts;
use super::causes::Cause;
use super::clock::Pace;
use super::clock_probe::read_clock;
use super::clock_view::{ClockView, SECOND_US, seconds_us};
use super::start_schedule::Booking;
use crate::catch_panic::catch_panic;
use crate::exchange_log::VectorScope;
use crate::replay::Replay;
use crate::target::{Body, Fault, Operation, Request, RequestOptions, Response, Session, Target};
use crate::vector::{ExpectedResponse, Step, Vector};
use crate::verdict::{VectorResult, Verdict};

/// Looks are sent early in their second and writes in the middle of it. A store that counts from the instant of the
/// write, and not from its second, so shows its items too long.
const LOOK_US: i64 = 80_000;
const WRITE_US: i64 = 400_000;
/// Those that are due in the same second are spread over so much of it.
const SPREAD_US: i64 = 200_000;
/// Nothing is sent sooner after a tick.
const SOONEST_US: i64 = 60_000;
/// How long, and how often, a session that failed twice is asked for its time, until its clock has ticked.
pub(super) const CHECK_US: i64 = SECOND_US + 100_000;
const CHECK_EVERY_US: i64 = 25_000;
/// After its last answer a verdict waits for this many looks at the clock.
const CONFIRMED_AFTER: i64 = 4;
/// An answer that is as wrong after so many seconds, and so many from each deadline, is wrong whatever the clock is.
const APART_S: i64 = 2;
/// An answer is late that comes so much later than after four usual round trips.
const LATE_US: i64 = 350_000;
/// So much of a second is left over after the last answer that is expected in it.
const REST_US: i64 = 50_000;

/// When a task goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// At this moment.
    At(i64),
    /// When the tasks say, once the target's clock is known.
    Start,
    /// Never: it is over, and its session closed.
    Over,
}

/// A vector: a session of its own, and when to ask what.
pub(super) struct VectorTask<'t, 'v> {
    /// The vector's place among those that were given.
    pub(super) place: usize,
    pub(super) vector: &'v Vector,
    target: &'t dyn Target,
    /// Nothing that the vector expects depends on the clock.
    pub(super) timeless: bool,
    pub(super) attempts: Attempts<'v>,
    /// How often it was held back for a second in which the clock may be known well enough.
    pub(super) holds: u32,
    /// Waits until it is started once more.
    pub(super) held: bool,
    /// The cause of its failure, while it is counted among those that are replayed.
    pub(super) replayed: Option<Cause>,
    running: Option<(Box<dyn Session + 't>, Replay<'v>)>,
    /// A failure that shows again counts only if the clock behind its own session is the one that the harness knows: for so
    /// long the session is asked.
    pub(super) check_us: i64,
    check: Option<SessionCheck<'t, 'v>>,
    /// How many requests were answered since the task last went on, and how many of these late.
    pub(super) answers: (usize, usize),
    /// When the run ends, whatever is still to be asked.
    pub(super) ends_us: i64,
    /// What failed was asked once more, and whether the answer was as wrong.
    asked_again: Option<bool>,
    /// Its origin moves on where the target is late.
    pub(super) booking: Booking,
    /// When the session of this attempt was opened.
    opened_us: i64,
    /// From the sending of the first request that depends on the clock to the answer to the last.
    timed_us: Option<(i64, i64)>,
    /// When the last step was answered.
    pub(super) answered_us: i64,
    /// The result of this attempt; only misuse is a fault.
    pub(super) result: Option<Result<VectorResult<'v>, Fault>>,
    /// When its second 0 must have come.
    pub(super) latest_us: i64,
    /// Another attempt would end as this one did.
    pub(super) is_hopeless: bool,
}

/// A session whose replay failed again, while the harness looks at its clock.
struct SessionCheck<'t, 'v> {
    session: Box<dyn Session + 't>,
    result: VectorResult<'v>,
    until_us: i64,
    looks: u64,
}

impl SessionCheck<'_, '_> {
    /// Looks once; returns when to look again. A session that shows no `_ts` leaves the result as it is.
    fn look(&mut self, time: &impl Time, clock: ClockView) -> Option<i64> {
        self.looks = self.looks.saturating_add(1);
        let reading = read_clock(self.session.as_mut(), self.looks, time).ok().flatten()?;
        if !clock.window(reading.sent_us, reading.answered_us).contains(&reading.ts) {
            self.result.verdict =
                Verdict::Inconclusive("the server behind its session has a clock of its own".into());
            return None;
        }
        let next_us = reading.sent_us.saturating_add(CHECK_EVERY_US).max(reading.answered_us);
        Some(next_us).filter(|next_us| *next_us < self.until_us)
    }
}

impl<'t, 'v> VectorTask<'t, 'v> {
    pub(super) fn new(place: usize, vector: &'v Vector, target: &'t dyn Target) -> Self {
        Self {
            place,
            vector,
            target,
            timeless: is_timeless(vector),
            attempts: Attempts::default(),
            holds: 0,
            held: false,
            replayed: None,
            running: None,
            check_us: 0,
            check: None,
            answers: (0, 0),
            ends_us: i64::MAX,
            asked_again: None,
            booking: Booking::default(),
            opened_us: 0,
            timed_us: None,
            answered_us: 0,
            result: None,
            latest_us: i64::MAX,
            is_hopeless: false,
        }
    }
}

impl VectorTask<'_, '_> {
    /// Opens the session and asks whatever does not depend on the clock: all that comes before the first write at second
    /// 0, or everything.
    ///
    /// A container may be older than its vector, since nothing counts from its making.
    fn prepare(&mut self, time: &impl Time) -> Result<(), Fault> {
        (self.timed_us, self.opened_us, self.asked_again) = (None, time.now_us(), None);
        // A failure must show again where no earlier session has left anything.
        let reuses = self.attempts.is_first() && !self.vector.needs_new_container();
        let open = || {
            if reuses { self.target.open_reused() } else { self.target.open() }
        };
        match catch_panic(open) {
            Ok(session) => {
                let (session, replay) = self.running.insert((session, Replay::new(self.vector).looking_up()));
                let may_ask = |step| time.now_us() <= self.latest_us && (self.timeless || !needs_clock(step));
                while replay.next_step().is_some_and(may_ask) {
                    replay.ask(|request, options| {
                        (catch_panic(|| session.send_with(request, options)), None)
                    })?;
                }
                self.answered_us = time.now_us();
            }
            Err(fault) => self.conclude(Verdict::of_fault(fault, "before second 0: ")?),
        }
        Ok(())
    }

    /// How long it takes until second 0 may come, with a session that is still to be opened.
    pub(super) fn prepares_us(&self, pace: Pace) -> i64 {
        let before = self.vector.steps.iter().take_while(|step| self.timeless || !needs_clock(step));
        before.fold(0, |us, step| us.saturating_add(step_us(step, pace)))
    }

    /// How long it takes from second 0 until its verdict counts.
    pub(super) fn lasts_us(&self, pace: Pace) -> i64 {
        let timed = self.vector.steps.iter().skip_while(|step| self.timeless || !needs_clock(step));
        let answered_us =
            timed.fold(0_i64, |us, step| us.max(seconds_us(step.at_s)).saturating_add(step_us(step, pace)));
        let confirms_us = pace.request_us.saturating_mul(CONFIRMED_AFTER);
        answered_us.max(seconds_us(self.vector.span_s)).saturating_add(confirms_us)
    }

    fn go_on(&mut self, time: &impl Time, clock: ClockView) -> Result<Turn, Fault> {
        let _scope = VectorScope::new(&self.vector.name);
        if self.held {
            self.held = false;
            return Ok(Turn::Start);
        }
        if self.running.is_none() && self.check.is_none() {
            self.prepare(time)?;
            if self.running.as_ref().is_some_and(|(_, replay)| replay.next_step().is_some()) {
                return Ok(Turn::Start);
            }
        }
        while let Some(due_us) = self.due_us(clock, time.now_us()) {
            let now_us = time.now_us();
            if now_us < due_us || self.ends_us <= now_us {
                return Ok(Turn::At(due_us));
            }
            let due_us = due_us.max(self.answered_us);
            self.ask(time, clock)?;
            let took_us = self.answered_us.saturating_sub(due_us);
            let is_late = took_us > clock.round_trip_us.saturating_mul(4).saturating_add(LATE_US);
            let (answers, late) = self.answers;
            self.answers = (answers.saturating_add(1), late.saturating_add(usize::from(is_late)));
        }
        if let Some(due_us) = self.again_us(clock, time.now_us()) {
            if time.now_us() < due_us {
                return Ok(Turn::At(due_us));
            }
            self.ask(time, clock)?;
        }
        if let Some((session, replay)) = self.running.take() {
            let until_us = time.now_us().saturating_add(self.check_us);
            self.check = Some(SessionCheck { session, result: replay.into_result(), until_us, looks: 0 });
        }
        let checks = !self.timeless && !clock.vague;
        if let Some(check) = &mut self.check
            && checks
            && matches!(check.result.verdict, Verdict::Fail(_))
            && let Some(next_us) = check.look(time, clock)
        {
            return Ok(Turn::At(next_us));
        }
        if let Some(SessionCheck { mut session, result, .. }) = self.check.take() {
            let duration_us = u64::try_from(time.now_us().saturating_sub(self.opened_us)).ok();
            // A pass does not survive a fault in closing.
            self.result = Some(Ok(VectorResult { duration_us, ..result.closed(session.as_mut()) }));
        }
        Ok(Turn::Over)
    }

    /// Takes this for its result, without any request of its vector.
    pub(super) fn conclude(&mut self, verdict: Verdict) {
        self.result = Some(Ok(VectorResult::unasked(self.vector, verdict)));
    }

    /// When the next step is due; gives up where there is no good moment for it.
    pub(super) fn due_us(&mut self, clock: ClockView, now_us: i64) -> Option<i64> {
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

    /// When to ask once more what failed for the first time.
    fn again_us(&self, clock: ClockView, now_us: i64) -> Option<i64> {
        let may_ask =
            self.attempts.is_first() && self.asked_again.is_none() && !self.timeless && !clock.vague;
        let (_, replay) = self.running.as_ref().filter(|_| may_ask)?;
        Some(clock.moment_us(replay.second_to_ask_again(APART_S)?, LOOK_US, now_us))
    }

    /// The answer was wrong by seconds: no second session is needed.
    pub(super) fn is_wrong_by_seconds(&self) -> bool {
        self.asked_again == Some(true)
    }

    /// Asks what comes next, or once more what failed.
    fn ask(&mut self, time: &impl Time, clock: ClockView) -> Result<(), Fault> {
        let Self { running: Some((session, replay)), booking, timed_us, .. } = self else { return Ok(()) };
        let next = replay.next_step();
        let send = |request: &Request, options: &RequestOptions| {
            let sent_us = time.now_us();
            let mut response = catch_panic(|| session.send_with(request, options));
            let answered_us = time.now_us();
            // With a clock that is not known, the seconds are the harness's own: no `_ts` can be compared with them.
            if let (true, Ok(Response { body: Body::Item(item), .. })) = (clock.vague, &mut response) {
                item.ts = None;
            }
            *timed_us = Some((timed_us.map_or(sent_us, |(from_us, _)| from_us), answered_us));
            let window = clock.window(sent_us, answered_us);
            // Whoever was late stays as late, so that what follows keeps its distance.
            if let Some(step) = next {
                booking.origin = booking.origin.max(window.start().saturating_sub_unsigned(step.at_s));
            }
            (response, Some(window))
        };
        match next {
            Some(_) => {
                replay.ask(send)?;
                self.answered_us = time.now_us();
            }
            None => self.asked_again = Some(replay.ask_again(send)?),
        }
        Ok(())
    }
}

impl VectorTask<'_, '_> {
    /// Goes on as long as there is something to ask, and says when to go on after that.
    pub(super) fn go(&mut self, time: &impl Time, clock: ClockView) -> Turn {
        self.go_on(time, clock).unwrap_or_else(|misuse| {
            self.leave();
            self.result = Some(Err(misuse));
            Turn::Over
        })
    }

    /// Closes its session before its time. Its verdict does not depend on whether that works, and is none about time to live.
    pub(super) fn leave(&mut self) {
        let running = self.running.take().map(|(session, replay)| (session, replay.into_result()));
        let check = self.check.take().map(|check| (check.session, check.result));
        for (mut session, result) in running.into_iter().chain(check) {
            let _ = catch_panic(|| session.close());
            if matches!(result.verdict, Verdict::Fail(_)) {
                self.result.get_or_insert(Ok(result));
            }
        }
    }

    /// Returns when it first sent a request that depends on the target's clock.
    pub(super) fn begun_us(&self) -> Option<i64> {
        self.timed_us.map(|(from_us, _)| from_us)
    }

    /// Returns from when to when the clock must have run evenly for what it says to hold; `None` where it says nothing.
    pub(super) fn claims_us(&self) -> Option<(i64, i64)> {
        match &self.result {
            Some(Ok(VectorResult { verdict: Verdict::Pass | Verdict::Fail(_), .. })) => self.timed_us,
            _ => None,
        }
    }
}

fn step_us(step: &Step, pace: Pace) -> i64 {
    let creates = matches!(step.request, Request::CreateContainer(_));
    if creates { pace.container_us } else { pace.request_us }
}

fn needs_clock(step: &Step) -> bool {
    step.at_s > 0 || writes(step)
}

fn writes(step: &Step) -> bool {
    step.request.operations().iter().any(Operation::is_write)
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
