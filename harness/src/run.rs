//! Replays many vectors against one target, and concludes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::catch_panic::catch_panic;
use crate::clauses::Binds;
use crate::exchange_log::VectorScope;
use crate::parallel;
use crate::replay::replay;
use crate::signature::{Signature, text};
use crate::target::{About, Fault, Part, PurgedTarget, Target, declared, needed, without};
use crate::unjudged::{missing_parts, unjudged_clauses};
use crate::vector::Vector;
pub use crate::verdict::{Answered, VectorResult};
use crate::verdict::{Choice, Counts, Failure, Outcome, Verdict};

/// The reason of vectors that were not replayed to their end.
const INTERRUPTED: &str = "the run was interrupted before";

/// How much of the suite a run is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All of it: only such a run can be conformant.
    #[default]
    Whole,
    /// The quick profile.
    Quick,
    /// The soak profile.
    Soak,
    /// What the user selected.
    Selected,
}

/// The results of a run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The target.
    pub about: About,
    /// One for each vector, in the order in which they were given.
    pub results: Vec<VectorResult<'a>>,
    /// How much of the suite it is about.
    pub scope: Scope,
    /// The parts of the interface that are declared missing, and the optional ones that the target does not announce.
    pub without: BTreeSet<Part>,
    /// How many requests were answered.
    pub requests: usize,
    /// Of a real clock: how wide, in microseconds, the interval is in which it was known to be in the end.
    pub clock_width_us: Option<u64>,
    /// The entries of a list of known failures that are out of date, a sentence each; see [`crate::known_failures`].
    pub stale: Vec<String>,
    /// The faults of the target while no vector was replayed, a sentence each.
    pub mishaps: Vec<String>,
    /// Remarks that a reader needs to weigh the run, a sentence each: which failures a list excused, how unstable the
    /// target was.
    pub remarks: Vec<String>,
    /// Clauses of which the user's own filters left a vector out: those vectors may judge a clause that the run did not.
    pub filtered: BTreeSet<String>,
}

impl<'a> Run<'a> {
    /// A run that has not begun: of each vector the same is said.
    pub fn unasked(about: About, vectors: &[&'a Vector], why: &str) -> Self {
        let unasked = |vector: &&'a Vector| VectorResult::unasked(vector, Verdict::NotRun(why.into()));
        let results = vectors.iter().map(unasked).collect();
        let (stale, mishaps, remarks) = (Vec::new(), Vec::new(), Vec::new());
        let (filtered, without) = (BTreeSet::new(), BTreeSet::new());
        Self {
            about,
            results,
            scope: Scope::Whole,
            without,
            requests: 0,
            clock_width_us: None,
            stale,
            mishaps,
            remarks,
            filtered,
        }
    }

    /// Whether every vector came to its end.
    pub fn is_complete(&self) -> bool {
        self.results.iter().all(|result| result.verdict.outcome() != Outcome::NotRun)
    }
}

/// The conclusion of a run; the first that applies counts, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conclusion {
    /// A target did what it must not do, or a list of known failures is not true any more.
    Nonconformant,
    /// The target, or the way to it, broke.
    Broke,
    /// Something could not be judged, or nothing was.
    Undecided,
    /// A target did what it must not do, and nothing but what a list of known failures says.
    AsKnown,
    /// Every judged vector is as expected, of a run that is not about the whole suite.
    NoFailure,
    /// Every judged vector is as expected.
    Conformant,
}

impl Conclusion {
    fn row(self) -> (&'static str, u8) {
        match self {
            Self::Nonconformant => ("nonconformant", 1),
            Self::Broke => ("broke", 4),
            Self::Undecided => ("undecided", 3),
            Self::AsKnown => ("as known", 0),
            Self::NoFailure => ("no failure", 0),
            Self::Conformant => ("conformant", 0),
        }
    }

    const ALL: [Self; 6] =
        [Self::Nonconformant, Self::Broke, Self::Undecided, Self::AsKnown, Self::NoFailure, Self::Conformant];

