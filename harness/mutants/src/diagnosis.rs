//! Which mutation a target seems to have: the mutants whose failures match its own best.
//!
//! A mutant explains a failure of the target if it fails the same vector in the same way: at the same step, with the same
//! answer. What it fails and the target does not speaks against it. The mutant that explains most comes first, then the
//! one that explains most of what is left, and so on. Mutants that explain the same failures equally well are named
//! together, since nothing in the run tells them apart. Every mutant meets the same vectors as the target did, in the same
//! editions and under the same schedules of removal.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::list::{Mutant, mutants};
use cosmos_ttl_harness::run::{Run, VectorResult, run_virtual};
use cosmos_ttl_harness::target::{About, Clock, Fault, Opening, Session, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::{Failure, Outcome, Verdict};
pub use cosmos_ttl_harness::verdict::{MutantDiagnosis, MutantLikeness};

/// A vector that was judged.
#[derive(Clone, Copy, Debug)]
pub struct JudgedVector<'a> {
    /// The vector.
    pub vector: &'a Vector,
    /// How the target failed it; `None` where it passed.
    pub failure: Option<&'a Failure>,
}

/// No more mistakes are named than these.
const MOST: usize = 6;

/// No more mutants than these are named with one that the run cannot tell from them.
const ALSO: usize = 3;

/// The number of failures, spread evenly, that tell which mutants are worth more than a glance.
const GLANCE: usize = 48;

/// The number of mutants that are compared in full.
const CLOSER: usize = 24;

/// Diagnoses a run; `None` where nothing fails but what is known.
pub fn of_run(run: &Run<'_>) -> Option<MutantDiagnosis> {
    diagnose(&run.about, &judged_in(run))
}

/// Returns what was judged in a run, and is not known already.
///
/// A failure that is on a list of known failures says nothing new, and a choice that contradicts another one nothing
/// of a mutation.
pub fn judged_in<'r>(run: &'r Run<'_>) -> Vec<JudgedVector<'r>> {
    let judged = |result: &'r VectorResult<'_>| {
        let new = matches!(result.outcome(), Outcome::Fail | Outcome::Differ | Outcome::ChangedFailure);
        let failure = match &result.verdict {
            Verdict::Pass => None,
            Verdict::Fail(failure) if new && failure.beside.is_none() => Some(failure),
            _ => return None,
        };
        Some(JudgedVector { vector: result.vector, failure })
    };
    run.results.iter().filter_map(judged).collect()
}

/// Diagnoses the failures of a run, or the one of a vector that was just found.
pub fn diagnose(about: &About, judged: &[JudgedVector<'_>]) -> Option<MutantDiagnosis> {
    diagnose_by(judged, &|mutant, vector| {
        let run = run_virtual(&DisguisedMutant { mutant, about }, &[vector]).ok()?;
        match run.results.into_iter().next()?.verdict {
            Verdict::Fail(failure) => Some(failure),
            _ => None,
        }
    })
}

/// How a mutant fails a vector, if it does.
pub type Fails<'f> = dyn Fn(&'static Mutant, &Vector) -> Option<Failure> + 'f;

