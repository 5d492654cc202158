//! Every mutant, and the store of a name.
//!
//! There is one for each mistake. A mistake on one path is a mutant of its own only where vectors of their own fail it. What
//! goes wrong alike on several paths is one row with a mutant for each of them.

#![expect(clippy::enum_glob_use, reason = "a list of every mutant uses nearly every word")]

use std::sync::LazyLock;

use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::target::Status;
use serde::Serialize;

use super::controls::CONTROLS;
use super::faulty::{
    Effect, Event, FaultyStore, Given, Impossible, Kept, KeptOfContainer, KeptPart, Leftover, Likeness,
    Mutation, On, Path, Reading,
};
use super::oracle::{LONGEST, TtlSetting};

use Effect::*;
use Event::*;
use Given::*;
use Kept::*;
use Leftover::*;
use Likeness::*;
use Mutation::*;
use On::*;
use Path::*;
use Reading::*;
use TtlSetting::{Absent, Never, Seconds};

/// Longer than anything lasts.
const FOR_EVER: i128 = 1 << 100;

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
    /// Where the store is changed so.
    #[serde(skip)]
    pub path: Path,
}

impl Mutant {
    /// Returns the store.
    pub fn store(&self) -> FaultyStore {
        FaultyStore {
            name: Some(self.name),
            mutation: Some(self.mutation),
            path: self.path,
            ..FaultyStore::default()
        }
    }

    /// The same mistake on this path alone, which is the subject of its sentence.
    fn on(self, path: Path) -> Self {
        let who = path.words();
        let article = if who.starts_with('u') { "An" } else { "A" };
        let name = format!("{}-{}", who.replace(' ', "-"), self.name).leak();
        Self { name, says: format!("{article} {who} {}", self.says).leak(), path, ..self }
    }
}

/// Returns every mutant, in the order of the sections.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> + Clone {
    static ALL: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
        let on_paths =
            ON_PATHS.iter().flat_map(|(mistake, paths)| paths.iter().map(|path| mistake.on(*path)));
        MUTANTS.iter().copied().chain(on_paths).collect()
    });
    ALL.iter()
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

/// Declares mutants, path by path: a name, the clauses that it breaks, its mutation, and a sentence.
macro_rules! mutants {
    ($(by $path:expr;
        $($name:literal breaks [$($clause:literal),+] => $mutation:expr, $says:literal;)+
    )+) => {
        &[$($(
            Mutant { name: $name, clauses: &[$($clause),+], says: $says, mutation: $mutation, path: $path }
        ),+),+]
    };
}

/// Declares mistakes that are made on paths: of the name and of the sentence each is what follows the path.
macro_rules! on_paths {
    ($($name:literal breaks [$clause:literal] => $mutation:expr, $says:literal, [$($path:expr),+];)+) => {
        &[$((
            Mutant { name: $name, clauses: &[$clause], says: $says, mutation: $mutation, path: Any },
            &[$($path),+],
        )),+]
    };
}

