//! What a correct store of the second kind may do differently.

use cosmos_ttl_harness::target::Edition;

/// The choices of a store where no clause of level must decides.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own, and no two belong together")]
pub struct Leeway {
    /// Whether null as `defaultTtl` is refused.
    pub null_default_refused: bool,
    /// A `ttl` that is not allowed, while the container is off.
    pub dormant: DormantValue,
    /// An item's `ttl` that is whole and written with a point or an exponent.
    pub item_fraction: WholeFraction,
    /// The same as `defaultTtl`.
    pub default_fraction: WholeFraction,
    /// What becomes of a `ttl` or a `defaultTtl` that is no whole number.
    pub odd_values: OddValue,
    /// Which of several refusals comes first.
    pub order: FirstRefusal,
    /// Whether every upsert answers created.
    pub upsert_always_creates: bool,
    /// An upsert over an expired item.
    pub expired_upsert: UpsertOverExpired,
    /// A conditional write with the etag of an expired item.
    pub expired_etag: ExpiredEtag,
    /// An expired item, once the settings would show it.
    pub reappearance: Comeback,
    /// Expired items in counts.
    pub counted: GhostCount,
    /// What the answer to a write carries.
    pub answers: WriteAnswer,
    /// When expired items are removed.
    pub removal: OwnRemoval,
    /// How a page is filled.
    pub pages: PageFill,
    /// The order of queries and lists.
    pub rows: RowOrder,
    /// Queries after a change of settings under lazy indexing.
    pub lazy: LazyAnswers,
    /// Queries where there is no index.
    pub unindexed: NoIndex,
    /// Whether a patch restarts the count.
    pub patch_restarts: bool,
    /// Whether a number is returned in its shortest form.
    pub shortens_numbers: bool,
    /// Whether an etag is long and looks random.
    pub long_etags: bool,
    /// What the store does not offer.
    pub lacks: &'static [&'static str],
    /// The editions that it offers.
    pub editions: &'static [Edition],
    /// The second of the Unix epoch at which a session starts.
    pub start_s: i64,
}

/// A `ttl` that is not allowed, while the container is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DormantValue {
    /// Is refused.
    Refused,
    /// Is stored, and the item inherits later.
    Inherits,
}

/// A whole number with a point or an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeFraction {
    /// Counts as the whole number.
    Taken,
    /// Is refused.
    Refused,
    /// Counts for items with an id of an even number of letters only.
    EvenIds,
}

/// A value that is no whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddValue {
    /// Is refused.
    Refused,
    /// Text with a number counts as the number; everything else is refused.
    TextParsed,
    /// A fraction counts without its decimals; everything else is refused.
    Truncated,
    /// Is stored and sets nothing.
    Ignored,
}

/// Which of several refusals a request meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRefusal {
    /// The value before the item.
    ValueFirst,
    /// The item before the value.
    ItemFirst,
    /// All values of a batch before its first item.
    BatchValuesFirst,
    /// The last refused operation of a batch.
    LastOfBatch,
}

/// The status of an upsert over an expired item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpsertOverExpired {
    /// Created.
    Created,
    /// Replaced, until the item is removed.
    Replaced,
    /// Created and replaced in turn.
    InTurn,
}

/// The refusal of a conditional write with the etag of an expired item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiredEtag {
    /// Not found.
    NotFound,
    /// A failed precondition, until the item is removed.
    Failed,
    /// Both in turn.
    InTurn,
}

/// An expired item, once the settings would show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comeback {
    /// Returns if it was not removed.
    Back,
    /// Is gone.
    Gone,
    /// Each second item returns.
    EverySecond,
    /// Returns when time to live is switched off, and not when the default is raised.
    WhenOff,
}

/// Expired items in counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GhostCount {
    /// Are left out.
    Excluded,
    /// Are counted until they are removed.
    Counted,
    /// Are counted by each second request.
    InTurn,
}

/// What the answer to a write carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteAnswer {
    /// The item.
    Item,
    /// Nothing.
    Nothing,
    /// The item, if one was made.
    CreatedOnly,
    /// The item without its etag; reads have no etag either.
    NoEtag,
    /// The item without `_ts`; reads have none either.
    NoTs,
    /// The item with a property that the store adds.
    Extra,
}

/// When expired items are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRemoval {
    /// As the harness says.
    Scheduled,
    /// When a request names the item.
    OnAccess,
    /// Before each request.
    EachRequest,
    /// At most one item before each request.
    OneEachRequest,
    /// The item that expired last, before each request.
    LastFirst,
    /// After this number of seconds.
    Every(i64),
    /// When a query or a list finds them.
    WhenListed,
    /// Never.
    Never,
}

/// How a page is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFill {
    /// With living items.
    Living,
    /// With rows, of which the expired ones are dropped.
    Rows,
    /// With one item, whatever size is asked for.
    One,
    /// With living items, and an empty page ends it.
    EmptyLast,
}

/// The order of queries and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// A query by id, a list by age.
    Usual,
    /// Both by age.
    ByAge,
    /// Both by id.
    ById,
}

/// Queries after a change of settings under lazy indexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyAnswers {
    /// Are complete.
    Complete,
    /// Find nothing for two seconds.
    Empty,
    /// Are answered from the settings before for two seconds.
    Stale,
    /// Lazy indexing is refused.
    Refused,
    /// Lazy indexing is not supported.
    Unsupported,
}

/// Queries where there is no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoIndex {
    /// Read all items.
    Scans,
    /// Are refused.
    Refuses,
    /// Find nothing.
    FindsNothing,
}

/// The usual choices.
pub const PLAIN: Leeway = Leeway {
    null_default_refused: false,
    dormant: DormantValue::Refused,
    item_fraction: WholeFraction::Taken,
    default_fraction: WholeFraction::Taken,
    odd_values: OddValue::Refused,
    order: FirstRefusal::ValueFirst,
    upsert_always_creates: false,
    expired_upsert: UpsertOverExpired::Created,
    expired_etag: ExpiredEtag::NotFound,
    reappearance: Comeback::Back,
    counted: GhostCount::Excluded,
    answers: WriteAnswer::Item,
    removal: OwnRemoval::Scheduled,
    pages: PageFill::Living,
    rows: RowOrder::Usual,
    lazy: LazyAnswers::Complete,
    unindexed: NoIndex::Scans,
    patch_restarts: true,
    shortens_numbers: false,
    long_etags: false,
    lacks: &[],
    editions: &[Edition::Y2020, Edition::Y2024],
    start_s: 1_700_000_000,
};
