//! Replays one vector through one session.

use crate::catch_panic::catch_panic;
use crate::etags;
use crate::judge::{Judge, StepAnswer};
use crate::observation_window::{ClockInterval, ObservationWindow};
use crate::target::{Fault, Request, Response, Session};
use crate::vector::{Step, Vector};
use crate::verdict::{Answered, VectorResult, Verdict};

/// Replays a vector through a session that was opened for it and whose clock the harness moves, up to the first answer
/// that is not as expected.
///
/// # Errors
///
/// [`Fault::Misuse`] only; every other fault is a verdict.
pub fn replay<'a>(vector: &'a Vector, session: &mut dyn Session) -> Result<VectorResult<'a>, Fault> {
    let mut replay = Replay::new(vector);
    let mut now_s = 0;
    while let Some(step) = replay.next_step() {
        replay.ask(|request| {
            let seconds = step.at_s.saturating_sub(now_s);
            if seconds > 0 {
                catch_panic(|| session.pass(seconds))?;
                now_s = step.at_s;
            }
            // Every request is dealt with exactly when the vector says.
            Ok((catch_panic(|| session.send(request))?, None))
        })?;
    }
    Ok(replay.into_result())
}

/// A replay that goes on step by step, whoever lets the time between them pass.
pub(crate) struct Replay<'a> {
    vector: &'a Vector,
    judge: Judge<'a>,
    answers: Vec<Answered>,
    verdict: Option<Verdict>,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(vector: &'a Vector) -> Self {
        let answers = Vec::with_capacity(vector.steps.len());
        Self { vector, judge: Judge::new(vector), answers, verdict: None }
    }

    /// The step to take next; `None` once the verdict stands.
    pub(crate) fn next_step(&self) -> Option<&'a Step> {
        match self.verdict {
            None => self.vector.steps.get(self.answers.len()),
            Some(_) => None,
        }
    }

    /// In which seconds of the target's clock to take it.
    pub(crate) fn observation_window(&self) -> ObservationWindow<'a> {
        self.next_step().map(|step| self.judge.observation_window(step)).unwrap_or_default()
    }

    /// Takes the next step. `send` answers the request, and says when the target may have dealt with it, where that is
    /// not known exactly.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only; every other fault is a verdict.
    pub(crate) fn ask(
        &mut self,
        send: impl FnOnce(&Request) -> Result<(Response, Option<ClockInterval>), Fault>,
    ) -> Result<(), Fault> {
        let Some(step) = self.next_step() else { return Ok(()) };
        let meant = |id: &str, condition| self.judge.etag(id, condition);
        self.verdict = match etags::sent(&step.request, &step.conditions, meant) {
            Ok(request) => self.answered(step, send(&request))?,
            Err(why) => Some(Verdict::Unsupported(why)),
        };
        Ok(())
    }

    /// Concludes without the rest of the steps.
    pub(crate) fn give_up(&mut self, verdict: Verdict) {
        self.verdict.get_or_insert(verdict);
    }

    pub(crate) fn into_result(self) -> VectorResult<'a> {
        let Judge { choices, blurred, .. } = self.judge;
        let verdict = self.verdict.or(blurred.map(Verdict::Inconclusive)).unwrap_or(Verdict::Pass);
        VectorResult { choices, answers: self.answers, ..VectorResult::unasked(self.vector, verdict) }
    }

    fn answered(
        &mut self,
        step: &'a Step,
        answer: Result<(Response, Option<ClockInterval>), Fault>,
    ) -> Result<Option<Verdict>, Fault> {
        let (response, window) = match answer {
            Ok(answer) => answer,
            Err(fault) => return Verdict::of_fault(fault, &format!("at second {}: ", step.at_s)).map(Some),
        };
        let number = self.answers.len();
        let answer = StepAnswer { number, step, response: &response, window: window.as_ref() };
        let verdict = self.judge.judge(&answer);
        self.answers.push(Answered { response, window, as_expected: verdict.is_none() });
        Ok(verdict)
    }
}
