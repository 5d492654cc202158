//! Logs: of right stores nothing is a contradiction, of wrong ones something is.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod mutants;
