//! Serves a mutant, or the right store, over HTTP on loopback until its standard input ends; the first line is the URL.

use std::time::Duration;

use cosmos_ttl_mutants::{FaultyStore, named};
use cosmos_ttl_testing::endpoint::Endpoint;

#[expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "it tells where it listens, or that there is no such mutant"
)]
fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let store = if name == "right" { FaultyStore::default() } else { named(&name).expect("a mutant") };
    let endpoint = Endpoint::new(store, Duration::ZERO, |_| None);
    println!("{}", endpoint.url());
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
