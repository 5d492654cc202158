//! A [`Node`] as JSON, in the order in which it was written, and back. JSON has no places.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::fields::PlainScalar;
use super::{Node, NodeKey, NodeKind};

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.kind {
            NodeKind::Scalar { text, plain: false } => serializer.serialize_str(text),
            NodeKind::Scalar { text, plain: true } => match PlainScalar::of(text) {
                PlainScalar::Null => serializer.serialize_unit(),
                PlainScalar::Bool(value) => serializer.serialize_bool(value),
                PlainScalar::Unsigned(number) => serializer.serialize_u64(number),
                PlainScalar::Signed(number) => serializer.serialize_i64(number),
                PlainScalar::Float(number) => serializer.serialize_f64(number),
                PlainScalar::Text(text) => serializer.serialize_str(text),
            },
            NodeKind::List(nodes) => serializer.collect_seq(nodes),
            NodeKind::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, node) in entries {
                    map.serialize_entry(&key.name, node)?;
                }
                map.end()
            }
        }
    }
}

impl Deserialize<'static> for Node {
    /// Of a text that came with the build, so that most of its texts need no copy.
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(|kind| Node { span: 0..0, kind })
    }
}

/// A text, which lies in the text that is read unless it has escapes.
struct JsonText(Cow<'static, str>);

impl Deserialize<'static> for JsonText {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        match Node::deserialize(deserializer)?.kind {
            NodeKind::Scalar { text, .. } => Ok(Self(text)),
            _ => Err(Error::custom("a key that is no text")),
        }
    }
}

struct NodeVisitor;

fn plain(text: impl Into<Cow<'static, str>>) -> NodeKind {
    NodeKind::Scalar { text: text.into(), plain: true }
}

impl Visitor<'static> for NodeVisitor {
    type Value = NodeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<NodeKind, E> {
        Ok(plain("null"))
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<NodeKind, E> {
        Ok(plain(if truth { "true" } else { "false" }))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<NodeKind, E> {
        Ok(plain(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<NodeKind, E> {
        Ok(plain(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<NodeKind, E> {
        Ok(plain(serde_json::Value::from(number).to_string()))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'static str) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar { text: text.into(), plain: false })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar { text: text.to_owned().into(), plain: false })
    }

    fn visit_seq<A: SeqAccess<'static>>(self, mut items: A) -> Result<NodeKind, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element()? {
            nodes.push(node);
        }
        Ok(NodeKind::List(nodes))
    }

    fn visit_map<A: MapAccess<'static>>(self, mut map: A) -> Result<NodeKind, A::Error> {
        let mut entries = Vec::new();
        while let Some((JsonText(name), node)) = map.next_entry()? {
            entries.push((NodeKey { name, span: 0..0 }, node));
        }
        Ok(NodeKind::Map(entries))
    }
}
