//! Stores that break no clause of level must; each but the first takes one freedom.

use super::HiveCorrect;
use super::liberty::HiveLiberty;

macro_rules! hive_correct {
    ($($name:literal $liberty:ident $says:literal;)*) => {
        pub(super) const CORRECT_STORES: &[HiveCorrect] = &[
            HiveCorrect { name: "sixteenth-correct-usual", says: "It takes no freedom.", liberty: None },
            $(HiveCorrect {
                name: concat!("sixteenth-correct-", $name),
                says: $says,
                liberty: Some(HiveLiberty::$liberty),
            },)*
        ];
    };
}

hive_correct! {
    "only-2024" Only2024 "It knows the edition of 2024 alone.";
    "only-2020" Only2020 "It knows the edition of 2020 alone.";
    "own-sweeps" SweepsByItself "Its sweeper runs before every second request, and nobody can tell it to.";
    "own-sweep-of-one" SweepsOneByItself "Its sweeper removes at most one item before each request, the last one first.";
    "sweep-of-one" SweepsOne "A visit of the sweeper removes at most one item of each partition.";
    "sweeps-inheriting-first" SweepsInheritingFirst "The sweeper removes items with a `ttl` of their own only where no other is expired.";
    "never-alone" NeverAlone "It offers no schedule but never, and removes when it is told to.";
    "eager-alone" EagerAlone "It offers no schedule but eager.";
    "purge-does-nothing" PurgeDoesNothing "It has no request units left over, so that it never removes an item.";
    "settings-sweep" SettingsSweep "The sweeper runs right after each change of the settings, under the new ones.";
    "null-default-refused" NullRefused "A null as `defaultTtl` is refused.";
    "fraction-refused" FractionRefused "A `ttl` that is written with a fraction or an exponent is refused.";
    "default-fraction-refused" DefaultFractionRefused "A `defaultTtl` that is written with a fraction or an exponent is refused.";
    "strings-are-numbers" StringsAreNumbers "A `ttl` that is a string of digits counts as their number.";
    "others-inherit" OthersInherit "A `ttl` that is no whole number is stored, and the item inherits the default.";
    "others-never-expire" OthersNeverExpire "A `ttl` that is no whole number is stored, and the item never expires.";
    "default-strings-are-numbers" DefaultStringsAreNumbers "A `defaultTtl` that is a string of digits counts as their number.";
    "other-defaults-are-off" OtherDefaultsAreOff "A `defaultTtl` that is no whole number switches time to live off.";
    "invalid-while-off-inherits" InvalidWhileOffInherits "While the container is off it stores every `ttl`; one that is not allowed inherits later.";
    "invalid-while-off-never" InvalidWhileOffNever "While the container is off it stores every `ttl`; with one that is not allowed an item never expires.";
    "fractions-truncated" FractionsTruncated "A `ttl` that is a fraction counts as its whole part, and is refused if that is 0.";
    "default-fractions-truncated" DefaultFractionsTruncated "A `defaultTtl` that is a fraction counts as its whole part, and is refused if that is 0.";
    "item-before-value-in-batches" ItemBeforeValueInBatches "In a batch it looks for the item before it looks at the value, and elsewhere after.";
    "counts-stored-every-second-time" CountsStoredEverySecondTime "Every second count of a partition counts expired items that are not yet removed.";
    "upsert-replaces-expired-in-batches" UpsertOverExpiredReplacesInBatches "In a batch an upsert over an expired item answers that it replaced it, and elsewhere that it created one.";
    "expired-delete-fails-precondition" ExpiredDeleteFailsPrecondition "A conditional delete of an expired item fails its precondition, where a replace or a patch is not found.";
    "removes-what-it-meets" RemovesWhatItMeets "A request about an expired item removes it first.";
    "patch-of-ts-refused-in-batches" PatchOfTsRefusedInBatches "A patch that sets `_ts` is refused in a batch, and ignores it elsewhere.";
    "item-before-value" ItemBeforeValue "It looks for the item, and at its etag, before it looks at the value.";
    "batch-values-first" BatchValuesFirst "A batch is refused for its first value that is not allowed before any item is looked for.";
    "batch-blames-last-value" BatchBlamesLastValue "A batch is refused for its last value that is not allowed before any item is looked for.";
    "expired-is-gone" ExpiredIsGone "An item that is expired when the settings change is gone for good.";
    "off-removes-expired" OffRemovesExpired "An item that is expired when the container is switched off is removed just before; a larger default shows it again.";
    "raising-removes-expired" RaisingRemovesExpired "An item that is expired when the default is raised is removed just before; switching off shows it again.";
    "inheriting-is-gone" InheritingIsGone "Of the items that are expired when the settings change, those that inherit are gone, and the others may return.";
    "counts-stored" CountsStored "A count counts expired items that are not yet removed.";
    "upsert-replaces-expired" UpsertOverExpiredReplaces "An upsert over an expired item answers that it replaced it, as long as it is not removed.";
    "expired-fails-precondition" MissingFailsPrecondition "A conditional write to an expired item fails its precondition, as long as the item is not removed.";
    "patch-of-ts-refused" PatchOfTsRefused "A patch that sets `_ts` is refused.";
    "patch-of-others-keeps-ts" PatchOfOthersKeepsTs "A patch that leaves `ttl` as it is keeps `_ts`, and the count goes on.";
    "same-patch-keeps-ts" SamePatchKeepsTs "A patch that changes nothing keeps `_ts`, and the count goes on.";
    "void-removal-refused" VoidRemovalRefused "A patch that takes away a property that is not there is refused.";
    "empty-patch-refused" EmptyPatchRefused "A patch without any change is refused.";
    "long-patch-refused" LongPatchRefused "A patch of more than ten changes is refused.";
    "long-batch-refused" LongBatchRefused "A batch of more than a hundred operations is refused.";
    "lazy-refused" LazyRefused "Its account offers no lazy indexing: a container that asks for it is refused as a bad request.";
    "lazy-unsupported" LazyUnsupported "It does not support lazy indexing.";
    "lazy-queries-lag" LazyQueriesLag "Under lazy indexing, the first query or page of a query after a change of the default finds nothing.";
    "lazy-counts-lag" LazyCountsLag "Under lazy indexing, the first count after a change of the default is 0.";
    "one-partition" OnePartition "It has one partition only.";
    "no-pages" NoPages "It does not answer page by page.";
    "no-batches" NoBatches "It has no batches.";
    "descending" Descending "Queries and lists answer in the order of ids from the last to the first.";
    "small-pages" SmallPages "A page never holds more than one item.";
    "empty-first-page" EmptyFirstPage "The first page is always empty, and the items are on those that follow.";
    "trailing-empty-page" TrailingEmptyPage "After the last page with items comes an empty one.";
    "offset-pages" OffsetPages "A page continues after as many items as were shown, so that one is missed if one before it expires.";
    "clock-from-zero" ClockFromZero "Its clock starts with the epoch.";
    "clock-near-31-bits" ClockNear31Bits "Its clock passes the last second of 31 bits a few seconds after the start.";
    "clock-near-32-bits" ClockNear32Bits "Its clock passes the last second of 32 bits a few seconds after the start.";
    "clock-in-5138" ClockIn5138 "Its clock starts in the year 5138, with one digit more than now.";
    "no-ts" NoTs "No answer shows `_ts`.";
    "no-etags" NoEtags "No answer shows an etag.";
    "writes-show-nothing" WritesShowNothing "The answer to a write shows no item.";
    "etag-of-content-and-ts" EtagOfContentAndTs "An etag is made of the content and `_ts`, so that the same write within one second keeps it.";
    "quoted-etags" QuotedEtags "Etags are weak, with quotes, spaces and the id in them.";
    "normal-numbers" NormalNumbers "It answers 10.0 and 1e1 as 10, also in `ttl`.";
    "talks" Talks "It adds words of its own to answers without content, and keeps a log.";
}
