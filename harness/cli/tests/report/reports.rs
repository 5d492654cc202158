//! Everything that is made of a report: that it is what it says, adds up, and that no text can break it.

mod diagnosis;
mod diff;
mod escapes;
mod interrupted;
mod junit;
mod made;
mod markdown;
mod mutated;
mod schema;
mod terminal;
