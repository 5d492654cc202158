//! The schemas from which editors complete the files of a directory of vectors: their form, and the ids that they may cite.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::format::FileYaml;
use super::load::embedded;
use crate::clauses::{Catalogue, Level};
use crate::evidence::EvidenceFile;

/// Returns `schema.json`, from the very types that read the vectors.
pub fn schema_json() -> String {
    let ids = embedded().map(|suite| {
        let all = suite.catalogue.clauses();
        let open = all.clone().filter(|clause| clause.level == Level::Open);
        let sections = suite.catalogue.sections.iter().map(|section| &section.name);
        [
            ("clauses", all.map(|clause| clause.id.clone()).collect()),
            ("open", open.map(|clause| clause.id.clone()).collect()),
            ("section", sections.cloned().collect::<Vec<_>>()),
        ]
    });
    schema::<FileYaml>("Vectors of one section", ids.as_ref().map_or(&[], |ids| ids))
}

/// Returns `clauses.schema.json`.
pub fn clauses_schema_json() -> String {
    let ids = embedded().map(|suite| {
        let findings = suite.evidence.findings.iter().map(|finding| &finding.id);
        let documents = suite.evidence.documents.iter().map(|document| &document.id);
        [("sources", documents.chain(findings).cloned().collect())]
    });
    schema::<Catalogue>("The normative clauses", ids.as_ref().map_or(&[], |ids| ids))
}

/// Returns `evidence.schema.json`.
pub fn evidence_schema_json() -> String {
    let ids = embedded().map(|suite| [("at", suite.evidence.ids().map(String::from).collect())]);
    schema::<EvidenceFile>("The evidence behind the clauses", ids.as_ref().map_or(&[], |ids| ids))
}

/// The names of properties, each with the ids that are offered for it.
type OfferedIds<'a> = &'a [(&'a str, Vec<String>)];

fn schema<T: JsonSchema>(title: &str, ids: OfferedIds<'_>) -> String {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>().to_value();
    if let Some(properties) = schema.as_object_mut() {
        properties.insert("title".into(), title.into());
    }
    offer(&mut schema, ids);
    // A `Schema` prints its words in the usual order, and is made of what JSON never refuses.
    let schema = Schema::try_from(schema).unwrap_or_default();
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Offers the ids at their properties. Other texts stay valid: a directory may have clauses of its own, and the loader checks them.
fn offer(schema: &mut Value, ids: OfferedIds<'_>) {
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
