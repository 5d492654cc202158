//! Everything that is made of a report: that it is what it says, adds up, and that nobody's text can break it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod ctrf;
mod diagnosis;
mod diff;
mod interrupted;
mod junit;
mod made;
mod markdown;
mod schema;
mod terminal;
