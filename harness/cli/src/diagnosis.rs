//! Which mistake a target seems to make, as a report has it.

use cosmos_ttl_harness::run::Run;
use cosmos_ttl_mutants::diagnosis;
use cosmos_ttl_report::{Diagnosis, Likeness};

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
