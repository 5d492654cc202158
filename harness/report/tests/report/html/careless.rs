//! Every vector against the reference, and against one that is wrong in a few answers: replayed once for all tests.

use std::sync::LazyLock;

use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_reference::Reference;
use cosmos_ttl_report::{Report, RunCommand};
use cosmos_ttl_testing::run_all;
use cosmos_ttl_testing::twisted::{Wrong, careless};

pub(crate) static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// A run of the reference over every vector.
pub(crate) static RUN: LazyLock<Run<'static>> = LazyLock::new(|| run_all(&Reference::default(), &SUITE));

/// The report of a run over this suite.
pub(crate) fn report(suite: &Suite, target: &dyn Target) -> Report {
    report_of(suite, &run_all(target, suite))
}

fn report_of(suite: &Suite, run: &Run<'_>) -> Report {
    Report::of(suite, run, &RunCommand { target: "reference".into(), ..RunCommand::default() })
}

/// The report of the reference.
pub(crate) fn passing() -> Report {
    report_of(&SUITE, &RUN)
}

/// A target to whose point reads nothing is ever gone, and whose containers take anything.
pub(crate) fn failing() -> Report {
    static FAILING: LazyLock<Report> = LazyLock::new(|| report(&SUITE, &Wrong(careless)));
    FAILING.clone()
}
