//! The format as a JSON Schema.

use std::fs;
use std::path::Path;

use cosmos_ttl_harness::known::{Known, known_schema_json};
use cosmos_ttl_harness::vector::embedded;

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

/// A run against the server is needed to hold it; that it can be read is known without.
#[test]
fn the_list_of_the_server_in_ci_can_be_read_and_names_its_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/cosmosdb-server/known.yaml");
    let known = Known::load(&path, &embedded().unwrap()).unwrap_or_else(|flaw| panic!("{flaw}"));
    let schema = known.text().lines().next().and_then(|line| line.split_once("$schema=")).unwrap().1;
    assert!(path.parent().unwrap().join(schema).is_file(), "{schema}");
}
