//! The tests of the model, in one program.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    reason = "clippy allows it in tests, and this is what they call"
)]

mod background;
mod independence;
mod matrix;
mod rule;
