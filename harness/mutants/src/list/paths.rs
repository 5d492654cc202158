//! Mutants whose rule is right, but not on one path: each is one kind of access, or of write, and one mistake.
//!
//! A table has a row for each path and a row for each mistake, and every pair of them is a mutant.

use super::{FOR_EVER, Mutant};
use crate::mutation::{Access, Given, KeptPart, Mutation, On, Reading, Taken, Via, WriteKind};

use Access::{
    Conditional, Count, Create, CreateInBatch, Delete, DeleteInBatch, List, Patch, PatchInBatch, Query, Read,
    ReadInBatch, Replace, ReplaceInBatch,
};
use On::{Container, Item};

/// Crosses paths with mistakes. The path is an argument of each mutation, where the semicolon is.
macro_rules! table {
    ([$($path_name:literal $path:expr, $path_says:literal;)+] $mistakes:tt) => {
        &[$(table!(@path $path_name, $path, $path_says, $mistakes)),+]
    };
    (@path $path_name:literal, $path:expr, $path_says:literal,
     [$($name:literal breaks $clause:literal =>
        $mutation:ident[$($before:expr),*; $($after:expr),*], $says:literal;)+]) => {
        &[$(Mutant {
            name: concat!($path_name, "-", $name),
            clauses: &[$clause],
            says: concat!($path_says, " ", $says),
            mutation: Mutation::$mutation($($before,)* $path $(, $after)*),
        }),+]
    };
}

/// One kind of access misreads the settings or the table.
pub(super) const MISREADINGS: &[&[Mutant]] = table!([
    "read" Read, "A point read";
    "read-in-a-batch" ReadInBatch, "A read in a batch";
    "query" Query, "A query";
    "list" List, "A listing";
    "create" Create, "A create";
    "create-in-a-batch" CreateInBatch, "A create in a batch";
    "replace" Replace, "A replace";
    "replace-in-a-batch" ReplaceInBatch, "A replace in a batch";
    "patch" Patch, "A patch";
    "patch-in-a-batch" PatchInBatch, "A patch in a batch";
    "delete" Delete, "A delete";
    "delete-in-a-batch" DeleteInBatch, "A delete in a batch";
    "conditional-write" Conditional, "A conditional write";
    "count" Count, "A count";
] [
    "honours-own-ttl-while-off" breaks "off-never-expires" => Misreads[; Reading::OffHonoursOwn],
        "counts an item's own `ttl` while the container is off.";
    "lets-minus-one-inherit" breaks "item-minus-one-overrides" => Misreads[; Reading::MinusOneInherits],
        "takes an item's -1 for no `ttl`.";
    "knows-only-the-default" breaks "item-seconds-override" => Misreads[; Reading::OnlyDefault],
        "goes by the default alone.";
    "takes-the-shorter" breaks "item-seconds-override" => Misreads[; Reading::Shorter],
        "goes by the default or the item's `ttl`, whichever is shorter.";
    "knows-the-first-settings" breaks "current-settings-decide" => Misreads[; Reading::FirstSettings],
        "goes by the settings of the creation.";
    "knows-the-previous-settings" breaks "current-settings-decide" => Misreads[; Reading::PreviousSettings],
        "goes by the settings before the last change.";
]);

/// One kind of access lets items live longer. A count may do so, since it may count what is not removed.
pub(super) const LONGER_LIVES: &[&[Mutant]] = table!([
    "read" Read, "A point read";
    "read-in-a-batch" ReadInBatch, "A read in a batch";
    "query" Query, "A query";
    "list" List, "A listing";
    "create" Create, "A create";
    "create-in-a-batch" CreateInBatch, "A create in a batch";
    "replace" Replace, "A replace";
    "replace-in-a-batch" ReplaceInBatch, "A replace in a batch";
    "patch" Patch, "A patch";
    "patch-in-a-batch" PatchInBatch, "A patch in a batch";
    "delete" Delete, "A delete";
    "delete-in-a-batch" DeleteInBatch, "A delete in a batch";
    "conditional-write" Conditional, "A conditional write";
] [
    "takes-minus-one-for-off" breaks "item-seconds-override" => Misreads[; Reading::MinusOneIsOff],
        "takes `defaultTtl` -1 for off.";
    "knows-only-own-ttl" breaks "item-inherits-seconds" => Misreads[; Reading::OnlyOwn],
        "goes by the item's `ttl` alone.";
]);

