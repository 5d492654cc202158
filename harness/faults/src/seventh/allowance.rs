//! Everything that the clauses and the documents leave to a store.

use cosmos_ttl_harness::target::Edition;

/// The choices of a correct store.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The first second of a session.
    pub start_s: i64,
    /// The editions that it follows.
    pub editions: &'static [Edition],
    /// How it removes.
    pub removal: LedgerRemoval,
    /// What happens to an item that is expired before a change of the settings, and not after it.
    pub reappearance: LedgerReturn,
    /// Which refusal a request meets, where several apply.
    pub refusals: RefusalOrder,
    /// The form of its etags.
    pub etags: EtagForm,
    /// The order of the items of a query.
    pub feed: FeedOrder,
    /// How it fills pages.
    pub pages: PageFill,
    /// How it takes lazy indexing.
    pub lazy: LazyIndex,
    /// What it takes as a lifetime.
    pub values: ValueTaste,
    /// What it answers about expired items, where that is open.
    pub expired: ExpiredTaste,
    /// Whether a patch restarts the count, where it leaves `ttl` as it was.
    pub patch_restarts: bool,
    /// Whether answers carry a detail for people.
    pub details: bool,
    /// Everything that it does not support.
    pub lacks: &'static [Lack],
}

/// How a store removes expired items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerRemoval {
    /// By the schedule of the session.
    Scheduled,
    /// On demand: it lists one schedule, which never removes.
    OnDemand,
    /// By its own plan: before every request with a number that this one divides.
    EveryNth(u64),
    /// By its own plan: the oldest expired item before each request.
    OneByOne,
    /// By its own plan: an item that a request meets.
    WhenMet,
    /// Never, and it cannot be told to.
    NotAtAll,
}

/// What happens to an expired item when the settings would show it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerReturn {
    /// It is back, unless it was removed.
    Back,
    /// It is gone.
    Gone,
    /// It is back if the last character of its id has an even code, and gone otherwise.
    ByParity,
    /// It is back if it has a `ttl` of its own, and gone otherwise.
    OwnTtlOnly,
}

/// Which refusal comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalOrder {
    /// The value, then the item.
    Value,
    /// The item, then the value.
    Item,
    /// The values of all operations of a batch, then their items.
    AllValues,
}

/// The form of an etag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EtagForm {
    /// A number in quotation marks.
    Quoted,
    /// A number without them.
    Plain,
    /// The shape of a GUID.
    Guid,
    /// A number that falls from one write to the next.
    Falling,
}

/// The order of the items of a query or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedOrder {
    /// By id.
    Ids,
    /// By id, backwards.
    IdsBackwards,
    /// By the time of their creation.
    Creation,
}

/// How pages are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFill {
    /// As full as can be.
    Full,
    /// With one item each.
    Single,
    /// As full as stored items fill them: expired ones leave gaps.
    WithGaps,
    /// An empty page first.
    EmptyFirst,
}

/// How a store takes lazy indexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyIndex {
    /// As consistent indexing.
    Prompt,
    /// It has none, and refuses it.
    Refused,
    /// Queries miss all items right after a change of the default, until time passes.
    EmptyAfterChange,
}

/// What a store takes as a lifetime, where the clauses leave that open or say should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTaste {
    /// Whether `defaultTtl` null is refused.
    pub refuses_null_default: bool,
    /// Whether a wrong `ttl` is stored while the container is off.
    pub stores_wrong_while_off: bool,
    /// Whether `10.0` is refused as a `ttl`.
    pub refuses_whole_fraction: bool,
}

/// What a store answers about expired items, where the clauses leave that open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpiredTaste {
    /// Whether an upsert over an expired item answers that it replaced one.
    pub upsert_is_ok: bool,
    /// Whether a condition on an expired item fails as a precondition.
    pub condition_fails: bool,
    /// Whether a count includes expired items that are not yet removed.
    pub counts_stored: bool,
}

/// Something that a store does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Patches.
    Patch,
    /// Batches.
    Batch,
    /// Reads in batches.
    BatchRead,
    /// Conditions.
    IfMatch,
    /// Pages.
    Pages,
    /// Partitions.
    Partitions,
    /// Lazy indexing.
    Lazy,
    /// Containers without an index.
    NoIndex,
    /// Lists.
    List,
    /// Queries.
    Query,
    /// Counts.
    Count,
    /// Upserts.
    Upsert,
    /// Changes of the settings.
    Settings,
    /// `_ts` in answers.
    Ts,
    /// `_etag` in answers.
    Etag,
    /// The item in the answer to a write.
    WrittenItem,
}

/// The usual choices.
pub(super) const PLAIN: Allowance = Allowance {
    start_s: 1_700_000_000,
    editions: &[Edition::Y2020, Edition::Y2024],
    removal: LedgerRemoval::Scheduled,
    reappearance: LedgerReturn::Back,
    refusals: RefusalOrder::Value,
    etags: EtagForm::Quoted,
    feed: FeedOrder::Ids,
    pages: PageFill::Full,
    lazy: LazyIndex::Prompt,
    values: ValueTaste {
        refuses_null_default: false,
        stores_wrong_while_off: false,
        refuses_whole_fraction: false,
    },
    expired: ExpiredTaste { upsert_is_ok: false, condition_fails: false, counts_stored: false },
    patch_restarts: true,
    details: false,
    lacks: &[],
};
