//! The server in front of the harness's own HTTP target, and in front of clients that mean no good.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test, helpers included"
)]

mod conformance;
mod control;
mod hostile;
mod queries;
mod relies;
mod rest;
mod running;
mod signed;
