//! What came of one vector, and what a list of known failures says of it.

use serde::{Deserialize, Serialize};

use crate::catch_panic::catch_panic;
use crate::clauses::Level;
use crate::observation_window::ClockInterval;
use crate::target::{Fault, Opening, Response, Session};
use crate::vector::Vector;
use crate::verdict::{Choice, Outcome, Verdict};

/// What a step was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub response: Response,
    /// When the target may have dealt with the request; `None` where the harness moves the clock, or it does not matter.
    pub window: Option<ClockInterval>,
    /// Whether it is what the step expects.
    pub as_expected: bool,
}

/// What came of one vector, replayed once or under every schedule of removal.
#[derive(Clone, Debug)]
pub struct VectorResult<'a> {
    /// The vector.
    pub vector: &'a Vector,
    /// What is said of it.
    pub verdict: Verdict,
    /// What the target chose in it, where it may.
    pub choices: Vec<Choice>,
    /// What its first steps were answered in the replay that decided.
    pub answers: Vec<Answered>,
    /// What the target said meanwhile beside its answers; see [`crate::target::Session::log`].
    pub log: Option<String>,
    /// What a list of known failures says of it.
    pub listed: Option<Listed>,
}

impl<'a> VectorResult<'a> {
    /// A verdict without any answer.
    pub fn unasked(vector: &'a Vector, verdict: Verdict) -> Self {
        Self { vector, verdict, choices: Vec::new(), answers: Vec::new(), log: None, listed: None }
    }

    /// Of a vector that was replayed under several schedules of removal, the gravest verdict counts.
    pub(crate) fn gravest(vector: &'a Vector, replays: impl IntoIterator<Item = (Opening, Self)>) -> Self {
        let unopened = Verdict::NotRun("there was no way to open the target".into());
        let mut gravest: Option<Self> = None;
        let mut all_choices = Vec::new();
        for (opening, mut result) in replays {
            all_choices.append(&mut result.choices);
            let gravity = result.verdict.outcome().gravity();
            if gravest.as_ref().is_some_and(|gravest| gravest.verdict.outcome().gravity() >= gravity) {
                continue;
            }
            if let Verdict::Fail(failure) = &mut result.verdict {
                failure.removal = opening.removal;
            }
            gravest = Some(result);
        }
        let gravest = gravest.unwrap_or_else(|| Self::unasked(vector, unopened));
        Self { choices: all_choices, ..gravest }
    }

    /// Closes the session; a pass does not survive a fault there. Whatever did not pass comes with the target's log.
    pub(crate) fn closed(mut self, session: &mut dyn Session) -> Self {
        let closed = catch_panic(|| session.close());
        if let (Verdict::Pass, Err(fault)) = (&self.verdict, closed) {
            let when = |why: String| format!("when the vector was over: {why}");
            self.verdict = match fault {
                Fault::Unsupported(why) => Verdict::Unsupported(when(why)),
                Fault::Unknown(why) => Verdict::Inconclusive(when(why)),
                fault => Verdict::Broken(when(fault.to_string())),
            };
        }
        if self.verdict != Verdict::Pass {
            self.log = catch_panic(|| Ok(session.log())).ok().flatten();
        }
        self
    }

    /// Returns what is said of it in a word, with its clause's level and the list of known failures.
    pub fn outcome(&self) -> Outcome {
        let outcome = self.verdict.outcome();
        match (outcome, &self.listed) {
            (Outcome::Pass | Outcome::Fail, Some(listed)) => listed.outcome(outcome == Outcome::Pass),
            (Outcome::Fail, None) if self.vector.level == Level::Should => Outcome::Differ,
            _ => outcome,
        }
    }

    /// Whether it fails, but only by a clause that is a `should`.
    pub fn differs(&self) -> bool {
        self.verdict.outcome() == Outcome::Fail && self.vector.level == Level::Should
    }
}

/// Why a failure is on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// It is to be mended.
    Bug,
    /// It stays.
    WontFix,
    /// It passes or fails from run to run.
    Flaky,
}

impl FailureKind {
    /// The word that stands in a list.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bug => "bug",
            Self::WontFix => "wont-fix",
            Self::Flaky => "flaky",
        }
    }
}

/// What a list of known failures says of a vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Listed {
    /// Why it is on the list.
    pub kind: FailureKind,
    /// The same for people.
    pub reason: String,
    /// Where more is said about it.
    pub link: Option<String>,
    /// How it fails, by the list; not there where the list takes every failure.
    pub signature: Option<String>,
    /// Whether it fails now, and so; a report says that with its outcome.
    #[serde(skip)]
    pub holds: bool,
}

impl Listed {
    fn outcome(&self, passes: bool) -> Outcome {
        match self.kind {
            FailureKind::Flaky if passes || self.holds => Outcome::Flaky,
            _ if passes => Outcome::UnexpectedPass,
            _ if self.holds => Outcome::KnownFailure,
            _ => Outcome::ChangedFailure,
        }
    }
}

/// Which wrong stores, `mutant:NAME`, fail most like the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MutantDiagnosis {
    /// How many vectors the target fails; what is known is left out.
    pub failed: usize,
    /// Whether it takes all of them to explain the failures; otherwise each does, the best first.
    pub together: bool,
    /// At most three of them.
    pub like: Vec<MutantLikeness>,
    /// How many more match as well as the last of these.
    pub more: usize,
}

/// A wrong store beside the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
}
