//! A user's test program with random requests and the complete suite, as `harness/USAGE.md` prints it.

#![allow(
    unreachable_pub,
    clippy::arithmetic_side_effects,
    reason = "it shows how a user would write the code, who does not have this project's lints"
)]

#[path = "../../examples/my_store/store.rs"]
mod store;
#[path = "../../examples/my_store/target.rs"]
mod target;

use cosmos_ttl_complete::CompleteTest as _;
use cosmos_ttl_explore::ExploreTest as _;
use cosmos_ttl_harness::cargo_test::CargoTest;

fn main() -> std::process::ExitCode {
    CargoTest::new(target::MyStore).explore(1, 20_000).complete(0).main()
}
