//! What is wrong with a file that people write, and where.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

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
    /// What is wrong, with the value.
    pub what: String,
    /// What is accepted, and what to do; may be empty.
    pub help: String,
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
        Self { location: Location::Path(path.to_string()), what: what.into(), help: help.into() }
    }

    /// A flaw at a place in a text.
    pub fn at(
        source: &Arc<Source>,
        span: Range<usize>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            location: Location::Text { source: Arc::clone(source), span },
            what: what.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Text { source, span } => {
                let (line, column) = source.position(span.start);
                write!(f, "{}:{line}:{column}: {}", source.name, self.what)?;
            }
            Location::Path(path) => write!(f, "{path}: {}", self.what)?,
        }
        if self.help.is_empty() { Ok(()) } else { write!(f, " ({})", self.help) }
    }
}

impl std::error::Error for Diagnostic {}
