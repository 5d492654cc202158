//! Everything that is made of a report.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]
#![allow(clippy::unnecessary_wraps, reason = "what twists an answer may as well lose it")]

mod html;
mod reports;
