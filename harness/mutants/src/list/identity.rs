//! Mutants that take one item for another, and those whose pages do not add up.

use crate::mutation::Access;

mutants! {
    // Partitions.
    "partition-ignored-by-read" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::Read),
        "A read finds the item with this id in another partition where its own has none.";
    "partition-ignored-by-delete" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::Delete),
        "A delete takes the item with this id in another partition where its own has none.";
    "partition-ignored-by-replace" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::Replace),
        "A replace finds the item with this id in another partition where its own has none.";
    "partition-ignored-by-patch" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::Patch),
        "A patch finds the item with this id in another partition where its own has none.";
    "partition-ignored-by-create" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::Create),
        "A create is a conflict where another partition has an item with this id.";
    "partition-ignored-by-upsert" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::Upsert),
        "An upsert says that it replaced an item where another partition has one with this id.";
    "partition-ignored-in-batch" breaks ["identity-is-partition-and-id"] => LooksInAllPartitions(Access::InBatch),
        "A write of a batch finds the item with this id in another partition where its own has none.";
    "partition-and-id-joined" breaks ["identity-is-partition-and-id"] => KeysAreJoined,
        "Items are kept under partition key and id as one text.";
    "removal-ignores-partitions" breaks ["identity-is-partition-and-id", "purge-only-expired"] =>
        SweepTakesAllPartitions,
        "Removal of an expired item takes the items with its id in all partitions.";
    "only-the-default-partition-expires" breaks ["identity-is-partition-and-id", "item-absent-inherits"] =>
        OnlyTheDefaultPartitionExpires,
        "Time to live is off in every partition but the first.";
    // Ids.
    "removal-by-prefix" breaks ["identity-is-partition-and-id", "purge-only-expired"] => SweepTakesLongerIds,
        "Removal of an expired item takes every item whose id starts with its id.";
    "ids-decoded" breaks ["identity-is-partition-and-id"] => IdsAreDecoded,
        "Ids are compared as if they were parts of a URL: `a+b` is `a b`.";
    // Pages.
    "continuation-counts-items" breaks ["pages-hold-living-items-once"] => PagesCountVisible,
        "A page skips a number of visible items, so items that expire between pages shift the others.";
    "continuation-counts-stored-items" breaks ["pages-hold-living-items-once"] => PagesCountStored,
        "A page skips a number of stored items, so items that are removed between pages shift the others.";
    "pages-of-the-first-moment" breaks ["expired-not-in-queries"] => PagesAreOfTheFirst,
        "All pages are of the items that were visible when the first one was asked for.";
    "empty-page-is-the-last" breaks ["pages-hold-living-items-once"] => EmptyPageIsTheLast,
        "Nothing continues a page of which every item is expired.";
}
