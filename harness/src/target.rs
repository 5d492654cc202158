//! The seam between the vectors and an implementation: what is asked, what is answered, what can go wrong.
//!
//! An adapter translates. It never decides what is right, it never sees a vector's name or an expectation, and values
//! reach it as a client would send them, legal or not. Five things are never mixed: the target *answers* (a refusal is
//! an answer, and so is a server error), it says that it *does not support* something, it *cannot know* (a reply was
//! lost after a write), it *broke*, or the harness was *used wrongly*.

mod json;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::json::{
    BatchFields, DeleteFields, NoFields, PatchFields, ReadFields, ReplaceFields, ResponseFields, WriteFields,
};
use crate::literal::Literal;

pub use self::json::UniqueKeys;

/// What is being tested.
pub trait Target: Sync {
    /// Who it is, and what clock it has.
    fn about(&self) -> About;

    /// An empty, isolated place for one vector; nothing of any other is visible in it.
    ///
    /// # Errors
    ///
    /// A [`Fault`], which is about the place and never about time to live.
    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault>;
}

/// One vector's place at a target.
pub trait Session: Send {
    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    ///
    /// A [`Fault`] where there is no answer.
    fn send(&mut self, request: &Request) -> Result<Response, Fault>;

    /// Moves the clock forward; only called where the clock is [`Clock::Virtual`].
    ///
    /// # Errors
    ///
    /// A [`Fault`] where the clock cannot be moved.
    fn pass(&mut self, seconds: u64) -> Result<(), Fault>;

    /// Removes whatever is expired at this moment; only called where the place was opened under [`Removal::Never`].
    ///
    /// # Errors
    ///
    /// A [`Fault`]; a target that cannot be told says that it does not support this.
    fn purge(&mut self) -> Result<(), Fault> {
        Err(Fault::Unsupported("its background cannot be told when to remove".into()))
    }

    /// What the target said since the place was opened, beside its answers: what it wrote to its log, say. For people;
    /// only asked after [`close`](Self::close), and of a vector that did not pass.
    fn log(&mut self) -> Option<String> {
        None
    }

    /// Gives the place up; called once, after the last request.
    ///
    /// # Errors
    ///
    /// A [`Fault`] where something is left behind.
    fn close(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Who a target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its version, as it says itself.
    pub version: String,
    /// Whose clock counts.
    pub clock: Clock,
    /// Under which editions it can be opened, at least one.
    pub editions: Vec<Edition>,
    /// Which schedules of background removal it can be told to follow; empty where it follows its own.
    pub removals: Vec<Removal>,
}

/// Whose clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// One that the harness moves.
    Virtual,
    /// One that runs by itself.
    Real,
}

/// Which documents are in force; they differ about an item's explicit null (`item-null-inherits`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum Edition {
    /// The tables of 2019 and 2020.
    #[serde(rename = "2020")]
    Y2020,
    /// The note of 2024.
    #[default]
    #[serde(rename = "2024")]
    Y2024,
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Y2020 => "2020",
            Self::Y2024 => "2024",
        })
    }
}

/// When the background removes expired items. Every schedule is allowed, and none may be visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Removal {
    /// Not at all.
    Never,
    /// As soon as they are expired.
    Eager,
    /// Before every second request.
    Alternate,
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "never",
            Self::Eager => "eager",
            Self::Alternate => "alternate",
        })
    }
}

/// What the place must be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// One of [`About::editions`].
    pub edition: Edition,
    /// One of [`About::removals`], or `None` where there are none.
    pub removal: Option<Removal>,
}

impl Opening {
    /// A place under this edition and this schedule of removal.
    pub fn new(edition: Edition, removal: Option<Removal>) -> Self {
        Self { edition, removal }
    }
}

