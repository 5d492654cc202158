//! Correct stores, each in a way of its own: no vector may fail one, and no exploration may accuse one.

use std::sync::LazyLock;

use serde::Serialize;

use super::choices::{Background, Choices, Pick, ShownBy, UnindexedAnswers};
use super::oracle::IndependentStore;

use Pick::{Mixed, Other};

/// A correct store: no vector may fail it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Control {
    /// Immutable; `mutant:NAME` names it too.
    pub name: &'static str,
    /// The allowed behaviour, as a sentence.
    pub says: &'static str,
    /// The open clause and its value, or the clause or the document that leaves it open.
    #[serde(skip)]
    pub allowed_by: &'static str,
    /// The store.
    #[serde(skip)]
    pub store: IndependentStore,
}

/// Declares controls: a name, what allows it, a change of the usual store, and a sentence.
macro_rules! controls {
    ($($name:literal, $allowed_by:literal, $change:expr, $says:literal;)+) => {
        /// Every control: the usual store, each allowed answer alone, and what no clause is about.
        pub static CONTROLS: LazyLock<Vec<Control>> = LazyLock::new(|| {
            vec![$(Control { name: $name, says: $says, allowed_by: $allowed_by, store: changed($change) }),+]
        });
    };
}

fn changed(change: impl FnOnce(&mut IndependentStore)) -> IndependentStore {
    let mut store = IndependentStore::default();
    change(&mut store);
    store
}

