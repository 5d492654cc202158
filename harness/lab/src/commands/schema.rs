//! `cargo lab schema`

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_harness::{known_failures, vector};
use cosmos_ttl_process::protocol;

use super::write::brought;
use crate::args::SchemaArgs;

/// Writes a schema from the types.
type Write = fn() -> String;

/// Each schema: its file in the project, and what writes it from the types.
const SCHEMAS: [(&str, Write); 4] = [
    ("vectors/schema.json", vector::schema_json),
    ("harness/schemas/known.schema.json", known_failures::known_schema_json),
    ("harness/process/schemas/protocol.schema.json", protocol::schema_json),
    ("harness/report/schemas/report.schema.json", cosmos_ttl_report::schema::schema_json),
];

pub(super) fn schema(args: &SchemaArgs) -> Result<Output, CommandError> {
    let mut stale = Vec::new();
    for (file, schema) in SCHEMAS {
        if brought(&args.project.join(file), &schema(), args.check)? {
            stale.push(file);
        }
    }
    let files = stale.join(", ");
    Ok(match (stale.is_empty(), args.check) {
        (true, _) => format!("{} schemas; up to date\n", SCHEMAS.len()).into(),
        (false, false) => format!("{} schemas; written: {files}\n", SCHEMAS.len()).into(),
        (false, true) => {
            Output { text: format!("stale: {files}\n`cargo lab schema` writes them\n"), code: 1 }
        }
    })
}
