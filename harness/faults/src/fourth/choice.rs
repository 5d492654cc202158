//! The choices that the clauses and the documents leave to a store.

use cosmos_ttl_harness::target::Edition;

/// The choices of one store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct TimerChoice {
    /// The first second of a session.
    pub start_s: i64,
    /// How etags look.
    pub etags: EtagForm,
    /// Whether answers show `_ts`.
    pub shows_ts: bool,
    /// Whether the answer to a write has the item.
    pub echoes_writes: bool,
    /// Whether items carry a `_rid`.
    pub shows_rid: bool,
    /// The order of queries and lists.
    pub order: FeedOrder,
    /// What a page holds.
    pub pages: PageForm,
    /// Whether `defaultTtl` null is refused.
    pub refuses_null_default: bool,
    /// Whether `10.0` counts as 10.
    pub takes_integral_fractions: bool,
    /// Whether `"10"` counts as 10.
    pub takes_digits_in_strings: bool,
    /// Whether a `ttl` that is not allowed is stored while the container is off.
    pub stores_invalid_while_off: bool,
    /// Which refusal comes first.
    pub refusals: RefusalOrder,
    /// The status of an upsert over an expired item.
    pub upsert_over_expired: ExpiredChoice,
    /// The refusal of a conditional write to an expired item.
    pub guard_of_expired: ExpiredChoice,
    /// Whether counts include expired items.
    pub count_of_expired: ExpiredChoice,
    /// Which expired items come back under settings that show them.
    pub returning: ReturningItems,
    /// Whether a patch restarts the count.
    pub patch_restarts: bool,
    /// What queries show while a lazy index is rebuilt.
    pub lazy: LazyIndex,
    /// Who decides when expired items are removed.
    pub removal: TimerRemoval,
    /// What the store does not offer.
    pub lacks: Lack,
    /// The editions that it follows.
    pub editions: &'static [Edition],
}

/// How etags look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EtagForm {
    /// A number in quotes.
    Quoted,
    /// Text like a GUID.
    Guid,
    /// A weak etag with the second and the number of the write.
    Weak,
    /// A number that falls.
    Falling,
    /// None is shown.
    Hidden,
}

/// The order of queries and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedOrder {
    /// The oldest item first.
    Oldest,
    /// The newest item first.
    Newest,
    /// By id.
    ById,
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageForm {
    /// As many living items as asked for.
    Full,
    /// One item at most.
    Single,
    /// As many stored items as asked for, without the expired ones.
    Stored,
    /// As full pages, and an empty last page always follows.
    Trailing,
}

/// Which refusal comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalOrder {
    /// The value before the item, operation by operation.
    ValueFirst,
    /// The item before the value.
    ItemFirst,
    /// All values of a batch before its first operation.
    BatchValuesFirst,
}

/// One of two answers about an expired item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiredChoice {
    /// As if there were no item: created, not found, or not counted.
    Absent,
    /// As if the item were there, until it is removed: replaced, a failed precondition, or counted.
    Stored,
    /// The one and the other in turn.
    InTurn,
}

/// Which expired items come back under settings that show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturningItems {
    /// All that are not removed.
    All,
    /// None.
    Nothing,
    /// Those with a `ttl` of their own.
    WithTtl,
    /// Those without a `ttl`.
    WithoutTtl,
    /// Every second item that was written.
    EverySecond,
}

/// What queries show while a lazy index is rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyIndex {
    /// All living items.
    Fresh,
    /// Nothing.
    Empty,
    /// Every second item.
    Half,
    /// The account does not offer lazy indexing: it is refused.
    Refused,
}

/// Who decides when expired items are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerRemoval {
    /// The harness, by its schedule and on demand.
    Scheduled,
    /// The store, which removes none.
    OwnNever,
    /// The store, before every request.
    OwnEager,
    /// The store, one item before each third request.
    OwnSlow,
    /// The store, newest items first, when one second of three begins.
    OwnByTheClock,
}

/// What a store does not offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It offers everything.
    Nothing,
    /// Patches.
    Patches,
    /// Batches.
    Batches,
    /// Conditional writes.
    Conditions,
    /// Partitions other than the default one.
    Partitions,
    /// Pages.
    Pages,
    /// Indexing modes other than consistent.
    IndexingModes,
    /// Deletes.
    Deletes,
    /// Lists.
    Lists,
    /// Counts.
    Counts,
    /// Queries.
    Queries,
    /// Upserts.
    Upserts,
    /// Changes of the container's settings.
    Changes,
    /// Batches, patches, pages and partitions.
    Much,
}

/// The usual choices.
pub const PLAIN: TimerChoice = TimerChoice {
    start_s: 1_700_000_000,
    etags: EtagForm::Quoted,
    shows_ts: true,
    echoes_writes: true,
    shows_rid: false,
    order: FeedOrder::Oldest,
    pages: PageForm::Full,
    refuses_null_default: false,
    takes_integral_fractions: false,
    takes_digits_in_strings: false,
    stores_invalid_while_off: false,
    refusals: RefusalOrder::ValueFirst,
    upsert_over_expired: ExpiredChoice::Absent,
    guard_of_expired: ExpiredChoice::Absent,
    count_of_expired: ExpiredChoice::Absent,
    returning: ReturningItems::All,
    patch_restarts: true,
    lazy: LazyIndex::Fresh,
    removal: TimerRemoval::Scheduled,
    lacks: Lack::Nothing,
    editions: &[Edition::Y2020, Edition::Y2024],
};
