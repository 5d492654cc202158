//! Wrong verdicts, counted over many seeded runs in each class of adversity.
//!
//! Each seed makes two runs in a class: one of a correct store, and one of a faulty store. A run that seems to miss a
//! fault is repeated on the calm network: only what fails there is missed.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::simulation::Rng;
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::realtime::{Options, Progress, Time as _, run_real_by};
use cosmos_ttl_harness::run::{Conclusion, Tally};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;

use crate::simulation::bounds::{CALM_CLASS, Class, classes};
use crate::simulation::network::ServerClocks;
use crate::simulation::server::Server;
use crate::simulation::stores::{Hand, SHOWN_ONCE, Stores};
use crate::simulation::time::SimulatedTime;

/// How many requests of a run wait for their responses at the same time: those of a part of the vectors, and a look at the clock.
const THREADS: usize = 8;
/// A run that takes this much longer than its budget is late, and is ended.
const LATE_S: u64 = 10;
/// How many of a hundred runs must find a faulty store nonconformant within the bounds.
const FOUND_PERCENT: usize = 90;
/// How many of a thousand vectors may be undecided for a correct store within the bounds. At round trips of 200 ms, a
/// dozen requests of one second do not fit into it.
const UNDECIDED_PERMILLE: usize = 50;
/// The classes draw different mutants: each begins this many mutants after the previous one.
const MUTANTS_APART: u64 = 37;

/// The verdicts of the runs of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub class: &'static str,
    pub says: &'static str,
    pub within_bounds: bool,
    /// Whether its networks lose responses after a request took effect.
    pub loses_responses: bool,
    /// How many runs there were: two for each seed.
    pub runs: usize,
    /// How many vectors have each outcome in the runs of correct stores.
    pub right: BTreeMap<Outcome, usize>,
    /// How many vectors have each outcome in the runs of faulty stores.
    pub faulty: BTreeMap<Outcome, usize>,
    /// How many vectors failed a correct store.
    pub false_fails: usize,
    /// How many runs found a faulty store conformant, which is nonconformant on the calm network.
    pub false_passes: usize,
    /// How many vectors passed a faulty store, which they fail on the calm network.
    pub missed: usize,
    /// How many runs of correct stores leave a vector without a verdict.
    pub undecided: usize,
    /// How many runs of faulty stores end as nonconformant.
    pub nonconformant: usize,
    /// How many runs with a wrong verdict say nothing about the adversity.
    pub unnoticed: usize,
    /// How many runs were ended because they took longer than their budget.
    pub late: usize,
    /// How long the runs of correct stores took, in per cent of their longest vectors.
    pub time_percent: u64,
    /// Each wrong verdict.
    pub wrong: Vec<WrongVerdict>,
}

/// A wrong verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongVerdict {
    pub seed: u64,
    /// The control or the mutant.
    pub store: &'static str,
    /// The vector; none if the run as a whole is wrong.
    pub vector: Option<String>,
    /// The verdict, in words.
    pub said: String,
}

impl Row {
    /// Returns how many of a thousand vectors had one of these outcomes in the runs of correct stores.
    fn permille(&self, of: &[Outcome]) -> usize {
        let count: usize = of.iter().filter_map(|outcome| self.right.get(outcome)).sum();
        (count * 1000).checked_div(self.right.values().sum()).unwrap_or(0)
    }

    /// Returns how many of a thousand vectors were inconclusive in the runs of correct stores.
    pub fn inconclusive_permille(&self) -> usize {
        self.permille(&[Outcome::Inconclusive])
    }

    /// Returns how many of a thousand vectors came to no verdict in the runs of correct stores, for whatever reason.
    pub fn undecided_permille(&self) -> usize {
        self.permille(&[Outcome::Inconclusive, Outcome::Broken, Outcome::NotApplicable, Outcome::NotRun])
    }

