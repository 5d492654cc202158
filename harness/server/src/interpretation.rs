//! `CLAUSE=VALUE`: the server's choice where the documents leave one.

use cosmos_ttl_model::choices::{OpenChoice, Preferences};

use crate::item_store::RemovalSchedule;

/// A choice that was given on the command line.
#[derive(Clone, Copy, Debug)]
pub struct ClauseChoice {
    choice: OpenChoice,
    yes: bool,
}

impl ClauseChoice {
    /// Reads `CLAUSE=VALUE`.
    ///
    /// # Errors
    ///
    /// A sentence that lists what is accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = rows().find(|(words, _)| words == text);
        found.map(|(_, choice)| choice).ok_or_else(|| {
            let all = Self::all().collect::<Vec<_>>().join(", ");
            format!("not a choice of an open clause; accepted are {all}")
        })
    }

    /// Lists every choice, as [`ClauseChoice::parse`] reads it.
    pub fn all() -> impl Iterator<Item = String> {
        rows().map(|(words, _)| words)
    }

    /// Makes the choice. Whether an expired item comes back follows from when expired items are removed.
    pub fn apply(self, choices: &mut Preferences, removal: &mut RemovalSchedule) {
        *choices = choices.with(self.choice, self.yes);
        if self.choice == OpenChoice::ExpiredIsGone {
            *removal = if self.yes { RemovalSchedule::Eager } else { RemovalSchedule::ByHand };
        }
    }
}

/// Every value of every open clause.
fn rows() -> impl Iterator<Item = (String, ClauseChoice)> {
    OpenChoice::listed().flat_map(|(choice, values)| {
        let row = move |(value, yes)| (format!("{}={value}", choice.clause()), ClauseChoice { choice, yes });
        values.into_iter().zip([false, true]).map(row)
    })
}
