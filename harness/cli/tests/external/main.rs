//! Tests that need something that is not Rust: interpreters, a browser, a real server. A test without it says so and is
//! ignored.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]
#![allow(clippy::disallowed_methods, reason = "a browser and a server take their time")]

mod adapters;
mod browser;
mod cosmosdb_server;
mod py_yaml;
mod vercel;

use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};

use libtest_mimic::Arguments;

/// A test that needs the server for itself holds this lock.
static SERVER: Mutex<()> = Mutex::new(());

/// Runs a test while no other test that needs the same for itself runs.
fn alone<T>(with: &Mutex<()>, test: impl FnOnce() -> T) -> T {
    let _held = with.lock().unwrap_or_else(PoisonError::into_inner);
    test()
}

/// The program itself.
fn program() -> Command {
    cosmos_ttl_testing::program::program(env!("CARGO_BIN_EXE_cosmos-ttl"))
}

fn main() -> ExitCode {
    // The longest comes first, and those that wait until it releases the server come last.
    let trials = [
        cosmosdb_server::long_trials(),
        adapters::trials(),
        browser::trials(),
        py_yaml::trials(),
        cosmosdb_server::trials(),
        vercel::trials(),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}
