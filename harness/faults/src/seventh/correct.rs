//! Correct stores: each takes a freedom, or a few of them, that the clauses and the documents leave open.

use cosmos_ttl_harness::target::Edition;

use super::allowance::{
    Allowance, EtagForm, ExpiredTaste, FeedOrder, Lack, LazyIndex, LedgerRemoval, LedgerReturn, PLAIN,
    PageFill, RefusalOrder, ValueTaste,
};
use super::ledger::LedgerStore;

/// A store that breaks no clause of level must.
#[derive(Clone, Copy, Debug)]
pub struct CorrectLedgerStore {
    /// Its name.
    pub name: &'static str,
    /// Its freedom, and why it may take it.
    pub says: &'static str,
    allowance: Allowance,
}

impl CorrectLedgerStore {
    /// Returns the store.
    pub const fn store(&self) -> LedgerStore {
        LedgerStore { name: self.name, allowance: self.allowance, slip: None }
    }
}

/// Returns all correct stores.
pub fn all_correct() -> impl Iterator<Item = &'static CorrectLedgerStore> {
    CHOICES.iter().chain(OFFERS)
}

const fn one(name: &'static str, says: &'static str, allowance: Allowance) -> CorrectLedgerStore {
    CorrectLedgerStore { name, says, allowance }
}

/// Stores that choose where clauses are open.
const CHOICES: &[CorrectLedgerStore] = &[
    one("seventh-usual", "It makes the usual choices.", PLAIN),
    one(
        "seventh-at-the-epoch",
        "Its clock starts at second 0: `counted-from-last-write` asks for seconds of the epoch, and no clause for a year.",
        Allowance { start_s: 0, ..PLAIN },
    ),
    one(
        "seventh-before-2038",
        "Its clock starts ten seconds before 32 bits with a sign end: no clause names a first second.",
        Allowance { start_s: 2_147_483_638, ..PLAIN },
    ),
    one(
        "seventh-before-2106",
        "Its clock starts ten seconds before 32 bits without a sign end: no clause names a first second.",
        Allowance { start_s: 4_294_967_286, ..PLAIN },
    ),
    one(
        "seventh-odd-start",
        "Its clock starts at an odd second in the year 2001, which no clause forbids.",
        Allowance { start_s: 1_000_000_001, ..PLAIN },
    ),
    one(
        "seventh-only-2020",
        "It follows the edition of 2020 alone: the clauses with an edition name one each.",
        Allowance { editions: &[Edition::Y2020], ..PLAIN },
    ),
    one(
        "seventh-only-2024",
        "It follows the edition of 2024 alone: the clauses with an edition name one each.",
        Allowance { editions: &[Edition::Y2024], ..PLAIN },
    ),
    one(
        "seventh-null-default-refused",
        "It refuses `defaultTtl` null, as `container-null-is-off` allows.",
        Allowance { values: ValueTaste { refuses_null_default: true, ..PLAIN.values }, ..PLAIN },
    ),
    one(
        "seventh-wrong-stored-while-off",
        "It stores a wrong `ttl` while the container is off, as `item-invalid-while-off` allows.",
        Allowance { values: ValueTaste { stores_wrong_while_off: true, ..PLAIN.values }, ..PLAIN },
    ),
    one(
        "seventh-whole-fraction-refused",
        "It refuses `ttl` 10.0, as `item-integral-fraction` allows.",
        Allowance { values: ValueTaste { refuses_whole_fraction: true, ..PLAIN.values }, ..PLAIN },
    ),
    one(
        "seventh-all-values-open",
        "It takes every other choice about values: `container-null-is-off`, `item-invalid-while-off`, `item-integral-fraction`.",
        Allowance {
            values: ValueTaste {
                refuses_null_default: true,
                stores_wrong_while_off: true,
                refuses_whole_fraction: true,
            },
            ..PLAIN
        },
    ),
    one(
        "seventh-item-first",
        "It refuses for the item before the value, as `refusal-order` allows.",
        Allowance { refusals: RefusalOrder::Item, ..PLAIN },
    ),
    one(
        "seventh-all-values-first",
        "It checks the values of a whole batch first, so that it names a later operation, as `refusal-order` allows.",
        Allowance { refusals: RefusalOrder::AllValues, ..PLAIN },
    ),
    one(
        "seventh-upsert-says-replaced",
        "An upsert over an expired item answers ok, as `expired-upsert-status` allows.",
        Allowance { expired: ExpiredTaste { upsert_is_ok: true, ..PLAIN.expired }, ..PLAIN },
    ),
    one(
        "seventh-condition-fails",
        "A condition on an expired item fails as a precondition, as `expired-precondition` allows.",
        Allowance { expired: ExpiredTaste { condition_fails: true, ..PLAIN.expired }, ..PLAIN },
    ),
    one(
        "seventh-counts-stored",
        "A count includes stored expired items, as `expired-in-aggregates` allows.",
        Allowance { expired: ExpiredTaste { counts_stored: true, ..PLAIN.expired }, ..PLAIN },
    ),
    one(
        "seventh-counts-stored-until-met",
        "A count includes expired items until a request meets them: `expired-in-aggregates` and `purge-may-wait`.",
        Allowance {
            expired: ExpiredTaste { counts_stored: true, ..PLAIN.expired },
            removal: LedgerRemoval::WhenMet,
            ..PLAIN
        },
    ),
    one(
        "seventh-gone-for-good",
        "A change of the settings brings no expired item back, as `reappearance` allows.",
        Allowance { reappearance: LedgerReturn::Gone, ..PLAIN },
    ),
    one(
        "seventh-back-by-parity",
        "Items whose id ends in an odd code stay gone after a change; `reappearance` binds single items.",
        Allowance { reappearance: LedgerReturn::ByParity, ..PLAIN },
    ),
    one(
        "seventh-back-with-own-ttl",
        "Only expired items with a `ttl` return after a change; `reappearance` binds single items.",
        Allowance { reappearance: LedgerReturn::OwnTtlOnly, ..PLAIN },
    ),
    one(
        "seventh-on-demand",
        "It removes only when it is told to, as `purge-may-wait` allows.",
        Allowance { removal: LedgerRemoval::OnDemand, ..PLAIN },
    ),
    one(
        "seventh-removes-every-third",
        "It removes before each third request by a plan of its own, as `purge-may-wait` allows.",
        Allowance { removal: LedgerRemoval::EveryNth(3), ..PLAIN },
    ),
    one(
        "seventh-removes-every-seventh",
        "It removes before each seventh request, and counts stored items: `purge-may-wait`, `expired-in-aggregates`.",
        Allowance {
            removal: LedgerRemoval::EveryNth(7),
            expired: ExpiredTaste { counts_stored: true, ..PLAIN.expired },
            ..PLAIN
        },
    ),
    one(
        "seventh-one-by-one",
        "It removes the oldest expired item before each request: `purge-may-wait` names no order.",
        Allowance { removal: LedgerRemoval::OneByOne, ..PLAIN },
    ),
    one(
        "seventh-when-met",
        "It removes an expired item when a point request meets it, as `purge-may-wait` allows.",
        Allowance { removal: LedgerRemoval::WhenMet, ..PLAIN },
    ),
    one(
        "seventh-never-removes",
        "It never removes an item, and cannot be told to: `purge-may-wait` has no upper bound.",
        Allowance { removal: LedgerRemoval::NotAtAll, ..PLAIN },
    ),
];

