//! What can be said of a vector after it was replayed.

use std::fmt;

use crate::target::Removal;

/// What is said of one vector.
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

/// The kinds of verdict, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "they are the variants of `Verdict`")]
pub enum VerdictKind {
    Fail,
    Broken,
    Inconclusive,
    NotRun,
    Unsupported,
    NotApplicable,
    Pass,
}

impl VerdictKind {
    /// Every kind, gravest first.
    pub const ALL: [Self; 7] = [
        Self::Fail,
        Self::Broken,
        Self::Inconclusive,
        Self::NotRun,
        Self::Unsupported,
        Self::NotApplicable,
        Self::Pass,
    ];

    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Broken => "broken",
            Self::Inconclusive => "inconclusive",
            Self::NotRun => "not run",
            Self::Unsupported => "unsupported",
            Self::NotApplicable => "not applicable",
            Self::Pass => "pass",
        }
    }
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Verdict {
    /// Which kind it is.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Self::Pass => VerdictKind::Pass,
            Self::Fail(_) => VerdictKind::Fail,
            Self::Unsupported(_) => VerdictKind::Unsupported,
            Self::Inconclusive(_) => VerdictKind::Inconclusive,
            Self::Broken(_) => VerdictKind::Broken,
            Self::NotApplicable(_) => VerdictKind::NotApplicable,
            Self::NotRun(_) => VerdictKind::NotRun,
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
    /// The vector that it contradicts, where it would be right alone.
    pub beside: Option<String>,
    /// Under which schedule of removal, where the target was told one.
    pub removal: Option<Removal>,
}

impl fmt::Display for Failure {
    /// The failure's signature: the same failure reads the same in every run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at second {}: expected {}, got {}", self.at_s, self.expected, self.got)
    }
}

/// The value that a target was seen to choose under an open clause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// The open clause.
    pub clause: String,
    /// The value.
    pub value: String,
    /// Which of the vector's steps showed it, counted from 0.
    pub step: usize,
}
