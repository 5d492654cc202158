//! Answers, as they travel.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::unique::unique_or_none;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::rest_response;
use cosmos_ttl_harness::target::{Body, Document, Id, Item, Operation, Request, Response, Status};

/// What the target said; at most one of `item`, `ids`, `count`, `committed` and `aborted` is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The answer in a word, or its HTTP status code.
    pub status: StatusCode,
    /// The item that was written or read: its `id`, its properties, `_ts` in seconds and `_etag`.
    #[serde(default, deserialize_with = "unique_or_none", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, Value>>", default)]
    pub item: Option<BTreeMap<String, Literal>>,
    /// The ids of the items that a query or a list found, in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<Id>>,
    /// A count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// A batch took effect: what each of its operations came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<Vec<StatusCode>>,
    /// A batch had no effect: this operation, counted from 0, was refused, and `status` says how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<usize>,
    /// The target's own words, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A status: a word, or an HTTP status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StatusCode {
    /// In a word.
    Word(Word),
    /// As HTTP has it.
    Code(u16),
}

/// A status in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "they are those of `Status`")]
pub enum Word {
    Created,
    Ok,
    Found,
    NoContent,
    BadRequest,
    NotFound,
    Conflict,
    PreconditionFailed,
    TooManyRequests,
}

impl<'de> Deserialize<'de> for StatusCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = StatusCode;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a status: one of the words, or an HTTP status code from 100 to 599")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<StatusCode, E> {
                let word = serde_json::from_value(Value::from(word));
                word.map(StatusCode::Word).map_err(|err| E::custom(format!("`status`: {err}")))
            }

            fn visit_u64<E: Error>(self, code: u64) -> Result<StatusCode, E> {
                let known = u16::try_from(code).ok().filter(|code| (100..600).contains(code));
                known.map(StatusCode::Code).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(code), &self))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl StatusCode {
    /// What it means as the answer to a point read, or to anything else: `ok` and `found` are one code.
    fn status(self, point_read: bool) -> Status {
        match self {
            Self::Code(code) => Status::from_code(code, point_read),
            Self::Word(Word::Ok | Word::Found) => Status::from_code(200, point_read),
            Self::Word(Word::Created) => Status::Created,
            Self::Word(Word::NoContent) => Status::NoContent,
            Self::Word(Word::BadRequest) => Status::BadRequest,
            Self::Word(Word::NotFound) => Status::NotFound,
            Self::Word(Word::Conflict) => Status::Conflict,
            Self::Word(Word::PreconditionFailed) => Status::PreconditionFailed,
            Self::Word(Word::TooManyRequests) => Status::TooManyRequests,
        }
    }
}

impl From<Status> for StatusCode {
    fn from(status: Status) -> Self {
        Self::Word(match status {
            Status::Created => Word::Created,
            Status::Ok => Word::Ok,
            Status::Found => Word::Found,
            Status::NoContent => Word::NoContent,
            Status::BadRequest => Word::BadRequest,
            Status::NotFound => Word::NotFound,
            Status::Conflict => Word::Conflict,
            Status::PreconditionFailed => Word::PreconditionFailed,
            Status::TooManyRequests => Word::TooManyRequests,
            Status::Other(code) => return Self::Code(code),
        })
    }
}

impl From<Response> for Answer {
    fn from(response: Response) -> Self {
        let mut answer = Self {
            status: response.status.into(),
            item: None,
            ids: None,
            count: None,
            committed: None,
            aborted: None,
            detail: response.detail,
        };
        match response.body {
            Body::Nothing => {}
            Body::Item(item) => answer.item = Some(whole(item)),
            Body::Ids(ids) => answer.ids = Some(ids),
            Body::Count(count) => answer.count = Some(count),
            Body::Committed(statuses) => {
                answer.committed = Some(statuses.into_iter().map(StatusCode::from).collect());
            }
            Body::Aborted { at } => answer.aborted = Some(at),
        }
        answer
    }
}

impl Answer {
    /// What it says to this request.
    ///
    /// # Errors
    ///
    /// Where it carries more than one thing, or an item that is none; in words.
    pub fn to(self, request: &Request) -> Result<Response, String> {
        let point_read = |operation: &Operation| matches!(operation, Operation::Read(_));
        let status = self.status.status(matches!(request, Request::Item(one) if point_read(one)));
        let carried = [
            self.item.is_some(),
            self.ids.is_some(),
            self.count.is_some(),
            self.committed.is_some(),
            self.aborted.is_some(),
        ];
        if 1 < carried.into_iter().filter(|there| *there).count() {
            return Err(
                "an answer that carries more than one of `item`, `ids`, `count`, `committed`, `aborted`"
                    .into(),
            );
        }
        let body = match self {
            Self { item: Some(item), .. } => Body::Item(rest_response::item(item).ok_or(
                "an `item` that is none: `id` must be a string, `_ts` a whole number and `_etag` a string",
            )?),
            Self { ids: Some(ids), .. } => Body::Ids(ids),
            Self { count: Some(count), .. } => Body::Count(count),
            Self { committed: Some(statuses), .. } => Body::Committed(committed(&statuses, request)),
            Self { aborted: Some(at), .. } => Body::Aborted { at },
            _ => Body::Nothing,
        };
        let response = Response { status, body, detail: None };
        Ok(match self.detail {
            Some(detail) => response.with_detail(&detail),
            None => response,
        })
    }
}

fn committed(statuses: &[StatusCode], request: &Request) -> Vec<Status> {
    let operations = match request {
        Request::Batch(operations) => operations.as_slice(),
        _ => &[],
    };
    let reads = operations.iter().map(|operation| matches!(operation, Operation::Read(_)));
    statuses.iter().zip(reads.chain(std::iter::repeat(false))).map(|(one, read)| one.status(read)).collect()
}

/// An item with all that a server adds.
fn whole(item: Item) -> BTreeMap<String, Literal> {
    let mut properties = with_id(&item.document);
    properties.extend(item.ts.map(|ts| ("_ts".to_owned(), Literal::from(ts))));
    properties.extend(item.etag.map(|etag| ("_etag".to_owned(), text(&etag))));
    properties
}

/// An item with its id among its properties.
pub(super) fn with_id(document: &Document) -> BTreeMap<String, Literal> {
    let mut properties = document.properties.clone();
    properties.insert("id".into(), text(&document.id));
    properties
}

fn text(text: &str) -> Literal {
    Literal::from(&Value::from(text))
}

/// Takes the id out of an item's properties.
pub(super) fn document(mut properties: BTreeMap<String, Literal>) -> Result<Document, String> {
    let id = properties.remove("id").and_then(|id| serde_json::from_str(id.as_str()).ok());
    let id = id.ok_or("an `item` whose `id` is no string")?;
    Ok(Document { id, properties })
}
