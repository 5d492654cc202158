//! What a store can get wrong: each value is one misreading, and the store has one place where it matters.

use cosmos_ttl_harness::target::Status;

/// One misreading of the clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A value that is no setting is taken.
    Takes(On, By, What, Taken),
    /// A value that is a setting is refused.
    Refuses(On, By, What),
    /// A container that says nothing is taken to say this.
    AbsentDefault(Taken),
    /// Another property counts as `ttl` too, if there is no `ttl`.
    Alias(&'static str),
    /// Another property counts, even beside `ttl`.
    AliasFirst(&'static str),
    /// A `ttl` below the root counts, if there is none at the root.
    NestedCounts,
    /// A refusal with this status leaves something behind.
    Leaves(Status, Trace),
    /// What a refused container setting does all the same.
    RefusedSettings(Aftermath),
    /// While the container is off, a value that is no setting is said to be stored, and is not.
    ForgetsInvalidWhileOff,

    /// The life of an item in these cells of the table.
    Cell(&'static [Cell], Life),
    /// Numbers count as so many thousandths of a second.
    Unit(i128),
    /// A number is the second of the epoch at which the item ends.
    Absolute,
    /// What an item is shown as.
    Shows(Shown),
    /// What a write does to the `ttl` that it is about.
    WritesBack(Written),

    /// This kind of look sees items for so many seconds past their deadline.
    Sees(Look, i128),
    /// From when an item's life counts.
    CountsFrom(From),
    /// Deadlines wrap, or end, as a signed number of 32 bits.
    Deadline32(Overflow),
    /// Expiry is only looked at in every so many seconds.
    LooksEvery(i128),
    /// A client's `_ts` is taken, by this kind of write.
    TakesTs(By),
    /// Counts from the moment within a second at which the item was written.
    CountsFractions,

    /// This kind of write does not restart the count.
    NoRestart(Write),
    /// This restarts the count, although it is no successful write of the item.
    Restarts(Cause),
    /// A write that changes `ttl` does this.
    NewTtl(NewTtl),
    /// A write without `ttl` keeps the old one.
    KeepsTtl(By),
    /// Each write of a batch is a second later than the one before.
    BatchSpreads,
    /// What an aborted batch leaves behind.
    AbortKeeps(Undone),

    /// What is written over an expired item keeps this of it.
    Reborn(By, Kept),
    /// An expired item that is still stored is answered this.
    Answers(Look, Status),
    /// Conditions are ignored.
    NoConditions,
    /// Counts are wrong.
    Counts(Counted),

    /// What the background gets wrong.
    Sweeps(Sweep),

    /// Whose setting decides.
    Decides(Decides),
    /// A change of settings does this to every item.
    SettingsTouch(Touched),
    /// What comes back, or how, when settings change.
    Returns(Return),
    /// The index and the default.
    Index(Index),

    /// An item keeps its etag when it is written. No clause forbids it.
    EtagsStay,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum On {
    Container,
    Item,
}

/// With which kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum By {
    Any,
    Create,
    Upsert,
    Replace,
    Patch,
    Batch,
}

/// Which values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum What {
    Anything,
    Zero,
    MinusOne,
    BelowMinusOne,
    Seconds,
    One,
    Maximum,
    AboveMaximum,
    /// More than a float holds.
    Infinite,
    LongerThanDefault,
    Fraction,
    WholeFraction,
    Text,
    Truth,
    List,
    Object,
    Null,
}

/// What a value is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// As if it were not there.
    Absent,
    /// As -1.
    Never,
    /// As a life of no length.
    AtOnce,
    /// As the number that can be read out of it.
    Number,
    /// As the number that its last 32 bits spell.
    Last32,
    /// As the number that its last 64 bits spell.
    Last64,
    /// As the greatest number that is allowed.
    Maximum,
    /// As what was in force before.
    Before,
}

/// What a refused write leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// All that it was to store.
    Content,
    /// A new item only.
    NewItem,
    /// The other properties of a patch.
    RestOfPatch,
    /// A restarted count.
    Restart,
    /// Nothing, not even the item that was there.
    Nothing,
    /// A restarted count on every item.
    RestartOfAll,
}

