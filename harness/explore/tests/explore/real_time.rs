//! Targets whose clock runs by itself: no right one is accused, whatever the way to it; wrong ones are found and
//! confirmed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cosmos_ttl_explore::real_time::search;
use cosmos_ttl_explore::{ExploreOptions, SearchResult};
use cosmos_ttl_harness::realtime::Monotonic;
use cosmos_ttl_harness::target::{About, Clock, Fault, Opening, Removal, Request, Response, Session, Target};
use cosmos_ttl_mutants::{self as mutants, IndependentStore};

use cosmos_ttl_simulation::time::SimulatedTime;
use cosmos_ttl_testing::passing::Real;
use cosmos_ttl_testing::remote::{CALM, NetworkTrouble, Remote, TargetClock};
use cosmos_ttl_testing::store::StoreFlaw;
use cosmos_ttl_testing::suite;
use cosmos_ttl_testing::wrong::OnTheWall;

static STOP: AtomicBool = AtomicBool::new(false);

pub(crate) fn options(seed: u64) -> ExploreOptions<'static> {
    ExploreOptions { seed, steps: 400, stop: &STOP }
}

/// On a clock that moves only while a thread waits.
fn simulated(
    options: &ExploreOptions<'_>,
    budget_s: u64,
    seed: u64,
    change: impl FnOnce(&mut Remote),
) -> SearchResult {
    let time = Arc::new(SimulatedTime::default());
    let mut remote = Remote::new(time.clone(), seed);
    change(&mut remote);
    let outcome = search(time.as_ref(), &remote, suite(), options, budget_s, true).unwrap();
    let opened = remote.opened.load(Ordering::Relaxed);
    assert_eq!(opened, remote.closed.load(Ordering::Relaxed), "every place is closed once");
    outcome
}

#[track_caller]
fn check_innocent(outcome: &SearchResult, least: u64) {
    assert!(outcome.shown.is_none() && outcome.unconfirmed.is_none(), "{outcome:#?}");
    assert!(least <= outcome.explored.coverage.requests, "{:#?}", outcome.explored);
}

#[test]
fn a_right_target_is_not_accused_whatever_its_clock_shows() {
    for seed in 0..4 {
        let outcome = simulated(&options(seed * 100), 60, seed, |_| {});
        check_innocent(&outcome, 400);
        assert!(0 < outcome.explored.coverage.expired, "seed {seed}");
    }
}

#[test]
fn no_delay_makes_a_right_target_differ() {
    for seed in 0..7 {
        let outcome = simulated(&options(seed * 100), 60, seed, |remote| {
            remote.trouble =
                NetworkTrouble { latency_us: 4_000 << (seed % 7), spike_us: 2_500_000, spikes: 100, ..CALM };
        });
        check_innocent(&outcome, 50);
    }
}

#[test]
fn a_lost_reply_accuses_nobody() {
    let outcome = simulated(&options(1), 60, 7, |remote| remote.trouble.lost = 20);
    check_innocent(&outcome, 20);
    let coverage = &outcome.explored.coverage;
    assert!(0 < coverage.lost && coverage.given_up < coverage.lost && coverage.broken == 0, "{coverage:?}");
}

#[test]
fn a_clock_that_jumps_accuses_nobody() {
    for (seed, by_us) in [(1, 3_000_000), (2, -2_000_000), (3, 700_000), (4, 1_000_000)] {
        let outcome = simulated(&options(seed), 60, seed, |remote| remote.jump_us = Some((4_000_000, by_us)));
        check_innocent(&outcome, 100);
    }
}

#[test]
fn a_target_that_shows_no_ts_or_is_told_when_to_remove_is_not_accused() {
    check_innocent(&simulated(&options(1), 60, 1, |remote| remote.hides_ts = true), 400);
    let removals = vec![Removal::Never, Removal::Eager, Removal::Alternate];
    check_innocent(&simulated(&options(1), 60, 1, |remote| remote.removals = removals), 400);
}

/// Checks that the difference of this mutant is confirmed, and shrunk to this size.
#[track_caller]
fn check_found(name: &str, seed: u64, most: usize) {
    let time = Arc::new(SimulatedTime::default());
    let target = Running { time: time.clone(), inner: mutants::named(name).unwrap() };
    let outcome = search(time.as_ref(), &target, suite(), &options(seed), 200, true).unwrap();
    let Some((_, smallest)) = &outcome.shown else { panic!("{name}: {outcome:#?}") };
    assert!(0 < smallest.effort.tried, "{name}");
    assert!(smallest.script.actions.len() <= most, "{name}: {smallest:#?}");
    assert!(smallest.written.is_ok(), "{name}: {:?}", smallest.written);
}

