//! Edits the text of a list where it changes, and nowhere else.

use std::ops::Range;

use crate::plain::visible;
use crate::yaml::Node;

pub(super) struct Edit<'a> {
    text: &'a str,
    tree: &'a Node,
    /// The replacements of these bytes.
    changes: Vec<(Range<usize>, String)>,
    removed: usize,
    added: String,
}

impl<'a> Edit<'a> {
    pub(super) fn new(text: &'a str, tree: &'a Node) -> Self {
        Self { text, tree, changes: Vec::new(), removed: 0, added: String::new() }
    }

    pub(super) fn entries(&self) -> &'a [Node] {
        self.tree.items_of("known")
    }

    /// Takes an entry away, with the comments directly above it.
    pub(super) fn remove(&mut self, entry: &Node) {
        let mut start = self.line_start(entry.span.start);
        // The dash may stand on a line before.
        while start > 0 && !self.starts(start, '-') {
            start = self.line_start(start - 1);
        }
        while start > 0 && self.starts(self.line_start(start - 1), '#') {
            start = self.line_start(start - 1);
        }
        let ends = entry.entries().iter().map(|(_, value)| value.span.end);
        let end = self.line_end(ends.max().unwrap_or(entry.span.end));
        self.changes.push((start..end, String::new()));
        self.removed += 1;
    }

    /// Writes another value under a key.
    pub(super) fn replace(&mut self, map: &Node, key: &str, value: &str) {
        let Some(node) = map.get(key) else { return };
        let end = node.span.start + without_comment(self.slice(node.span.clone())).len();
        self.changes.push((node.span.start..end, value.into()));
    }

    /// Puts an entry of these lines after the last.
    pub(super) fn append(&mut self, lines: &[String]) {
        let before = self.entries().last().map_or("", |last| {
            let line = self.slice(self.line_start(last.span.start)..self.text.len());
            line.split_once('-').map_or("", |(before, _)| before)
        });
        let indent = if before.trim().is_empty() { before } else { "" };
        let newline = self.newline();
        self.added.extend(lines.iter().flat_map(|line| [indent, line, newline]));
    }

    pub(super) fn text(mut self) -> String {
        if let Some((key, list)) = self.tree.entries().iter().find(|(key, _)| key.name == "known") {
            let (count, start) = (self.entries().len(), list.span.start);
            if count == 0 && !self.added.is_empty() {
                // `known: []` becomes `known:`. A list between brackets ends, for the parser, after the comment on its line.
                let end = self.slice(start..self.text.len()).find(']').map_or(start, |end| start + end + 1);
                let blanks = self.slice(0..start).trim_end_matches(' ').len();
                self.changes.push((blanks..end, String::new()));
            } else if count > 0 && count == self.removed && self.added.is_empty() {
                let colon = self.slice(key.span.end..start).find(':').unwrap_or(0);
                let after = key.span.end + colon + 1;
                self.changes.push((after..after, " []".into()));
            }
            if !self.added.is_empty() {
                let at = self.line_end(list.span.end);
                let newline = if self.slice(0..at).ends_with('\n') { "" } else { self.newline() };
                self.changes.push((at..at, format!("{newline}{}", self.added)));
            }
        }
        self.changes.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut text, mut at) = (String::with_capacity(self.text.len()), 0);
        for (range, value) in &self.changes {
            text.push_str(self.slice(at..range.start));
            text.push_str(value);
            at = at.max(range.end);
        }
        text + self.slice(at..self.text.len())
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    fn line_start(&self, at: usize) -> usize {
        self.slice(0..at).rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The byte after the line in which the text before this byte ends.
    fn line_end(&self, at: usize) -> usize {
        let at = self.slice(0..at).trim_end().len();
        let rest = self.slice(at..self.text.len());
        rest.find('\n').map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// Whether a line starts so, behind its indent.
    fn starts(&self, line_start: usize, sign: char) -> bool {
        let line = self.slice(line_start..self.text.len()).lines().next();
        line.is_some_and(|line| line.trim_start().starts_with(sign))
    }
}

/// A value without what follows it; for the parser, a comment after brackets may belong to it.
fn without_comment(value: &str) -> &str {
    let whole = value.trim_end();
    if !value.starts_with('{') {
        return whole;
    }
    let comments = value.match_indices(" #").map(|(at, _)| value.get(..at).unwrap_or("").trim_end());
    comments.chain([whole]).find(|before| before.ends_with('}')).unwrap_or(whole)
}

/// A text as a YAML scalar between quotes, on one line.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", visible(text).replace('\'', "''"))
}

/// A text as a YAML scalar, without quotes where it is nothing but words.
pub(super) fn worded(text: &str) -> String {
    let text = text.trim();
    let harmless =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | ';' | '(' | ')');
    let words = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.contains(' ');
    if words && text.chars().all(harmless) { text.into() } else { quoted(text) }
}
