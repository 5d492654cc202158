//! Makes values of [`Node`]s, the same that `serde_yaml` makes of their text.
//!
//! Errors say nothing: after one, `serde_yaml` reads the text and says what is wrong.

use std::fmt::Display;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use super::{Key, Kind, Node};

/// That the value is not of the wanted shape.
#[derive(Debug)]
pub(super) struct Unread;

impl Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not of this shape")
    }
}

impl std::error::Error for Unread {}

impl Error for Unread {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// A node, of which a value can be made.
pub(super) struct Value<'de>(pub(super) &'de Node);

impl<'de> Value<'de> {
    fn plain(&self) -> Option<&'de str> {
        match &self.0.kind {
            Kind::Scalar { text, plain: true } => Some(text),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_) => None,
        }
    }
}

/// Whether a scalar without quotes is a text, and no other value.
pub(super) fn is_text(plain: &str) -> bool {
    !is_null(plain) && parse_bool(plain).is_none()
}

fn is_null(text: &str) -> bool {
    matches!(text, "null" | "Null" | "NULL" | "~" | "")
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Visits a scalar without quotes; numbers that would not come out as they were written were refused before.
fn visit_plain<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Unread> {
    if is_null(text) {
        visitor.visit_unit()
    } else if let Some(truth) = parse_bool(text) {
        visitor.visit_bool(truth)
    } else if !text.starts_with(|c: char| matches!(c, '-' | '+' | '.') || c.is_ascii_digit()) {
        visitor.visit_str(text)
    } else if let Ok(number) = text.parse::<u64>() {
        visitor.visit_u64(number)
    } else if let Ok(number) = text.parse::<i64>() {
        visitor.visit_i64(number)
    } else if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) {
        visitor.visit_f64(number)
    } else {
        visitor.visit_str(text)
    }
}

fn visit_list<'de, V: Visitor<'de>>(nodes: &'de [Node], visitor: V) -> Result<V::Value, Unread> {
    let mut items = Items(nodes.iter());
    let value = visitor.visit_seq(&mut items)?;
    items.0.next().is_none().then_some(value).ok_or(Unread)
}

fn visit_map<'de, V: Visitor<'de>>(nodes: &'de [(Key, Node)], visitor: V) -> Result<V::Value, Unread> {
    let mut entries = Entries { rest: nodes.iter(), value: None };
    let value = visitor.visit_map(&mut entries)?;
    (entries.value.is_none() && entries.rest.next().is_none()).then_some(value).ok_or(Unread)
}

macro_rules! number {
    ($($method:ident $visit:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
            let number = self.plain().and_then(|text| text.parse().ok()).ok_or(Unread)?;
            visitor.$visit(number)
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match &self.0.kind {
            Kind::Scalar { text, plain: true } => visit_plain(text, visitor),
            Kind::Scalar { text, plain: false } => visitor.visit_str(text),
            Kind::List(nodes) => visit_list(nodes, visitor),
            Kind::Map(entries) => visit_map(entries, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        visitor.visit_bool(self.plain().and_then(parse_bool).ok_or(Unread)?)
    }

    number! {
        deserialize_i8 visit_i64, deserialize_i16 visit_i64, deserialize_i32 visit_i64, deserialize_i64 visit_i64,
        deserialize_u8 visit_u64, deserialize_u16 visit_u64, deserialize_u32 visit_u64, deserialize_u64 visit_u64,
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match &self.0.kind {
            Kind::Scalar { text, .. } => visitor.visit_str(text),
            Kind::List(_) | Kind::Map(_) => Err(Unread),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        if self.plain().is_some_and(is_null) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match &self.0.kind {
            Kind::List(nodes) => visit_list(nodes, visitor),
            Kind::Scalar { .. } | Kind::Map(_) => Err(Unread),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match &self.0.kind {
            Kind::Map(entries) => visit_map(entries, visitor),
            Kind::Scalar { .. } | Kind::List(_) => Err(Unread),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        self.deserialize_map(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unread> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        match &self.0.kind {
            Kind::Scalar { text, .. } => visitor.visit_enum(StrDeserializer::new(text)),
            Kind::List(_) | Kind::Map(_) => Err(Unread),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        visitor.visit_unit()
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    forward_to_deserialize_any! { i128 u128 f32 f64 char unit unit_struct tuple tuple_struct }
}

struct Items<'de>(slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Unread;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unread> {
        self.0.next().map(|node| seed.deserialize(Value(node))).transpose()
    }
}

struct Entries<'de> {
    rest: slice::Iter<'de, (Key, Node)>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Unread;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unread> {
        let Some((key, node)) = self.rest.next() else { return Ok(None) };
        self.value = Some(node);
        seed.deserialize(StrDeserializer::new(&key.name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unread> {
        seed.deserialize(Value(self.value.take().ok_or(Unread)?))
    }
}
