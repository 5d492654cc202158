//! How long the complete suite takes on the reference: CPU time of one thread, for each depth, and of two items.
//!
//! With `-- 2`, also depth 2.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::fs;

use cosmos_ttl_complete::{CompleteOptions, Depth, complete};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_reference::Reference;

/// The CPU seconds that each depth may take under one schedule of removal.
const MOST_S: [f64; 3] = [0.2, 2.0, 60.0];
/// The CPU seconds that two items may take.
const MOST_PAIR_S: f64 = 5.0;

fn main() {
    let suite = embedded().unwrap();
    let depths = if std::env::args().any(|word| word == "2") { 0..=2 } else { 0..=1 };
    println!("depth       tests    requests  CPU seconds  of them for one schedule  requests a second");
    for depth in depths {
        let before_s = cpu_s();
        let done = complete(&Reference::default(), &suite, &CompleteOptions::new(Depth(depth))).unwrap();
        let took_s = cpu_s() - before_s;
        assert!(done.is_whole() && done.found.is_none() && done.unconfirmed.is_empty());
        let requests = f64::from(u32::try_from(done.requests).unwrap());
        let (tests, asked) = (done.tests, done.requests);
        let one_s = took_s / f64::from(u32::try_from(done.schedules.len()).unwrap());
        let speed = requests / took_s;
        println!("{depth:>5} {tests:>11} {asked:>11} {took_s:>12.2} {one_s:>25.2} {speed:>18.0}");
        let most_s = MOST_S.get(usize::from(depth)).copied().unwrap_or(f64::MAX);
        assert!(one_s < most_s, "depth {depth} may take {most_s} s under one schedule");
    }
    let before_s = cpu_s();
    let done = complete(&Reference::default(), &suite, &CompleteOptions::two_items()).unwrap();
    let took_s = cpu_s() - before_s;
    assert!(done.is_whole() && done.found.is_none() && done.unconfirmed.is_empty());
    println!("two items: {} tests, {} requests, {took_s:.2} CPU seconds", done.tests, done.requests);
    assert!(took_s < MOST_PAIR_S, "two items may take {MOST_PAIR_S} s");
}

/// The time for which this thread was on a CPU; only Linux says.
fn cpu_s() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds: u64 = stat.split_whitespace().next().unwrap().parse().unwrap();
    std::time::Duration::from_nanos(nanoseconds).as_secs_f64()
}
