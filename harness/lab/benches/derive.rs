//! How long it takes to derive every vector and to say what they cover, and how the graph grows with its scope.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::time::{Duration, Instant};

use cosmos_ttl_checker::client::Client;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_lab::derive::{certify, derive};

const ROUNDS: u32 = 5;

const MOST: Duration = Duration::from_secs(5);

/// Items, and the longest lifetime in seconds.
const SCOPES: [(u32, u8); 6] = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2)];

fn main() {
    let directory = cosmos_ttl_testing::project().join("vectors");
    let suite = Suite::load(&directory).unwrap();
    let requests: usize = suite.derived.iter().map(|vector| vector.steps.len()).sum();
    println!("vectors    {}", suite.derived.len());
    println!("requests   {requests}");
    let derived = best(|| drop(derive()));
    let loaded = best(|| drop(Suite::load(&directory).unwrap()));
    let certified = best(|| drop(certify(&suite).unwrap()));
    println!("derive     {:.0} ms, best of {ROUNDS}", ms(derived));
    println!("load       {:.0} ms", ms(loaded));
    println!("certify    {:.0} ms", ms(certified));
    let all = derived.saturating_add(loaded).saturating_add(certified);
    assert!(all < MOST, "all of it must take less than {MOST:?}");
    for (items, longest_s) in SCOPES {
        grows(items, longest_s);
    }
}

/// How large the graph of what a client can tell apart is, and how long one walk over it takes.
fn grows(items: u32, longest_s: u8) {
    let client = Client::new(items, longest_s);
    let started = Instant::now();
    let views = client.walk();
    let took = started.elapsed();
    let transitions: usize = views.iter().map(|view| client.requests(view).len().saturating_add(1)).sum();
    println!(
        "graph of {items} items, lifetimes up to {longest_s} s: {} states, {transitions} transitions, {:.0} ms",
        views.len(),
        ms(took)
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn best(run: impl Fn()) -> Duration {
    let took = || {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..ROUNDS).map(|_| took()).min().unwrap()
}
