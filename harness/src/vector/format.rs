//! The vector format in YAML; `vectors/README.md` describes it field by field. These types only mirror the
//! text: [`load`](super::load) checks what a type cannot say.

mod feeds;

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub(crate) use self::feeds::{AskYaml, ContinueYaml, CountYaml, NumberYaml, WithinYaml};
use super::Expect;
use crate::etags::Condition;
use crate::literal::Literal;
use crate::target::{Indexing, Properties, Status};
pub(crate) use crate::yaml::value::OneKey;
use crate::yaml::value::{Again, json_map, some_json, some_visible_text, visible_text};

/// The vectors of one section.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `format`, `section` and `vectors`")]
pub(crate) struct FileYaml {
    /// The version of this format: 1.
    #[expect(dead_code, reason = "`yaml::read` looks at it")]
    pub(crate) format: u32,
    /// A section of clauses.yaml; also the name of the file.
    pub(crate) section: String,
    /// At least one.
    pub(crate) vectors: Vec<VectorYaml>,
}

/// A storyboard.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VectorYaml {
    /// Lower case, digits and hyphens; unique in the section, never reused, never renamed.
    pub(crate) id: String,
    /// The statement that must hold, as one sentence without a final period.
    #[serde(deserialize_with = "visible_text")]
    pub(crate) title: String,
    /// The clauses that it shows, at least one.
    pub(crate) clauses: Vec<String>,
    /// The documents that say this, in a sentence, a table row or a worked example.
    #[serde(default)]
    pub(crate) documents: Vec<SourceDocument>,
    /// The steps, in order.
    pub(crate) steps: Vec<OneKey<StepYaml>>,
}

/// One of the five documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum SourceDocument {
    /// January 2017, of what was then `DocumentDB`.
    D2017,
    /// Cosmos DB, about 2018.
    D2018,
    /// About 2019.
    D2019,
    /// September 2020.
    D2020,
    /// About 2024.
    D2024,
}

/// A step: a map with a single key.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StepYaml {
    /// Moves the clock to this second after the start of the vector.
    At(u64),
    /// Makes the container.
    CreateContainer(ContainerYaml),
    /// Replaces the container's settings as a whole.
    ReplaceContainer(ContainerYaml),
    /// Makes an item.
    Create(WriteYaml<Expect<AnswerYaml>>),
    /// Makes an item, or replaces the one with its id.
    Upsert(WriteYaml<Expect<AnswerYaml>>),
    /// Replaces an item as a whole.
    Replace(WriteYaml<Expect<AnswerYaml>>),
    /// Changes parts of an item.
    Patch(PatchYaml<Expect<AnswerYaml>>),
    /// Reads an item.
    Read(ReadYaml<Expect<AnswerYaml>>),
    /// Deletes an item.
    Delete(DeleteYaml<Expect<AnswerYaml>>),
    /// Asks for all items with a query.
    Query(AskYaml),
    /// Asks for all items with the container's feed.
    List(AskYaml),
    /// Asks for the number of items with a query.
    Count(CountYaml),
    /// Several operations, all or nothing.
    Batch(BatchYaml),
}

impl StepYaml {
    /// The number of operations in a batch; of no other step.
    pub(crate) fn operations_of_batch(&self) -> usize {
        if let Self::Batch(batch) = self { batch.operations.len() } else { 0 }
    }
}

/// A request about one item.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OperationYaml<E> {
    /// Makes an item.
    Create(WriteYaml<E>),
    /// Makes an item, or replaces the one with its id.
    Upsert(WriteYaml<E>),
    /// Replaces an item as a whole.
    Replace(WriteYaml<E>),
    /// Changes parts of an item.
    Patch(PatchYaml<E>),
    /// Reads an item.
    Read(ReadYaml<E>),
    /// Deletes an item.
    Delete(DeleteYaml<E>),
}

