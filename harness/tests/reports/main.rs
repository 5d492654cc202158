//! Everything that is made of a report: that it is what it says, adds up, and that nobody's text can break it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod ctrf;
mod diagnosis;
mod diff;
mod interrupted;
#[path = "../common/json_schema.rs"]
#[allow(dead_code, reason = "not every test needs all of it")]
mod json_schema;
mod junit;
mod made;
mod markdown;
mod schema;
mod terminal;
#[path = "../cli/wrong.rs"]
#[allow(clippy::unnecessary_wraps, reason = "what twists an answer may as well lose it")]
mod wrong;
