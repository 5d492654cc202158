//! How many vectors there are of each verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::run::VectorResult;
use crate::verdict::VerdictKind;

/// What is said of a vector, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// Every answer was as expected.
    Pass,
    /// An answer was not, and the clause is a must.
    Fail,
    /// An answer was not, but the clause is only a should.
    Differ,
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

impl Said {
    /// Every word, in the order in which reports show them.
    pub const ALL: [Self; 8] = [
        Self::Pass,
        Self::Fail,
        Self::Differ,
        Self::Unsupported,
        Self::Inconclusive,
        Self::Broken,
        Self::NotApplicable,
        Self::NotRun,
    ];

    /// What is said of a result.
    pub fn of(result: &VectorResult<'_>) -> Self {
        match result.verdict.kind() {
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

    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Differ => "differ",
            Self::Unsupported => "unsupported",
            Self::Inconclusive => "inconclusive",
            Self::Broken => "broken",
            Self::NotApplicable => "not applicable",
            Self::NotRun => "not run",
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How many vectors there are, and of each verdict; the verdicts add up to the vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "they are the variants of `Said`")]
pub struct Counts {
    /// All of them.
    pub vectors: usize,
    pub pass: usize,
    pub fail: usize,
    pub differ: usize,
    pub unsupported: usize,
    pub inconclusive: usize,
    pub broken: usize,
    pub not_applicable: usize,
    pub not_run: usize,
}

impl Counts {
    /// How many there are with this verdict.
    pub fn get(&self, said: Said) -> usize {
        match said {
            Said::Pass => self.pass,
            Said::Fail => self.fail,
            Said::Differ => self.differ,
            Said::Unsupported => self.unsupported,
            Said::Inconclusive => self.inconclusive,
            Said::Broken => self.broken,
            Said::NotApplicable => self.not_applicable,
            Said::NotRun => self.not_run,
        }
    }

    /// How many were judged.
    pub fn judged(&self) -> usize {
        self.pass.saturating_add(self.fail).saturating_add(self.differ)
    }

    fn add(&mut self, said: Said) {
        let count = match said {
            Said::Pass => &mut self.pass,
            Said::Fail => &mut self.fail,
            Said::Differ => &mut self.differ,
            Said::Unsupported => &mut self.unsupported,
            Said::Inconclusive => &mut self.inconclusive,
            Said::Broken => &mut self.broken,
            Said::NotApplicable => &mut self.not_applicable,
            Said::NotRun => &mut self.not_run,
        };
        *count = count.saturating_add(1);
        self.vectors = self.vectors.saturating_add(1);
    }
}

impl FromIterator<Said> for Counts {
    fn from_iter<T: IntoIterator<Item = Said>>(verdicts: T) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|said| counts.add(said));
        counts
    }
}
