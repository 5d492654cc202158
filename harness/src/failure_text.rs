//! A failure as plain text: what differs, what led up to it, and the sentences of the clauses.

use std::fmt::Write as _;

use crate::clauses::Catalogue;
use crate::describe::{answered, asked, lines};
use crate::plain::plain;
use crate::replay::Answered;
use crate::vector::Vector;
use crate::verdict::Failure;

/// Tells a failure, in several lines; the last one of the storyboard is the step that failed.
pub(crate) fn story(
    catalogue: &Catalogue,
    vector: &Vector,
    answers: &[Answered],
    failure: &Failure,
) -> String {
    let (line, _) = vector.source.position(vector.span.start);
    let mut text = plain(&failure.to_string());
    // Writing to a string cannot fail, here and below.
    let _ = write!(text, "\n\n{}\n{}:{line}", vector.title, vector.source.name);
    if let Some(removal) = failure.removal {
        let _ = write!(text, ", with removal {removal}");
    }
    text.push_str("\n\n");
    let steps = vector.steps.iter().zip(answers).take(failure.step.saturating_add(1));
    let steps: Vec<_> =
        steps.map(|(step, seen)| (step.at_s, asked(step), answered(&seen.response))).collect();
    for line in lines(steps.iter().map(|(at_s, asked, answered)| (*at_s, asked.as_str(), answered.as_str())))
    {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    for clause in vector.clauses.iter().filter_map(|id| catalogue.get(id)) {
        let _ = writeln!(text, "{} ({}, {}): {}", clause.id, clause.level, clause.evidence, clause.says);
    }
    text
}
