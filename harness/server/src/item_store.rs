//! The border between the server and what decides about time to live: one store for each container.
//!
//! [`ModelFactory`](crate::ModelFactory) asks the model; a test may put any other store behind the server.

#![expect(clippy::missing_errors_doc, reason = "each function fails as the target behind it does")]

use cosmos_ttl_harness::target::{Container, Document, Fault, Id, Item, Operation, Response, Status};

use crate::partition::PartitionValue;

/// The most bytes of an item, which a patch could exceed. The service takes 2 MiB.
pub(crate) const MOST_ITEM_BYTES: usize = 2 * 1024 * 1024 + 64 * 1024;
/// The most bytes of all items in the answer to a batch.
pub(crate) const MOST_BATCH_BYTES: usize = 4 * 1024 * 1024;

/// An item's place in a container. Feeds are in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemKey {
    /// Its partition.
    pub partition: PartitionValue,
    /// Its `id`, which is unique within the partition.
    pub id: Id,
}

/// When expired items are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalSchedule {
    /// Never; a control request that removes them is refused.
    Never,
    /// As soon as they expire.
    Eager,
    /// Whenever a control request says so.
    ByHand,
}

impl RemovalSchedule {
    /// Every schedule, with its word.
    pub const WORDS: [(Self, &'static str); 3] =
        [(Self::Never, "never"), (Self::Eager, "eager"), (Self::ByHand, "by-hand")];

    /// Returns the word that control requests use.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(schedule, _)| *schedule == self).map_or("", |(_, word)| word)
    }

    /// Returns the schedule with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(schedule, _)| *schedule)
    }
}

/// The two feeds of a container, which a store may treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedKind {
    /// A query.
    Query,
    /// The list of all items.
    List,
}

/// Is shown the items of a feed one by one, and returns whether it wants to see more.
pub type Visitor<'a> = &'a mut dyn FnMut(&ItemKey, &Item) -> bool;

/// The answer of a store, and the request units that it charges.
#[derive(Clone, Debug)]
pub struct Charged<T> {
    /// The answer.
    pub answer: T,
    /// In request units.
    pub units: u32,
}

/// The result of a batch: the status and perhaps the item of each operation, or which operation was refused.
pub type BatchAnswer = Result<Vec<(Status, Option<Item>)>, (usize, Status)>;

/// An item that is stored though it expired.
#[derive(Clone, Debug)]
pub struct ExpiredItem {
    /// Its place.
    pub key: ItemKey,
    /// The second of its last write.
    pub ts: i64,
}

/// The items of one container. `now_s` is the second of the Unix epoch, and never decreases. Each function fails as the
/// target behind it does.
pub trait ItemStore: Send + std::fmt::Debug {
    /// Executes an operation on an item of this partition.
    fn operate(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operation: &Operation,
    ) -> Result<Charged<Response>, Fault>;

    /// Executes several operations on items of this partition, all or none.
    fn batch(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operations: &[Operation],
    ) -> Result<Charged<BatchAnswer>, Fault>;

    /// Replaces the settings.
    fn configure(&mut self, now_s: i64, settings: &Container) -> Result<Status, Fault>;

    /// Returns an item that is visible, as a part of another request.
    fn visible(&mut self, now_s: i64, key: &ItemKey) -> Result<Option<Item>, Fault>;

    /// Shows the items behind this key in order, or returns the status of a refusal.
    fn scan(
        &mut self,
        now_s: i64,
        kind: FeedKind,
        after: Option<&ItemKey>,
        visit: Visitor<'_>,
    ) -> Result<Charged<Result<(), Status>>, Fault>;

    /// Returns the number of items that are accepted, or the status of a refusal.
    fn count(
        &mut self,
        now_s: i64,
        accepts: &dyn Fn(&ItemKey, &Item) -> bool,
    ) -> Result<Charged<Result<u64, Status>>, Fault>;

    /// Sets when expired items are removed.
    fn set_removal(&mut self, now_s: i64, schedule: RemovalSchedule) -> Result<(), Fault>;

    /// Tells the store that time may have passed, so that it can remove what expired.
    fn pass(&mut self, now_s: i64) -> Result<(), Fault>;

    /// Removes all expired items now, and returns how many; `None` if the store does not know.
    fn remove_expired(&mut self, now_s: i64) -> Result<Option<u64>, Fault>;

    /// Lists the first items that are stored though they expired, and how many there are.
    fn expired(&mut self, now_s: i64, most: usize) -> Result<(Vec<ExpiredItem>, u64), Fault>;

    /// Returns about how many bytes of memory the items take.
    fn bytes(&self) -> usize;

    /// Returns the request units that removal was billed.
    fn removal_units(&self) -> u64;
}

/// Creates the store of a container, or says with which status its settings are refused.
pub type CreatedStore = Result<Box<dyn ItemStore>, Status>;

/// Creates stores.
pub trait StoreFactory: Send + Sync + std::fmt::Debug {
    /// Returns what it is called.
    fn name(&self) -> String;

    /// Creates the store of the container of this name, with these settings.
    fn create(
        &self,
        name: &str,
        now_s: i64,
        removal: RemovalSchedule,
        settings: &Container,
    ) -> Result<CreatedStore, Fault>;
}

/// Returns about how many bytes of memory an item takes.
pub(crate) fn bytes_of(key: &ItemKey, document: &Document) -> usize {
    const OVERHEAD: usize = 256;
    let named = key.partition.as_str().len().saturating_add(key.id.len());
    let fields = document.properties.len().saturating_mul(60);
    OVERHEAD.saturating_add(named).saturating_add(fields).saturating_add(text_bytes(document))
}

/// Returns about how many bytes an item has as JSON text: of each property its name and value, and four signs.
pub(crate) fn text_bytes(document: &Document) -> usize {
    let properties = document.properties.iter();
    let bytes =
        properties.map(|(name, value)| name.len().saturating_add(value.as_str().len()).saturating_add(4));
    bytes.fold(0, usize::saturating_add)
}
