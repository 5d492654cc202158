//! The simulation repeats itself, and what real-clock runs say over it is right.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

use std::sync::LazyLock;

use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_testing::simulation::bounds::{Class, classes};
use cosmos_ttl_testing::simulation::stores::Stores;

mod random;
mod repeated;
mod server;
mod soundness;
mod time;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());
static STORES: LazyLock<Stores<'static>> = LazyLock::new(|| Stores::new(&SUITE));

fn class(name: &str) -> &'static Class {
    classes().find(|class| class.name == name).unwrap()
}
