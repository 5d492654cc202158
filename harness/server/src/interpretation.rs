//! `CLAUSE=VALUE`: the server's choice where the documents leave one.

use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex, RefusalOrder,
};

use crate::item_store::RemovalSchedule;

/// Every choice of a server where the documents leave one.
#[derive(Clone, Copy, Debug)]
pub struct ServerChoices {
    /// The choices of the model.
    pub interpretation: Interpretation,
    /// When expired items are removed: whether one comes back follows from it.
    pub removal: RemovalSchedule,
    /// `patch-of-ts`
    pub patch_of_ts: PatchOfTs,
}

/// The meaning of a patch of `_ts`. The model has no such request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatchOfTs {
    /// A bad request.
    #[default]
    Rejected,
    /// A patch without this operation.
    Ignored,
}

/// A choice that was given on the command line.
#[derive(Clone, Copy, Debug)]
pub struct ClauseChoice(Effect);

#[derive(Clone, Copy, Debug)]
enum Effect {
    Model(fn(&mut Interpretation)),
    Removal(RemovalSchedule),
    PatchOfTs(PatchOfTs),
}

/// Every open clause with its values.
const CHOICES: [(&str, &str, Effect); 20] = [
    ("container-null-is-off", "off", Effect::Model(|all| all.container_null = ContainerNull::Off)),
    ("container-null-is-off", "rejected", Effect::Model(|all| all.container_null = ContainerNull::Rejected)),
    (
        "item-integral-fraction",
        "accepted",
        Effect::Model(|all| all.integral_fraction = IntegralFraction::Accepted),
    ),
    (
        "item-integral-fraction",
        "rejected",
        Effect::Model(|all| all.integral_fraction = IntegralFraction::Rejected),
    ),
    (
        "item-invalid-while-off",
        "rejected",
        Effect::Model(|all| all.invalid_while_off = InvalidWhileOff::Rejected),
    ),
    (
        "item-invalid-while-off",
        "stored",
        Effect::Model(|all| all.invalid_while_off = InvalidWhileOff::Stored),
    ),
    ("refusal-order", "first", Effect::Model(|all| all.refusal_order = RefusalOrder::First)),
    ("refusal-order", "later", Effect::Model(|all| all.refusal_order = RefusalOrder::Later)),
    ("expired-in-aggregates", "excluded", Effect::Model(|all| all.aggregates = Aggregates::Excluded)),
    ("expired-in-aggregates", "counted", Effect::Model(|all| all.aggregates = Aggregates::Counted)),
    ("expired-upsert-status", "created", Effect::Model(|all| all.expired_upsert = ExpiredUpsert::Created)),
    ("expired-upsert-status", "replaced", Effect::Model(|all| all.expired_upsert = ExpiredUpsert::Replaced)),
    (
        "expired-precondition",
        "not-found",
        Effect::Model(|all| all.expired_precondition = ExpiredPrecondition::NotFound),
    ),
    (
        "expired-precondition",
        "precondition-failed",
        Effect::Model(|all| all.expired_precondition = ExpiredPrecondition::PreconditionFailed),
    ),
    ("reappearance", "back", Effect::Removal(RemovalSchedule::ByHand)),
    ("reappearance", "gone", Effect::Removal(RemovalSchedule::Eager)),
    ("patch-of-ts", "ignored", Effect::PatchOfTs(PatchOfTs::Ignored)),
    ("patch-of-ts", "rejected", Effect::PatchOfTs(PatchOfTs::Rejected)),
    ("lazy-index-may-lag", "complete", Effect::Model(|all| all.lazy_index = LazyIndex::Complete)),
    ("lazy-index-may-lag", "incomplete", Effect::Model(|all| all.lazy_index = LazyIndex::Incomplete)),
];

impl ClauseChoice {
    /// Reads `CLAUSE=VALUE`.
    ///
    /// # Errors
    ///
    /// A sentence that lists what is accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = text.split_once('=').and_then(|(clause, value)| {
            CHOICES.iter().find(|(known, choice, _)| *known == clause && *choice == value)
        });
        found.map(|(.., effect)| Self(*effect)).ok_or_else(|| {
            let all = Self::all().collect::<Vec<_>>().join(", ");
            format!("not a choice of an open clause; accepted are {all}")
        })
    }

    /// Lists every choice, as [`ClauseChoice::parse`] reads it.
    pub fn all() -> impl Iterator<Item = String> {
        CHOICES.iter().map(|(clause, value, _)| format!("{clause}={value}"))
    }

    /// Makes the choice.
    pub fn apply(self, choices: &mut ServerChoices) {
        match self.0 {
            Effect::Model(choose) => choose(&mut choices.interpretation),
            Effect::Removal(schedule) => choices.removal = schedule,
            Effect::PatchOfTs(meaning) => choices.patch_of_ts = meaning,
        }
    }
}
