//! Which mutation a target seems to have: the mutants whose failures match its own best.
//!
//! A mutant explains a failure of the target if it fails the same vector in the same way: at the same step, with the same
//! answer. What it fails and the target does not speaks against it. The mutant that explains most comes first, then the
//! one that explains most of what is left, and so on. Mutants that explain the same failures equally well are named
//! together, since nothing in the run tells them apart. Too few failures, or too many such mutants, tell nothing.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use cosmos_ttl_harness::run::{Run, VectorResult};
use cosmos_ttl_harness::target::Removal;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::{Failure, Outcome, Verdict};
use serde::{Deserialize, Serialize};

use super::list::{Mutant, mutants};
use super::signatures::{FailureSignature, Signatures, answer};

/// No more mistakes are named than these.
const MOST: usize = 6;

/// Fewer failures tell nothing.
const LEAST: usize = 5;

/// More mutants that explain the same tell nothing.
const CANDIDATES: usize = 3;

/// Which wrong stores, `mutant:NAME`, explain a target's failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantDiagnosis {
    /// How many vectors the target fails; what is known is left out.
    pub failed: usize,
    /// Whether it takes several of them to explain the failures.
    pub together: bool,
    /// One for each mistake, that which explains most first; none where no mutant matches.
    pub like: Vec<MutantLikeness>,
    /// How many more mutants than those named cannot be told from one of these.
    pub more: usize,
    /// How many of the failures none of these explains.
    pub unexplained: usize,
}

/// A wrong store that fails as the target does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantLikeness {
    /// Its name.
    pub mutant: String,
    /// Its mistake, in a sentence.
    pub says: String,
    /// The clauses that it breaks.
    pub clauses: Vec<String>,
    /// How many of the judged vectors it fails.
    pub fails: usize,
    /// How many of these the target fails too.
    pub same: usize,
    /// How many of those in the same way: at the same step, with the same answer.
    pub alike: usize,
    /// Other mutants, a few of them, that explain the same: this run cannot tell which of them it is.
    pub also: Vec<String>,
    /// The vectors that it explains, and that none before it explains.
    pub vectors: Vec<String>,
}

/// A vector that was judged.
#[derive(Clone, Copy, Debug)]
pub struct JudgedVector<'a> {
    /// The vector.
    pub vector: &'a Vector,
    /// How the target failed it; `None` where it passed.
    pub failure: Option<&'a Failure>,
}

/// Diagnoses a run; `None` where too little fails that is not known, or too many mutants fail so.
pub fn of_run(run: &Run<'_>) -> Option<MutantDiagnosis> {
    diagnose(&judged_in(run), !Removal::schedules(&run.about).is_empty())
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

/// Diagnoses the failures of a target whose items were also removed, or were not.
pub fn diagnose(judged: &[JudgedVector<'_>], is_removed: bool) -> Option<MutantDiagnosis> {
    // Most runs pass: they read no file.
    if judged.iter().filter(|one| one.failure.is_some()).count() < LEAST {
        return None;
    }
    let signatures = Signatures::read();
    // Of a vector that means something else than the file's nothing is known.
    let known = judged.iter().filter_map(|one| {
        let failed = one.failure.map(|failure| (failure.step, answer(failure)));
        Some(KnownVector { vector: one.vector, failed, signatures: signatures.of(one.vector)? })
    });
    let known: Vec<_> = known.collect();
    let failed = (0..).zip(&known).filter(|(_, one)| one.failed.is_some());
    let mut rest: BTreeSet<usize> = failed.map(|(number, _)| number).collect();
    let failed = rest.len();
    if failed < LEAST {
        return None;
    }
    let overlaps: Vec<_> = mutants().map(|mutant| Overlap::of(mutant, &known, is_removed)).collect();
    let mut like = Vec::new();
    while like.len() < MOST && !rest.is_empty() {
        let found = most_telling(&overlaps, &rest);
        if CANDIDATES < found.len() && like.is_empty() {
            return None;
        }
        let Some((first, others)) = found.split_first().filter(|_| found.len() <= CANDIDATES) else { break };
        let explains: BTreeSet<_> = first.alike.intersection(&rest).copied().collect();
        rest.retain(|number| !explains.contains(number));
        like.push(first.likeness(&known, &explains, others));
    }
    Some(MutantDiagnosis { failed, together: like.len() > 1, like, more: 0, unexplained: rest.len() })
}

/// The mutants that explain most of these failures, and equally well; none where more speaks against each than for it.
fn most_telling<'o>(overlaps: &'o [Overlap], rest: &BTreeSet<usize>) -> Vec<&'o Overlap> {
    let explained = |one: &Overlap| one.alike.intersection(rest).copied().collect::<Vec<_>>();
    let worth = |one: &Overlap| explained(one).len().saturating_sub(one.against);
    // Of what it fails, the target shows half at least: less may be chance.
    let is_like = |one: &&Overlap| worth(one) > 0 && one.fails <= 2 * one.alike.len();
    let mut found: Vec<_> = overlaps.iter().filter(is_like).collect();
    // Of several that are worth as much, the one that fails the fewest other vectors.
    found.sort_by_key(|one| (Reverse(worth(one)), one.fails));
    let Some(best) = found.first().copied() else { return found };
    found.retain(|one| worth(one) == worth(best) && explained(one) == explained(best));
    found
}

/// A judged vector, and how mutants fail it.
struct KnownVector<'a> {
    vector: &'a Vector,
    /// The step at which the target fails it, and the answer there.
    failed: Option<(usize, String)>,
    signatures: &'a [FailureSignature],
}

/// The judged vectors that a mutant fails, too.
struct Overlap {
    mutant: &'static Mutant,
    /// The numbers of those that the target fails in the same way.
    alike: BTreeSet<usize>,
    /// How many the target fails, too.
    same: usize,
    fails: usize,
    /// How many speak against it: the target passes, or comes further, or answers otherwise at the same step. A vector that
    /// the target fails earlier does not, since another mistake may hide this one.
    against: usize,
}

impl Overlap {
    fn of(mutant: &'static Mutant, known: &[KnownVector<'_>], is_removed: bool) -> Self {
        let is_own = |one: &&FailureSignature| one.mutant == mutant && (is_removed || !one.takes_removal);
        let mut overlap = Self { mutant, alike: BTreeSet::new(), same: 0, fails: 0, against: 0 };
        for (number, one) in known.iter().enumerate() {
            let Some(own) = one.signatures.iter().find(is_own) else { continue };
            overlap.fails += 1;
            overlap.same += usize::from(one.failed.is_some());
            match &one.failed {
                Some((step, answer)) if *step == own.step && answer == own.answer => {
                    overlap.alike.insert(number);
                }
                Some((step, _)) if *step < own.step => {}
                _ => overlap.against += 1,
            }
        }
        overlap
    }

    fn likeness(
        &self,
        known: &[KnownVector<'_>],
        explains: &BTreeSet<usize>,
        others: &[&Self],
    ) -> MutantLikeness {
        let vectors = explains.iter().filter_map(|number| known.get(*number));
        MutantLikeness {
            mutant: self.mutant.name.into(),
            says: self.mutant.says.into(),
            clauses: self.mutant.clauses.iter().map(|&clause| clause.into()).collect(),
            fails: self.fails,
            same: self.same,
            alike: self.alike.len(),
            also: others.iter().map(|other| other.mutant.name.into()).collect(),
            vectors: vectors.map(|one| one.vector.name.clone()).collect(),
        }
    }
}
