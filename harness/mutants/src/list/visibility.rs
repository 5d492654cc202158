//! Mutants that show, keep or remove what they should not, or take changes of settings wrongly.

use super::FOR_EVER;
use crate::mutation::{Access, Effect, Event, KeptPart, Leftover, Taken, Via};
use cosmos_ttl_harness::target::Status;

use Effect::{CutsContent, CutsTtl, LosesItems, RenewsEtags, RestartsAll};
use Event::{NewSettings, Removal, SwitchingOff, SwitchingOn};

mutants! {
    // Expired items.
    "reads-show-expired" breaks ["expired-read-not-found", "hidden-immediately"] => Sees(Access::Read, FOR_EVER),
        "Only queries filter: a point read finds an expired item until it is removed.";
    "reads-in-a-batch-show-expired" breaks ["expired-read-not-found"] => Sees(Access::ReadInBatch, FOR_EVER),
        "A read in a batch finds an expired item until it is removed.";
    "reads-answer-gone" breaks ["expired-read-not-found"] => Answers(Access::Read, Status::Other(410)),
        "A point read of an expired item answers that it is gone, not that it was never there.";
    "queries-show-expired" breaks ["expired-not-in-queries", "hidden-immediately"] => Sees(Access::Query, FOR_EVER),
        "A point read honours time to live, but a query does not; seen in a fake.";
    "lists-show-expired" breaks ["expired-not-in-queries"] => Sees(Access::List, FOR_EVER),
        "A listing shows an expired item until it is removed.";
    "counts-overwritten" breaks ["expired-id-is-free"] => CountsOverwritten,
        "COUNT counts the expired, even those whose id was taken again.";
    "counts-subtract-twice" breaks ["expired-in-aggregates"] => SubtractsExpiredTwice,
        "COUNT takes off the expired from a number that was without them.";
    "counts-subtract-refused-deletes" breaks ["expired-in-aggregates"] => SubtractsRefusedDeletes,
        "A delete that is refused because its item is expired lowers the number that COUNT answers.";
    "counts-a-second-early" breaks ["expired-in-aggregates"] => Sees(Access::Count, -1),
        "COUNT leaves an item out in its last second.";
    "replace-revives" breaks ["expired-replace-not-found", "no-write-revives"] => Sees(Access::Replace, FOR_EVER),
        "A replace renews an expired item that is not yet removed; seen in a fake.";
    "replace-is-a-second-late" breaks ["expired-replace-not-found"] => Sees(Access::Replace, 1),
        "A replace renews an item in the second of its deadline.";
    "replace-says-ok" breaks ["expired-replace-not-found"] => Answers(Access::Replace, Status::Ok),
        "A replace of an expired item says ok and does nothing.";
    "replace-of-expired-conflicts" breaks ["expired-replace-not-found"] => Answers(Access::Replace, Status::Conflict),
        "A replace of an expired item is a conflict.";
    "patch-revives" breaks ["expired-patch-not-found", "no-write-revives"] => Sees(Access::Patch, FOR_EVER),
        "A patch renews an expired item that is not yet removed.";
    "patch-is-a-second-late" breaks ["expired-patch-not-found"] => Sees(Access::Patch, 1),
        "A patch renews an item in the second of its deadline.";
    "patch-says-ok" breaks ["expired-patch-not-found"] => Answers(Access::Patch, Status::Ok),
        "A patch of an expired item says ok and does nothing.";
    "delete-finds-expired" breaks ["expired-delete-not-found"] => Sees(Access::Delete, FOR_EVER),
        "A delete finds an expired item until it is removed.";
    "delete-is-a-second-late" breaks ["expired-delete-not-found"] => Sees(Access::Delete, 1),
        "A delete finds an item in the second of its deadline.";
    "delete-says-done" breaks ["expired-delete-not-found"] => Answers(Access::Delete, Status::NoContent),
        "A delete of an expired item says that it is done.";
    "conditional-writes-revive" breaks ["expired-precondition", "no-write-revives"] => Sees(Access::Conditional, FOR_EVER),
        "Who has the etag of an expired item may still write it.";
    "conditional-writes-conflict" breaks ["expired-precondition"] => Answers(Access::Conditional, Status::Conflict),
        "A conditional write of an expired item is a conflict.";
    "batches-revive" breaks ["no-write-revives", "expired-replace-not-found", "expired-patch-not-found"] =>
        Sees(Access::InBatch, FOR_EVER),
        "Writes in a batch find expired items until they are removed.";
    "failing-writes-revive" breaks ["no-write-revives"] => Leaves(Status::NotFound, Leftover::Restart),
        "A write of an expired item answers not found and sets its `_ts`, and there it is again.";
    "failing-patches-patch" breaks ["expired-patch-not-found", "reappearance"] => Leaves(Status::NotFound, Leftover::RestOfPatch),
        "A patch of an expired item answers not found, and what it set is there if the item is back.";
    "failing-replaces-create" breaks ["no-write-revives", "expired-replace-not-found"] =>
        Leaves(Status::NotFound, Leftover::Content),
        "A replace of an expired item answers not found and stores the item.";
    "expired-id-is-taken" breaks ["expired-id-is-free"] => Sees(Access::Create, FOR_EVER),
        "An expired item blocks a create with its id until it is removed; seen in a fake.";
    "expired-id-is-taken-for-a-second" breaks ["expired-id-is-free"] => Sees(Access::Create, 1),
        "An id is free from the second after the deadline on.";
    "create-says-ok" breaks ["expired-id-is-free"] => Answers(Access::Create, Status::Ok),
        "A create over an expired item says ok and does nothing.";
    "create-keeps-the-ttl" breaks ["expired-id-is-free"] => Reborn(Via::Create, KeptPart::Ttl),
        "An item created over an expired one has its `ttl`.";
    "create-keeps-the-content" breaks ["expired-id-is-free"] => Reborn(Via::Create, KeptPart::Content),
        "An item created over an expired one has its properties, new ones aside.";
    "create-keeps-the-ts" breaks ["expired-id-is-free", "purge-spares-recreated"] => Reborn(Via::Create, KeptPart::Ts),
        "An item created over an expired one has its `_ts`, and is expired at once.";
    "create-keeps-the-etag" breaks ["expired-id-is-free"] => Reborn(Via::Create, KeptPart::Etag),
        "An item created over an expired one has its etag: the old one is demanded; seen in a fake.";
    "upsert-keeps-the-old-ttl" breaks ["expired-upsert-creates"] => Reborn(Via::Upsert, KeptPart::Ttl),
        "An upsert over an expired item takes over its `ttl`.";
    "upsert-keeps-the-content" breaks ["expired-upsert-creates"] => Reborn(Via::Upsert, KeptPart::Content),
        "An upsert over an expired item counts as an update and merges; seen in a fake.";
    "upsert-keeps-the-ts" breaks ["expired-upsert-creates", "purge-spares-recreated"] => Reborn(Via::Upsert, KeptPart::Ts),
        "An upsert over an expired item keeps its `_ts`, and the item stays gone.";
    "upsert-keeps-the-etag" breaks ["expired-upsert-creates"] => Reborn(Via::Upsert, KeptPart::Etag),
        "An upsert over an expired item keeps its etag.";
    "upsert-misses-expired" breaks ["expired-upsert-creates", "expired-upsert-status"] => Answers(Access::Upsert, Status::NotFound),
        "An upsert over an expired item answers not found.";
    "upsert-conflicts-with-expired" breaks ["expired-upsert-creates", "expired-upsert-status"] =>
        Answers(Access::Upsert, Status::Conflict),
        "An upsert over an expired item is a conflict.";
    "upsert-says-no-content" breaks ["expired-upsert-creates", "expired-upsert-status"] =>
        Answers(Access::Upsert, Status::NoContent),
        "An upsert over an expired item has nothing to say, and does nothing.";

    // Background removal.
    "removal-takes-the-youngest" breaks ["purge-only-expired"] => SweepTakesYoungest,
        "Removal takes one item too many.";
    "removal-is-early" breaks ["purge-only-expired", "visible-before-deadline"] => SweepIsEarly,
        "Removal comes a second before the deadline.";
    "removal-knows-only-the-default" breaks ["purge-only-expired", "item-minus-one-overrides"] => SweepGoesByDefault,
        "Removal goes by the default, whatever items say.";
    "removal-keeps-to-the-first-deadline" breaks ["purge-only-expired"] => SweepGoesByFirstDeadline,
        "Removal is planned when an item is created, and never again.";
    "removal-takes-minus-one" breaks ["purge-only-expired", "item-minus-one-overrides"] => SweepIgnoresMinusOne,
        "Removal takes `ttl` -1 for none.";
    "removal-works-from-a-list" breaks ["purge-spares-recreated", "purge-only-expired"] => SweepTakesPicked,
        "Removal notes ids, and takes whatever has them the next time.";
    "removal-trusts-the-etag" breaks ["purge-only-expired", "reappearance"] => SweepTakesPickedIfUnwritten,
        "Removal notes ids and etags, and does not ask again whether the item is expired under new settings.";
    "removal-works-while-off" breaks ["purge-only-expired", "leaving-default-out-switches-off"] => SweepsWhileOff,
        "Removal goes on by the last settings while the container is off.";
    "removed-ids-stay-taken" breaks ["purge-invisible", "expired-id-is-free"] => SweepLeavesIdTaken,
        "The id of a removed item is never free again.";
    "removed-items-answer-gone" breaks ["purge-invisible", "expired-read-not-found"] => SweptAnswersGone,
        "A point read answers something else once the item is removed.";
    "removal-touches-survivors" breaks ["purge-only-expired", "counted-from-last-write"] => After(Removal, RestartsAll),
        "Removal rewrites the items that stay, with a new `_ts`.";
    "removal-renews-etags" breaks ["purge-only-expired"] => After(Removal, RenewsEtags),
        "Removal rewrites the items that stay, with a new etag.";
    "removal-cuts-content" breaks ["reappearance"] => SweepCutsContent,
        "Removal takes the content and leaves a husk, which settings can make visible again.";

    // The container's settings.
    "settings-at-write-decide" breaks ["current-settings-decide", "raising-extends", "switching-on-hides-old-items"] =>
        DefaultAtWrite,
        "The deadline is frozen when an item is written; seen in a fake.";
    "lowering-spares-the-old" breaks ["current-settings-decide", "switching-on-hides-old-items"] => DefaultAtWriteIfLonger,
        "A smaller default is for new items.";
    "raising-spares-the-old" breaks ["raising-extends"] => DefaultAtWriteIfShorter,
        "A larger default is for new items.";
    "switching-on-spares-the-old" breaks ["switching-on-hides-old-items", "dormant-ttl-wakes", "current-settings-decide"] =>
        DefaultAtWriteIfOff,
        "What was written while the container was off never expires.";
    "settings-count-a-second-later" breaks ["switching-on-hides-old-items", "current-settings-decide"] => DefaultASecondLate,
        "The old settings are cached until the second is over.";
    "first-settings-are-for-good" breaks ["current-settings-decide", "leaving-default-out-switches-off"] => FirstDefault,
        "The settings are cached when the container is first used, and never read again.";
    "minus-one-keeps-the-default" breaks ["current-settings-decide", "container-minus-one-is-on-without-default"] =>
        MinusOneKeepsDefault,
        "-1 says on, and leaves the default that there is.";
    "leaving-out-keeps-the-default" breaks ["leaving-default-out-switches-off"] => AbsentDefault(Taken::Before),
        "A replace without `defaultTtl` keeps the old one; seen in an emulator.";
    "dormant-ttl-is-forgotten" breaks ["dormant-ttl-wakes"] => DormantTtlIsForgotten,
        "An item's `ttl` that was asleep inherits when the container is on again.";
    "dormant-ttl-counts-from-waking" breaks ["dormant-ttl-wakes", "switching-on-hides-old-items"] => CountsFromWaking,
        "An item's `ttl` that was asleep counts from when the container was switched on.";
    "switching-on-starts-anew" breaks ["switching-on-hides-old-items", "current-settings-decide"] => CountsFromSwitchingOn,
        "Items that are older than the switching on count from then.";
    "settings-start-anew" breaks ["current-settings-decide", "settings-do-not-touch-ts"] => CountsFromLastSettings,
        "Every change of settings restarts every count.";
    "settings-touch-ts" breaks ["settings-do-not-touch-ts"] => After(NewSettings, RestartsAll),
        "A change of settings writes every item, with a new `_ts`.";
    "switching-on-touches-ts" breaks ["settings-do-not-touch-ts", "switching-on-hides-old-items"] =>
        After(SwitchingOn, RestartsAll),
        "Switching on writes every item, with a new `_ts`.";
    "settings-renew-etags" breaks ["settings-do-not-touch-ts"] => After(NewSettings, RenewsEtags),
        "A change of settings gives every item a new etag.";
    "settings-cut-content" breaks ["settings-do-not-touch-ts"] => After(NewSettings, CutsContent),
        "A change of settings leaves nothing of an item but its `ttl`.";
    "settings-cut-the-ttl" breaks ["settings-do-not-touch-ts", "dormant-ttl-wakes"] => After(NewSettings, CutsTtl),
        "A change of settings takes away every item's `ttl`.";
    "settings-lose-items" breaks ["settings-do-not-touch-ts"] => After(NewSettings, LosesItems),
        "Replacing a container empties it; seen in an emulator.";
    "switching-off-loses-items" breaks ["leaving-default-out-switches-off"] => After(SwitchingOff, LosesItems),
        "Switching off empties the container.";
    "deleted-items-return" breaks ["removed-never-returns"] => DeletedReturn,
        "What was deleted is only hidden, and is back when the container is off.";
    "overwritten-items-return" breaks ["removed-never-returns"] => OverwrittenReturn,
        "An expired item is kept under the one created over it, and is back once that one is deleted.";
    "removed-items-return" breaks ["removed-never-returns", "reappearance"] => RemovedReturn,
        "A removed item is missing under settings that would show it, and is back after the next change.";
    "items-return-renewed" breaks ["reappearance"] => ReturnRenewed,
        "An item that is back has a new `_ts`.";
    "items-return-empty" breaks ["reappearance"] => ReturnEmpty,
        "An item that is back has lost its content.";
    "items-return-to-queries-only" breaks ["reappearance"] => ReturnForQueriesOnly,
        "An item that is back is found by queries, but not by its id.";
    "items-return-for-one-look" breaks ["reappearance", "removed-never-returns"] => ReturnForOneLook,
        "An item that is back is gone after the next request.";

    // The index.
    "no-index-is-fine" breaks ["ttl-needs-an-index"] => NoIndexIsFine,
        "Time to live does not ask for an index.";
    "no-index-is-fine-at-creation" breaks ["ttl-needs-an-index"] => NoIndexIsFineAtCreation,
        "A container may be created without an index and with a default.";
    "no-index-is-fine-later" breaks ["ttl-needs-an-index"] => NoIndexIsFineLater,
        "A container may lose its index, or get a default without one.";
    "no-index-is-fine-with-minus-one" breaks ["ttl-needs-an-index"] => NoIndexIsFineWithMinusOne,
        "Without an index -1 is allowed, as there is nothing to look for.";
    "no-index-is-refused" breaks ["ttl-needs-an-index"] => NoIndexIsRefused,
        "A container must have an index, with time to live or without.";
    "no-index-switches-off" breaks ["ttl-needs-an-index"] => NoIndexSwitchesOff,
        "Without an index a default is taken and ignored.";
    "no-index-keeps-the-default" breaks ["ttl-needs-an-index", "leaving-default-out-switches-off"] => NoIndexKeepsDefault,
        "Who gives up the index together with the default keeps the default.";
    "no-index-is-for-good" breaks ["ttl-needs-an-index", "indexed-modes-allow-ttl"] => NoIndexIsForGood,
        "A container that had no index can never have a default.";
    "lazy-is-taken-for-none" breaks ["indexed-modes-allow-ttl"] => LazyIsRefused,
        "A lazy index is taken for none, so it is refused together with a default.";
    "lazy-never-expires" breaks ["indexed-modes-allow-ttl"] => LazyNeverExpires,
        "Under a lazy index nothing expires.";
    "consistent-index-lags" breaks ["indexed-modes-allow-ttl", "lazy-index-may-lag"] => ConsistentIndexLags,
        "Queries find nothing after time to live was switched on, also under a consistent index.";
}
