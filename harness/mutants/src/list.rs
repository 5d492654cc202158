//! Every mutant and every control.

use std::sync::LazyLock;

use super::mutation::Mutation;
use super::store::{Background, Choices, IndependentStore, Pick};
use cosmos_ttl_harness::suggest;
use serde::Serialize;

/// Declares mutants: a name, the clauses that it breaks, its mutation, and a sentence.
///
/// A mutant that nobody can tell from a right store says why after `equivalent`.
macro_rules! mutants {
    ($($name:literal breaks $clauses:expr =>
        $mutation:ident $(($($argument:expr),+))?, $says:literal $(, equivalent: $why:literal)?;)+) => {
        pub(super) const MUTANTS: &[super::Mutant] = &[$(super::Mutant {
            name: $name,
            clauses: &$clauses,
            says: $says,
            mutation: crate::mutation::Mutation::$mutation $(($($argument),+))?,
            equivalent: <[&str]>::first(&[$($why)?]).copied(),
        }),+];
    };
}

use Pick::{Mixed, Other};

mod identity;
mod paths;
mod time;
mod values;
mod visibility;

/// Longer than anything lasts.
const FOR_EVER: i128 = 1 << 100;

/// A store with one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mutant {
    /// Immutable; what `mutant:NAME` says.
    pub name: &'static str,
    /// The clauses that it breaks, at least one.
    pub clauses: &'static [&'static str],
    /// Which misreading it is, in a sentence.
    pub says: &'static str,
    /// How the store is changed.
    #[serde(skip)]
    pub mutation: Mutation,
    /// Why nobody can tell it from a right store, where nobody can.
    pub equivalent: Option<&'static str>,
}

impl Mutant {
    /// Returns the store.
    pub fn store(&self) -> IndependentStore {
        IndependentStore { mutation: Some(self.mutation), ..IndependentStore::default() }
    }
}

/// A store that is right in a way of its own: no vector may fail it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Control {
    /// Immutable; `mutant:NAME` names it too.
    pub name: &'static str,
    /// What it does that is allowed, in a sentence.
    pub says: &'static str,
    /// The store.
    #[serde(skip)]
    pub store: IndependentStore,
}

/// Returns every mutant, in the order of the sections.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> + Clone {
    let written =
        [values::MUTANTS, time::MUTANTS, visibility::MUTANTS, identity::MUTANTS].into_iter().flatten();
    written.chain(paths::TABLES.iter().copied().flatten().copied().flatten())
}

/// Returns the store of the mutant or the control with this name, as a target that goes by it.
///
/// # Errors
///
/// The names that it may have been meant for, where there is none.
pub fn named(name: &str) -> Result<IndependentStore, Vec<&'static str>> {
    let mutants = mutants().map(|one| (one.name, one.store()));
    let mut all = mutants.chain(CONTROLS.iter().map(|one| (one.name, one.store)));
    let names = all.clone().map(|(name, _)| name);
    match all.find(|(one, _)| *one == name) {
        Some((name, store)) => Ok(IndependentStore { name: Some(name), ..store }),
        None => Err(suggest::suggest(name, names)),
    }
}

/// Every control.
#[rustfmt::skip]
pub static CONTROLS: LazyLock<Vec<Control>> = LazyLock::new(|| {
    let control = |name, change: fn(&mut IndependentStore), says| {
        let mut store = IndependentStore::default();
        change(&mut store);
        Control { name, says, store }
    };
    vec![
        control("right", |_| {},
            "Chooses what the evidence favours, and removes when it is told to."),
        control("removal-never", |store| store.background = Background::Never,
            "Never removes anything."),
        control("removal-eager", |store| store.background = Background::Eager,
            "Removes whatever is expired at once."),
        control("removal-every-second-request", |store| store.background = Background::Every(2),
            "Removes before every second request."),
        control("removal-every-third-request", |store| store.background = Background::Every(3),
            "Removes before every third request."),
        control("expiry-latched", |store| store.latched = Other,
            "What was expired once stays so, under whatever settings."),
        control("expiry-latched-for-some", |store| store.latched = Mixed,
            "Some items that were expired once stay so, others are back."),
        control("null-default-refused", |store| store.choices.null_default_refused = true,
            "Refuses null as `defaultTtl`."),
        control("whole-fractions-taken", |store| store.choices.fractions_taken = Other,
            "Takes `ttl` 10.0 for 10."),
        control("whole-fractions-taken-for-some", |store| store.choices.fractions_taken = Mixed,
            "Takes `ttl` 10.0 for 10 on some items, and refuses it on others."),
        control("anything-kept-while-off", |store| store.choices.anything_kept_while_off = Other,
            "Keeps a `ttl` that is no setting while the container is off."),
        control("anything-kept-while-off-for-some", |store| store.choices.anything_kept_while_off = Mixed,
            "Keeps a `ttl` that is no setting while the container is off, on some items."),
        control("expired-counted", |store| store.choices.expired_counted = Other,
            "COUNT counts what is expired and not yet removed."),
        control("expired-counted-now-and-then", |store| store.choices.expired_counted = Mixed,
            "COUNT sometimes counts what is expired and not yet removed."),
        control("upsert-replaces-expired", |store| store.choices.upsert_replaces_expired = Other,
            "An upsert over an expired item that is not yet removed says ok."),
        control("upsert-replaces-expired-now-and-then", |store| store.choices.upsert_replaces_expired = Mixed,
            "An upsert over an expired item that is not yet removed sometimes says ok."),
        control("condition-fails-first", |store| store.choices.condition_first = Other,
            "A conditional write of an expired item fails for its condition."),
        control("condition-fails-first-now-and-then", |store| store.choices.condition_first = Mixed,
            "A conditional write of an expired item sometimes fails for its condition."),
        control("lazy-index-lags", |store| store.choices.lazy_index_lags = true,
            "Under a lazy index queries find nothing after `defaultTtl` was changed."),
        control("items-before-values", |store| store.choices.item_before_value = Other,
            "A write looks for its item before it looks at its `ttl`."),
        control("items-before-values-now-and-then", |store| store.choices.item_before_value = Mixed,
            "A write sometimes looks for its item before it looks at its `ttl`."),
        control("batches-blame-the-last-refused", |store| store.choices.batch_blames_later = Other,
            "An aborted batch blames the last operation that was refused."),
        control("batches-blame-either-refused", |store| store.choices.batch_blames_later = Mixed,
            "An aborted batch blames now the first and now the last operation that was refused."),
        control("every-other-choice", |store| store.choices = Choices {
                null_default_refused: true,
                fractions_taken: Other,
                anything_kept_while_off: Other,
                expired_counted: Other,
                upsert_replaces_expired: Other,
                condition_first: Other,
                lazy_index_lags: true,
                item_before_value: Other,
                batch_blames_later: Other,
            },
            "Chooses otherwise wherever it may."),
        control("pages-of-stored-items", |store| store.pages_of_stored = true,
            "Divides what is stored into pages, and leaves out expired items afterwards: a page may be empty."),
        control("starts-beyond-32-bits", |store| store.later_s = 4_000_000_000,
            "Starts at a second of the epoch that 32 bits do not hold."),
        control("etags-stay", |store| store.mutation = Some(Mutation::EtagsStay),
            "An item keeps its etag when it is written, which no clause forbids."),
    ]
});
