//! Pieces that the types of the format are made of, and that serde does not have.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::literal::Literal;

/// A map whose first key was already taken out.
pub(super) struct Again<A> {
    pub(super) first: Option<String>,
    pub(super) rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Again<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}

// A map with a single key that says which variant of an enum it is. A documentation comment would be part of the schema.
//
// YAML would otherwise want a tag there, and internally tagged enums lose the line of an error.
#[derive(JsonSchema)]
#[schemars(transparent, rename = "{T}")]
pub(crate) struct OneKey<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneKey<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneKeyVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneKeyVisitor<T> {
            type Value = OneKey<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map with a single key")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneKey<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneKey)
            }
        }
        deserializer.deserialize_map(OneKeyVisitor(std::marker::PhantomData))
    }
}

/// The expectation that an operation of a batch must not have.
pub(crate) enum Unasked {}

impl<'de> Deserialize<'de> for Unasked {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(de::Error::custom("an operation of a batch has no `expect` of its own; the batch has"))
    }
}

impl JsonSchema for Unasked {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Unasked".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(false)
    }
}

/// A value that is there, null included.
pub(super) fn some_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Literal>, D::Error> {
    Value::deserialize(deserializer).map(|value| Some(Literal::from(&value)))
}

/// Values by name.
pub(super) fn json_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Literal>, D::Error> {
    let map = BTreeMap::<String, Value>::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(key, value)| (key, Literal::from(&value))).collect())
}
