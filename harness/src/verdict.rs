//! The verdict of a vector after its replay, its entry on a list of known failures, and the number of vectors of each
//! outcome.

#![allow(clippy::arithmetic_side_effects, reason = "it counts vectors")]

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::catch_panic::catch_panic;
use crate::clauses::Level;
use crate::observation_window::ClockInterval;
use crate::signature::Signature;
use crate::target::{Fault, Part, Removal, Response, Session, without};
use crate::vector::Vector;

/// Declares [`Outcome`] and [`Counts`] from one table: the outcome, its count, its word, and how grave it is.
macro_rules! outcomes {
    ($($(#[$doc:meta])* $outcome:ident, $count:ident, $word:literal, $gravity:literal;)*) => {
        /// The outcome of a vector, in a word.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Outcome {
            $($(#[$doc])* $outcome,)*
        }

        impl Outcome {
            /// Every word, in the order in which reports show them.
            pub const ALL: [Self; 12] = [$(Self::$outcome),*];

            /// The word that people read.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$outcome => $word,)*
                }
            }

            /// Of a vector that was replayed several times, the gravest outcome counts: the one with the highest number.
            pub(crate) fn gravity(self) -> u8 {
                match self {
                    $(Self::$outcome => $gravity,)*
                }
            }
        }

        /// How many vectors there are, and of each verdict; the verdicts add up to the vectors.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "they are the variants of `Outcome`")]
        pub struct Counts {
            /// All of them.
            pub vectors: usize,
            $(pub $count: usize,)*
        }

        impl Counts {
            /// How many there are with this verdict.
            pub fn get(&self, outcome: Outcome) -> usize {
                match outcome {
                    $(Outcome::$outcome => self.$count,)*
                }
            }

            fn add(&mut self, outcome: Outcome) {
                self.vectors += 1;
                match outcome {
                    $(Outcome::$outcome => self.$count += 1,)*
                }
            }
        }
    };
}

outcomes! {
    /// Every answer was as expected.
    Pass, pass, "pass", 0;
    /// An answer was not, and the clause is a must.
    Fail, fail, "fail", 6;
    /// An answer was not, but the clause is only a should.
    Differ, differ, "differ", 6;
    /// It fails, as a list of known failures says.
    KnownFailure, known_failure, "known failure", 6;
    /// It passes, though a list of known failures says that it fails.
    UnexpectedPass, unexpected_pass, "unexpected pass", 0;
    /// It fails, and otherwise than a list of known failures says.
    ChangedFailure, changed_failure, "changed failure", 6;
    /// The target says that it does not offer something that the vector needs.
    Unsupported, unsupported, "unsupported", 2;
    /// Nothing can be said.
    Inconclusive, inconclusive, "inconclusive", 4;
    /// The target, or the way to it, broke.
    Broken, broken, "broken", 5;
    /// The vector says nothing about this target.
    NotApplicable, not_applicable, "not applicable", 1;
    /// It needs a part of the interface that the target declares missing, or an id that no target has to take.
    NotOffered, not_offered, "not offered", 1;
    /// The run ended before.
    NotRun, not_run, "not run", 3;
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Counts {
    /// How many were judged.
    pub fn judged(&self) -> usize {
        let listed = [self.known_failure, self.unexpected_pass, self.changed_failure];
        // A report that somebody else wrote may hold any number.
        [self.pass, self.fail, self.differ].into_iter().chain(listed).fold(0, usize::saturating_add)
    }

    /// Returns whether any of them fails and is on no list; under `strict`, one that differs from a `should` counts, too.
    pub fn fails_anew(&self, strict: bool) -> bool {
        self.fail > 0 || (strict && self.differ > 0)
    }

    /// Whether any of them fails a run; under `strict`, whatever differs from a `should` does too.
    pub fn fails(&self, strict: bool) -> bool {
        self.fails_anew(strict) || self.unexpected_pass > 0 || self.changed_failure > 0
    }
}

impl FromIterator<Outcome> for Counts {
    fn from_iter<T: IntoIterator<Item = Outcome>>(outcomes: T) -> Self {
        let mut counts = Self::default();
        outcomes.into_iter().for_each(|outcome| counts.add(outcome));
        counts
    }
}

/// The verdict of one vector, and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every answer was as expected.
    Pass,
    /// An answer was not.
    Fail(Failure),
    /// The target says that it does not offer something that the vector needs.
    Unsupported(String),
    /// Nothing can be said: a reply was lost, or a clock was too coarse.
    Inconclusive(String),
    /// The target, or the way to it, broke; nothing is said about time to live.
    Broken(String),
    /// The vector lasts longer than the budget.
    NotApplicable(String),
    /// It needs a part of the interface that the target declares missing, or an id that no target has to take.
    NotOffered(String),
    /// The run ended before.
    NotRun(String),
}

impl Verdict {
    /// Returns whether the vector was judged: it passed or failed.
    pub fn is_judged(&self) -> bool {
        matches!(self, Self::Pass | Self::Fail(_))
    }

    /// Returns the outcome, as it is without a list of known failures and before its clause's level counts.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Pass => Outcome::Pass,
            Self::Fail(_) => Outcome::Fail,
            Self::Unsupported(_) => Outcome::Unsupported,
            Self::Inconclusive(_) => Outcome::Inconclusive,
            Self::Broken(_) => Outcome::Broken,
            Self::NotApplicable(_) => Outcome::NotApplicable,
            Self::NotOffered(_) => Outcome::NotOffered,
            Self::NotRun(_) => Outcome::NotRun,
        }
    }

    /// Returns the verdict of a vector that a fault ended; `when` comes before the reason: `at second 3: `. The harness
    /// used wrongly is no vector's verdict.
    pub(crate) fn of_fault(fault: Fault, when: &str) -> Result<Self, Fault> {
        match fault {
            // What is not offered is offered at no other moment.
            Fault::Unsupported(why) => Ok(Self::Unsupported(why)),
            Fault::Unknown(why) => Ok(Self::Inconclusive(format!("{when}{why}"))),
            Fault::Broken(why) => Ok(Self::Broken(format!("{when}{why}"))),
            Fault::Misuse(why) => Err(Fault::Misuse(why)),
        }
    }

    /// Why, in a sentence; `None` of a pass.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Pass => None,
            Self::Fail(failure) => Some(failure.to_string()),
            Self::Unsupported(why)
            | Self::Inconclusive(why)
            | Self::Broken(why)
            | Self::NotApplicable(why)
            | Self::NotOffered(why)
            | Self::NotRun(why) => Some(why.clone()),
        }
    }
}

