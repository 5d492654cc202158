//! Exploration: right targets are never accused, wrong ones are found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

#[path = "../common/mod.rs"]
mod common;

mod right;
