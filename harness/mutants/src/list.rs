//! Every mutant, and the store of a name.
//!
//! There is one for each mistake. A mistake on one path is a mutant of its own only where vectors of their own fail it.

#![expect(clippy::enum_glob_use, reason = "a list of every mutant uses nearly every word")]

use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::target::Status;
use serde::Serialize;

use super::controls::CONTROLS;
use super::faulty::{
    Effect, Event, FaultyStore, Given, Kept, KeptPart, Kind, Leftover, Lifespan, Mutation, On, Path, Reading,
    Taken, TtlCell,
};

use Effect::*;
use Event::*;
use Given::*;
use Kept::*;
use Kind::*;
use Leftover::*;
use Mutation::*;
use On::*;
use Path::*;
use Reading::*;
use Taken::*;
use TtlCell::*;

/// Longer than anything lasts.
const FOR_EVER: i128 = 1 << 100;

/// -1 as an unsigned number of 32 bits.
const BITS_32: i128 = 4_294_967_295;

/// A store with one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mutant {
    /// Immutable; what `mutant:NAME` says.
    pub name: &'static str,
    /// The clauses that it breaks, at least one.
    pub clauses: &'static [&'static str],
    /// Which misreading it is, in a sentence.
    pub says: &'static str,
    /// How the store is changed.
    #[serde(skip)]
    pub mutation: Mutation,
}

impl Mutant {
    /// Returns the store.
    pub fn store(&self) -> FaultyStore {
        FaultyStore { mutation: Some(self.mutation), ..FaultyStore::default() }
    }
}

/// Returns every mutant, in the order of the sections.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> + Clone {
    MUTANTS.iter()
}

/// Returns the store of the mutant or the control with this name, as a target that goes by it.
///
/// # Errors
///
/// The names that it may have been meant for, where there is none.
pub fn named(name: &str) -> Result<FaultyStore, Vec<&'static str>> {
    let mutants = mutants().map(|one| (one.name, one.store()));
    let mut all = mutants.chain(CONTROLS.iter().map(|one| (one.name, one.store.into())));
    let names = all.clone().map(|(name, _)| name);
    match all.find(|(one, _)| *one == name) {
        Some((name, store)) => Ok(FaultyStore { name: Some(name), ..store }),
        None => Err(suggest::suggest(name, names)),
    }
}

/// Declares mutants: a name, the clauses that it breaks, its mutation, and a sentence.
macro_rules! mutants {
    ($($name:literal breaks [$($clause:literal),+ $(,)?] => $mutation:expr, $says:literal;)+) => {
        const MUTANTS: &[Mutant] = &[
            $(Mutant { name: $name, clauses: &[$($clause),+], says: $says, mutation: $mutation }),+
        ];
    };
}

