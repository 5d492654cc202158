//! The format as a JSON Schema, for editors.

use schemars::generate::SchemaSettings;

use super::format::FileYaml;

/// `vectors/schema.json`, from the very types that read the vectors.
pub fn schema_json() -> String {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<FileYaml>();
    schema.insert("title".into(), "Vectors of one section".into());
    // A schema is made of strings, numbers, lists and maps: nothing that JSON could refuse.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
