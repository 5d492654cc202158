//! The protocol as a JSON Schema.

use schemars::generate::SchemaSettings;
use serde_json::json;

use super::{Ask, Line, Reply};

/// `harness/schemas/protocol.schema.json`, from the very types that read and write the lines: a line is what the harness
/// asks, or what a process replies.
pub fn schema_json() -> String {
    let mut generator = SchemaSettings::draft07().into_generator();
    let ask = generator.subschema_for::<Line<Ask>>();
    let reply = generator.subschema_for::<Line<Reply>>();
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A line between the harness and a process",
        "anyOf": [ask, reply],
        "definitions": generator.take_definitions(true),
    });
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
