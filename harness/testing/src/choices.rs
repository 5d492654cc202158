//! Every combination of the choices that the documents leave, for the reference and for the naive store alike.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_model::choices::{OpenChoice, Preferences};

use cosmos_ttl_mutants::{Choices, Pick};

/// The choices that are combined, each a bit of a number.
const CHOICES: [OpenChoice; 9] = [
    OpenChoice::NewNullIsRefused,
    OpenChoice::FractionIsAccepted,
    OpenChoice::WrongTtlIsStored,
    OpenChoice::ExpiredAreCounted,
    OpenChoice::ExpiredIsReplaced,
    OpenChoice::ExpiredFailsPrecondition,
    OpenChoice::IndexLags,
    OpenChoice::LaterRefusalIsAnswered,
    OpenChoice::NullIsRefused,
];

/// How many combinations there are.
pub const COUNT: u16 = 1 << CHOICES.len();

/// The combination with this number, for the model and for the naive store.
pub fn numbered(number: u16) -> (Preferences, Choices) {
    let bit = |place: u16| number >> place & 1 == 1;
    let pick = |place| if bit(place) { Pick::Other } else { Pick::Usual };
    let choices = Choices {
        null_at_creation_refused: bit(0),
        null_in_replacement_refused: bit(8),
        fractions_taken: pick(1),
        anything_kept_while_off: pick(2),
        expired_counted: pick(3),
        upsert_replaces_expired: pick(4),
        condition_first: pick(5),
        lazy_index_lags: pick(6),
        item_before_value: pick(7),
        batch_blames_later: pick(7),
        ..Choices::default()
    };
    let preferences = CHOICES
        .into_iter()
        .enumerate()
        .fold(Preferences::default(), |all, (place, choice)| all.with(choice, number >> place & 1 == 1));
    (preferences, choices)
}

/// The reference with these choices.
pub fn reference(preferences: Preferences) -> Reference {
    Reference { preferences }
}
