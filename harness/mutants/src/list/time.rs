//! Mutants that misread the table of lifetimes or the clock, or restart the count wrongly.

use super::FOR_EVER;
use crate::mutation::{Access, Effect, Event, Leftover, Lifespan, TtlCell, Via, WriteKind};
use cosmos_ttl_harness::target::Status;

use TtlCell::{
    DefaultAbsent, DefaultNever, DefaultOwn, OffAbsent, OffNever, OffOwn, OnAbsent, OnNever, OnOwn,
};

const YEAR: i128 = 31_536_000;

mutants! {
    // The table of lifetimes.
    "off-honours-own-ttl" breaks ["off-never-expires"] => Cell(&[OffOwn], Lifespan::Own),
        "An item's `ttl` counts while the container is off; seen in an emulator.";
    "off-is-no-time" breaks ["off-never-expires", "container-absent-is-off"] => Cell(&[OffAbsent], Lifespan::Seconds(0)),
        "Where neither says anything, a life of nothing comes out of the sum of nothing.";
    "off-expires-minus-one" breaks ["off-never-expires"] => Cell(&[OffNever], Lifespan::Seconds(-1)),
        "While the container is off, `ttl` -1 is a number of seconds.";
    "off-is-a-year" breaks ["off-never-expires"] => Cell(&[OffAbsent, OffNever, OffOwn], Lifespan::Seconds(YEAR)),
        "A container that is off keeps its items for a year.";
    "off-ends-with-32-bits" breaks ["off-never-expires"] => Cell(&[OffAbsent, OffNever, OffOwn], Lifespan::Seconds(4_294_967_295)),
        "Off is 4294967295 seconds.";
    "nothing-expires" breaks ["item-seconds-override", "item-inherits-seconds", "gone-at-deadline", "expired-read-not-found"] =>
        Sees(Access::All, FOR_EVER),
        "Time to live is stored and shown, and nothing ever expires; two emulators do so.";
    "default-wins" breaks ["item-seconds-override"] => Cell(&[DefaultOwn], Lifespan::Default),
        "The container's default goes before an item's `ttl`.";
    "shorter-wins" breaks ["item-seconds-override"] => Cell(&[DefaultOwn], Lifespan::Shorter),
        "An item's `ttl` may only shorten the default.";
    "longer-wins" breaks ["item-seconds-override"] => Cell(&[DefaultOwn], Lifespan::Longer),
        "An item's `ttl` may only lengthen the default.";
    "both-add-up" breaks ["item-seconds-override"] => Cell(&[DefaultOwn], Lifespan::Sum),
        "An item's `ttl` is added to the default.";
    "own-ttl-needs-a-default" breaks ["item-seconds-override", "container-minus-one-is-on-without-default"] =>
        Cell(&[OnOwn], Lifespan::Never),
        "Under -1 nothing expires, whatever items say.";
    "minus-one-inherits" breaks ["item-minus-one-overrides"] => Cell(&[DefaultNever], Lifespan::Default),
        "`ttl` -1 on an item means that it has none.";
    "minus-one-is-at-once" breaks ["item-minus-one-overrides"] => Cell(&[DefaultNever, OnNever], Lifespan::Seconds(-1)),
        "`ttl` -1 is a number of seconds, and the item is gone at once.";
    "minus-one-ends-with-32-bits" breaks ["item-minus-one-overrides"] =>
        Cell(&[DefaultNever, OnNever], Lifespan::Seconds(4_294_967_295)),
        "`ttl` -1 is 4294967295 seconds.";
    "minus-one-is-the-maximum" breaks ["item-minus-one-overrides"] =>
        Cell(&[DefaultNever, OnNever], Lifespan::Seconds(2_147_483_647)),
        "`ttl` -1 is the greatest number of seconds.";
    "minus-one-under-minus-one-ends" breaks ["item-minus-one-overrides"] => Cell(&[OnNever], Lifespan::Seconds(1)),
        "-1 on both cancels out, and the item is over after a second.";
    "absent-is-never" breaks ["item-inherits-seconds", "item-absent-inherits"] => Cell(&[DefaultAbsent], Lifespan::Never),
        "An item without `ttl` never expires; only those with one do.";
    "absent-under-minus-one-is-at-once" breaks ["item-inherits-no-default", "item-absent-inherits"] =>
        Cell(&[OnAbsent], Lifespan::Seconds(-1)),
        "An item without `ttl` inherits -1 as a number of seconds.";
    "absent-under-minus-one-ends-with-32-bits" breaks ["item-inherits-no-default"] =>
        Cell(&[OnAbsent], Lifespan::Seconds(4_294_967_295)),
        "`defaultTtl` -1 is 4294967295 seconds.";
    "milliseconds" breaks ["item-inherits-seconds", "item-seconds-override", "item-null-inherits"] => Unit(1),
        "Numbers count milliseconds.";
    "minutes" breaks ["item-inherits-seconds", "item-seconds-override"] => Unit(60_000),
        "Numbers count minutes.";
    "absolute-epoch" breaks ["item-seconds-override", "counted-from-last-write"] => Absolute,
        "`ttl` is the second of the epoch at which the item ends, as elsewhere; seen in a port.";
    "default-is-written-back" breaks ["inherited-ttl-not-written-back"] => WritesDefaultBack,
        "The default is written into every item that has no `ttl`.";
    "minus-one-is-written-back" breaks ["inherited-ttl-not-written-back"] => WritesMinusOneBack,
        "-1 is written into every item that has no `ttl`.";
    "default-is-shown" breaks ["inherited-ttl-not-written-back"] => ShowsDefault,
        "An item without `ttl` is shown with the default.";
    "remaining-ttl-is-shown" breaks ["inherited-ttl-not-written-back"] => ShowsRemaining,
        "`ttl` is shown as what is left of it.";
    "ttl-is-not-shown" breaks ["inherited-ttl-not-written-back", "item-minus-one-allowed", "item-seconds-range"] => ShowsNoTtl,
        "`ttl` is taken for a system's property and left out of answers.";
    "ttl-is-dropped-while-off" breaks ["inherited-ttl-not-written-back", "dormant-ttl-wakes"] => DropsTtlWhileOff,
        "While the container is off a written `ttl` is thrown away.";
    "parts-expire" breaks ["whole-item-expires"] => HidesOldParts,
        "A part of an item with a `ttl` of its own expires by itself.";
    "expired-items-are-emptied" breaks ["whole-item-expires", "expired-read-not-found"] => ShowsExpiredEmpty,
        "An expired item stays, without its content.";

    // The clock.
    "counts-from-creation" breaks ["counted-from-last-write", "write-restarts-count"] => CountsFromCreation,
        "The count never restarts: an item lives from its creation.";
    "counts-from-the-container" breaks ["counted-from-last-write"] => CountsFromContainer,
        "All items count from the creation of the container.";
    "counts-from-full-minutes" breaks ["counted-from-last-write", "gone-at-deadline"] => CountsFromFullMinute,
        "Writes are dated to the next full minute.";
    "deleted-ts-returns" breaks ["counted-from-last-write"] => TsOfDeletedReturns,
        "An item created again after a delete counts from the old one's last write.";
    "one-second-late" breaks ["gone-at-deadline", "hidden-immediately"] => Sees(Access::All, 1),
        "An item is still there in the second of its deadline: > in place of >=; seen in a fake.";
    "one-second-early" breaks ["visible-before-deadline"] => Sees(Access::All, -1),
        "The last second before the deadline is lost.";
    "reads-are-a-second-late" breaks ["gone-at-deadline", "expired-read-not-found"] => Sees(Access::Read, 1),
        "Only point reads compare with >.";
    "queries-are-a-second-late" breaks ["gone-at-deadline", "expired-not-in-queries"] => Sees(Access::Query, 1),
        "Only queries compare with >.";
    "lists-are-a-second-late" breaks ["expired-not-in-queries"] => Sees(Access::List, 1),
        "Only listings compare with >.";
    "queries-are-a-second-early" breaks ["visible-before-deadline"] => Sees(Access::Query, -1),
        "Only queries lose the last second.";
    "reads-are-a-second-early" breaks ["visible-before-deadline"] => Sees(Access::Read, -1),
        "Only point reads lose the last second.";
    "fractions-of-seconds-count" breaks ["gone-at-deadline"] => CountsFractions,
        "The instant of the write counts, not its whole second; seen in a fake.";
    "looks-every-five-seconds" breaks ["hidden-immediately", "gone-at-deadline"] => LooksEvery(5),
        "Items are gone when the sweep comes, every 5 seconds; seen in an emulator.";
    "looks-every-five-minutes" breaks ["hidden-immediately", "gone-at-deadline"] => LooksEvery(300),
        "Items are gone when the sweep comes, every 5 minutes; seen in an emulator.";
    "hides-an-hour-late" breaks ["hidden-immediately"] => Sees(Access::All, 3_600),
        "Expired items are seen until an hour later, when they are surely removed.";
    "deadlines-wrap" breaks ["deadline-does-not-overflow"] => DeadlineWraps,
        "Deadlines are signed numbers of 32 bits; seen in a fake.";
    "deadlines-wrap-unsigned" breaks ["deadline-does-not-overflow"] => DeadlineWrapsUnsigned,
        "Deadlines are unsigned numbers of 32 bits.";
    "deadlines-end-in-2038" breaks ["deadline-does-not-overflow"] => DeadlineSaturates,
        "A deadline is at most 2147483647, the last second that 32 bits hold.";
    "clock-wraps" breaks ["deadline-does-not-overflow", "gone-at-deadline"] => ClockWraps,
        "The clock is a signed number of 32 bits, and what is long expired comes back.";
    "client-sets-ts" breaks ["server-sets-ts", "ts-never-decreases"] => TakesTs(Via::Any),
        "The `_ts` that a client sends is stored.";
    "client-sets-ts-by-create" breaks ["server-sets-ts"] => TakesTs(Via::Create),
        "The `_ts` that a client sends with a create is stored.";
    "client-sets-ts-by-replace" breaks ["server-sets-ts", "ts-never-decreases"] => TakesTs(Via::Replace),
        "The `_ts` that a client sends back with a replace is stored.";
    "client-sets-ts-by-upsert" breaks ["server-sets-ts", "ts-never-decreases"] => TakesTs(Via::Upsert),
        "The `_ts` that a client sends back with an upsert is stored.";
    "client-sets-ts-by-patch" breaks ["server-sets-ts"] => TakesTs(Via::Patch),
        "The `_ts` that a client sends with a patch is stored.";
    "patch-of-ts-conflicts" breaks ["patch-of-ts"] => PatchOfTsConflicts,
        "A patch of `_ts` answers that there is a conflict.";
    "ts-is-that-of-creation" breaks ["ts-never-decreases", "write-restarts-count"] => ShowsTsOfCreation,
        "`_ts` shows when the item was created, whenever it was written.";
    "ts-is-in-minutes" breaks ["counted-from-last-write", "ts-never-decreases"] => ShowsTsInMinutes,
        "`_ts` counts minutes.";
    "ts-is-now" breaks ["ts-never-decreases", "settings-do-not-touch-ts"] => ShowsTsOfNow,
        "`_ts` shows the second of the answer.";

    // What restarts the count.
    // What should restart.
    "replace-does-not-restart" breaks ["write-restarts-count", "counted-from-last-write"] => NoRestart(WriteKind::Replace),
        "A replace keeps the old `_ts`.";
    "conditional-replace-does-not-restart" breaks ["write-restarts-count"] => NoRestart(WriteKind::ConditionalReplace),
        "A replace with a condition keeps the old `_ts`.";
    "upsert-does-not-restart" breaks ["write-restarts-count"] => NoRestart(WriteKind::Upsert),
        "An upsert of an item that is there keeps the old `_ts`.";
    "own-ttl-does-not-restart" breaks ["write-restarts-count"] => NoRestart(WriteKind::WithOwnTtl),
        "A `ttl` of its own is a fixed term: only items that inherit start again.";
    "batch-does-not-restart" breaks ["write-restarts-count", "batch-shares-one-ts"] => NoRestart(WriteKind::InBatch),
        "Writes in a batch keep the old `_ts`.";
    "patch-does-not-restart" breaks ["patch-restarts-count"] => NoRestart(WriteKind::Patch),
        "A patch keeps the old `_ts`.";
    "patch-of-others-does-not-restart" breaks ["patch-restarts-count"] => NoRestart(WriteKind::PatchOfOthers),
        "Only a patch of `ttl` restarts the count.";
    "patch-of-ttl-does-not-restart" breaks ["patch-restarts-count"] => NoRestart(WriteKind::PatchOfTtl),
        "A patch of `ttl` changes the life, but not its start.";
    "identical-replace-does-not-restart" breaks ["identical-write-restarts-count"] => NoRestart(WriteKind::IdenticalReplace),
        "A replace that changes nothing is skipped.";
    "identical-upsert-does-not-restart" breaks ["identical-write-restarts-count"] => NoRestart(WriteKind::IdenticalUpsert),
        "An upsert that changes nothing is skipped.";
    "identical-patch-does-not-restart" breaks ["patch-restarts-count", "identical-write-restarts-count"] =>
        NoRestart(WriteKind::IdenticalPatch),
        "A patch that changes nothing is skipped.";
    "batch-spreads-its-ts" breaks ["batch-shares-one-ts"] => BatchSpreads,
        "Each write of a batch has a second of its own.";

    // What should not.
    "reads-restart" breaks ["read-does-not-restart"] => Restarts(Access::Read),
        "A point read restarts the count, as in a cache.";
    "reads-in-a-batch-restart" breaks ["read-does-not-restart"] => Restarts(Access::ReadInBatch),
        "A read in a batch counts as one of its writes.";
    "queries-restart" breaks ["read-does-not-restart"] => Restarts(Access::Query),
        "A query restarts the count of what it returns.";
    "lists-restart" breaks ["read-does-not-restart"] => Restarts(Access::List),
        "A listing restarts the count of what it returns.";
    "counts-restart" breaks ["read-does-not-restart"] => Restarts(Access::Count),
        "A count restarts the count of what it counts.";
    "conflict-restarts" breaks ["failed-write-does-not-restart"] => Leaves(Status::Conflict, Leftover::Restart),
        "A create that meets a living item restarts that one's count.";
    "conflict-overwrites" breaks ["failed-write-does-not-restart"] => Leaves(Status::Conflict, Leftover::Content),
        "A create that meets a living item says so, and overwrites it.";
    "conflict-deletes" breaks ["failed-write-does-not-restart"] => Leaves(Status::Conflict, Leftover::Nothing),
        "A create that meets a living item costs it.";
    "failed-condition-restarts" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Leftover::Restart),
        "A write whose condition fails restarts the count.";
    "failed-condition-writes" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Leftover::Content),
        "A replace whose condition fails says so after it has written.";
    "failed-condition-patches" breaks ["failed-write-does-not-restart"] =>
        Leaves(Status::PreconditionFailed, Leftover::RestOfPatch),
        "A patch whose condition fails says so after it has set its properties.";
    "failed-condition-deletes" breaks ["failed-write-does-not-restart"] => Leaves(Status::PreconditionFailed, Leftover::Nothing),
        "A write whose condition fails costs the item.";
    "conditions-are-ignored" breaks ["failed-write-does-not-restart"] => NoConditions,
        "`if-match` is ignored.";
    "aborted-batches-stay" breaks ["failed-write-does-not-restart"] => AbortKeepsAll,
        "What a batch did before it was aborted stays done.";
    "aborted-batches-keep-patches" breaks ["failed-write-does-not-restart"] => AbortKeepsPatches,
        "Patches are done in place and not taken back.";
    "aborted-batches-keep-deletes" breaks ["failed-write-does-not-restart"] => AbortKeepsDeletes,
        "Deletes are done at once and not taken back.";
    "aborted-batches-keep-creates" breaks ["item-rejected-stores-nothing", "no-write-revives"] => AbortKeepsCreates,
        "New items of an aborted batch stay.";
    "aborted-batches-keep-ts" breaks ["failed-write-does-not-restart"] => AbortKeepsTs,
        "An aborted batch takes back the content that it wrote, but not the `_ts`.";
    "writes-restart-others" breaks ["counted-from-last-write"] => After(Event::Replace, Effect::RestartsAll),
        "A replace of one item restarts the count of all.";
    "creates-restart-others" breaks ["counted-from-last-write"] => After(Event::Creation, Effect::RestartsAll),
        "A new item restarts the count of all.";
    "deletes-restart-others" breaks ["counted-from-last-write"] => After(Event::Delete, Effect::RestartsAll),
        "A delete of one item restarts the count of all others.";

    // A changed `ttl`.
    "new-ttl-counts-from-the-old-ts" breaks ["changed-ttl-counts-from-that-write"] => NewTtlCountsFromOldTs,
        "A new `ttl` moves the deadline, but counts from where the old one did.";
    "new-ttl-is-ignored" breaks ["changed-ttl-counts-from-that-write"] => NewTtlIsIgnored,
        "The `ttl` of the creation is for good.";
    "new-ttl-is-added" breaks ["changed-ttl-counts-from-that-write", "write-restarts-count"] => NewTtlIsAdded,
        "A write adds its `ttl` to what was left.";
    "new-ttl-only-shortens" breaks ["changed-ttl-counts-from-that-write"] => NewTtlOnlyShortens,
        "A longer `ttl` is ignored.";
    "new-ttl-only-lengthens" breaks ["changed-ttl-counts-from-that-write"] => NewTtlOnlyLengthens,
        "A shorter `ttl` is ignored.";
    "replace-keeps-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl(Via::Replace),
        "A replace without `ttl` keeps the old one.";
    "upsert-keeps-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl(Via::Upsert),
        "An upsert without `ttl` keeps the old one, as a merge would.";
    "patch-cannot-remove-the-ttl" breaks ["removed-ttl-inherits"] => KeepsTtl(Via::Patch),
        "A patch that removes `ttl` says ok and removes nothing.";
    "removed-ttl-is-never" breaks ["removed-ttl-inherits"] => RemovedTtlIsNever,
        "An item that loses its `ttl` is kept forever.";
}
