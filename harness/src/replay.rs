//! Replays one vector through one session.

use std::ops::RangeInclusive;

use crate::judge::{Judge, Judged};
use crate::target::{Fault, Request, Response, Session};
use crate::vector::{Condition, Vector};
use crate::verdict::{Choice, Failure, Verdict};

/// The whole seconds of the target's clock in which it may have dealt with a request.
pub type Window = RangeInclusive<i64>;

/// Who lets time pass while a vector is replayed.
pub trait Pace {
    /// Returns at this second of the vector.
    ///
    /// # Errors
    ///
    /// A [`Fault`] where that cannot be done.
    fn reach(&mut self, session: &mut dyn Session, at_s: u64) -> Result<(), Fault>;

    /// Sends a request. Also says when the target may have dealt with it, where that is not known exactly.
    ///
    /// # Errors
    ///
    /// A [`Fault`] where there is no answer.
    fn send(
        &mut self,
        session: &mut dyn Session,
        request: &Request,
    ) -> Result<(Response, Option<Window>), Fault>;
}

/// A clock that the harness moves: every request is dealt with exactly when the vector says.
#[derive(Debug, Default)]
pub struct VirtualPace {
    now_s: u64,
}

impl Pace for VirtualPace {
    fn reach(&mut self, session: &mut dyn Session, at_s: u64) -> Result<(), Fault> {
        match at_s.saturating_sub(self.now_s) {
            0 => Ok(()),
            seconds => {
                self.now_s = at_s;
                session.pass(seconds)
            }
        }
    }

    fn send(
        &mut self,
        session: &mut dyn Session,
        request: &Request,
    ) -> Result<(Response, Option<Window>), Fault> {
        Ok((session.send(request)?, None))
    }
}

/// What came of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What is said of the vector.
    pub verdict: Verdict,
    /// What the target chose where it may, in the order of the steps.
    pub choices: Vec<Choice>,
    /// How many requests were answered.
    pub requests: usize,
}

/// Replays a vector through a session that was opened for it, up to the first answer that is not as expected.
///
/// # Errors
///
/// [`Fault::Misuse`] only; every other fault is a verdict.
pub fn replay(vector: &Vector, session: &mut dyn Session, pace: &mut dyn Pace) -> Result<Replayed, Fault> {
    let mut judge = Judge::new(vector);
    let mut answers = Vec::with_capacity(vector.steps.len());
    let verdict = steps(vector, session, pace, &mut judge, &mut answers)?;
    let requests = answers.len();
    let verdict = match verdict {
        Verdict::Fail(failure) => Verdict::Fail(Failure { answers, ..failure }),
        verdict => verdict,
    };
    Ok(Replayed { verdict, choices: judge.into_choices(), requests })
}

fn steps<'a>(
    vector: &'a Vector,
    session: &mut dyn Session,
    pace: &mut dyn Pace,
    judge: &mut Judge<'a>,
    answers: &mut Vec<Response>,
) -> Result<Verdict, Fault> {
    for (number, step) in vector.steps.iter().enumerate() {
        let conditional;
        let request = if step.conditions.is_empty() {
            &step.request
        } else {
            match with_etags(&step.request, &step.conditions, judge) {
                Ok(request) => {
                    conditional = request;
                    &conditional
                }
                Err(why) => return Ok(Verdict::Unsupported(why)),
            }
        };
        let answered = pace.reach(session, step.at_s).and_then(|()| pace.send(session, request));
        let (response, window) = match answered {
            Ok(answered) => answered,
            Err(fault) => return at_fault(fault, step.at_s),
        };
        let judged = judge.judge(number, step, &response, window);
        answers.push(response);
        match judged {
            Judged::AsExpected => {}
            Judged::Differs { expected, got } => {
                return Ok(Verdict::Fail(Failure {
                    step: number,
                    at_s: step.at_s,
                    expected,
                    got,
                    answers: Vec::new(),
                    removal: None,
                }));
            }
            Judged::Unsupported(why) => return Ok(Verdict::Unsupported(why)),
            Judged::Inconclusive(why) => return Ok(Verdict::Inconclusive(why)),
        }
    }
    Ok(Verdict::Pass)
}

fn at_fault(fault: Fault, at_s: u64) -> Result<Verdict, Fault> {
    match fault {
        Fault::Unsupported(why) => Ok(Verdict::Unsupported(why)),
        Fault::Unknown(why) => Ok(Verdict::Inconclusive(format!("at second {at_s}: {why}"))),
        Fault::Broken(why) => Ok(Verdict::Broken(format!("at second {at_s}: {why}"))),
        Fault::Misuse(why) => Err(Fault::Misuse(why)),
    }
}

/// The request with the etags that its conditions mean.
fn with_etags(
    request: &Request,
    conditions: &[(usize, Condition)],
    judge: &Judge<'_>,
) -> Result<Request, String> {
    let mut request = request.clone();
    for (number, condition) in conditions {
        let operation = match &mut request {
            Request::Item(operation) => Some(operation),
            Request::Batch(operations) => operations.get_mut(*number),
            _ => None,
        };
        let Some(operation) = operation else { continue };
        let etag = judge.etag(operation.id(), *condition)?;
        operation.require(etag);
    }
    Ok(request)
}
