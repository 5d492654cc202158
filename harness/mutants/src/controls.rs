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

/// Declares controls: a name, what allows it, the choices that are not the usual ones, and a sentence.
macro_rules! controls {
    ($($name:expr, $allowed_by:literal, {$($choice:ident: $value:expr),+ $(,)?}, $says:expr;)+) => {
        vec![$({
            let choices = Choices { $($choice: $value,)+ ..Choices::default() };
            let store = IndependentStore { choices, ..IndependentStore::default() };
            Control { name: $name, says: $says, allowed_by: $allowed_by, store }
        }),+]
    };
}

/// Declares two controls for each choice: one always makes it, and the other sometimes.
macro_rules! pairs {
    ($sometimes:literal, $says_sometimes:literal =>
        $($name:literal, $allowed_by:literal, $choice:ident $({$other:ident: $value:expr})?, $says:literal;)+) => {
        controls! {$(
            $name, $allowed_by, {$choice: Other $(, $other: $value)?}, concat!($says, ".");
            concat!($name, $sometimes), $allowed_by, {$choice: Mixed $(, $other: $value)?},
                concat!($says, $says_sometimes);
        )+}
    };
}

fn removing(name: &'static str, background: Background, says: &'static str) -> Control {
    let store = IndependentStore { background, ..IndependentStore::default() };
    Control { name, says, allowed_by: "purge-invisible", store }
}

/// Every control: the usual store, each allowed answer alone, and what no clause is about.
pub static CONTROLS: LazyLock<Vec<Control>> = LazyLock::new(|| {
    let mut all = vec![
        Control {
            name: "right",
            says: "Chooses what the evidence favours, and removes when it is told to.",
            allowed_by: "the evidence favours it",
            store: IndependentStore::default(),
        },
        removing("removal-never", Background::Never, "Never removes anything."),
        removing("removal-eager", Background::Eager, "Removes whatever is expired at once."),
        removing(
            "removal-every-second-request",
            Background::Every(2),
            "Removes before every second request.",
        ),
        removing("removal-every-third-request", Background::Every(3), "Removes before every third request."),
        Control {
            name: "starts-beyond-32-bits",
            says: "Starts at a second of the epoch that 32 bits do not hold.",
            allowed_by: "deadline-does-not-overflow",
            store: IndependentStore { later_s: 4_000_000_000, ..IndependentStore::default() },
        },
    ];
    all.extend(pairs! { "-for-some", ", for some items." =>
        "expiry-latched", "reappearance: gone", latched,
            "What was expired once stays so, under whatever settings";
        "whole-fractions-taken", "item-integral-fraction: accepted", fractions_taken, "Takes `ttl` 10.0 for 10";
        "anything-kept-while-off", "item-invalid-while-off: stored", anything_kept_while_off,
            "Keeps a `ttl` that is no setting while the container is off";
        "kept-values-are-never", "item-invalid-while-off: stored", anything_kept_while_off {kept_is_never: true},
            "Keeps a `ttl` that is no setting while the container is off, and takes it for -1 once it is on";
    });
    all.extend(pairs! { "-now-and-then", ", now and then." =>
        "expired-counted", "expired-in-aggregates: counted", expired_counted,
            "COUNT counts what is expired and not yet removed";
        "upsert-replaces-expired", "expired-upsert-status: replaced", upsert_replaces_expired,
            "An upsert over an expired item that is not yet removed says ok";
        "condition-fails-first", "expired-precondition: precondition-failed", condition_first,
            "A conditional write of an expired item fails for its condition";
        "lazy-index-lags", "lazy-index-may-lag: incomplete", lazy_index_lags,
            "Under a lazy index queries find nothing after `defaultTtl` was changed";
        "items-before-values", "refusal-order: later", item_before_value,
            "A write looks for its item before it looks at its `ttl`";
        "batches-blame-the-last-refused", "refusal-order: later", batch_blames_later,
            "An aborted batch blames the last operation that was refused";
        "upserts-say-created", "write-restarts-count: no clause is about the status of an upsert over a living item",
            upsert_says_created, "Every upsert says created";
    });
    all.extend(controls! {
        "null-refused-in-replacement", "container-null-in-replacement: rejected", {null_in_replacement_refused: true},
            "Refuses null as a `defaultTtl` that replaces another.";
        "null-refused-at-creation", "container-null-at-creation: rejected", {null_at_creation_refused: true},
            "Refuses null as the `defaultTtl` of a new container.";
        "lazy-index-stale", "lazy-index-may-lag: incomplete", {lazy_index_lags: Other, lazy_index_stale: true},
            "Under a lazy index queries go by the previous `defaultTtl`.";
        "no-write-shows-its-item", "PROTOCOL.md: the answer to a write may omit `item`",
            {shown_by: ShownBy::NoWrite}, "No answer to a write has the item.";
        "only-creates-show-their-items", "PROTOCOL.md: the answer to a write may omit `item`",
            {shown_by: ShownBy::CreatesOnly}, "Of the answers to writes only those to creates have the item.";
        "lazy-index-refused", "indexed-modes-allow-ttl: where the account offers lazy indexing",
            {lazy_index_refused: true}, "Refuses a lazy index together with time to live.";
        "whole-default-fractions-taken", "container-not-an-integer-rejected: 10.0 and 10 are one number",
            {default_fractions_taken: true}, "Takes `defaultTtl` 10.0 for 10.";
        "condition-fails-until-removed", "expired-precondition: precondition-failed",
            {condition_first: Other, condition_until_removed: true},
            "A conditional write of an expired item fails for its condition, and finds nothing once it is removed.";
        "unindexed-queries-find-nothing", "ttl-needs-an-index: no clause is about queries there",
            {unindexed: UnindexedAnswers::FindsNothing}, "Queries and counts find nothing where there is no index.";
        "unindexed-queries-refused", "ttl-needs-an-index: no clause is about queries there",
            {unindexed: UnindexedAnswers::Refuses}, "Queries and counts are refused where there is no index.";
        "pages-of-stored-items", "pages-hold-living-items-once: a page may be empty", {pages_of_stored: true},
            "Divides what is stored into pages, and leaves out expired items afterwards: a page may be empty.";
        "etags-stay", "no clause forbids it", {etags_stay: true},
            "An item keeps its etag when it is written, which no clause forbids.";
        "every-other-choice", "every open clause",
            {
                null_at_creation_refused: true, null_in_replacement_refused: true, fractions_taken: Other, anything_kept_while_off: Other,
                expired_counted: Other, upsert_replaces_expired: Other, condition_first: Other,
                lazy_index_lags: Other, item_before_value: Other,
                batch_blames_later: Other,
            },
            "Chooses otherwise wherever it may.";
    });
    all
});
