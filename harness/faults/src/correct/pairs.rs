//! Correct stores that differ from the usual one in two things or more.

use super::stores;
use crate::freedom::{
    Background, BatchOrder, Echo, Freedom, Lazy, Numbers, Pick, Precondition, Test, USUAL, Unindexed,
};

stores! {
    "lazy-and-null-refused": "Refuses lazy indexing and null." because "indexed-modes-allow-ttl, container-null-is-off"
        { lazy: Lazy::Refused, null_refused: true }
    "fractions-the-other-way": "Refuses ttl 10.0 and takes `defaultTtl` 10.0." because "item-integral-fraction"
        { fraction_refused: Pick::Other, default_fraction_taken: true }
    "null-refused-fractions-the-other-way": "Refuses null and ttl 10.0, and takes `defaultTtl` 10.0." because "container-null-is-off, item-integral-fraction"
        { null_refused: true, fraction_refused: Pick::Other, default_fraction_taken: true }
    "fraction-refused-stored-while-off": "Refuses ttl 10.0 while on, and stores it while off."
        because "item-integral-fraction, item-invalid-while-off"
        { fraction_refused: Pick::Other, invalid_stored: Pick::Other }
    "fraction-refused-stored-never": "Refuses ttl 10.0 while on; stored while off, it means never."
        because "item-integral-fraction, item-invalid-while-off"
        { fraction_refused: Pick::Other, invalid_stored: Pick::Other, invalid_never: Pick::Other }
    "invalid-stored-gone": "Stores any ttl while off, and what is expired never comes back."
        because "item-invalid-while-off, reappearance" { invalid_stored: Pick::Other, gone: Pick::Other }
    "counts-expired-until-removed-one-at-a-time": "Counts expired items, and removes one before each request."
        because "expired-in-aggregates, purge-may-wait"
        { expired_counted: Pick::Other, background: Background::OneAtATime }
    "counts-expired-back": "Counts expired items, and some of them come back."
        because "expired-in-aggregates, reappearance" { expired_counted: Pick::Other, gone: Pick::ById }
    "expired-upsert-ok-until-removed": "An upsert over an expired item answers 200 until a sweep of three seconds."
        because "expired-upsert-status, purge-may-wait"
        { expired_upsert_ok: Pick::Other, background: Background::Every(3) }
    "all-upserts-alike": "An upsert answers 201 over a living item, and 200 over an expired one."
        because "expired-upsert-status" { living_upsert_created: Pick::Other, expired_upsert_ok: Pick::Other }
    "ghost-upsert": "An upsert over an expired item answers 200, and a condition on it 412, until it is removed on access."
        because "expired-upsert-status, expired-precondition"
        { expired_upsert_ok: Pick::Other, precondition: Precondition::UntilRemoved, background: Background::OnAccess }
    "precondition-until-sweep": "A conditional write on an expired item answers 412 until a sweep of three seconds."
        because "expired-precondition, purge-may-wait"
        { precondition: Precondition::UntilRemoved, background: Background::Every(3) }
    "precondition-until-removed-one-at-a-time": "Answers 412 for an expired item until it is removed, one at a time."
        because "expired-precondition, purge-may-wait"
        { precondition: Precondition::UntilRemoved, background: Background::OneAtATime }
    "etag-first-until-removed": "Tests etags first, and answers 412 for whatever is not there."
        because "no document says which refusal comes first; expired-precondition"
        { order: [Test::Etag, Test::Existence, Test::Value], precondition: Precondition::Failed }
    "existence-first-batch-values-first": "Tests existence first, and in a batch all values first."
        because "no document says which refusal comes first"
        { order: [Test::Existence, Test::Etag, Test::Value], batch_order: BatchOrder::ValuesFirst }
    "existence-first-batch-last": "Tests existence first, and names the last refused operation of a batch."
        because "no document says which refusal comes first"
        { order: [Test::Existence, Test::Value, Test::Etag], batch_order: BatchOrder::LastFirst }
    "existence-first-invalid-stored": "Tests existence first, and stores any ttl while off."
        because "no document says which refusal comes first; item-invalid-while-off"
        { order: [Test::Existence, Test::Value, Test::Etag], invalid_stored: Pick::Other }
    "lazy-stale-gone": "Lazy queries go by the previous default for two seconds, and what is expired is gone."
        because "lazy-index-may-lag, reappearance" { lazy: Lazy::Stale, gone: Pick::Other }
    "lazy-stale-counts-expired": "Lazy queries go by the previous default, and counts include expired items."
        because "lazy-index-may-lag, expired-in-aggregates" { lazy: Lazy::Stale, expired_counted: Pick::Other }
    "lazy-half-one-at-a-time": "Lazy queries find half, and expired items are removed one at a time."
        because "lazy-index-may-lag, purge-may-wait" { lazy: Lazy::Half, background: Background::OneAtATime }
    "unindexed-refuses-lazy-too": "Refuses queries without an index, and lazy indexing."
        because "no clause says what a query without an index answers" { unindexed: Unindexed::Refuses, lazy: Lazy::Refused }
    "bare-reads-only": "Shows items in reads only, without a schedule of removal that can be chosen."
        because "PROTOCOL.md" { echo: Echo::ReadsOnly, background: Background::Every(3) }
    "create-echo-etag-first": "Shows the item after a create only, and tests etags first."
        because "PROTOCOL.md; no document says which refusal comes first"
        { echo: Echo::CreateAndRead, order: [Test::Etag, Test::Value, Test::Existence] }
    "javascript": "Keeps numbers as floats, stores any ttl while off, shows items in reads only."
        because "item-invalid-while-off, PROTOCOL.md"
        { numbers: Numbers::AsFloats, invalid_stored: Pick::Other, echo: Echo::ReadsOnly }
    "timers-refuse-null": "Removes items by timers, and refuses null." because "reappearance, container-null-is-off"
        { background: Background::Timers, null_refused: true }
    "timers-before-2038": "Removes items by timers, and passes 2147483648." because "reappearance; no clause names a date"
        { background: Background::Timers, start: 2_147_483_643 }
    "everything-other": "Takes the other choice under every open clause."
        because "all open clauses"
        {
            null_refused: true, fraction_refused: Pick::Other, default_fraction_taken: true,
            invalid_stored: Pick::Other, invalid_never: Pick::Other, expired_counted: Pick::Other,
            expired_upsert_ok: Pick::Other, precondition: Precondition::Failed, gone: Pick::Other, lazy: Lazy::Empty
        }
    "everything-by-turns": "Changes its choice as often as the clauses allow."
        because "all open clauses that bind nothing or an item"
        {
            fraction_refused: Pick::ById, invalid_stored: Pick::ById, invalid_never: Pick::ById,
            expired_counted: Pick::Turns, expired_upsert_ok: Pick::Turns, precondition: Precondition::Turns,
            gone: Pick::ById, lazy: Lazy::EmptyThrice
        }
}
