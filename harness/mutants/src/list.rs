//! Every mutant and every control.

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

use Pick::{Mixed, Other, Usual};

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
        IndependentStore::with(self.mutation)
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
    [values::MUTANTS, time::MUTANTS, visibility::MUTANTS].into_iter().flatten()
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

const CHOICES: Choices = Choices {
    null_default_refused: false,
    fractions_taken: Usual,
    anything_kept_while_off: Usual,
    expired_counted: Usual,
    upsert_replaces_expired: Usual,
    condition_first: Usual,
    lazy_index_lags: false,
};

const RIGHT: IndependentStore = IndependentStore {
    name: None,
    choices: CHOICES,
    background: Background::AsTold,
    latched: Usual,
    later_s: 0,
    mutation: None,
};

const fn removing(background: Background) -> IndependentStore {
    IndependentStore { background, ..RIGHT }
}

const fn choosing(choices: Choices) -> IndependentStore {
    IndependentStore { choices, ..RIGHT }
}

const fn control(name: &'static str, store: IndependentStore, says: &'static str) -> Control {
    Control { name, says, store }
}

/// Every control.
#[rustfmt::skip]
pub const CONTROLS: &[Control] = &[
    control("right", RIGHT,
        "Chooses what the evidence favours, and removes when it is told to."),
    control("removal-never", removing(Background::Never),
        "Never removes anything."),
    control("removal-eager", removing(Background::Eager),
        "Removes whatever is expired at once."),
    control("removal-every-second-request", removing(Background::Every(2)),
        "Removes before every second request."),
    control("removal-every-third-request", removing(Background::Every(3)),
        "Removes before every third request."),
    control("expiry-latched", IndependentStore { latched: Other, ..RIGHT },
        "What was expired once stays so, under whatever settings."),
    control("expiry-latched-for-some", IndependentStore { latched: Mixed, ..RIGHT },
        "Some items that were expired once stay so, others are back."),
    control("null-default-refused", choosing(Choices { null_default_refused: true, ..CHOICES }),
        "Refuses null as `defaultTtl`."),
    control("whole-fractions-taken", choosing(Choices { fractions_taken: Other, ..CHOICES }),
        "Takes `ttl` 10.0 for 10."),
    control("whole-fractions-taken-for-some", choosing(Choices { fractions_taken: Mixed, ..CHOICES }),
        "Takes `ttl` 10.0 for 10 on some items, and refuses it on others."),
    control("anything-kept-while-off", choosing(Choices { anything_kept_while_off: Other, ..CHOICES }),
        "Keeps a `ttl` that is no setting while the container is off."),
    control("anything-kept-while-off-for-some", choosing(Choices { anything_kept_while_off: Mixed, ..CHOICES }),
        "Keeps a `ttl` that is no setting while the container is off, on some items."),
    control("expired-counted", choosing(Choices { expired_counted: Other, ..CHOICES }),
        "COUNT counts what is expired and not yet removed."),
    control("expired-counted-now-and-then", choosing(Choices { expired_counted: Mixed, ..CHOICES }),
        "COUNT sometimes counts what is expired and not yet removed."),
    control("upsert-replaces-expired", choosing(Choices { upsert_replaces_expired: Other, ..CHOICES }),
        "An upsert over an expired item that is not yet removed says ok."),
    control("upsert-replaces-expired-now-and-then", choosing(Choices { upsert_replaces_expired: Mixed, ..CHOICES }),
        "An upsert over an expired item that is not yet removed sometimes says ok."),
    control("condition-fails-first", choosing(Choices { condition_first: Other, ..CHOICES }),
        "A conditional write of an expired item fails for its condition."),
    control("condition-fails-first-now-and-then", choosing(Choices { condition_first: Mixed, ..CHOICES }),
        "A conditional write of an expired item sometimes fails for its condition."),
    control("lazy-index-lags", choosing(Choices { lazy_index_lags: true, ..CHOICES }),
        "Under a lazy index queries find nothing after time to live was switched on."),
    control("every-other-choice", choosing(Choices {
            null_default_refused: true,
            fractions_taken: Other,
            anything_kept_while_off: Other,
            expired_counted: Other,
            upsert_replaces_expired: Other,
            condition_first: Other,
            lazy_index_lags: true,
        }),
        "Chooses otherwise wherever it may."),
    control("starts-beyond-32-bits", IndependentStore { later_s: 4_000_000_000, ..RIGHT },
        "Starts at a second of the epoch that 32 bits do not hold."),
    control("etags-stay", IndependentStore { mutation: Some(Mutation::EtagsStay), ..RIGHT },
        "An item keeps its etag when it is written, which no clause forbids."),
];
