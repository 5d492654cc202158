//! What takes long, and says the same about other stores, seeds and depths as the tests of `cargo test`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod complete;
mod explore;
