//! Which values are settings.

use super::Store;
use super::row::{LONGEST, Row, Says};
use crate::mutation::{By, Mutation as M, On, Taken, What};
use crate::number::whole;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Edition, Properties, Status};

impl Store {
    /// What an item says, if that is anything that a client may write by this.
    pub(super) fn own(&self, by: &[By], id: &str, properties: &Properties) -> Result<Says, Status> {
        match self.ttl_of(properties) {
            None => Ok(Says::Nothing),
            Some(text) => self.setting(On::Item, by, text, self.variant.choices.fractions_taken.of_item(id)),
        }
    }

    /// What a stored item says; what is no setting says nothing.
    pub(super) fn said(&self, row: &Row) -> Says {
        self.own(&[By::Any], &row.id, &row.properties).unwrap_or(Says::Nothing)
    }

    /// Whether an item may carry this.
    pub(super) fn check(&self, by: &[By], id: &str, properties: &Properties) -> Result<(), Status> {
        let choice = self.variant.choices.anything_kept_while_off;
        let kept = choice.of_item(id) || self.errs(M::ForgetsInvalidWhileOff);
        if self.default == Says::Nothing && kept {
            return Ok(());
        }
        self.own(by, id, properties).map(drop)
    }

    fn ttl_of<'p>(&self, properties: &'p Properties) -> Option<&'p str> {
        let get = |name: &str| properties.get(name).map(Literal::as_str);
        match self.variant.mutation {
            Some(M::Alias(alias)) => get("ttl").or_else(|| get(alias)),
            Some(M::AliasFirst(alias)) => get(alias).or_else(|| get("ttl")),
            Some(M::NestedCounts) => get("ttl").or_else(|| properties.values().find_map(nested)),
            _ => get("ttl"),
        }
    }

    /// Reads a setting off its JSON text.
    pub(super) fn setting(&self, on: On, by: &[By], text: &str, fractions: bool) -> Result<Says, Status> {
        match self.variant.mutation {
            Some(M::Takes(wrongly_on, wrongly_by, what, taken))
                if wrongly_on == on && fits(wrongly_by, by) && self.is(what, text) =>
            {
                return Ok(self.taken(taken, text));
            }
            Some(M::Refuses(wrongly_on, wrongly_by, what))
                if wrongly_on == on && by.contains(&wrongly_by) && self.is(what, text) =>
            {
                return Err(Status::BadRequest);
            }
            _ => {}
        }
        match whole(text, fractions) {
            None if text == "null" && (on == On::Container || self.edition == Edition::Y2020) => {
                Ok(Says::Nothing)
            }
            Some(-1) => Ok(Says::Never),
            Some(seconds @ 1..=LONGEST) => Ok(Says::For(seconds)),
            _ => Err(Status::BadRequest),
        }
    }

    fn is(&self, what: What, text: &str) -> bool {
        let number = whole(text, false);
        match what {
            What::Anything => true,
            What::Zero => number == Some(0),
            What::MinusOne => number == Some(-1),
            What::BelowMinusOne => number.is_some_and(|number| number < -1),
            What::Seconds => number.is_some_and(|number| 0 < number),
            What::One => number == Some(1),
            What::Maximum => number == Some(LONGEST),
            What::AboveMaximum => number.is_some_and(|number| LONGEST < number),
            What::Infinite => whole(text, true).is_some_and(|number| FLOAT_DIGITS < number),
            What::LongerThanDefault => {
                matches!((number, self.default), (Some(own), Says::For(default)) if default < own)
            }
            What::Fraction => is_number(text) && whole(text, true).is_none(),
            What::WholeFraction => number.is_none() && whole(text, true).is_some(),
            What::Text => text.starts_with('"'),
            What::Truth => text == "true" || text == "false",
            What::List => text.starts_with('['),
            What::Object => text.starts_with('{'),
            What::Null => text == "null",
        }
    }

    pub(super) fn taken(&self, taken: Taken, text: &str) -> Says {
        match taken {
            Taken::Absent => Says::Nothing,
            Taken::Never => Says::Never,
            Taken::AtOnce => Says::For(0),
            Taken::Maximum => Says::For(LONGEST),
            Taken::Before => self.default,
            Taken::Number => says(guess(text)),
            Taken::Last32 => says(last_32(guess(text))),
            Taken::Last64 => says(guess(text).rem_euclid(1 << 64)),
        }
    }
}

/// No number that anybody writes out is greater.
const FLOAT_DIGITS: i128 = 1 << 100;

/// What a number says, be it a setting or not.
fn says(number: i128) -> Says {
    if number == -1 { Says::Never } else { Says::For(number) }
}

fn fits(wrongly: By, by: &[By]) -> bool {
    // What is stored already was taken by whatever takes it.
    wrongly == By::Any || by.contains(&wrongly) || by == [By::Any]
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// The first whole number that stands in the text; true is 1.
fn guess(text: &str) -> i128 {
    if text == "true" {
        return 1;
    }
    let number = text.trim_start_matches(|c: char| c != '-' && !c.is_ascii_digit());
    let end = number.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(number.len());
    whole(number.get(..end).unwrap_or_default(), false).unwrap_or(0)
}

/// The last 32 bits, with a sign.
pub(super) fn last_32(number: i128) -> i128 {
    const HALF: i128 = 1 << 31;
    number.saturating_add(HALF).rem_euclid(1 << 32).saturating_sub(HALF)
}

/// The number after `"ttl":` somewhere in a value.
fn nested(value: &Literal) -> Option<&str> {
    let (_, rest) = value.as_str().split_once("\"ttl\"")?;
    let rest = rest.trim_start_matches([':', ' ']);
    rest.get(..rest.find([',', '}', ' '])?)
}
