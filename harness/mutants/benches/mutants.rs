//! Measures the replay of every vector against every mutant and every control, under every schedule of removal.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark measures time and may fail"
)]

use std::fs;
use std::time::{Duration, Instant};

use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::{CONTROLS, mutants};
use mimalloc::MiMalloc;

/// The allocator of `cargo lab mutants`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const ROUNDS: u32 = 5;

/// Of one CPU: one thread does all of it.
const MOST: Duration = Duration::from_secs(2);

fn main() {
    let suite = embedded().unwrap();
    let all: Vec<_> = mutants().collect();
    let began = Instant::now();
    let measure = || {
        let started = on_cpu(began);
        let matrix = Matrix::of(&suite, &all).unwrap();
        let time = on_cpu(began).saturating_sub(started);
        assert!(matrix.missing().is_empty(), "{}", matrix.missing().join("\n"));
        time
    };
    let best = (0..ROUNDS).map(|_| measure()).min().unwrap();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let stores = all.iter().map(|mutant| mutant.store()).chain(CONTROLS.iter().map(|control| control.store));
    let requests: usize = stores.map(|store| run_virtual(&store, &vectors).unwrap().requests).sum();
    println!("vectors                {}", vectors.len());
    println!("mutants and controls   {} and {}", all.len(), CONTROLS.len());
    println!("requests               {requests}");
    println!("the whole matrix       {:.2} s of one CPU, best of {ROUNDS}", best.as_secs_f64());
    println!("requests a second      {:.0}", requests as f64 / best.as_secs_f64());
    assert!(best < MOST, "it must take less than {MOST:?}");
}

/// The time for which this thread was on a CPU. Only Linux says; elsewhere it is the time since the program began.
fn on_cpu(began: Instant) -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| began.elapsed(), Duration::from_nanos)
}
