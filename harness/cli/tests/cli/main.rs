//! The interface of `cosmos-ttl` to people and programs: exit codes, output streams, and every text that people read.
//!
//! Snapshots show texts, made from a small suite of their own. What a text is made of is asserted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]
#![allow(clippy::unnecessary_wraps, reason = "what twists an answer may as well lose it")]

mod bad_vectors;
mod commands;
mod deep;
mod diagnosis;
mod diff;
mod endpoint;
mod estimate;
mod explained;
mod explore;
mod folder;
mod harmless;
mod html;
mod known;
mod mutants;
mod processes;
mod program;
mod progress;
mod prove;
mod quick;
mod secrets;
mod special_files;
mod trace;
mod verdicts;
