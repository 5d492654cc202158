//! Errors in the files that people write, with their places.

#![allow(clippy::arithmetic_side_effects, reason = "places within one text of at most 1 MiB")]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::plain::message;

/// The greatest size of a file that people write.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// A file as it was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, for people.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// Returns a file with this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Where the entry of a list stands that begins on this line, counted from 1: up to the next line that is not deeper.
    pub fn entry_at(&self, line: usize) -> Range<usize> {
        let mut start = 0;
        let mut lines = self.text.split_inclusive('\n');
        for before in lines.by_ref().take(line.saturating_sub(1)) {
            start += before.len();
        }
        let Some(first) = lines.next() else { return self.text.len()..self.text.len() };
        let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let deep = indent(first);
        let mut end = start + first.trim_end().len();
        let mut at = start + first.len();
        for line in lines {
            if !line.trim().is_empty() {
                if indent(line) <= deep {
                    break;
                }
                end = at + line.trim_end().len();
            }
            at += line.len();
        }
        let marker = first.get(deep..).is_some_and(|entry| entry.starts_with("- "));
        start + deep + if marker { 2 } else { 0 }..end
    }

    /// The line and column, both counted from 1, of a byte of the text.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let before = self.text.get(..byte).unwrap_or(&self.text);
        let line = before.matches('\n').count().saturating_add(1);
        let column = before.rsplit('\n').next().unwrap_or("").chars().count().saturating_add(1);
        (line, column)
    }
}

/// A reason why a file cannot be used. Always wrong use, never a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, and where in it; a directory or an unreadable file has only a name.
    pub location: Location,
    /// The error, with the value.
    pub what: String,
    /// The accepted values, and what to do; may be empty.
    pub help: String,
    /// The further errors in the files that were read with this one, in order.
    pub others: Vec<Diagnostic>,
}

/// Where a flaw is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Somewhere in a file that could be read.
    Text {
        /// The file.
        source: Arc<Source>,
        /// The bytes to point at.
        span: Range<usize>,
    },
    /// A file or directory as a whole.
    Path(String),
}

impl Diagnostic {
    /// A flaw of a file or directory as a whole.
    pub fn of_path(path: impl fmt::Display, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Location::Path(path.to_string()), what, help)
    }

    /// Returns several flaws as one; `None` if there are none. After the first 50 only their number is kept.
    pub fn all(flaws: impl IntoIterator<Item = Diagnostic>) -> Option<Diagnostic> {
        const MOST: usize = 50;
        let mut flaws = flaws.into_iter().flat_map(|mut flaw| {
            let others = std::mem::take(&mut flaw.others);
            [flaw].into_iter().chain(others)
        });
        let first = flaws.next()?;
        let mut others: Vec<_> = flaws.by_ref().take(MOST - 1).collect();
        let more = flaws.count();
        if more > 0 {
            let location = others.last().unwrap_or(&first).location.clone();
            others.push(Self::new(
                location,
                format!("{more} more errors"),
                "correct the first ones, then look again",
            ));
        }
        Some(Self { others, ..first })
    }

    fn new(location: Location, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { location, what: what.into(), help: help.into(), others: Vec::new() }
    }

    /// A flaw at a place in a text.
    pub fn at(
        source: &Arc<Source>,
        span: Range<usize>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::new(Location::Text { source: Arc::clone(source), span }, what, help)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Text { source, span } => {
                let (line, column) = source.position(span.start);
                write!(f, "{}:{line}:{column}: {}", message(&source.name), message(&self.what))?;
            }
            Location::Path(path) => write!(f, "{}: {}", message(path), message(&self.what))?,
        }
        if !self.help.is_empty() {
            write!(f, " ({})", message(&self.help))?;
        }
        self.others.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

impl std::error::Error for Diagnostic {}
