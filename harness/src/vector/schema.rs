//! The schema from which editors complete the files of vectors: their form, and the ids that they may cite.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::format::FileYaml;
use super::load::Suite;
use crate::clauses::Level;

/// Returns `schema.json`, from the very types that read the vectors.
/// Offers the ids of this suite.
pub fn schema_json(suite: &Suite) -> String {
    let ids = {
        let all = suite.catalogue.clauses();
        let open = all.clone().filter(|clause| clause.level == Level::Open);
        let sections = suite.catalogue.sections.iter().map(|section| &section.name);
        [
            ("clauses", all.map(|clause| clause.id.clone()).collect()),
            ("open", open.map(|clause| clause.id.clone()).collect()),
            ("section", sections.cloned().collect::<Vec<_>>()),
        ]
    };
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<FileYaml>().to_value();
    if let Some(properties) = schema.as_object_mut() {
        properties.insert("title".into(), "Vectors of one section".into());
    }
    offer(&mut schema, &ids);
    // A `Schema` prints its words in the usual order, and is made of what JSON never refuses.
    let schema = Schema::try_from(schema).unwrap_or_default();
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Offers ids at the properties of these names. Other texts stay valid: a directory may have clauses of its own, and the loader
/// checks them.
fn offer(schema: &mut Value, ids: &[(&str, Vec<String>)]) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, offered) in ids {
            if let Some(property) = properties.get_mut(*name) {
                let is_list = property.get("items").is_some();
                let text = if is_list { &mut property["items"] } else { property };
                text["anyOf"] = json!([{ "enum": offered }, { "type": "string" }]);
            }
        }
    }
    match schema {
        Value::Object(map) => map.values_mut().for_each(|value| offer(value, ids)),
        Value::Array(list) => list.iter_mut().for_each(|value| offer(value, ids)),
        _ => {}
    }
}
