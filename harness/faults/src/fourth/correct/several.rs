//! Stores that make several choices at once.

use super::{CorrectTimerStore, correct};
use crate::fourth::choice::{
    EtagForm, ExpiredChoice, FeedOrder, Lack, LazyIndex, PLAIN, PageForm, RefusalOrder, ReturningItems,
    TimerChoice, TimerRemoval,
};

pub(super) static STORES: &[CorrectTimerStore] = &[
    correct(
        "system-properties-hidden",
        "No answer shows `_ts` or an etag, which `PROTOCOL.md` leaves open.",
        TimerChoice { shows_ts: false, etags: EtagForm::Hidden, ..PLAIN },
    ),
    correct(
        "writes-not-echoed-ts-hidden",
        "The answer to a write has no item, and `_ts` is hidden, which `PROTOCOL.md` leaves open.",
        TimerChoice { echoes_writes: false, shows_ts: false, ..PLAIN },
    ),
    correct(
        "pages-of-stored-newest-first",
        "Pages of stored items begin with the newest; `pages-hold-living-items-once` allows fewer items.",
        TimerChoice { pages: PageForm::Stored, order: FeedOrder::Newest, ..PLAIN },
    ),
    correct(
        "pages-of-one-by-id",
        "Pages hold one item, in the order of ids; no clause gives an order.",
        TimerChoice { pages: PageForm::Single, order: FeedOrder::ById, ..PLAIN },
    ),
    correct(
        "null-default-refused-lazy-refused",
        "`defaultTtl` null and lazy indexing are refused, which `container-null-is-off` and `indexed-modes-allow-ttl` allow.",
        TimerChoice { refuses_null_default: true, lazy: LazyIndex::Refused, ..PLAIN },
    ),
    correct(
        "integral-fractions-stored-while-off",
        "`10.0` counts as 10, and bad values are stored while off; both clauses are open.",
        TimerChoice { takes_integral_fractions: true, stores_invalid_while_off: true, ..PLAIN },
    ),
    correct(
        "invalid-stored-while-off-item-first",
        "Bad values are stored while off, and the item is looked up first; `item-invalid-while-off` and `refusal-order` are open.",
        TimerChoice { stores_invalid_while_off: true, refusals: RefusalOrder::ItemFirst, ..PLAIN },
    ),
    correct(
        "batch-values-first-expired-precondition",
        "A batch checks all values first, and an expired item fails its condition; `refusal-order` and `expired-precondition` are open.",
        TimerChoice {
            refusals: RefusalOrder::BatchValuesFirst,
            guard_of_expired: ExpiredChoice::Stored,
            ..PLAIN
        },
    ),
    correct(
        "expired-as-stored",
        "Upserts, conditions and counts treat expired items as stored; three clauses leave that open.",
        TimerChoice {
            upsert_over_expired: ExpiredChoice::Stored,
            guard_of_expired: ExpiredChoice::Stored,
            count_of_expired: ExpiredChoice::Stored,
            ..PLAIN
        },
    ),
    correct(
        "expired-in-turn",
        "Upserts, conditions and counts treat expired items one way and the other in turn; the three clauses bind nothing.",
        TimerChoice {
            upsert_over_expired: ExpiredChoice::InTurn,
            guard_of_expired: ExpiredChoice::InTurn,
            count_of_expired: ExpiredChoice::InTurn,
            ..PLAIN
        },
    ),
    correct(
        "nothing-returns-counted",
        "Expired items are counted, and gone at the next change of settings; two clauses leave that open.",
        TimerChoice { returning: ReturningItems::Nothing, count_of_expired: ExpiredChoice::Stored, ..PLAIN },
    ),
    correct(
        "every-second-returns-hidden-etags",
        "Every second item comes back, and etags are hidden; `reappearance` and `PROTOCOL.md` allow that.",
        TimerChoice { returning: ReturningItems::EverySecond, etags: EtagForm::Hidden, ..PLAIN },
    ),
    correct(
        "patch-does-not-restart-echo-none",
        "A patch leaves `_ts`, and writes show no item; `patch-restarts-count` is only a should.",
        TimerChoice { patch_restarts: false, echoes_writes: false, ..PLAIN },
    ),
    correct(
        "lazy-empty-nothing-returns",
        "Lazy queries lag, and expired items do not come back; `lazy-index-may-lag` and `reappearance` are open.",
        TimerChoice { lazy: LazyIndex::Empty, returning: ReturningItems::Nothing, ..PLAIN },
    ),
    correct(
        "removes-slowly-as-stored",
        "The store removes slowly, and treats expired items as stored where clauses are open.",
        TimerChoice {
            removal: TimerRemoval::OwnSlow,
            upsert_over_expired: ExpiredChoice::Stored,
            guard_of_expired: ExpiredChoice::Stored,
            count_of_expired: ExpiredChoice::Stored,
            ..PLAIN
        },
    ),
    correct(
        "removes-slowly-nothing-returns",
        "The store removes slowly, and what it has not removed is gone at the next change: `reappearance` is open.",
        TimerChoice { removal: TimerRemoval::OwnSlow, returning: ReturningItems::Nothing, ..PLAIN },
    ),
    correct(
        "removes-by-the-clock-every-second-returns",
        "The store removes by the clock, and every second item comes back: `reappearance` binds each item alone.",
        TimerChoice { removal: TimerRemoval::OwnByTheClock, returning: ReturningItems::EverySecond, ..PLAIN },
    ),
    correct(
        "removes-eagerly-near-32-bits",
        "The store removes eagerly while its clock passes the end of 32 bits; no clause forbids either.",
        TimerChoice { removal: TimerRemoval::OwnEager, start_s: 2_147_483_600, ..PLAIN },
    ),
    correct(
        "without-much",
        "The store has no batches, patches, pages or partitions, and writes show no item.",
        TimerChoice { lacks: Lack::Much, echoes_writes: false, ..PLAIN },
    ),
    correct(
        "all-open-otherwise",
        "Every open clause is answered the other way; each of them allows that.",
        TimerChoice {
            refuses_null_default: true,
            takes_integral_fractions: true,
            stores_invalid_while_off: true,
            refusals: RefusalOrder::ItemFirst,
            upsert_over_expired: ExpiredChoice::Stored,
            guard_of_expired: ExpiredChoice::Stored,
            count_of_expired: ExpiredChoice::Stored,
            returning: ReturningItems::Nothing,
            lazy: LazyIndex::Empty,
            ..PLAIN
        },
    ),
];
