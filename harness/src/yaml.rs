//! The only module that names a YAML crate: reads our files strictly, and knows where everything in them stands.
//!
//! `saphyr-parser` makes one tree of a text. What we do not allow is refused there: anchors, aliases, tags, merge keys,
//! second documents, numbers that would not arrive as they were written. `fields` makes values of the tree. A test
//! compares it with what `serde_yaml` reads.

#![allow(clippy::arithmetic_side_effects, reason = "places within one text of at most 1 MiB")]

pub(crate) mod characters;
pub(crate) mod fields;
mod json;
pub(crate) mod other_reading;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::diagnostic::{Diagnostic, MAX_FILE_BYTES, Source};

/// Nothing of ours is nested deeper.
const MAX_DEPTH: usize = 32;

/// A value, and the bytes at which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub span: Range<usize>,
    /// Its kind.
    pub kind: NodeKind,
}

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A scalar as it was written, without its quotes.
    Scalar {
        /// The characters.
        text: Cow<'static, str>,
        /// Whether there were no quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map, in the order in which it was written.
    Map(Vec<(NodeKey, Node)>),
}

/// A key, and the bytes at which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeKey {
    /// The key.
    pub name: Cow<'static, str>,
    /// Where it stands.
    pub span: Range<usize>,
}