mutants! {
    // The container's values.
    "absent-default-is-minus-one" breaks ["container-absent-is-off"] => AbsentDefault(Never),
        "A container that says nothing is on without a default, so that an item's own `ttl` counts.";
    "null-default-is-minus-one" breaks ["container-null-is-off"] => Takes(Container, Any, Null, Never),
        "Null as `defaultTtl` switches time to live on without a default.";
    "null-default-keeps-the-old" breaks ["container-null-is-off"] => Takes(Container, Any, Null, Before),
        "Null as `defaultTtl` says ok and leaves the setting as it was, as in a merge.";
    "container-minus-one-is-refused" breaks ["container-minus-one-is-on-without-default"] =>
        Refuses(Container, By(Create), MinusOne),
        "A container cannot be created with `defaultTtl` -1.";
    "container-maximum-is-refused" breaks ["container-seconds-range"] => Refuses(Container, By(Create), Maximum),
        "The greatest `defaultTtl` is taken for one too many.";
    "container-maximum-is-refused-later" breaks ["container-seconds-range"] => Refuses(Container, By(Replace), Maximum),
        "The greatest `defaultTtl` is taken for one too many when a container is replaced.";
    "container-maximum-is-never" breaks ["container-seconds-range", "deadline-does-not-overflow"] =>
        Takes(Container, Any, Maximum, Never),
        "The greatest `defaultTtl` means forever.";
    "container-one-is-refused" breaks ["container-seconds-range"] => Refuses(Container, By(Create), One),
        "A `defaultTtl` of one second is too short.";
    "container-zero-is-at-once" breaks ["container-zero-rejected"] => Takes(Container, Any, Zero, AtOnce),
        "`defaultTtl` 0 is accepted and everything expires at once; seen in an emulator.";
    "container-below-minus-one-is-never" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, Any, BelowMinusOne, Never),
        "Any negative `defaultTtl` means never.";
    "container-above-maximum-is-cut" breaks ["container-above-maximum-rejected"] =>
        Takes(Container, Any, AboveMaximum, Greatest),
        "A `defaultTtl` that is too great is cut to the greatest.";
    "container-infinity-is-never" breaks ["container-above-maximum-rejected"] => Takes(Container, Any, Infinite, Never),
        "`defaultTtl` 1e400 is read as infinity and means never.";
    "container-fraction-is-cut" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Fraction, Number),
        "`defaultTtl` 2.5 is 2.";
    "container-text-counts" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Text, Number),
        "`defaultTtl` \"10\" is 10.";
    "container-truth-counts" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Truth, Number),
        "`defaultTtl` true is 1, and false is 0.";
    "container-list-counts" breaks ["container-not-an-integer-rejected"] => Takes(Container, Any, Array, Number),
        "`defaultTtl` [10] is 10.";
    "container-object-is-off-at-creation" breaks ["container-not-an-integer-rejected"] =>
        Takes(Container, By(Create), Object, Absent),
        "A container may be created with a `defaultTtl` that is an object, which is passed over.";
    "refused-settings-switch-off" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, SwitchesOff),
        "Settings are cleared before the new ones are looked at.";
    "refused-settings-drop-the-default" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, DropsDefault),
        "A refused setting leaves the container on without a default.";
    "refused-container-exists" breaks [
        "container-zero-rejected",
        "container-below-minus-one-rejected",
        "ttl-needs-an-index",
    ] => RefusedMakesContainer,
        "A creation that is refused for its `defaultTtl` leaves a container behind that is off.";
    "second-creation-touches-ts" breaks ["container-rejected-leaves-container"] => After(SecondCreation, RestartsAll),
        "A second creation of a container is a conflict, and restarts the count of every item.";

    // The item's values.
    "item-ttl-is-never-checked" breaks [
        "item-null-rejected",
        "item-zero-rejected",
        "item-below-minus-one-rejected",
        "item-above-maximum-rejected",
        "item-not-an-integer-rejected",
    ] => Takes(Item, Any, Anything, Number),
        "No write looks at a `ttl`, and whatever number can be read out of it counts; seen in an emulator.";
    "item-minus-one-is-refused" breaks ["item-minus-one-allowed"] => Refuses(Item, By(Create), MinusOne),
        "No item can be created with `ttl` -1.";
    "upsert-refuses-one" breaks ["item-seconds-range"] => Refuses(Item, By(Upsert), One),
        "A `ttl` of one second is too short for an upsert.";
    "item-zero-is-at-once" breaks ["item-zero-rejected"] => Takes(Item, Any, Zero, AtOnce),
        "`ttl` 0 is accepted and the item is gone at once; seen in a fake.";
    "item-infinity-is-never" breaks ["item-above-maximum-rejected"] => Takes(Item, Any, Infinite, Never),
        "`ttl` 1e400 is read as infinity and means never.";
    "item-text-counts" breaks ["item-not-an-integer-rejected"] => Takes(Item, Any, Text, Number),
        "`ttl` \"10\" is 10; seen in a fake.";
    "whole-fraction-inherits" breaks ["item-integral-fraction"] => Takes(Item, Any, WholeFraction, Absent),
        "`ttl` 10.0 is stored, but counts for nothing.";
    "invalid-while-off-is-forgotten" breaks ["item-invalid-while-off"] => ForgetsInvalidWhileOff,
        "While the container is off an item with a bad `ttl` is said to be stored, and is not.";
    "refused-writes-are-kept" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Content),
        "The item is stored first and its `ttl` looked at then.";
    "refused-patches-set-the-rest" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, RestOfPatch),
        "A refused patch sets everything but the `ttl`.";
    "refused-writes-touch-ts" breaks ["item-rejected-stores-nothing"] => Leaves(Status::BadRequest, Restart),
        "A write that is refused for its `ttl` restarts the count of the item.";
    "two-refusals-are-an-error" breaks ["refusal-order"] => TwoRefusalsAreAnError,
        "A write that is refused for its `ttl` and for its item is answered 500.";

    // Names.
    "underscored-ttl-counts" breaks ["only-root-ttl-counts"] => Alias("_ttl"),
        "`_ttl` is honoured where there is no `ttl`; seen in a fake.";
    "upper-case-ttl-counts" breaks ["only-root-ttl-counts"] => Alias("TTL"),
        "Case does not matter: `TTL` counts.";
    "time-to-live-with-a-capital-counts" breaks ["only-root-ttl-counts"] => Alias("TimeToLive"),
        "The property's name in the SDKs, `TimeToLive`, counts.";
    "default-on-an-item-counts" breaks ["only-root-ttl-counts"] => Alias("defaultTtl"),
        "An item's `defaultTtl` counts.";

    // The table of lifetimes.
    "off-honours-own-ttl" breaks ["off-never-expires"] => Cell(&[OffOwn], Lifespan::Own),
        "An item's `ttl` counts while the container is off; seen in an emulator.";
    "off-is-no-time" breaks ["off-never-expires", "container-absent-is-off"] => Cell(&[OffAbsent], Lifespan::Seconds(0)),
        "Where neither says anything, a life of nothing comes out of the sum of nothing.";
    "off-ends-with-32-bits" breaks ["off-never-expires"] => Cell(&[OffAbsent, OffNever, OffOwn], Lifespan::Seconds(BITS_32)),
        "Off is 4294967295 seconds.";
    "nothing-expires" breaks [
        "item-seconds-override",
        "item-inherits-seconds",
        "gone-at-deadline",
        "expired-read-not-found",
    ] => Sees(Any, FOR_EVER),
        "Time to live is stored and shown, and nothing ever expires; two emulators do so.";
    "default-wins" breaks ["item-seconds-override"] => Cell(&[DefaultOwn], Lifespan::Default),
        "The container's default goes before an item's `ttl`.";
    "minus-one-inherits" breaks ["item-minus-one-overrides"] => Cell(&[DefaultNever], Lifespan::Default),
        "`ttl` -1 on an item means that it has none.";
    "minus-one-ends-with-32-bits" breaks ["item-minus-one-overrides"] =>
        Cell(&[DefaultNever, OnNever], Lifespan::Seconds(BITS_32)),
        "`ttl` -1 is 4294967295 seconds.";
    "absent-is-never" breaks ["item-inherits-seconds", "item-absent-inherits"] => Cell(&[DefaultAbsent], Lifespan::Never),
        "An item without `ttl` never expires; only those with one do.";
    "absent-under-minus-one-is-at-once" breaks ["item-inherits-no-default", "item-absent-inherits"] =>
        Cell(&[OnAbsent], Lifespan::Seconds(-1)),
        "An item without `ttl` inherits -1 as a number of seconds.";
    "absent-under-minus-one-ends-with-32-bits" breaks ["item-inherits-no-default"] =>
        Cell(&[OnAbsent], Lifespan::Seconds(BITS_32)),
        "`defaultTtl` -1 is 4294967295 seconds.";
    "milliseconds" breaks ["item-inherits-seconds", "item-seconds-override", "item-null-inherits"] => Milliseconds,
        "Numbers count milliseconds.";
    "default-is-written-back" breaks ["inherited-ttl-not-written-back"] => WritesDefaultBack,
        "The default is written into every item that has no `ttl`.";
    "parts-expire" breaks ["whole-item-expires"] => HidesOldParts,
        "A part of an item with a `ttl` of its own expires by itself.";

    // The clock.
    "counts-from-creation" breaks ["counted-from-last-write", "write-restarts-count"] => CountsFromCreation,
        "The count never restarts: an item lives from its creation.";
    "deleted-ts-returns" breaks ["counted-from-last-write"] => TsOfDeletedReturns,
        "An item created again after a delete counts from the old one's last write.";
    "one-second-late" breaks ["gone-at-deadline", "hidden-immediately"] => Sees(Any, 1),
        "An item is still there in the second of its deadline: > in place of >=; seen in a fake.";
    "one-second-early" breaks ["visible-before-deadline"] => Sees(Any, -1),
        "The last second before the deadline is lost.";
    "lists-are-a-second-late" breaks ["expired-not-in-queries"] => Sees(By(List), 1),
        "Only listings compare with >.";
    "hides-an-hour-late" breaks ["hidden-immediately"] => Sees(Any, 3600),
        "Expired items are seen until an hour later, when they are surely removed.";
    "deadlines-wrap-unsigned" breaks ["deadline-does-not-overflow"] => DeadlineWrapsUnsigned,
        "Deadlines are unsigned numbers of 32 bits.";
    "client-sets-ts" breaks ["server-sets-ts", "ts-never-decreases"] => TakesTs(Any),
        "The `_ts` that a client sends is stored.";
    "patch-of-ts-conflicts" breaks ["patch-of-ts"] => PatchOfTsConflicts,
        "A patch of `_ts` answers that there is a conflict.";
    "ts-is-in-minutes" breaks ["counted-from-last-write", "ts-never-decreases"] => ShowsTsInMinutes,
        "`_ts` counts minutes.";

    // What should restart the count.
    "replace-does-not-restart" breaks ["write-restarts-count", "counted-from-last-write"] => NoRestart(By(Replace)),
        "A replace keeps the old `_ts`.";
    "conditional-replace-does-not-restart" breaks ["write-restarts-count"] => NoRestart(ByConditional(Replace)),
        "A replace with a condition keeps the old `_ts`.";
    "upsert-does-not-restart" breaks ["write-restarts-count"] => NoRestart(By(Upsert)),
        "An upsert of an item that is there keeps the old `_ts`.";
    "patch-does-not-restart" breaks ["patch-restarts-count"] => NoRestart(By(Patch)),
        "A patch keeps the old `_ts`.";
    "identical-replace-does-not-restart" breaks ["identical-write-restarts-count"] => NoRestartIfIdentical(By(Replace)),
        "A replace that changes nothing is skipped.";
    "identical-patch-does-not-restart" breaks ["patch-restarts-count", "identical-write-restarts-count"] =>
        NoRestartIfIdentical(By(Patch)),
        "A patch that changes nothing is skipped.";
    "batch-spreads-its-ts" breaks ["batch-shares-one-ts"] => BatchSpreads,
        "Each write of a batch has a second of its own.";

    // What should not.
    "reads-restart" breaks ["read-does-not-restart"] => Restarts(By(Read)),
        "A point read restarts the count, as in a cache.";
    "reads-in-a-batch-restart" breaks ["read-does-not-restart"] => Restarts(InBatch(Read)),
        "A read in a batch counts as one of its writes.";
    "lists-restart" breaks ["read-does-not-restart"] => Restarts(By(List)),
        "A listing restarts the count of what it returns.";
    "counts-restart" breaks ["read-does-not-restart"] => Restarts(By(Count)),
        "A count restarts the count of what it counts.";
    "conflict-restarts" breaks ["failed-write-does-not-restart"] => Leaves(Status::Conflict, Restart),
        "A create that meets a living item restarts that one's count.";
    "failed-condition-writes" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Content),
        "A replace whose condition fails says so after it has written.";
    "failed-condition-patches" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, RestOfPatch),
        "A patch whose condition fails says so after it has set its properties.";
    "failed-condition-deletes" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Nothing),
        "A write whose condition fails costs the item.";
    "conditions-are-ignored" breaks ["failed-write-does-not-restart"] => NoConditions,
        "`if-match` is ignored.";
    "aborted-batches-keep-deletes" breaks ["failed-write-does-not-restart"] => AbortKeeps(Deletes),
        "Deletes are done at once and not taken back.";
    "aborted-batches-keep-creates" breaks ["item-rejected-stores-nothing", "no-write-revives"] => AbortKeeps(Creates),
        "New items of an aborted batch stay.";

    // A changed `ttl`.
    "new-ttl-counts-from-the-old-ts" breaks ["changed-ttl-counts-from-that-write"] => NewTtlCountsFromOldTs,
        "A new `ttl` moves the deadline, but counts from where the old one did.";
    "replace-keeps-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl(By(Replace)),
        "A replace without `ttl` keeps the old one.";

    // Expired items.
    "reads-show-expired" breaks ["expired-read-not-found", "hidden-immediately"] => Sees(By(Read), FOR_EVER),
        "Only queries filter: a point read finds an expired item until it is removed.";
    "reads-answer-gone" breaks ["expired-read-not-found"] => Answers(By(Read), Status::Other(410)),
        "A point read of an expired item answers that it is gone, not that it was never there.";
    "queries-show-expired" breaks ["expired-not-in-queries", "hidden-immediately"] => Sees(By(Query), FOR_EVER),
        "A point read honours time to live, but a query does not; seen in a fake.";
    "counts-overwritten" breaks ["expired-id-is-free"] => CountsOverwritten,
        "COUNT counts the expired, even those whose id was taken again.";
    "counts-subtract-twice" breaks ["expired-in-aggregates"] => SubtractsExpiredTwice,
        "COUNT takes off the expired from a number that was without them.";
    "counts-subtract-refused-deletes" breaks ["expired-in-aggregates"] => SubtractsRefusedDeletes,
        "A delete that is refused because its item is expired lowers the number that COUNT answers.";
    "replace-revives" breaks ["expired-replace-not-found", "no-write-revives"] => Sees(By(Replace), FOR_EVER),
        "A replace renews an expired item that is not yet removed; seen in a fake.";
    "replace-is-a-second-late" breaks ["expired-replace-not-found"] => Sees(By(Replace), 1),
        "A replace renews an item in the second of its deadline.";
    "patch-says-ok" breaks ["expired-patch-not-found"] => Answers(By(Patch), Status::Ok),
        "A patch of an expired item says ok and does nothing.";
    "delete-finds-expired" breaks ["expired-delete-not-found"] => Sees(By(Delete), FOR_EVER),
        "A delete finds an expired item until it is removed.";
    "conditional-writes-conflict" breaks ["expired-precondition"] => Answers(Conditional, Status::Conflict),
        "A conditional write of an expired item is a conflict.";
    "failing-writes-revive" breaks ["no-write-revives"] => Leaves(Status::NotFound, Restart),
        "A write of an expired item answers not found and sets its `_ts`, and there it is again.";
    "failing-patches-patch" breaks ["expired-patch-not-found", "reappearance"] => Leaves(Status::NotFound, RestOfPatch),
        "A patch of an expired item answers not found, and what it set is there if the item is back.";
    "expired-id-is-taken" breaks ["expired-id-is-free"] => Sees(By(Create), FOR_EVER),
        "An expired item blocks a create with its id until it is removed; seen in a fake.";
    "upsert-keeps-the-content" breaks ["expired-upsert-creates"] => Reborn(By(Upsert), KeptPart::Content),
        "An upsert over an expired item counts as an update and merges; seen in a fake.";
    "upsert-misses-expired" breaks ["expired-upsert-creates", "expired-upsert-status"] =>
        Answers(By(Upsert), Status::NotFound),
        "An upsert over an expired item answers not found.";

    // Background removal.
    "removal-takes-the-youngest" breaks ["purge-only-expired"] => SweepTakesYoungest,
        "Removal takes one item too many.";
    "removal-is-early" breaks ["purge-only-expired", "visible-before-deadline"] => SweepIsEarly,
        "Removal comes a second before the deadline.";
    "removal-works-from-a-list" breaks ["purge-spares-recreated", "purge-only-expired"] => SweepTakesPicked,
        "Removal notes ids, and takes whatever has them the next time.";
    "removal-trusts-the-etag" breaks ["purge-only-expired", "reappearance"] => SweepTakesPickedIfUnwritten,
        "Removal notes ids and etags, and does not ask again whether the item is expired under new settings.";
    "removed-items-answer-gone" breaks ["purge-invisible", "expired-read-not-found"] => SweptAnswersGone,
        "A point read answers something else once the item is removed.";

    // The container's settings.
    "settings-at-write-decide" breaks ["current-settings-decide", "raising-extends", "switching-on-hides-old-items"] =>
        DefaultAtWrite(Any),
        "The deadline is frozen when an item is written; seen in a fake.";
    "lowering-spares-the-old" breaks ["current-settings-decide", "switching-on-hides-old-items"] => DefaultAtWriteIfLonger,
        "A smaller default is for new items.";
    "raising-spares-the-old" breaks ["raising-extends"] => DefaultAtWriteIfShorter,
        "A larger default is for new items.";
    "minus-one-keeps-the-default" breaks ["current-settings-decide", "container-minus-one-is-on-without-default"] =>
        MinusOneKeepsDefault,
        "-1 says on, and leaves the default that there is.";
    "leaving-out-keeps-the-default" breaks ["leaving-default-out-switches-off"] => AbsentDefault(Before),
        "A replace without `defaultTtl` keeps the old one; seen in an emulator.";
    "dormant-ttl-is-forgotten" breaks ["dormant-ttl-wakes"] => DormantTtlIsForgotten,
        "An item's `ttl` that was asleep inherits when the container is on again.";
    "dormant-ttl-counts-from-waking" breaks ["dormant-ttl-wakes", "switching-on-hides-old-items"] => CountsFromWaking,
        "An item's `ttl` that was asleep counts from when the container was switched on.";
    "settings-touch-ts" breaks ["settings-do-not-touch-ts"] => After(NewSettings, RestartsAll),
        "A change of settings writes every item, with a new `_ts`.";
    "settings-lose-items" breaks ["settings-do-not-touch-ts"] => After(NewSettings, LosesItems),
        "Replacing a container empties it; seen in an emulator.";
    "deleted-items-return" breaks ["removed-never-returns"] => DeletedReturn,
        "What was deleted is only hidden, and is back when the container is off.";
    "overwritten-items-return" breaks ["removed-never-returns"] => OverwrittenReturn,
        "An expired item is kept under the one created over it, and is back once that one is deleted.";
    "removed-items-return" breaks ["removed-never-returns", "reappearance"] => RemovedReturn,
        "A removed item is missing under settings that would show it, and is back after the next change.";
    "items-return-to-queries-only" breaks ["reappearance"] => ReturnForQueriesOnly,
        "An item that is back is found by queries, but not by its id.";

    // The index.
    "no-index-is-fine" breaks ["ttl-needs-an-index"] => NoIndexIsFine,
        "Time to live does not ask for an index.";
    "no-index-is-fine-at-creation" breaks ["ttl-needs-an-index"] => NoIndexIsFineAtCreation,
        "A container may be created without an index and with a default.";
    "no-index-is-fine-later" breaks ["ttl-needs-an-index"] => NoIndexIsFineLater,
        "A container may lose its index, or get a default without one.";
    "no-index-is-for-good" breaks ["ttl-needs-an-index", "indexed-modes-allow-ttl"] => NoIndexIsForGood,
        "A container that had no index can never have a default.";
    "lazy-is-taken-for-none" breaks ["indexed-modes-allow-ttl"] => LazyIsRefused,
        "A lazy index is taken for none, so it is refused together with a default.";
    "lazy-never-expires" breaks ["indexed-modes-allow-ttl"] => LazyNeverExpires,
        "Under a lazy index nothing expires.";
    "consistent-index-lags" breaks ["indexed-modes-allow-ttl", "lazy-index-may-lag"] => ConsistentIndexLags,
        "Queries find nothing after time to live was switched on, also under a consistent index.";

    // Partitions and ids.
    "partition-ignored-by-delete" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(By(Delete)),
        "A delete takes the item with this id in another partition where its own has none.";
    "partition-ignored-by-replace" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(By(Replace)),
        "A replace finds the item with this id in another partition where its own has none.";
    "partition-ignored-by-patch" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(By(Patch)),
        "A patch finds the item with this id in another partition where its own has none.";
    "partition-ignored-by-create" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(By(Create)),
        "A create is a conflict where another partition has an item with this id.";
    "partition-ignored-by-upsert" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(By(Upsert)),
        "An upsert says that it replaced an item where another partition has one with this id.";
    "partition-ignored-in-batch" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(AnyWriteInBatch),
        "A write of a batch finds the item with this id in another partition where its own has none.";
    "partition-and-id-joined" breaks ["identity-is-partition-and-id"] => KeysAreJoined,
        "Items are kept under partition key and id as one text.";
    "removal-by-prefix" breaks ["identity-is-partition-and-id", "purge-only-expired"] => SweepTakesLongerIds,
        "Removal of an expired item takes every item whose id starts with its id.";
    "ids-decoded" breaks ["identity-is-partition-and-id"] => IdsAreDecoded,
        "Ids are compared as if they were parts of a URL: `a+b` is `a b`.";

    // Pages.
    "continuation-counts-items" breaks ["pages-hold-living-items-once"] => PagesCountVisible,
        "A page skips a number of visible items, so items that expire between pages shift the others.";
    "empty-page-is-the-last" breaks ["pages-hold-living-items-once"] => EmptyPageIsTheLast,
        "Nothing continues a page of which every item is expired.";

    // One path misreads the settings or the table.
    "read-in-a-batch-takes-the-shorter" breaks ["item-seconds-override"] => Misreads(InBatch(Read), Shorter),
        "A read in a batch goes by the default or the item's `ttl`, whichever is shorter.";
    "read-in-a-batch-knows-the-first-settings" breaks ["current-settings-decide"] => Misreads(InBatch(Read), FirstSettings),
        "A read in a batch goes by the settings of the creation.";
    "list-honours-own-ttl-while-off" breaks ["off-never-expires"] => Misreads(By(List), OffHonoursOwn),
        "A listing counts an item's own `ttl` while the container is off.";
    "list-lets-minus-one-inherit" breaks ["item-minus-one-overrides"] => Misreads(By(List), MinusOneInherits),
        "A listing takes an item's -1 for no `ttl`.";
    "list-takes-the-shorter" breaks ["item-seconds-override"] => Misreads(By(List), Shorter),
        "A listing goes by the default or the item's `ttl`, whichever is shorter.";
    "create-in-a-batch-honours-own-ttl-while-off" breaks ["off-never-expires"] => Misreads(InBatch(Create), OffHonoursOwn),
        "A create in a batch counts an item's own `ttl` while the container is off.";
    "conditional-write-honours-own-ttl-while-off" breaks ["off-never-expires"] => Misreads(Conditional, OffHonoursOwn),
        "A conditional write counts an item's own `ttl` while the container is off.";
    "conditional-write-lets-minus-one-inherit" breaks ["item-minus-one-overrides"] => Misreads(Conditional, MinusOneInherits),
        "A conditional write takes an item's -1 for no `ttl`.";
    "conditional-write-takes-the-shorter" breaks ["item-seconds-override"] => Misreads(Conditional, Shorter),
        "A conditional write goes by the default or the item's `ttl`, whichever is shorter.";
    "conditional-write-knows-the-first-settings" breaks ["current-settings-decide"] => Misreads(Conditional, FirstSettings),
        "A conditional write goes by the settings of the creation.";
    "count-honours-own-ttl-while-off" breaks ["off-never-expires"] => Misreads(By(Count), OffHonoursOwn),
        "A count counts an item's own `ttl` while the container is off.";
    "count-takes-the-shorter" breaks ["item-seconds-override"] => Misreads(By(Count), Shorter),
        "A count goes by the default or the item's `ttl`, whichever is shorter.";
    "count-knows-the-first-settings" breaks ["current-settings-decide"] => Misreads(By(Count), FirstSettings),
        "A count goes by the settings of the creation.";
    "count-knows-the-previous-settings" breaks ["current-settings-decide"] => Misreads(By(Count), PreviousSettings),
        "A count goes by the settings before the last change.";
    "list-takes-minus-one-for-off" breaks ["item-seconds-override"] => Misreads(By(List), MinusOneIsOff),
        "A listing takes `defaultTtl` -1 for off.";
    "list-knows-only-own-ttl" breaks ["item-inherits-seconds"] => Misreads(By(List), OnlyOwn),
        "A listing goes by the item's `ttl` alone.";
    "replace-in-a-batch-takes-minus-one-for-off" breaks ["item-seconds-override"] => Misreads(InBatch(Replace), MinusOneIsOff),
        "A replace in a batch takes `defaultTtl` -1 for off.";
    "conditional-write-takes-minus-one-for-off" breaks ["item-seconds-override"] => Misreads(Conditional, MinusOneIsOff),
        "A conditional write takes `defaultTtl` -1 for off.";

    // One path is early or late.
    "list-is-a-second-early" breaks ["visible-before-deadline"] => Sees(By(List), -1),
        "A listing misses an item in its last second.";
    "create-in-a-batch-is-a-second-early" breaks ["visible-before-deadline"] => Sees(InBatch(Create), -1),
        "A create in a batch misses an item in its last second.";
    "patch-in-a-batch-is-a-second-early" breaks ["visible-before-deadline"] => Sees(InBatch(Patch), -1),
        "A patch in a batch misses an item in its last second.";
    "delete-in-a-batch-is-a-second-early" breaks ["visible-before-deadline"] => Sees(InBatch(Delete), -1),
        "A delete in a batch misses an item in its last second.";
    "conditional-write-is-a-second-early" breaks ["visible-before-deadline"] => Sees(Conditional, -1),
        "A conditional write misses an item in its last second.";
    "read-in-a-batch-is-a-second-late" breaks ["gone-at-deadline"] => Sees(InBatch(Read), 1),
        "A read in a batch finds an item in the second of its deadline.";
    "replace-in-a-batch-is-a-second-late" breaks ["gone-at-deadline"] => Sees(InBatch(Replace), 1),
        "A replace in a batch finds an item in the second of its deadline.";
    "patch-in-a-batch-is-a-second-late" breaks ["gone-at-deadline"] => Sees(InBatch(Patch), 1),
        "A patch in a batch finds an item in the second of its deadline.";
    "delete-in-a-batch-is-a-second-late" breaks ["gone-at-deadline"] => Sees(InBatch(Delete), 1),
        "A delete in a batch finds an item in the second of its deadline.";
    "conditional-write-is-a-second-late" breaks ["gone-at-deadline"] => Sees(Conditional, 1),
        "A conditional write finds an item in the second of its deadline.";

    // One kind of write takes what it should refuse, or refuses what it should take.
    "create-in-a-batch-wraps-above-maximum" breaks ["item-above-maximum-rejected"] =>
        Takes(Item, InBatch(Create), AboveMaximum, Last32),
        "A create in a batch keeps the last 32 bits of a `ttl` that is too great.";
    "create-in-a-batch-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, InBatch(Create), Zero, Absent),
        "A create in a batch takes a `ttl` of 0.";
    "create-in-a-batch-takes-below-minus-one" breaks ["item-below-minus-one-rejected"] =>
        Takes(Item, InBatch(Create), BelowMinusOne, Never),
        "A create in a batch takes a `ttl` below -1.";
    "upsert-in-a-batch-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, InBatch(Upsert), Zero, Absent),
        "An upsert in a batch takes a `ttl` of 0.";
    "upsert-in-a-batch-takes-below-minus-one" breaks ["item-below-minus-one-rejected"] =>
        Takes(Item, InBatch(Upsert), BelowMinusOne, Never),
        "An upsert in a batch takes a `ttl` below -1.";
    "upsert-in-a-batch-takes-above-maximum" breaks ["item-above-maximum-rejected"] =>
        Takes(Item, InBatch(Upsert), AboveMaximum, Greatest),
        "An upsert in a batch takes a `ttl` that is too great.";
    "upsert-in-a-batch-takes-text" breaks ["item-not-an-integer-rejected"] => Takes(Item, InBatch(Upsert), Text, Absent),
        "An upsert in a batch takes a `ttl` in quotes.";
    "upsert-in-a-batch-takes-lists" breaks ["item-not-an-integer-rejected"] => Takes(Item, InBatch(Upsert), Array, Absent),
        "An upsert in a batch takes a `ttl` that is a list.";
    "upsert-in-a-batch-takes-null" breaks ["item-null-rejected"] => Takes(Item, InBatch(Upsert), Null, Absent),
        "An upsert in a batch takes a null `ttl`.";
    "replace-in-a-batch-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, InBatch(Replace), Zero, Absent),
        "A replace in a batch takes a `ttl` of 0.";
    "replace-in-a-batch-takes-below-minus-one" breaks ["item-below-minus-one-rejected"] =>
        Takes(Item, InBatch(Replace), BelowMinusOne, Never),
        "A replace in a batch takes a `ttl` below -1.";
    "replace-in-a-batch-takes-above-maximum" breaks ["item-above-maximum-rejected"] =>
        Takes(Item, InBatch(Replace), AboveMaximum, Greatest),
        "A replace in a batch takes a `ttl` that is too great.";
    "patch-in-a-batch-takes-zero" breaks ["item-zero-rejected"] => Takes(Item, InBatch(Patch), Zero, Absent),
        "A patch in a batch takes a `ttl` of 0.";
    "patch-in-a-batch-takes-below-minus-one" breaks ["item-below-minus-one-rejected"] =>
        Takes(Item, InBatch(Patch), BelowMinusOne, Never),
        "A patch in a batch takes a `ttl` below -1.";
    "patch-in-a-batch-takes-above-maximum" breaks ["item-above-maximum-rejected"] =>
        Takes(Item, InBatch(Patch), AboveMaximum, Greatest),
        "A patch in a batch takes a `ttl` that is too great.";
    "patch-in-a-batch-takes-truth" breaks ["item-not-an-integer-rejected"] => Takes(Item, InBatch(Patch), Truth, Absent),
        "A patch in a batch takes `ttl` true.";
    "patch-in-a-batch-takes-objects" breaks ["item-not-an-integer-rejected"] => Takes(Item, InBatch(Patch), Object, Absent),
        "A patch in a batch takes a `ttl` that is an object.";
    "patch-in-a-batch-takes-null" breaks ["item-null-rejected"] => Takes(Item, InBatch(Patch), Null, Absent),
        "A patch in a batch takes a null `ttl`.";
    "create-takes-minus-zero" breaks ["item-zero-rejected"] => Takes(Item, By(Create), MinusZero, Absent),
        "A create takes `ttl` -0.";
    "create-takes-below-as-fraction" breaks ["item-below-minus-one-rejected"] =>
        Takes(Item, By(Create), BelowAsFraction, Never),
        "A create takes `ttl` -2.0.";
    "upsert-takes-zero-as-fraction" breaks ["item-zero-rejected"] => Takes(Item, By(Upsert), ZeroAsFraction, Absent),
        "An upsert takes `ttl` 0.0.";
    "upsert-takes-the-lowest" breaks ["item-below-minus-one-rejected"] => Takes(Item, By(Upsert), Lowest32, Never),
        "An upsert takes `ttl` -2147483648.";
    "replace-takes-zero-as-fraction" breaks ["item-zero-rejected"] => Takes(Item, By(Replace), ZeroAsFraction, Absent),
        "A replace takes `ttl` 0.0.";
    "patch-takes-zero-as-fraction" breaks ["item-zero-rejected"] => Takes(Item, By(Patch), ZeroAsFraction, Absent),
        "A patch takes `ttl` 0.0.";
    "patch-takes-the-lowest" breaks ["item-below-minus-one-rejected"] => Takes(Item, By(Patch), Lowest32, Never),
        "A patch takes `ttl` -2147483648.";
    "batch-takes-minus-zero" breaks ["item-zero-rejected"] => Takes(Item, AnyWriteInBatch, MinusZero, Absent),
        "A write in a batch takes `ttl` -0.";
    "container-takes-zero-as-fraction" breaks ["container-zero-rejected"] =>
        Takes(Container, By(Create), ZeroAsFraction, Absent),
        "A creation of a container takes `defaultTtl` 0.0.";
    "container-takes-the-lowest" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, By(Create), Lowest32, Never),
        "A creation of a container takes `defaultTtl` -2147483648.";
    "settings-takes-minus-zero" breaks ["container-zero-rejected"] => Takes(Container, By(Replace), MinusZero, Absent),
        "A change of settings takes `defaultTtl` -0.";

    // One kind of write keeps, or stores, what it should not.
    "create-in-a-batch-takes-a-clients-ts" breaks ["server-sets-ts"] => TakesTs(InBatch(Create)),
        "A create in a batch stores the `_ts` that a client sends.";
    "patch-in-a-batch-takes-a-clients-ts" breaks ["server-sets-ts"] => TakesTs(InBatch(Patch)),
        "A patch in a batch stores the `_ts` that a client sends.";
    "upsert-in-a-batch-keeps-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl(InBatch(Upsert)),
        "An upsert in a batch that leaves `ttl` out keeps the old one.";
    "patch-in-a-batch-keeps-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl(InBatch(Patch)),
        "A patch in a batch that leaves `ttl` out keeps the old one.";
    "patch-in-a-batch-refuses-null-in-2020" breaks ["item-null-inherits"] => Refuses(Item, InBatch(Patch), Null),
        "A patch in a batch refuses a null `ttl` in every edition.";
    "patch-in-a-batch-refuses-the-maximum" breaks ["item-seconds-range"] => Refuses(Item, InBatch(Patch), Maximum),
        "A patch in a batch refuses the greatest `ttl`.";
    "patch-in-a-batch-does-not-restart" breaks ["patch-restarts-count"] => NoRestart(InBatch(Patch)),
        "A patch in a batch keeps the old `_ts`.";
    "conditional-patch-does-not-restart" breaks ["patch-restarts-count"] => NoRestart(ByConditional(Patch)),
        "A patch with a condition keeps the old `_ts`.";
    "patch-in-a-batch-freezes-the-default" breaks ["current-settings-decide"] => DefaultAtWrite(InBatch(Patch)),
        "A patch in a batch makes an item that lives by the default of that moment.";
    "create-in-a-batch-keeps-the-expired-etag" breaks ["expired-id-is-free"] => Reborn(InBatch(Create), KeptPart::Etag),
        "A create in a batch over an expired item keeps its etag.";
    "upsert-in-a-batch-keeps-the-expired-etag" breaks ["expired-upsert-creates"] => Reborn(InBatch(Upsert), KeptPart::Etag),
        "An upsert in a batch over an expired item keeps its etag.";
}