    /// Returns what is required of this class and does not hold, a sentence each.
    ///
    /// Within the bounds no verdict is wrong, 95 % of the vectors come to one, and 90 % of the faulty stores are
    /// found. Outside, a run with a wrong verdict says that something is wrong. Every run
    /// ends within its budget, and none finds a faulty store conformant.
    pub fn violations(&self) -> Vec<String> {
        let Self { class, runs, nonconformant, false_fails, false_passes, unnoticed, late, .. } = self;
        let undecided = self.undecided_permille();
        let checks = [
            (
                self.within_bounds && *false_fails > 0,
                format!("{class}: {false_fails} vectors fail a correct store"),
            ),
            (
                self.within_bounds && nonconformant * 100 < runs / 2 * FOUND_PERCENT,
                format!("{class}: {nonconformant} of {} faulty stores are found", runs / 2),
            ),
            (
                self.within_bounds && undecided > UNDECIDED_PERMILLE,
                format!("{class}: {undecided} of 1,000 vectors come to no verdict"),
            ),
            (*false_passes > 0, format!("{class}: {false_passes} runs find a faulty store conformant")),
            (
                *late > 0,
                format!("{class}: {late} runs take {LATE_S} s more than their budget, or do not end"),
            ),
            (
                !self.within_bounds && *unnoticed > 0,
                format!("{class}: {unnoticed} runs with a wrong verdict do not say that something is wrong"),
            ),
        ];
        checks.into_iter().filter(|(violated, _)| *violated).map(|(_, why)| why).collect()
    }

    /// Returns why the figures of this class show nothing, a sentence each: nothing was run, judged or found.
    pub fn idle(&self) -> Vec<String> {
        let class = self.class;
        let judged = self.right.get(&Outcome::Pass).copied().unwrap_or(0);
        let found = self.faulty.get(&Outcome::Fail).copied().unwrap_or(0);
        let checks = [
            (self.runs == 0, format!("{class}: there are no runs")),
            (self.within_bounds && judged == 0, format!("{class}: no vector passes a correct store")),
            (self.within_bounds && found == 0, format!("{class}: no vector fails a faulty store")),
        ];
        checks.into_iter().filter(|(idle, _)| *idle).map(|(_, why)| why).collect()
    }

    fn add(&mut self, seed: u64, [right, faulty]: [Simulated<'_>; 2]) {
        self.runs += 2;
        for (run, outcomes) in [(&right, &mut self.right), (&faulty, &mut self.faulty)] {
            if run.late {
                self.late += 1;
                let said = format!("does not end within its budget: {} s", run.us / 1_000_000);
                self.wrong.push(WrongVerdict { seed, store: run.store, vector: None, said });
            }
            for (_, outcome, _) in &run.results {
                let count: &mut usize = outcomes.entry(*outcome).or_default();
                *count += 1;
            }
        }
        let is_undecided = |(_, outcome, _): &(_, Outcome, _)| {
            matches!(outcome, Outcome::Inconclusive | Outcome::Broken | Outcome::NotRun)
        };
        self.undecided += usize::from(right.results.iter().any(is_undecided));
        self.nonconformant += usize::from(faulty.conclusion == Conclusion::Nonconformant);
        let before = self.wrong.len();
        for (vector, outcome, reason) in &right.results {
            if *outcome == Outcome::Fail {
                self.false_fails += 1;
                self.note(seed, &right, Some(vector), format!("fails a correct store: {reason}"));
            }
        }
        if before < self.wrong.len() && !right.notices_adversity() {
            self.unnoticed += 1;
        }
        let Some(calm) = &faulty.calm else { return };
        for ((vector, outcome, _), (_, calmly, reason)) in faulty.results.iter().zip(&calm.results) {
            if (*outcome, *calmly) == (Outcome::Pass, Outcome::Fail) {
                self.missed += 1;
                self.note(seed, &faulty, Some(vector), format!("passes; when calm: {reason}"));
            }
        }
        let is_missed =
            faulty.conclusion == Conclusion::Conformant && calm.conclusion == Conclusion::Nonconformant;
        if is_missed && !(self.loses_responses && SHOWN_ONCE.contains(&faulty.store)) {
            self.false_passes += 1;
            self.note(seed, &faulty, None, "is conformant; when calm it is nonconformant".into());
        }
    }

    fn note(&mut self, seed: u64, run: &Simulated<'_>, vector: Option<&Vector>, said: String) {
        let vector = vector.map(|vector| vector.name.clone());
        self.wrong.push(WrongVerdict { seed, store: run.store, vector, said });
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Simulated<'v> {
    /// The name of the control or the mutant.
    pub store: &'static str,
    /// The vectors with their outcomes and reasons.
    pub results: Vec<(&'v Vector, Outcome, String)>,
    /// The conclusion of the run; a vector that differs from a *should* counts.
    pub conclusion: Conclusion,
    /// The remarks of the run about the target's clock, and about the connection.
    pub remarks: Vec<String>,
    /// Whether it was ended because it took longer than its budget.
    pub late: bool,
    /// How many requests were answered.
    pub requests: usize,
    /// How long it took.
    pub us: i64,
    /// The same run on the calm network, where that is needed to judge this one.
    pub calm: Option<Box<Self>>,
}

impl Simulated<'_> {
    /// Whether a user sees that something is wrong with the clock or with the way.
    fn notices_adversity(&self) -> bool {
        let undecided = |outcome| matches!(outcome, Outcome::Inconclusive | Outcome::Broken);
        !self.remarks.is_empty() || self.results.iter().any(|(_, outcome, _)| undecided(*outcome))
    }
}

/// Counts the wrong verdicts of a class, with two runs for each of these seeds.
pub fn row(stores: &Stores<'_>, class: &Class, seeds: Range<u64>) -> Row {
    let mut row = Row {
        class: class.name,
        says: class.says,
        within_bounds: class.within_bounds,
        loses_responses: class.loses_responses(),
        ..Row::default()
    };
    let (mut spent_us, mut planned_us) = (0_u64, 0_u64);
    let seeds: Vec<_> = seeds.collect();
    let runs = parallel::map(&seeds, |seed| {
        Ok::<_, Infallible>([run_right(stores, class, *seed), run_faulty(stores, class, *seed)])
    });
    for (seed, runs) in seeds.iter().zip(runs.unwrap()) {
        spent_us += u64::try_from(runs[0].us).unwrap();
        planned_us += 1_000_000 * runs[0].results.iter().map(|(vector, ..)| vector.span_s).max().unwrap();
        row.add(*seed, runs);
    }
    row.time_percent = spent_us * 100 / planned_us.max(1);
    row
}

/// Replays some vectors against a correct store.
pub fn run_right<'v>(stores: &Stores<'v>, class: &Class, seed: u64) -> Simulated<'v> {
    simulate(class, seed, &stores.right(seed), THREADS)
}