/// A client's request; in JSON an object with one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote)]
pub enum Request {
    /// Makes the container.
    CreateContainer(Container),
    /// Replaces the container's settings as a whole; what is left out is off.
    ReplaceContainer(Container),
    /// About several items: all or nothing, in one instant.
    #[serde(with = "BatchFields")]
    Batch(Vec<Operation>),
    /// `SELECT * FROM c`
    #[serde(with = "NoFields")]
    Query,
    /// The feed of all items.
    #[serde(with = "NoFields")]
    List,
    /// `SELECT VALUE COUNT(1) FROM c`
    #[serde(with = "NoFields")]
    Count,
    /// About one item.
    #[serde(skip)]
    #[schemars(untagged, !skip)]
    Item(Operation),
}

impl Request {
    /// Returns the operations on items that the request consists of.
    pub fn operations(&self) -> &[Operation] {
        match self {
            Self::Item(operation) => std::slice::from_ref(operation),
            Self::Batch(operations) => operations,
            _ => &[],
        }
    }

    /// Returns the word that names the kind of request.
    pub fn word(&self) -> &'static str {
        match self {
            Self::CreateContainer(_) => "create-container",
            Self::ReplaceContainer(_) => "replace-container",
            Self::Batch(_) => "batch",
            Self::Query => "query",
            Self::List => "list",
            Self::Count => "count",
            Self::Item(operation) => operation.word(),
        }
    }
}

/// A container's settings, as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Container {
    /// `defaultTtl`, any JSON value; absent if the client leaves the property out.
    #[serde(rename = "defaultTtl", default, deserialize_with = "json::present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value", default)]
    pub default_ttl: Option<Literal>,
    /// `indexingPolicy.indexingMode`
    #[serde(default)]
    pub indexing: Indexing,
}

/// How a container is indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Indexing {
    /// Queries see every write at once.
    #[default]
    Consistent,
    /// The index follows behind.
    Lazy,
    /// There is none.
    None,
}

/// A request about one item; also what a batch consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Makes an item.
    #[serde(with = "WriteFields")]
    Create(Document),
    /// Makes an item, or replaces the one with its id.
    #[serde(with = "WriteFields")]
    Upsert(Document),
    /// Replaces an item as a whole, if its etag is this one.
    #[serde(with = "ReplaceFields")]
    Replace(Document, Option<Etag>),
    /// Changes parts of an item, if its etag is this one.
    #[serde(with = "PatchFields")]
    Patch(Patch, Option<Etag>),
    /// Reads an item.
    #[serde(with = "ReadFields")]
    Read(Id),
    /// Deletes an item, if its etag is this one.
    #[serde(with = "DeleteFields")]
    Delete(Id, Option<Etag>),
}

impl Operation {
    /// Lists the words that name the kinds of operations.
    pub const WORDS: [&'static str; 6] = ["create", "upsert", "replace", "patch", "read", "delete"];

    /// Returns the word that names the kind of operation.
    pub fn word(&self) -> &'static str {
        let [create, upsert, replace, patch, read, delete] = Self::WORDS;
        match self {
            Self::Create(_) => create,
            Self::Upsert(_) => upsert,
            Self::Replace(..) => replace,
            Self::Patch(..) => patch,
            Self::Read(_) => read,
            Self::Delete(..) => delete,
        }
    }

    /// Which item it is about.
    pub fn id(&self) -> &str {
        match self {
            Self::Create(document) | Self::Upsert(document) | Self::Replace(document, _) => &document.id,
            Self::Patch(patch, _) => &patch.id,
            Self::Read(id) | Self::Delete(id, _) => id,
        }
    }

    /// Makes it conditional, if it is a replace, patch or delete.
    pub fn require(&mut self, etag: Etag) {
        match self {
            Self::Replace(_, if_match) | Self::Patch(_, if_match) | Self::Delete(_, if_match) => {
                *if_match = Some(etag);
            }
            Self::Create(_) | Self::Upsert(_) | Self::Read(_) => {}
        }
    }

    /// Whether the item stands written anew if it succeeds.
    pub fn is_write(&self) -> bool {
        match self {
            Self::Create(_) | Self::Upsert(_) | Self::Replace(..) | Self::Patch(..) => true,
            Self::Read(_) | Self::Delete(..) => false,
        }
    }
}

/// An item's `id`.
pub type Id = String;

/// An item's `_etag`, as the target wrote it.
pub type Etag = String;

