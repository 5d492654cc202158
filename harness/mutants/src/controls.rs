//! Correct stores, each in a way of its own: no vector may fail one, and no exploration may accuse one.
//!
//! [`CONTROLS`] are the stores that every kill matrix has. [`all_controls`] are these and, from the same lists, each allowed
//! answer alone and every two that one store can give.

use std::sync::LazyLock;

use serde::Serialize;

use super::mutation::Mutation;
use super::store::{Background, Choices, IndependentStore, Pick, ShownBy, UnindexedAnswers};

use Pick::{Mixed, Other};

/// A correct store: no vector may fail it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Control {
    /// Immutable; `mutant:NAME` names it too.
    pub name: &'static str,
    /// The allowed behaviour, as a sentence.
    pub says: &'static str,
    /// The store.
    #[serde(skip)]
    pub store: IndependentStore,
}

impl Control {
    fn of(name: &'static str, says: &'static str, change: impl FnOnce(&mut IndependentStore)) -> Self {
        let mut store = IndependentStore::default();
        change(&mut store);
        Self { name, says, store }
    }
}

/// A behaviour that is allowed, although the evidence favours another one.
#[derive(Clone, Copy, Debug)]
pub struct AllowedAnswer {
    /// The name of the control that does this and nothing else unusual.
    pub name: &'static str,
    /// The behaviour, as a sentence.
    pub says: &'static str,
    /// The open clause and its value, or the clause or the document that leaves it open.
    pub allowed_by: &'static str,
    take: fn(&mut IndependentStore),
}

/// Declares allowed answers: a name, what allows it, a change of a store, and a sentence.
macro_rules! answers {
    ($($name:literal, $allowed_by:literal, $take:expr, $says:literal;)+) => {
        &[$(AllowedAnswer { name: $name, says: $says, allowed_by: $allowed_by, take: $take }),+]
    };
}

/// The answers that an open clause lists. `right` gives the other value of each of these clauses.
const LISTED: &[AllowedAnswer] = answers! {
    "expiry-latched", "reappearance: gone", |store| store.latched = Other,
        "What was expired once stays so, under whatever settings.";
    "expiry-latched-for-some", "reappearance: gone", |store| store.latched = Mixed,
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
};

/// More answers that are allowed, most of them without a value of an open clause.
const UNLISTED: &[AllowedAnswer] = answers! {
    "lazy-index-lags-now-and-then", "lazy-index-may-lag: incomplete",
        |store| store.choices.lazy_index_lags = Mixed,
        "Under a lazy index queries sometimes find nothing after `defaultTtl` was changed.";
    "lazy-index-stale", "lazy-index-may-lag: incomplete",
        |store| (store.choices.lazy_index_lags, store.freedoms.lazy_index_stale) = (Other, true),
        "Under a lazy index queries go by the previous `defaultTtl`.";
    "lazy-index-refused", "indexed-modes-allow-ttl: where the account offers lazy indexing",
        |store| store.freedoms.lazy_index_refused = true,
        "Refuses a lazy index together with time to live.";
    "whole-default-fractions-taken", "container-not-an-integer-rejected: 10.0 and 10 are one number",
        |store| store.freedoms.default_fractions_taken = true,
        "Takes `defaultTtl` 10.0 for 10.";
    "kept-values-are-never", "item-invalid-while-off: stored", |store| {
            store.choices.anything_kept_while_off = Other;
            store.freedoms.kept_is_never = true;
        },
        "An item that kept a `ttl` that is no setting never expires, once the container is on.";
    "kept-values-are-never-for-some", "item-invalid-while-off: stored", |store| {
            store.choices.anything_kept_while_off = Mixed;
            store.freedoms.kept_is_never = true;
        },
        "Some items keep a `ttl` that is no setting and never expire; others are refused.";
    "condition-fails-until-removed", "expired-precondition: precondition-failed", |store| {
            store.choices.condition_first = Other;
            store.freedoms.condition_until_removed = true;
        },
        "A conditional write of an expired item fails for its condition, and finds nothing once it is removed.";
    "no-write-shows-its-item", "PROTOCOL.md: the answer to a write may omit `item`",
        |store| store.freedoms.shown_by = ShownBy::NoWrite,
        "No answer to a write has the item.";
    "only-creates-show-their-items", "PROTOCOL.md: the answer to a write may omit `item`",
        |store| store.freedoms.shown_by = ShownBy::CreatesOnly,
        "Of the answers to writes only those to creates have the item.";
    "upserts-say-created", "write-restarts-count: no clause is about the status of an upsert over a living item",
        |store| store.freedoms.upsert_says_created = Other,
        "Every upsert says created.";
    "upserts-say-created-now-and-then",
        "write-restarts-count: no clause is about the status of an upsert over a living item",
        |store| store.freedoms.upsert_says_created = Mixed,
        "An upsert over a living item sometimes says created.";
    "unindexed-queries-find-nothing", "ttl-needs-an-index: no clause is about queries there",
        |store| store.freedoms.unindexed = UnindexedAnswers::FindsNothing,
        "Queries and counts find nothing where there is no index.";
    "unindexed-queries-refused", "ttl-needs-an-index: no clause is about queries there",
        |store| store.freedoms.unindexed = UnindexedAnswers::Refuses,
        "Queries and counts are refused where there is no index.";
};

