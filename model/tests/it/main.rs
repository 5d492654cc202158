//! The tests of the model, in one program.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "clippy allows it in tests, and this is what they call"
)]

mod great;
mod independence;
mod matrix;
mod random;
mod rule;
mod sequence;
mod worlds;