/// Replays some vectors against a faulty store that they fail on an exact clock.
pub fn run_faulty<'v>(stores: &Stores<'v>, class: &Class, seed: u64) -> Simulated<'v> {
    let hand = stores.faulty(mutant_number(class, seed));
    let mut run = simulate(class, seed, &hand, THREADS);
    if run.results.iter().any(|(_, outcome, _)| *outcome == Outcome::Pass) {
        run.calm = Some(Box::new(simulate(&CALM_CLASS, seed, &hand, THREADS)));
    }
    run
}

/// Returns how many seeds each class needs for this many runs in all classes together.
pub fn seeds_for(runs: u64) -> u64 {
    runs / (2 * classes().count() as u64) + 1
}

/// Returns the number of the mutant that this seed draws in this class.
pub fn mutant_number(class: &Class, seed: u64) -> u64 {
    let before = classes().take_while(|other| other.name != class.name).count();
    (before as u64 * MUTANTS_APART).saturating_add(seed)
}

/// Makes one run, on this many threads.
pub fn simulate<'v>(class: &Class, seed: u64, hand: &Hand<'v>, threads: usize) -> Simulated<'v> {
    let time = SimulatedTime::new(threads);
    let mut rng = Rng::new(seed);
    let mut clocks = ServerClocks::even(&mut rng);
    let network = (class.make)(&mut rng, &mut clocks);
    let server = Server::new(&time, hand.store, network, clocks, rng);
    let stop = Arc::new(AtomicBool::new(false));
    let options = Options { stop: Arc::clone(&stop), ..Options::default() };
    let latest_s = options.budget_s + LATE_S;
    let progress = move |progress: Progress| stop.store(latest_s < progress.elapsed_s, Ordering::Relaxed);
    let options = Options { progress: Arc::new(progress), ..options };
    let run = run_real_by(&time, &server, &hand.vectors, &options).unwrap();
    let conclusion = Tally::of(&run).conclusion(true);
    let results = run
        .results
        .into_iter()
        .map(|result| (result.vector, result.verdict.outcome(), result.verdict.reason().unwrap_or_default()));
    Simulated {
        store: hand.name,
        results: results.collect(),
        conclusion,
        remarks: run.remarks,
        late: options.stop.load(Ordering::Relaxed),
        requests: run.requests,
        us: time.now_us(),
        calm: None,
    }
}
