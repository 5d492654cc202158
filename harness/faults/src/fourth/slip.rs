//! Single mistakes.

use cosmos_ttl_harness::target::Status;

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    // Values.
    Takes(BadValue, Misread),
    Refuses(GoodValue),
    TakesDefault(BadValue, Misread),
    RefusesDefault(GoodValue),
    NullOf2020IsNever,
    OtherNameCounts(&'static str),
    // Settings.
    FirstSettingStays,
    ThirdChangeIsLost,
    FirstOfTheSecondWins,
    EffectiveNextSecond,
    GreatestDefaultStays,
    SmallestDefaultStays,
    MinusOneIsOff,
    OffIsMinusOne,
    OpensWithMinusOne,
    OpensWithAnHour,
    SkipsKnownDefault,
    MergesAbsent,
    NewModeKeepsDefault,
    NewModeDropsDefault,
    RefusedOpeningOpens,
    RefusedSwitchesOff,
    RefusedSwitchesToMinusOne,
    RefusedModeStaysWithDefault,
    RefusedSettingRestarts,
    RefusedSettingDisarms,
    NoneAllowsTtl,
    NoneAllowsMinusOne,
    NoneSticks,
    LazyRefusesTtl,
    RefusesDirectChange,
    KeepsTimers(Change),
    RearmsAtMost(usize),
    ReturnsLater,
    ChangeTouches(Change, Touch),
    ReturningTouches(Touch),
    DeleteOnlyExpires,
    // Lifetimes.
    OffHonoursTtl,
    OffKeepsDefault,
    TtlIsNever,
    TtlIgnored,
    ShorterWins,
    LongerWins,
    TtlIsAdded,
    MinusOneInherits,
    AbsentIsNever,
    NoDefaultKeepsDefault,
    DefaultOfTheWrite,
    PartsExpire,
    // Deadlines and timers.
    CountsFromBirth,
    CountsFromOpening,
    DeadlineMoves(i64),
    RoundsUp(i64),
    RoundsDown(i64),
    Wraps32,
    WrapsUnsigned32,
    Clamps32,
    OverflowNever,
    Milliseconds32,
    Float24Bits,
    Horizon(i64),
    HorizonWraps(i64),
    HorizonNever(i64),
    DaysOf(i64),
    NeverArms,
    OneTimerForASecond,
    OneTimerForSecondAndId,
    WheelHolds(usize),
    WheelStops,
    TurnFires(usize),
    TurnFiresOneSecond,
    FiresOnlyDefaultPartition,
    FiresNamesakes,
    FiringLeavesFeed,
    // Writes.
    ClientSetsTs,
    ClientSetsAnchor,
    StampsAhead(i64),
    StampsMinutes,
    TsStays,
    AddsToTheRest,
    TimerCountsFromChange,
    RewriteKeepsTimer,
    RewriteLeavesTimer,
    SameContentKeepsTimer,
    SameTtlKeepsTimer,
    OtherTtlKeepsTimer,
    OnlyLaterTimerCounts,
    OnlyEarlierTimerCounts,
    TimerSurvivesMinusOne,
    LeftOutTtlStays,
    LeftOutTtlStaysHidden,
    RemovedTtlStays,
    RemovedTtlIsNever,
    PatchedTtlIgnored,
    PatchDropsTtl,
    StoresTouched(Touch),
    StoresWithoutTtl,
    ReadTouches(Touch),
    RefusedTouches(Status, Touch),
    RefusedStores(Status),
    RefusedRemoves(Status),
    RefusedDisarms(Status),
    RefusedNewAppears,
    DeleteLeavesTimer,
    DeleteTakesNamesakes,
    // Answers.
    EtagIsContent,
    ShowsMilliseconds,
    ShowsDefault,
    ShowsMinusOne,
    ShowsShorter,
    ShowsRemaining,
    ShowsText,
    HidesMinusOne,
    HidesTtl,
    // Expired items.
    SeesExpired,
    Lingers(i64),
    HidesAhead(i64),
    ExpiredAnswers(Status),
    ExpiredLeavesTtl,
    ExpiredLeavesHiddenTtl,
    ExpiredLeavesProperties,
    ExpiredLeavesTs,
    ExpiredLeavesEtag,
    ExpiredLeavesTimer,
    FindsNamesakes,
    // Removal.
    PurgesOldQueue,
    PurgesByName,
    PurgesAhead(i64),
    PurgesByDefault,
    PurgesByOldDefault,
    PurgesWhileOff,
    PurgeTakesNamesakes,
    PurgeTakesNeighbour,
    PurgeLeavesFeed,
    PurgeKeepsName,
    PurgeTouches,
    PurgeDisarms,
    // Batches.
    CommitDisarms,
    CommitArmsLastOnly,
    AbortKeepsAll(Status),
    AbortUndoesLastOnly,
    AbortUndoesOnceOnly,
    AbortLeavesNew,
    AbortLeavesRewritten,
    AbortLeavesDeleted,
    AbortLeavesFeed,
    AbortLeavesName,
    AbortLeavesTimer,
    AbortRevives,
    AbortKeepsNewTimer,
    AbortKeepsNewTs,
    AbortDisarms,
    AbortRestarts,
    AbortDropsFeed,
    // Queries, lists and counts.
    PagesOfASnapshot,
    EmptyPageEnds,
    FeedStopsAtExpired,
    FeedSkipsAfterExpired,
    CountSubtractsTwice,
    CountIgnoresTtlItems,
}

/// Values that must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadValue {
    Zero,
    Below,
    /// Below 32 bits.
    FarBelow,
    Above,
    JustAbove,
    /// Above 32 bits without a sign.
    FarAbove,
    /// Above 64 bits.
    Huge,
    Null,
}

/// Values that must be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoodValue {
    Any,
    One,
    MinusOne,
    Most,
    OverAYear,
    Over24Bits,
    LongerThanDefault,
    Null,
}

/// What a store takes a bad value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misread {
    Never,
    Absent,
    As(i64),
    Magnitude,
    Wrapped,
}

/// A change of the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Any,
    Raise,
    Lower,
    ToOff,
    FromOff,
    ToMinusOne,
    FromMinusOne,
}

/// What a mistake does to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// Its `_ts` is now, and its timer counts from now.
    Ts,
    /// Its `_ts` is now, and its timer stays.
    ShownTs,
    /// Its timer counts from now, and its `_ts` stays.
    Timer,
    Etag,
    RemoveTtl,
    WriteDefault,
}