/// Stores that differ where the documents are silent.
const OFFERS: &[CorrectLedgerStore] = &[
    one(
        "seventh-plain-etags",
        "Its etags are bare numbers: no document gives an etag a form.",
        Allowance { etags: EtagForm::Plain, ..PLAIN },
    ),
    one(
        "seventh-guid-etags",
        "Its etags look like GUIDs: no document gives an etag a form.",
        Allowance { etags: EtagForm::Guid, ..PLAIN },
    ),
    one(
        "seventh-falling-etags",
        "Its etags fall from write to write: no document orders them.",
        Allowance { etags: EtagForm::Falling, ..PLAIN },
    ),
    one(
        "seventh-feed-backwards",
        "Queries return the last id first: no clause names an order.",
        Allowance { feed: FeedOrder::IdsBackwards, ..PLAIN },
    ),
    one(
        "seventh-feed-by-creation",
        "Queries return the oldest item first: no clause names an order.",
        Allowance { feed: FeedOrder::Creation, ..PLAIN },
    ),
    one(
        "seventh-single-pages",
        "Each page holds one item: `pages-hold-living-items-once` allows fewer than its size.",
        Allowance { pages: PageFill::Single, ..PLAIN },
    ),
    one(
        "seventh-pages-with-gaps",
        "Expired items that are stored leave gaps in pages, as `pages-hold-living-items-once` allows.",
        Allowance { pages: PageFill::WithGaps, ..PLAIN },
    ),
    one(
        "seventh-empty-page-first",
        "The first page is empty and another follows, as `pages-hold-living-items-once` allows.",
        Allowance { pages: PageFill::EmptyFirst, ..PLAIN },
    ),
    one(
        "seventh-gaps-backwards",
        "Pages have gaps, and the last id comes first: `pages-hold-living-items-once` allows both.",
        Allowance { pages: PageFill::WithGaps, feed: FeedOrder::IdsBackwards, ..PLAIN },
    ),
    one(
        "seventh-lazy-refused",
        "It refuses lazy indexing: `indexed-modes-allow-ttl` speaks of accounts that offer it.",
        Allowance { lazy: LazyIndex::Refused, ..PLAIN },
    ),
    one(
        "seventh-lazy-is-empty",
        "Under lazy indexing queries are empty in the second of a change of the default, as `lazy-index-may-lag` allows.",
        Allowance { lazy: LazyIndex::EmptyAfterChange, ..PLAIN },
    ),
    one(
        "seventh-details",
        "All answers carry words for people, which PROTOCOL.md allows.",
        Allowance { details: true, ..PLAIN },
    ),
    one(
        "seventh-lacks-patch",
        "It has no patches: the clauses about them bind only a store that has them.",
        Allowance { lacks: &[Lack::Patch], ..PLAIN },
    ),
    one(
        "seventh-lacks-batches",
        "It has no batches: the clauses about them bind only a store that has them.",
        Allowance { lacks: &[Lack::Batch], ..PLAIN },
    ),
    one(
        "seventh-lacks-batch-reads",
        "Its batches take no reads, which PROTOCOL.md lets a store declare as unsupported.",
        Allowance { lacks: &[Lack::BatchRead], ..PLAIN },
    ),
    one(
        "seventh-lacks-conditions",
        "It has no if-match, which PROTOCOL.md lets a store declare as unsupported.",
        Allowance { lacks: &[Lack::IfMatch], ..PLAIN },
    ),
    one(
        "seventh-lacks-pages-and-partitions",
        "It has neither pages nor partitions, which a target need not implement.",
        Allowance { lacks: &[Lack::Pages, Lack::Partitions], ..PLAIN },
    ),
    one(
        "seventh-lacks-lazy-and-none",
        "It has consistent indexing alone: PROTOCOL.md lets a store declare the rest as unsupported.",
        Allowance { lacks: &[Lack::Lazy, Lack::NoIndex], ..PLAIN },
    ),
    one(
        "seventh-lacks-lists-and-counts",
        "It answers queries, and neither lists nor counts; PROTOCOL.md lets a store declare that.",
        Allowance { lacks: &[Lack::List, Lack::Count], ..PLAIN },
    ),
    one(
        "seventh-lacks-queries",
        "It has lists and no queries; PROTOCOL.md lets a store declare that.",
        Allowance { lacks: &[Lack::Query, Lack::Count], ..PLAIN },
    ),
    one(
        "seventh-lacks-upserts",
        "It has no upserts; PROTOCOL.md lets a store declare that.",
        Allowance { lacks: &[Lack::Upsert], ..PLAIN },
    ),
    one(
        "seventh-lacks-changes",
        "Its settings cannot be replaced; PROTOCOL.md lets a store declare that.",
        Allowance { lacks: &[Lack::Settings], ..PLAIN },
    ),
    one(
        "seventh-no-ts",
        "Its answers have no `_ts`, which is optional in PROTOCOL.md.",
        Allowance { lacks: &[Lack::Ts], ..PLAIN },
    ),
    one(
        "seventh-no-etags",
        "Its answers have no `_etag`, which is optional in PROTOCOL.md.",
        Allowance { lacks: &[Lack::Etag], ..PLAIN },
    ),
    one(
        "seventh-no-item-after-writes",
        "Only reads answer with the item; the answer to a write need not have one.",
        Allowance { lacks: &[Lack::WrittenItem], ..PLAIN },
    ),
    one(
        "seventh-bare-answers",
        "Writes answer without an item, and reads without `_ts` and `_etag`: all three are optional.",
        Allowance { lacks: &[Lack::WrittenItem, Lack::Ts, Lack::Etag], ..PLAIN },
    ),
    one(
        "seventh-patch-keeps-time",
        "A patch that leaves `ttl` alone keeps `_ts`: `patch-restarts-count` is a should.",
        Allowance { patch_restarts: false, ..PLAIN },
    ),
    one(
        "seventh-opposite",
        "It takes the other choice wherever a clause is open, and lets no item return.",
        Allowance {
            reappearance: LedgerReturn::Gone,
            refusals: RefusalOrder::Item,
            expired: ExpiredTaste { upsert_is_ok: true, condition_fails: true, counts_stored: true },
            feed: FeedOrder::IdsBackwards,
            etags: EtagForm::Guid,
            pages: PageFill::EmptyFirst,
            ..PLAIN
        },
    ),
    one(
        "seventh-single-and-parity",
        "Pages of one item meet items that return by parity: `reappearance` and `pages-hold-living-items-once`.",
        Allowance {
            reappearance: LedgerReturn::ByParity,
            pages: PageFill::Single,
            feed: FeedOrder::Creation,
            ..PLAIN
        },
    ),
];
