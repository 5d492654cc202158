//! Targets that come with the harness.

pub mod reference;