    /// Returns the conclusion that these words of a report begin with; see [`Tally::words`].
    pub fn of_words(words: &str) -> Option<Self> {
        let of = |one: &Self| {
            words.strip_prefix(one.word()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        Self::ALL.into_iter().find(of)
    }

    /// The word that reports use.
    pub fn word(self) -> &'static str {
        self.row().0
    }

    /// The process's exit code; 2 is wrong use.
    pub fn exit_code(self) -> u8 {
        self.row().1
    }
}

/// How many vectors there are of each kind of verdict; they add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there are of each.
    pub counts: Counts,
    /// Clauses that are a must or open, of which no vector was judged, and of which no filter left a vector out; see
    /// [`unjudged_clauses`].
    pub unjudged: BTreeSet<String>,
    /// The parts of the interface that the target does not support, and that nobody declared missing.
    pub missing: BTreeSet<Part>,
    /// How much of the suite the run is about.
    pub scope: Scope,
    /// The parts that are declared missing, and the optional ones that the target does not announce.
    pub without: BTreeSet<Part>,
    /// Whether a list of known failures says what is not so any more.
    pub stale: bool,
    /// Whether the target broke while no vector was being replayed.
    pub mishap: bool,
}

impl Tally {
    /// Counts the results of a run.
    pub fn of(run: &Run<'_>) -> Self {
        Self {
            counts: run.results.iter().map(VectorResult::outcome).collect(),
            unjudged: unjudged_clauses(&run.results, &run.filtered)
                .into_iter()
                .map(|one| one.clause)
                // A run of selected vectors says which clauses were not judged, but needs only those vectors for its conclusion.
                .filter(|clause| !run.filtered.contains(clause))
                .collect(),
            scope: run.scope,
            missing: missing_parts(&run.results),
            without: run.without.clone(),
            stale: !run.stale.is_empty(),
            mishap: !run.mishaps.is_empty(),
        }
    }

    /// Returns whether every vector was judged that fits into the budget and needs no part that is declared missing.
    fn all_judged(&self) -> bool {
        let left_out = self.counts.not_offered.saturating_add(self.counts.not_applicable);
        self.counts.judged().saturating_add(left_out) >= self.counts.vectors
    }

    /// Returns the words of a conclusion: `conformant without patch`, `no failure in the quick profile`.
    pub fn words(&self, conclusion: Conclusion) -> String {
        let passes = matches!(conclusion, Conclusion::Conformant | Conclusion::NoFailure);
        // What a target may leave out without a word is told beside the conclusion.
        let declared = needed(&self.without);
        let partial = passes && !declared.is_empty();
        let profile = match (conclusion, self.scope) {
            (Conclusion::NoFailure, Scope::Quick) => " in the quick profile",
            (Conclusion::NoFailure, Scope::Soak) => " in the soak profile",
            _ => "",
        };
        let without = if partial { format!(" {}", without(&declared)) } else { String::new() };
        format!("{}{profile}{without}", conclusion.word())
    }

    /// Returns the conclusion; under `strict`, a vector that differs from a `should` fails, too.
    pub fn conclusion(&self, strict: bool) -> Conclusion {
        let counts = &self.counts;
        if self.stale || counts.fails(strict) {
            Conclusion::Nonconformant
        } else if counts.broken > 0 || self.mishap {
            Conclusion::Broke
        } else if (self.scope == Scope::Selected && !self.all_judged())
            || counts.inconclusive > 0
            || counts.not_run > 0
            || counts.judged() == 0
            || !self.unjudged.is_empty()
            || !self.missing.is_empty()
        {
            Conclusion::Undecided
        } else if counts.known_failure > 0 {
            Conclusion::AsKnown
        } else if self.scope == Scope::Whole {
            Conclusion::Conformant
        } else {
            Conclusion::NoFailure
        }
    }
}

/// Replays vectors against a target whose clock the harness moves.
///
/// Each vector is replayed under every schedule of removal that the harness makes for it; the gravest verdict counts.
///
/// # Errors
///
/// [`Fault::Misuse`] only; every other fault is a verdict of one vector.
pub fn run_virtual<'a>(target: &dyn Target, vectors: &[&'a Vector]) -> Result<Run<'a>, Fault> {
    run_virtual_while(target, vectors, &AtomicBool::new(false), |_| true)
}

