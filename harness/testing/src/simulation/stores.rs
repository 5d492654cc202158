//! Which stores and which vectors a seed draws.

use std::sync::OnceLock;

use crate::simulation::Rng;
use cosmos_ttl_harness::realtime::{Options, left_out};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_mutants::matrix::failures;
use cosmos_ttl_mutants::{Background, CONTROLS, FaultyStore, Mutant, mutants};

/// The mutants that no vector within the budget of a real-clock run can fail, and why.
pub const EXCLUDED: &[(&str, &str)] = &[
    ("container-maximum-is-never", YEARS),
    ("off-ends-with-32-bits", YEARS),
    ("minus-one-ends-with-32-bits", YEARS),
    ("absent-under-minus-one-ends-with-32-bits", YEARS),
    ("deadlines-wrap-unsigned", YEARS),
];

/// The mutants that only one response or one order of requests and removals shows: a network that loses a reply leaves
/// nothing to be found.
pub const SHOWN_ONCE: &[&str] = &["removal-trusts-the-etag"];

const YEARS: &str = "only vectors that last for months or years fail it";

/// How many vectors a run replays.
pub const VECTORS: usize = 12;

/// The vectors and the stores of all runs.
#[derive(Debug)]
pub struct Stores<'v> {
    /// The vectors that end within the budget.
    pub vectors: Vec<&'v Vector>,
    /// All mutants but those of [`EXCLUDED`].
    pub faulty: Vec<Faulty<'v>>,
}

/// A mutant, and how it can be noticed.
#[derive(Debug)]
pub struct Faulty<'v> {
    pub mutant: &'static Mutant,
    /// Computed when a seed draws the mutant for the first time.
    noticed: OnceLock<NoticedUnder<'v>>,
}

/// The store under each schedule of removal under which vectors fail it, with these vectors.
type NoticedUnder<'v> = Vec<(FaultyStore, Vec<&'v Vector>)>;

/// The draw of a seed for its run of a correct store, or of a faulty one.
#[derive(Clone, Debug)]
pub struct Hand<'v> {
    /// The name of the control or the mutant.
    pub name: &'static str,
    pub store: FaultyStore,
    pub vectors: Vec<&'v Vector>,
}

impl<'v> Stores<'v> {
    /// Returns the vectors that end within the default budget, and the mutants that a run can notice.
    pub fn new(suite: &'v Suite) -> Self {
        let mut vectors: Vec<_> = suite.vectors.iter().collect();
        let left_out = left_out(&vectors, Options::default().budget_s);
        vectors.retain(|vector| left_out(vector).is_none());
        let is_excluded = |mutant: &&Mutant| EXCLUDED.iter().any(|(name, _)| *name == mutant.name);
        let faulty = mutants().filter(|mutant| !is_excluded(mutant));
        let faulty = faulty.map(|mutant| Faulty { mutant, noticed: OnceLock::new() }).collect();
        Self { vectors, faulty }
    }

    /// Returns whether some of the vectors about the clauses that this mutant breaks fail it on an exact clock.
    pub fn notices(&self, mutant: &Mutant) -> bool {
        !self.noticed_under(mutant).is_empty()
    }

    /// Returns what this seed draws for its run of a correct store: the controls in turn, and the vectors from a pile that
    /// is shuffled again when all have been drawn.
    pub fn right(&self, seed: u64) -> Hand<'v> {
        let (control, _) = in_turn(&CONTROLS, seed);
        Hand { name: control.name, store: control.store.into(), vectors: self.deal(seed) }
    }

    /// Returns the mutant that this seed draws: all of them in turn.
    pub fn mutant(&self, seed: u64) -> &'static Mutant {
        in_turn(&self.faulty, seed).0.mutant
    }

    /// Returns what this seed draws for its run of a faulty store: its mutant, and vectors about the clauses that it breaks
    /// that fail it. If fewer fail it, other vectors complete them.
    pub fn faulty(&self, seed: u64) -> Hand<'v> {
        let (faulty, round) = in_turn(&self.faulty, seed);
        let noticed = faulty.noticed.get_or_init(|| self.noticed_under(faulty.mutant));
        assert!(!noticed.is_empty(), "no vector within the budget fails {}", faulty.mutant.name);
        let ((store, killers), _) = in_turn(noticed, round);
        let mut vectors = shuffled(killers, seed);
        vectors.truncate(VECTORS);
        let mut others = self.deal(seed);
        others.retain(|other| vectors.iter().all(|vector| vector.name != other.name));
        vectors.extend(others.into_iter().take(VECTORS - vectors.len()));
        Hand { name: faulty.mutant.name, store: *store, vectors }
    }

    /// Where every second request removes, one request more, as after a lost reply, makes the others remove: then a vector
    /// counts only if it fails the mutant either way.
    fn noticed_under(&self, mutant: &Mutant) -> NoticedUnder<'v> {
        let is_about =
            |vector: &&Vector| vector.clauses.iter().any(|cited| mutant.clauses.contains(&cited.as_str()));
        let about: Vec<_> = self.vectors.iter().copied().filter(is_about).collect();
        let store = |background| mutant.store().removing(background);
        let killers = |background| -> Vec<&'v Vector> {
            failures(&store(background), &about).unwrap().into_iter().map(|(vector, _)| vector).collect()
        };
        let (never, mut even) = (killers(Background::Never), killers(Background::Every(2)));
        if !SHOWN_ONCE.contains(&mutant.name) {
            let odd = killers(Background::EveryEarlier(2));
            even.retain(|vector| odd.iter().any(|other| other.name == vector.name));
        }
        let noticed = [(store(Background::Never), never), (store(Background::Every(2)), even)];
        noticed.into_iter().filter(|(_, killers)| !killers.is_empty()).collect()
    }

    fn deal(&self, seed: u64) -> Vec<&'v Vector> {
        let hands: Vec<usize> = (0..self.vectors.len().div_ceil(VECTORS)).collect();
        let (hand, round) = in_turn(&hands, seed);
        shuffled(&self.vectors, round).chunks(VECTORS).nth(*hand).unwrap().to_vec()
    }
}

/// Returns the one whose turn it is, and how often all have had their turn before.
fn in_turn<T>(all: &[T], number: u64) -> (&T, u64) {
    let count = all.len() as u64;
    (&all[usize::try_from(number % count).unwrap()], number / count)
}

fn shuffled<T: Copy>(all: &[T], seed: u64) -> Vec<T> {
    let mut rng = Rng::new(seed);
    let mut left = all.to_vec();
    let mut drawn = Vec::with_capacity(left.len());
    while !left.is_empty() {
        drawn.push(left.swap_remove(rng.index(left.len())));
    }
    drawn
}
