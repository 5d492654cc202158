//! What the vectors notice: every mutant, and no control.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

#[path = "../common/mod.rs"]
mod common;

mod command;
mod matrix;
mod product;
#[path = "../common/program.rs"]
mod program;
mod quick;
mod twins;
