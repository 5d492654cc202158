//! Wrong verdicts, counted over many seeded runs in each class of adversity.

use cosmos_ttl_explore::Rng;
use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, IndependentStore, Mutant, mutants};
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
        let (from_us, to_us) = if rng.percent(50) { (-30_000_000, -1_000_000) } else { (1_000_000, 30_000_000) };
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
pub struct Row {
    /// The class.
    pub class: &'static str,
    /// Whether the stated bounds cover it.
    pub within_bounds: bool,
    /// Runs of correct stores, and of stores with a fault.
    pub runs: [usize; 2],
    /// Failures of correct stores.
    pub false_fails: usize,
    /// Faulty stores of which every vector that was judged passed, and at least one was.
    pub false_passes: usize,
    /// Vectors by outcome over all runs of correct stores.
    pub outcomes: std::collections::BTreeMap<Outcome, usize>,
    /// How long the runs of correct stores took, over the longest of their vectors, on average, in per cent.
    pub time_percent: u64,
    /// The wrong runs, so that each can be repeated.
    pub wrong: Vec<String>,
}

/// One run.
#[derive(Debug)]
pub struct Simulation<'v> {
    /// Its class.
    pub class: Class,
    /// What it follows from.
    pub seed: u64,
    /// The store of the server.
    pub store: IndependentStore,
    /// The vectors.
    pub vectors: Vec<&'v Vector>,
    /// How many threads.
    pub threads: usize,
}

impl<'v> Simulation<'v> {
    /// Replays the vectors, and returns each with its outcome and its reason; also how long that took.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn run(&self, options: &Options) -> Result<(Vec<(&'v Vector, Outcome, String)>, i64), Fault> {
        let time = SimulatedTime::new(self.threads);
        let mut clocks = ServerClocks::even(self.seed);
        let network = (self.class.make)(&mut Rng::new(self.seed ^ 0x5eed), &mut clocks);
        let server = Server::new(&time, self.store, network, clocks, self.seed);
        let run = run_real_by(&time, &server, &self.vectors, options)?;
        let results = run.results.iter().map(|result| {
            (result.vector, result.verdict.outcome(), result.verdict.reason().unwrap_or_default())
        });
        let us = cosmos_ttl_harness::realtime::Time::now_us(&time);
        Ok((results.collect(), us))
    }
}

/// A faulty store, and the vectors that fail against it.
#[derive(Debug)]
pub struct Faulty<'v> {
    mutant: &'static Mutant,
    killers: Vec<&'v Vector>,
}

/// Returns each mutant that some of these vectors kill on an exact clock when nobody tells it when to remove.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn killed<'v>(vectors: &[&'v Vector]) -> Result<Vec<Faulty<'v>>, Fault> {
    let mut all = Vec::new();
    for mutant in mutants() {
        let run = run_virtual(&mutant.store(), vectors)?;
        let failed = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail);
        let killers: Vec<_> = failed.map(|result| result.vector).collect();
        if !killers.is_empty() {
            all.push(Faulty { mutant, killers });
        }
    }
    Ok(all)
}

/// Counts wrong verdicts of a class: one run of a control and one of a mutant for each seed.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn row(
    class: Class,
    vectors: &[&Vector],
    faulty: &[Faulty<'_>],
    seeds: std::ops::Range<u64>,
    threads: usize,
) -> Result<Row, Fault> {
    let mut row = Row { class: class.name, within_bounds: class.within_bounds, ..Row::default() };
    let options = Options::default();
    let (mut spent_us, mut longest_us) = (0_u64, 0_u64);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let mut drawn = |from: &[&'_ Vector]| -> Vec<usize> {
            let mut places: Vec<usize> = (0..from.len()).collect();
            (0..6.min(from.len()))
                .map(|_| {
                    let count = u32::try_from(places.len()).unwrap_or(0);
                    places.swap_remove(usize::try_from(rng.below(count)).unwrap_or(0))
                })
                .collect()
        };
        let pick = |from: &[&Vector], places: Vec<usize>| -> Vec<String> {
            places.iter().filter_map(|place| from.get(*place)).map(|vector| vector.name.clone()).collect()
        };
        let places = drawn(vectors);
        let chosen: Vec<_> = places.iter().filter_map(|place| vectors.get(*place).copied()).collect();
        let index = usize::try_from(seed).unwrap_or(0);
        let Some(control) = CONTROLS.get(index % CONTROLS.len()) else { continue };
        let longest_s = chosen.iter().map(|vector| vector.span_s).max().unwrap_or(0);
        let simulation = Simulation { class, seed, store: control.store, vectors: chosen, threads };
        let (results, us) = simulation.run(&options)?;
        row.runs[0] += 1;
        spent_us += u64::try_from(us).unwrap_or(0);
        longest_us += longest_s * 1_000_000;
        for (vector, outcome, reason) in results {
            *row.outcomes.entry(outcome).or_default() += 1;
            if matches!(outcome, Outcome::Fail | Outcome::Differ) {
                row.false_fails += 1;
                row.wrong.push(format!("seed {seed}, {}, {}: {reason}", control.name, vector.name));
            }
        }
        let Some(faulty) = faulty.get(index % faulty.len().max(1)) else { continue };
        let places = drawn(&faulty.killers);
        let _ = pick;
        let chosen: Vec<_> = places.iter().filter_map(|place| faulty.killers.get(*place).copied()).collect();
        let simulation = Simulation { class, seed, store: faulty.mutant.store(), vectors: chosen, threads };
        let (results, _) = simulation.run(&options)?;
        row.runs[1] += 1;
        if results.iter().all(|(_, outcome, _)| matches!(outcome, Outcome::Pass | Outcome::NotApplicable))
            && results.iter().any(|(_, outcome, _)| *outcome == Outcome::Pass)
        {
            row.false_passes += 1;
            row.wrong.push(format!("seed {seed}, mutant:{} passes", faulty.mutant.name));
        }
    }
    row.time_percent = (spent_us * 100).checked_div(longest_us).unwrap_or(0);
    Ok(row)
}
