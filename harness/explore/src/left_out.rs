//! Differences that an exploration skips, because they are known.

use std::collections::BTreeSet;

use super::write::shown_clauses;
use super::{Counterexample, Script};

/// The differences to leave out.
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    /// A difference that shows one of these clauses.
    pub clauses: BTreeSet<String>,
    /// A difference of which one of these vectors, each given by the clauses that it cites, cites every clause.
    pub known: Vec<BTreeSet<String>>,
}

impl LeftOut {
    pub(super) fn takes_script(&self, script: &Script) -> bool {
        if self.clauses.is_empty() && self.known.is_empty() {
            return false;
        }
        let shown = shown_clauses(script).unwrap_or_default();
        self.takes(&shown.into_iter().map(str::to_owned).collect())
    }

    pub(super) fn takes_example(&self, example: &Counterexample) -> bool {
        match &example.written {
            Ok(written) => self.takes(&written.vector.clauses.iter().cloned().collect()),
            Err(_) => self.takes_script(&example.script),
        }
    }

    fn takes(&self, shown: &BTreeSet<String>) -> bool {
        !shown.is_disjoint(&self.clauses)
            || (!shown.is_empty() && self.known.iter().any(|cited| shown.is_subset(cited)))
    }
}
