//! Every vector as a test of its own against the model, under every schedule of removal.

use std::process::ExitCode;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::cargo_test::CargoTest;

fn main() -> ExitCode {
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors");
    CargoTest::new(Reference::default()).vectors(vectors).strict().main()
}
