//! Requests and responses as JSON, byte for byte as the process protocol carries them, and the words of a status.
//!
//! A buffer, which serde uses for `untagged` and `flatten`, would round the numbers of a [`Literal`]: these parts are read
//! by hand. [`fields!`] names the fields that tuple variants have on the wire.

#![expect(clippy::ptr_arg, clippy::ref_option, reason = "serde hands references to the fields on")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Body, Document, Etag, Id, Item, Operation, Patch, Properties, Request, Response};
use crate::literal::{Literal, LiteralKind};

/// Declares an object with these fields, which takes the place of a variant's tuple of the same values.
macro_rules! fields {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* }) => {
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub(super) struct $name {
            $($(#[$attribute])* $field: $type),*
        }

        impl $name {
            pub(super) fn serialize<S: Serializer>($($field: &$type,)* serializer: S) -> Result<S::Ok, S::Error> {
                Serialize::serialize(&Self { $($field: $field.clone()),* }, serializer)
            }

            #[allow(unused_parens, reason = "one field is no tuple")]
            pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<($($type),*), D::Error> {
                let Self { $($field),* } = Deserialize::deserialize(from)?;
                Ok(($($field),*))
            }
        }
    };
}

fields!(NoFields {});
fields!(BatchFields {
    /// In order.
    operations: Vec<Operation>
});
fields!(WriteFields {
    /// The item to be written.
    item: Document
});
fields!(ReplaceFields {
    /// The item to be written.
    item: Document,
    /// Only if the item's etag is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    if_match: Option<Etag>
});
fields!(ReadFields {
    /// Which item.
    id: Id
});
fields!(DeleteFields {
    /// Which item.
    id: Id,
    /// Only if the item's etag is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    if_match: Option<Etag>
});

// On the wire, the condition is one of the fields of `Patch`.
/// Changes to an item.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) struct PatchFields {
    /// Which item.
    id: Id,
    /// Properties to set, each to any JSON value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, Value>")]
    set: Properties,
    /// Properties to take away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remove: Vec<String>,
    /// Only if the item's etag is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    if_match: Option<Etag>,
}

impl PatchFields {
    pub(super) fn serialize<S: Serializer>(
        patch: &Patch,
        if_match: &Option<Etag>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let Patch { id, set, remove } = patch.clone();
        Serialize::serialize(&Self { id, set, remove, if_match: if_match.clone() }, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<(Patch, Option<Etag>), D::Error> {
        let Self { id, set, remove, if_match } = Deserialize::deserialize(from)?;
        Ok((Patch { id, set, remove }, if_match))
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Item(operation) => operation.serialize(serializer),
            request => Self::serialize(request, serializer),
        }
    }
}

/// The words of the requests about one item.
const OPERATIONS: [&str; 6] = ["create", "upsert", "replace", "patch", "read", "delete"];

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let keys: BTreeMap<String, &RawValue> = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let request = if keys.keys().any(|key| OPERATIONS.contains(&key.as_str())) {
            serde_json::from_str(text.get()).map(Self::Item)
        } else {
            Self::deserialize(&mut serde_json::Deserializer::from_str(text.get()))
        };
        request.map_err(D::Error::custom)
    }
}

/// Reads a value that is there, so that null is told from a property that is absent.
pub(super) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Literal>, D::Error> {
    Literal::deserialize(deserializer).map(Some)
}

/// An object in which no key occurs twice: of two values under one key nobody could say which was meant.
#[derive(Debug)]
pub struct UniqueKeys<V>(pub BTreeMap<String, V>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for UniqueKeys<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UniqueKeysVisitor<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueKeysVisitor<V> {
            type Value = UniqueKeys<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueKeys<V>, A::Error> {
                let mut values = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    if values.contains_key(&key) {
                        return Err(A::Error::custom(format!("`{key}` stands in it twice")));
                    }
                    values.insert(key, value);
                }
                Ok(UniqueKeys(values))
            }
        }
        deserializer.deserialize_map(UniqueKeysVisitor(PhantomData))
    }
}

fn text(literal: &Literal) -> Option<String> {
    serde_json::from_str(literal.as_str()).ok()
}

fn string(text: &str) -> Literal {
    Literal::from(&Value::from(text))
}

fn with_id(document: &Document) -> Properties {
    let mut properties = document.properties.clone();
    properties.insert("id".into(), string(&document.id));
    properties
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        with_id(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let UniqueKeys::<Literal>(mut properties) = Deserialize::deserialize(deserializer)?;
        let id = properties.remove("id").and_then(|id| text(&id));
        let id = id.ok_or_else(|| D::Error::custom("an `item` whose `id` is no string"))?;
        Ok(Self { id, properties })
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut properties = with_id(&self.document);
        properties.extend(self.ts.map(|ts| ("_ts".to_owned(), ts.into())));
        properties.extend(self.etag.as_ref().map(|etag| ("_etag".to_owned(), string(etag))));
        properties.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let UniqueKeys(properties) = Deserialize::deserialize(deserializer)?;
        let why = "an `item` that is none: `id` must be a string, `_ts` a whole number and `_etag` a string";
        Self::from_properties(properties).ok_or_else(|| D::Error::custom(why))
    }
}

impl Item {
    /// Returns the item that a server described by these properties.
    ///
    /// `None` unless `id` is a string, `_ts` a whole number and `_etag` a string; the latter two may be absent.
    pub fn from_properties(mut properties: Properties) -> Option<Self> {
        let id = text(&properties.remove("id")?)?;
        let ts = match properties.remove("_ts").map(|ts| ts.kind()) {
            None | Some(LiteralKind::Null) => None,
            Some(LiteralKind::Whole(seconds) | LiteralKind::WholeAsFraction(seconds)) => Some(seconds),
            Some(LiteralKind::Other) => return None,
        };
        let etag = match properties.remove("_etag") {
            Some(etag) if etag.kind() != LiteralKind::Null => Some(text(&etag)?),
            _ => None,
        };
        properties.retain(|name, _| !matches!(name.as_str(), "_rid" | "_self" | "_attachments"));
        Some(Self { document: Document { id, properties }, ts, etag })
    }
}

