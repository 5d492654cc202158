//! Which vectors a real clock can judge.

use super::clock::SECOND_US;
use crate::run;
use crate::target::{About, Opening};
use crate::vector::{ExpectedResponse, Vector};
use crate::verdict::Verdict;

/// So much of a second is not counted on.
const SPARE_US: i64 = 150_000;

/// Under what the target is opened for this vector, once for each schedule of removal.
///
/// # Errors
///
/// The verdict of a vector that does not apply.
pub(super) fn openings(about: &About, vector: &Vector, budget_s: u64) -> Result<Vec<Opening>, Verdict> {
    let openings = run::openings(about, vector)?;
    if budget_s < vector.span_s {
        return Err(Verdict::NotApplicable(format!(
            "lasts longer than the budget of {budget_s} s (--budget)"
        )));
    }
    Ok(openings)
}

/// Whether nothing that the vector expects depends on the clock.
pub(super) fn is_timeless(vector: &Vector) -> bool {
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
pub(super) fn too_coarse(vector: &Vector, request_us: i64, why: &str) -> Option<Verdict> {
    let margin_s = vector.margin_s?;
    // In the very second of a deadline, and in the one before, the request must fall into that second alone.
    let room_us = i64::try_from(margin_s.max(1)).unwrap_or(i64::MAX).saturating_mul(SECOND_US);
    if request_us.saturating_add(SPARE_US) < room_us {
        return None;
    }
    Some(Verdict::NotApplicable(format!(
        "looks {margin_s} s from a deadline; {why}, a request to this target is known only to {} ms",
        request_us / 1000
    )))
}