/// One kind of access loses the last second.
pub(super) const EARLY: &[&[Mutant]] = table!([
    "read-in-a-batch" ReadInBatch, "A read in a batch";
    "list" List, "A listing";
    "create" Create, "A create";
    "create-in-a-batch" CreateInBatch, "A create in a batch";
    "replace" Replace, "A replace";
    "replace-in-a-batch" ReplaceInBatch, "A replace in a batch";
    "patch" Patch, "A patch";
    "patch-in-a-batch" PatchInBatch, "A patch in a batch";
    "delete" Delete, "A delete";
    "delete-in-a-batch" DeleteInBatch, "A delete in a batch";
    "conditional-write" Conditional, "A conditional write";
] [
    "is-a-second-early" breaks "visible-before-deadline" => Sees[; -1], "misses an item in its last second.";
]);

/// One kind of access is late in a batch or under a condition.
pub(super) const LATE: &[&[Mutant]] = table!([
    "read-in-a-batch" ReadInBatch, "A read in a batch";
    "create-in-a-batch" CreateInBatch, "A create in a batch";
    "replace-in-a-batch" ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" PatchInBatch, "A patch in a batch";
    "delete-in-a-batch" DeleteInBatch, "A delete in a batch";
    "conditional-write" Conditional, "A conditional write";
] [
    "is-a-second-late" breaks "gone-at-deadline" => Sees[; 1], "finds an item in the second of its deadline.";
]);

/// One kind of access in a batch finds expired items.
pub(super) const BLIND: &[&[Mutant]] = table!([
    "create-in-a-batch" CreateInBatch, "A create in a batch";
    "replace-in-a-batch" ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" PatchInBatch, "A patch in a batch";
    "delete-in-a-batch" DeleteInBatch, "A delete in a batch";
] [
    "finds-expired" breaks "hidden-immediately" => Sees[; FOR_EVER], "finds an expired item until it is removed.";
]);

/// Mutants in which items of one kind of write keep the settings of that moment, or in which its `ttl` wraps.
pub(super) const FROZEN: &[&[Mutant]] = table!([
    "create" Via::Create, "A create";
    "upsert" Via::Upsert, "An upsert";
    "replace" Via::Replace, "A replace";
    "patch" Via::Patch, "A patch";
    "batch" Via::Batch, "A write in a batch";
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "freezes-the-default" breaks "current-settings-decide" => DefaultAtWriteBy[;],
        "makes an item that lives by the default of that moment.";
    "wraps-above-maximum" breaks "item-above-maximum-rejected" => Takes[Item; Given::AboveMaximum, Taken::Last32],
        "keeps the last 32 bits of a `ttl` that is too great.";
]);

/// One kind of write never looks at a `ttl`.
pub(super) const UNCHECKED: &[&[Mutant]] = table!([
    "create" Via::Create, "A create";
    "upsert" Via::Upsert, "An upsert";
    "replace" Via::Replace, "A replace";
    "batch" Via::Batch, "A write in a batch";
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "takes-anything" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Anything, Taken::Number],
        "never looks at a `ttl`, though it counts.";
]);

/// One kind of write in a batch takes one kind of value.
pub(super) const UNCHECKED_IN_BATCHES: &[&[Mutant]] = table!([
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "takes-zero" breaks "item-zero-rejected" => Takes[Item; Given::Zero, Taken::Absent], "takes a `ttl` of 0.";
    "takes-below-minus-one" breaks "item-below-minus-one-rejected" => Takes[Item; Given::BelowMinusOne, Taken::Never],
        "takes a `ttl` below -1.";
    "takes-above-maximum" breaks "item-above-maximum-rejected" => Takes[Item; Given::AboveMaximum, Taken::Greatest],
        "takes a `ttl` that is too great.";
    "takes-fractions" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Fraction, Taken::Absent],
        "takes `ttl` 1.5.";
    "takes-text" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Text, Taken::Absent],
        "takes a `ttl` in quotes.";
    "takes-truth" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Truth, Taken::Absent],
        "takes `ttl` true.";
    "takes-lists" breaks "item-not-an-integer-rejected" => Takes[Item; Given::List, Taken::Absent],
        "takes a `ttl` that is a list.";
    "takes-objects" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Object, Taken::Absent],
        "takes a `ttl` that is an object.";
    "takes-null" breaks "item-null-rejected" => Takes[Item; Given::Null, Taken::Absent], "takes a null `ttl`.";
]);

