//! The mistakes that an implementer could make: each is a place in the store and what goes wrong there.

use cosmos_ttl_harness::target::{Operation, Status};

/// A way in which the store is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Creates the container.
    Open,
    /// Replaces the container's settings.
    Settings,
    /// Creates an item.
    Create,
    /// Creates or replaces an item.
    Upsert,
    /// Replaces an item.
    Replace,
    /// Changes parts of an item.
    Patch,
    /// Deletes an item.
    Delete,
    /// Reads an item.
    Read,
    /// Queries all items.
    Query,
    /// Lists all items.
    List,
    /// Counts all items.
    Count,
    /// Removes expired items in the background.
    Sweep,
}

/// An access, alone or in a batch, with or without a condition on the etag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// What is done.
    pub access: Access,
    /// Whether it is part of a batch.
    pub batch: bool,
    /// Whether it depends on an etag.
    pub conditional: bool,
}

impl Path {
    /// Returns the path of an access that is no operation on one item.
    pub const fn whole(access: Access) -> Self {
        Self { access, batch: false, conditional: false }
    }

    /// Returns the path of an operation.
    pub fn of(operation: &Operation, batch: bool) -> Self {
        let access = match operation {
            Operation::Create(_) => Access::Create,
            Operation::Upsert(_) => Access::Upsert,
            Operation::Replace(..) => Access::Replace,
            Operation::Patch(..) => Access::Patch,
            Operation::Read(_) => Access::Read,
            Operation::Delete(..) => Access::Delete,
        };
        Self { access, batch, conditional: operation.etag().is_some() }
    }
}

/// The paths on which a mistake happens.
#[derive(Clone, Copy, Debug)]
pub struct Where {
    accesses: &'static [Access],
    batch: Option<bool>,
    conditional: Option<bool>,
}

impl Where {
    /// Returns whether a path is one of these.
    pub fn holds(self, path: Path) -> bool {
        self.accesses.contains(&path.access)
            && self.batch.is_none_or(|batch| batch == path.batch)
            && self.conditional.is_none_or(|conditional| conditional == path.conditional)
    }
}

/// These accesses, whether in a batch or not.
pub const fn at(accesses: &'static [Access]) -> Where {
    Where { accesses, batch: None, conditional: None }
}

/// These accesses inside a batch.
pub const fn batched(accesses: &'static [Access]) -> Where {
    Where { accesses, batch: Some(true), conditional: None }
}

/// These accesses outside a batch.
pub const fn alone(accesses: &'static [Access]) -> Where {
    Where { accesses, batch: Some(false), conditional: None }
}

/// These accesses under a condition on the etag.
pub const fn conditional(accesses: &'static [Access]) -> Where {
    Where { accesses, batch: None, conditional: Some(true) }
}

/// Every write that leaves an item.
pub const WRITES: &[Access] = &[Access::Create, Access::Upsert, Access::Replace, Access::Patch];
/// Every access to items.
pub const EVERY: &[Access] = &[
    Access::Create,
    Access::Upsert,
    Access::Replace,
    Access::Patch,
    Access::Delete,
    Access::Read,
    Access::Query,
    Access::List,
    Access::Count,
    Access::Sweep,
];

/// One mistake.
#[derive(Clone, Copy, Debug)]
pub enum Mistake {
    /// These accesses misjudge whether an item that was last written by that path is expired.
    Look(Where, Where, Misjudge),
    /// These paths misread what is sent as a lifetime.
    Check(Where, Misread),
    /// These writes store something else.
    Write(Where, Miswrite),
    /// A write on such a path that was refused so leaves a trace.
    Residue(Where, Status, Residue),
    /// A batch that is aborted leaves a trace.
    Abort(AbortTrace),
    /// A change of the settings does something else.
    Settings(Missetting),
    /// These queries and lists leave something out.
    Feed(Where, Misfeed),
    /// Background removal takes something else.
    Sweep(Missweep),
    /// Items are removed by timers, and the timers go wrong.
    Timers(Mistime),
    /// These paths answer with something else than what is stored.
    Reply(Where, Misreply),
}