const MUTANTS: &[Mutant] = mutants! {
    by Any;
    // Containers.
    "containers-share-settings" breaks ["containers-are-apart"] => SharesSettings,
        "The latest settings of any container are those of all.";
    "deletion-keeps-the-default" breaks ["deleted-container-is-forgotten"] => DeletionKeeps(KeptOfContainer::Default),
        "A container under the name of a deleted one has its default; seen in an emulator.";
    "deletion-keeps-the-items" breaks ["deleted-container-is-forgotten"] => DeletionKeeps(KeptOfContainer::Items),
        "A container under the name of a deleted one has its items; seen in an emulator.";
    "container-shows-minus-two" breaks ["container-shown-as-set"] => ShowsDefault(Seconds(-2)),
        "A container is shown with `defaultTtl` -2; seen in an emulator.";
    // The container's values.
    "absent-default-is-minus-one" breaks ["container-absent-is-off"] => Takes(Container, Missing, Never),
        "A container that says nothing is on without a default, so that an item's own `ttl` counts.";
    "null-default-is-minus-one" breaks ["container-null-at-creation", "container-null-in-replacement"] => Takes(Container, Is("null"), Never),
        "Null as `defaultTtl` switches time to live on without a default.";
    "null-default-keeps-the-old" breaks ["container-null-in-replacement"] => KeepsDefault(Is("null")),
        "Null as `defaultTtl` says ok and leaves the setting as it was, as in a merge.";
    "container-maximum-is-never" breaks ["container-seconds-range", "deadline-does-not-overflow"] =>
        Takes(Container, Is("2147483647"), Never), "The greatest `defaultTtl` means forever.";
    "container-zero-is-at-once" breaks ["container-zero-rejected"] => Takes(Container, Zero, Seconds(0)),
        "`defaultTtl` 0 is accepted and everything expires at once; seen in an emulator.";
    "container-below-minus-one-is-never" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, BelowMinusOne, Never), "Any negative `defaultTtl` means never.";
    "container-above-maximum-is-cut" breaks ["container-above-maximum-rejected"] =>
        Takes(Container, AboveMaximum, Seconds(LONGEST)), "A `defaultTtl` that is too great is cut to the greatest.";
    "container-infinity-is-never" breaks ["container-above-maximum-rejected"] => Takes(Container, Infinite, Never),
        "`defaultTtl` 1e400 is read as infinity and means never.";
    "container-fraction-is-cut" breaks ["container-not-an-integer-rejected"] => Guesses(Container, Fraction),
        "`defaultTtl` 2.5 is 2.";
    "container-text-counts" breaks ["container-not-an-integer-rejected"] => Guesses(Container, Starts("\"")),
        "`defaultTtl` \"10\" is 10.";
    "container-truth-counts" breaks ["container-not-an-integer-rejected"] => Guesses(Container, Truth),
        "`defaultTtl` true is 1, and false is 0.";
    "container-list-counts" breaks ["container-not-an-integer-rejected"] => Guesses(Container, Starts("[")),
        "`defaultTtl` [10] is 10.";
    "refused-settings-switch-off" breaks ["container-rejected-leaves-container"] => After(RefusedSettings, SwitchesOff),
        "Settings are cleared before the new ones are looked at.";
    "refused-settings-drop-the-default" breaks ["container-rejected-leaves-container"] =>
        After(RefusedSettings, DropsDefault), "A refused setting leaves the container on without a default.";
    "refused-container-exists" breaks ["container-zero-rejected", "container-below-minus-one-rejected",
        "ttl-needs-an-index"] => RefusedMakesContainer,
        "A creation that is refused for its `defaultTtl` leaves a container behind that is off.";
    "second-creation-touches-ts" breaks ["container-rejected-leaves-container"] => After(SecondCreation, RestartsAll),
        "A second creation of a container is a conflict, and restarts the count of every item.";

    // The item's values.
    "item-ttl-is-never-checked" breaks ["item-null-rejected", "item-zero-rejected", "item-below-minus-one-rejected",
        "item-above-maximum-rejected", "item-not-an-integer-rejected"] => Guesses(Item, Anything),
        "No write looks at a `ttl`, and whatever number can be read out of it counts; seen in an emulator.";
    "item-zero-is-at-once" breaks ["item-zero-rejected"] => Takes(Item, Zero, Seconds(0)),
        "`ttl` 0 is accepted and the item is gone at once; seen in a fake.";
    "item-infinity-is-never" breaks ["item-above-maximum-rejected"] => Takes(Item, Infinite, Never),
        "`ttl` 1e400 is read as infinity and means never.";
    "item-text-counts" breaks ["item-not-an-integer-rejected"] => Guesses(Item, Starts("\"")),
        "`ttl` \"10\" is 10; seen in a fake.";
    "whole-fraction-inherits" breaks ["item-integral-fraction"] => Takes(Item, WholeFraction, Absent),
        "`ttl` 10.0 is stored, but counts for nothing.";
    "invalid-while-off-is-an-error" breaks ["item-invalid-while-off"] => InvalidWhileOffIsAnError,
        "While the container is off a write of a bad `ttl` is answered 500.";
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
    "upper-case-ttl-counts" breaks ["only-root-ttl-counts"] => Alias("TTL"), "Case does not matter: `TTL` counts.";
    "time-to-live-with-a-capital-counts" breaks ["only-root-ttl-counts"] => Alias("TimeToLive"),
        "The property's name in the SDKs, `TimeToLive`, counts.";
    "default-on-an-item-counts" breaks ["only-root-ttl-counts"] => Alias("defaultTtl"),
        "An item's `defaultTtl` counts.";

    // The table of lifetimes.
    "off-honours-own-ttl" breaks ["off-never-expires"] => Misreads(OffHonoursOwn),
        "An item's `ttl` counts while the container is off; seen in an emulator.";
    "off-is-no-time" breaks ["off-never-expires", "container-absent-is-off"] => Misreads(OffIsNoTime),
        "Where neither says anything, a life of nothing comes out of the sum of nothing.";
    "off-ends-with-32-bits" breaks ["off-never-expires"] => Misreads(OffEnds), "Off is 4294967295 seconds.";
    "nothing-expires" breaks ["item-seconds-override", "item-inherits-seconds", "gone-at-deadline",
        "expired-read-not-found"] => Sees(FOR_EVER),
        "Time to live is stored and shown, and nothing ever expires; two emulators do so.";
    "default-wins" breaks ["item-seconds-override"] => Misreads(DefaultWins),
        "The container's default goes before an item's `ttl`.";
    "minus-one-inherits" breaks ["item-minus-one-overrides"] => Misreads(MinusOneInherits),
        "`ttl` -1 on an item means that it has none.";
    "minus-one-ends-with-32-bits" breaks ["item-minus-one-overrides"] => Misreads(OwnMinusOneEnds),
        "`ttl` -1 is 4294967295 seconds.";
    "absent-is-never" breaks ["item-inherits-seconds", "item-absent-inherits"] => Misreads(OnlyOwn),
        "An item without `ttl` never expires; only those with one do.";
    "absent-under-minus-one-is-at-once" breaks ["item-inherits-no-default", "item-absent-inherits"] =>
        Misreads(MinusOneIsASecond), "An item without `ttl` inherits -1 as a number of seconds.";
    "absent-under-minus-one-ends-with-32-bits" breaks ["item-inherits-no-default"] => Misreads(DefaultMinusOneEnds),
        "`defaultTtl` -1 is 4294967295 seconds.";
    "milliseconds" breaks ["item-inherits-seconds", "item-seconds-override"] => Milliseconds,
        "Numbers count milliseconds.";
    "default-is-written-back" breaks ["inherited-ttl-not-written-back"] => WritesDefaultBack,
        "The default is written into every item that has no `ttl`.";
    "ttl-gets-a-fraction" breaks ["ttl-comes-back-as-sent"] => ShowsTtlWithFraction,
        "`ttl` 10 comes back as 10.0.";
    "parts-expire" breaks ["whole-item-expires"] => HidesOldParts,
        "A part of an item with a `ttl` of its own expires by itself.";

    // The clock.
    "counts-from-creation" breaks ["counted-from-last-write", "write-restarts-count"] => CountsFromCreation,
        "The count never restarts: an item lives from its creation.";
    "deleted-ts-returns" breaks ["counted-from-last-write"] => TsOfDeletedReturns,
        "An item created again after a delete counts from the old one's last write.";
    "one-second-late" breaks ["gone-at-deadline", "hidden-immediately"] => Sees(1),
        "An item is still there in the second of its deadline: > in place of >=; seen in a fake.";
    "one-second-early" breaks ["visible-before-deadline"] => Sees(-1), "The last second before the deadline is lost.";
    "hides-an-hour-late" breaks ["hidden-immediately"] => Sees(3600),
        "Expired items are seen until an hour later, when they are surely removed.";
    "deadlines-wrap-unsigned" breaks ["deadline-does-not-overflow"] => DeadlineWrapsUnsigned,
        "Deadlines are unsigned numbers of 32 bits.";
    "client-sets-ts" breaks ["client-ts-has-no-effect", "ts-never-decreases"] => TakesTs,
        "The `_ts` that a client sends is stored.";
    "patch-of-ts-is-ignored" breaks ["patch-of-ts"] => Patches(Impossible::Ts),
        "A patch of `_ts` succeeds, and its `_ts` is ignored.";
    "patch-removes-nothing" breaks ["patch-of-absent-property"] => Patches(Impossible::Absent),
        "A patch that removes a property that is not there succeeds.";
    "ts-is-in-minutes" breaks ["counted-from-last-write", "server-sets-ts", "ts-never-decreases"] => ShowsTsInMinutes,
        "`_ts` counts minutes.";

    // What should restart the count.
    "batch-spreads-its-ts" breaks ["batch-shares-one-ts"] => BatchSpreads,
        "Each write of a batch has a second of its own.";

    // What should not.
    "conflict-restarts" breaks ["failed-write-does-not-restart"] => Leaves(Status::Conflict, Restart),
        "A create that meets a living item restarts that one's count.";
    "failed-condition-writes" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Content),
        "A replace whose condition fails says so after it has written.";
    "failed-condition-patches" breaks ["failed-write-does-not-restart"] =>
        Leaves(Status::PreconditionFailed, RestOfPatch),
        "A patch whose condition fails says so after it has set its properties.";
    "failed-condition-deletes" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Nothing),
        "A write whose condition fails costs the item.";
    "conditions-are-ignored" breaks ["failed-write-does-not-restart"] => NoConditions, "`if-match` is ignored.";
    "aborted-batches-keep-deletes" breaks ["failed-write-does-not-restart"] => AbortKeeps(Deletes),
        "Deletes are done at once and not taken back.";
    "aborted-batches-keep-creates" breaks ["item-rejected-stores-nothing", "no-write-revives"] => AbortKeeps(Creates),
        "New items of an aborted batch stay.";

    // A changed `ttl`.
    "new-ttl-counts-from-the-old-ts" breaks ["changed-ttl-counts-from-that-write"] => NewTtlCountsFromOldTs,
        "A new `ttl` moves the deadline, but counts from where the old one did.";

    // Expired items.
    "counts-overwritten" breaks ["expired-id-is-free"] => CountsOverwritten,
        "COUNT counts the expired, even those whose id was taken again.";
    "counts-subtract-twice" breaks ["expired-in-aggregates"] => SubtractsExpiredTwice,
        "COUNT takes off the expired from a number that was without them.";
    "counts-subtract-refused-deletes" breaks ["expired-in-aggregates"] => SubtractsRefusedDeletes,
        "A delete that is refused because its item is expired lowers the number that COUNT answers.";
    "failing-writes-revive" breaks ["no-write-revives"] => Leaves(Status::NotFound, Restart),
        "A write of an expired item answers not found and sets its `_ts`, and there it is again.";
    "failing-patches-patch" breaks ["expired-patch-not-found", "reappearance"] => Leaves(Status::NotFound, RestOfPatch),
        "A patch of an expired item answers not found, and what it set is there if the item is back.";

    // Background removal.
    "removal-takes-the-youngest" breaks ["purge-only-expired"] => SweepTakesYoungest,
        "Removal takes one item too many.";
    "removal-works-from-a-list" breaks ["purge-spares-recreated", "purge-only-expired"] => SweepTakesPicked,
        "Removal notes ids, and takes whatever has them the next time.";
    "removal-trusts-the-etag" breaks ["purge-only-expired", "reappearance"] => SweepTakesPickedIfUnwritten,
        "Removal notes ids and etags, and does not ask again whether the item is expired under new settings.";
    "removed-items-answer-gone" breaks ["purge-invisible", "expired-read-not-found"] => SweptAnswersGone,
        "A point read answers something else once the item is removed.";

    // The container's settings.
    "settings-at-write-decide" breaks ["current-settings-decide", "raising-extends", "switching-on-hides-old-items"] =>
        DefaultAtWrite, "The deadline is frozen when an item is written; seen in a fake.";
    "changes-hide-a-second-late" breaks ["change-hides-at-once"] => ChangesHideLate,
        "What a change of settings hides is seen until the second of the change is over.";
    "lowering-spares-the-old" breaks ["current-settings-decide", "switching-on-hides-old-items"] =>
        DefaultAtWriteIfLonger, "A smaller default is for new items.";
    "raising-spares-the-old" breaks ["raising-extends"] => DefaultAtWriteIfShorter,
        "A larger default is for new items.";
    "changes-spare-the-old" breaks ["current-settings-decide", "switching-on-hides-old-items"] =>
        DefaultAtWriteIfOlder(3600), "A change of settings does not reach items that are an hour old.";
    "minus-one-keeps-the-default" breaks ["current-settings-decide", "container-minus-one-is-on-without-default"] =>
        MinusOneKeepsDefault, "-1 says on, and leaves the default that there is.";
    "leaving-out-keeps-the-default" breaks ["leaving-default-out-switches-off"] => KeepsDefault(Missing),
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
    "deleted-items-return-one-by-one" breaks ["removed-never-returns"] => DeletedReturnOnDelete,
        "Deleting an item that was created again brings back the one that was deleted before.";
    "overwritten-items-return" breaks ["removed-never-returns"] => OverwrittenReturn,
        "An expired item is kept under the one created over it, and is back once that one is deleted.";
    "removed-items-return" breaks ["removed-never-returns", "reappearance"] => RemovedReturn,
        "A removed item is missing under settings that would show it, and is back after the next change.";
    "items-return-to-queries-only" breaks ["reappearance"] => ReturnForQueriesOnly,
        "An item that is back is found by queries, but not by its id.";

    // The index.
    "no-index-is-fine" breaks ["ttl-needs-an-index"] => NoIndexIsFine, "Time to live does not ask for an index.";
    "no-index-is-for-good" breaks ["ttl-needs-an-index", "indexed-modes-allow-ttl"] => NoIndexIsForGood,
        "A container that had no index can never have a default.";
    "lazy-is-taken-for-none" breaks ["indexed-modes-allow-ttl"] => LazyIsRefused,
        "A lazy index is taken for none, so it is refused together with a default.";
    "lazy-never-expires" breaks ["indexed-modes-allow-ttl"] => LazyNeverExpires, "Under a lazy index nothing expires.";
    "lazy-is-for-good" breaks ["indexed-modes-allow-ttl"] => LazyIsForGood,
        "Once a container had a lazy index, nothing expires under a consistent one.";
    "consistent-index-lags" breaks ["indexed-modes-allow-ttl", "lazy-index-may-lag"] => ConsistentIndexLags,
        "Queries find nothing after time to live was switched on, also under a consistent index.";

    // Partitions and ids.
    "partition-and-id-joined" breaks ["identity-is-partition-and-id"] => KeysAreJoined(""),
        "Items are kept under partition key and id as one text.";
    "partition-and-id-joined-by-a-hyphen" breaks ["identity-is-partition-and-id"] => KeysAreJoined("-"),
        "Items are kept under partition key, hyphen and id as one text.";
    "removal-by-prefix" breaks ["identity-is-partition-and-id", "purge-only-expired"] => SweepTakesLongerIds,
        "Removal of an expired item takes every item whose id starts with its id.";
    "ids-decoded" breaks ["identity-is-partition-and-id"] => IdsAreAlike(Decoded),
        "Ids are compared as if they were parts of a URL: `a+b` is `a b`.";
    "ids-cut" breaks ["identity-is-partition-and-id"] => IdsAreAlike(Cut),
        "Ids are compared in their first 255 characters.";
    "ids-of-16-bits" breaks ["identity-is-partition-and-id"] => IdsAreAlike(Narrow),
        "Ids are compared in the lower 16 bits of each character.";
    "ids-trimmed" breaks ["identity-is-partition-and-id"] => IdsAreAlike(Trimmed),
        "Ids are compared without the blanks around them.";
    "ids-with-dots-never-expire" breaks ["expired-read-not-found", "expired-not-in-queries"] => Endless("."),
        "An item whose id has a dot is taken for a file of the store's own, and never expires.";

    // Pages.
    "continuation-counts-items" breaks ["pages-hold-living-items-once"] => PagesCountVisible,
        "A page skips a number of visible items, so items that expire between pages shift the others.";
    "empty-page-is-the-last" breaks ["pages-hold-living-items-once"] => EmptyPageIsTheLast,
        "Nothing continues a page of which every item is expired.";
    "pages-follow-writes" breaks ["pages-hold-living-items-once"] => PagesFollowWrites,
        "Pages go by the last write, so that an item which is written between two pages is on both.";
    "pages-hold-one-too-many" breaks ["pages-hold-living-items-once"] => PagesHoldOneMore,
        "A page holds one item more than was asked for.";

    // Sizes.
    "batches-have-no-end" breaks ["batch-of-at-most-100"] => AnyBatch,
        "A batch may have more than 100 operations.";
    "changes-end-after-ten" breaks ["current-settings-decide"] => SettlesAfter(10),
        "Of the settings, a history of ten is kept, and later changes are lost.";

    by By("create-container");
    "container-minus-one-is-refused" breaks ["container-minus-one-is-on-without-default"] =>
        Refuses(Container, Is("-1")), "A container cannot be created with `defaultTtl` -1.";
    "container-maximum-is-refused" breaks ["container-seconds-range"] => Refuses(Container, Is("2147483647")),
        "The greatest `defaultTtl` is taken for one too many.";
    "container-one-is-refused" breaks ["container-seconds-range"] => Refuses(Container, Is("1")),
        "A `defaultTtl` of one second is too short.";
    "container-object-is-off-at-creation" breaks ["container-not-an-integer-rejected"] =>
        Takes(Container, Starts("{"), Absent),
        "A container may be created with a `defaultTtl` that is an object, which is passed over.";
    "no-index-is-fine-at-creation" breaks ["ttl-needs-an-index"] => NoIndexIsFine,
        "A container may be created without an index and with a default.";
    "container-takes-zero-as-fraction" breaks ["container-zero-rejected"] => Takes(Container, ZeroAsFraction, Absent),
        "A creation of a container takes `defaultTtl` 0.0.";
    "container-takes-the-lowest" breaks ["container-below-minus-one-rejected"] =>
        Takes(Container, Is("-2147483648"), Never), "A creation of a container takes `defaultTtl` -2147483648.";

    by By("create");
    "item-minus-one-is-refused" breaks ["item-minus-one-allowed"] => Refuses(Item, Is("-1")),
        "No item can be created with `ttl` -1.";
    "expired-id-is-taken" breaks ["expired-id-is-free"] => Sees(FOR_EVER),
        "An expired item blocks a create with its id until it is removed; seen in a fake.";

    by By("upsert");
    "upsert-refuses-one" breaks ["item-seconds-range"] => Refuses(Item, Is("1")),
        "A `ttl` of one second is too short for an upsert.";
    "upsert-keeps-the-content" breaks ["expired-upsert-creates"] => Reborn(KeptPart::Content),
        "An upsert over an expired item counts as an update and merges; seen in a fake.";
    "upsert-misses-expired" breaks ["expired-upsert-creates"] => Answers(Status::NotFound),
        "An upsert over an expired item answers not found.";
    "upsert-over-expired-is-gone" breaks ["expired-upsert-creates", "expired-upsert-status"] => Answers(Status::NoContent),
        "An upsert over an expired item says that it succeeded without content, and makes nothing.";

    by By("replace-container");
    "container-maximum-is-refused-later" breaks ["container-seconds-range"] => Refuses(Container, Is("2147483647")),
        "The greatest `defaultTtl` is taken for one too many when a container is replaced.";
    "no-index-is-fine-later" breaks ["ttl-needs-an-index"] => NoIndexIsFine,
        "A container may lose its index, or get a default without one.";
    "settings-takes-minus-zero" breaks ["container-zero-rejected"] => Takes(Container, Is("-0"), Absent),
        "A change of settings takes `defaultTtl` -0.";

    by By("replace");
    "identical-replace-does-not-restart" breaks ["identical-write-restarts-count"] => NoRestartIfIdentical,
        "A replace that changes nothing is skipped.";
    "replace-revives" breaks ["expired-replace-not-found", "no-write-revives"] => Sees(FOR_EVER),
        "A replace renews an expired item that is not yet removed; seen in a fake.";
    "replace-is-a-second-late" breaks ["expired-replace-not-found"] => Sees(1),
        "A replace renews an item in the second of its deadline.";

    by By("patch");
    "identical-patch-does-not-restart" breaks ["patch-restarts-count", "identical-write-restarts-count"] =>
        NoRestartIfIdentical, "A patch that changes nothing is skipped.";
    "patch-says-ok" breaks ["expired-patch-not-found"] => Answers(Status::Ok),
        "A patch of an expired item says ok and does nothing.";

    by By("delete");
    "delete-finds-expired" breaks ["expired-delete-not-found"] => Sees(FOR_EVER),
        "A delete finds an expired item until it is removed.";

    by By("read");
    "reads-show-expired" breaks ["expired-read-not-found", "hidden-immediately"] => Sees(FOR_EVER),
        "Only queries filter: a point read finds an expired item until it is removed.";
    "reads-answer-gone" breaks ["expired-read-not-found"] => Answers(Status::Other(410)),
        "A point read of an expired item answers that it is gone, not that it was never there.";

    by By("query");
    "queries-stop-at-1000" breaks ["visible-before-deadline"] => SeesFirst(1000),
        "A query returns its first 1,000 items, and says nothing of the rest.";
    "queries-show-expired" breaks ["expired-not-in-queries", "hidden-immediately"] => Sees(FOR_EVER),
        "A point read honours time to live, but a query does not; seen in a fake.";

    by By("list");
    "lists-are-a-second-late" breaks ["expired-not-in-queries"] => Sees(1), "Only listings compare with >.";

    by By("removal");
    "removal-is-early" breaks ["purge-only-expired", "visible-before-deadline"] => Sees(-1),
        "Removal comes a second before the deadline.";

    by Conditional;
    "conditional-writes-conflict" breaks ["expired-precondition"] => Answers(Status::Conflict),
        "A conditional write of an expired item is a conflict.";
};

