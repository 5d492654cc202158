//! On this machine's clock, with real waiting. What is asserted holds on a machine of any speed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cosmos_ttl_harness::realtime::{Monotonic, Options, Progress, Time, run_real};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::verdict::{Outcome, Verdict};

use super::{count, named, others, vectors};
use cosmos_ttl_testing::passing::Real;
use cosmos_ttl_testing::remote::{CALM, NetworkTrouble, Remote};
use cosmos_ttl_testing::store::StoreFlaw;

fn run(span_s: u64, seed: u64, change: impl FnOnce(&mut Remote)) -> Run<'static> {
    run_with(&Options::default(), span_s, seed, change)
}

fn run_with(options: &Options, span_s: u64, seed: u64, change: impl FnOnce(&mut Remote)) -> Run<'static> {
    run_in_sessions(options, span_s, seed, change).0
}

/// The run, and how many sessions it opened.
fn run_in_sessions(
    options: &Options,
    span_s: u64,
    seed: u64,
    change: impl FnOnce(&mut Remote),
) -> (Run<'static>, usize) {
    let mut remote = Remote::new(Arc::new(Real(Monotonic::start())), seed);
    change(&mut remote);
    let run = run_real(&remote, &vectors(span_s), options).unwrap();
    let opened = remote.opened.load(Ordering::Relaxed);
    assert_eq!(opened, remote.closed.load(Ordering::Relaxed));
    (run, opened)
}

/// They wait side by side.
#[test]
fn what_waits_says_the_same_as_on_a_simulated_clock() {
    let checks = [
        a_right_store_passes_and_waits_overlap,
        spikes_make_nothing_fail,
        what_hangs_breaks_and_panics_leaves_the_rest_alone,
        a_store_that_expires_nothing_fails,
        an_interrupted_run_ends,
    ];
    thread::scope(|scope| {
        for check in checks {
            scope.spawn(check);
        }
    });
}

fn a_right_store_passes_and_waits_overlap() {
    let time = Monotonic::start();
    let run = run(3, 1, |_| {});
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
    // One after the other, they would take more than a minute.
    assert!(time.now_us() < 20_000_000);
}

fn spikes_make_nothing_fail() {
    let run = run(2, 3, |remote| {
        remote.trouble = NetworkTrouble { latency_us: 1000, spike_us: 1_200_000, spikes: 10, ..CALM };
    });
    assert_eq!(count(&run, Outcome::Fail) + count(&run, Outcome::Broken), 0, "{:#?}", others(&run));
    assert!(0 < count(&run, Outcome::Pass));
}

fn what_hangs_breaks_and_panics_leaves_the_rest_alone() {
    let (run, sessions) = run_in_sessions(&Options::default(), 2, 4, |remote| {
        remote.trouble = NetworkTrouble { hangs: 10, breaks: 40, panics: 10, ..CALM };
    });
    assert_eq!(count(&run, Outcome::Fail), 0, "{:#?}", others(&run));
    let all = run.results.len();
    assert!(all + 1 < sessions, "{sessions} sessions: nothing broke");
    // What breaks is tried again.
    assert!(all < 4 * count(&run, Outcome::Pass) / 3, "{:#?}", others(&run));
}

fn a_store_that_expires_nothing_fails() {
    let remote =
        Remote { flaw: Some(StoreFlaw::NeverExpires), ..Remote::new(Arc::new(Real(Monotonic::start())), 5) };
    let simple = named(&["clock/hidden-from-reads-at-once", "clock/hidden-from-queries-at-once"]);
    let run = run_real(&remote, &simple, &Options::default()).unwrap();
    assert_eq!(count(&run, Outcome::Fail), 2, "{:#?}", others(&run));
}

fn an_interrupted_run_ends() {
    let stop = Arc::new(AtomicBool::new(false));
    let after_a_second = {
        let stop = stop.clone();
        move |_: Progress| stop.store(true, Ordering::Relaxed)
    };
    let options = Options { stop, progress: Arc::new(after_a_second), ..Options::default() };
    let run = run_with(&options, 60, 6, |_| {});
    let interrupted =
        run.results.iter().filter(|r| r.verdict == Verdict::NotRun("interrupted".into())).count();
    assert!(0 < interrupted, "{:#?}", others(&run));
    assert_eq!(interrupted, count(&run, Outcome::NotRun));
}
