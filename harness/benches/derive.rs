//! How long it takes to derive every vector, and to say what they cover.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::path::Path;
use std::time::{Duration, Instant};

use cosmos_ttl_harness::derive::{certify, derive};
use cosmos_ttl_harness::vector::Suite;

const ROUNDS: u32 = 5;

fn main() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let suite = Suite::load(&directory).unwrap();
    let requests: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    println!("vectors    {}", suite.derived.len());
    println!("requests   {requests}");
    println!("derive     {:.0} ms, best of {ROUNDS}", best(|| drop(derive())).as_secs_f64() * 1e3);
    println!("load       {:.0} ms", best(|| drop(Suite::load(&directory).unwrap())).as_secs_f64() * 1e3);
    println!("certify    {:.0} ms", best(|| drop(certify(&suite).unwrap())).as_secs_f64() * 1e3);
}

fn best(run: impl Fn()) -> Duration {
    let took = || {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..ROUNDS).map(|_| took()).min().unwrap()
}
