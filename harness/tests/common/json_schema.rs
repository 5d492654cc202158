//! A schema that is committed, and what it says of values.

use std::fs;
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A file of `harness/schemas`.
pub(crate) struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    pub(crate) fn committed(format: &str) -> Self {
        let schema = serde_json::from_str(&text(format)).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", schema).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap();
        Self { schemas, index }
    }

    /// Why a value is refused; nothing where it is taken.
    pub(crate) fn refuses(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|err| err.to_string())
    }
}

/// What is committed is what the types say.
#[track_caller]
pub(crate) fn check_committed(format: &str, types: &str) {
    let help = format!("make it anew: `cosmos-ttl schema {format} > harness/schemas/{format}.schema.json`");
    assert!(text(format) == types, "{help}");
}

fn text(format: &str) -> String {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    fs::read_to_string(schemas.join(format!("{format}.schema.json"))).unwrap()
}
