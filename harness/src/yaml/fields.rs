//! Reads values from the nodes of a text. An error has the place of the value that it is about, and says what is accepted.

use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, Error};

use super::{Node, NodeKey, NodeKind};
use crate::diagnostic::{Diagnostic, Source};
use crate::literal::Literal;
use crate::plain::{plain, visible};
use crate::suggest;

/// Where in a text something is wrong, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) span: Range<usize>,
    pub(crate) what: String,
    pub(crate) help: String,
}

/// A value, or what is wrong with its text.
pub(crate) type Parsed<T> = Result<T, Flaw>;

impl Flaw {
    pub(crate) fn new(span: &Range<usize>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span: span.clone(), what: what.into(), help: help.into() }
    }

    pub(crate) fn in_file(self, source: &Arc<Source>) -> Diagnostic {
        Diagnostic::at(source, self.span, self.what, self.help)
    }
}

impl Node {
    pub(crate) fn flaw(&self, what: impl Into<String>, help: impl Into<String>) -> Flaw {
        Flaw::new(&self.span, what, help)
    }

    /// A flaw of a value that is not what stands here.
    pub(crate) fn expected(&self, expected: impl Display) -> Flaw {
        let found = match &self.kind {
            NodeKind::List(_) => "a list".into(),
            NodeKind::Map(_) => "a map".into(),
            NodeKind::Scalar { text, plain: false } => format!("the text {text:?}"),
            NodeKind::Scalar { text, plain: true } => match PlainScalar::of(text) {
                PlainScalar::Null => "nothing".into(),
                PlainScalar::Bool(truth) => format!("the truth value {truth}"),
                PlainScalar::Text(text) => format!("the text {text:?}"),
                _ => format!("the number {text}"),
            },
        };
        self.flaw(format!("{found}, expected {expected}"), "")
    }

    /// Checks that this is a map that has no other fields than these.
    pub(crate) fn only(&self, names: &[&str]) -> Parsed<()> {
        if !matches!(self.kind, NodeKind::Map(_)) {
            return Err(self.expected("a map of fields"));
        }
        match self.entries().iter().find(|(key, _)| !names.contains(&key.name.as_ref())) {
            Some((key, _)) => Err(key.unknown("field", names)),
            None => Ok(()),
        }
    }

    /// The value of a field that must be there.
    pub(crate) fn need(&self, name: &str) -> Parsed<&Node> {
        let start = self.span.start;
        self.get(name).ok_or_else(|| Flaw::new(&(start..start), format!("missing field `{name}`"), ""))
    }

    /// The value of a field that may be left out.
    pub(crate) fn optional<'a, T>(
        &'a self,
        name: &str,
        read: impl Fn(&'a Node) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        self.get(name).map(read).transpose()
    }

    /// Checks that the field `format` is 1.
    pub(crate) fn check_format(&self) -> Parsed<()> {
        let format = self.need("format")?;
        match format.whole()? {
            1 => Ok(()),
            other => Err(format.flaw(format!("format {other} is not known"), "this reads format 1")),
        }
    }

    /// The entry of a map with a single key.
    pub(crate) fn single(&self) -> Parsed<(&NodeKey, &Node)> {
        match &self.kind {
            NodeKind::Map(entries) => match entries.as_slice() {
                [(key, value)] => Ok((key, value)),
                all => Err(self.flaw(format!("{} entries, expected a map with a single key", all.len()), "")),
            },
            _ => Err(self.expected("a map with a single key")),
        }
    }

    /// A text, which a number, a truth value and null are only with quotes.
    pub(crate) fn text(&self) -> Parsed<&str> {
        match &self.kind {
            NodeKind::Scalar { text, plain: false } => Ok(text),
            NodeKind::Scalar { text, .. } if matches!(PlainScalar::of(text), PlainScalar::Text(_)) => {
                Ok(text)
            }
            _ => Err(self.expected("a text")),
        }
    }

    /// A text as an owned one.
    pub(crate) fn owned(&self) -> Parsed<String> {
        self.text().map(str::to_owned)
    }

    /// A text that people can see.
    pub(crate) fn visible(&self) -> Parsed<String> {
        let text = self.text()?;
        let shown = visible(text);
        let what = if text.trim().is_empty() {
            "an empty text, expected something that people can see".into()
        } else if shown != text {
            format!("`{shown}` holds an invisible character, expected none")
        } else {
            return Ok(text.to_owned());
        };
        Err(self.flaw(what, ""))
    }