/// What a refused setting does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Aftermath {
    SwitchesOff,
    DropsDefault,
    Empties,
    MakesContainer,
    TouchesTs,
}

/// The cells of the table: what the container says, then what the item says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Cell {
    OffAbsent,
    OffNever,
    OffOwn,
    OnAbsent,
    OnNever,
    OnOwn,
    DefaultAbsent,
    DefaultNever,
    DefaultOwn,
}

/// How long an item lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Life {
    Never,
    Default,
    Own,
    Shorter,
    Longer,
    Sum,
    Seconds(i128),
}

/// How an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Shown {
    WithoutTtl,
    WithDefault,
    WithRemaining,
    WithoutOldParts,
    EmptyOnceExpired,
    TsOfCreation,
    TsInMilliseconds,
    TsOfNow,
}

/// What is written besides what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Written {
    Default,
    MinusOne,
    NoTtlWhileOff,
}

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Look {
    All,
    Read,
    ReadInBatch,
    Query,
    List,
    Count,
    Create,
    Upsert,
    Replace,
    Patch,
    Delete,
    /// A replace, patch or delete with a condition.
    Conditional,
    /// Any write in a batch.
    InBatch,
    Background,
}

/// The start of an item's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum From {
    Creation,
    Container,
    LastSettings,
    SwitchingOn,
    /// Only what has a `ttl` of its own.
    Waking,
    /// The next full minute.
    Minutes,
}

/// What becomes of what 32 bits cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Overflow {
    Wraps,
    Saturates,
    WrapsUnsigned,
    ClockWraps,
}

/// Which write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Write {
    Replace,
    ConditionalReplace,
    Upsert,
    Patch,
    PatchOfOthers,
    PatchOfTtl,
    InBatch,
    IdenticalReplace,
    IdenticalUpsert,
    IdenticalPatch,
    WithOwnTtl,
}

/// What else restarts the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Cause {
    Read,
    ReadInBatch,
    Query,
    List,
    Count,
    OtherWrites,
    OtherDeletes,
    OtherCreates,
}

/// What a changed `ttl` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum NewTtl {
    CountsFromOldTs,
    IsIgnored,
    IsAdded,
    OnlyShortens,
    OnlyLengthens,
    RemovedMeansNever,
}

/// What a new item has of the expired one that it takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kept {
    Ttl,
    Content,
    Ts,
    Etag,
}

/// What an aborted batch does not take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Undone {
    All,
    Creates,
    Patches,
    Deletes,
    Ts,
}

/// How counts are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Counted {
    Overwritten,
    SubtractsTwice,
}

/// What the background does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Sweep {
    TakesYoungest,
    TakesEarly,
    ByDefaultOnly,
    ByFirstDeadline,
    IgnoresMinusOne,
    TakesWhatWasPicked,
    TakesWhatWasPickedIfUnwritten,
    WhileOff,
    WhenSwitchedOff,
    LeavesIdTaken,
    AnswersGone,
    TouchesSurvivors,
    NewEtags,
    CutsContent,
}

/// Whose setting decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Decides {
    AtWrite,
    AtWriteIfLonger,
    AtWriteIfShorter,
    AtWriteIfOff,
    ASecondLate,
    TheFirst,
    MinusOneKeepsDefault,
    DormantIsForgotten,
}

/// What a change of settings touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Touched {
    Ts,
    TsIfSwitchedOn,
    Etag,
    Content,
    Ttl,
    Items,
    ItemsIfOff,
}

/// What returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Return {
    Deleted,
    Overwritten,
    Removed,
    Renewed,
    WithoutContent,
    ForQueriesOnly,
    ForOneLook,
    /// The `_ts` of a deleted item, with the next of its id.
    TsOfDeleted,
}

/// What is wrong about the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Index {
    NoneIsFine,
    NoneIsFineAtCreation,
    NoneIsFineLater,
    NoneIsFineWithMinusOne,
    NoneIsRefused,
    NoneSwitchesOff,
    NoneKeepsDefault,
    LazyIsRefused,
    LazyNeverExpires,
    NoneForGood,
    ConsistentLags,
}
