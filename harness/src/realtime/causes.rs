//! The causes of failures on a real clock: what was asked, expected and answered, whatever differs from vector to vector.
//!
//! A cause is confirmed once a failure of it has shown twice, in sessions of their own. Three vectors that fail once each
//! confirm it, too, if between any two of them the target's clock was scanned: no single step of it explains all three.

use std::collections::{BTreeMap, BTreeSet};

use super::clock_view::SECOND_US;
use crate::target::Body;
use crate::vector::{ExpectedResponse, Step};
use crate::verdict::{Answered, VectorResult, Verdict};

/// So many vectors that fail once each confirm their cause.
const WITNESSES: u32 = 3;

/// So many causes are many.
const MANY: usize = 3;

/// What was asked, expected and answered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    operation: &'static str,
    expected: String,
    got: String,
}

impl Cause {
    /// The cause of a failure; `None` without one.
    pub(super) fn of(result: &VectorResult<'_>) -> Option<Self> {
        let Verdict::Fail(failure) = &result.verdict else { return None };
        let step = result.vector.steps.get(failure.step)?;
        let operation = step.request.word();
        let ids = |more: bool| if more { "others" } else { "fewer" };
        if let Some(more) = lists_more(step, result.answers.get(failure.step)?) {
            return Some(Self { operation, expected: "ids".into(), got: ids(more).into() });
        }
        // A lifetime and a second differ from vector to vector.
        let without_numbers = |yaml: &str| yaml.chars().filter(|c| !c.is_ascii_digit()).collect();
        let signature = &failure.signature;
        let (expected, got) = (without_numbers(&signature.expected), without_numbers(&signature.got));
        Some(Self { operation, expected, got })
    }
}

/// Whether a list or a count holds something that it must not; `None` of anything else.
fn lists_more(step: &Step, answer: &Answered) -> Option<bool> {
    step.expect.outcomes().find_map(|outcome| match (outcome, &answer.response.body) {
        (ExpectedResponse::Ids(ids), Body::Ids(got)) => Some(got.iter().any(|id| !ids.contains(id))),
        (ExpectedResponse::Count(count), Body::Count(got)) => Some(count < got),
        (ExpectedResponse::CountWithin(_, most), Body::Count(got)) => Some(most < got),
        _ => None,
    })
}

/// What is known of the causes so far.
#[derive(Debug, Default)]
pub(super) struct Causes<'v> {
    confirmed: BTreeSet<Cause>,
    /// How many failures of a cause cannot have been made by the same step of the clock, and when it was scanned after the last.
    witnesses: BTreeMap<Cause, (u32, i64)>,
    /// How many causes these confirmed.
    pub(super) witnessed: usize,
    /// How many failures of a cause are being replayed.
    replayed: BTreeMap<Cause, usize>,
    /// Failures that did not show again, or could not be tried again: the place of the vector, and whether it passed then.
    once: Vec<(usize, VectorResult<'v>, bool)>,
}

impl<'v> Causes<'v> {
    pub(super) fn is_confirmed(&self, cause: Option<&Cause>) -> bool {
        cause.is_some_and(|cause| self.confirmed.contains(cause))
    }

    /// Whether several causes are confirmed, and no failure was refuted.
    pub(super) fn has_many(&self) -> bool {
        self.confirmed.len() >= MANY && self.once(true) == 0
    }

    pub(super) fn confirm(&mut self, cause: Option<Cause>) {
        self.confirmed.extend(cause);
    }

    /// Counts a failure after which the clock was scanned and had not jumped.
    pub(super) fn witness(&mut self, cause: &Cause, failed_us: i64, now_us: i64) {
        let (count, scanned_us) = self.witnesses.entry(cause.clone()).or_insert((0, i64::MIN));
        if scanned_us.saturating_add(SECOND_US) < failed_us {
            (*count, *scanned_us) = (count.saturating_add(1), now_us);
        }
        if *count >= WITNESSES && self.confirmed.insert(cause.clone()) {
            self.witnessed = self.witnessed.saturating_add(1);
        }
    }

    /// How many failures of this cause are being replayed.
    pub(super) fn replayed(&mut self, cause: &Cause) -> &mut usize {
        self.replayed.entry(cause.clone()).or_default()
    }

    /// Keeps a failure that did not show again, since the vector passed or since there was no further attempt.
    pub(super) fn keep(&mut self, place: usize, failed: VectorResult<'v>, passed: bool) {
        self.once.push((place, failed, passed));
    }

    /// How many failures of causes that are not confirmed did not show again, or could not be tried again.
    pub(super) fn once(&self, passed: bool) -> usize {
        let stands = |failed| self.is_confirmed(Cause::of(failed).as_ref());
        self.once.iter().filter(|(_, failed, then)| *then == passed && !stands(failed)).count()
    }

    /// Returns those that stand in the end, since their cause was confirmed.
    pub(super) fn stand(&mut self) -> Vec<(usize, VectorResult<'v>)> {
        let confirmed = &self.confirmed;
        let stands =
            |failed: &VectorResult<'_>| Cause::of(failed).is_some_and(|cause| confirmed.contains(&cause));
        let once = self.once.extract_if(.., |(_, failed, _)| stands(failed));
        once.map(|(place, failed, _)| (place, failed)).collect()
    }
}
