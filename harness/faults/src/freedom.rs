//! What correct stores may do differently, each as one option.

use cosmos_ttl_harness::target::Edition;

/// How a store chooses between two allowed answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaning {
    /// Always the usual one.
    Usual,
    /// Always the other one.
    Other,
    /// One after the other.
    Turns,
    /// By the item's id: the other one if the sum of its bytes is odd.
    ById,
}

/// A test that can refuse an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Is the value of `ttl` one? 400
    Value,
    /// Is the item there, or its id free? 404 or 409
    Existence,
    /// Is the etag the right one? 412
    Etag,
}

/// What a batch tests first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchOrder {
    /// One operation after the other.
    InOrder,
    /// All values before anything else.
    ValuesFirst,
    /// It names the last operation that would be refused by itself.
    LastFirst,
}

/// Which answers to a conditional write on an expired item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// As the order of the tests says.
    ByOrder,
    /// 412 always, also once the item is removed.
    Failed,
    /// 412 until the item is removed.
    UntilRemoved,
    /// 412 for a replace, 404 for a patch or delete.
    ReplaceOnly,
    /// 404 and 412 by turns.
    Turns,
}

/// What lazy indexing means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lazy {
    /// The same as consistent.
    Complete,
    /// It is refused with 400.
    Refused,
    /// It is not supported.
    Unsupported,
    /// After any change of the default, queries find nothing for two seconds.
    Empty,
    /// After any change of the default, queries find every second item for two seconds.
    Half,
    /// After any change of the default, queries answer by the previous default for two seconds.
    Stale,
    /// After any change of the default, the next three queries find nothing.
    EmptyThrice,
}

/// What a query without an index answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unindexed {
    /// It scans all items.
    Scans,
    /// 400
    Refuses,
    /// Nothing is found.
    Empty,
    /// It is not supported.
    Unsupported,
}

/// Which answers carry which parts of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Every write and read shows the whole item.
    All,
    /// Writes show no item.
    ReadsOnly,
    /// Of the writes only a create shows the item.
    CreateAndRead,
    /// Every write but a patch shows the item.
    AllButPatch,
    /// Items have no `_ts`.
    NoTs,
    /// Items have no `_etag`.
    NoEtag,
    /// Writes show the item without `_ts` and `_etag`.
    WritesBare,
}

/// When expired items are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalTime {
    /// As the harness schedules it.
    Scheduled,
    /// Never, and it cannot be told to.
    Never,
    /// Before every request.
    EachRequest,
    /// Once in this number of seconds.
    Every(i64),
    /// One item before every request, the newest first.
    OneAtATime,
    /// Only the item that a request is about, after the request.
    OnAccess,
    /// When the settings change, before they do.
    BeforeSettings,
    /// By a timer for each item, at its deadline.
    Timers,
}

/// In which order items are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedOrder {
    /// By id.
    ById,
    /// By id, backwards.
    Backwards,
    /// The last written first.
    Newest,
    /// By id, from another item on each time.
    Rotating,
}

/// How numbers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As they were sent.
    AsSent,
    /// As floats of 64 bits, so that 10.0 is 10.
    AsFloats,
}

/// How a correct store uses its freedom.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "options that do not depend on each other")]
pub struct Freedom {
    /// `defaultTtl` null is refused.
    pub null_refused: bool,
    /// A `ttl` such as 10.0 is refused.
    pub fraction_refused: Leaning,
    /// A `defaultTtl` such as 10.0 is taken.
    pub default_fraction_taken: bool,
    /// An invalid `ttl` is stored while the container is off.
    pub invalid_stored: Leaning,
    /// An item with such a `ttl` never expires once the container is on, instead of inheriting.
    pub invalid_never: Leaning,
    /// Counts include expired items that are not removed.
    pub expired_counted: Leaning,
    /// An upsert over an expired item answers 200.
    pub expired_upsert_ok: Leaning,
    /// An upsert over a living item answers 201.
    pub living_upsert_created: Leaning,
    /// Conditional writes on expired items.
    pub precondition: Precondition,
    /// Items that are expired when the settings change are gone for good.
    pub gone: Leaning,
    /// Lazy indexing.
    pub lazy: Lazy,
    /// Queries without an index.
    pub unindexed: Unindexed,
    /// The order of the tests of one operation.
    pub order: [Test; 3],
    /// The order of the tests of a batch.
    pub batch_order: BatchOrder,
    /// What answers show.
    pub echo: Echo,
    /// When expired items are removed.
    pub background: RemovalTime,
    /// The second at which a session starts.
    pub start: i64,
    /// The editions that are offered.
    pub editions: &'static [Edition],
    /// Kinds of requests that are not supported, by their words.
    pub unsupported: &'static [&'static str],
    /// In which order items are listed.
    pub feed: FeedOrder,
    /// How numbers are kept.
    pub numbers: Numbers,
    /// Etags are long texts without quotes.
    pub long_etags: bool,
    /// Each answer has words for people.
    pub talks: bool,
}

/// The choices of the store that no option changes.
pub const USUAL: Freedom = Freedom {
    null_refused: false,
    fraction_refused: Leaning::Usual,
    default_fraction_taken: false,
    invalid_stored: Leaning::Usual,
    invalid_never: Leaning::Usual,
    expired_counted: Leaning::Usual,
    expired_upsert_ok: Leaning::Usual,
    living_upsert_created: Leaning::Usual,
    precondition: Precondition::ByOrder,
    gone: Leaning::Usual,
    lazy: Lazy::Complete,
    unindexed: Unindexed::Scans,
    order: [Test::Value, Test::Existence, Test::Etag],
    batch_order: BatchOrder::InOrder,
    echo: Echo::All,
    background: RemovalTime::Scheduled,
    start: 1_650_000_000,
    editions: &[Edition::Y2020, Edition::Y2024],
    unsupported: &[],
    feed: FeedOrder::ById,
    numbers: Numbers::AsSent,
    long_etags: false,
    talks: false,
};

impl Leaning {
    /// Returns whether the other answer is taken for this item, in this turn.
    pub fn other(self, id: &str, turn: u64) -> bool {
        match self {
            Self::Usual => false,
            Self::Other => true,
            Self::Turns => turn.is_multiple_of(2),
            Self::ById => id.bytes().map(u64::from).sum::<u64>() % 2 == 1,
        }
    }
}