/// Returns each answer that a correct store may give and a usual store does not.
pub fn allowed_answers() -> impl Iterator<Item = &'static AllowedAnswer> + Clone {
    LISTED.iter().chain(UNLISTED)
}

/// The controls of every kill matrix.
pub static CONTROLS: LazyLock<Vec<Control>> = LazyLock::new(|| {
    let first = [
        Control::of("right", "Chooses what the evidence favours, and removes when it is told to.", |_| {}),
        Control::of("removal-never", "Never removes anything.", |store| store.background = Background::Never),
        Control::of("removal-eager", "Removes whatever is expired at once.", |store| {
            store.background = Background::Eager;
        }),
        Control::of("removal-every-second-request", "Removes before every second request.", |store| {
            store.background = Background::Every(2);
        }),
        Control::of("removal-every-third-request", "Removes before every third request.", |store| {
            store.background = Background::Every(3);
        }),
    ];
    let last = [
        Control::of("every-other-choice", "Chooses otherwise wherever it may.", |store| {
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
            };
        }),
        Control::of(
            "pages-of-stored-items",
            "Divides what is stored into pages, and leaves out expired items afterwards: a page may be empty.",
            |store| store.pages_of_stored = true,
        ),
        Control::of(
            "starts-beyond-32-bits",
            "Starts at a second of the epoch that 32 bits do not hold.",
            |store| store.later_s = 4_000_000_000,
        ),
        Control::of(
            "etags-stay",
            "An item keeps its etag when it is written, which no clause forbids.",
            |store| store.mutation = Some(Mutation::EtagsStay),
        ),
    ];
    first.into_iter().chain(alone(LISTED)).chain(last).collect()
});

/// Returns every control: [`CONTROLS`], each allowed answer alone, and every two that one store can give.
pub fn all_controls() -> &'static [Control] {
    static ALL: LazyLock<Vec<Control>> = LazyLock::new(|| {
        let pairs = allowed_answers().enumerate().flat_map(|(number, one)| {
            allowed_answers().skip(number + 1).filter_map(|other| together(one, other))
        });
        CONTROLS.iter().copied().chain(alone(UNLISTED)).chain(pairs).collect()
    });
    &ALL
}

fn alone(answers: &'static [AllowedAnswer]) -> impl Iterator<Item = Control> {
    answers.iter().map(|answer| Control::of(answer.name, answer.says, answer.take))
}

/// Returns the store that gives both answers, if one store can and it is none of the two alone.
///
/// Both answers are given if their order makes no difference.
fn together(one: &AllowedAnswer, other: &AllowedAnswer) -> Option<Control> {
    let store = |changes: &[&AllowedAnswer]| {
        let mut store = IndependentStore::default();
        for answer in changes {
            (answer.take)(&mut store);
        }
        store
    };
    let both = store(&[one, other]);
    if both != store(&[other, one]) || [one, other].iter().any(|answer| both == store(&[answer])) {
        return None;
    }
    // A name is part of a store that is copied; each pair is made once in a process.
    let name: &str = format!("{}+{}", one.name, other.name).leak();
    let says: &str = format!("{} {}", one.says, other.says).leak();
    Some(Control { name, says, store: both })
}
