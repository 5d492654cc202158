//! Reads the layout that our own files have, many times as fast as a whole parser.
//!
//! Takes only what leaves no room for doubt. Of anything else it says nothing, and the parsers decide: whatever is
//! wrong with a file is found, and told, by them.

use super::value::is_text;
use super::{Key, Kind, Node, is_exact, looks_like_a_number};

/// Well below what the parsers allow, which count otherwise.
const MAX_DEPTH: usize = 16;

/// Well below the 1024 characters that a key may have; a map with more entries is looked through too slowly here.
const MAX_KEY_BYTES: usize = 64;
const MAX_ENTRIES: usize = 64;

/// Reads a whole text, or nothing.
pub(super) fn read(text: &str) -> Option<Node> {
    let mut scan = Scan { text, at: 0, column: None, end: 0, depth: 0 };
    scan.next_content()?;
    if scan.column != Some(0) {
        return None;
    }
    let root = scan.block(0)?;
    (scan.at == text.len()).then_some(root)
}

/// A place in the text, between two things.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The column of the thing that stands here, the first of its line; `None` at the end of the text.
    column: Option<usize>,
    /// Where the last line ended that had anything in it.
    end: usize,
    depth: usize,
}

impl<'a> Scan<'a> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or(&[])
    }

    fn rest_of_line(&self) -> &'a [u8] {
        let rest = self.rest();
        rest.iter().position(|byte| *byte == b'\n').and_then(|end| rest.get(..end)).unwrap_or(rest)
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn skip_spaces(&mut self) -> usize {
        let spaces = self.rest().iter().take_while(|byte| **byte == b' ').count();
        self.skip(spaces);
        spaces
    }

    /// Leaves a line in which nothing more stands than a comment.
    fn end_line(&mut self) -> Option<()> {
        let start = self.at;
        let spaces = self.skip_spaces();
        match self.byte() {
            Some(b'#') if 0 < spaces => {
                let comment = self.comment()?;
                self.end = self.at.saturating_add(comment.trim_ascii_end().len());
                self.skip(comment.len());
            }
            None | Some(b'\n') => self.end = start,
            Some(_) => return None,
        }
        self.skip(1);
        self.next_content()
    }

    /// Goes to the next line that has anything in it.
    fn next_content(&mut self) -> Option<()> {
        loop {
            let spaces = self.skip_spaces();
            match self.byte() {
                Some(b'\n') => self.skip(1),
                Some(b'#') => {
                    let comment = self.comment()?;
                    self.skip(comment.len().saturating_add(1));
                }
                Some(_) => {
                    self.column = Some(spaces);
                    return Some(());
                }
                None => {
                    self.at = self.text.len();
                    self.column = None;
                    return Some(());
                }
            }
        }
    }

    /// The rest of the line, with no character that some reader takes for a space, a break or none at all.
    fn comment(&self) -> Option<&'a [u8]> {
        let line = self.rest_of_line();
        if line.iter().copied().all(is_printable) {
            return Some(line);
        }
        let known = |c| matches!(c, ' '..='~' | '\u{a1}'..='\u{167f}');
        std::str::from_utf8(line).ok()?.chars().all(known).then_some(line)
    }

    fn block(&mut self, column: usize) -> Option<Node> {
        self.deeper(|scan| if scan.is_at_item() { scan.list(column) } else { scan.map(column) })
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Option<Node>) -> Option<Node> {
        self.depth = self.depth.checked_add(1).filter(|depth| *depth <= MAX_DEPTH)?;
        let node = read(self)?;
        self.depth = self.depth.saturating_sub(1);
        Some(node)
    }

    fn is_at_item(&self) -> bool {
        self.rest().starts_with(b"- ")
    }

    fn list(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        let mut nodes = Vec::new();
        while self.column == Some(column) && self.is_at_item() {
            self.skip(1);
            let inner = column.saturating_add(1).saturating_add(self.skip_spaces());
            if self.key_name().is_some() {
                self.column = Some(inner);
                nodes.push(self.block(inner)?);
            } else {
                nodes.push(self.rest_of_entry(column)?);
            }
        }
        self.close(column, start, Kind::List(nodes))
    }

    fn map(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        // A step, the usual map, has a single key.
        let mut entries = Vec::with_capacity(1);
        while self.column == Some(column) {
            let key = self.key(&entries)?;
            let colon_end = self.at;
            self.skip_spaces();
            let node = match self.byte() {
                None | Some(b'\n' | b'#') => {
                    self.at = colon_end;
                    self.below(column)?
                }
                Some(_) => self.rest_of_entry(column)?,
            };
            entries.push((key, node));
        }
        self.close(column, start, Kind::Map(entries))
    }

    /// A collection ends where something stands farther left; farther right, nothing may.
    fn close(&self, column: usize, start: usize, kind: Kind) -> Option<Node> {
        (self.column <= Some(column)).then_some(Node { span: start..self.end, kind })
    }

    /// The value of a key that stands alone on its line.
    fn below(&mut self, column: usize) -> Option<Node> {
        self.end_line()?;
        let inner = self.column?;
        let is_list_at_the_keys_column = inner == column && self.is_at_item();
        if is_list_at_the_keys_column {
            let mut list = self.block(inner)?;
            // For the parsers, such a list begins with what follows its first hyphen.
            list.span.start = list.items().first()?.span.start;
            return Some(list);
        }
        (column < inner).then(|| self.block(inner))?
    }

    /// A value that ends with its line.
    fn rest_of_entry(&mut self, column: usize) -> Option<Node> {
        let mut node = match self.byte()? {
            b'{' | b'[' | b'"' | b'\'' => self.flow(column)?,
            _ => self.plain_line()?,
        };
        self.end_line()?;
        // For the parsers, a comment after a closing bracket belongs to what the brackets hold.
        if !matches!(node.kind, Kind::Scalar { .. }) {
            node.span.end = self.end;
        }
        Some(node)
    }

    /// A key, and the colon after it; none that stands there already.
    fn key(&mut self, entries: &[(Key, Node)]) -> Option<Key> {
        let name = self.key_name()?;
        if MAX_ENTRIES <= entries.len() || entries.iter().any(|(key, _)| key.name == name) {
            return None;
        }
        let start = self.at;
        self.skip(name.len());
        let key = Key { name: name.into(), span: start..self.at };
        self.skip(1);
        Some(key)
    }

    /// The key that stands here, if one does.
    fn key_name(&self) -> Option<&'a str> {
        let rest = self.rest();
        let known = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
        let length = rest.iter().take_while(|byte| known(byte)).count();
        if MAX_KEY_BYTES < length || !matches!(rest.get(length..)?, [b':', b' ' | b'\n', ..] | [b':']) {
            return None;
        }
        let name = self.str(length)?;
        let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let is_number = name.starts_with(|c: char| c.is_ascii_digit()) && looks_like_a_number(name);
        (begins && is_text(name) && !is_number).then_some(name)
    }

    /// So many bytes from here on.
    fn str(&self, bytes: usize) -> Option<&'a str> {
        self.text.get(self.at..self.at.checked_add(bytes)?)
    }

    /// A value within brackets, or one that is quoted.
    fn flow(&mut self, column: usize) -> Option<Node> {
        match self.byte()? {
            b'{' => self.deeper(|scan| scan.flow_map(column)),
            b'[' => self.deeper(|scan| scan.flow_list(column)),
            quote @ (b'"' | b'\'') => self.quoted(quote),
            _ => self.plain_word(),
        }
    }

    fn flow_map(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        let mut entries = Vec::new();
        self.skip(1);
        self.skip_spaces();
        while self.byte() != Some(b'}') {
            let key = self.key(&entries)?;
            self.skip_spaces();
            let node = self.flow(column)?;
            entries.push((key, node));
            self.separator(b'}', column)?;
        }
        self.skip(1);
        Some(Node { span: start..self.at, kind: Kind::Map(entries) })
    }

    fn flow_list(&mut self, column: usize) -> Option<Node> {
        let start = self.at;
        let mut nodes = Vec::new();
        self.skip(1);
        self.skip_spaces();
        while self.byte() != Some(b']') {
            nodes.push(self.flow(column)?);
            self.separator(b']', column)?;
        }
        self.skip(1);
        Some(Node { span: start..self.at, kind: Kind::List(nodes) })
    }

    /// Goes to the closing bracket, or past a comma to what follows it, in the next line perhaps.
    fn separator(&mut self, close: u8, column: usize) -> Option<()> {
        self.skip_spaces();
        if self.byte()? == close {
            return Some(());
        }
        if self.byte()? != b',' {
            return None;
        }
        self.skip(1);
        self.skip_spaces();
        if self.byte()? == b'\n' {
            self.skip(1);
            if self.skip_spaces() <= column {
                return None;
            }
        }
        (self.byte()? != close).then_some(())
    }

    fn quoted(&mut self, quote: u8) -> Option<Node> {
        let start = self.at;
        self.skip(1);
        let rest = self.rest();
        let length = rest.iter().position(|byte| *byte == quote)?;
        let text = self.str(length)?;
        self.skip(length.checked_add(1)?);
        // Not every parser leaves out what stands between the quote and the next thing.
        let ends = matches!(self.byte(), None | Some(b',' | b']' | b'}' | b'\n'));
        let is_as_written = text.bytes().all(is_printable) && !text.contains('\\');
        (ends && is_as_written).then(|| self.scalar(start, text, false))
    }

    /// A scalar without quotes and outside brackets: the rest of the line, up to a comment.
    fn plain_line(&mut self) -> Option<Node> {
        let line = self.rest_of_line();
        let mut before = b' ';
        let mut length = 0_usize;
        for byte in line.iter().copied() {
            match (before, byte) {
                (b' ', b'#') => break,
                (b':', b' ') | (_, b'#') => return None,
                _ if !is_printable(byte) => return None,
                _ => {}
            }
            before = byte;
            length = length.saturating_add(1);
        }
        let text = self.str(length)?.trim_end_matches(' ');
        if text.ends_with(':') { None } else { self.plain(text) }
    }

    /// A scalar without quotes, within brackets.
    fn plain_word(&mut self) -> Option<Node> {
        let known = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/' | b'(' | b')')
        };
        let length = self.rest().iter().take_while(|byte| known(byte)).count();
        self.plain(self.str(length)?.trim_end_matches(' '))
    }

    fn plain(&mut self, text: &str) -> Option<Node> {
        let begins = match text.as_bytes() {
            [b'-', next, ..] => next.is_ascii_alphanumeric(),
            [first, ..] => first.is_ascii_alphanumeric() || *first == b'_',
            [] => false,
        };
        let like_a_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if !begins || like_a_number && looks_like_a_number(text) && !is_exact(text) {
            return None;
        }
        let start = self.at;
        self.skip(text.len());
        Some(self.scalar(start, text, true))
    }

    fn scalar(&self, start: usize, text: &str, plain: bool) -> Node {
        Node { span: start..self.at, kind: Kind::Scalar { text: text.into(), plain } }
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

#[cfg(test)]
mod tests;
