//! Edits the text of a list where it changes, and nowhere else.

use std::ops::Range;

use super::{Added, Kind, Known};
use crate::plain::visible;
use crate::yaml::Node;

/// Changes to a text that are still to be made.
pub(super) struct Edit<'a> {
    text: &'a str,
    /// The value of `known`, and its entries.
    list: Option<&'a Node>,
    removed: Vec<usize>,
    added: String,
    /// What stands where instead.
    changes: Vec<(Range<usize>, String)>,
}

impl<'a> Edit<'a> {
    pub(super) fn of(known: &'a Known) -> Self {
        let text = known.source.text.as_str();
        let (removed, added, changes) = (Vec::new(), String::new(), Vec::new());
        Self { text, list: known.tree.get("known"), removed, added, changes }
    }

    fn entries(&self) -> &'a [Node] {
        self.list.map_or(&[], Node::items)
    }

    /// Takes an entry away, with the comments directly above it.
    pub(super) fn remove(&mut self, number: usize) {
        let Some(node) = self.entries().get(number) else { return };
        self.changes.push((self.whole(node), String::new()));
        self.removed.push(number);
    }

    /// Writes another value under a key of an entry.
    pub(super) fn replace(&mut self, number: usize, key: &str, value: &str) {
        let entries = self.entries().get(number).map_or(&[][..], Node::entries);
        let Some((key, node)) = entries.iter().find(|(one, _)| one.name == key) else { return };
        let written = self.text.get(node.span.clone()).unwrap_or("").trim_end().len();
        let end = node.span.start.saturating_add(written);
        // A block starts with its sign, which stands between the key and the text.
        let between = self.text.get(key.span.end..node.span.start).unwrap_or("");
        let sign = between.find(['>', '|']).map(|sign| key.span.end.saturating_add(sign));
        self.changes.push((sign.unwrap_or(node.span.start)..end, value.into()));
    }

    /// Puts an entry after the last.
    pub(super) fn append(&mut self, added: &Added, kind: Kind, reason: &str) {
        let indent = self.indent();
        let lines = [
            format!("- id: {}", added.name),
            format!("  kind: {}", kind.word()),
            format!("  reason: {}", worded(reason)),
            format!("  signature: {}", quoted(&added.signature)),
        ];
        let newline = self.newline();
        self.added.extend(lines.iter().flat_map(|line| [indent, line, newline]));
    }

    /// The text with all changes made.
    pub(super) fn text(mut self) -> String {
        let (empty_before, left) = (self.entries().is_empty(), self.entries().len() > self.removed.len());
        let added = std::mem::take(&mut self.added);
        let after = if added.is_empty() { None } else { self.list.map(|list| self.line_end(list.span.end)) };
        match self.list {
            Some(list) if empty_before && !added.is_empty() => {
                // A list between brackets ends, for the parser, after the comment on its line.
                let rest = self.text.get(list.span.start..).unwrap_or("");
                let end = rest.find(']').map_or(0, |bracket| bracket.saturating_add(1));
                let end = list.span.start.saturating_add(end);
                self.changes.push((self.blanks_before(list.span.start)..end, String::new()));
            }
            Some(list) if !empty_before && !left && added.is_empty() => {
                let key = self.text.get(..list.span.start).and_then(|before| before.rfind("known"));
                let colon = key.and_then(|key| Some(key.saturating_add(self.text.get(key..)?.find(':')?)));
                let at = colon.unwrap_or(list.span.start).saturating_add(1);
                self.changes.push((at..at, " []".into()));
            }
            _ => {}
        }
        if let Some(at) = after {
            let before = self.text.get(..at).unwrap_or("");
            let newline = if before.ends_with('\n') { "" } else { self.newline() };
            self.changes.push((at..at, format!("{newline}{added}")));
        }
        self.made()
    }

    fn made(mut self) -> String {
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

    /// The lines of an entry, with the comments directly above it.
    fn whole(&self, node: &Node) -> Range<usize> {
        let mut start = self.line_start(node.span.start);
        // The dash may stand on a line before.
        while !self.line(start).trim_start().starts_with('-') && 0 < start {
            start = self.line_start(start.saturating_sub(1));
        }
        while 0 < start {
            let above = self.line_start(start.saturating_sub(1));
            if !self.line(above).trim_start().starts_with('#') {
                break;
            }
            start = above;
        }
        let ends = node.entries().iter().map(|(_, value)| value.span.end);
        start..self.line_end(ends.max().unwrap_or(node.span.end))
    }

    /// What stands before the dashes.
    fn indent(&self) -> &'a str {
        let start = self.entries().last().map_or(0, |node| self.line_start(node.span.start));
        let line = self.line(start);
        let dash =
            line.find('-').filter(|dash| line.get(..*dash).is_some_and(|before| before.trim().is_empty()));
        dash.and_then(|dash| line.get(..dash)).filter(|_| !self.entries().is_empty()).unwrap_or("")
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn line_start(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or("");
        before.rfind('\n').map_or(0, |newline| newline.saturating_add(1))
    }

    /// The byte after the line in which the text before this byte ends.
    fn line_end(&self, at: usize) -> usize {
        let at = self.text.get(..at).unwrap_or("").trim_end().len();
        let rest = self.text.get(at..).unwrap_or("");
        rest.find('\n').map_or(self.text.len(), |newline| at.saturating_add(newline).saturating_add(1))
    }

    fn line(&self, start: usize) -> &'a str {
        self.text.get(start..).unwrap_or("").split('\n').next().unwrap_or("")
    }

    fn blanks_before(&self, at: usize) -> usize {
        self.text.get(..at).unwrap_or("").trim_end_matches(' ').len()
    }
}

/// A text as a YAML scalar between quotes, on one line.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", visible(text).replace('\'', "''"))
}

/// A text as a YAML scalar, without quotes where it is nothing but words.
fn worded(text: &str) -> String {
    let text = text.trim();
    let harmless =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | ';' | '(' | ')');
    let words = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.contains(' ');
    if words && text.chars().all(harmless) { text.into() } else { quoted(text) }
}
