//! What can be said of a vector after it was replayed, and how many vectors there are of each outcome.

#![allow(clippy::arithmetic_side_effects, reason = "it counts vectors")]

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::signature::Signature;
use crate::target::{Fault, Removal};

/// Declares [`Outcome`] and [`Counts`] from one table: the outcome, its count, its word, and how grave it is.
macro_rules! outcomes {
    ($($(#[$doc:meta])* $outcome:ident, $count:ident, $word:literal, $gravity:literal;)*) => {
        /// What is said of a vector, in a word.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
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
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// It passes or fails from run to run, as a list of known failures says.
    Flaky, flaky, "flaky", 6;
    /// The target says that it does not offer something that the vector needs.
    Unsupported, unsupported, "unsupported", 2;
    /// Nothing can be said.
    Inconclusive, inconclusive, "inconclusive", 4;
    /// The target, or the way to it, broke.
    Broken, broken, "broken", 5;
    /// The vector says nothing about this target.
    NotApplicable, not_applicable, "not applicable", 1;
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
        let listed = [self.known_failure, self.unexpected_pass, self.changed_failure, self.flaky];
        // A report that somebody else wrote may hold any number.
        [self.pass, self.fail, self.differ].into_iter().chain(listed).fold(0, usize::saturating_add)
    }

    /// Whether any of them fails and stands on no list; under `strict`, whatever differs from a `should` does too.
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

/// What is said of one vector, and why.
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
    /// The vector says nothing about this target: another edition, or longer than the budget.
    NotApplicable(String),
    /// The run ended before.
    NotRun(String),
}

impl Verdict {
    /// Returns the outcome, as it is without a list of known failures and before its clause's level counts.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Pass => Outcome::Pass,
            Self::Fail(_) => Outcome::Fail,
            Self::Unsupported(_) => Outcome::Unsupported,
            Self::Inconclusive(_) => Outcome::Inconclusive,
            Self::Broken(_) => Outcome::Broken,
            Self::NotApplicable(_) => Outcome::NotApplicable,
            Self::NotRun(_) => Outcome::NotRun,
        }
    }

    /// Returns the verdict of a vector that a fault ended; `when` stands before the reason: `at second 3: `.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`]: the harness was used wrongly, which is no vector's verdict.
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
    /// What was expected.
    pub expected: String,
    /// What was answered, bounded; still to be escaped before anyone shows it.
    pub got: String,
    /// What identifies it at this second.
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The open clause.
    pub clause: String,
    /// The value.
    pub value: String,
    /// Which of the vector's steps showed it, counted from 0.
    pub step: usize,
}
