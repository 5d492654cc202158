//! The format as a JSON Schema.

use std::fs;
use std::path::Path;

use cosmos_ttl_harness::known::known_schema_json;

#[test]
fn the_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/known.schema.json");
    let schema = known_schema_json();
    if std::env::var_os("COSMOS_TTL_WRITE_SCHEMAS").is_some() {
        fs::write(&path, &schema).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == schema,
        "schemas/known.schema.json is stale; COSMOS_TTL_WRITE_SCHEMAS=1 writes it anew"
    );
}

#[test]
fn every_field_of_an_entry_is_described() {
    let schema: serde_json::Value = serde_json::from_str(&known_schema_json()).unwrap();
    let entry = schema["definitions"]["Entry"].as_object().unwrap();
    let fields = entry["properties"].as_object().unwrap();
    let names: Vec<_> = fields.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    for (name, field) in fields {
        assert!(field["description"].is_string(), "{name}");
    }
    assert_eq!(entry["additionalProperties"], false);
}
