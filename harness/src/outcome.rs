//! What is said of a vector in a word, and how many vectors there are of each.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::{Kind, VectorResult};
use crate::verdict::VerdictKind;

/// What is said of a vector, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every answer was as expected.
    Pass,
    /// An answer was not, and the clause is a must.
    Fail,
    /// An answer was not, but the clause is only a should.
    Differ,
    /// It fails, as a list of known failures says.
    KnownFailure,
    /// It passes, though a list of known failures says that it fails.
    UnexpectedPass,
    /// It fails, and otherwise than a list of known failures says.
    ChangedFailure,
    /// It passes or fails from run to run, as a list of known failures says.
    Flaky,
    /// The target says that it does not offer something that the vector needs.
    Unsupported,
    /// Nothing can be said.
    Inconclusive,
    /// The target, or the way to it, broke.
    Broken,
    /// The vector says nothing about this target.
    NotApplicable,
    /// The run ended before.
    NotRun,
}

impl Outcome {
    /// Every word, in the order in which reports show them.
    pub const ALL: [Self; 12] = [
        Self::Pass,
        Self::Fail,
        Self::Differ,
        Self::KnownFailure,
        Self::UnexpectedPass,
        Self::ChangedFailure,
        Self::Flaky,
        Self::Unsupported,
        Self::Inconclusive,
        Self::Broken,
        Self::NotApplicable,
        Self::NotRun,
    ];

    /// What is said of a result.
    pub fn of(result: &VectorResult<'_>) -> Self {
        match result.verdict.kind() {
            VerdictKind::Pass | VerdictKind::Fail if result.listed.is_some() => Self::of_listed(result),
            VerdictKind::Pass => Self::Pass,
            VerdictKind::Fail if result.differs() => Self::Differ,
            VerdictKind::Fail => Self::Fail,
            VerdictKind::Unsupported => Self::Unsupported,
            VerdictKind::Inconclusive => Self::Inconclusive,
            VerdictKind::Broken => Self::Broken,
            VerdictKind::NotApplicable => Self::NotApplicable,
            VerdictKind::NotRun => Self::NotRun,
        }
    }

    fn of_listed(result: &VectorResult<'_>) -> Self {
        let passes = result.verdict.kind() == VerdictKind::Pass;
        match &result.listed {
            Some(listed) if listed.kind == Kind::Flaky && (passes || listed.holds) => Self::Flaky,
            Some(_) if passes => Self::UnexpectedPass,
            Some(listed) if listed.holds => Self::KnownFailure,
            _ => Self::ChangedFailure,
        }
    }

    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Differ => "differ",
            Self::KnownFailure => "known failure",
            Self::UnexpectedPass => "unexpected pass",
            Self::ChangedFailure => "changed failure",
            Self::Flaky => "flaky",
            Self::Unsupported => "unsupported",
            Self::Inconclusive => "inconclusive",
            Self::Broken => "broken",
            Self::NotApplicable => "not applicable",
            Self::NotRun => "not run",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How many vectors there are, and of each verdict; the verdicts add up to the vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "they are the variants of `Outcome`")]
pub struct Counts {
    /// All of them.
    pub vectors: usize,
    pub pass: usize,
    pub fail: usize,
    pub differ: usize,
    pub known_failure: usize,
    pub unexpected_pass: usize,
    pub changed_failure: usize,
    pub flaky: usize,
    pub unsupported: usize,
    pub inconclusive: usize,
    pub broken: usize,
    pub not_applicable: usize,
    pub not_run: usize,
}

impl Counts {
    /// How many there are with this verdict.
    pub fn get(&self, said: Outcome) -> usize {
        match said {
            Outcome::Pass => self.pass,
            Outcome::Fail => self.fail,
            Outcome::Differ => self.differ,
            Outcome::KnownFailure => self.known_failure,
            Outcome::UnexpectedPass => self.unexpected_pass,
            Outcome::ChangedFailure => self.changed_failure,
            Outcome::Flaky => self.flaky,
            Outcome::Unsupported => self.unsupported,
            Outcome::Inconclusive => self.inconclusive,
            Outcome::Broken => self.broken,
            Outcome::NotApplicable => self.not_applicable,
            Outcome::NotRun => self.not_run,
        }
    }

    /// How many were judged.
    pub fn judged(&self) -> usize {
        let known = [self.known_failure, self.unexpected_pass, self.changed_failure, self.flaky];
        let judged = known.into_iter().fold(0, usize::saturating_add);
        judged.saturating_add(self.pass).saturating_add(self.fail).saturating_add(self.differ)
    }

    /// Whether any of them fails and stands on no list; under `strict`, whatever differs from a `should` does too.
    pub fn fails_anew(&self, strict: bool) -> bool {
        0 < self.fail || (strict && 0 < self.differ)
    }

    /// Whether any of them fails a run; under `strict`, whatever differs from a `should` does too.
    pub fn fails(&self, strict: bool) -> bool {
        self.fails_anew(strict) || 0 < self.unexpected_pass || 0 < self.changed_failure
    }

    fn add(&mut self, said: Outcome) {
        let count = match said {
            Outcome::Pass => &mut self.pass,
            Outcome::Fail => &mut self.fail,
            Outcome::Differ => &mut self.differ,
            Outcome::KnownFailure => &mut self.known_failure,
            Outcome::UnexpectedPass => &mut self.unexpected_pass,
            Outcome::ChangedFailure => &mut self.changed_failure,
            Outcome::Flaky => &mut self.flaky,
            Outcome::Unsupported => &mut self.unsupported,
            Outcome::Inconclusive => &mut self.inconclusive,
            Outcome::Broken => &mut self.broken,
            Outcome::NotApplicable => &mut self.not_applicable,
            Outcome::NotRun => &mut self.not_run,
        };
        *count = count.saturating_add(1);
        self.vectors = self.vectors.saturating_add(1);
    }
}

impl FromIterator<Outcome> for Counts {
    fn from_iter<T: IntoIterator<Item = Outcome>>(verdicts: T) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|said| counts.add(said));
        counts
    }
}
