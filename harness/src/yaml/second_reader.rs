//! Reads a text a second time, with the parser of another author, and compares what both found node by node.
//!
//! `saphyr-parser` follows YAML 1.2, and `serde_yaml` follows YAML 1.1. A text that they read differently is a text of which
//! a person cannot say what it tests, so it is refused.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::value::PlainScalar;
use super::{Node, NodeKind};
use crate::diagnostic::{Diagnostic, Source};

/// Refuses a text in which the second reader finds something else than this tree.
///
/// # Errors
///
/// A [`Diagnostic`] at the first difference, or where the second reader cannot go on.
pub(super) fn check(source: &Arc<Source>, tree: &Node) -> Result<(), Diagnostic> {
    let start = Cell::new(tree.span.start);
    let same = SameAs { node: tree, start: &start };
    let found = serde_yaml::Deserializer::from_str(&source.text).deserialize_any(same);
    found.map_err(|err| {
        let start = start.get().min(source.text.len());
        let what = format!("two readers of YAML differ about what is here: {err}");
        Diagnostic::at(source, start..start, what, "write it in a simpler way, with quotes and on one line")
    })
}

/// Takes a value if it is the same as this node.
#[derive(Clone, Copy)]
struct SameAs<'a> {
    node: &'a Node,
    /// The byte at which the node starts that is compared now.
    start: &'a Cell<usize>,
}

impl<'a> SameAs<'a> {
    fn of(self, node: &'a Node) -> Self {
        self.start.set(node.span.start);
        Self { node, ..self }
    }

    fn plain<E: Error>(self, second: PlainScalar<'_>) -> Result<(), E> {
        match self.node.as_plain().map(PlainScalar::of) {
            Some(first) if first == second => Ok(()),
            _ => Err(differs(self.node, &second)),
        }
    }
}

fn differs<E: Error>(node: &Node, second: &dyn fmt::Debug) -> E {
    let first: &dyn Display = match &node.kind {
        NodeKind::Scalar { .. } => &"another scalar",
        NodeKind::List(_) => &"a list",
        NodeKind::Map(_) => &"a map",
    };
    E::custom(format_args!("{first} for one, {second:?} for the other"))
}

impl<'de> DeserializeSeed<'de> for SameAs<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SameAs<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the same as the first reader found")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.plain(PlainScalar::Null)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<(), E> {
        self.plain(PlainScalar::Bool(truth))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.plain(PlainScalar::Unsigned(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.plain(PlainScalar::Signed(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.plain(PlainScalar::Float(number))
    }

    fn visit_str<E: Error>(self, second: &str) -> Result<(), E> {
        match &self.node.kind {
            NodeKind::Scalar { text, plain } if text == second => {
                // Quotes make a text of anything.
                if *plain { self.plain(PlainScalar::Text(second)) } else { Ok(()) }
            }
            _ => Err(differs(self.node, &PlainScalar::Text(second))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut second: A) -> Result<(), A::Error> {
        let NodeKind::List(nodes) = &self.node.kind else { return Err(differs(self.node, &"a list")) };
        for node in nodes {
            if second.next_element_seed(self.of(node))?.is_none() {
                return Err(Error::custom("one reader finds this entry, the other does not"));
            }
        }
        self.of(self.node);
        // An entry too many is an error of the parser.
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut second: A) -> Result<(), A::Error> {
        let NodeKind::Map(entries) = &self.node.kind else { return Err(differs(self.node, &"a map")) };
        for (key, node) in entries {
            self.start.set(key.span.start);
            let name: Option<String> = second.next_key()?;
            if name.as_ref() != Some(&key.name) {
                let name = name.unwrap_or_else(|| "no more keys".into());
                return Err(Error::custom(format_args!(
                    "key `{}` for one, `{name}` for the other",
                    key.name
                )));
            }
            second.next_value_seed(self.of(node))?;
        }
        self.of(self.node);
        Ok(())
    }
}
