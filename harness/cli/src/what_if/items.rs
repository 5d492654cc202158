//! Reads stored items as clients and the portal write them, one at a time: JSON lines, arrays, and pages with `Documents`.

use std::io::{self, BufReader, Bytes, Read};

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::plain::cut;
use serde::{Deserialize, Deserializer};

use Within::{Array, Lines, Page, PageEnd};

/// No stored item is larger than 2 MiB; with escapes its text may be.
const MOST_BYTES: usize = 8 << 20;

/// What time to live knows of a stored item. What is left out is `None`, and a null is not.
#[derive(Deserialize)]
pub(super) struct StoredItem {
    #[serde(default, deserialize_with = "present")]
    id: Option<Literal>,
    #[serde(rename = "_ts", default, deserialize_with = "present")]
    ts: Option<Literal>,
    #[serde(default, deserialize_with = "present")]
    pub(super) ttl: Option<Literal>,
    #[serde(skip)]
    pub(super) written: i64,
}

fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Literal>, D::Error> {
    Literal::deserialize(from).map(Some)
}

impl StoredItem {
    fn read(text: &[u8]) -> Result<Self, String> {
        if text.len() > MOST_BYTES || !text.starts_with(b"{") {
            return Err(format!("no object: {}", cut(&String::from_utf8_lossy(text), 40)));
        }
        // Its line and column are those in the item.
        let why = |err: serde_json::Error| err.to_string().split(" at line ").take(1).collect::<String>();
        let mut item: Self = serde_json::from_slice(text).map_err(|err| cut(&why(err), 200))?;
        let is = |name, value: &Option<Literal>| {
            let value = value.as_ref().map_or("missing".into(), |value| cut(value.as_str(), 40));
            format!("`{name}` is {value}")
        };
        match item.ts.as_ref().map(Literal::kind) {
            Some(LiteralKind::Whole(seconds @ 0..)) => item.written = seconds,
            _ => return Err(is("_ts", &item.ts)),
        }
        if item.id.as_ref().is_none_or(|id| !id.as_str().starts_with('"')) {
            return Err(is("id", &item.id));
        }
        Ok(item)
    }

    /// Its id, harmless and short.
    pub(super) fn id(&self) -> String {
        let id = self.id.as_ref().map_or("", Literal::as_str);
        cut(&serde_json::from_str::<String>(id).unwrap_or_else(|_| id.to_owned()), 80)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Lines,
    Array,
    Page,
    /// What a page says after its items.
    PageEnd,
}

/// The texts of items, of which one is in memory.
pub(super) struct Items<R> {
    bytes: Bytes<BufReader<R>>,
    within: Within,
    text: Vec<u8>,
    line: u64,
    /// The line in which the text begins, from 1.
    pub(super) first_line: u64,
}

impl<R: Read> Items<R> {
    pub(super) fn new(input: R) -> Self {
        Self { bytes: BufReader::new(input).bytes(), within: Lines, text: Vec::new(), line: 1, first_line: 1 }
    }

    /// Returns the next item, or why it is none; nothing at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<StoredItem, String>>> {
        loop {
            let is_end = self.within == PageEnd;
            let is_more = self.piece()?;
            // What seemed a page may be an item with such a property.
            if !self.text.is_empty() && (!is_end || has_ts(&self.text)) {
                return Ok(Some(StoredItem::read(&self.text)));
            }
            if !is_more {
                return Ok(None);
            }
        }
    }

    /// Reads a line, or in an array what stands between two commas, without the space before it. Returns false at the end.
    fn piece(&mut self) -> io::Result<bool> {
        self.text.clear();
        let (mut depth, mut is_string, mut is_escaped, mut is_spread) = (0_usize, false, false, false);
        while let Some(byte) = self.bytes.next().transpose()? {
            self.line += u64::from(byte == b'\n');
            if self.text.is_empty() {
                self.first_line = self.line;
            }
            match (byte, self.within) {
                _ if is_string => {
                    is_string = is_escaped || byte != b'"';
                    is_escaped = !is_escaped && byte == b'\\';
                }
                (b'"', _) => is_string = true,
                (b'[', Lines) if self.text.is_empty() || depth == 1 && is_page(&self.text) => {
                    self.within = if depth == 0 { Array } else { Page };
                    self.text.clear();
                    (depth, is_spread) = (0, false);
                    continue;
                }
                (b'{' | b'[', _) => depth += 1,
                (b',', Array | Page) if depth == 0 => return Ok(true),
                (b'}' | b']', Array | Page | PageEnd) if depth == 0 => {
                    self.within = if self.within == Page { PageEnd } else { Lines };
                    return Ok(true);
                }
                (b'}' | b']', _) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if byte == b'\n' && self.within == Lines {
                // An object whose brace has the line for itself goes on.
                is_spread = is_spread || self.text.trim_ascii_end() == b"{";
                if !is_spread || depth == 0 {
                    return Ok(true);
                }
            }
            let is_space = byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte);
            if !(is_space && self.text.is_empty()) && self.text.len() <= MOST_BYTES {
                self.text.push(byte);
            }
        }
        if self.within != Lines || is_spread && depth > 0 {
            return Err(io::Error::other("the text ends within an array or an object"));
        }
        Ok(false)
    }
}

/// Whether an array that comes after this text holds the items of a page, which says little before them.
fn is_page(before: &[u8]) -> bool {
    let name = before.trim_ascii_end().strip_suffix(b":").unwrap_or_default().trim_ascii_end();
    let is_named = name.ends_with(b"\"Documents\"") || name.ends_with(b"\"documents\"");
    is_named && before.len() < 1_000 && !has_ts(before)
}

fn has_ts(text: &[u8]) -> bool {
    text.windows(5).any(|name| name == b"\"_ts\"")
}
