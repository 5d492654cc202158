//! A target that is the reference, but for a few answers, and what its report is.

use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_report::{Report, RunCommand};
use cosmos_ttl_testing::run_all;
use cosmos_ttl_testing::twisted::{Wrong, careless};

/// What every vector of this suite shows of a target.
pub(crate) fn report(suite: &Suite, target: &dyn Target) -> Report {
    Report::of(
        suite,
        &run_all(target, suite),
        &RunCommand { target: "reference".into(), ..RunCommand::default() },
    )
}

/// A target to whose point reads nothing is ever gone, and whose containers take anything.
pub(crate) fn failing() -> Report {
    report(&embedded().unwrap(), &Wrong(careless))
}
