//! Random sessions on a real clock over an adverse network: no correct store fails a vector, and faulty ones do.

use std::sync::LazyLock;

use cosmos_ttl_explore::random_vectors;
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{Background, CONTROLS, FaultyStore, named};
use cosmos_ttl_testing::simulation::Rng;
use cosmos_ttl_testing::simulation::network::{Network, ServerClocks};
use cosmos_ttl_testing::simulation::server::Server;
use cosmos_ttl_testing::simulation::time::SimulatedTime;

use crate::SUITE;

static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| random_vectors(&SUITE, 80, 1));

/// Replays the vectors, and returns how many fail and how many are judged. One reply in fifty is lost on either way, and
/// once the clock steps back.
fn replayed(store: impl Into<FaultyStore>, seed: u64) -> Result<[usize; 2], Fault> {
    let time = SimulatedTime::new(16);
    let mut rng = Rng::new(seed);
    let mut clocks = ServerClocks::even(&mut rng);
    clocks.steps.push((300_000 + i64::from(rng.below(9_700_000)), -120_000 - i64::from(rng.below(380_000))));
    let network = Network { lost_before: 20, lost_after: 20, ..Network::uniform(10_000) };
    let server = Server::new(&time, store, network, clocks, rng);
    let run = run_real_by(&time, &server, &VECTORS.iter().collect::<Vec<_>>(), &Options::default())?;
    let count = |wanted| run.results.iter().filter(|result| result.verdict.outcome() == wanted).count();
    let [failing, passing] = [Outcome::Fail, Outcome::Pass].map(count);
    Ok([failing, failing + passing])
}

#[test]
fn no_correct_store_fails() {
    let judged = parallel::map(&CONTROLS.iter().zip(0..).collect::<Vec<_>>(), |(control, seed)| {
        let [failing, judged] = replayed(control.store, *seed)?;
        assert_eq!(failing, 0, "{}", control.name);
        Ok::<_, Fault>(judged)
    });
    let judged: usize = judged.unwrap().into_iter().sum();
    assert!(CONTROLS.len() * VECTORS.len() / 2 < judged, "{judged}");
}

#[test]
fn faulty_stores_fail() {
    for name in ["one-second-late", "off-honours-own-ttl", "replace-does-not-restart"] {
        let store = named(name).unwrap().removing(Background::Every(2));
        let [failing, _] = replayed(store, 1).unwrap();
        assert!(0 < failing, "{name}");
    }
}
