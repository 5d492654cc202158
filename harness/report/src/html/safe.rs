//! Text from elsewhere on the page: cut short, and without anything that steers or reorders. Also names for places.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::Report;
use cosmos_ttl_harness::plain::visible;

/// No text is shown longer than this.
const MOST_CHARS: usize = 1000;

/// No text of several lines is shown longer than this.
pub(super) const MOST_LINES: usize = 200;

/// One line of text.
pub(super) fn safe(text: &str) -> String {
    cut(text, MOST_CHARS)
}

/// One line of text, no longer than this many characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => visible(text.get(..end).unwrap_or("")) + "…",
        None => visible(text),
    }
}

/// A sentence in which text between backticks is code.
pub(super) fn sentence(text: &str) -> Markup {
    let text = safe(text);
    let parts: Vec<_> = text.split('`').collect();
    // An odd backtick is only that.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (number, part) in parts.iter().enumerate() {
            @if number.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

/// Text whose lines stay lines.
pub(super) fn lines(text: &str) -> String {
    let mut lines: Vec<_> = text.lines().take(MOST_LINES).map(safe).collect();
    if text.lines().nth(MOST_LINES).is_some() {
        lines.push("…".into());
    }
    lines.join("\n")
}

/// The text, if it is an address that may be followed from here.
pub(super) fn link(text: &str) -> Option<&str> {
    let known = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let plain = text.len() <= MOST_CHARS && visible(text) == text && !text.contains(char::is_whitespace);
    (known && plain).then_some(text)
}

/// Names for the places of vectors and clauses, each used once, whatever the reports say.
pub(super) struct Anchors<'a> {
    vectors: Vec<String>,
    clauses: BTreeMap<&'a str, String>,
}

impl<'a> Anchors<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let mut taken = BTreeSet::new();
        let vectors = report.cases.iter().map(|case| unique("v", &case.name, &mut taken)).collect();
        let mut clauses = BTreeMap::new();
        for clause in report.clauses() {
            clauses.entry(clause.id.as_str()).or_insert_with(|| unique("c", &clause.id, &mut taken));
        }
        Self { vectors, clauses }
    }

    /// The place of the vector with this number.
    pub(super) fn vector(&self, number: usize) -> &str {
        self.vectors.get(number).map_or("main", String::as_str)
    }

    /// The place of a clause; `None` of one that the report does not have.
    pub(super) fn clause(&self, id: &str) -> Option<&str> {
        self.clauses.get(id).map(String::as_str)
    }
}

/// The place of the section with this number, which the name makes readable.
pub(super) fn section_anchor(number: usize, name: &str) -> String {
    format!("s{number}-{}", slug(name))
}

fn unique(kind: &str, name: &str, taken: &mut BTreeSet<String>) -> String {
    let wanted = format!("{kind}-{}", slug(name));
    let anchor = if taken.contains(&wanted) { format!("{wanted}.{}", taken.len()) } else { wanted };
    taken.insert(anchor.clone());
    anchor
}

/// The characters of a text that need no escape in the name of a place.
fn slug(text: &str) -> String {
    let plain = |c: char| match c {
        '/' => '.',
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    text.chars().take(80).map(plain).collect()
}
