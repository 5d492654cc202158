//! How long a run on a real clock takes, over the span of its longest vector.
//!
//! All vectors that last no longer than eight seconds, against a right store in this process. Its seconds begin just when
//! the run does, so that the search for its tick takes longest. Fails above 1.1 times the longest span and a second, and
//! where a verdict is not a pass.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::similar_names,
    clippy::arithmetic_side_effects,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "a bench"
)]

use std::process::ExitCode;
use std::sync::Arc;

use cosmos_ttl_harness::realtime::{Monotonic, Options, Time, run_real};
use cosmos_ttl_harness::vector::{Vector, embedded};
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_testing::{passing, remote};

const LONGEST_S: u64 = 8;

fn main() -> ExitCode {
    let Ok(suite) = embedded() else { return ExitCode::FAILURE };
    let vectors: Vec<&Vector> = suite.vectors.iter().filter(|vector| vector.span_s <= LONGEST_S).collect();
    let span_s = vectors.iter().map(|vector| vector.span_s).max().unwrap_or(0);
    let time = Monotonic::start();
    let remote = remote::Remote::new(Arc::new(passing::Real(time)), 0);
    let begun_us = time.now_us();
    let Ok(run) = run_real(&remote, &vectors, &Options::default()) else { return ExitCode::FAILURE };
    let wall_ms = (time.now_us() - begun_us) / 1000;
    let most_ms = i64::try_from(span_s).unwrap_or(0) * 1100 + 1000;
    let others = run.results.iter().filter(|result| result.verdict != Verdict::Pass).count();
    println!(
        "{} vectors, {} requests, {others} not passed; the longest spans {span_s} s; the run took {wall_ms} ms, at most {most_ms} ms",
        vectors.len(),
        run.requests
    );
    if wall_ms <= most_ms && others == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
