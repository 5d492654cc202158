//! A failure as plain text: what differs, the storyboard up to there, and the sentences of the clauses.

use std::fmt::Write as _;

use crate::clauses::Catalogue;
use crate::vector::{Step, Vector};
use crate::verdict::Failure;

/// Tells a failure, in several lines.
pub(crate) fn story(catalogue: &Catalogue, vector: &Vector, failure: &Failure) -> String {
    let (line, _) = vector.source.position(vector.span.start);
    let mut text = one_line(&failure.to_string());
    // Writing to a string cannot fail, here and below.
    let _ = write!(text, "\n\n{}\n{}:{line}", vector.title, vector.source.name);
    if let Some(removal) = failure.removal {
        let _ = write!(text, ", with removal {removal}");
    }
    text.push_str("\n\n");
    for (number, step) in vector.steps.iter().enumerate().take(failure.step.saturating_add(1)) {
        let mark = if number == failure.step { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {:>6} s  {}", step.at_s, as_written(vector, step));
    }
    text.push('\n');
    for clause in vector.clauses.iter().filter_map(|id| catalogue.get(id)) {
        let _ = writeln!(text, "{} ({}, {}): {}", clause.id, clause.level, clause.evidence, clause.says);
    }
    text
}

/// The step as it stands in the file; further lines stand below the first.
fn as_written(vector: &Vector, step: &Step) -> String {
    let text = vector.source.text.get(step.span.clone()).unwrap_or("");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n          ")
}

/// Text from a target, made harmless: no line breaks, no control characters.
pub(crate) fn one_line(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_target_cannot_leave_its_line() {
        assert_eq!(one_line("a\n\u{1b}[31mü \"b\"\u{202e}"), r#"a\n\u{1b}[31mü "b"\u{202e}"#);
    }
}
