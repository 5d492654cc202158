//! Reads an item that a server returned: its properties without those that the server adds.

use std::collections::BTreeMap;

use crate::literal::{Kind, Literal};
use crate::target::{Document, Item};

/// What a server adds to an item, `_ts` and `_etag` aside.
const ADDED: [&str; 3] = ["_rid", "_self", "_attachments"];

/// An item; `None` unless `id` is a string, `_ts` a whole number and `_etag` a string, as far as the latter are there.
pub fn item(mut properties: BTreeMap<String, Literal>) -> Option<Item> {
    let id = text(&properties.remove("id")?)?;
    let ts = match properties.remove("_ts").map(|ts| ts.kind()) {
        None | Some(Kind::Null) => None,
        Some(Kind::Whole(seconds) | Kind::WholeAsFraction(seconds)) => Some(seconds),
        Some(Kind::Other) => return None,
    };
    let etag = match properties.remove("_etag") {
        Some(etag) if etag.kind() != Kind::Null => Some(text(&etag)?),
        _ => None,
    };
    for name in ADDED {
        properties.remove(name);
    }
    Some(Item { document: Document { id, properties }, ts, etag })
}

fn text(literal: &Literal) -> Option<String> {
    serde_json::from_str(literal.as_str()).ok()
}
