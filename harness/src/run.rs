//! Replays many vectors against one target, and concludes.

use std::collections::{BTreeMap, BTreeSet};

use crate::clauses::{Binds, Level};
use crate::replay::replay;
use crate::target::{About, Fault, Opening, Removal, Target};
use crate::vector::Vector;
use crate::verdict::{Choice, Failure, Verdict, VerdictKind};

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The target.
    pub about: About,
    /// One for each vector, in the order in which they were given.
    pub results: Vec<VectorResult<'a>>,
    /// How many requests were answered.
    pub requests: usize,
}

/// What came of one vector.
#[derive(Clone, Debug)]
pub struct VectorResult<'a> {
    /// The vector.
    pub vector: &'a Vector,
    /// What is said of it.
    pub verdict: Verdict,
    /// What the target chose in it, where it may.
    pub choices: Vec<Choice>,
}

impl VectorResult<'_> {
    /// Whether it fails, but only by a clause that is a `should`.
    pub fn differs(&self) -> bool {
        self.verdict.kind() == VerdictKind::Fail && self.vector.level == Level::Should
    }
}

/// What a run says as a whole; the order is that in which they apply, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conclusion {
    /// A target did what it must not do.
    Nonconformant,
    /// The target, or the way to it, broke.
    Broke,
    /// Something could not be judged, or nothing was.
    Undecided,
    /// Whatever was judged is as it must be.
    Conformant,
}

impl Conclusion {
    /// The process's exit code; 2 is wrong use.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Conformant => 0,
            Self::Nonconformant => 1,
            Self::Undecided => 3,
            Self::Broke => 4,
        }
    }
}

/// How many vectors there are of each kind of verdict; they add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub total: usize,
    /// Clauses that are a must or open, and of which nothing could be judged because the target does not support what
    /// their vectors need.
    pub unjudged: BTreeSet<String>,
    /// Failures of a `should`, which are counted here and not in `kinds`.
    pub differ: usize,
    /// The rest.
    pub kinds: BTreeMap<VerdictKind, usize>,
}

impl Tally {
    /// Counts results.
    pub fn of<'a, 'b: 'a>(results: impl IntoIterator<Item = &'a VectorResult<'b>>) -> Self {
        let mut tally = Self::default();
        let mut judged = BTreeSet::new();
        for result in results {
            let binding = result.vector.level != Level::Should;
            match result.verdict.kind() {
                VerdictKind::Pass | VerdictKind::Fail => judged.extend(&result.vector.clauses),
                VerdictKind::Unsupported if binding => {
                    tally.unjudged.extend(result.vector.clauses.iter().cloned());
                }
                _ => {}
            }
            tally.total = tally.total.saturating_add(1);
            let count = if result.differs() {
                &mut tally.differ
            } else {
                tally.kinds.entry(result.verdict.kind()).or_default()
            };
            *count = count.saturating_add(1);
        }
        tally.unjudged.retain(|clause| !judged.contains(clause));
        tally
    }

    /// How many there are of this kind.
    pub fn count(&self, kind: VerdictKind) -> usize {
        self.kinds.get(&kind).copied().unwrap_or(0)
    }

    /// How many were judged: those that pass, fail or differ.
    pub fn judged(&self) -> usize {
        self.count(VerdictKind::Pass)
            .saturating_add(self.count(VerdictKind::Fail))
            .saturating_add(self.differ)
    }

    /// What they say together; under `strict`, whatever differs from a `should` fails too.
    pub fn conclusion(&self, strict: bool) -> Conclusion {
        if 0 < self.count(VerdictKind::Fail) || (strict && 0 < self.differ) {
            Conclusion::Nonconformant
        } else if 0 < self.count(VerdictKind::Broken) {
            Conclusion::Broke
        } else if 0 < self.count(VerdictKind::Inconclusive)
            || 0 < self.count(VerdictKind::NotRun)
            || self.judged() == 0
            || !self.unjudged.is_empty()
        {
            Conclusion::Undecided
        } else {
            Conclusion::Conformant
        }
    }
}

/// Replays vectors against a target whose clock the harness moves.
///
/// Each vector is replayed under every schedule of removal that the target offers; the gravest verdict counts.
///
/// # Errors
///
/// [`Fault::Misuse`] only; every other fault is a verdict of one vector.
pub fn run_virtual<'a>(target: &dyn Target, vectors: &[&'a Vector]) -> Result<Run<'a>, Fault> {
    let about = target.about();
    let mut run = Run { about, results: Vec::with_capacity(vectors.len()), requests: 0 };
    for vector in vectors {
        let (result, requests) = under_all_removals(target, &run.about, vector)?;
        run.results.push(result);
        run.requests = run.requests.saturating_add(requests);
    }
    hold_to_choices(&mut run.results);
    Ok(run)
}

