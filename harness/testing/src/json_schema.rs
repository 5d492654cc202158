//! A schema that is committed, and what it says of values.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A schema that is committed.
pub struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    pub fn committed(text: &str) -> Self {
        let schema = serde_json::from_str(text).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", schema).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap();
        Self { schemas, index }
    }

    /// Why a value is refused; nothing where it is taken.
    pub fn refuses(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|err| err.to_string())
    }
}
