//! The protocol as a JSON Schema.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::{Message, Reply};

/// `harness/schemas/protocol.schema.json`, from the very types that read and write the lines: a line is what the harness
/// asks, or what a process replies.
pub fn schema_json() -> String {
    let mut generator = SchemaSettings::draft07().into_generator();
    let lines = [lines::<Message>(&mut generator), lines::<Reply>(&mut generator)].concat();
    let definitions = generator.take_definitions(true);
    let mut schema = Schema::try_from(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A line between the harness and a process",
        "oneOf": lines,
        "definitions": definitions,
    }))
    .unwrap_or_default();
    RecursiveTransform(closed).transform(&mut schema);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// A line for each thing that can be said: its number, and that.
fn lines<T: JsonSchema>(generator: &mut SchemaGenerator) -> Vec<Value> {
    let kinds = T::json_schema(generator);
    let kinds = kinds.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let number = json!({"type": "integer", "minimum": 0, "description": "The number of the message, and of its reply."});
    let with_number = |mut line: Value| {
        if let Some(properties) = line.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert("q".into(), number.clone());
        }
        if let Some(required) = line.get_mut("required").and_then(Value::as_array_mut) {
            required.insert(0, "q".into());
        }
        line
    };
    kinds.into_iter().map(with_number).collect()
}

/// A field that the schema does not name is not allowed, except in what is a map.
fn closed(schema: &mut Schema) {
    let object = schema.get("type").and_then(Value::as_str) == Some("object");
    if object && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".into(), false.into());
    }
}
