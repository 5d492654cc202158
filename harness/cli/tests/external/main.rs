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

/// A test that needs the browser or the server for itself holds this lock.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs a test while no other such test runs.
fn alone<T>(test: impl FnOnce() -> T) -> T {
    let _held = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    test()
}

/// The program itself.
fn program() -> Command {
    cosmos_ttl_testing::program::program(env!("CARGO_BIN_EXE_cosmos-ttl"))
}

fn main() -> ExitCode {
    let trials = [
        adapters::trials(),
        browser::trials(),
        vercel::trials(),
        cosmosdb_server::trials(),
        py_yaml::trials(),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}