/// A container's settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContainerYaml {
    /// Any JSON value, sent exactly as written; absent leaves the property out.
    #[serde(default, rename = "defaultTtl", deserialize_with = "some_json")]
    #[schemars(with = "Value", default)]
    pub(crate) default_ttl: Option<Literal>,
    /// JSON text, for what YAML cannot hold exactly.
    #[serde(rename = "defaultTtl-json")]
    pub(crate) default_ttl_json: Option<String>,
    /// Consistent, if absent.
    #[serde(default)]
    pub(crate) indexing: Indexing,
    /// The expected answer.
    pub(crate) expect: Expect<AnswerYaml>,
}

/// A create, an upsert or a replace.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WriteYaml<E> {
    /// The item's id.
    #[serde(deserialize_with = "visible_text")]
    pub(crate) id: String,
    /// The partition key of the item; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// Any JSON value, sent exactly as written; absent leaves the property out.
    #[serde(default, deserialize_with = "some_json")]
    #[schemars(with = "Value", default)]
    pub(crate) ttl: Option<Literal>,
    /// JSON text, for what YAML cannot hold exactly.
    pub(crate) ttl_json: Option<String>,
    /// The content that shows whether an item survived.
    pub(crate) value: Option<i64>,
    /// Further properties.
    #[serde(default, deserialize_with = "json_map")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub(crate) more: Properties,
    /// The etag that a replace requires.
    pub(crate) if_match: Option<Condition>,
    /// The expected answer.
    pub(crate) expect: E,
}

/// A patch.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct PatchYaml<E> {
    /// The item's id.
    #[serde(deserialize_with = "visible_text")]
    pub(crate) id: String,
    /// The partition key of the item; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// Sets `ttl`: any JSON value, sent exactly as written.
    #[serde(default, deserialize_with = "some_json")]
    #[schemars(with = "Value", default)]
    pub(crate) ttl: Option<Literal>,
    /// Sets `ttl`: JSON text, for what YAML cannot hold exactly.
    pub(crate) ttl_json: Option<String>,
    /// Sets the content that shows whether an item survived.
    pub(crate) value: Option<i64>,
    /// Sets further properties.
    #[serde(default, deserialize_with = "json_map")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub(crate) more: Properties,
    /// Takes properties away.
    #[serde(default)]
    pub(crate) remove: Vec<String>,
    /// The etag it requires.
    pub(crate) if_match: Option<Condition>,
    /// The expected answer.
    pub(crate) expect: E,
}

/// A point read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadYaml<E> {
    /// The item's id.
    #[serde(deserialize_with = "visible_text")]
    pub(crate) id: String,
    /// The partition key of the item; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// The expected answer.
    pub(crate) expect: E,
}

/// A delete.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct DeleteYaml<E> {
    /// The item's id.
    #[serde(deserialize_with = "visible_text")]
    pub(crate) id: String,
    /// The partition key of the item; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// The etag it requires.
    pub(crate) if_match: Option<Condition>,
    /// The expected answer.
    pub(crate) expect: E,
}

/// A transactional batch.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchYaml {
    /// The partition key of its items; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// At least one, in order.
    pub(crate) operations: Vec<OneKey<OperationYaml<Option<Unasked>>>>,
    /// The expected answer.
    pub(crate) expect: Expect<OneKey<BatchAnswerYaml>>,
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

/// The answer of a batch.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BatchAnswerYaml {
    /// Every operation took effect, each with this answer.
    Committed(Vec<ExpectedStatus>),
    /// One operation was refused, and none took effect.
    Aborted(AbortedYaml),
}

/// The refusal of a batch.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AbortedYaml {
    /// Which operation was refused, counted from 0.
    pub(crate) at: usize,
    /// Its answer.
    pub(crate) with: ExpectedStatus,
}

