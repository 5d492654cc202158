//! What follows from one attempt at a vector on a real clock: its result counts, or the vector is replayed again.
//!
//! A failure counts once it has shown twice, the second time in a fresh session and after the target's clock was scanned:
//! one unnoticed step of that clock, or one lost packet, must not fail a correct store.

use crate::target::Status;
use crate::verdict::{VectorResult, Verdict};

/// A vector that stays undecided is replayed this often.
const TRIES: u32 = 4;

/// The attempts at one vector so far.
#[derive(Debug, Default)]
pub(super) struct Attempts<'v> {
    count: u32,
    /// How many ended at a server error.
    errors: u32,
    /// A failure that has to show again, and when it showed.
    failure: Option<(VectorResult<'v>, i64)>,
    /// The last result that decided nothing.
    undecided: Option<VectorResult<'v>>,
}

/// What follows from an attempt.
#[derive(Debug)]
pub(super) enum Next<'v> {
    Finish(VectorResult<'v>),
    /// At once.
    Retry,
    /// After a scan of the target's clock that begins now or later.
    RetryAfterScan,
}

/// What decides whether a vector may be replayed again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leave {
    pub(super) now_us: i64,
    /// Another attempt would end within the budget.
    pub(super) within_budget: bool,
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
    pub(super) fn note(&mut self, mut result: VectorResult<'v>, jumped: bool, leave: Leave) -> Next<'v> {
        self.count = self.count.saturating_add(1);
        let is_error = is_server_error(&result);
        self.errors = self.errors.saturating_add(u32::from(is_error));
        let is_last = self.count >= TRIES || !leave.within_budget;
        match &mut result.verdict {
            Verdict::Fail(_) if (is_error || result.blurred) && !is_last => self.retry(result),
            Verdict::Fail(failure) if is_error && self.errors < self.count => {
                let why = format!("{failure}, which is an error of the server{}", self.tried());
                Next::Finish(VectorResult { verdict: Verdict::Inconclusive(why), ..result })
            }
            Verdict::Fail(failure) => match self.failure.take() {
                Some((first, _)) => {
                    let is_earlier = |(first, second): (&Verdict, usize)| matches!(first, Verdict::Fail(first) if first.step < second);
                    let earlier = is_earlier((&first.verdict, failure.step));
                    Next::Finish(if earlier { first } else { result })
                }
                None if is_error || leave.trusts_failures => Next::Finish(result),
                None => {
                    self.failure = Some((result, leave.now_us));
                    Next::RetryAfterScan
                }
            },
            Verdict::Pass if !jumped => match self.failure.take() {
                None => Next::Finish(result),
                Some((failed, _)) => {
                    let why = failed.verdict.reason().unwrap_or_default();
                    let why = format!("failed once, and passed when it was replayed again: {why}");
                    Next::Finish(VectorResult { verdict: Verdict::Inconclusive(why), ..result })
                }
            },
            Verdict::Inconclusive(_) | Verdict::Broken(_) if !is_last => self.retry(result),
            Verdict::Inconclusive(why) | Verdict::Broken(why) => {
                why.push_str(&self.tried());
                Next::Finish(result)
            }
            _ => Next::Finish(result),
        }
    }

    /// What is said where there is no further attempt.
    pub(super) fn given_up(self, why: &str) -> Option<VectorResult<'v>> {
        let Some((failed, _)) = self.failure else { return self.undecided };
        let failure = failed.verdict.reason().unwrap_or_default();
        let verdict =
            Verdict::Inconclusive(format!("failed once, and was not replayed again, since {why}: {failure}"));
        Some(VectorResult { verdict, ..failed })
    }

    fn retry(&mut self, result: VectorResult<'v>) -> Next<'v> {
        self.undecided = Some(result);
        Next::Retry
    }

    fn tried(&self) -> String {
        format!(" (tried {} times)", self.count)
    }
}

/// Whether the vector failed for a status from 500 to 599, which says nothing about time to live unless it stays.
fn is_server_error(result: &VectorResult<'_>) -> bool {
    let Verdict::Fail(failure) = &result.verdict else { return false };
    let answer = result.answers.get(failure.step);
    answer.is_some_and(|answer| matches!(answer.response.status, Status::Other(500..=599)))
}
