//! Wrong verdicts, counted over many seeded runs in each class of adversity.

use std::collections::BTreeMap;
use std::ops::Range;

use cosmos_ttl_explore::Rng;
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::realtime::{Options, Time as _, run_real_by};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{Background, CONTROLS, IndependentStore, Mutant, mutants};
use serde::Serialize;

use crate::network::{CALM, Delay, Network, ServerClocks};
use crate::server::Server;
use crate::time::SimulatedTime;

/// One kind of adversity.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name in the table.
    pub name: &'static str,
    /// Whether the bounds that the project states cover it.
    pub within_bounds: bool,
    /// Draws the network and the clocks of one run.
    make: fn(&mut Rng, &mut ServerClocks) -> Network,
}

const fn class(
    name: &'static str,
    within_bounds: bool,
    make: fn(&mut Rng, &mut ServerClocks) -> Network,
) -> Class {
    Class { name, within_bounds, make }
}

/// The longest round trip of the classes that set the clock.
const STEPPING_US: i64 = 100_000;

fn between(rng: &mut Rng, from: i64, to: i64) -> i64 {
    from + i64::from(rng.below(u32::try_from(to - from).unwrap_or(0) + 1))
}

/// Steps once, by so much in either direction or in one, some time in the first ten seconds.
fn steps(rng: &mut Rng, clocks: &mut ServerClocks, from_us: i64, to_us: i64) {
    let by_us = between(rng, from_us, to_us);
    let at_us = between(rng, 300_000, 10_000_000);
    clocks.steps.push((at_us, by_us));
}

/// Every class, the calm one first.
pub const CLASSES: &[Class] = &[
    class("calm", true, |_, _| CALM),
    class("latency, uniform up to 200 ms", true, |_, _| Network::uniform(100_000)),
    class("latency, exponential, 100 ms", true, |_, _| Network::exponential(100_000)),
    class("latency, asymmetric, 5 and 95 ms", true, |rng, _| {
        let (short, long) = (Delay::UniformUs(4_000, 6_000), Delay::UniformUs(90_000, 100_000));
        if rng.percent(50) {
            Network { to: short, back: long, ..CALM }
        } else {
            Network { to: long, back: short, ..CALM }
        }
    }),
    class("stalls of up to 1.5 s, 2 %", true, |_, _| Network {
        stalls: 10,
        stall_us: 1_500_000,
        ..Network::uniform(10_000)
    }),
    class("clock drifts by up to 1 %", true, |rng, clocks| {
        clocks.drift_ppm = between(rng, -10_000, 10_000);
        Network::uniform(20_000)
    }),
    class("clock steps back, 20 ms to 1 s", true, |rng, clocks| {
        steps(rng, clocks, -1_000_000, -20_000);
        Network::uniform(between(rng, 1, STEPPING_US / 2))
    }),
    class("clock steps on, 20 ms to 1 s", true, |rng, clocks| {
        steps(rng, clocks, 20_000, 1_000_000);
        Network::uniform(between(rng, 1, STEPPING_US / 2))
    }),
    class("clock steps by 1 to 30 s", true, |rng, clocks| {
        let (from_us, to_us) =
            if rng.percent(50) { (-30_000_000, -1_000_000) } else { (1_000_000, 30_000_000) };
        steps(rng, clocks, from_us, to_us);
        Network::uniform(between(rng, 1, STEPPING_US / 2))
    }),
    class("clock steps there and back", true, |rng, clocks| {
        let by_us = between(rng, 20_000, 3_000_000) * if rng.percent(50) { 1 } else { -1 };
        let at_us = between(rng, 300_000, 8_000_000);
        let after_us = between(rng, 100_000, 5_000_000);
        clocks.steps.extend([(at_us, by_us), (at_us + after_us, -by_us)]);
        Network::uniform(between(rng, 1, STEPPING_US / 2))
    }),
    class("three servers up to 50 ms apart", true, |rng, clocks| {
        clocks.servers_us = vec![0, between(rng, 0, 50_000), between(rng, 0, 50_000)];
        Network::uniform(10_000)
    }),
    class("requests lost, 2 %", true, |_, _| Network { lost_before: 20, ..Network::uniform(10_000) }),
    class("responses lost, 2 %", true, |_, _| Network { lost_after: 20, ..Network::uniform(10_000) }),
    class("429 in bursts, 20 %", true, |_, _| Network { busy: 200, ..Network::uniform(10_000) }),
    class("5xx, 1 %", true, |_, _| Network { errors: 10, ..Network::uniform(10_000) }),
    class("containers take 2 to 3 s", true, |rng, _| Network {
        container_us: between(rng, 2_000_000, 3_000_000),
        ..Network::uniform(10_000)
    }),
    class("all of them, mild", true, |rng, clocks| {
        clocks.drift_ppm = between(rng, -2_000, 2_000);
        clocks.servers_us = vec![0, between(rng, 0, 20_000)];
        if rng.percent(30) {
            steps(rng, clocks, -1_000_000, 1_000_000);
        }
        Network {
            stalls: 2,
            stall_us: 1_000_000,
            lost_before: 2,
            lost_after: 2,
            busy: 10,
            errors: 2,
            ..Network::exponential(30_000)
        }
    }),
    class("outside: clock drifts by 3 to 8 %", false, |rng, clocks| {
        clocks.drift_ppm = between(rng, 30_000, 80_000) * if rng.percent(50) { 1 } else { -1 };
        Network::uniform(20_000)
    }),
    class("outside: servers 100 to 300 ms apart", false, |rng, clocks| {
        clocks.servers_us = vec![0, between(rng, 100_000, 300_000), between(rng, 100_000, 300_000)];
        Network::uniform(10_000)
    }),
];

