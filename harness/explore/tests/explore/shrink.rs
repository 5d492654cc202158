//! Storyboards that become small, become vectors, and tell targets apart.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod boards;
mod shrinking;
mod telling;
mod writing;
