//! The steps of a vector as a report holds them.

use std::iter;

use cosmos_ttl_harness::describe::{answered, asked, lines, wanted};
use cosmos_ttl_harness::replay::Answered;
use cosmos_ttl_harness::vector::{self, Vector};

use super::{Case, Step};

/// The steps of a vector, and what the first of them were answered.
pub(crate) fn told(vector: &Vector, answers: &[Answered]) -> Vec<Step> {
    let answers = answers.iter().map(Some).chain(iter::repeat(None));
    let tell = |(step, seen): (&vector::Step, Option<&Answered>)| Step {
        at_s: step.at_s,
        asked: asked(step),
        expected: wanted(step),
        answered: seen.map(|seen| answered(&seen.response)),
        as_expected: seen.map(|seen| seen.as_expected),
        window: seen.and_then(|seen| seen.window.clone()).map(|window| [*window.start(), *window.end()]),
    };
    vector.steps.iter().zip(answers).map(tell).collect()
}

/// What a vector has shown so far, one line a step: those that were answered, up to the one that failed.
pub(crate) fn so_far(case: &Case) -> Vec<String> {
    let last = case.failure.as_ref().map_or(usize::MAX, |failure| failure.step);
    let steps = case.steps.iter().take(last.saturating_add(1));
    lines(steps.filter_map(|step| Some((step.at_s, step.asked.as_str(), step.answered.as_deref()?))))
}
