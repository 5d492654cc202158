//! Which mutation a target seems to have: the mutants whose failures match its own best.
//!
//! Two stores are alike where they fail the same vectors, and more so where they fail them in the same way: at the same
//! step, with the same answer. What neither fails counts for nothing, what only one of them fails against it. Every
//! mutant meets the same vectors as the target did, in the same editions and under the same schedules of removal.

use std::cmp::Reverse;
use std::collections::BTreeSet;

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

/// No more mutants are named than these.
const MOST: usize = 3;

/// The number of failures, spread evenly, that tell which mutants are worth more than a glance.
const GLANCE: usize = 48;

/// The number of mutants that are compared in full.
const CLOSER: usize = 24;

/// Diagnoses a run; `None` where every failure is known, or no mutant is close.
pub fn of_run(run: &Run<'_>) -> Option<MutantDiagnosis> {
    diagnose(&run.about, &judged_in(run))
}

/// Returns what was judged in a run, and is not known already.
///
/// A failure that stands on a list of known failures says nothing new, and a choice that contradicts another one nothing
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

/// Diagnoses failures where it is known already how mutants fail.
pub fn diagnose_by(judged: &[JudgedVector<'_>], fails: &Fails<'_>) -> Option<MutantDiagnosis> {
    let failed: Vec<_> = judged.iter().copied().filter(|one| one.failure.is_some()).collect();
    if failed.is_empty() {
        return None;
    }
    let close = at_a_glance(fails, &failed).into_iter();
    let candidates: Vec<_> =
        close.filter_map(|mutant| Some((mutant, Overlap::of(fails, mutant, judged)?))).collect();
    let alone = alone(&candidates, failed.len());
    let best = alone.as_ref().map_or(0, |(score, _)| *score);
    match together(&candidates, failed.len()) {
        Some((score, diagnosis)) if score >= best + MUCH_BETTER => Some(diagnosis),
        _ => alone.map(|(_, diagnosis)| diagnosis),
    }
}

/// Below this score, nothing is said.
const CLOSE: usize = 500;

/// By how much several mutations must explain more than one before they are named.
const MUCH_BETTER: usize = 100;

/// The mutants that fail most of some of these vectors, best first.
fn at_a_glance(fails: &Fails<'_>, failed: &[JudgedVector<'_>]) -> Vec<&'static Mutant> {
    let step = failed.len().div_ceil(GLANCE).max(1);
    let points = |mutant: &'static Mutant| -> usize {
        let points = failed.iter().step_by(step).map(|one| match (fails(mutant, one.vector), one.failure) {
            (Some(failure), Some(own)) if is_alike(own, &failure) => 2,
            (failure, _) => usize::from(failure.is_some()),
        });
        points.sum()
    };
    let mut seen: Vec<_> =
        mutants().map(|one| (points(one), one)).filter(|(points, _)| *points > 0).collect();
    seen.sort_by_key(|(points, _)| Reverse(*points));
    let last = seen.get(CLOSER - 1).map_or(0, |(points, _)| *points);
    seen.into_iter().take_while(|(points, _)| *points >= last).map(|(_, mutant)| mutant).collect()
}

/// What a mutant, or several together, fail: the judged vectors by their numbers.
#[derive(Default)]
struct Overlap {
    /// Those that the target fails in the same way.
    alike: BTreeSet<usize>,
    /// Those that the target fails, too.
    same: BTreeSet<usize>,
    fails: BTreeSet<usize>,
}

impl Overlap {
    /// `None` where it fails too many others to be the most similar.
    fn of(fails: &Fails<'_>, mutant: &'static Mutant, judged: &[JudgedVector<'_>]) -> Option<Self> {
        let failed = judged.iter().filter(|one| one.failure.is_some()).count();
        let mut found = Self::default();
        for (number, one) in judged.iter().enumerate() {
            let Some(failure) = fails(mutant, one.vector) else { continue };
            found.fails.insert(number);
            if let Some(own) = one.failure {
                found.same.insert(number);
                found.alike.extend(is_alike(own, &failure).then_some(number));
            }
            if found.fails.len() - found.same.len() > failed {
                return None;
            }
        }
        Some(found)
    }

    /// In thousandths: of all that either fails, how much both fail. What both fail in different ways is half.
    fn score(&self, failed: usize) -> usize {
        let (alike, same) = (self.alike.len(), self.same.len());
        ((alike + same) * 500).checked_div(failed + self.fails.len() - same).unwrap_or(0)
    }

    fn likeness(&self, mutant: &Mutant) -> MutantLikeness {
        MutantLikeness {
            mutant: mutant.name.into(),
            says: mutant.says.into(),
            clauses: mutant.clauses.iter().map(|&clause| clause.into()).collect(),
            fails: self.fails.len(),
            same: self.same.len(),
            alike: self.alike.len(),
        }
    }
}

/// The mutants that explain the failures each alone.
fn alone(candidates: &[(&Mutant, Overlap)], failed: usize) -> Option<(usize, MutantDiagnosis)> {
    let mut close: Vec<_> = candidates.iter().map(|one| (one.1.score(failed), one)).collect();
    close.sort_by_key(|(score, (_, one))| Reverse((*score, one.alike.len())));
    let (best, _) = *close.first()?;
    // A mutant far behind the first explains nothing that the first does not.
    let enough = CLOSE.max(best * 4 / 5);
    close.retain(|(score, _)| *score >= enough);
    let like: Vec<_> = close.iter().take(MOST).map(|(_, (mutant, one))| one.likeness(mutant)).collect();
    let last = close.get(MOST - 1).map_or(best, |(score, _)| *score);
    let more = close.iter().skip(MOST).filter(|(score, _)| *score == last).count();
    (!like.is_empty()).then_some((best, MutantDiagnosis { failed, like, together: false, more }))
}

/// The mutants that explain the failures together: always the one next that explains most of what is left.
fn together(candidates: &[(&Mutant, Overlap)], failed: usize) -> Option<(usize, MutantDiagnosis)> {
    let mut all = Overlap::default();
    let mut like = Vec::new();
    // A mutant may be a part of what is wrong if the target fails nearly all that it fails.
    let parts = candidates.iter().filter(|(_, one)| one.fails.len() * 3 <= one.same.len() * 4);
    while like.len() < MOST {
        let new = |one: &Overlap| one.alike.difference(&all.alike).count();
        // Of several that are as good the last counts, which here is the first.
        let (mutant, next) =
            parts.clone().rev().max_by_key(|(_, one)| (new(one), Reverse(one.fails.len())))?;
        // Whatever explains less than a tenth may as well be chance.
        if new(next) == 0 || new(next) * 10 < failed {
            break;
        }
        all.alike.extend(&next.alike);
        all.same.extend(&next.same);
        all.fails.extend(&next.fails);
        like.push(next.likeness(mutant));
    }
    let score = all.score(failed);
    let found = like.len() > 1 && score >= CLOSE;
    found.then_some((score, MutantDiagnosis { failed, like, together: true, more: 0 }))
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
