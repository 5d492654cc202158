//! The choices that a request meets: which open clauses may decide its answer, and how far each choice reaches.

use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex,
};

use crate::Call;
use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target::{Id, Operation, Request};

/// An open clause that is a field of the model's interpretation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    ContainerNull,
    IntegralFraction,
    InvalidWhileOff,
    Aggregates,
    ExpiredUpsert,
    ExpiredPrecondition,
    LazyIndex,
}

/// A choice: the clause and, where it binds an item, which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) clause: &'static str,
    pub(super) of: Option<Id>,
}

/// The open clause that is no field: what became of an item while it was expired.
pub(super) const REAPPEARANCE: &str = "reappearance";

impl Field {
    /// The clause and its values, the usual one first.
    pub(super) fn clause(self) -> (&'static str, [&'static str; 2]) {
        match self {
            Self::ContainerNull => ("container-null-is-off", ["off", "rejected"]),
            Self::IntegralFraction => ("item-integral-fraction", ["rejected", "accepted"]),
            Self::InvalidWhileOff => ("item-invalid-while-off", ["rejected", "stored"]),
            Self::Aggregates => ("expired-in-aggregates", ["excluded", "counted"]),
            Self::ExpiredUpsert => ("expired-upsert-status", ["created", "replaced"]),
            Self::ExpiredPrecondition => ("expired-precondition", ["not-found", "precondition-failed"]),
            Self::LazyIndex => ("lazy-index-may-lag", ["complete", "incomplete"]),
        }
    }

    /// Whether one choice holds for all of a vector, or of an item.
    pub(super) fn binds(self) -> bool {
        matches!(self, Self::ContainerNull | Self::IntegralFraction | Self::InvalidWhileOff)
    }

    /// The interpretation with the usual value, or with the other.
    pub(super) fn chosen(self, other: bool, mut all: Interpretation) -> Interpretation {
        match self {
            Self::ContainerNull => {
                all.container_null = if other { ContainerNull::Rejected } else { ContainerNull::Off };
            }
            Self::IntegralFraction => {
                all.integral_fraction =
                    if other { IntegralFraction::Accepted } else { IntegralFraction::Rejected };
            }
            Self::InvalidWhileOff => {
                all.invalid_while_off =
                    if other { InvalidWhileOff::Stored } else { InvalidWhileOff::Rejected };
            }
            Self::Aggregates => {
                all.aggregates = if other { Aggregates::Counted } else { Aggregates::Excluded };
            }
            Self::ExpiredUpsert => {
                all.expired_upsert = if other { ExpiredUpsert::Replaced } else { ExpiredUpsert::Created };
            }
            Self::ExpiredPrecondition => {
                all.expired_precondition = if other {
                    ExpiredPrecondition::PreconditionFailed
                } else {
                    ExpiredPrecondition::NotFound
                };
            }
            Self::LazyIndex => {
                all.lazy_index = if other { LazyIndex::Incomplete } else { LazyIndex::Complete };
            }
        }
        all
    }
}

/// Every choice that may decide how this is answered.
///
/// # Errors
///
/// Where a batch meets the same clause for two items: each chooses for itself, and the model chooses once a request.
pub(super) fn choices(ask: &Call) -> Result<Vec<(Field, Key)>, String> {
    let mut all: Vec<(Field, Key)> = Vec::new();
    let mut add = |field: Field, of: Option<&str>| {
        let key = Key { clause: field.clause().0, of: of.map(str::to_owned) };
        if !all.contains(&(field, key.clone())) {
            all.push((field, key));
        }
    };
    match &ask.request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
            if container.default_ttl.as_ref().map(Literal::kind) == Some(Kind::Null) {
                add(Field::ContainerNull, None);
            }
        }
        Request::Query | Request::List => add(Field::LazyIndex, None),
        Request::Count => {
            add(Field::LazyIndex, None);
            add(Field::Aggregates, None);
        }
        Request::Item(_) | Request::Batch(_) => {}
    }
    for operation in ask.request.operations() {
        for field in of_value(operation) {
            add(field, Some(operation.id()));
        }
        if let Operation::Upsert(_) = operation {
            add(Field::ExpiredUpsert, None);
        }
    }
    if !ask.conditions.is_empty() {
        add(Field::ExpiredPrecondition, None);
    }
    let twice = |(field, key): &(Field, Key)| all.iter().any(|(other, of)| field == other && key != of);
    match all.iter().find(|one| twice(one)) {
        Some((field, _)) => Err(format!("`{}` is open for two items of one batch", field.clause().0)),
        None => Ok(all),
    }
}

/// The choices that a written `ttl` meets.
fn of_value(operation: &Operation) -> Vec<Field> {
    let ttl = match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            document.ttl()
        }
        Operation::Patch(patch, _) => patch.set.get("ttl"),
        Operation::Read(_) | Operation::Delete(..) => None,
    };
    match ttl.map(Literal::kind) {
        None => Vec::new(),
        Some(Kind::Whole(number)) if number == -1 || (1..=2_147_483_647).contains(&number) => Vec::new(),
        Some(Kind::WholeAsFraction(_)) => vec![Field::IntegralFraction, Field::InvalidWhileOff],
        Some(_) => vec![Field::InvalidWhileOff],
    }
}
