//! The interface between the harness and an implementation under test: requests, responses and faults.
//!
//! An adapter translates. It never decides what is right, and it never sees a vector's name or an expectation. Values
//! reach it as a client would send them, legal or not. Five cases are kept apart: the target *answers* (a refusal is an
//! answer, and so is a server error), it *does not support* something, it *cannot know* (a reply was lost after a
//! write), it *broke*, or the harness was *used wrongly*.

mod fault;
mod json;
mod options;
mod purging;
mod response;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::json::{
    BatchFields, DeleteFields, NoFields, PatchFields, ReadFields, ReplaceFields, ResponseFields, WriteFields,
};
use crate::literal::Literal;

pub use self::fault::Fault;
pub use self::json::{Status, UniqueKeys};
pub use self::options::{DEFAULT_PARTITION, PageRequest, PartitionKey, RequestOptions};
pub use self::purging::{PurgedTarget, purged};

/// An implementation under test.
pub trait Target: Sync {
    /// Returns the target's name, its clock and what it offers.
    fn about(&self) -> About;

    /// Opens an empty session that shares no data with any other.
    ///
    /// # Errors
    ///
    /// A [`Fault`], which is never about time to live.
    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault>;

    /// Opens a session whose container earlier sessions may have used. It is empty, and its settings were set back.
    ///
    /// A target whose containers cost little creates a new one for each session, which is the default.
    ///
    /// # Errors
    ///
    /// As [`Target::open`].
    fn open_reused(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        self.open(opening)
    }

    /// Returns how many sessions may be open at the same time on a real clock; by default any number.
    fn most_sessions(&self) -> usize {
        usize::MAX
    }
}

/// One isolated container of a target, for one vector.
pub trait Session: Send {
    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if there is no answer.
    fn send(&mut self, request: &Request) -> Result<Response, Fault>;

    /// Sends a request about the items of one partition, or for one page; without options, as [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// A [`Fault`]; [`Fault::Unsupported`] for every option, unless the target implements this.
    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        match options.unsupported() {
            None => self.send(request),
            Some(why) => Err(Fault::Unsupported(why.into())),
        }
    }

    /// Moves the clock forward; only called if the clock is [`Clock::Virtual`].
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the clock cannot be moved.
    fn pass(&mut self, seconds: u64) -> Result<(), Fault>;

    /// Removes all expired items; only called if the session was opened under [`Removal::Never`].
    ///
    /// A target that implements this and lists [`Removal::Never`] alone is tested under every schedule, because the harness
    /// calls it when a schedule removes. A target that lists other schedules follows them itself.
    ///
    /// # Errors
    ///
    /// A [`Fault`]; [`Fault::Unsupported`] unless the target implements this.
    fn purge(&mut self) -> Result<(), Fault> {
        Err(Fault::Unsupported("its background cannot be told when to remove".into()))
    }

    /// Returns what the target wrote to its log since the session was opened, for people.
    ///
    /// Only called after [`close`](Self::close), and only for a vector that did not pass.
    fn log(&mut self) -> Option<String> {
        None
    }

    /// Ends the session; called once, after the last request.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if something is left behind.
    fn close(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A target's name, its clock and what it offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its version, as the target reports it.
    pub version: String,
    /// Whose clock counts.
    pub clock: Clock,
    /// The editions under which a session can be opened, at least one.
    pub editions: Vec<Edition>,
    /// The schedules of background removal that the harness can choose; empty if the target follows its own. See
    /// [`Session::purge`] for a target that lists [`Removal::Never`] alone.
    pub removals: Vec<Removal>,
}

/// Whose clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// A clock that the harness moves.
    Virtual,
    /// A clock that runs by itself.
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

/// A schedule of background removal. Every schedule is allowed, and none may be visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Removal {
    /// Never removes an item.
    Never,
    /// Removes items as soon as they expire.
    Eager,
    /// Removes expired items before every second request.
    Alternate,
}

display_as_serialized!(Edition, Removal, Indexing);

/// The options of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// One of [`About::editions`].
    pub edition: Edition,
    /// One of [`About::removals`], or `None` if there are none.
    pub removal: Option<Removal>,
}

impl Opening {
    /// Returns the options of a session under this edition and this schedule of removal.
    pub fn new(edition: Edition, removal: Option<Removal>) -> Self {
        Self { edition, removal }
    }
}

/// A client's request; in JSON an object with one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote)]
pub enum Request {
    /// Creates the container.
    CreateContainer(Container),
    /// Replaces the container's settings as a whole; a setting that is left out is off.
    ReplaceContainer(Container),
    /// Executes several operations: all or nothing, in one instant.
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
    /// Executes an operation on one item.
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

