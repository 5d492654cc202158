//! Every combination of the choices that the documents leave, for the reference and for the naive store alike.

use cosmos_ttl_harness::target::{About, Edition, Fault, Opening, Session, Target};
use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex, RefusalOrder,
};
use cosmos_ttl_reference::Reference;

use cosmos_ttl_mutants::{Choices, Pick};

/// How many combinations there are.
pub const COUNT: u16 = 1 << 8;

/// The combination with this number, for the model and for the naive store.
pub fn numbered(number: u16) -> (Interpretation, Choices) {
    let bit = |place: u16| number >> place & 1 == 1;
    let pick = |place| if bit(place) { Pick::Other } else { Pick::Usual };
    let choices = Choices {
        null_default_refused: bit(0),
        fractions_taken: pick(1),
        anything_kept_while_off: pick(2),
        expired_counted: pick(3),
        upsert_replaces_expired: pick(4),
        condition_first: pick(5),
        lazy_index_lags: pick(6),
        item_before_value: pick(7),
        // The model ignores a `_ts`.
        patch_of_ts_refused: Pick::Usual,
        batch_blames_later: pick(7),
    };
    let interpretation = Interpretation {
        container_null: if bit(0) { ContainerNull::Rejected } else { ContainerNull::Off },
        integral_fraction: if bit(1) { IntegralFraction::Accepted } else { IntegralFraction::Rejected },
        invalid_while_off: if bit(2) { InvalidWhileOff::Stored } else { InvalidWhileOff::Rejected },
        aggregates: if bit(3) { Aggregates::Counted } else { Aggregates::Excluded },
        expired_upsert: if bit(4) { ExpiredUpsert::Replaced } else { ExpiredUpsert::Created },
        expired_precondition: if bit(5) {
            ExpiredPrecondition::PreconditionFailed
        } else {
            ExpiredPrecondition::NotFound
        },
        lazy_index: if bit(6) { LazyIndex::Incomplete } else { LazyIndex::Complete },
        refusal_order: if bit(7) { RefusalOrder::Later } else { RefusalOrder::First },
    };
    (interpretation, choices)
}

/// A target that offers a single edition.
#[derive(Clone, Copy, Debug)]
pub struct In<T>(pub Edition, pub T);

impl<T: Target> Target for In<T> {
    fn about(&self) -> About {
        About { editions: vec![self.0], ..self.1.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        assert_eq!(opening.edition, self.0, "the harness opens what was offered");
        self.1.open(opening)
    }
}

/// The reference with this interpretation.
pub fn reference(interpretation: Interpretation) -> Reference {
    Reference { interpretation }
}
