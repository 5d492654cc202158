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

use libtest_mimic::Arguments;
use std::process::{Command, ExitCode};

/// The program itself.
fn program() -> Command {
    cosmos_ttl_testing::program::program(env!("CARGO_BIN_EXE_cosmos-ttl"))
}

fn main() -> ExitCode {
    // The longest comes first.
    let trials = [cosmosdb_server::trials(), adapters::trials(), browser::trials(), py_yaml::trials()];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}
