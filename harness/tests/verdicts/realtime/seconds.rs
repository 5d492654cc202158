//! The estimate of the target's clock, and the seconds of the target in which requests fall.

use std::collections::BTreeMap;
use std::sync::Arc;

use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::vector::{Step, Vector};

use super::{named, others, vectors};
use cosmos_ttl_testing::remote::Remote;
use cosmos_ttl_testing::simulation::time::SimulatedTime;

#[test]
fn readings_on_both_sides_of_a_tick_narrow_the_clock() {
    for seed in 0..50 {
        let time = Arc::new(SimulatedTime::default());
        let remote = Remote::new(time.clone(), seed);
        let run = run_real_by(time.as_ref(), &remote, &[reads_at_once()], &Options::default()).unwrap();
        let width_us = run.clock_width_us.unwrap();
        assert!(width_us < 85_000, "{seed}: {width_us}");
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
