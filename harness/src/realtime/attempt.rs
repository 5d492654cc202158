//! One attempt at one vector: a session of its own, and when to ask what.

use std::collections::BTreeMap;

use super::clock::{SECOND_US, ServerClock};
use super::start_schedule::Booking;
use super::time::Time;
use crate::catch_panic::catch_panic;
use crate::replay::{Replay, Replayed};
use crate::target::{Fault, Opening, Operation, Session, Target};
use crate::vector::{Step, Vector};
use crate::verdict::Verdict;

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

/// A vector being replayed.
pub(super) struct Attempt<'t, 'v> {
    vector: &'v Vector,
    session: Box<dyn Session + 't>,
    replay: Replay<'v>,
    /// The vector's second 0 by the target's clock; moves on where the target is late.
    origin: i64,
    /// Its place among those that are due in the same second, in thousandths.
    places: BTreeMap<u64, i64>,
    /// From the sending of the first request that depends on the clock to the answer to the last.
    timed_us: Option<(i64, i64)>,
}

/// An attempt that is over.
pub(super) struct Finished {
    pub(super) replayed: Replayed,
    /// From when to when the clock mattered.
    pub(super) timed_us: Option<(i64, i64)>,
}

/// How the clock is known, as far as an attempt cares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacing {
    pub(super) clock: ServerClock,
    pub(super) round_trip_us: i64,
}

impl<'t, 'v> Attempt<'t, 'v> {
    pub(super) fn open(target: &'t dyn Target, opening: Opening, vector: &'v Vector) -> Result<Self, Fault> {
        let session = catch_panic(|| target.open(&opening))?;
        let replay = Replay::new(vector);
        Ok(Self { vector, session, replay, origin: 0, places: BTreeMap::new(), timed_us: None })
    }

    /// Asks whatever does not depend on the clock: all that comes before the first write at second 0, or everything.
    ///
    /// A container may be older than its vector, since nothing counts from its making.
    pub(super) fn prepare(&mut self, everything: bool) -> Result<(), Fault> {
        while self.replay.next_step().is_some_and(|step| everything || !needs_clock(step)) {
            let session = &mut self.session;
            self.replay.ask(|request| Ok((catch_panic(|| session.send(request))?, None)))?;
        }
        Ok(())
    }

    /// When its first request was sent that depends on the clock.
    pub(super) fn begun_us(&self) -> Option<i64> {
        self.timed_us.map(|(from_us, _)| from_us)
    }

    pub(super) fn is_over(&self) -> bool {
        self.replay.next_step().is_none()
    }

    pub(super) fn start(&mut self, booking: Booking) {
        self.origin = booking.origin;
        self.places = booking.places;
    }

    /// Asks all that is due, and says when to go on; `None` when the vector is over.
    pub(super) fn go(&mut self, time: &impl Time, pacing: Pacing) -> Result<Option<i64>, Fault> {
        while let Some(due_us) = self.due_us(pacing, time.now_us()) {
            if time.now_us() < due_us {
                return Ok(Some(due_us));
            }
            self.ask(time, pacing.clock)?;
        }
        Ok(None)
    }

    /// When the next step is due; gives up where there is no good moment for it.
    pub(super) fn due_us(&mut self, pacing: Pacing, now_us: i64) -> Option<i64> {
        let step = self.replay.next_step()?;
        let meant = self.origin.saturating_add_unsigned(step.at_s);
        let Some(second) = self.replay.observation_window().nearest(meant) else {
            self.replay.give_up(Verdict::Inconclusive(format!(
                "at second {}: the target was late before, so that no moment would show what is meant",
                step.at_s
            )));
            return None;
        };
        Some(pacing.clock.moment_us(second, self.phase_us(step, pacing, now_us), now_us))
    }

    /// Where in its second the step is sent.
    fn phase_us(&self, step: &Step, pacing: Pacing, now_us: i64) -> i64 {
        let place = self.places.get(&step.at_s).copied().unwrap_or(0);
        let base_us = if writes(step) { WRITE_US } else { LOOK_US };
        let phase_us = base_us.saturating_add(SPREAD_US.saturating_mul(place) / 1000);
        let same_second = self.vector.steps.iter().filter(|other| other.at_s == step.at_s).count();
        let answers_us = i64::try_from(same_second)
            .unwrap_or(i64::MAX)
            .saturating_mul(2)
            .saturating_mul(pacing.round_trip_us);
        let latest_us = SECOND_US
            .saturating_sub(pacing.clock.width_us(now_us))
            .saturating_sub(answers_us)
            .saturating_sub(REST_US);
        phase_us.min(latest_us).max(SOONEST_US)
    }

    fn ask(&mut self, time: &impl Time, clock: ServerClock) -> Result<(), Fault> {
        let Some(step) = self.replay.next_step() else { return Ok(()) };
        let Self { session, replay, origin, timed_us, .. } = self;
        replay.ask(|request| {
            let sent_us = time.now_us();
            let response = catch_panic(|| session.send(request));
            let answered_us = time.now_us();
            *timed_us = Some((timed_us.map_or(sent_us, |(from_us, _)| from_us), answered_us));
            let window = clock.window(sent_us, answered_us);
            // Whoever was late stays as late, so that what follows keeps its distance.
            *origin = (*origin).max(window.start().saturating_sub_unsigned(step.at_s));
            Ok((response?, Some(window)))
        })
    }

    /// Closes the session; a pass does not survive a fault there.
    pub(super) fn finish(mut self) -> Finished {
        let replayed = self.replay.into_replayed().closed(self.session.as_mut());
        Finished { replayed, timed_us: self.timed_us }
    }

    pub(super) fn close(&mut self) -> Result<(), Fault> {
        catch_panic(|| self.session.close())
    }
}

fn needs_clock(step: &Step) -> bool {
    0 < step.at_s || writes(step)
}

fn writes(step: &Step) -> bool {
    step.request.operations().iter().any(Operation::is_write)
}