#[test]
fn wrong_targets_are_found_and_confirmed() {
    check_found("one-second-late", 1, 5);
    check_found("off-honours-own-ttl", 1, 5);
    check_found("conditions-are-ignored", 2, 6);
}

#[test]
fn whoever_is_gone_is_not_accused() {
    let outcome = simulated(&options(1), 60, 1, |remote| remote.trouble.open_breaks = 1000);
    check_innocent(&outcome, 0);
    assert!(outcome.explored.cut_short && 0 < outcome.explored.coverage.broken);
    let outcome = simulated(&options(1), 60, 1, |remote| remote.trouble.breaks = 300);
    check_innocent(&outcome, 0);
    assert!(outcome.explored.cut_short && 0 < outcome.explored.coverage.broken);
}

#[test]
fn an_interrupted_exploration_closes_every_place() {
    let stop = AtomicBool::new(true);
    let outcome = simulated(&ExploreOptions { stop: &stop, ..options(1) }, 60, 1, |_| {});
    check_innocent(&outcome, 0);
    assert!(outcome.explored.cut_short);
}

#[test]
fn the_budget_ends_it() {
    let outcome = simulated(&ExploreOptions { steps: 1_000_000, ..options(1) }, 20, 1, |_| {});
    check_innocent(&outcome, 500);
    assert!(!outcome.explored.cut_short);
}

/// They wait side by side.
#[test]
fn on_a_clock_that_is_waited_for_a_right_target_is_not_accused_and_a_wrong_one_is_found() {
    thread::scope(|scope| {
        scope.spawn(a_target_on_the_wall_clock_is_explored_as_it_is);
        scope.spawn(a_wrong_target_is_found_with_real_waiting_and_delayed_answers);
    });
}

fn a_target_on_the_wall_clock_is_explored_as_it_is() {
    let outcome = search(
        &Monotonic::start(),
        &OnTheWall,
        suite(),
        &ExploreOptions { steps: 10_000, ..options(1) },
        3,
        true,
    )
    .unwrap();
    check_innocent(&outcome, 50);
}

fn a_wrong_target_is_found_with_real_waiting_and_delayed_answers() {
    let mut remote = Remote::new(Arc::new(Real(Monotonic::start())), 5);
    remote.flaw = Some(StoreFlaw::NeverExpires);
    remote.trouble = NetworkTrouble { latency_us: 2_000, spike_us: 300_000, spikes: 5, ..CALM };
    let outcome = search(&Monotonic::start(), &remote, suite(), &options(1), 3, true).unwrap();
    assert!(outcome.shown.is_some(), "{outcome:#?}");
    assert_eq!(remote.opened.load(Ordering::Relaxed), remote.closed.load(Ordering::Relaxed));
}

#[test]
fn a_clock_that_the_harness_moves_is_wrong_use() {
    let target = IndependentStore::default();
    assert!(target.about().name == "naive");
    let refused = search(&Monotonic::start(), &target, suite(), &options(1), 3, true);
    assert!(matches!(refused, Err(Fault::Misuse(_))));
}

/// A target whose clock another program moves.
pub(crate) struct Running<T> {
    pub(crate) time: Arc<SimulatedTime>,
    pub(crate) inner: T,
}

struct Place<'t> {
    time: &'t SimulatedTime,
    inner: Box<dyn Session + 't>,
    passed_s: u64,
}

impl<T: Target> Target for Running<T> {
    fn about(&self) -> About {
        About { clock: Clock::Real, removals: Vec::new(), ..self.inner.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Place { time: &self.time, inner: self.inner.open(opening)?, passed_s: 0 }))
    }
}

impl Session for Place<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.time.sleep_us(300);
        let now_s = u64::try_from(TargetClock::now_us(self.time) / 1_000_000).unwrap();
        self.inner.pass(now_s - self.passed_s)?;
        self.passed_s = now_s;
        let response = self.inner.send(request);
        self.time.sleep_us(300);
        response
    }

    fn pass(&mut self, _: u64) -> Result<(), Fault> {
        Err(Fault::Misuse("this clock runs by itself".into()))
    }
}
