//! Stores that make one choice.

use cosmos_ttl_harness::target::Edition;

use super::{CorrectTimerStore, correct};
use crate::fourth::choice::{
    EtagForm, ExpiredChoice, FeedOrder, Lack, LazyIndex, PLAIN, PageForm, RefusalOrder, ReturningItems,
    TimerChoice, TimerRemoval,
};

pub(super) static STORES: &[CorrectTimerStore] = &[
    correct("plain", "The usual choices.", PLAIN),
    correct(
        "start-at-one",
        "The clock begins in the second 1 of the Unix epoch; no clause says when now is.",
        TimerChoice { start_s: 1, ..PLAIN },
    ),
    correct(
        "start-near-32-bits",
        "The clock passes the end of 32 bits with a sign after a minute; `deadline-does-not-overflow` is all that is asked.",
        TimerChoice { start_s: 2_147_483_590, ..PLAIN },
    ),
    correct(
        "start-past-32-bits",
        "The clock has left 32 bits with a sign behind; `counted-from-last-write` names no width.",
        TimerChoice { start_s: 3_000_000_000, ..PLAIN },
    ),
    correct(
        "start-near-unsigned-32-bits",
        "The clock passes the end of 32 bits without a sign; `counted-from-last-write` names no width.",
        TimerChoice { start_s: 4_294_967_290, ..PLAIN },
    ),
    correct(
        "start-at-midnight",
        "The clock begins at a midnight; no clause says when now is.",
        TimerChoice { start_s: 1_704_067_200, ..PLAIN },
    ),
    correct(
        "start-in-2100",
        "The clock begins in 2100; no clause says when now is.",
        TimerChoice { start_s: 4_102_444_800, ..PLAIN },
    ),
    correct(
        "etags-like-guids",
        "Etags look like GUIDs; no clause gives their form.",
        TimerChoice { etags: EtagForm::Guid, ..PLAIN },
    ),
    correct(
        "etags-weak",
        "Etags are weak, with the second and the number of the write; no clause gives their form.",
        TimerChoice { etags: EtagForm::Weak, ..PLAIN },
    ),
    correct(
        "etags-falling",
        "Etags fall from write to write, without quotes; no clause gives their form.",
        TimerChoice { etags: EtagForm::Falling, ..PLAIN },
    ),
    correct(
        "etags-hidden",
        "No answer shows an etag, which `PROTOCOL.md` leaves open.",
        TimerChoice { etags: EtagForm::Hidden, ..PLAIN },
    ),
    correct(
        "ts-hidden",
        "No answer shows `_ts`, which `PROTOCOL.md` leaves open.",
        TimerChoice { shows_ts: false, ..PLAIN },
    ),
    correct(
        "writes-not-echoed",
        "The answer to a write has no item, which `PROTOCOL.md` leaves open.",
        TimerChoice { echoes_writes: false, ..PLAIN },
    ),
    correct(
        "rid-shown",
        "Items carry a `_rid`, which `PROTOCOL.md` lets a store add.",
        TimerChoice { shows_rid: true, ..PLAIN },
    ),
    correct(
        "newest-first",
        "Queries and lists return the newest item first; no clause gives an order.",
        TimerChoice { order: FeedOrder::Newest, ..PLAIN },
    ),
    correct(
        "by-id",
        "Queries and lists return items by id; no clause gives an order.",
        TimerChoice { order: FeedOrder::ById, ..PLAIN },
    ),
    correct(
        "pages-of-one",
        "A page holds one item at most; `pages-hold-living-items-once` allows fewer than the size.",
        TimerChoice { pages: PageForm::Single, ..PLAIN },
    ),
    correct(
        "pages-of-stored",
        "A page is filled with stored items, expired ones are left out, and it may be empty; `pages-hold-living-items-once` allows that.",
        TimerChoice { pages: PageForm::Stored, ..PLAIN },
    ),
    correct(
        "pages-trailing",
        "An empty page follows the last items; `pages-hold-living-items-once` allows a page without items.",
        TimerChoice { pages: PageForm::Trailing, ..PLAIN },
    ),
    correct(
        "null-default-refused",
        "`defaultTtl` null is refused: `container-null-is-off` is open.",
        TimerChoice { refuses_null_default: true, ..PLAIN },
    ),
    correct(
        "integral-fractions",
        "`10.0` counts as 10: `item-integral-fraction` is open.",
        TimerChoice { takes_integral_fractions: true, ..PLAIN },
    ),
    correct(
        "digits-in-strings",
        "`\"10\"` counts as 10: `item-not-an-integer-rejected` is only a should.",
        TimerChoice { takes_digits_in_strings: true, ..PLAIN },
    ),
    correct(
        "invalid-stored-while-off",
        "A `ttl` that is not allowed is stored while the container is off: `item-invalid-while-off` is open.",
        TimerChoice { stores_invalid_while_off: true, ..PLAIN },
    ),
    correct(
        "item-before-value",
        "The item is looked up before its value is checked: `refusal-order` is open.",
        TimerChoice { refusals: RefusalOrder::ItemFirst, ..PLAIN },
    ),
    correct(
        "batch-values-first",
        "A batch checks all values before its first operation: `refusal-order` is open.",
        TimerChoice { refusals: RefusalOrder::BatchValuesFirst, ..PLAIN },
    ),
    correct(
        "upsert-replaces-expired",
        "An upsert over an expired item answers replaced while it is stored: `expired-upsert-status` is open.",
        TimerChoice { upsert_over_expired: ExpiredChoice::Stored, ..PLAIN },
    ),
    correct(
        "upsert-status-in-turn",
        "An upsert over an expired item answers created and replaced in turn: `expired-upsert-status` binds nothing.",
        TimerChoice { upsert_over_expired: ExpiredChoice::InTurn, ..PLAIN },
    ),
    correct(
        "expired-condition-fails",
        "A conditional write to a stored expired item fails its condition: `expired-precondition` is open.",
        TimerChoice { guard_of_expired: ExpiredChoice::Stored, ..PLAIN },
    ),
    correct(
        "expired-condition-in-turn",
        "A conditional write to an expired item gets both refusals in turn: `expired-precondition` binds nothing.",
        TimerChoice { guard_of_expired: ExpiredChoice::InTurn, ..PLAIN },
    ),
    correct(
        "counts-expired",
        "A count includes expired items until they are removed: `expired-in-aggregates` is open.",
        TimerChoice { count_of_expired: ExpiredChoice::Stored, ..PLAIN },
    ),
    correct(
        "counts-expired-in-turn",
        "A count includes expired items every second time: `expired-in-aggregates` binds nothing.",
        TimerChoice { count_of_expired: ExpiredChoice::InTurn, ..PLAIN },
    ),
    correct(
        "nothing-returns",
        "An expired item is gone for good at the next change of settings: `reappearance` is open.",
        TimerChoice { returning: ReturningItems::Nothing, ..PLAIN },
    ),
    correct(
        "with-ttl-returns",
        "Only items with a `ttl` of their own come back: `reappearance` binds each item alone.",
        TimerChoice { returning: ReturningItems::WithTtl, ..PLAIN },
    ),
    correct(
        "without-ttl-returns",
        "Only items without a `ttl` come back: `reappearance` binds each item alone.",
        TimerChoice { returning: ReturningItems::WithoutTtl, ..PLAIN },
    ),
    correct(
        "every-second-returns",
        "Every second item comes back: `reappearance` binds each item alone.",
        TimerChoice { returning: ReturningItems::EverySecond, ..PLAIN },
    ),
    correct(
        "patch-does-not-restart",
        "A patch that does not touch `ttl` leaves `_ts`: `patch-restarts-count` is only a should.",
        TimerChoice { patch_restarts: false, ..PLAIN },
    ),
    correct(
        "lazy-empty",
        "Under lazy indexing, queries find nothing for some seconds after a change: `lazy-index-may-lag` is open.",
        TimerChoice { lazy: LazyIndex::Empty, ..PLAIN },
    ),
    correct(
        "lazy-half",
        "Under lazy indexing, queries find every second item for some seconds after a change: `lazy-index-may-lag` is open.",
        TimerChoice { lazy: LazyIndex::Half, ..PLAIN },
    ),
    correct(
        "lazy-refused",
        "Lazy indexing is refused: `indexed-modes-allow-ttl` asks for it only where the account offers it.",
        TimerChoice { lazy: LazyIndex::Refused, ..PLAIN },
    ),
    correct(
        "removes-never",
        "The store never removes an item, and offers no schedule: `purge-may-wait` has no bound.",
        TimerChoice { removal: TimerRemoval::OwnNever, ..PLAIN },
    ),
    correct(
        "removes-eagerly",
        "The store removes expired items before every request: `purge-may-wait` names no least time.",
        TimerChoice { removal: TimerRemoval::OwnEager, ..PLAIN },
    ),
    correct(
        "removes-slowly",
        "The store removes one expired item before each third request: `purge-may-wait` gives no order.",
        TimerChoice { removal: TimerRemoval::OwnSlow, ..PLAIN },
    ),
    correct(
        "removes-by-the-clock",
        "The store removes the newest expired item in one second of three: `purge-may-wait` gives no order.",
        TimerChoice { removal: TimerRemoval::OwnByTheClock, ..PLAIN },
    ),
    correct(
        "without-patches",
        "The store has no patches; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Patches, ..PLAIN },
    ),
    correct(
        "without-batches",
        "The store has no batches; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Batches, ..PLAIN },
    ),
    correct(
        "without-conditions",
        "The store has no conditional writes; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Conditions, ..PLAIN },
    ),
    correct(
        "without-partitions",
        "The store has one partition; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Partitions, ..PLAIN },
    ),
    correct(
        "without-pages",
        "The store has no pages; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Pages, ..PLAIN },
    ),
    correct(
        "without-indexing-modes",
        "The store has consistent indexing only; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::IndexingModes, ..PLAIN },
    ),
    correct(
        "without-deletes",
        "The store has no deletes; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Deletes, ..PLAIN },
    ),
    correct(
        "without-lists",
        "The store has no lists; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Lists, ..PLAIN },
    ),
    correct(
        "without-counts",
        "The store has no counts; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Counts, ..PLAIN },
    ),
    correct(
        "without-queries",
        "The store has no queries; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Queries, ..PLAIN },
    ),
    correct(
        "without-upserts",
        "The store has no upserts; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Upserts, ..PLAIN },
    ),
    correct(
        "without-changes",
        "The settings of a container cannot change; a missing feature is unsupported, and no failure.",
        TimerChoice { lacks: Lack::Changes, ..PLAIN },
    ),
    correct(
        "edition-2020-only",
        "The store follows the edition of 2020 only; a store chooses its editions.",
        TimerChoice { editions: &[Edition::Y2020], ..PLAIN },
    ),
    correct(
        "edition-2024-only",
        "The store follows the edition of 2024 only; a store chooses its editions.",
        TimerChoice { editions: &[Edition::Y2024], ..PLAIN },
    ),
];
