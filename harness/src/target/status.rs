//! The status of a response: its words, its HTTP status codes, and how the process protocol writes it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

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