/// The fields of a response; at most one of `item`, `ids`, `count`, `committed` and `aborted` is there.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Response")]
pub(super) struct ResponseFields {
    /// The answer in a word, or its HTTP status code.
    status: Status,
    /// The item that was written or read: its `id`, its properties, `_ts` in seconds and `_etag`.
    item: Option<Item>,
    /// The ids of the items that a query or a list found, in any order.
    ids: Option<Vec<Id>>,
    /// With `ids`, if a page was asked for and more may follow: where the next page continues, any text.
    continuation: Option<String>,
    /// A count.
    count: Option<u64>,
    /// A batch took effect: what each of its operations came to.
    committed: Option<Vec<Status>>,
    /// A batch had no effect: this operation, counted from 0, was refused, and `status` says how.
    aborted: Option<usize>,
    /// The target's own words, for people.
    detail: Option<String>,
}

impl TryFrom<ResponseFields> for Response {
    type Error = &'static str;

    fn try_from(fields: ResponseFields) -> Result<Self, Self::Error> {
        let ResponseFields { status, item, ids, continuation, count, committed, aborted, detail } = fields;
        let bodies = [
            item.map(Body::Item),
            ids.map(Body::Ids),
            count.map(Body::Count),
            committed.map(Body::Committed),
            aborted.map(|at| Body::Aborted { at }),
        ];
        let mut bodies = bodies.into_iter().flatten();
        let body = bodies.next().unwrap_or(Body::Nothing);
        if bodies.next().is_some() {
            return Err(
                "an answer that carries more than one of `item`, `ids`, `count`, `committed`, `aborted`",
            );
        }
        // Nothing follows an answer that is no page.
        let continuation = continuation.filter(|_| matches!(body, Body::Ids(_)));
        let response = Self { body, ..Self::new(status) }.continued(continuation);
        Ok(match detail {
            Some(detail) => response.with_detail(&detail),
            None => response,
        })
    }
}

/// The status of a response, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// 201
    Created,
    /// 200 of anything but a point read
    Ok,
    /// 200 of a point read
    Found,
    /// 204
    NoContent,
    /// 400
    BadRequest,
    /// 404
    NotFound,
    /// 409
    Conflict,
    /// 412
    PreconditionFailed,
    /// 429
    TooManyRequests,
    /// Any other status code; an answer too, and never an expected one
    #[serde(untagged)]
    Other(u16),
}

impl Status {
    /// Returns whether the request took effect.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Created | Self::Ok | Self::Found | Self::NoContent)
    }

    /// Lists every status that has a word, with its word and its HTTP status code.
    ///
    /// Vectors, reports, the process protocol and the REST client all use this table.
    pub const WORDS: [(Self, &'static str, u16); 9] = [
        (Self::Created, "created", 201),
        (Self::Ok, "ok", 200),
        (Self::Found, "found", 200),
        (Self::NoContent, "no-content", 204),
        (Self::BadRequest, "bad-request", 400),
        (Self::NotFound, "not-found", 404),
        (Self::Conflict, "conflict", 409),
        (Self::PreconditionFailed, "precondition-failed", 412),
        (Self::TooManyRequests, "too-many-requests", 429),
    ];

    /// Returns the word that vectors, reports and the process protocol use.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(status, ..)| *status == self).map_or("other", |(_, word, _)| word)
    }

    /// Returns the status with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, named, _)| *named == word).map(|(status, ..)| *status)
    }

    /// Returns the status for this HTTP status code; 200 is `found` for a point read and `ok` for anything else.
    pub fn from_code(code: u16, point_read: bool) -> Self {
        let with_code = Self::WORDS.iter().find(|(_, _, known)| *known == code);
        with_code.map_or(Self::Other(code), |(status, ..)| status.answering(point_read))
    }

    /// Returns the status as the answer to a point read, or to anything else: `ok` and `found` are one code.
    #[must_use]
    pub fn answering(self, point_read: bool) -> Self {
        match self {
            Self::Ok | Self::Found if point_read => Self::Found,
            Self::Ok | Self::Found => Self::Ok,
            status => status,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(code) => write!(f, "status {code}"),
            status => f.write_str(status.word()),
        }
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StatusVisitor;
        impl Visitor<'_> for StatusVisitor {
            type Value = Status;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a status: one of the words, or an HTTP status code from 100 to 599")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Status, E> {
                Status::from_word(word).ok_or_else(|| {
                    let words = Status::WORDS.map(|(_, word, _)| format!("`{word}`")).join(", ");
                    E::custom(format_args!("`status`: unknown variant `{word}`, expected one of {words}"))
                })
            }

            fn visit_u64<E: Error>(self, code: u64) -> Result<Status, E> {
                let valid = u16::try_from(code).ok().filter(|code| (100..600).contains(code));
                let valid = valid.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(code), &self))?;
                Ok(Status::from_code(valid, false))
            }
        }
        deserializer.deserialize_any(StatusVisitor)
    }
}

impl JsonSchema for Status {
    fn schema_name() -> Cow<'static, str> {
        "Status".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A status: a word, or an HTTP status code.",
            "anyOf": [
                { "type": "string", "enum": Self::WORDS.map(|(_, word, _)| word) },
                { "type": "integer", "minimum": 100, "maximum": 599 },
            ],
        })
    }
}
