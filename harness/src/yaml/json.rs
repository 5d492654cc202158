//! Writes a [`Node`] as JSON, in the order in which it was written.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::value::PlainScalar;
use super::{Node, NodeKind};

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
