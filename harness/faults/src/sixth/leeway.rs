//! The freedoms that correct stores take.

/// One freedom that the clauses or the documents leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leeway {
    /// Refuses `defaultTtl` null.
    RefusesNullDefault,
    /// Refuses a `ttl` like `10.0`.
    RefusesPointZero,
    /// Stores a `ttl` that is not allowed while the container is off.
    StoresWrongWhileOff,
    /// Stores a `ttl` that is no number as data.
    StoresText,
    /// Looks at the item before the value.
    ItemBeforeValue,
    /// Checks the values of a batch before its first operation.
    BatchValuesFirst,
    /// Counts expired items that are still stored.
    CountsGhosts,
    /// Answers an upsert over a stored expired item as a replacement.
    UpsertReplacesGhost,
    /// Answers a conditional write of a stored expired item as a failed precondition.
    GhostPreconditionFails,
    /// Does so for every second such write.
    GhostPreconditionAlternates,
    /// Removes expired items before a change of settings.
    CompactsAtChange,
    /// Removes those with their own `ttl` before a change of settings.
    CompactsOwnAtChange,
    /// Removes an expired item when a request meets it.
    CompactsOnAccess,
    /// Removes expired items at each write.
    CompactsOnWrite,
    /// Removes expired items at every fifth request.
    CompactsEveryFifth,
    /// Removes expired items of the partition of the request.
    CompactsPartition,
    /// Never removes anything.
    NeverCompacts,
    /// Offers only the schedule without removal, and removal on command.
    OffersNeverAlone,
    /// Has no command that removes.
    NoPurge,
    /// Has no patch.
    NoPatch,
    /// Has no batches.
    NoBatch,
    /// Has no etag conditions.
    NoConditions,
    /// Has no pages.
    NoPages,
    /// Has one partition.
    NoPartitions,
    /// Has no lazy indexing.
    NoLazy,
    /// Has no containers without an index.
    NoNone,
    /// Has no aggregates.
    NoCount,
    /// Has no upsert.
    NoUpsert,
    /// Follows the edition of 2024 alone.
    Only2024,
    /// Follows the edition of 2020 alone.
    Only2020,
    /// Answers writes without the item.
    NoItemInWrites,
    /// Answers without `_ts`.
    NoTs,
    /// Answers without etags.
    NoEtags,
    /// Writes etags as quoted text with leading zeros.
    QuotedEtags,
    /// Draws etags from a sequence that jumps.
    MixedEtags,
    /// Adds its own words to each answer.
    Talks,
    /// Returns ids backwards.
    Backwards,
    /// Returns ids in the order of the last writes.
    ByWrite,
    /// Starts in the second 0.
    StartsAtZero,
    /// Starts shortly before the end of signed 32 bits.
    StartsAt31Bits,
    /// Starts shortly before the end of unsigned 32 bits.
    StartsAt32Bits,
    /// Ends every listing with an empty page.
    EndsWithEmptyPage,
    /// Fills pages to half their size.
    HalfPages,
    /// Fills pages before it takes expired items away.
    PagesWithGaps,
    /// Begins every listing with an empty page.
    BeginsWithEmptyPage,
    /// Refuses to take a property away that is not there.
    RefusesAbsentRemoval,
    /// Restarts the count at a patch only if it names `ttl`.
    PatchKeepsTs,
    /// Answers queries under lazy indexing without any item until a second passes after a change.
    LazyEmpty,
    /// Answers queries under lazy indexing from the time of the change for three requests.
    LazyStale,
    /// Counts nothing under lazy indexing until a second passes after a change.
    LazyCountsNothing,
    /// Takes one session at a time.
    OneSession,
}
