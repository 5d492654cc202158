//! Edits the text of a list where it changes, and nowhere else.
#![allow(clippy::arithmetic_side_effects, reason = "places within one text of at most 1 MiB")]

use std::ops::Range;

use crate::plain::visible;
use crate::yaml::Node;

/// Changes to a text that are still to be made.
pub(super) struct Edit<'a> {
    text: &'a str,
    tree: &'a Node,
    /// What replaces these bytes.
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
    pub(super) fn remove(&mut self, number: usize) {
        let Some(node) = self.entries().get(number) else { return };
        let mut start = self.line_start(node.span.start);
        // The dash may stand on a line before.
        while start > 0 && !self.line(start).trim_start().starts_with('-') {
            start = self.line_start(start - 1);
        }
        while start > 0 && self.line(self.line_start(start - 1)).trim_start().starts_with('#') {
            start = self.line_start(start - 1);
        }
        let ends = node.entries().iter().map(|(_, value)| value.span.end);
        let end = self.line_end(ends.max().unwrap_or(node.span.end));
        self.changes.push((start..end, String::new()));
        self.removed += 1;
    }

    /// Writes another value under a key, and perhaps another key.
    pub(super) fn replace(&mut self, map: &Node, key: &str, new_key: &str, value: &str) {
        let Some((key, node)) = map.entries().iter().find(|(one, _)| one.name == key) else { return };
        let written = without_comment(self.text.get(node.span.clone()).unwrap_or(""));
        // A block starts with its sign, which stands between the key and the text.
        let between = self.text.get(key.span.end..node.span.start).unwrap_or("");
        let start = between.find(['>', '|']).map_or(node.span.start, |sign| key.span.end + sign);
        self.changes.push((start..node.span.start + written, value.into()));
        if key.name != new_key {
            self.changes.push((key.span.clone(), new_key.into()));
        }
    }

    /// Puts an entry of these lines after the last.
    pub(super) fn append(&mut self, lines: &[String]) {
        let start = self.entries().last().map(|node| self.line_start(node.span.start));
        let before =
            start.and_then(|start| self.line(start).split_once('-')).map_or("", |(before, _)| before);
        let indent = if before.trim().is_empty() { before } else { "" };
        let newline = self.newline();
        self.added.extend(lines.iter().flat_map(|line| [indent, line, newline]));
    }

    /// The text with all changes made.
    pub(super) fn text(mut self) -> String {
        if let Some(list) = self.tree.get("known") {
            self.keep_a_list(list);
            if !self.added.is_empty() {
                let at = self.line_end(list.span.end);
                let before = self.text.get(..at).unwrap_or("");
                let newline = if before.ends_with('\n') { "" } else { self.newline() };
                self.changes.push((at..at, format!("{newline}{}", self.added)));
            }
        }
        self.changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        for (range, value) in &self.changes {
            text.push_str(self.text.get(at..range.start).unwrap_or(""));
            text.push_str(value);
            at = at.max(range.end);
        }
        text.push_str(self.text.get(at..).unwrap_or(""));
        text
    }

    /// `known: []` becomes `known:` before the first entry, and the other way round after the last.
    fn keep_a_list(&mut self, list: &Node) {
        let (count, start) = (self.entries().len(), list.span.start);
        if count == 0 && !self.added.is_empty() {
            // A list between brackets ends, for the parser, after the comment on its line.
            let end =
                self.text.get(start..).and_then(|rest| rest.find(']')).map_or(start, |end| start + end + 1);
            let blanks = self.text.get(..start).unwrap_or("").trim_end_matches(' ').len();
            self.changes.push((blanks..end, String::new()));
        } else if count > 0 && count == self.removed && self.added.is_empty() {
            let key = self.text.get(..start).and_then(|before| before.rfind("known")).unwrap_or(start);
            let colon =
                self.text.get(key..).and_then(|rest| rest.find(':')).map_or(start, |colon| key + colon);
            self.changes.push((colon + 1..colon + 1, " []".into()));
        }
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    /// The byte after the line in which the text before this byte ends.
    fn line_end(&self, at: usize) -> usize {
        let at = self.text.get(..at).unwrap_or("").trim_end().len();
        let rest = self.text.get(at..).unwrap_or("");
        rest.find('\n').map_or(self.text.len(), |newline| at + newline + 1)
    }

    fn line(&self, start: usize) -> &'a str {
        self.text.get(start..).unwrap_or("").split('\n').next().unwrap_or("")
    }
}

/// The length of a value; for the parser, a comment after quotes or brackets may belong to it.
fn without_comment(value: &str) -> usize {
    let closing = match value.chars().next() {
        Some('{') => '}',
        Some('[') => ']',
        Some(quote @ ('\'' | '"')) => quote,
        _ => return value.trim_end().len(),
    };
    let ends = |before: &&str| {
        let quotes = before.matches(closing).count();
        before.len() > 1 && before.ends_with(closing) && (matches!(closing, '}' | ']') || quotes % 2 == 0)
    };
    let comments = value.match_indices(" #").map(|(at, _)| value.get(..at).unwrap_or("").trim_end());
    comments.chain([value.trim_end()]).find(ends).unwrap_or(value.trim_end()).len()
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