/// Replays vectors, as many at once as the target says. Once `stop` becomes true or `goes_on` denies a result, the vectors
/// that have not begun are not run.
///
/// # Errors
///
/// As [`run_virtual`].
pub fn run_virtual_while<'a>(
    target: &dyn Target,
    vectors: &[&'a Vector],
    stop: &AtomicBool,
    goes_on: impl Fn(&VectorResult<'_>) -> bool + Sync,
) -> Result<Run<'a>, Fault> {
    let without = declared(target)?;
    let target = &catch_panic(|| Ok(PurgedTarget::of(target)))?;
    let denied = AtomicBool::new(false);
    let replayed = parallel::map_on(target.target.replays_at_once(), vectors, |vector| {
        let not_run = |why: &str| Ok((VectorResult::unasked(vector, Verdict::NotRun(why.into())), 0));
        if stop.load(Ordering::Relaxed) {
            return not_run(INTERRUPTED);
        }
        if denied.load(Ordering::Relaxed) {
            return not_run("the run ended at the first failure");
        }
        if let Some(not_offered) = VectorResult::not_offered(vector, &without) {
            return Ok((not_offered, 0));
        }
        let (result, requests) = under_all_removals(target, vector)?;
        if stop.load(Ordering::Relaxed) && !result.verdict.is_judged() {
            // Whatever was said of it was said of the interruption.
            return not_run(INTERRUPTED);
        }
        denied.fetch_or(!goes_on(&result), Ordering::Relaxed);
        Ok((result, requests))
    })?;
    let (results, requests): (Vec<_>, Vec<usize>) = replayed.into_iter().unzip();
    let requests = requests.into_iter().fold(0, usize::saturating_add);
    let nothing = Run::unasked(target.about.clone(), &[], INTERRUPTED);
    let mut run = Run { results, without, requests, ..nothing };
    hold_to_choices(&mut run.results);
    Ok(run)
}

/// Where a clause asks for one choice from a target, a vector that passed with another than the first seen fails.
pub fn hold_to_choices(results: &mut [VectorResult<'_>]) {
    let mut first: BTreeMap<String, (String, &str)> = BTreeMap::new();
    for result in results.iter_mut().filter(|result| result.verdict == Verdict::Pass) {
        let vector = result.vector;
        let binding = |(_, choice): &(usize, &Choice)| vector.binds(&choice.clause) == Binds::Target;
        for (number, choice) in result.choices.iter().enumerate().filter(binding) {
            let chosen = first.entry(choice.clause.clone());
            let (value, name) = chosen.or_insert_with(|| (choice.value.clone(), &vector.name));
            if *value == choice.value {
                continue;
            }
            // The answers are those of one replay, and the choice may be one of another.
            if result.own_choices.contains(&number)
                && let Some(answered) = result.answers.get_mut(choice.step)
            {
                answered.as_expected = Some(false);
            }
            result.verdict = Verdict::Fail(Failure {
                step: choice.step,
                at_s: vector.steps.get(choice.step).map_or(0, |step| step.at_s),
                expected: format!("{}: {value}, as it chose in {name}", choice.clause),
                signature: Signature {
                    expected: format!("{{open: {}, chosen: {}, in: {name}}}", choice.clause, text(value)),
                    got: text(&choice.value),
                },
                beside: Some((*name).into()),
                got: choice.value.clone(),
                removal: None,
            });
            break;
        }
    }
}

/// Replays one vector under every schedule of removal; returns how many requests were answered.
fn under_all_removals<'a>(
    target: &PurgedTarget<'_>,
    vector: &'a Vector,
) -> Result<(VectorResult<'a>, usize), Fault> {
    let _scope = VectorScope::new(&vector.name);
    let mut replays = Vec::new();
    for removal in target.removals() {
        let result = match catch_panic(|| target.open(removal)) {
            Ok(mut session) => replay(vector, session.as_mut())?.closed(session.as_mut()),
            Err(fault) => VectorResult::unasked(vector, Verdict::of_fault(fault, "")?),
        };
        replays.push((removal, result));
    }
    let requests = replays.iter().map(|(_, result)| result.answers.len()).sum();
    Ok((VectorResult::gravest(vector, replays), requests))
}