/// An item's properties, `id` and what the server adds aside.
pub type Properties = BTreeMap<String, Literal>;

/// An item as a client sends it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct Document {
    /// `id`
    pub id: Id,
    /// Everything else; `ttl`, where the item has one, is among them.
    #[schemars(flatten, with = "BTreeMap<String, serde_json::Value>")]
    pub properties: Properties,
}

impl Document {
    /// Its own `ttl`, as sent; `None` where the property is absent.
    pub fn ttl(&self) -> Option<&Literal> {
        self.properties.get("ttl")
    }
}

/// Changes to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Which item.
    pub id: Id,
    /// Properties to set, `{"op":"set"}`.
    pub set: Properties,
    /// Properties to take away, `{"op":"remove"}`.
    pub remove: Vec<String>,
}

/// What the target said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "ResponseFields", try_from = "ResponseFields")]
pub struct Response {
    /// The answer in a word.
    pub status: Status,
    /// What came with it.
    pub body: Body,
    /// The target's own words, for people; bounded by [`Response::with_detail`].
    pub detail: Option<String>,
}

impl Response {
    /// An answer that carries nothing.
    pub fn new(status: Status) -> Self {
        Self { status, body: Body::Nothing, detail: None }
    }

    /// An answer that carries an item.
    pub fn item(status: Status, item: Item) -> Self {
        Self { status, body: Body::Item(item), detail: None }
    }

    /// The answer to a query or a list.
    pub fn ids(ids: Vec<Id>) -> Self {
        Self { status: Status::Ok, body: Body::Ids(ids), detail: None }
    }

    /// The answer to a count.
    pub fn count(count: u64) -> Self {
        Self { status: Status::Ok, body: Body::Count(count), detail: None }
    }

    /// Returns it as the answer to this request: only a point read is answered `found`.
    #[must_use]
    pub fn answering(mut self, request: &Request) -> Self {
        let is_read = |operation: &Operation| matches!(operation, Operation::Read(_));
        self.status = self.status.answering(matches!(request, Request::Item(one) if is_read(one)));
        if let Body::Committed(statuses) = &mut self.body {
            let reads = request.operations().iter().map(is_read).chain(std::iter::repeat(false));
            statuses.iter_mut().zip(reads).for_each(|(status, read)| *status = status.answering(read));
        }
        self
    }

    /// The answer with the target's own words, cut after 400 characters.
    #[must_use]
    pub fn with_detail(self, detail: &str) -> Self {
        Self { detail: Some(detail.chars().take(400).collect()), ..self }
    }
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    Other(u16),
}

impl Status {
    /// Whether the request did what it asks for.
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

/// What an answer carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing that is looked at.
    Nothing,
    /// The item that was written or read.
    Item(Item),
    /// The ids of a query's items, in any order.
    Ids(Vec<Id>),
    /// A count.
    Count(u64),
    /// A batch took effect; each operation's status.
    Committed(Vec<Status>),
    /// A batch had no effect; this operation, counted from 0, was refused. Its status is the response's.
    Aborted {
        /// Which one.
        at: usize,
    },
}

/// An item as the target returns it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct Item {
    /// `id` and properties, without those that the server adds.
    #[schemars(flatten)]
    pub document: Document,
    /// `_ts`, in seconds, if the target returns it.
    #[schemars(rename = "_ts")]
    pub ts: Option<i64>,
    /// `_etag`, if the target returns it.
    #[schemars(rename = "_etag")]
    pub etag: Option<Etag>,
}

/// Why there is no answer. None of them is ever a verdict about time to live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The target does not offer this, and says so.
    Unsupported(String),
    /// The request may or may not have had its effect: the reply was lost, or the target was too busy.
    Unknown(String),
    /// The target, or the way to it, broke: a crash, a hang, noise on the wire.
    Broken(String),
    /// The harness was used wrongly.
    Misuse(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::Unknown(what) => write!(f, "outcome unknown: {what}"),
            Self::Broken(what) => write!(f, "target broke: {what}"),
            Self::Misuse(what) => write!(f, "wrong use: {what}"),
        }
    }
}

impl std::error::Error for Fault {}