/// The first answer that was not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which of the vector's steps, counted from 0.
    pub step: usize,
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// The expected response.
    pub expected: String,
    /// The actual response, bounded, but not yet escaped.
    pub got: String,
    /// The signature of the failure at this second.
    pub signature: Signature,
    /// The vector that it contradicts, where it would be right alone.
    pub beside: Option<String>,
    /// Under which schedule of removal, where the target was told one.
    pub removal: Option<Removal>,
}

impl fmt::Display for Failure {
    /// The message for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at second {}: expected {}, got {}", self.at_s, self.expected, self.got)
    }
}

/// The value that a target was seen to choose under an open clause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Choice {
    /// The open clause.
    pub clause: String,
    /// The value.
    pub value: String,
    /// Which of the vector's steps showed it, counted from 0.
    pub step: usize,
}

/// The answer to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub response: Response,
    /// When the target may have dealt with the request; `None` where the harness moves the clock, or it does not matter.
    pub window: Option<ClockInterval>,
    /// Whether it is what the step expects; `None` where the reply was lost, and `response` is that to a read of the item.
    pub as_expected: Option<bool>,
}

/// The result of one vector, replayed once or under every schedule of removal.
#[derive(Clone, Debug)]
pub struct VectorResult<'a> {
    /// The vector.
    pub vector: &'a Vector,
    /// The verdict.
    pub verdict: Verdict,
    /// The target's choices under open clauses, in all replays.
    pub choices: Vec<Choice>,
    /// Which of the choices were made in the replay that decided.
    pub(crate) own_choices: Range<usize>,
    /// The answers to its first steps in the replay that decided.
    pub answers: Vec<Answered>,
    /// The log of the target during the replay; see [`crate::target::Session::log`].
    pub log: Option<String>,
    /// Its entry on a list of known failures.
    pub listed: Option<Listed>,
    /// On a real clock, a request may have fallen into another second than it was meant for.
    pub(crate) blurred: bool,
    /// The parts of the interface that the request needs which the target did not support.
    pub lacks: BTreeSet<Part>,
    /// The microseconds from the opening of its session to its last response, in the replay that decided; only on a real clock.
    pub duration_us: Option<u64>,
}