/// What the runs of one class came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Row {
    /// The class.
    pub class: &'static str,
    /// Whether the stated bounds cover it.
    pub within_bounds: bool,
    /// Runs of correct stores; as many were made of faulty ones.
    pub runs: usize,
    /// Vectors that a correct store failed.
    pub false_fails: usize,
    /// Runs of faulty stores that end as those of correct ones do, though every vector in them kills the store.
    pub false_passes: usize,
    /// The outcomes of the vectors in the runs of correct stores.
    pub outcomes: BTreeMap<Outcome, usize>,
    /// How long the runs of correct stores took, in per cent of their longest vectors.
    pub time_percent: u64,
    /// The seed, the store and the vector of each wrong verdict.
    pub wrong: Vec<String>,
}

/// A store with a fault, and the vectors that kill it.
#[derive(Debug)]
struct Faulty<'v> {
    mutant: &'static Mutant,
    killers: Vec<&'v Vector>,
}

/// The vectors and the stores of all runs.
#[derive(Debug)]
pub struct Soundness<'v> {
    vectors: Vec<&'v Vector>,
    faulty: Vec<Faulty<'v>>,
}

/// How many vectors a run replays.
const VECTORS: usize = 6;
/// How many requests of a run wait for their responses at the same time.
const THREADS: usize = 16;

/// One run: the vectors with their outcomes and reasons, and how long it took.
struct Simulated<'v> {
    results: Vec<(&'v Vector, Outcome, String)>,
    us: i64,
}

