//! A client's requests, as they travel.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Empty;
use super::unique::unique;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{self, Document, Etag, Id, Indexing};

/// A client's request: an object with one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Request {
    /// About the container, or all its items.
    Whole(Whole),
    /// About one item.
    Item(Operation),
}

/// A request about the container, or all its items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Whole {
    /// Makes the container.
    CreateContainer(Container),
    /// Replaces the container's settings as a whole; what is left out is off.
    ReplaceContainer(Container),
    /// Several operations, all or nothing, in one instant.
    Batch(Batch),
    /// All items, by a query.
    Query(Empty),
    /// All items, by the feed.
    List(Empty),
    /// How many items there are, by a query.
    Count(Empty),
}

/// A request about one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Makes an item.
    Create(Write),
    /// Makes an item, or replaces the one with its id.
    Upsert(Write),
    /// Replaces an item as a whole.
    Replace(Write),
    /// Changes parts of an item.
    Patch(Patch),
    /// Reads an item.
    Read(Named),
    /// Deletes an item.
    Delete(Named),
}

/// Which requests are about one item.
const OPERATIONS: [&str; 6] = ["create", "upsert", "replace", "patch", "read", "delete"];

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An untagged enum would be read through a buffer that rounds numbers.
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let keys: BTreeMap<String, &RawValue> = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let about_one = keys.keys().any(|key| OPERATIONS.contains(&key.as_str()));
        if about_one {
            serde_json::from_str(text.get()).map(Self::Item).map_err(D::Error::custom)
        } else {
            serde_json::from_str(text.get()).map(Self::Whole).map_err(D::Error::custom)
        }
    }
}

/// A container's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Container {
    /// Any JSON value, as a client may send it; left out where the client leaves the property out.
    #[serde(
        rename = "defaultTtl",
        default,
        deserialize_with = "some_json",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Value", default)]
    pub default_ttl: Option<Literal>,
    /// How the container is indexed.
    #[serde(default)]
    pub indexing: Indexing,
}

/// Several operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// In order.
    pub operations: Vec<Operation>,
}

/// An item to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Write {
    /// Its `id`, a string, and its other properties, `ttl` among them where it has one: any JSON value.
    #[serde(deserialize_with = "unique")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub item: BTreeMap<String, Literal>,
    /// Of a replace: only if the item's etag is this one.
    #[serde(rename = "if-match", default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<Etag>,
}

/// Changes to an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Patch {
    /// Which item.
    pub id: Id,
    /// Properties to set, each to any JSON value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub set: BTreeMap<String, Literal>,
    /// Properties to take away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// Only if the item's etag is this one.
    #[serde(rename = "if-match", default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<Etag>,
}

/// Which item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Named {
    /// Its id.
    pub id: Id,
    /// Of a delete: only if the item's etag is this one.
    #[serde(rename = "if-match", default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<Etag>,
}

/// Tells null, which is a value, from a property that is not there.
fn some_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Literal>, D::Error> {
    Literal::deserialize(deserializer).map(Some)
}

impl From<&target::Request> for Request {
    fn from(request: &target::Request) -> Self {
        Self::Whole(match request {
            target::Request::Item(operation) => return Self::Item(operation.into()),
            target::Request::CreateContainer(container) => Whole::CreateContainer(container.into()),
            target::Request::ReplaceContainer(container) => Whole::ReplaceContainer(container.into()),
            target::Request::Batch(operations) => {
                Whole::Batch(Batch { operations: operations.iter().map(Operation::from).collect() })
            }
            target::Request::Query => Whole::Query(Empty {}),
            target::Request::List => Whole::List(Empty {}),
            target::Request::Count => Whole::Count(Empty {}),
        })
    }
}

impl From<&target::Container> for Container {
    fn from(container: &target::Container) -> Self {
        Self { default_ttl: container.default_ttl.clone(), indexing: container.indexing }
    }
}

impl From<&target::Operation> for Operation {
    fn from(operation: &target::Operation) -> Self {
        let write = |document: &Document, if_match: Option<&Etag>| Write {
            item: super::answer::with_id(document),
            if_match: if_match.cloned(),
        };
        let named = |id: &Id, if_match: Option<&Etag>| Named { id: id.clone(), if_match: if_match.cloned() };
        match operation {
            target::Operation::Create(document) => Self::Create(write(document, None)),
            target::Operation::Upsert(document) => Self::Upsert(write(document, None)),
            target::Operation::Replace(document, etag) => Self::Replace(write(document, etag.as_ref())),
            target::Operation::Patch(patch, etag) => Self::Patch(Patch {
                id: patch.id.clone(),
                set: patch.set.clone(),
                remove: patch.remove.clone(),
                if_match: etag.clone(),
            }),
            target::Operation::Read(id) => Self::Read(named(id, None)),
            target::Operation::Delete(id, etag) => Self::Delete(named(id, etag.as_ref())),
        }
    }
}

impl TryFrom<Request> for target::Request {
    type Error = String;

    fn try_from(request: Request) -> Result<Self, String> {
        Ok(match request {
            Request::Item(operation) => Self::Item(operation.try_into()?),
            Request::Whole(Whole::CreateContainer(container)) => Self::CreateContainer(container.into()),
            Request::Whole(Whole::ReplaceContainer(container)) => Self::ReplaceContainer(container.into()),
            Request::Whole(Whole::Batch(batch)) => {
                Self::Batch(batch.operations.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?)
            }
            Request::Whole(Whole::Query(_)) => Self::Query,
            Request::Whole(Whole::List(_)) => Self::List,
            Request::Whole(Whole::Count(_)) => Self::Count,
        })
    }
}

impl From<Container> for target::Container {
    fn from(container: Container) -> Self {
        Self { default_ttl: container.default_ttl, indexing: container.indexing }
    }
}

impl TryFrom<Operation> for target::Operation {
    type Error = String;

    fn try_from(operation: Operation) -> Result<Self, String> {
        let document = |write: &mut Write| super::answer::document(std::mem::take(&mut write.item));
        Ok(match operation {
            Operation::Create(mut write) => Self::Create(document(&mut write)?),
            Operation::Upsert(mut write) => Self::Upsert(document(&mut write)?),
            Operation::Replace(mut write) => Self::Replace(document(&mut write)?, write.if_match),
            Operation::Patch(Patch { id, set, remove, if_match }) => {
                Self::Patch(target::Patch { id, set, remove }, if_match)
            }
            Operation::Read(named) => Self::Read(named.id),
            Operation::Delete(named) => Self::Delete(named.id, named.if_match),
        })
    }
}
