//! What is stored: a map of documents for each partition, and an index over their ids.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Etag, Id, Indexing, Operation, PartitionKey, Properties};

/// The greatest lifetime, in seconds.
pub(super) const LONGEST_S: i64 = 2_147_483_647;

/// The container's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Collection {
    pub(super) default: StoredDefault,
    pub(super) indexing: Indexing,
}

/// A `defaultTtl` as read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StoredDefault {
    #[default]
    Off,
    NoDefault,
    Seconds(i64),
}

/// An item's own `ttl` as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnTtl {
    Absent,
    Never,
    Seconds(i64),
}

/// An item as stored.
#[derive(Clone, Debug)]
pub(super) struct StoredDocument {
    pub(super) id: Id,
    /// The partition that the client named.
    pub(super) partition: PartitionKey,
    /// The properties as sent, `ttl` among them.
    pub(super) body: Properties,
    pub(super) own: OwnTtl,
    pub(super) ts: i64,
    pub(super) created: i64,
    pub(super) etag: Etag,
    /// The number of the item: new for each created one, and kept by later writes.
    pub(super) rid: u64,
    /// The second from which the item is hidden: computed by each write and each change of settings.
    pub(super) expires_at: Option<i64>,
}

/// The documents with one partition key.
#[derive(Clone, Debug, Default)]
pub(super) struct DocumentMap {
    pub(super) documents: BTreeMap<Id, StoredDocument>,
    /// The number of each item; queries and counts walk it.
    pub(super) index: BTreeMap<Id, u64>,
    /// How many items there are, for a fault that counts along.
    pub(super) tally: i64,
}

/// The kind of a request about items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Upsert,
    Replace,
    Patch,
    Read,
    Delete,
    Query,
    List,
    Count,
}

/// On which way a request reaches an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) verb: Verb,
    pub(super) in_batch: bool,
    pub(super) conditional: bool,
}

impl Way {
    /// Returns the way of a query, a list or a count.
    pub(super) fn feed(verb: Verb) -> Self {
        Self { verb, in_batch: false, conditional: false }
    }

    /// Returns the way of an operation.
    pub(super) fn of(operation: &Operation, in_batch: bool) -> Self {
        let verb = match operation {
            Operation::Create(_) => Verb::Create,
            Operation::Upsert(_) => Verb::Upsert,
            Operation::Replace(..) => Verb::Replace,
            Operation::Patch(..) => Verb::Patch,
            Operation::Read(_) => Verb::Read,
            Operation::Delete(..) => Verb::Delete,
        };
        Self { verb, in_batch, conditional: operation.etag().is_some() }
    }

    /// Returns whether it is this verb in a batch.
    pub(super) fn batched(self, verb: Verb) -> bool {
        self.in_batch && self.verb == verb
    }

    /// Returns whether it is this verb with a condition.
    pub(super) fn conditioned(self, verb: Verb) -> bool {
        self.conditional && self.verb == verb
    }
}
