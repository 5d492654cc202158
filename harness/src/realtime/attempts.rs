//! The consequence of one attempt at a vector on a real clock: its result counts, or the vector is replayed again.
//!
//! A failure counts once it has shown twice, the second time in a fresh session and after the target's clock was scanned:
//! one unnoticed step of that clock, or one lost packet, must not fail a correct store.

use crate::target::Status;
use crate::verdict::{VectorResult, Verdict};

/// A vector that stays undecided is replayed this often.
const TRIES: u32 = 4;

/// An error of the server is its answer if at least this many attempts end there, at the same step, and none ends otherwise.
const STEADY: u32 = 3;

/// The attempts at one vector so far.
#[derive(Debug, Default)]
pub(super) struct Attempts<'v> {
    count: u32,
    /// At which step the last ones ended at a server error, and how many of them.
    errors: (usize, u32),
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
pub(super) struct Leave {
    pub(super) now_us: i64,
    /// Another attempt would end in time, and could end otherwise.
    pub(super) may_retry: bool,
    /// Enough failures have shown again, and there is no time for this one.
    pub(super) trusts_failures: bool,
}

impl<'v> Attempts<'v> {
    pub(super) fn is_first(&self) -> bool {
        self.count == 0
    }

    /// When the failure showed that has to show again.
    pub(super) fn failed_us(&self) -> Option<i64> {
        self.failure.as_ref().map(|(_, at_us)| *at_us)
    }

    /// Takes the result of an attempt. `jumped` is whether the clock is known to have jumped since the first failure.
    pub(super) fn note(&mut self, result: VectorResult<'v>, jumped: bool, leave: Leave) -> Next<'v> {
        self.count = self.count.saturating_add(1);
        let error = server_error(&result);
        let is_error = error.is_some();
        self.errors = match (error, self.errors) {
            (Some(step), (before, count)) if step == before => (step, count.saturating_add(1)),
            (step, _) => (step.unwrap_or(0), u32::from(is_error)),
        };
        let may_retry = leave.may_retry && self.count < TRIES;
        match &result.verdict {
            Verdict::Fail(_) if may_retry && (is_error || result.blurred) => self.retry(result),
            Verdict::Fail(_) if is_error && self.errors.1 == self.count && self.count >= STEADY => {
                Next::Finish(Box::new(result))
            }
            Verdict::Fail(failure) if is_error => {
                let why = format!("{failure}, which is an error of the server");
                Next::Finish(self.undecided(result, &why))
            }
            Verdict::Fail(failure) => match self.failure.take() {
                Some((first, _)) => {
                    let is_earlier =
                        matches!(&first.verdict, Verdict::Fail(first) if first.step < failure.step);
                    Next::Finish(Box::new(if is_earlier { first } else { result }))
                }
                None if leave.trusts_failures => Next::Finish(Box::new(result)),
                None => {
                    self.failure = Some((result, leave.now_us));
                    Next::RetryAfterScan
                }
            },
            Verdict::Pass if !jumped && self.failure.is_some() => {
                Next::Finish(self.undecided(result, "passed when it was replayed again"))
            }
            Verdict::Inconclusive(_) | Verdict::Broken(_) if may_retry => self.retry(result),
            Verdict::Inconclusive(_) if leave.trusts_failures && self.failure.is_some() => {
                let failed = self.failure.take().map_or(result, |(failed, _)| failed);
                Next::Finish(Box::new(failed))
            }
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
    pub(super) fn given_up(self, why: &str, trusts_failures: bool) -> Option<VectorResult<'v>> {
        if let Some((failed, _)) = self.failure {
            let Verdict::Fail(failure) = &failed.verdict else { return Some(failed) };
            let once = format!("failed once, and was not replayed again, since {why}: {failure}");
            let verdict = if trusts_failures { failed.verdict } else { Verdict::Inconclusive(once) };
            return Some(VectorResult { verdict, ..failed });
        }
        let result = self.undecided?;
        let verdict = match result.verdict {
            Verdict::Fail(failure) => {
                Verdict::Inconclusive(format!("{failure}; was not replayed again, since {why}"))
            }
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

/// The step at which the vector failed for a status from 500 to 599, which says nothing about time to live unless it stays.
fn server_error(result: &VectorResult<'_>) -> Option<usize> {
    let Verdict::Fail(failure) = &result.verdict else { return None };
    let answer = result.answers.get(failure.step)?;
    matches!(answer.response.status, Status::Other(500..=599)).then_some(failure.step)
}