controls! {
    "right", "the evidence favours it", |_| {}, "Chooses what the evidence favours, and removes when it is told to.";
    "removal-never", "purge-invisible", |store| store.background = Background::Never, "Never removes anything.";
    "removal-eager", "purge-invisible", |store| store.background = Background::Eager,
        "Removes whatever is expired at once.";
    "removal-every-second-request", "purge-invisible", |store| store.background = Background::Every(2),
        "Removes before every second request.";
    "removal-every-third-request", "purge-invisible", |store| store.background = Background::Every(3),
        "Removes before every third request.";

    // The answers that an open clause lists; `right` gives the other value of each of these clauses.
    "expiry-latched", "reappearance: gone", |store| store.choices.latched = Other,
        "What was expired once stays so, under whatever settings.";
    "expiry-latched-for-some", "reappearance: gone", |store| store.choices.latched = Mixed,
        "Some items that were expired once stay so, others are back.";
    "null-default-refused", "container-null-is-off: rejected", |store| store.choices.null_default_refused = true,
        "Refuses null as `defaultTtl`.";
    "whole-fractions-taken", "item-integral-fraction: accepted", |store| store.choices.fractions_taken = Other,
        "Takes `ttl` 10.0 for 10.";
    "whole-fractions-taken-for-some", "item-integral-fraction: accepted",
        |store| store.choices.fractions_taken = Mixed,
        "Takes `ttl` 10.0 for 10 on some items, and refuses it on others.";
    "anything-kept-while-off", "item-invalid-while-off: stored",
        |store| store.choices.anything_kept_while_off = Other,
        "Keeps a `ttl` that is no setting while the container is off.";
    "anything-kept-while-off-for-some", "item-invalid-while-off: stored",
        |store| store.choices.anything_kept_while_off = Mixed,
        "Keeps a `ttl` that is no setting while the container is off, on some items.";
    "expired-counted", "expired-in-aggregates: counted", |store| store.choices.expired_counted = Other,
        "COUNT counts what is expired and not yet removed.";
    "expired-counted-now-and-then", "expired-in-aggregates: counted",
        |store| store.choices.expired_counted = Mixed,
        "COUNT sometimes counts what is expired and not yet removed.";
    "upsert-replaces-expired", "expired-upsert-status: replaced",
        |store| store.choices.upsert_replaces_expired = Other,
        "An upsert over an expired item that is not yet removed says ok.";
    "upsert-replaces-expired-now-and-then", "expired-upsert-status: replaced",
        |store| store.choices.upsert_replaces_expired = Mixed,
        "An upsert over an expired item that is not yet removed sometimes says ok.";
    "condition-fails-first", "expired-precondition: precondition-failed",
        |store| store.choices.condition_first = Other,
        "A conditional write of an expired item fails for its condition.";
    "condition-fails-first-now-and-then", "expired-precondition: precondition-failed",
        |store| store.choices.condition_first = Mixed,
        "A conditional write of an expired item sometimes fails for its condition.";
    "lazy-index-lags", "lazy-index-may-lag: incomplete", |store| store.choices.lazy_index_lags = Other,
        "Under a lazy index queries find nothing after `defaultTtl` was changed.";
    "items-before-values", "refusal-order: later", |store| store.choices.item_before_value = Other,
        "A write looks for its item before it looks at its `ttl`.";
    "items-before-values-now-and-then", "refusal-order: later",
        |store| store.choices.item_before_value = Mixed,
        "A write sometimes looks for its item before it looks at its `ttl`.";
    "patches-of-ts-refused", "patch-of-ts: rejected", |store| store.choices.patch_of_ts_refused = Other,
        "Refuses a patch of `_ts`.";
    "patches-of-ts-refused-now-and-then", "patch-of-ts: rejected",
        |store| store.choices.patch_of_ts_refused = Mixed,
        "Sometimes refuses a patch of `_ts`.";
    "batches-blame-the-last-refused", "refusal-order: later",
        |store| store.choices.batch_blames_later = Other,
        "An aborted batch blames the last operation that was refused.";
    "batches-blame-either-refused", "refusal-order: later",
        |store| store.choices.batch_blames_later = Mixed,
        "An aborted batch blames now the first and now the last operation that was refused.";

    // More answers that are allowed, most of them without a value of an open clause.
    "lazy-index-lags-now-and-then", "lazy-index-may-lag: incomplete",
        |store| store.choices.lazy_index_lags = Mixed,
        "Under a lazy index queries sometimes find nothing after `defaultTtl` was changed.";
    "lazy-index-stale", "lazy-index-may-lag: incomplete",
        |store| (store.choices.lazy_index_lags, store.choices.lazy_index_stale) = (Other, true),
        "Under a lazy index queries go by the previous `defaultTtl`.";
    "lazy-index-refused", "indexed-modes-allow-ttl: where the account offers lazy indexing",
        |store| store.choices.lazy_index_refused = true,
        "Refuses a lazy index together with time to live.";
    "whole-default-fractions-taken", "container-not-an-integer-rejected: 10.0 and 10 are one number",
        |store| store.choices.default_fractions_taken = true,
        "Takes `defaultTtl` 10.0 for 10.";
    "kept-values-are-never", "item-invalid-while-off: stored", |store| {
            store.choices.anything_kept_while_off = Other;
            store.choices.kept_is_never = true;
        },
        "An item that kept a `ttl` that is no setting never expires, once the container is on.";
    "kept-values-are-never-for-some", "item-invalid-while-off: stored", |store| {
            store.choices.anything_kept_while_off = Mixed;
            store.choices.kept_is_never = true;
        },
        "Some items keep a `ttl` that is no setting and never expire; others are refused.";
    "condition-fails-until-removed", "expired-precondition: precondition-failed", |store| {
            store.choices.condition_first = Other;
            store.choices.condition_until_removed = true;
        },
        "A conditional write of an expired item fails for its condition, and finds nothing once it is removed.";
    "no-write-shows-its-item", "PROTOCOL.md: the answer to a write may omit `item`",
        |store| store.choices.shown_by = ShownBy::NoWrite,
        "No answer to a write has the item.";
    "only-creates-show-their-items", "PROTOCOL.md: the answer to a write may omit `item`",
        |store| store.choices.shown_by = ShownBy::CreatesOnly,
        "Of the answers to writes only those to creates have the item.";
    "upserts-say-created", "write-restarts-count: no clause is about the status of an upsert over a living item",
        |store| store.choices.upsert_says_created = Other,
        "Every upsert says created.";
    "upserts-say-created-now-and-then",
        "write-restarts-count: no clause is about the status of an upsert over a living item",
        |store| store.choices.upsert_says_created = Mixed,
        "An upsert over a living item sometimes says created.";
    "unindexed-queries-find-nothing", "ttl-needs-an-index: no clause is about queries there",
        |store| store.choices.unindexed = UnindexedAnswers::FindsNothing,
        "Queries and counts find nothing where there is no index.";
    "unindexed-queries-refused", "ttl-needs-an-index: no clause is about queries there",
        |store| store.choices.unindexed = UnindexedAnswers::Refuses,
        "Queries and counts are refused where there is no index.";

    // Several answers at once, and what is no answer.
    "every-other-choice", "every open clause", |store| {
            store.choices = Choices {
                null_default_refused: true,
                fractions_taken: Other,
                anything_kept_while_off: Other,
                expired_counted: Other,
                upsert_replaces_expired: Other,
                condition_first: Other,
                lazy_index_lags: Other,
                item_before_value: Other,
                patch_of_ts_refused: Other,
                batch_blames_later: Other,
                ..Choices::default()
            };
        },
        "Chooses otherwise wherever it may.";
    "pages-of-stored-items", "pages-hold-living-items-once: a page may be empty",
        |store| store.choices.pages_of_stored = true,
        "Divides what is stored into pages, and leaves out expired items afterwards: a page may be empty.";
    "starts-beyond-32-bits", "deadline-does-not-overflow", |store| store.later_s = 4_000_000_000,
        "Starts at a second of the epoch that 32 bits do not hold.";
    "etags-stay", "no clause forbids it", |store| store.choices.etags_stay = true,
        "An item keeps its etag when it is written, which no clause forbids.";
}
