//! From a file to a verdict: loading, judging, replaying, concluding, lists of known failures, real clocks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod documents;
mod literal;
mod mutated;
mod refused;
mod render;
mod robust;
mod tables;
mod two_readers;
mod vectors;
mod witnesses;
mod yaml;

mod allowed;
mod blame;
mod conclusions;
mod judged;
mod pages;
mod parts;
mod purging;
mod replayed;
mod runner;
mod self_tests;
mod unjudged;

mod known;

mod realtime;

mod front;
mod words;