/// How an access misjudges whether an item is expired.
#[derive(Clone, Copy, Debug)]
pub enum Misjudge {
    /// Nothing is ever expired.
    Blind,
    /// Items expire these seconds later than they should, or earlier.
    Late(i128),
    /// An item's own lifetime is not looked at.
    OwnIgnored,
    /// The container's default is not looked at, as long as it is on.
    DefaultIgnored,
    /// The shorter of both lifetimes counts.
    Shorter,
    /// The longer of both lifetimes counts.
    Longer,
    /// An item's own -1 counts as no lifetime of its own.
    MinusOneInherits,
    /// A default of -1 counts as off.
    MinusOneIsOff,
    /// A container that is off counts as one with default -1.
    OffIsMinusOne,
    /// The settings count that the container was created with.
    FirstSettings,
    /// The settings count that were in force when the item was written.
    SettingsOfWrite,
    /// A change of the settings counts only after this number of seconds.
    SettingsBefore(i128),
    /// Of several changes in one second the first one counts.
    FirstChangeOfSecond,
    /// The lesser of the default at the time of the write and of the present one counts.
    RaiseIgnored,
    /// The greater of the default at the time of the write and of the present one counts.
    LowerIgnored,
    /// Seconds count from the item's creation.
    SinceCreation,
    /// Seconds count from the moment at which time to live was last switched on.
    SinceSwitchedOn,
    /// Seconds count from the last change of the settings.
    SinceChange,
    /// The clock is read only once in this number of seconds.
    CoarseClock(i128),
    /// The deadline is a signed number of 32 bits.
    Deadline32,
    /// The deadline is a float of 32 bits.
    DeadlineFloat,
    /// The lifetime is an unsigned number of 16 bits.
    Lifetime16,
    /// The lifetime is held in milliseconds, in a signed number of 32 bits.
    Milliseconds32,
    /// A lifetime above this is taken for this.
    Capped(i128),
    /// An item's own lifetime above this is taken for a second of the Unix epoch.
    Absolute(i128),
    /// The item's own lifetime is that of the version before.
    OwnOfBefore,
    /// What was expired once stays so under later settings, until the container is switched off.
    OnceExpired,
}

/// The notation to which a misreading is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Any notation.
    Any,
    /// With a point or an exponent.
    Fractional,
    /// With a minus sign.
    Minus,
}

/// What a value is wrongly taken for.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// No lifetime: an item inherits, a container is off.
    Unset,
    /// -1
    Never,
    /// Its value as it is.
    Itself,
    /// Its lowest 32 bits, as a signed number.
    Wrapped,
    /// The greatest lifetime.
    Greatest,
    /// Its amount without the sign.
    Amount,
}

/// How a path misreads a lifetime.
#[derive(Clone, Copy, Debug)]
pub enum Misread {
    /// Numbers from the first to the second, in this notation, are taken, and for this.
    Takes(i128, i128, Notation, Meaning),
    /// Numbers from the first to the second are refused.
    Refuses(i128, i128),
    /// `null` is taken for this.
    TakesNull(Meaning),
    /// `null` is refused.
    RefusesNull,
    /// Nothing is checked: a whole number is itself, and anything else is no lifetime.
    Unchecked,
}

/// What a write stores instead.
#[derive(Clone, Copy, Debug)]
pub enum Miswrite {
    /// A living item keeps its `_ts`.
    KeepsTs,
    /// A living item keeps its `_ts` if the write changes nothing.
    KeepsTsIfSame,
    /// A living item keeps its `_ts` if the write changes `ttl`.
    KeepsTsIfTtlChanges,
    /// A living item keeps its `_ts` if the write leaves `ttl` as it was.
    KeepsTsUnlessTtlChanges,
    /// The new item has the `_ts` of the expired one.
    KeepsExpiredTs,
    /// The new item has the lifetime of the expired one, unless it brings its own.
    KeepsExpiredOwn,
    /// The new item has those properties of the expired one that it does not bring.
    KeepsExpiredProperties,
    /// The `_ts` that the client sent is stored.
    ClientTs,
    /// The `_ts` is wrong by this number of seconds.
    TsOff(i128),
    /// An item that is written without `ttl` keeps the lifetime that it had.
    KeepsOwn,
    /// An item's lifetime is that of its first version.
    KeepsFirstOwn,
    /// The lifetime is not stored, though the property is.
    ForgetsOwn,
    /// The lifetime and the property are not stored while the container is off.
    ForgetsOwnWhileOff,
    /// The lifetime is not stored while the container is off, though the property is.
    DeafWhileOff,
    /// The default is stored as the property `ttl`.
    WritesDefaultBack,
    /// The default is stored as the item's own lifetime, not as a property.
    FreezesDefault,
    /// This property is taken for `ttl`.
    Alias(&'static str),
    /// A `ttl` inside of another property is taken for `ttl`.
    Nested,
    /// `ttl` -1 is not stored.
    DropsMinusOne,
}

/// What a refused write leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residue {
    /// The item's `_ts` is now.
    Restarts,
    /// What was sent is stored, with its lifetime if it has a valid one.
    Stores,
    /// The item is gone.
    Deletes,
    /// The item's own lifetime is gone.
    DropsOwn,
}

