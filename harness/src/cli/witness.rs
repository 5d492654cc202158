//! `cosmos-ttl witness`

mod json;
mod text;

use super::Output;
use super::args::{Format, WitnessArgs};
use super::pick::pick_clauses;
use super::trouble::Trouble;
use crate::clauses::Clause;
use crate::report::style::Look;
use crate::vector::{Suite, embedded_with_derived};
use crate::witness::{Witnesses, witnesses};

/// More clauses than these are told as a table.
const MOST_AT_LENGTH: usize = 5;

pub(super) fn witness(args: &WitnessArgs, look: Look) -> Result<Output, Trouble> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?.with_derived(),
        None => embedded_with_derived()?,
    };
    let clauses: Vec<&Clause> =
        pick_clauses(&suite, &args.clauses)?.into_iter().map(|(_, clause)| clause).collect();
    let found = witnesses(&suite, &clauses)?;
    let code = u8::from(!found.iter().all(Witnesses::is_enough));
    let text = match args.format {
        Format::Json => json::json(&found),
        Format::Text if found.len() <= MOST_AT_LENGTH => text::at_length(&found, look),
        Format::Text => text::table(&suite, &found, look),
    };
    Ok(Output { text, code })
}
