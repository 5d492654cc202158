//! The correct stores: each takes a freedom that the clauses or the documents leave.

use super::leeway::Leeway::{self, *};
use super::session::LsmStore;

/// A correct store.
#[derive(Clone, Copy, Debug)]
pub struct CorrectLsmStore {
    /// Its name.
    pub name: &'static str,
    /// Its behaviour, and what allows it, in one sentence.
    pub says: &'static str,
    /// Its freedoms.
    pub leeways: &'static [Leeway],
}

impl CorrectLsmStore {
    /// Returns the store.
    pub fn store(&self) -> LsmStore {
        LsmStore { name: self.name, leeways: self.leeways, slip: None }
    }
}

/// Returns all correct stores.
pub fn all_correct() -> impl Iterator<Item = &'static CorrectLsmStore> {
    STORES.iter()
}

/// Declares the list.
macro_rules! lsm_stores {
    ($($name:literal [$($leeway:ident)*] $says:literal)+) => {
        static STORES: &[CorrectLsmStore] =
            &[$(CorrectLsmStore { name: concat!("lsm-", $name), says: $says, leeways: &[$($leeway),*] }),+];
    };
}

lsm_stores! {
    "usual" [] "Chooses what most documents say; every clause holds."
    "null-default-refused" [RefusesNullDefault] "Refuses `defaultTtl` null, as container-null-is-off allows."
    "point-zero-refused" [RefusesPointZero] "Refuses 10.0, as item-integral-fraction allows."
    "wrong-stored-while-off" [StoresWrongWhileOff] "Stores a wrong `ttl` as data while off, as item-invalid-while-off allows."
    "wrong-stored-by-later-check" [StoresWrongWhileOff ItemBeforeValue] "Stores a wrong `ttl` while off, and looks at the item first otherwise; item-invalid-while-off and refusal-order."
    "text-stored" [StoresText] "Stores a text or a fraction as `ttl` as data, which differs from item-not-an-integer-rejected, a should, alone."
    "item-before-value" [ItemBeforeValue] "Meets the refusal of the item before that of the value, as refusal-order allows."
    "batch-values-first" [BatchValuesFirst] "Refuses a batch for a later wrong `ttl` before anything else, as refusal-order allows."
    "batch-values-first-item-first" [BatchValuesFirst ItemBeforeValue] "Mixes two orders of refusals, as refusal-order allows."
    "counts-ghosts" [CountsGhosts] "Counts expired items that are stored, as expired-in-aggregates allows."
    "counts-ghosts-never-compacts" [CountsGhosts NeverCompacts] "Counts expired items forever, as expired-in-aggregates and purge-may-wait allow."
    "counts-ghosts-of-access" [CountsGhosts CompactsOnAccess] "Counts an expired item until a request names it, as expired-in-aggregates and purge-may-wait allow."
    "upsert-replaces-ghost" [UpsertReplacesGhost] "Answers ok to an upsert over an expired item, as expired-upsert-status allows."
    "upsert-replaces-ghost-until-write" [UpsertReplacesGhost CompactsEveryFifth] "Answers ok or created as the removal goes, as expired-upsert-status allows."
    "ghost-precondition" [GhostPreconditionFails] "Answers a conditional write of an expired item as a failed precondition, as expired-precondition allows."
    "ghost-precondition-alternates" [GhostPreconditionAlternates] "Does so every second time; expired-precondition binds nothing."
    "ghost-precondition-counts" [GhostPreconditionFails CountsGhosts UpsertReplacesGhost] "Shows a stored expired item in all three open places."
    "gone-at-change" [CompactsAtChange] "Removes what is expired before a change of settings, as reappearance allows."
    "own-gone-at-change" [CompactsOwnAtChange] "Removes expired items with their own `ttl` before a change; reappearance binds each item alone."
    "gone-at-change-counts" [CompactsAtChange CountsGhosts] "Counts expired items until a change of settings removes them; reappearance and expired-in-aggregates."
    "own-gone-precondition" [CompactsOwnAtChange GhostPreconditionFails] "Removes some at a change, and fails preconditions of the others; reappearance and expired-precondition."
    "compacts-on-access" [CompactsOnAccess] "Removes an expired item when a request names it, as purge-may-wait allows."
    "compacts-on-write" [CompactsOnWrite] "Removes expired items at each write, as purge-may-wait allows."
    "compacts-every-fifth" [CompactsEveryFifth] "Removes expired items at every fifth request, as purge-may-wait allows."
    "compacts-partition" [CompactsPartition] "Removes expired items of the partition that a request names, as purge-may-wait allows."
    "never-compacts" [NeverCompacts] "Never removes anything and offers no schedule, as purge-may-wait allows."
    "offers-never-alone" [OffersNeverAlone] "Leaves the schedules to the harness, as the trait allows."
    "offers-never-alone-counts" [OffersNeverAlone CountsGhosts CompactsAtChange] "Leaves the schedules to the harness, counts what is stored, and removes at a change."
    "no-purge" [NoPurge] "Has no command that removes; purge-may-wait demands none."
    "no-patch" [NoPatch] "Has no patch; no clause demands one."
    "no-batch" [NoBatch] "Has no batches; no clause demands them."
    "no-conditions" [NoConditions] "Has no etag conditions; no clause demands them."
    "no-etags-at-all" [NoConditions NoEtags] "Has neither etags nor conditions; both are optional in the protocol."
    "no-pages" [NoPages] "Answers at once alone; pages are optional in the protocol."
    "no-partitions" [NoPartitions] "Has one partition; others are optional in the protocol."
    "no-lazy" [NoLazy] "Has no lazy indexing; indexed-modes-allow-ttl speaks of accounts that offer it."
    "no-none" [NoNone] "Has no containers without an index; no clause demands them."
    "no-count" [NoCount] "Has no aggregates; no clause demands them."
    "no-upsert" [NoUpsert] "Has no upsert; the protocol lets a store be without it."
    "documents-alone" [NoPatch NoBatch NoConditions NoPages NoPartitions NoLazy NoCount] "Has single operations and plain queries alone."
    "only-2024" [Only2024] "Follows the edition of 2024 alone, as the trait allows."
    "only-2020" [Only2020] "Follows the edition of 2020 alone, as the trait allows."
    "no-item-in-writes" [NoItemInWrites] "Answers writes without the item, which the protocol makes optional."
    "no-ts" [NoTs] "Returns no `_ts`, which the protocol makes optional."
    "no-etags" [NoEtags] "Returns no etags, which the protocol makes optional."
    "quoted-etags" [QuotedEtags] "Writes etags as quoted text; the documents give no form."
    "mixed-etags" [MixedEtags] "Draws etags without an order; the documents give no form."
    "talks" [Talks] "Adds its own words to each answer, which the protocol allows."
    "backwards" [Backwards] "Returns ids backwards; the documents give no order."
    "by-write" [ByWrite] "Returns ids in the order of the writes; the documents give no order."
    "starts-at-zero" [StartsAtZero] "Starts in the second 0; the protocol leaves the first second to the store."
    "starts-at-31-bits" [StartsAt31Bits] "Starts shortly before the end of signed 32 bits; the protocol leaves the first second to the store."
    "starts-at-32-bits" [StartsAt32Bits] "Starts shortly before the end of unsigned 32 bits; the protocol leaves the first second to the store."
    "ends-with-empty-page" [EndsWithEmptyPage] "Ends a listing with an empty page, as pages-hold-living-items-once allows."
    "begins-with-empty-page" [BeginsWithEmptyPage] "Begins a listing with an empty page, as pages-hold-living-items-once allows."
    "half-pages" [HalfPages] "Fills pages to half their size, as pages-hold-living-items-once allows."
    "pages-with-gaps" [PagesWithGaps] "Fills pages before it takes expired items away, as pages-hold-living-items-once allows."
    "pages-with-gaps-and-ends" [PagesWithGaps EndsWithEmptyPage BeginsWithEmptyPage] "Has all kinds of short pages, as pages-hold-living-items-once allows."
    "absent-removal-refused" [RefusesAbsentRemoval] "Refuses a patch that takes away what is not there; no clause speaks of it."
    "patch-keeps-ts" [PatchKeepsTs] "Restarts the count at a patch only if it names `ttl`, which differs from patch-restarts-count, a should, alone."
    "lazy-empty" [LazyEmpty] "Answers queries under lazy indexing without items in the second of a change, as lazy-index-may-lag allows."
    "lazy-stale" [LazyStale] "Answers three queries under lazy indexing without what was written since the change, as lazy-index-may-lag allows."
    "lazy-counts-nothing" [LazyCountsNothing] "Counts nothing under lazy indexing in the second of a change, as lazy-index-may-lag allows."
    "lazy-stale-gone" [LazyStale LazyCountsNothing CompactsAtChange] "Lags under lazy indexing and removes at a change; lazy-index-may-lag and reappearance."
    "one-session" [OneSession] "Takes one session at a time, as the trait allows."
}
