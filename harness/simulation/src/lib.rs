//! Real-clock runs on a simulated clock, over a simulated network: whole runs in milliseconds, the same every time.
//!
//! The modules, in reading order: [`time`] is the clock, [`network`] the way to a server and its clocks, [`server`] the
//! target at the end of it, and [`soundness`] counts wrong verdicts over many seeded runs.

#![allow(clippy::arithmetic_side_effects, reason = "counts of runs; moments saturate")]

pub mod network;
pub mod server;
pub mod soundness;
pub mod time;
