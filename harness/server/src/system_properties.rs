//! The properties that the server adds to what it returns: `_rid`, `_self`, `_etag`, `_ts` and others.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Item, Properties};
use serde_json::json;

use crate::item_parts::ItemPlace;
use crate::partition::PartitionValue;

/// The properties that only a server sets. A client that writes back what it read sends them, without effect.
const SET_BY_SERVER: [&str; 12] = [
    "_rid",
    "_self",
    "_etag",
    "_ts",
    "_attachments",
    "_docs",
    "_sprocs",
    "_triggers",
    "_udfs",
    "_conflicts",
    "_colls",
    "_users",
];

/// Returns whether only a server sets this property.
pub(crate) fn is_set_by_server(name: &str) -> bool {
    SET_BY_SERVER.contains(&name)
}

/// Takes away what only a server sets.
pub(crate) fn without_system_properties(properties: &mut Properties) {
    properties.retain(|name, _| !is_set_by_server(name));
}

/// Returns the `_rid` of a database: four bytes, as the clients expect.
pub(crate) fn database_rid(database: u32) -> String {
    rid(&database.to_be_bytes())
}

/// Returns the `_rid` of a container: that of its database and four more bytes, of which the first has its highest bit set.
pub(crate) fn container_rid(database: u32, container: u32) -> String {
    rid(&container_bytes(database, container))
}

/// Returns the `_rid` of an item: that of its container and eight bytes of its place.
fn item_rid(database: u32, container: u32, partition: &str, id: &str) -> String {
    // FNV-1a: any number will do that is the same for the same item.
    let hash =
        partition.bytes().chain([0]).chain(id.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    rid(&[&container_bytes(database, container)[..], &hash.to_le_bytes()].concat())
}

fn container_bytes(database: u32, container: u32) -> Vec<u8> {
    [database.to_be_bytes(), (container | 0x8000_0000).to_be_bytes()].concat()
}

fn rid(bytes: &[u8]) -> String {
    STANDARD.encode(bytes).replace('/', "-")
}

/// Returns what the server adds to an item.
pub(crate) fn system_properties(
    item: &Item,
    place: &ItemPlace,
    partition: &PartitionValue,
) -> Vec<(String, Literal)> {
    let id = &item.document.id;
    let rid = item_rid(place.database, place.container, partition.as_str(), id);
    let texts = [
        ("_rid", Some(rid)),
        ("_self", Some(format!("{}/docs/{id}", place.link))),
        ("_attachments", Some("attachments/".to_owned())),
        ("_etag", item.etag.clone()),
    ];
    let texts =
        texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Literal::from(&json!(text?)))));
    texts.chain(item.ts.map(|ts| ("_ts".to_owned(), ts.into()))).collect()
}

/// Returns an item as JSON text, with every value exactly as it was written.
pub(crate) fn item_text(item: &Item, place: &ItemPlace, partition: &PartitionValue) -> String {
    let mut properties = item.document.properties.clone();
    properties.insert("id".into(), Literal::from(&json!(item.document.id)));
    properties.extend(system_properties(item, place, partition));
    object_text(&properties)
}

/// Returns a JSON object with these values as they are.
pub(crate) fn object_text(properties: &Properties) -> String {
    let fields = properties.iter().map(|(name, value)| format!("{}:{value}", json!(name)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}