// Any status with a word, unless the target is too busy to say anything about time to live.
/// An answer in a word.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "Word")]
pub(crate) struct ExpectedStatus(#[serde(with = "StatusWord")] pub(crate) Status);

#[derive(Deserialize, JsonSchema)]
#[serde(remote = "Status", rename_all = "kebab-case", expecting = "a string")]
#[schemars(inline, !remote)]
enum StatusWord {
    Created,
    Ok,
    Found,
    NoContent,
    BadRequest,
    NotFound,
    Conflict,
    PreconditionFailed,
}

/// The expected details of the item in an answer.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct DetailsYaml {
    /// `ttl` has this value.
    #[serde(default, deserialize_with = "some_json")]
    #[schemars(with = "Value", default)]
    pub(crate) ttl: Option<Literal>,
    /// `ttl` has this value, as JSON text.
    pub(crate) ttl_json: Option<String>,
    /// The content.
    pub(crate) value: Option<i64>,
    /// Further properties.
    #[serde(default, deserialize_with = "json_map")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub(crate) more: Properties,
    /// Properties that must not be there.
    #[serde(default)]
    pub(crate) absent: Vec<String>,
    /// `_ts` is that of the write which this vector made to this id at that second.
    pub(crate) written_at: Option<u64>,
    /// How `_etag` compares to the one last returned for this id.
    pub(crate) etag: Option<EtagIs>,
}

display_as_serialized!(EtagIs);

/// How an etag compares to the one last returned for this id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EtagIs {
    /// It is the same.
    Same,
    /// It is another.
    New,
}

/// The answer of a request about one item or the container: a word, or a word with details.
pub(crate) struct AnswerYaml(pub(crate) ExpectedStatus, pub(crate) DetailsYaml);

impl<'de> Deserialize<'de> for AnswerYaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnswerVisitor;
        impl<'de> Visitor<'de> for AnswerVisitor {
            type Value = AnswerYaml;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an answer such as `found`, or `{found: {value: 1}}`")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<AnswerYaml, E> {
                let status = ExpectedStatus::deserialize(word.into_deserializer())?;
                Ok(AnswerYaml(status, DetailsYaml::default()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnswerYaml, A::Error> {
                let Some((status, details)) = map.next_entry()? else {
                    return Err(de::Error::custom("an empty map is no answer"));
                };
                match map.next_key::<String>()? {
                    Some(key) => {
                        Err(de::Error::custom(format_args!("one answer is enough, here is also `{key}`")))
                    }
                    None => Ok(AnswerYaml(status, details)),
                }
            }
        }
        deserializer.deserialize_any(AnswerVisitor)
    }
}

impl JsonSchema for AnswerYaml {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let word = generator.subschema_for::<ExpectedStatus>();
        let details = generator.subschema_for::<DetailsYaml>();
        json_schema!({
            "description": "An answer in a word, or `{word: details}`.",
            "anyOf": [
                word,
                {
                    "type": "object", "minProperties": 1, "maxProperties": 1,
                    "propertyNames": generator.subschema_for::<ExpectedStatus>(),
                    "additionalProperties": details
                }
            ]
        })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Expect<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ExpectVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ExpectVisitor<T> {
            type Value = Expect<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("what must be answered, or `{open: CLAUSE, VALUE: answer, ..}`")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Expect<T>, E> {
                T::deserialize(word.into_deserializer()).map(Expect::One)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Expect<T>, E> {
                T::deserialize(number.into_deserializer()).map(Expect::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Expect<T>, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(seq)).map(Expect::One)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Expect<T>, A::Error> {
                let first: Option<String> = map.next_key()?;
                if first.as_deref() != Some("open") {
                    return T::deserialize(MapAccessDeserializer::new(Again { first, rest: map }))
                        .map(Expect::One);
                }
                let clause = map.next_value()?;
                let (mut of, mut outcomes) = (None, Vec::new());
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "of" => of = Some(map.next_value()?),
                        _ => outcomes.push((key, map.next_value()?)),
                    }
                }
                Ok(Expect::Open { clause, of, outcomes })
            }
        }
        deserializer.deserialize_any(ExpectVisitor(std::marker::PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Expect<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Expect_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({
            "anyOf": [
                one,
                {
                    "description": "One answer for each value of an open clause.",
                    "type": "object", "required": ["open"], "minProperties": 3,
                    "properties": { "open": { "type": "string" }, "of": { "type": "string" } },
                    "additionalProperties": generator.subschema_for::<T>()
                }
            ]
        })
    }
}
