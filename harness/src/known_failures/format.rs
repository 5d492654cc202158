//! A list of known failures as it stands in YAML. These types only mirror the text; [`load`](super::load) checks the rest.

use std::fmt;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

use super::Kind;

/// How a target is known to fail.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `format`, `target` and `known`")]
pub(super) struct File {
    /// The version of this format: 1.
    pub(super) format: u32,
    /// What the list is of; for people.
    pub(super) target: Option<String>,
    /// What is known; may be empty.
    pub(super) known: Vec<Entry>,
}

/// A known failure: `id` and `signature` of one vector, or `match` and `max` of many.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a map of `id`, `kind`, `reason`, `link` and `signature`, or of `match`, `max` and the like"
)]
pub(super) struct Entry {
    /// The vector: `section/id`.
    pub(super) id: Option<String>,
    /// The vectors: as `id`, where `*` stands for any characters on its side of the slash. Needs `max`.
    #[serde(rename = "match")]
    pub(super) pattern: Option<String>,
    /// Of a `match`: how many of its vectors fail, and no more.
    #[serde(default, deserialize_with = "max")]
    #[schemars(range(min = 1))]
    pub(super) max: Option<usize>,
    /// Why it is on the list: it is a `bug` to be mended, it stays (`wont-fix`), or it is `flaky`.
    pub(super) kind: Kind,
    /// The same in words.
    #[schemars(length(min = 1))]
    pub(super) reason: String,
    /// Where more is said about it: a URL, http or https.
    #[schemars(regex(pattern = "^https?://"))]
    pub(super) link: Option<String>,
    /// How it fails, as a run says: `at second 1: expected not-found, got found`. An `id` needs one. In a `match`, `*`
    /// stands for any characters, and without a signature every failure is taken.
    pub(super) signature: Option<String>,
}

fn max<'de, D: Deserializer<'de>>(value: D) -> Result<Option<usize>, D::Error> {
    value.deserialize_u64(Max).map(Some)
}

/// Says what is accepted in words, not as a type.
struct Max;

impl Visitor<'_> for Max {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of vectors, at least 1")
    }

    fn visit_u64<E: de::Error>(self, max: u64) -> Result<usize, E> {
        // More than any machine can count is more than there are vectors.
        Ok(usize::try_from(max).unwrap_or(usize::MAX))
    }
}

/// `schemas/known.schema.json`, from the very types that read the lists.
pub fn known_schema_json() -> String {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<File>();
    schema.insert("title".into(), "Known failures of one target".into());
    // A schema is made of strings, numbers, lists and maps: nothing that JSON could refuse.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
