//! Makes a report that somebody else may have written as harmless as one of our own.

use serde_json::Value;

use super::{Excerpt, Report};
use cosmos_ttl_harness::plain::visible;

/// No line is longer. More than whatever a report of our own has, which so stays as it is.
const MOST_CHARS: usize = 4096;

/// No text of several lines has more.
const MOST_LINES: usize = 2000;

/// No file has more lines than this, whatever a report says.
const MOST_LINES_OF_A_FILE: usize = 10_000_000;

/// The fields whose text stands on several lines; everything else stays on one.
const OF_SEVERAL_LINES: [&str; 2] = ["log", "text"];

impl Report {
    /// The same report, of which no text can steer a terminal, reorder what stands beside it, or go on without end, and
    /// whose places are in the texts they point into. Whatever reads a report from a file does this first.
    #[must_use]
    pub fn made_harmless(self) -> Self {
        let told = serde_json::to_value(&self).map(|value| harmless(value, false));
        // Only texts were changed, and none of those that the form knows by heart has anything to change.
        let mut report = told.and_then(serde_json::from_value).unwrap_or(self);
        let failures = report.cases.iter_mut().filter_map(|case| case.failure.as_mut());
        failures.for_each(|failure| keep_inside(&mut failure.source));
        report
    }
}

/// Goes by the shape, not by the fields, so that none that is added later is forgotten.
fn harmless(value: Value, lines: bool) -> Value {
    match value {
        Value::String(text) if lines => several_lines(&text).into(),
        Value::String(text) => line(&text).into(),
        Value::Array(values) => values.into_iter().map(|value| harmless(value, lines)).collect(),
        Value::Object(fields) => {
            let each = fields.into_iter().map(|(name, value)| {
                let lines = OF_SEVERAL_LINES.contains(&name.as_str());
                (name, harmless(value, lines))
            });
            Value::Object(each.collect())
        }
        other => other,
    }
}

/// What is written out may be longer than what it was written from, so the bound is that of what comes out: doing it
/// again changes nothing.
fn line(text: &str) -> String {
    let some = text.char_indices().nth(MOST_CHARS.saturating_add(1)).map_or(text.len(), |(end, _)| end);
    let shown = visible(text.get(..some).unwrap_or(""));
    match shown.char_indices().nth(MOST_CHARS) {
        None => shown,
        Some(_) => shown.chars().take(MOST_CHARS.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn several_lines(text: &str) -> String {
    text.lines().take(MOST_LINES).map(line).collect::<Vec<_>>().join("\n")
}

/// A place stays in its text, and between two characters of it.
fn keep_inside(excerpt: &mut Excerpt) {
    let Excerpt { line, text, start, end, .. } = excerpt;
    *line = (*line).min(MOST_LINES_OF_A_FILE);
    let within = |byte: usize| {
        let byte = byte.min(text.len());
        (0..=byte).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or(0)
    };
    (*start, *end) = (within(*start), within(*end));
    *end = (*end).max(*start);
}