/// Creates take one kind of value.
pub(super) const UNCHECKED_CREATES: &[&[Mutant]] = table!([
    "create" Via::Create, "A create";
] [
    "takes-fractions" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Fraction, Taken::Absent],
        "takes `ttl` 1.5.";
    "takes-text" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Text, Taken::Absent],
        "takes a `ttl` in quotes.";
    "takes-truth" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Truth, Taken::Absent],
        "takes `ttl` true.";
    "takes-lists" breaks "item-not-an-integer-rejected" => Takes[Item; Given::List, Taken::Absent],
        "takes a `ttl` that is a list.";
    "takes-objects" breaks "item-not-an-integer-rejected" => Takes[Item; Given::Object, Taken::Absent],
        "takes a `ttl` that is an object.";
]);

/// One kind of write takes what is out of range.
pub(super) const UNCHECKED_RANGES: &[&[Mutant]] = table!([
    "create" Via::Create, "A create";
    "upsert" Via::Upsert, "An upsert";
    "replace" Via::Replace, "A replace";
] [
    "takes-below-minus-one" breaks "item-below-minus-one-rejected" => Takes[Item; Given::BelowMinusOne, Taken::Never],
        "takes a `ttl` below -1.";
    "takes-above-maximum" breaks "item-above-maximum-rejected" => Takes[Item; Given::AboveMaximum, Taken::Greatest],
        "takes a `ttl` that is too great.";
]);

/// One kind of write takes a value in disguise.
pub(super) const DISGUISED: &[&[Mutant]] = table!([
    "create" Via::Create, "A create";
    "upsert" Via::Upsert, "An upsert";
    "replace" Via::Replace, "A replace";
    "patch" Via::Patch, "A patch";
    "batch" Via::Batch, "A write in a batch";
] [
    "takes-minus-zero" breaks "item-zero-rejected" => Takes[Item; Given::MinusZero, Taken::Absent], "takes `ttl` -0.";
    "takes-zero-as-fraction" breaks "item-zero-rejected" => Takes[Item; Given::ZeroAsFraction, Taken::Absent],
        "takes `ttl` 0.0.";
    "takes-below-as-fraction" breaks "item-below-minus-one-rejected" => Takes[Item; Given::BelowAsFraction, Taken::Never],
        "takes `ttl` -2.0.";
    "takes-the-lowest" breaks "item-below-minus-one-rejected" => Takes[Item; Given::Lowest32, Taken::Never],
        "takes `ttl` -2147483648.";
]);

/// A container's creation or replacement takes a value in disguise.
pub(super) const DISGUISED_DEFAULTS: &[&[Mutant]] = table!([
    "container" Via::Create, "A creation of a container";
    "settings" Via::Replace, "A change of settings";
] [
    "takes-minus-zero" breaks "container-zero-rejected" => Takes[Container; Given::MinusZero, Taken::Absent],
        "takes `defaultTtl` -0.";
    "takes-zero-as-fraction" breaks "container-zero-rejected" => Takes[Container; Given::ZeroAsFraction, Taken::Absent],
        "takes `defaultTtl` 0.0.";
    "takes-below-as-fraction" breaks "container-below-minus-one-rejected" => Takes[Container; Given::BelowAsFraction, Taken::Never],
        "takes `defaultTtl` -2.0.";
    "takes-the-lowest" breaks "container-below-minus-one-rejected" => Takes[Container; Given::Lowest32, Taken::Never],
        "takes `defaultTtl` -2147483648.";
]);

/// One kind of write takes the client's `_ts`.
pub(super) const CLIENT_TS: &[&[Mutant]] = table!([
    "batch" Via::Batch, "A write in a batch";
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "takes-a-clients-ts" breaks "server-sets-ts" => TakesTs[;], "stores the `_ts` that a client sends.";
]);

/// One kind of write in a batch keeps the old `ttl`.
pub(super) const KEPT_TTL: &[&[Mutant]] = table!([
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "keeps-the-ttl" breaks "removed-ttl-inherits" => KeepsTtl[;], "that leaves `ttl` out keeps the old one.";
]);

