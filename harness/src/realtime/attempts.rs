//! The consequence of one attempt at a vector on a real clock: its result counts, or the vector is replayed again.
//!
//! A failure counts once it has shown twice, the second time in a fresh session and after the target's clock was scanned:
//! one unnoticed step of that clock, or one lost packet, must not fail a correct store. It counts at once if another of its
//! cause has shown twice, or if it is wrong by seconds.

use super::causes::Cause;
use crate::target::Status;
use crate::verdict::{Outcome, VectorResult, Verdict};

/// A vector that stays undecided is replayed this often next to others. After that it has its seconds to itself, until the
/// budget ends; if all these attempts ended at the same step without an answer, that was no chance.
const TRIES: u32 = 4;

/// An error of the server is its answer if at least this many attempts end there, at the same step, and none ends otherwise.
const STEADY: u32 = 3;

/// The attempts at one vector so far.
#[derive(Debug, Default)]
pub(super) struct Attempts<'v> {
    count: u32,
    /// How and at which step the last ones ended without a usable answer, and how many of them.
    ended: (Option<(Outcome, usize)>, u32),
    /// A failure that has to show again, and when it showed.
    failure: Option<(VectorResult<'v>, i64)>,
    /// The last result that decided nothing.
    undecided: Option<VectorResult<'v>>,
}

/// The consequence of an attempt.
#[derive(Debug)]
pub(super) enum Next<'v> {
    Finish(Box<VectorResult<'v>>),
    /// At once.
    Retry,
    /// After a scan of the target's clock that begins now or later.
    RetryAfterScan,
}

/// The facts that decide whether a vector may be replayed again.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryFacts {
    /// When the last request was answered.
    pub(super) answered_us: i64,
    /// Another attempt would end in time, and could end otherwise.
    pub(super) may_retry: bool,
    /// The failure needs no second session, or its cause is confirmed.
    pub(super) is_confirmed: bool,
}

impl<'v> Attempts<'v> {
    pub(super) fn is_first(&self) -> bool {
        self.count == 0
    }

    /// Other vectors may have made its answers late again and again.
    pub(super) fn wants_to_be_alone(&self) -> bool {
        self.count >= TRIES && self.undecided.as_ref().is_some_and(|result| result.blurred)
    }

    /// When the failure showed that has to show again.
    pub(super) fn failed_us(&self) -> Option<i64> {
        self.failure.as_ref().map(|(_, at_us)| *at_us)
    }

    /// The cause of the failure that has to show again.
    pub(super) fn cause(&self) -> Option<Cause> {
        self.failure.as_ref().and_then(|(failed, _)| Cause::of(failed))
    }

