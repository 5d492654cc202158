//! The vectors kill every mutant, and no control.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod controls;
mod matrix;

mod diagnosis;

mod agreement;
mod numbers;
mod oracles;