    /// A text that people can see, and that begins and ends with something other than a space.
    pub(crate) fn heading(&self) -> Parsed<String> {
        let text = self.visible()?;
        if text.trim() != text {
            return Err(self.flaw(format!("`{text}` begins or ends with a space, expected neither"), ""));
        }
        Ok(text)
    }

    /// A truth value.
    pub(crate) fn truth(&self) -> Parsed<bool> {
        match self.as_plain().map(PlainScalar::of) {
            Some(PlainScalar::Bool(truth)) => Ok(truth),
            _ => Err(self.expected("true or false")),
        }
    }

    /// A whole number, not below 0.
    pub(crate) fn whole(&self) -> Parsed<u64> {
        match self.as_plain().map(PlainScalar::of) {
            Some(PlainScalar::Unsigned(number)) => Ok(number),
            _ => Err(self.expected("a whole number, not below 0")),
        }
    }

    /// A whole number.
    pub(crate) fn integer(&self) -> Parsed<i64> {
        let number = self.as_plain().and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.expected("a whole number"))
    }

    /// A list of such values.
    pub(crate) fn list<'a, T, L: FromIterator<T>>(
        &'a self,
        read: impl FnMut(&'a Node) -> Parsed<T>,
    ) -> Parsed<L> {
        match &self.kind {
            NodeKind::List(nodes) => nodes.iter().map(read).collect(),
            _ => Err(self.expected("a list")),
        }
    }

    /// One of the words of this type.
    pub(crate) fn word<T: DeserializeOwned>(&self) -> Parsed<T> {
        let word = StrDeserializer::<UnknownWord>::new(self.text()?);
        T::deserialize(word).map_err(|UnknownWord(what)| self.flaw(what, ""))
    }

    /// Any value, as JSON.
    pub(crate) fn literal(&self) -> Parsed<Literal> {
        // Whatever is in a file has a form in JSON.
        let text = serde_json::to_string(self).map_err(|err| self.flaw(err.to_string(), ""))?;
        Literal::parse(&text).map_err(|err| self.flaw(err.to_string(), ""))
    }
}

impl NodeKey {
    /// A flaw of a name that is none of these.
    pub(crate) fn unknown(&self, kind: &str, names: &[&str]) -> Flaw {
        Flaw::new(&self.span, unknown(kind, &self.name, names), "")
    }
}

/// Says which names are accepted, and which of them may be meant.
pub(crate) fn unknown(kind: &str, name: &str, names: &[&str]) -> String {
    let all: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let accepted = match all.as_slice() {
        [] => "none".into(),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        all => format!("one of {}", all.join(", ")),
    };
    let guesses = suggest::question(&suggest::suggest(name, names.iter().copied()));
    let guesses = if guesses.is_empty() { guesses } else { format!("; {guesses}") };
    format!("unknown {kind} `{}`, expected {accepted}{guesses}", plain(name))
}

/// What is wrong with a word.
#[derive(Debug)]
struct UnknownWord(String);

impl Display for UnknownWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownWord {}

impl Error for UnknownWord {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }

    fn unknown_variant(word: &str, expected: &'static [&'static str]) -> Self {
        Self(unknown("word", word, expected))
    }
}

/// Whether YAML takes these characters without quotes for no value.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "null" | "Null" | "NULL" | "~" | "")
}

/// The type of a scalar without quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PlainScalar<'a> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'a str),
}

impl<'a> PlainScalar<'a> {
    /// Returns what these characters are. Numbers that would not come out as they were written were refused before.
    pub(super) fn of(text: &'a str) -> Self {
        match text {
            text if is_null(text) => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            text if !text.starts_with(|c: char| matches!(c, '-' | '+' | '.') || c.is_ascii_digit()) => {
                Self::Text(text)
            }
            text => {
                let unsigned = text.parse().map(Self::Unsigned).ok();
                let signed = || text.parse().map(Self::Signed).ok();
                let float = || text.parse().ok().filter(|number: &f64| number.is_finite()).map(Self::Float);
                unsigned.or_else(signed).or_else(float).unwrap_or(Self::Text(text))
            }
        }
    }
}
