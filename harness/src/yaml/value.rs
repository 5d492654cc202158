//! Makes values of [`Node`]s with serde. An error has the place and the path of the value that it is about.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::iter::Enumerate;
use std::marker::PhantomData;
use std::slice;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::{Node, NodeKey, NodeKind};
use crate::literal::Literal;
use crate::plain::visible;
use crate::suggest;
use crate::target::Properties;

/// The reason why a value is not of the wanted shape.
#[derive(Debug)]
pub(super) struct ShapeError {
    message: String,
    /// The byte at which the value starts; not known until the error has left the value.
    pub(super) start: Option<usize>,
    /// The keys and numbers of items on the way to it, innermost first.
    path: Vec<String>,
}

impl ShapeError {
    fn at(mut self, start: usize) -> Self {
        self.start.get_or_insert(start);
        self
    }

    /// Returns where in a document the value is, from the outside: `steps[3].read`.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for name in self.path.iter().rev() {
            let dot = if path.is_empty() || name.starts_with('[') { "" } else { "." };
            path.extend([dot, name]);
        }
        path
    }

    fn below(mut self, name: impl Into<String>) -> Self {
        // An error without a place is about the value itself.
        self.path.extend(self.start.map(|_| name.into()));
        self
    }
}

impl Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.path.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", self.path(), self.message)
    }
}

impl std::error::Error for ShapeError {}

impl Error for ShapeError {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), start: None, path: Vec::new() }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("{}, expected {}", found_in_words(found), expected_in_words(expected)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("{length} entries, expected {}", expected_in_words(expected)))
    }

    fn unknown_variant(word: &str, expected: &'static [Name]) -> Self {
        Self::custom(unknown("word", word, expected))
    }

    fn unknown_field(field: &str, expected: &'static [Name]) -> Self {
        Self::custom(unknown("field", field, expected))
    }
}

/// Returns what was found in the words of a person who writes YAML.
fn found_in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("the truth value {value}"),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number:?}"),
        Unexpected::Str(text) => format!("the text {text:?}"),
        Unexpected::Unit | Unexpected::Option => "nothing".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a map".into(),
        other => other.to_string(),
    }
}

/// Returns what was expected in the same words.
fn expected_in_words(expected: &dyn Expected) -> String {
    let words = expected.to_string();
    match words.as_str() {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not below 0".into(),
        "i64" => "a whole number".into(),
        "a nonzero u32" => "a whole number, not below 1".into(),
        "a string" => "a text".into(),
        "a sequence" => "a list".into(),
        "a boolean" => "true or false".into(),
        "map containing 1 entry" => "a map with a single key".into(),
        other if other.starts_with("struct ") => "a map of fields".into(),
        other if other.starts_with("enum ") => "a word".into(),
        _ => words,
    }
}

/// Says which names are accepted, and which of them may be meant.
fn unknown(kind: &str, name: &str, expected: &'static [Name]) -> String {
    let all: Vec<_> = expected.iter().map(|name| format!("`{name}`")).collect();
    let accepted = match all.as_slice() {
        [] => "none".into(),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        all => format!("one of {}", all.join(", ")),
    };
    let question = suggest::question(&suggest::suggest(name, expected.iter().copied()));
    let question = if question.is_empty() { question } else { format!("; {question}") };
    format!("unknown {kind} `{name}`, expected {accepted}{question}")
}

type Shaped<T> = Result<T, ShapeError>;
type Name = &'static str;

/// A node, of which a value can be made.
#[derive(Clone, Copy)]
pub(super) struct Value<'de>(pub(super) &'de Node);

impl<'de> Value<'de> {
    /// An error that left this value is about it, unless it is about something within.
    fn placed<T>(self, result: Shaped<T>) -> Shaped<T> {
        result.map_err(|err| err.at(self.0.span.start))
    }