/// One kind of write refuses null, which the older documents let inherit.
pub(super) const EDITIONS: &[&[Mutant]] = table!([
    "upsert" Via::Upsert, "An upsert";
    "patch" Via::Patch, "A patch";
    "batch" Via::Batch, "A write in a batch";
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "refuses-null-in-2020" breaks "item-null-inherits" => Refuses[Item; Given::Null],
        "refuses a null `ttl` in every edition.";
]);

/// One kind of write refuses what it must take.
pub(super) const REFUSED: &[&[Mutant]] = table!([
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" Via::ReplaceInBatch, "A replace in a batch";
    "patch-in-a-batch" Via::PatchInBatch, "A patch in a batch";
] [
    "refuses-minus-one" breaks "item-minus-one-allowed" => Refuses[Item; Given::MinusOne], "refuses `ttl` -1.";
    "refuses-the-maximum" breaks "item-seconds-range" => Refuses[Item; Given::Maximum], "refuses the greatest `ttl`.";
]);

/// One kind of write in a batch keeps the old `_ts`.
pub(super) const OLD_TS: &[&[Mutant]] = table!([
    "upsert-in-a-batch" WriteKind::UpsertInBatch, "An upsert in a batch";
    "replace-in-a-batch" WriteKind::ReplaceInBatch, "A replace in a batch";
] [
    "does-not-restart" breaks "write-restarts-count" => NoRestart[;], "keeps the old `_ts`.";
]);

/// One kind of patch keeps the old `_ts`.
pub(super) const OLD_TS_OF_PATCHES: &[&[Mutant]] = table!([
    "patch-in-a-batch" WriteKind::PatchInBatch, "A patch in a batch";
    "conditional-patch" WriteKind::ConditionalPatch, "A patch with a condition";
] [
    "does-not-restart" breaks "patch-restarts-count" => NoRestart[;], "keeps the old `_ts`.";
]);

/// A create in a batch keeps a part of the expired item under it.
pub(super) const REBORN_BY_CREATE: &[&[Mutant]] = table!([
    "create-in-a-batch" Via::CreateInBatch, "A create in a batch";
] [
    "keeps-the-expired-ttl" breaks "expired-id-is-free" => Reborn[; KeptPart::Ttl],
        "over an expired item keeps its `ttl`.";
    "keeps-the-expired-content" breaks "expired-id-is-free" => Reborn[; KeptPart::Content],
        "over an expired item keeps its content.";
    "keeps-the-expired-ts" breaks "expired-id-is-free" => Reborn[; KeptPart::Ts],
        "over an expired item keeps its `_ts`.";
    "keeps-the-expired-etag" breaks "expired-id-is-free" => Reborn[; KeptPart::Etag],
        "over an expired item keeps its etag.";
]);

/// An upsert in a batch keeps a part of the expired item under it.
pub(super) const REBORN_BY_UPSERT: &[&[Mutant]] = table!([
    "upsert-in-a-batch" Via::UpsertInBatch, "An upsert in a batch";
] [
    "keeps-the-expired-ttl" breaks "expired-upsert-creates" => Reborn[; KeptPart::Ttl],
        "over an expired item keeps its `ttl`.";
    "keeps-the-expired-content" breaks "expired-upsert-creates" => Reborn[; KeptPart::Content],
        "over an expired item keeps its content.";
    "keeps-the-expired-ts" breaks "expired-upsert-creates" => Reborn[; KeptPart::Ts],
        "over an expired item keeps its `_ts`.";
    "keeps-the-expired-etag" breaks "expired-upsert-creates" => Reborn[; KeptPart::Etag],
        "over an expired item keeps its etag.";
]);

/// Every table.
pub(super) const TABLES: &[&[&[Mutant]]] = &[
    MISREADINGS,
    LONGER_LIVES,
    EARLY,
    LATE,
    BLIND,
    FROZEN,
    UNCHECKED,
    UNCHECKED_IN_BATCHES,
    UNCHECKED_CREATES,
    UNCHECKED_RANGES,
    DISGUISED,
    DISGUISED_DEFAULTS,
    CLIENT_TS,
    KEPT_TTL,
    EDITIONS,
    REFUSED,
    OLD_TS,
    OLD_TS_OF_PATCHES,
    REBORN_BY_CREATE,
    REBORN_BY_UPSERT,
];
