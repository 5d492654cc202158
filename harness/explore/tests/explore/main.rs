//! Exploration: right targets are never accused, wrong ones are found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod explore_test;
mod export;
mod hostile;
mod left_out;
mod repeated;
mod right;
mod shrink;

use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::{Exploration, ExploreOptions, explore};
use cosmos_ttl_harness::target::Target;

fn explored(target: &dyn Target, seed: u64, steps: u64) -> Exploration {
    explore(target, &ExploreOptions { seed, steps, stop: &AtomicBool::new(false) }).unwrap()
}
