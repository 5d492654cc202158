//! A store of one's own, held against the vectors by `cargo test`: what a user of this library writes.
//!
//! `store` is the fake that a user's tests already had, `target` puts it behind the harness's trait, and this is the
//! whole test program. In a package of your own this file is `tests/ttl/main.rs`, with `harness = false` under its `[[test]]`.

#![allow(
    unreachable_pub,
    clippy::arithmetic_side_effects,
    reason = "it shows how a user would write the code, who does not have this project's lints"
)]

mod store;
mod target;

use std::process::ExitCode;

use cosmos_ttl_harness::cargo_test;

fn main() -> ExitCode {
    cargo_test::main(target::my_store())
}
