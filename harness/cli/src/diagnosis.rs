//! Which mistake a target seems to make, as a report has it.

use cosmos_ttl_harness::run::Run;
use cosmos_ttl_mutants::diagnosis;
use cosmos_ttl_report::{ReportedDiagnosis, ReportedLikeness};

/// What the failures of this run look like.
pub(super) fn of(run: &Run<'_>) -> Option<ReportedDiagnosis> {
    let found = diagnosis::of_run(run)?;
    let like = found.like.iter().map(|one| ReportedLikeness {
        mutant: one.mutant.name.into(),
        says: one.mutant.says.into(),
        clauses: one.mutant.clauses.iter().map(|&clause| clause.into()).collect(),
        fails: one.fails,
        same: one.same,
        alike: one.alike,
    });
    Some(ReportedDiagnosis {
        failed: found.failed,
        together: found.together,
        like: like.collect(),
        more: found.more,
    })
}