/// Diagnoses failures where it is known already how mutants fail; `None` where there are none.
pub fn diagnose_by(judged: &[JudgedVector<'_>], fails: &Fails<'_>) -> Option<MutantDiagnosis> {
    let failed: BTreeSet<usize> =
        (0..).zip(judged).filter(|(_, one)| one.failure.is_some()).map(first).collect();
    if failed.is_empty() {
        return None;
    }
    let mut search = Search { judged, fails, known: BTreeMap::new() };
    let (mut like, mut more, mut rest) = (Vec::new(), 0, failed.clone());
    while like.len() < MOST && !rest.is_empty() {
        let Some(found) = search.next_mistake(&rest) else { break };
        more += found.others.len().saturating_sub(ALSO);
        like.push(found.likeness(judged));
        rest.retain(|number| !found.explains.contains(number));
    }
    let together = like.len() > 1;
    Some(MutantDiagnosis { failed: failed.len(), together, like, more, unexplained: rest.len() })
}

fn first<A, B>(pair: (A, B)) -> A {
    pair.0
}

/// A mutant that explains some failures, and the mutants that explain exactly the same ones as well as it does.
struct Explanation {
    mutant: &'static Mutant,
    overlap: Overlap,
    explains: BTreeSet<usize>,
    others: Vec<&'static Mutant>,
}

impl Explanation {
    fn likeness(&self, judged: &[JudgedVector<'_>]) -> MutantLikeness {
        let Self { mutant, overlap, explains, others } = self;
        let vectors = explains.iter().filter_map(|number| judged.get(*number));
        MutantLikeness {
            mutant: mutant.name.into(),
            says: mutant.says.into(),
            clauses: mutant.clauses.iter().map(|&clause| clause.into()).collect(),
            fails: overlap.fails.len(),
            same: overlap.same.len(),
            alike: overlap.alike.len(),
            also: others.iter().take(ALSO).map(|other| other.name.into()).collect(),
            vectors: vectors.map(|one| one.vector.name.clone()).collect(),
        }
    }
}

/// The vectors that a mutant fails: the judged vectors by their numbers.
#[derive(Clone, Default)]
struct Overlap {
    /// Those that the target fails in the same way.
    alike: BTreeSet<usize>,
    /// Those that the target fails, too.
    same: BTreeSet<usize>,
    fails: BTreeSet<usize>,
    /// How many speak against it: the target passes, or comes further, or answers otherwise at the same step. A vector that
    /// the target fails earlier does not, since another mistake may hide this one.
    against: usize,
}

/// The search for mutants, which remembers how they fail.
struct Search<'s, 'j> {
    judged: &'s [JudgedVector<'j>],
    fails: &'s Fails<'s>,
    known: BTreeMap<(&'static str, usize), Option<Failure>>,
}

impl Search<'_, '_> {
    fn failure(&mut self, mutant: &'static Mutant, number: usize) -> Option<&Failure> {
        let (judged, fails) = (self.judged, self.fails);
        let failure = || judged.get(number).and_then(|one| fails(mutant, one.vector));
        self.known.entry((mutant.name, number)).or_insert_with(failure).as_ref()
    }

    /// Finds the mutant that explains most of these failures; `None` where more speaks against each than for it.
    fn next_mistake(&mut self, rest: &BTreeSet<usize>) -> Option<Explanation> {
        let mut found: Vec<(usize, Explanation)> = Vec::new();
        for mutant in self.at_a_glance(rest) {
            let Some(overlap) = self.overlap(mutant, rest.len()) else { continue };
            let explains: BTreeSet<_> = overlap.alike.intersection(rest).copied().collect();
            let worth = explains.len().saturating_sub(overlap.against);
            // Of what it fails, the target shows half at least: less may be chance.
            if worth > 0 && overlap.fails.len() <= 2 * overlap.alike.len() {
                found.push((worth, Explanation { mutant, overlap, explains, others: Vec::new() }));
            }
        }
        // Of several that are worth as much, the one that fails the fewest other vectors.
        found.sort_by_key(|(worth, one)| (Reverse(*worth), one.overlap.fails.len()));
        let mut found = found.into_iter();
        let (most, mut best) = found.next()?;
        let same = |(worth, one): &(usize, Explanation)| *worth == most && one.explains == best.explains;
        best.others = found.filter(same).map(|(_, one)| one.mutant).collect();
        Some(best)
    }

    /// The mutants that fail most of some of these vectors in the same way, best first.
    fn at_a_glance(&mut self, rest: &BTreeSet<usize>) -> Vec<&'static Mutant> {
        let step = rest.len().div_ceil(GLANCE).max(1);
        let mut seen = Vec::new();
        for mutant in mutants() {
            let alike = rest.iter().step_by(step).filter(|number| self.is_alike(mutant, **number)).count();
            seen.extend((alike > 0).then_some((alike, mutant)));
        }
        seen.sort_by_key(|(alike, _)| Reverse(*alike));
        let last = seen.get(CLOSER - 1).map_or(0, |(alike, _)| *alike);
        seen.into_iter().take_while(|(alike, _)| *alike >= last).map(|(_, mutant)| mutant).collect()
    }

    fn is_alike(&mut self, mutant: &'static Mutant, number: usize) -> bool {
        let own = self.judged.get(number).and_then(|one| one.failure);
        own.is_some_and(|own| self.failure(mutant, number).is_some_and(|failure| is_alike(own, failure)))
    }

    /// `None` where as much speaks against the mutant as there is to explain.
    fn overlap(&mut self, mutant: &'static Mutant, most: usize) -> Option<Overlap> {
        let mut found = Overlap::default();
        for (number, one) in self.judged.iter().enumerate() {
            let Some(failure) = self.failure(mutant, number) else { continue };
            found.fails.insert(number);
            found.same.extend(one.failure.map(|_| number));
            match one.failure {
                Some(own) if is_alike(own, failure) => _ = found.alike.insert(number),
                Some(own) if own.step < failure.step => {}
                _ => found.against += 1,
            }
            if found.against >= most {
                return None;
            }
        }
        Some(found)
    }
}

fn is_alike(a: &Failure, b: &Failure) -> bool {
    (a.step, a.at_s, &a.expected, &a.got) == (b.step, b.at_s, &b.expected, &b.got)
}

/// A mutant in the target's circumstances.
struct DisguisedMutant<'a> {
    mutant: &'static Mutant,
    about: &'a About,
}

impl Target for DisguisedMutant<'_> {
    fn about(&self) -> About {
        About { clock: Clock::Virtual, ..self.about.clone() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(self.mutant.store().session(*opening)))
    }
}
