//! The format as a JSON Schema.

use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::known_failures::{KnownFailures, SCHEMA, known_schema_json};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_harness::yaml;

use cosmos_ttl_testing::json_schema::{Schema, check_committed};

#[test]
fn the_schema_is_that_of_the_types() {
    check_committed(SCHEMA, &known_schema_json());
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
    let path = cosmos_ttl_testing::project().join("harness/implementations/cosmosdb-server/known.yaml");
    let known = KnownFailures::load(&path, &embedded().unwrap()).unwrap_or_else(|flaw| panic!("{flaw}"));
    let schema = known.text().lines().next().and_then(|line| line.split_once("$schema=")).unwrap().1;
    assert!(path.parent().unwrap().join(schema).is_file(), "{schema}");
}

#[test]
fn the_schema_takes_that_list() {
    let path = cosmos_ttl_testing::project().join("harness/implementations/cosmosdb-server/known.yaml");
    let known = KnownFailures::load(&path, &embedded().unwrap()).unwrap_or_else(|flaw| panic!("{flaw}"));
    let source = Arc::new(Source::new(known.file(), known.text()));
    let value: serde_json::Value = yaml::shape(&source, &yaml::parse(&source).unwrap(), "").unwrap();
    assert_eq!(Schema::committed(SCHEMA).refuses(&value), None);
    let without = |name: &str| {
        let mut value = value.clone();
        value["known"][0].as_object_mut().unwrap().remove(name);
        Schema::committed(SCHEMA).refuses(&value)
    };
    assert!(without("reason").is_some() && without("kind").is_some());
}
