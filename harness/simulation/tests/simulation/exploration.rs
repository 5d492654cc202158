//! Exploration over an adverse network: no correct store is accused, and faulty ones are found.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::real_time::search;
use cosmos_ttl_explore::{ExploreOptions, Rng, SearchResult};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_mutants::{Background, CONTROLS, FaultyStore, named};
use cosmos_ttl_simulation::network::{Network, ServerClocks};
use cosmos_ttl_simulation::server::Server;
use cosmos_ttl_simulation::time::SimulatedTime;

use crate::SUITE;

type Adversity = fn(&mut Rng, &mut ServerClocks) -> Network;

static STOP: AtomicBool = AtomicBool::new(false);

/// Explores a store for a minute, as the program does.
fn explore(store: impl Into<FaultyStore>, adversity: Adversity, seed: u64) -> Result<SearchResult, Fault> {
    let time = SimulatedTime::new(16);
    let mut rng = Rng::new(!seed);
    let mut clocks = ServerClocks::even(&mut rng);
    let network = adversity(&mut rng, &mut clocks);
    let server = Server::new(&time, store, network, clocks, rng);
    let options = ExploreOptions { seed: seed * 1_000, steps: 1_000, stop: &STOP };
    search(&time, &server, &SUITE, &options, 60, true)
}

/// Explores correct stores, in turn, and returns how many places were played and given up, and how many replies were lost.
fn check_innocent(adversity: Adversity, seeds: Range<u64>) -> [u64; 3] {
    let seeds: Vec<_> = seeds.collect();
    let results = parallel::map(&seeds, |seed| {
        let control = &CONTROLS[usize::try_from(*seed).unwrap() % CONTROLS.len()];
        explore(control.store, adversity, *seed)
    });
    let mut sums = [0; 3];
    for (seed, result) in seeds.iter().zip(results.unwrap()) {
        assert!(result.shown.is_none(), "seed {seed}: {:#?}", result.shown);
        let coverage = &result.explored.coverage;
        for (sum, more) in sums.iter_mut().zip([coverage.sessions, coverage.given_up, coverage.lost]) {
            *sum += more;
        }
    }
    println!("places, given up, replies lost: {sums:?}");
    sums
}

/// Explores three faulty stores, and returns how many of the given explorations find each.
fn check_found(adversity: Adversity, seeds: Range<u64>, least: usize) {
    for name in ["one-second-late", "off-honours-own-ttl", "replace-does-not-restart"] {
        let seeds: Vec<_> = seeds.clone().collect();
        let store = named(name).unwrap().removing(Background::Every(2));
        let found = parallel::map(&seeds, |seed| {
            explore(store, adversity, *seed).map(|result| result.shown.is_some())
        });
        let count = found.unwrap().into_iter().filter(|found| *found).count();
        println!("{name}: found in {count} of {}", seeds.len());
        assert!(least <= count, "{name}: found in {count} of {}", seeds.len());
    }
}

fn lossy(_: &mut Rng, _: &mut ServerClocks) -> Network {
    Network { lost_before: 20, lost_after: 20, ..Network::uniform(10_000) }
}

/// Once, by 0.12 to 0.5 s, some time in the first ten seconds; round trips take up to 200 ms.
fn stepping_back(rng: &mut Rng, clocks: &mut ServerClocks) -> Network {
    let by_us = 120_000 + i64::from(rng.below(380_000));
    clocks.steps.push((300_000 + i64::from(rng.below(9_700_000)), -by_us));
    Network::uniform(100_000)
}

#[test]
fn a_lost_reply_accuses_nobody_and_its_place_goes_on() {
    let [places, given_up, lost] = check_innocent(lossy, 0..30);
    // What is given up lost the making of its container, as a rule.
    assert!(
        given_up * 10 < places && given_up * 5 < lost,
        "{places} places, {given_up} given up, {lost} lost"
    );
}

#[test]
fn faulty_stores_are_found_where_replies_are_lost() {
    check_found(lossy, 0..3, 2);
}

#[test]
fn a_step_of_the_clock_accuses_nobody() {
    check_innocent(stepping_back, 0..30);
}

#[test]
fn faulty_stores_are_found_where_the_clock_steps() {
    check_found(stepping_back, 0..3, 2);
}