    /// Returns the settings that the request sends, if it is about the container.
    pub fn container(&self) -> Option<&Container> {
        match self {
            Self::CreateContainer(container) | Self::ReplaceContainer(container) => Some(container),
            _ => None,
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

/// A request about one item; a batch consists of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Creates an item.
    #[serde(with = "WriteFields")]
    Create(Document),
    /// Creates an item, or replaces the one with its id.
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
    /// Returns the word that names the kind of operation.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Upsert(_) => "upsert",
            Self::Replace(..) => "replace",
            Self::Patch(..) => "patch",
            Self::Read(_) => "read",
            Self::Delete(..) => "delete",
        }
    }

    /// Returns the id of the item.
    pub fn id(&self) -> &str {
        match self {
            Self::Create(document) | Self::Upsert(document) | Self::Replace(document, _) => &document.id,
            Self::Patch(patch, _) => &patch.id,
            Self::Read(id) | Self::Delete(id, _) => id,
        }
    }

    /// Returns the properties that it sends, if it sends any: of a patch those that it sets.
    pub fn properties(&self) -> Option<&Properties> {
        match self {
            Self::Create(document) | Self::Upsert(document) | Self::Replace(document, _) => {
                Some(&document.properties)
            }
            Self::Patch(patch, _) => Some(&patch.set),
            Self::Read(_) | Self::Delete(..) => None,
        }
    }

    /// Returns the `ttl` that it sends, if it sends one.
    pub fn ttl(&self) -> Option<&Literal> {
        self.properties()?.get("ttl")
    }

    /// Returns the etag that it requires, if it requires one.
    pub fn etag(&self) -> Option<&Etag> {
        match self {
            Self::Replace(_, etag) | Self::Patch(_, etag) | Self::Delete(_, etag) => etag.as_ref(),
            Self::Create(_) | Self::Upsert(_) | Self::Read(_) => None,
        }
    }

    /// Adds an etag condition, if it is a replace, patch or delete.
    pub fn require(&mut self, etag: Etag) {
        match self {
            Self::Replace(_, if_match) | Self::Patch(_, if_match) | Self::Delete(_, if_match) => {
                *if_match = Some(etag);
            }
            Self::Create(_) | Self::Upsert(_) | Self::Read(_) => {}
        }
    }

    /// Returns whether it may depend on an etag.
    pub fn takes_etag(&self) -> bool {
        matches!(self, Self::Replace(..) | Self::Patch(..) | Self::Delete(..))
    }

    /// Returns whether it writes the item if it succeeds.
    pub fn is_write(&self) -> bool {
        !matches!(self, Self::Read(_) | Self::Delete(..))
    }
}

/// An item's `id`.
pub type Id = String;

/// An item's `_etag`, as the target wrote it.
pub type Etag = String;

/// An item's properties, without `id` and those that the server adds.
///
/// A client may send a property with any name. What it sends as `_ts`, `_etag` or `_ttl` arrives here, and must set nothing:
/// an answer shows the server's own `_ts` and `_etag` as [`Item::ts`] and [`Item::etag`], and not among the properties.
pub type Properties = BTreeMap<String, Literal>;

/// An item as a client sends it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct Document {
    /// `id`
    pub id: Id,
    /// All other properties, with `ttl` if the item has one.
    #[schemars(flatten, with = "BTreeMap<String, serde_json::Value>")]
    pub properties: Properties,
}

impl Document {
    /// Returns its own `ttl`, as sent.
    pub fn ttl(&self) -> Option<&Literal> {
        self.properties.get("ttl")
    }
}

/// Changes to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The item's id.
    pub id: Id,
    /// The properties to set, `{"op":"set"}`.
    pub set: Properties,
    /// The properties to remove, `{"op":"remove"}`.
    pub remove: Vec<String>,
}

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ResponseFields")]
pub struct Response {
    /// The status, in a word.
    pub status: Status,
    /// The content.
    #[serde(flatten)]
    pub body: Body,
    /// Where the next page continues; only with [`Body::Ids`], and absent after the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuation: Option<String>,
    /// The target's own words, for people; shortened by [`Response::with_detail`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The content of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// The item that was written or read.
    Item(Item),
    /// The ids of a query's items, in any order.
    Ids(Vec<Id>),
    /// A count.
    Count(u64),
    /// The status of each operation of a batch that took effect.
    Committed(Vec<Status>),
    /// The operation that was refused in a batch without effect; the response has its status.
    #[serde(serialize_with = "Serialize::serialize")]
    Aborted {
        /// Its number, counted from 0.
        at: usize,
    },
    /// Nothing that is compared.
    #[serde(untagged)]
    Nothing,
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

/// What `_ts` can be: the seconds of the years 1970 to 9999, the last year that four digits hold.
///
/// Whatever counts milliseconds is far above, and no sum of such a second, a lifetime and the second of a step overflows.
pub const POSSIBLE_TS: RangeInclusive<i64> = 0..=253_402_300_799;
