//! The estimate of the target's clock, and the seconds of the target in which requests fall.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_harness::realtime::session_pool::{
    ClockEstimate, ClockView, Demand, PoolClient, SessionPool, TaskSource, Turn,
};
use cosmos_ttl_harness::realtime::{Options, Time, run_real_by};
use cosmos_ttl_harness::target::Target as _;
use cosmos_ttl_harness::vector::{Step, Vector};

use super::{named, others, vectors};
use cosmos_ttl_simulation::time::SimulatedTime;
use cosmos_ttl_testing::remote::Remote;

const SECOND_US: i64 = 1_000_000;

/// A client that only looks at the clock, as soon as it is known.
#[derive(Default)]
struct Looker(Option<(ClockView, i64)>);

impl PoolClient for Looker {
    fn go<T: Time>(&mut self, time: &T, clock: ClockView) -> Turn {
        self.0 = Some((clock, time.now_us()));
        Turn::Over
    }

    fn leave(&mut self) {}

    fn begun_us(&self) -> Option<i64> {
        None
    }

    fn claims_us(&self) -> Option<(i64, i64)> {
        None
    }
}

impl TaskSource<Self> for Looker {
    fn next(&mut self, active: usize, clock: &ClockEstimate, _now_us: i64) -> Option<Self> {
        (active == 0 && self.0.is_none() && clock.is_settled()).then(Self::default)
    }

    fn over(&mut self, looker: Self, sure: bool, _: &ClockEstimate, _: i64) {
        assert!(sure);
        *self = looker;
    }

    fn demand(&self) -> Demand {
        if self.0.is_some() { Demand::Enough } else { Demand::More }
    }
}

/// Returns the estimate after a search, the time of its end, and the true offset of the clock.
fn searched(seed: u64) -> (ClockView, i64, i64) {
    let time = Arc::new(SimulatedTime::default());
    let (remote, stop) = (Remote::new(time.clone(), seed), AtomicBool::new(false));
    let mut pool = SessionPool::new(time.as_ref(), &remote, &remote.about(), &stop);
    let mut looker = Looker::default();
    pool.run(&mut looker, i64::MAX);
    pool.close();
    let (clock, now_us) = looker.0.unwrap();
    assert!(!clock.vague);
    (clock, now_us, remote.ahead_us)
}

/// The number of milliseconds of a second of which it is not known in which second they are.
fn width_ms(clock: &ClockView, from_us: i64) -> usize {
    let moments_us = (0..1000).map(|ms| from_us + 1000 * ms);
    moments_us.filter(|now_us| clock.window(*now_us, *now_us).count() > 1).count()
}

#[test]
fn readings_on_both_sides_of_a_tick_narrow_the_clock_which_widens_as_time_passes() {
    for seed in 0..50 {
        let (clock, now_us, ahead_us) = searched(seed);
        let narrow_ms = width_ms(&clock, now_us);
        assert!(narrow_ms < 85, "{seed}: {clock:?}");
        let later_ms = width_ms(&clock, now_us + 10 * SECOND_US);
        // A part in a thousand on both sides, and up to one second more until the last moment is looked at.
        assert!((narrow_ms + 18..=narrow_ms + 24).contains(&later_ms), "{narrow_ms}, then {later_ms}");
        for us in (0..2 * SECOND_US).step_by(700).map(|us| now_us + us) {
            let second = (us + ahead_us).div_euclid(SECOND_US);
            assert!(clock.window(us, us).contains(&second), "{seed}: {us}: {clock:?}");
        }
    }
}

#[test]
fn a_request_far_from_a_tick_has_one_second_and_one_near_it_has_two() {
    let (clock, now_us, ahead_us) = searched(1);
    let second = (now_us + ahead_us).div_euclid(SECOND_US) + 1;
    let tick_us = second * SECOND_US - ahead_us;
    assert_eq!(clock.window(tick_us + 400_000, tick_us + 401_000), second..=second);
    assert_eq!(clock.window(tick_us - 10_000, tick_us + 10_000), second - 1..=second);
}

#[test]
fn a_second_counts_from_where_it_surely_began() {
    for seed in 0..50 {
        let (clock, now_us, ahead_us) = searched(seed);
        let second = (now_us + ahead_us).div_euclid(SECOND_US) + 2;
        let passed_us = clock.moment_us(second, 80_000, now_us) + ahead_us - second * SECOND_US;
        assert!((80_000..=165_000).contains(&passed_us), "{seed}: {passed_us}");
    }
}

/// How many requests fell into which second, with a way that takes so long. Of a vector, each falls into the second that
/// is meant.
fn busy(vectors: &[&'static Vector], latency_us: i64) -> Vec<usize> {
    let time = Arc::new(SimulatedTime::default());
    let mut remote = Remote::new(time.clone(), 3);
    remote.trouble.latency_us = latency_us;
    let run = run_real_by(time.as_ref(), &remote, vectors, &Options { budget_s: 600, ..Options::default() })
        .unwrap();
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
    let mut busy = BTreeMap::<i64, usize>::new();
    for result in &run.results {
        let seconds = result.answers.iter().map(|answer| answer.window.clone());
        let timed = seconds.zip(&result.vector.steps).filter_map(|(window, step)| Some((window?, step.at_s)));
        let mut origins = Vec::new();
        for (window, at_s) in timed {
            let origin = |second: &i64| second.saturating_sub_unsigned(at_s);
            origins.push(origin(window.start())..=origin(window.end()));
            *busy.entry(*window.start()).or_default() += 1;
        }
        let common = origins.iter().map(|origin| *origin.start()).max();
        assert!(
            common.is_none_or(|common| origins.iter().all(|origin| origin.contains(&common))),
            "{}: {origins:?}",
            result.vector.name
        );
    }
    busy.into_values().collect()
}

fn reads_at_once() -> &'static Vector {
    named(&["clock/hidden-from-reads-at-once"])[0]
}

#[test]
fn every_request_falls_into_the_second_that_its_vector_means() {
    busy(&vectors(8), 300);
}

#[test]
fn what_fits_starts_at_once() {
    // Two writes each, and two looks two seconds later.
    assert_eq!(busy(&[reads_at_once(); 10], 300), [20, 20]);
}

/// Sixteen requests wait for their responses at a time. So the target is asked for four tenths of sixteen in a round trip,
/// which takes three times the least time of one way on average. It is never asked for more than 2000.
#[test]
fn no_second_is_overbooked() {
    for (latency_us, least, most) in
        [(100, 1000, 2000), (8_000, 200, 320), (20_000, 90, 130), (30_000, 60, 85)]
    {
        let busy = busy(&[reads_at_once(); 1100], latency_us);
        assert!(busy.iter().all(|count| *count <= most), "{latency_us}: {busy:?}");
        assert!(busy.iter().any(|count| least <= *count), "{latency_us}: {busy:?}");
    }
}

#[test]
fn a_vector_that_asks_more_than_fits_gets_seconds_of_its_own() {
    let mut greedy = reads_at_once().clone();
    let look = Step { at_s: 0, ..greedy.steps[4].clone() };
    greedy.steps.splice(3..3, vec![look; 2000]);
    let greedy: &'static Vector = Box::leak(Box::new(greedy));
    let busy = busy(&[greedy, greedy, reads_at_once()], 20);
    assert_eq!(busy.iter().filter(|count| **count >= 2002).count(), 2, "{busy:?}");
    assert!(busy.iter().all(|count| *count <= 2004), "{busy:?}");
}
