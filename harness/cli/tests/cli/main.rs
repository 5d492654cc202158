//! The interface of `cosmos-ttl` to people and programs: exit codes, output streams, and what people read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod ask;
mod commands;
mod endpoint;
mod explore;
mod files;
mod harmless;
mod judge;
mod known;
mod output;
mod processes;
mod program;
mod progress;
mod report_dir;
mod reports;
mod secrets;
mod trace;
mod what_if;