impl<'v> Soundness<'v> {
    /// Returns the vectors that last no longer than this, and each mutant that some of them kill on an exact clock while
    /// nobody tells it when to remove.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn new(suite: &'v Suite, longest_s: u64) -> Result<Self, Fault> {
        let vectors: Vec<_> = suite.vectors.iter().filter(|vector| vector.span_s <= longest_s).collect();
        let all: Vec<_> = mutants().collect();
        let faulty = parallel::map(&all, |mutant| {
            let run = run_virtual(&removing(mutant), &vectors)?;
            let failed = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail);
            Ok(Faulty { mutant, killers: failed.map(|result| result.vector).collect() })
        })?;
        let faulty = faulty.into_iter().filter(|faulty| !faulty.killers.is_empty()).collect();
        Ok(Self { vectors, faulty })
    }

    /// Counts the wrong verdicts of a class: for each seed, in a run of a correct store and one of a faulty store.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn row(&self, class: Class, seeds: Range<u64>) -> Result<Row, Fault> {
        let mut row = Row { class: class.name, within_bounds: class.within_bounds, ..Row::default() };
        let (mut spent_us, mut longest_us) = (0, 0);
        let seeds: Vec<_> = seeds.collect();
        for (seed, run) in seeds.iter().zip(parallel::map(&seeds, |seed| self.run(class, *seed))?) {
            let Some((right, faulty)) = run else { continue };
            row.runs += 1;
            spent_us += right.us;
            longest_us +=
                right.results.iter().map(|(vector, ..)| seconds_us(vector.span_s)).max().unwrap_or(0);
            for (vector, outcome, reason) in &right.results {
                *row.outcomes.entry(*outcome).or_default() += 1;
                if *outcome == Outcome::Fail {
                    row.false_fails += 1;
                    row.wrong.push(format!("seed {seed}, {}, {reason}", vector.name));
                }
            }
            let outcomes = || faulty.results.iter().map(|(_, outcome, _)| *outcome);
            if outcomes().all(|outcome| matches!(outcome, Outcome::Pass | Outcome::NotApplicable)) {
                row.false_passes += 1;
                row.wrong.push(format!(
                    "seed {seed}, {}",
                    nth(&self.faulty, *seed).map_or("", |one| one.mutant.name)
                ));
            }
        }
        row.time_percent = u64::try_from(spent_us * 100 / i64::max(longest_us, 1)).unwrap_or(0);
        Ok(row)
    }

    /// Replays some vectors against a correct store, and some that kill it against a faulty store.
    fn run(&self, class: Class, seed: u64) -> Result<Option<(Simulated<'v>, Simulated<'v>)>, Fault> {
        let (Some(control), Some(faulty)) = (nth(&CONTROLS, seed), nth(&self.faulty, seed)) else {
            return Ok(None);
        };
        let mut rng = Rng::new(seed);
        let right = simulate(class, seed, control.store, &drawn(&self.vectors, &mut rng))?;
        let wrong = simulate(class, seed, removing(faulty.mutant), &drawn(&faulty.killers, &mut rng))?;
        Ok(Some((right, wrong)))
    }
}

fn simulate<'v>(
    class: Class,
    seed: u64,
    store: IndependentStore,
    vectors: &[&'v Vector],
) -> Result<Simulated<'v>, Fault> {
    let time = SimulatedTime::new(THREADS);
    let mut rng = Rng::new(!seed);
    let mut clocks = ServerClocks::even(&mut rng);
    let network = (class.make)(&mut rng, &mut clocks);
    let server = Server::new(&time, store, network, clocks, rng);
    let run = run_real_by(&time, &server, vectors, &Options::default())?;
    let results = run
        .results
        .into_iter()
        .map(|result| (result.vector, result.verdict.outcome(), result.verdict.reason().unwrap_or_default()));
    Ok(Simulated { results: results.collect(), us: time.now_us() })
}

/// The store removes by itself, before every second request.
fn removing(mutant: &Mutant) -> IndependentStore {
    IndependentStore { background: Background::Every(2), ..mutant.store() }
}

/// The one with this number, counted round and round.
fn nth<T>(all: &[T], number: u64) -> Option<&T> {
    let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
    all.get(usize::try_from(number.checked_rem(count)?).unwrap_or(0))
}

fn drawn<'v>(from: &[&'v Vector], rng: &mut Rng) -> Vec<&'v Vector> {
    let mut left = from.to_vec();
    let mut drawn = Vec::with_capacity(VECTORS);
    while drawn.len() < VECTORS && !left.is_empty() {
        let count = u32::try_from(left.len()).unwrap_or(u32::MAX);
        drawn.push(left.swap_remove(usize::try_from(rng.below(count)).unwrap_or(0)));
    }
    drawn
}

fn seconds_us(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000)
}
