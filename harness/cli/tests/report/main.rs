//! Everything that is made of a report: that it says what the report says, adds up, and that no text can break it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod diff;
mod forms;
mod html;
mod made;
mod timeline;
