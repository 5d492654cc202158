//! A page of refusals: each is checked for its place, and all are shown together.

use std::fmt::Write as _;
use std::path::Path;

use cosmos_ttl_harness::diagnostic::{Diagnostic, Location};
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::vector::Suite;

use cosmos_ttl_testing::{GOOD, scratch};

/// Refusals of one kind.
pub(crate) struct Page {
    name: &'static str,
    text: String,
    wrong: Vec<String>,
}

impl Page {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, text: String::new(), wrong: Vec::new() }
    }

    /// The good catalogue with a part replaced is refused there, `line:column`.
    #[track_caller]
    pub(crate) fn clauses(&mut self, from: &str, to: &str, at: &str) {
        self.replaced(GOOD[0], from, to, at);
    }

    #[track_caller]
    fn replaced(&mut self, (file, text): (&str, &str), from: &str, to: &str, at: &str) {
        assert_eq!(text.matches(from).count(), 1, "`{from}` stands there once");
        self.refused(file, text.replace(from, to).as_bytes(), at);
    }

    /// A file with these bytes is refused there; as a whole, if `at` is empty.
    #[track_caller]
    pub(crate) fn whole(&mut self, file: &str, bytes: &[u8], at: &str) {
        self.refused(file, bytes, at);
    }

    #[track_caller]
    fn refused(&mut self, file: &str, bytes: &[u8], at: &str) {
        let directory = scratch(&format!("refused-{}", self.name), &[(file, bytes)]);
        let Err(flaw) = Suite::load(&directory) else {
            panic!("accepted: {}", String::from_utf8_lossy(bytes));
        };
        let place = match at {
            "" => format!("{}: ", directory.join(file).display()),
            at => format!("{}:{at}: ", directory.join(file).display()),
        };
        if !flaw.to_string().starts_with(&place) {
            let line = std::panic::Location::caller().line();
            self.wrong.push(format!("line {line}, at {at}: {flaw}"));
        }
        self.show(&flaw, &directory);
    }

    /// A directory is refused.
    #[track_caller]
    pub(crate) fn directory(&mut self, what: &str, directory: &Path) {
        let flaw = Suite::load(directory).unwrap_err();
        let _ = writeln!(self.text, "{what}");
        self.show(&flaw, directory);
    }

    /// The file's line with the place marked, then the words.
    fn show(&mut self, flaw: &Diagnostic, directory: &Path) {
        let text = flaw.to_string().replace(&directory.display().to_string(), "vectors");
        if let Location::Text { source, span } = &flaw.location {
            let (line, column) = source.position(span.start);
            let shown: String = source.text.lines().nth(line - 1).unwrap_or("").chars().take(100).collect();
            let _ = writeln!(self.text, "{}", visible(&shown));
            let _ = writeln!(self.text, "{}^", " ".repeat(column.min(100) - 1));
        }
        let _ = writeln!(self.text, "{text}\n");
    }

    /// Every place was right, and the words are those of the snapshot.
    #[track_caller]
    pub(crate) fn done(self) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        insta::assert_snapshot!(self.name, self.text);
    }
}
