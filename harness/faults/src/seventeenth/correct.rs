//! The correct stores: each takes one freedom.

use super::CairnCorrect;
use super::flaw::CairnLeave;

/// Declares the table of correct stores.
macro_rules! cairn_correct {
    ($($name:literal $leave:ident $says:literal;)*) => {
        pub(super) const CORRECT_STORES: &[CairnCorrect] = &[
            CairnCorrect {
                name: "seventeenth-correct-usual",
                says: "The store takes no freedom.",
                leave: None,
            },
            $(CairnCorrect { name: $name, says: $says, leave: Some(CairnLeave::$leave) },)*
        ];
    };
}

cairn_correct! {
    "seventeenth-correct-null-default-refused" NullDefaultRefused
        "A default of null is refused.";
    "seventeenth-correct-fraction-default-refused" FractionDefaultRefused
        "A default that is written with a fraction or an exponent is refused, even if it is whole.";
    "seventeenth-correct-fraction-item-refused" FractionItemRefused
        "A lifetime that is written with a fraction or an exponent is refused, even if it is whole.";
    "seventeenth-correct-fraction-refused-in-named" FractionRefusedInNamed
        "A lifetime written 10.0 is refused in named partitions, whose server reads JSON with another parser, and accepted elsewhere.";
    "seventeenth-correct-odd-types-inherit" OddTypesInherit
        "A lifetime that is no number of whole seconds, nor null, is stored and means nothing.";
    "seventeenth-correct-invalid-while-off-inherits" InvalidWhileOffInherits
        "A lifetime that is not allowed is stored while time to live is off, and the item inherits later.";
    "seventeenth-correct-invalid-while-off-never" InvalidWhileOffNever
        "A lifetime that is not allowed is stored while time to live is off, and the item never expires later.";
    "seventeenth-correct-item-before-value" ItemBeforeValue
        "Whether the item is there, and its etag, are checked before the value of its lifetime.";
    "seventeenth-correct-batch-blames-values" BatchBlamesValues
        "A refused batch names the last operation with a refused value, if it has one.";
    "seventeenth-correct-empty-batch-refused" EmptyBatchRefused
        "A batch without operations is a bad request.";
    "seventeenth-correct-empty-patch-refused" EmptyPatchRefused
        "A patch without changes is a bad request.";
    "seventeenth-correct-removing-nothing-refused" RemovingNothingRefused
        "A patch that removes a property that is not there is a bad request.";
    "seventeenth-correct-patch-of-ts-refused" PatchOfTsRefused
        "A patch that sets `_ts` is a bad request.";
    "seventeenth-correct-patch-of-data-keeps-ts" PatchOfDataKeepsTs
        "A patch that says nothing of the lifetime does not restart the count.";
    "seventeenth-correct-upsert-over-expired-replaces" UpsertOverExpiredReplaces
        "An upsert over an expired item that is still stored answers ok.";
    "seventeenth-correct-expired-fails-precondition" ExpiredFailsPrecondition
        "A conditional write of an expired item that is still stored fails its precondition.";
    "seventeenth-correct-expired-fails-precondition-of-delete" ExpiredFailsPreconditionOfDelete
        "Of the conditional writes only a delete of an expired item fails its precondition; the others do not find it.";
    "seventeenth-correct-expired-stay-gone" ExpiredStayGone
        "A change of the settings first removes what is expired.";
    "seventeenth-correct-only-own-come-back" OnlyOwnComeBack
        "A change of the settings removes expired items that inherit; those with their own lifetime may come back.";
    "seventeenth-correct-named-partitions-stay-gone" NamedPartitionsStayGone
        "A change of the settings removes what is expired in named partitions, and leaves the default one alone.";
    "seventeenth-correct-removes-on-sight" RemovesOnSight
        "An expired item is removed when a client reads it in vain, and only then.";
    "seventeenth-correct-own-schedule" OwnSchedule
        "The sweeper runs before every third request, whatever the harness would like.";
    "seventeenth-correct-never-alone" NeverAlone
        "Nothing is removed until the harness asks for it.";
    "seventeenth-correct-counts-expired" CountsExpired
        "A count includes expired items that are still stored.";
    "seventeenth-correct-counts-expired-in-named" CountsExpiredInNamed
        "A count includes expired items in named partitions only.";
    "seventeenth-correct-counts-from-statistics" CountsFromStatistics
        "A count comes from statistics of the last change, so that it includes only what expired since then.";
    "seventeenth-correct-lazy-lag-one-query" LazyLagOneQuery
        "Under lazy indexing the first query after a change of the default finds nothing.";
    "seventeenth-correct-lazy-lag-until-time-passes" LazyLagUntilTimePasses
        "Under lazy indexing queries find nothing in the second of a change of the default.";
    "seventeenth-correct-order-reversed" OrderReversed
        "Queries, lists and pages go from the last id to the first.";
    "seventeenth-correct-one-item-a-page" OneItemAPage
        "A page holds one item, however many are asked for.";
    "seventeenth-correct-pages-filtered-late" PagesFilteredLate
        "Expired items take up room on pages, so that a page may be empty in the middle.";
    "seventeenth-correct-last-page-empty" LastPageEmpty
        "An empty page follows the last item.";
    "seventeenth-correct-pages-by-offset" PagesByOffset
        "Pages are cut by an offset, so that one item may be missed when another expires between two pages.";
    "seventeenth-correct-cursor-keeps-its-ids" CursorKeepsItsIds
        "Later pages hold only items that were there at the first one, as far as they still are.";
    "seventeenth-correct-etags-shared-in-batch" EtagsSharedInBatch
        "All writes of a batch have the same etag.";
    "seventeenth-correct-etags-counted-for-each-key" EtagsCountedForEachKey
        "Etags are small numbers, counted for each id, so that different items have equal ones.";
    "seventeenth-correct-odd-etags" OddEtags
        "Etags are weak, with quotes, spaces, commas and letters beyond ASCII.";
    "seventeenth-correct-no-etags" NoEtags
        "Answers show no etag.";
    "seventeenth-correct-no-ts" NoTs
        "Answers show no `_ts`.";
    "seventeenth-correct-writes-show-no-ts" WritesShowNoTs
        "Answers to writes show the item without its `_ts`; reads show it.";
    "seventeenth-correct-writes-without-items" WritesWithoutItems
        "Answers to writes show no item.";
    "seventeenth-correct-details" Details
        "Refusals come with words of the store's own, which mention expiry.";
    "seventeenth-correct-clock-from-epoch" ClockFromEpoch
        "The clock starts at second 0 of the epoch.";
    "seventeenth-correct-clock-across-31-bits" ClockAcross31Bits
        "The clock passes the last second that 31 bits hold.";
    "seventeenth-correct-clock-across-32-bits" ClockAcross32Bits
        "The clock passes the last second that 32 bits hold.";
    "seventeenth-correct-newest-edition-only" NewestEditionOnly
        "The store knows the newest edition only.";
    "seventeenth-correct-no-lazy" NoLazy
        "The store offers no lazy indexing.";
    "seventeenth-correct-one-partition" OnePartition
        "The store has one partition only.";
    "seventeenth-correct-no-pages" NoPages
        "The store answers queries and lists as a whole only.";
}