const ON_PATHS: &[(Mutant, &[Path])] = on_paths! {
    // What real clients send beside the plain requests.
    "shows-expired" breaks ["expired-not-in-queries"] => Sees(FOR_EVER), "shows expired items; seen in an emulator.",
        [By("query by id"), By("query with a filter"), By("query in an order"), By("query with a limit"),
        By("query for a property"), By("query for distinct values"), By("query across partitions"), By("read-many")];
    "takes-any-ttl" breaks ["patched-ttl-is-checked"] => OperationTakesAnything,
        "stores whatever `ttl` comes of it.",
        [By("patch that adds"), By("patch that replaces"), By("patch that increments"), By("patch that moves")];
    "does-not-restart" breaks ["patch-restarts-count"] => NoRestart,
        "keeps the old `_ts`.", [By("patch that increments"), By("patch that moves")];
    "shows-no-default" breaks ["container-shown-as-set"] => ShowsDefault(Absent),
        "shows no `defaultTtl`.", [By("create-container"), By("replace-container"), By("read-container")];
    "compares-with-expired" breaks ["conditional-read-of-expired"] => ConditionSeesExpired,
        "compares its condition with the etag of an expired item.", [ByConditional("read")];
    "compares-with-expired" breaks ["conditional-create-over-expired"] => ConditionSeesExpired,
        "compares its condition with the etag of an expired item.", [ByConditional("create")];
    "takes-any-etag" breaks ["conditional-upsert"] => NoConditions, "takes any etag.", [ByConditional("upsert")];

    // Who looks restarts no count.
    "restarts" breaks ["read-does-not-restart"] => Restarts,
        "restarts the count of what it finds.", [By("read"), By("list"), By("count"), InBatch("read")];

    // A write restarts the count.
    "does-not-restart" breaks ["write-restarts-count"] => NoRestart,
        "keeps the old `_ts`.", [By("replace"), By("upsert"), ByConditional("replace")];
    "does-not-restart" breaks ["patch-restarts-count"] => NoRestart,
        "keeps the old `_ts`.", [By("patch"), ByConditional("patch"), InBatch("patch")];

    // Partitions.
    "ignores-partitions" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions,
        "finds the item with this id in another partition where its own has none.",
        [By("create"), By("upsert"), By("replace"), By("patch"), By("delete"), AnyWriteInBatch];

    // The settings and the table.
    "honours-own-ttl-while-off" breaks ["off-never-expires"] => Misreads(OffHonoursOwn),
        "counts an item's own `ttl` while the container is off.",
        [By("list"), By("count"), InBatch("create"), Conditional];
    "takes-minus-one-for-off" breaks ["item-seconds-override"] => Misreads(MinusOneIsOff),
        "takes `defaultTtl` -1 for off.", [By("list"), InBatch("replace"), Conditional];
    "lets-minus-one-inherit" breaks ["item-minus-one-overrides"] => Misreads(MinusOneInherits),
        "takes an item's -1 for no `ttl`.", [By("list"), Conditional];
    "takes-the-shorter" breaks ["item-seconds-override"] => Misreads(Shorter),
        "goes by the default or the item's `ttl`, whichever is shorter.",
        [By("list"), By("count"), InBatch("read"), Conditional];
    "knows-only-own-ttl" breaks ["item-inherits-seconds"] => Misreads(OnlyOwn),
        "goes by the item's `ttl` alone.", [By("list")];
    "knows-the-first-settings" breaks ["current-settings-decide"] => Misreads(FirstSettings),
        "goes by the settings of the creation.", [By("count"), InBatch("read"), Conditional];
    "knows-the-previous-settings" breaks ["current-settings-decide"] => Misreads(PreviousSettings),
        "goes by the settings before the last change.", [By("count")];
    "freezes-the-default" breaks ["current-settings-decide"] => DefaultAtWrite,
        "makes an item that lives by the default of that moment.", [InBatch("patch")];

    // The second of the deadline.
    "is-a-second-early" breaks ["visible-before-deadline"] => Sees(-1), "misses an item in its last second.",
        [By("list"), InBatch("create"), InBatch("patch"), InBatch("delete"), Conditional];
    "is-a-second-late" breaks ["gone-at-deadline"] => Sees(1), "finds an item in the second of its deadline.",
        [InBatch("read"), InBatch("replace"), InBatch("patch"), InBatch("delete"), Conditional];

    // Values.
    "takes-zero" breaks ["item-zero-rejected"] => Takes(Item, Zero, Absent),
        "takes a `ttl` of 0.", [InBatch("create"), InBatch("upsert"), InBatch("replace"), InBatch("patch")];
    "takes-minus-zero" breaks ["item-zero-rejected"] => Takes(Item, Is("-0"), Absent),
        "takes `ttl` -0.", [By("create"), AnyWriteInBatch];
    "takes-zero-as-fraction" breaks ["item-zero-rejected"] => Takes(Item, ZeroAsFraction, Absent),
        "takes `ttl` 0.0.", [By("upsert"), By("replace"), By("patch")];
    "takes-below-minus-one" breaks ["item-below-minus-one-rejected"] => Takes(Item, BelowMinusOne, Never),
        "takes a `ttl` below -1.", [InBatch("create"), InBatch("upsert"), InBatch("replace"), InBatch("patch")];
    "takes-below-as-fraction" breaks ["item-below-minus-one-rejected"] => Takes(Item, BelowAsFraction, Never),
        "takes `ttl` -2.0.", [By("create")];
    "takes-the-lowest" breaks ["item-below-minus-one-rejected"] => Takes(Item, Is("-2147483648"), Never),
        "takes `ttl` -2147483648.", [By("upsert"), By("patch")];
    "takes-above-maximum" breaks ["item-above-maximum-rejected"] => Takes(Item, AboveMaximum, Seconds(LONGEST)),
        "takes a `ttl` that is too great.",
        [InBatch("create"), InBatch("upsert"), InBatch("replace"), InBatch("patch")];
    "takes-above-as-fraction" breaks ["item-above-maximum-rejected"] => Takes(Item, AboveAsFraction, Seconds(LONGEST)),
        "takes `ttl` 3e9.", [By("create")];
    "takes-text" breaks ["item-not-an-integer-rejected"] => Takes(Item, Starts("\""), Absent),
        "takes a `ttl` in quotes.", [InBatch("upsert")];
    "takes-truth" breaks ["item-not-an-integer-rejected"] => Takes(Item, Truth, Absent),
        "takes `ttl` true.", [InBatch("patch")];
    "takes-lists" breaks ["item-not-an-integer-rejected"] => Takes(Item, Starts("["), Absent),
        "takes a `ttl` that is a list.", [InBatch("upsert")];
    "takes-objects" breaks ["item-not-an-integer-rejected"] => Takes(Item, Starts("{"), Absent),
        "takes a `ttl` that is an object.", [InBatch("patch")];
    "takes-null" breaks ["item-null-rejected"] => Takes(Item, Is("null"), Absent),
        "takes a null `ttl`.", [InBatch("upsert"), InBatch("patch")];
    "refuses-the-maximum" breaks ["item-seconds-range"] => Refuses(Item, Is("2147483647")),
        "refuses the greatest `ttl`.", [InBatch("patch")];

    // What a write keeps or stores.
    "keeps-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl,
        "that leaves `ttl` out keeps the old one.", [By("replace"), InBatch("upsert"), InBatch("patch")];
    "keeps-the-expired-etag" breaks ["expired-id-is-free"] => Reborn(KeptPart::Etag),
        "over an expired item keeps its etag.", [InBatch("create")];
    "keeps-the-expired-etag" breaks ["expired-upsert-creates"] => Reborn(KeptPart::Etag),
        "over an expired item keeps its etag.", [InBatch("upsert")];
    "takes-a-clients-ts" breaks ["client-ts-has-no-effect"] => TakesTs,
        "stores the `_ts` that a client sends.", [InBatch("create")];
};