impl Node {
    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(k, _)| k.name == key).map(|(_, node)| node)
    }

    /// The value under a key, to change it.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let NodeKind::Map(entries) = &mut self.kind else { return None };
        entries.iter_mut().find(|(k, _)| k.name == key).map(|(_, node)| node)
    }

    /// Returns the characters of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        if let NodeKind::Scalar { text, .. } = &self.kind { Some(text) } else { None }
    }

    /// Returns the characters of a scalar without quotes.
    pub fn as_plain(&self) -> Option<&str> {
        if let NodeKind::Scalar { text, plain: true } = &self.kind { Some(text) } else { None }
    }

    /// Returns whether it is a scalar that YAML takes for no value.
    pub(crate) fn is_null(&self) -> bool {
        self.as_plain().is_some_and(fields::is_null)
    }

    /// The entries of a list; none of anything else.
    pub fn items(&self) -> &[Node] {
        if let NodeKind::List(nodes) = &self.kind { nodes } else { &[] }
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[(NodeKey, Node)] {
        if let NodeKind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// The entries of the list under a key; none where there is no such list.
    pub fn items_of(&self, key: &str) -> &[Node] {
        self.get(key).map_or(&[], Node::items)
    }
}

/// Parses a text.
///
/// # Errors
///
/// The first [`Diagnostic`] of the text as YAML, or of our restrictions on YAML.
pub fn parse(source: &Arc<Source>) -> Result<Node, Diagnostic> {
    if source.text.len() > MAX_FILE_BYTES {
        let what = format!("{} bytes are too many", source.text.len());
        return Err(Diagnostic::of_path(&source.name, what, format!("at most {MAX_FILE_BYTES}")));
    }
    characters::check(source)?;
    let starts = source.text.char_indices().map(|(byte, _)| byte).collect();
    let tree = Tree { source, starts, depth: 0, parser: Parser::new_from_str(&source.text) }.read()?;
    Ok(tree)
}

struct Tree<'a> {
    source: &'a Arc<Source>,
    /// The byte at which each character starts, since the parser counts characters.
    starts: Vec<usize>,
    depth: usize,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Tree<'a> {
    fn read(mut self) -> Result<Node, Diagnostic> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            root = match (event, root) {
                (Event::StreamEnd, Some(root)) => return Ok(root),
                (Event::StreamEnd, None) => {
                    return Err(self.flaw(span, "nothing in the file", "see the format's page"));
                }
                (Event::StreamStart | Event::DocumentStart(_), None) => None,
                (Event::DocumentEnd | Event::Nothing, root) => root,
                (event, None) => Some(self.node(event, span)?),
                (_, Some(_)) => return Err(self.flaw(span, "a second document", "one document a file")),
            };
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Diagnostic> {
        let event = self.parser.next_event().unwrap_or(Ok((Event::StreamEnd, Span::default())));
        event.map_err(|err| {
            let at = self.byte(err.marker().index());
            let (what, help) = match err.info() {
                // The parser's own limit on brackets lies above ours, but it reads ahead.
                "recursion limit exceeded" => too_deep(),
                info => (format!("not YAML: {info}"), String::new()),
            };
            Diagnostic::at(self.source, at..at, what, help)
        })
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node, Diagnostic> {
        self.depth += 1;
        let node = match event {
            Event::Scalar(.., Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return Err(self.flaw(span, "a tag", "tags are not allowed; write the value itself"));
            }
            Event::Scalar(_, _, 1.., _) | Event::SequenceStart(1.., _) | Event::MappingStart(1.., _) => {
                return Err(self.flaw(span, "an anchor", "anchors are not allowed; write the value out"));
            }
            _ if self.depth > MAX_DEPTH => {
                let (what, help) = too_deep();
                return Err(self.flaw(span, what, help));
            }
            Event::Scalar(text, style, _, _) => self.scalar(text.into_owned(), style, span)?,
            Event::SequenceStart(..) => self.list(span)?,
            Event::MappingStart(..) => self.map(span)?,
            Event::Alias(_) => {
                return Err(self.flaw(span, "an alias", "aliases are not allowed; write the value out"));
            }
            _ => return Err(self.flaw(span, "no value", "")),
        };
        self.depth -= 1;
        Ok(node)
    }

    fn scalar(&mut self, text: String, style: ScalarStyle, span: Span) -> Result<Node, Diagnostic> {
        let plain = style == ScalarStyle::Plain;
        if plain && other_reading::has_one(&text) {
            let what = format!("`{text}` without quotes is no text for a reader of YAML 1.1");
            return Err(self.flaw(span, what, format!("quote it: \"{text}\"")));
        }
        if plain && looks_like_a_number(&text) && !is_exact(&text) {
            return Err(self.flaw(
                span,
                format!("`{text}` would not arrive as it is written"),
                format!("quote it, or write it as JSON text where that is possible: ttl-json: \"{text}\""),
            ));
        }
        Ok(Node { span: self.range(span), kind: NodeKind::Scalar { text: text.into(), plain } })
    }

    fn list(&mut self, start: Span) -> Result<Node, Diagnostic> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, end) => {
                    return Ok(Node { span: self.collection(start, end), kind: NodeKind::List(nodes) });
                }
                (event, span) => nodes.push(self.node(event, span)?),
            }
        }
    }

    fn map(&mut self, start: Span) -> Result<Node, Diagnostic> {
        let mut entries: Vec<(NodeKey, Node)> = Vec::new();
        loop {
            match self.next()? {
                (Event::MappingEnd, end) => {
                    let mut seen = BTreeSet::new();
                    if let Some((key, _)) = entries.iter().find(|(key, _)| !seen.insert(&key.name)) {
                        let what = format!("duplicate key `{}`", key.name);
                        return Err(Diagnostic::at(self.source, key.span.clone(), what, "once is enough"));
                    }
                    return Ok(Node { span: self.collection(start, end), kind: NodeKind::Map(entries) });
                }
                (event, span) => {
                    let key = self.key(event, span)?;
                    let (event, span) = self.next()?;
                    let node = self.node(event, span)?;
                    entries.push((key, node));
                }
            }
        }
    }

    fn key(&mut self, event: Event<'a>, span: Span) -> Result<NodeKey, Diagnostic> {
        let node = self.node(event, span)?;
        match node.kind {
            NodeKind::Scalar { text, .. } if text == "<<" => {
                Err(self.flaw(span, "a merge key", "merge keys are not allowed; write the values out"))
            }
            NodeKind::Scalar { text, .. } => Ok(NodeKey { name: text, span: node.span }),
            NodeKind::List(_) | NodeKind::Map(_) => Err(self.flaw(span, "a key that is no word", "")),
        }
    }

    fn flaw(&self, span: Span, what: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.source, self.range(span), what, help)
    }

    fn range(&self, span: Span) -> Range<usize> {
        self.byte(span.start.index())..self.byte(span.end.index())
    }

    /// A block collection's end lies at the next thing; leave the white space and comments before that out.
    fn collection(&self, start: Span, end: Span) -> Range<usize> {
        let range = self.byte(start.start.index())..self.byte(end.end.index());
        let text = self.source.text.get(range.clone()).unwrap_or("");
        let mut kept = text.trim_end();
        while let Some((before, last)) = kept.rsplit_once('\n')
            && last.trim_start().starts_with('#')
        {
            kept = before.trim_end();
        }
        range.start..range.start.saturating_add(kept.len())
    }

    fn byte(&self, character: usize) -> usize {
        self.starts.get(character).copied().unwrap_or(self.source.text.len())
    }
}

fn too_deep() -> (String, String) {
    ("nested too deep".into(), format!("at most {MAX_DEPTH} levels"))
}

/// Whether YAML, old or new, might take it for a number.
fn looks_like_a_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return false;
    }
    let special = matches!(unsigned.to_ascii_lowercase().as_str(), ".inf" | ".nan");
    let numeric = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | '_' | '+' | '-' | 'o' | 'x' | 'b');
    let dashes = unsigned.matches('-').count();
    special
        || (unsigned.chars().all(numeric) && unsigned.contains(|c: char| c.is_ascii_digit()) && dashes < 2)
}

/// Whether the number comes out of every reader as it was written.
fn is_exact(text: &str) -> bool {
    if let Ok(number) = text.parse::<i128>()
        && (i128::from(i64::MIN)..=u64::MAX.into()).contains(&number)
    {
        return number.to_string() == text;
    }
    let fraction = text.contains('.') && !text.contains(['e', 'E']);
    fraction && text.parse::<f64>().is_ok_and(|number| number.is_finite() && format!("{number:?}") == text)
}
