//! Tests of the suite itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod program;

mod check;
mod complete;

mod mutants;
mod soundness;

mod generated;

mod boundaries;
mod readme;
