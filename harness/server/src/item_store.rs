//! The border between the server and what decides about time to live: one store for each container.
//!
//! [`MeteredItems`](crate::MeteredItems) asks the model. [`TargetItems`](crate::TargetItems) asks any target of the harness.

use cosmos_ttl_harness::target::{Container, Document, Fault, Id, Item, Operation, Response, Status};

use crate::partition::PartitionValue;

/// The most bytes of an item, which a patch could exceed. The service takes 2 MiB.
pub const MOST_ITEM_BYTES: usize = 2 * 1024 * 1024 + 64 * 1024;
/// The most bytes of all items in the answer to a batch.
pub const MOST_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// The status of a patch or a batch that is refused for these limits.
pub const TOO_LARGE: Status = Status::Other(413);

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

/// Which items a feed or a count is about.
pub struct Scope<'a> {
    /// Only those of this partition.
    pub partition: Option<&'a PartitionValue>,
    /// Only those that this accepts.
    pub accepts: &'a dyn Fn(&Document) -> bool,
}

impl Scope<'_> {
    pub(crate) fn has(&self, key: &ItemKey, document: &Document) -> bool {
        self.partition.is_none_or(|partition| *partition == key.partition) && (self.accepts)(document)
    }
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("partition", &self.partition).finish_non_exhaustive()
    }
}

/// The bounds of one page.
#[derive(Clone, Copy, Debug)]
pub struct PageBounds {
    /// At most as many items.
    pub items: usize,
    /// No further item after as many bytes.
    pub bytes: usize,
}

/// A page of a feed.
#[derive(Clone, Debug, Default)]
pub struct ItemPage {
    /// The items, in order.
    pub items: Vec<Item>,
    /// The last item's key, if there may be more.
    pub last: Option<ItemKey>,
}

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

/// The items of one container. `now_s` is the second of the Unix epoch, and never decreases.
pub trait ItemStore: Send {
    /// Executes an operation on an item of this partition.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target behind it.
    fn operate(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operation: &Operation,
    ) -> Result<Charged<Response>, Fault>;

    /// Executes several operations on items of this partition, all or none.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target behind it.
    fn batch(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operations: &[Operation],
    ) -> Result<Charged<BatchAnswer>, Fault>;

    /// Replaces the settings.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target behind it.
    fn configure(&mut self, now_s: i64, settings: &Container) -> Result<Status, Fault>;

    /// Returns the items behind this key, or the status of a refusal.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target behind it.
    fn page(
        &mut self,
        now_s: i64,
        kind: FeedKind,
        scope: &Scope<'_>,
        after: Option<&ItemKey>,
        most: PageBounds,
    ) -> Result<Charged<Result<ItemPage, Status>>, Fault>;

    /// Returns the number of items, or the status of a refusal.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target behind it.
    fn count(&mut self, now_s: i64, scope: &Scope<'_>) -> Result<Charged<Result<u64, Status>>, Fault>;

    /// Sets when expired items are removed.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the store cannot.
    fn set_removal(&mut self, now_s: i64, schedule: RemovalSchedule) -> Result<(), Fault>;

    /// Tells the store that time may have passed, so that it can remove what expired.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target behind it.
    fn pass(&mut self, now_s: i64) -> Result<(), Fault>;

    /// Removes all expired items now, and returns how many; `None` if the store does not know.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the store cannot.
    fn remove_expired(&mut self, now_s: i64) -> Result<Option<u64>, Fault>;

    /// Lists the first items that are stored though they expired, and how many there are.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the store cannot.
    fn expired(&mut self, now_s: i64, most: usize) -> Result<(Vec<ExpiredItem>, u64), Fault>;

    /// Returns about how many bytes of memory the items take.
    fn bytes(&self) -> usize;

    /// Returns the request units that removal was billed.
    fn removal_units(&self) -> u64;
}

/// Creates the store of a container, or says with which status its settings are refused.
pub type CreatedStore = Result<Box<dyn ItemStore>, Status>;

/// Creates stores.
pub trait StoreFactory: Send + Sync {
    /// Returns what it is called.
    fn name(&self) -> String;

    /// Creates the store of a container with these settings.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the target behind it has no place for one.
    fn create(
        &self,
        now_s: i64,
        removal: RemovalSchedule,
        settings: &Container,
    ) -> Result<CreatedStore, Fault>;
}

/// Returns about how many bytes of memory an item takes.
pub(crate) fn bytes_of(key: &ItemKey, document: &Document) -> usize {
    const OVERHEAD: usize = 256;
    let properties = document
        .properties
        .iter()
        .map(|(name, value)| name.len().saturating_add(value.as_str().len()).saturating_add(64));
    let named = key.partition.as_str().len().saturating_add(key.id.len());
    properties.fold(OVERHEAD.saturating_add(named), usize::saturating_add)
}
