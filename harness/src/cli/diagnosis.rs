//! Which mistake a target seems to make, as a report has it.

use crate::report::{Diagnosis, Likeness};
use crate::run::Run;
use crate::targets::mutants::diagnosis;

/// What the failures of this run look like.
pub(super) fn of(run: &Run<'_>) -> Option<Diagnosis> {
    let found = diagnosis::of_run(run)?;
    let like = found.like.iter().map(|one| Likeness {
        mutant: one.mutant.name.into(),
        says: one.mutant.says.into(),
        clauses: one.mutant.clauses.iter().map(|&clause| clause.into()).collect(),
        fails: one.fails,
        same: one.same,
        alike: one.alike,
    });
    Some(Diagnosis { failed: found.failed, together: found.together, like: like.collect(), more: found.more })
}