    fn visit<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        match &self.0.kind {
            NodeKind::Scalar { text, plain: true } => PlainScalar::of(text).visit(visitor),
            NodeKind::Scalar { text, plain: false } => visitor.visit_str(text),
            // Whatever reads a list reads all of it.
            NodeKind::List(nodes) => visitor.visit_seq(Items(nodes.iter().enumerate())),
            NodeKind::Map(nodes) => {
                let mut entries = Entries { rest: nodes.iter(), value: None };
                let value = visitor.visit_map(&mut entries)?;
                // Only what wants a single key leaves others.
                match entries.rest.len() {
                    0 => Ok(value),
                    _ => Err(Error::invalid_length(nodes.len(), &"map containing 1 entry")),
                }
            }
        }
    }
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "null" | "Null" | "NULL" | "~" | "")
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
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
        if is_null(text) {
            Self::Null
        } else if let Some(truth) = parse_bool(text) {
            Self::Bool(truth)
        } else if !text.starts_with(|c: char| matches!(c, '-' | '+' | '.') || c.is_ascii_digit()) {
            Self::Text(text)
        } else if let Ok(number) = text.parse::<u64>() {
            Self::Unsigned(number)
        } else if let Ok(number) = text.parse::<i64>() {
            Self::Signed(number)
        } else if let Some(number) = text.parse().ok().filter(|number: &f64| number.is_finite()) {
            Self::Float(number)
        } else {
            Self::Text(text)
        }
    }

    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(truth) => visitor.visit_bool(truth),
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Float(number) => visitor.visit_f64(number),
            Self::Text(text) => visitor.visit_str(text),
        }
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = ShapeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        self.placed(self.visit(visitor))
    }

    /// As the schema says: a number, null or a truth value is no text unless it has quotes.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        self.deserialize_str(visitor)
    }

    /// The name of a field or of a variant may look like a number.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        match self.0.as_text() {
            Some(text) => self.placed(visitor.visit_str(text)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: Name, visitor: V) -> Shaped<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: Name, _: &'static [Name], visitor: V) -> Shaped<V::Value> {
        match self.0.as_text() {
            Some(word) => self.placed(visitor.visit_enum(StrDeserializer::new(word))),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Shaped<V::Value> {
        match self.0.as_plain().and_then(|text| text.parse::<i64>().ok()) {
            Some(number) if number < 0 => {
                self.placed(Err(Error::invalid_type(Unexpected::Signed(number), &visitor)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    /// A list would be taken for the fields in their order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: Name,
        _: &'static [Name],
        visitor: V,
    ) -> Shaped<V::Value> {
        match &self.0.kind {
            NodeKind::List(_) => self.placed(Err(Error::invalid_type(Unexpected::Seq, &visitor))),
            NodeKind::Scalar { .. } | NodeKind::Map(_) => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct
        map ignored_any
    }
}

struct Items<'de>(Enumerate<slice::Iter<'de, Node>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ShapeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Shaped<Option<T::Value>> {
        let Some((number, node)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Value(node)).map(Some).map_err(|err| err.below(format!("[{number}]")))
    }
}

struct Entries<'de> {
    rest: slice::Iter<'de, (NodeKey, Node)>,
    value: Option<(&'de NodeKey, &'de Node)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ShapeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Shaped<Option<K::Value>> {
        let Some((key, node)) = self.rest.next() else { return Ok(None) };
        self.value = Some((key, node));
        seed.deserialize(StrDeserializer::<ShapeError>::new(&key.name))
            .map(Some)
            .map_err(|err| err.at(key.span.start))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Shaped<V::Value> {
        let Some((key, node)) = self.value.take() else { return Err(Error::custom("a value without a key")) };
        seed.deserialize(Value(node)).map_err(|err| err.below(&key.name))
    }
}

/// A map whose first key was already taken out.
pub(crate) struct Again<A> {
    pub(crate) first: Option<String>,
    pub(crate) rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Again<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}

// A map with a single key that says which variant of an enum it is. A documentation comment would be part of the schema.
//
// YAML would otherwise want a tag there, and internally tagged enums lose the line of an error.
#[derive(JsonSchema)]
#[schemars(transparent, rename = "{T}")]
pub(crate) struct OneKey<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneKey<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneKeyVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneKeyVisitor<T> {
            type Value = OneKey<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map with a single key")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneKey<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneKey)
            }
        }
        deserializer.deserialize_map(OneKeyVisitor(PhantomData))
    }
}

/// A text that people can see, and that begins and ends with something other than a space.
pub(crate) fn visible_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct VisibleTextVisitor;
    impl Visitor<'_> for VisibleTextVisitor {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        // Here the place of an error is that of the text.
        fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
            let shown = visible(text);
            if text.is_empty() {
                Err(Error::custom("an empty text, expected something that people can see"))
            } else if text.trim() != text {
                Err(Error::custom(format_args!("`{shown}` begins or ends with a space, expected neither")))
            } else if shown != text {
                Err(Error::custom(format_args!("`{shown}` holds an invisible character, expected none")))
            } else {
                Ok(text.into())
            }
        }
    }
    deserializer.deserialize_str(VisibleTextVisitor)
}

/// Reads a text that is there, as [`visible_text`].
pub(crate) fn some_visible_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    visible_text(deserializer).map(Some)
}

/// A value that is there, null included.
pub(crate) fn some_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Literal>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(|value| Some(Literal::from(&value)))
}

/// Values by name.
pub(crate) fn json_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
    let map = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(key, value)| (key, Literal::from(&value))).collect())
}