    /// Takes out the failure that has not shown again.
    pub(super) fn take_failure(&mut self) -> Option<VectorResult<'v>> {
        self.failure.take().map(|(failed, _)| failed)
    }

    /// Notes a failure that cannot be tried again.
    pub(super) fn failed(&mut self, result: VectorResult<'v>, answered_us: i64) {
        self.failure.get_or_insert((result, answered_us));
    }

    /// Takes the result of an attempt.
    pub(super) fn note(&mut self, result: VectorResult<'v>, facts: RetryFacts) -> Next<'v> {
        self.count = self.count.saturating_add(1);
        let (ended, error) = (ended(&result), is_server_error(&result));
        let before = self.ended.1;
        self.ended = (ended, if ended == self.ended.0 { before.saturating_add(1) } else { 1 });
        let is_steady = ended.is_some() && self.ended.1 == self.count;
        let may_retry = facts.may_retry && !(is_steady && self.count >= TRIES);
        match &result.verdict {
            Verdict::Fail(_) if may_retry && !facts.is_confirmed && (error || result.blurred) => {
                self.retry(result)
            }
            Verdict::Fail(_) if error && (facts.is_confirmed || is_steady && self.count >= STEADY) => {
                Next::Finish(Box::new(result))
            }
            Verdict::Fail(failure) if error => {
                let why = format!("{failure}, which is an error of the server");
                Next::Finish(self.undecided(result, &why))
            }
            Verdict::Fail(failure) => match self.take_failure() {
                Some(first) => {
                    let is_earlier =
                        matches!(&first.verdict, Verdict::Fail(first) if first.step < failure.step);
                    Next::Finish(Box::new(if is_earlier { first } else { result }))
                }
                None if facts.is_confirmed => Next::Finish(Box::new(result)),
                None => {
                    self.failed(result, facts.answered_us);
                    Next::RetryAfterScan
                }
            },
            Verdict::Pass if self.failure.is_some() => {
                Next::Finish(self.undecided(result, "passed when it was replayed again"))
            }
            Verdict::Inconclusive(_) | Verdict::Broken(_) if facts.is_confirmed && self.failure.is_some() => {
                Next::Finish(Box::new(self.take_failure().unwrap_or(result)))
            }
            Verdict::Inconclusive(_) | Verdict::Broken(_) if may_retry => self.retry(result),
            Verdict::Inconclusive(why) => {
                let why = why.clone();
                Next::Finish(self.undecided(result, &why))
            }
            Verdict::Broken(why) => {
                let verdict = Verdict::Broken(format!("{why}{}", self.tried()));
                Next::Finish(Box::new(VectorResult { verdict, ..result }))
            }
            _ => Next::Finish(Box::new(result)),
        }
    }

    /// Returns the result if there is no further attempt, for this reason; `None` if there was no attempt.
    pub(super) fn given_up(&mut self, why: &str, stands: bool) -> Option<VectorResult<'v>> {
        if let Some((failed, _)) = self.failure.clone() {
            let Verdict::Fail(failure) = &failed.verdict else { return Some(failed) };
            let once = format!("failed once, and was not replayed again, since {why}: {failure}");
            let verdict = if stands { failed.verdict } else { Verdict::Inconclusive(once) };
            return Some(VectorResult { verdict, ..failed });
        }
        let result = self.undecided.take()?;
        let verdict = match result.verdict {
            Verdict::Fail(failure) => {
                Verdict::Inconclusive(format!("{failure}; was not replayed again, since {why}"))
            }
            Verdict::Inconclusive(why) => Verdict::Inconclusive(why + &self.tried()),
            Verdict::Broken(why) => Verdict::Broken(why + &self.tried()),
            verdict => verdict,
        };
        Some(VectorResult { verdict, ..result })
    }

    fn retry(&mut self, result: VectorResult<'v>) -> Next<'v> {
        self.undecided = Some(result);
        Next::Retry
    }

    /// Says why a vector stays undecided, and that it failed once if it did.
    fn undecided(&self, result: VectorResult<'v>, why: &str) -> Box<VectorResult<'v>> {
        let tried = self.tried();
        let failed = self.failure.as_ref().and_then(|(failed, _)| failed.verdict.reason());
        let verdict = Verdict::Inconclusive(match failed {
            Some(failed) => format!("failed once: {failed}; then: {why}{tried}"),
            None => format!("{why}{tried}"),
        });
        Box::new(VectorResult { verdict, ..result })
    }

    fn tried(&self) -> String {
        if self.count > 1 { format!(" (tried {} times)", self.count) } else { String::new() }
    }
}

/// Whether the vector failed for a status from 500 to 599, which says nothing about time to live unless it stays.
pub(super) fn is_server_error(result: &VectorResult<'_>) -> bool {
    let Verdict::Fail(failure) = &result.verdict else { return false };
    let answer = result.answers.get(failure.step);
    answer.is_some_and(|answer| matches!(answer.response.status, Status::Other(500..=599)))
}

/// How and at which step an attempt ended without an answer that says anything; `None` if it did not, or only came late.
fn ended(result: &VectorResult<'_>) -> Option<(Outcome, usize)> {
    let outcome = result.verdict.outcome();
    let is_unanswered = matches!(outcome, Outcome::Inconclusive | Outcome::Broken) && !result.blurred;
    (is_unanswered || is_server_error(result)).then_some((outcome, result.answers.len()))
}
