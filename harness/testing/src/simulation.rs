//! Real-clock runs on a simulated clock, over a simulated network: whole runs in milliseconds, the same every time.
//!
//! The modules, in reading order: [`time`] is the clock, [`network`] the way to a server and its clocks, and [`server`] the
//! target at the end of it. [`bounds`] lists what a run meets, [`stores`] what each seed draws, and [`soundness`]
//! counts wrong verdicts.

#![allow(clippy::arithmetic_side_effects, reason = "moments of a simulation, far from the ends of 64 bits")]

pub mod bounds;
pub mod network;
mod rng;
pub mod server;
pub mod soundness;
pub mod stores;
pub mod time;

pub use rng::Rng;