impl<'a> VectorResult<'a> {
    /// A verdict without any answer.
    pub fn unasked(vector: &'a Vector, verdict: Verdict) -> Self {
        Self {
            vector,
            verdict,
            choices: Vec::new(),
            own_choices: 0..0,
            answers: Vec::new(),
            log: None,
            listed: None,
            blurred: false,
            lacks: BTreeSet::new(),
            duration_us: None,
        }
    }

    /// Returns the result of a vector that needs one of these parts, which the target does not offer; `None` of any other.
    pub(crate) fn not_offered(vector: &'a Vector, missing: &BTreeSet<Part>) -> Option<Self> {
        let needed = &vector.parts() & missing;
        (!needed.is_empty()).then(|| Self::unasked(vector, Verdict::NotOffered(without(&needed))))
    }

    /// Of a vector that was replayed under several schedules of removal, the gravest verdict counts.
    pub(crate) fn gravest(
        vector: &'a Vector,
        replays: impl IntoIterator<Item = (Option<Removal>, Self)>,
    ) -> Self {
        let mut choices = Vec::new();
        let with_place = |(removal, mut result): (Option<Removal>, Self)| {
            let before = choices.len();
            choices.append(&mut result.choices);
            result.own_choices = before..choices.len();
            (removal, result)
        };
        // Of several that are as grave, the first.
        let gravest = replays
            .into_iter()
            .map(with_place)
            .min_by_key(|(_, result)| Reverse(result.verdict.outcome().gravity()));
        let Some((removal, mut result)) = gravest else {
            return Self::unasked(vector, Verdict::NotRun("there was no way to open the target".into()));
        };
        if let Verdict::Fail(failure) = &mut result.verdict {
            failure.removal = removal;
        }
        Self { choices, ..result }
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
            (_, None) if self.differs() => Outcome::Differ,
            _ => outcome,
        }
    }

    /// Returns the clauses of which the failure speaks against one. None without a failure, and none where a request failed
    /// that only sets the vector up.
    pub fn accused(&self) -> Vec<&str> {
        let Verdict::Fail(failure) = &self.verdict else { return Vec::new() };
        if failure.beside.is_some() {
            // It contradicts another vector's choice, which no single vector shows.
            let chosen = self.choices.iter().filter(|choice| choice.step == failure.step);
            // It is seen once for each schedule of removal.
            return chosen
                .map(|choice| choice.clause.as_str())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
        }
        if failure.step < self.vector.setup {
            return Vec::new();
        }
        self.vector.clauses.iter().map(String::as_str).collect()
    }

    /// Returns whether the outcome counts for this clause, which the vector cites. A failure before the vector's own question
    /// counts for none.
    pub fn counts_for(&self, clause: &str) -> bool {
        !matches!(self.verdict, Verdict::Fail(_)) || self.accused().contains(&clause)
    }

    /// Whether it fails, but only by a clause that is a `should`.
    pub fn differs(&self) -> bool {
        self.verdict.outcome() == Outcome::Fail && self.vector.level == Level::Should
    }
}

/// An entry of a list of known failures about a vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Why it fails.
    pub reason: String,
    /// How it fails, by the list; not there where the list takes every failure.
    pub signature: Option<String>,
    /// Whether it fails now, and so; a report says that with its outcome.
    #[serde(skip)]
    pub holds: bool,
}

impl Listed {
    fn outcome(&self, passes: bool) -> Outcome {
        match self.holds {
            _ if passes => Outcome::UnexpectedPass,
            true => Outcome::KnownFailure,
            false => Outcome::ChangedFailure,
        }
    }
}