/// Where a clause asks for one choice from a target, a vector that passed with another than the first seen fails.
pub(crate) fn hold_to_choices(results: &mut [VectorResult<'_>]) {
    let mut first: BTreeMap<String, (String, &str)> = BTreeMap::new();
    for result in results {
        if result.verdict != Verdict::Pass {
            continue;
        }
        let vector = result.vector;
        for choice in result.choices.iter().filter(|choice| vector.binds(&choice.clause) == Binds::Target) {
            let (value, name) =
                first.entry(choice.clause.clone()).or_insert_with(|| (choice.value.clone(), &vector.name));
            if *value != choice.value {
                result.verdict = Verdict::Fail(Failure {
                    step: choice.step,
                    at_s: vector.steps.get(choice.step).map_or(0, |step| step.at_s),
                    expected: format!("{}: {value}, as it chose in {name}", choice.clause),
                    got: choice.value.clone(),
                    answers: Vec::new(),
                    removal: None,
                });
                break;
            }
        }
    }
}

fn under_all_removals<'a>(
    target: &dyn Target,
    about: &About,
    vector: &'a Vector,
) -> Result<(VectorResult<'a>, usize), Fault> {
    let openings = match openings(about, vector) {
        Ok(openings) => openings,
        Err(verdict) => return Ok((VectorResult { vector, verdict, choices: Vec::new() }, 0)),
    };
    let mut worst = VectorResult { vector, verdict: Verdict::Pass, choices: Vec::new() };
    let mut requests: usize = 0;
    for opening in openings {
        let (verdict, choices, answered) = open_and_replay(target, opening, vector)?;
        requests = requests.saturating_add(answered);
        worst.choices.extend(choices);
        if verdict.kind() < worst.verdict.kind() {
            worst.verdict = match verdict {
                Verdict::Fail(failure) => Verdict::Fail(Failure { removal: opening.removal, ..failure }),
                verdict => verdict,
            };
        }
    }
    Ok((worst, requests))
}

fn open_and_replay(
    target: &dyn Target,
    opening: Opening,
    vector: &Vector,
) -> Result<(Verdict, Vec<Choice>, usize), Fault> {
    let mut session = match target.open(&opening) {
        Ok(session) => session,
        Err(Fault::Unsupported(why)) => return Ok((Verdict::Unsupported(why), Vec::new(), 0)),
        Err(Fault::Unknown(why) | Fault::Broken(why)) => return Ok((Verdict::Broken(why), Vec::new(), 0)),
        Err(Fault::Misuse(why)) => return Err(Fault::Misuse(why)),
    };
    let replayed = replay(vector, session.as_mut())?;
    let verdict = match (replayed.verdict, session.close()) {
        (Verdict::Pass, Err(fault)) => Verdict::Broken(format!("when the vector was over: {fault}")),
        (verdict, _) => verdict,
    };
    Ok((verdict, replayed.choices, replayed.requests))
}

/// Under what a target is opened for a vector, once for each schedule of removal: in the vector's own edition, or else
/// the latest that the target offers.
///
/// # Errors
///
/// The verdict of a vector that holds in an edition that the target does not offer.
pub(crate) fn openings(about: &About, vector: &Vector) -> Result<Vec<Opening>, Verdict> {
    let edition = match vector.edition {
        Some(edition) => about.editions.contains(&edition).then_some(edition),
        None => about.editions.iter().max().copied(),
    };
    let edition = edition.ok_or_else(|| wrong_edition(about, vector))?;
    let removals: Vec<Option<Removal>> = match about.removals.as_slice() {
        [] => vec![None],
        removals => removals.iter().copied().map(Some).collect(),
    };
    Ok(removals.into_iter().map(|removal| Opening::new(edition, removal)).collect())
}

fn wrong_edition(about: &About, vector: &Vector) -> Verdict {
    let offered: Vec<_> = about.editions.iter().map(ToString::to_string).collect();
    let wanted = vector.edition.map_or_else(String::new, |edition| edition.to_string());
    Verdict::NotApplicable(format!("holds in edition {wanted}; the target is of {}", offered.join(", ")))
}