/// What an aborted batch leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbortTrace {
    /// The operations before the refused one stay in effect.
    Stays,
    /// What the batch deleted does not come back.
    StaysDeleted,
    /// The items that it had written before come back with `_ts` now.
    Restarts,
    /// The items that it had written before come back with the lifetime that the batch wrote.
    KeepsOwn,
}

/// How a change of the settings goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missetting {
    /// A replacement without `defaultTtl` keeps the old one.
    AbsentKeeps,
    /// A container that is created without `defaultTtl` has -1.
    AbsentIsMinusOneAtCreation,
    /// A replacement without `defaultTtl` sets -1.
    AbsentIsMinusOne,
    /// A replacement removes all items.
    RemovesItems,
    /// A replacement sets every item's `_ts` to now.
    TouchesTs,
    /// A replacement gives every item a new etag.
    TouchesEtag,
    /// Switching off takes the `ttl` of every item away.
    OffDropsTtl,
    /// Switching on sets every item's `_ts` to now.
    OnTouchesTs,
    /// Switching on forgets the lifetimes of the items that are there.
    OnForgetsOwn,
    /// Raising the default sets the `_ts` of each item that inherits to now.
    RaiseTouchesTs,
    /// Lowering the default removes every item that is older, its own lifetime ignored.
    LowerRemoves,
    /// A refused replacement switches time to live off.
    RefusedSwitchesOff,
    /// A refused replacement removes all items.
    RefusedRemovesItems,
    /// A refused replacement sets every item's `_ts` to now.
    RefusedTouchesTs,
    /// A change of the indexing sets every item's `_ts` to now.
    IndexingTouchesTs,
    /// A change from -1 to a number is answered and ignored.
    MinusOneToNumberIgnored,
    /// A change from a number to -1 is answered and ignored.
    NumberToMinusOneIgnored,
    /// A change from off to -1 is answered and ignored.
    OffToMinusOneIgnored,
    /// A second change within a second is answered and ignored.
    SecondChangeIgnored,
    /// Changing a default n directly to another n is answered and ignored.
    NumberToNumberIgnored,
    /// No index and a default go together at creation.
    UnindexedAtCreation,
    /// No index and a default go together when the settings change.
    UnindexedLater,
    /// Switching the index off switches time to live off instead of being refused.
    UnindexedSwitchesOff,
    /// -1 needs no index.
    UnindexedMinusOne,
}

/// What a query or a list leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfeed {
    /// Pages of this size are filtered, and a page that is not full then is the last one.
    ShortPageEnds(usize),
    /// Nothing comes after the first expired item.
    StopsAtExpired,
    /// Items whose id begins with an expired item's id are left out.
    Prefix,
    /// Items with an expired item's `_ts` are left out.
    SameTs,
    /// As many items as are expired are left out at the end.
    Offset,
    /// Items whose ids differ from an expired one in case alone are left out.
    Case,
}

/// What background removal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missweep {
    /// Also items whose id begins with an expired item's id.
    Prefix,
    /// Also items with an expired item's `_ts`.
    SameTs,
    /// What was expired when it looked the last time, without another look.
    TwoPhases,
    /// All that the default would remove at the time of the switch, after the container is off.
    OneMoreAfterOff,
    /// Everything that was ever found expired, whether or not it still is.
    Remembers,
}

/// How timers go wrong.
#[derive(Clone, Copy, Debug)]
pub enum Mistime {
    /// These writes do not set the timer again.
    NotSet(Where),
    /// A write sets a second timer, and the first one still removes the item.
    NotCancelled,
    /// Deleting an item does not cancel its timer.
    DeleteDoesNotCancel,
    /// There is one timer for each second: a later one replaces it.
    OnePerSecond,
    /// A change of the settings leaves the timers as they are.
    SettingsIgnored,
    /// Timers of more than 2147483647 milliseconds fire at once.
    Overflows,
    /// A batch that is aborted leaves its timers set.
    AbortLeaves,
}

/// What an answer shows instead of what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misreply {
    /// `ttl` is missing.
    NoTtl,
    /// `ttl` is the number of seconds that are left.
    SecondsLeft,
    /// The default stands as `ttl` of an item without.
    Default,
    /// `_ts` is the present second.
    Now,
    /// `_ts` is the second of the creation.
    Creation,
    /// `_ts` is the deadline.
    Deadline,
    /// `ttl` -1 is missing.
    NoMinusOne,
}
