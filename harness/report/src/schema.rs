//! The form of a report as a JSON Schema, for programs that read reports.

use schemars::generate::SchemaSettings;

use super::Report;

/// The schema of `report.json`, from the very types that write it. It takes no field that this version does not write,
/// and asks for every one that it does.
pub fn schema_json() -> String {
    let settings = SchemaSettings::draft07().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Report>();
    schema.insert("title".into(), "What came of a run".into());
    // A schema is made of strings, numbers, lists and maps: nothing that JSON could refuse.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
