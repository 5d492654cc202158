//! Some vectors against the reference, and against one that is wrong in a few answers: replayed once for all tests.

use std::sync::LazyLock;

use cosmos_ttl::report::{Report, RunCommand};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_testing::run_all;
use cosmos_ttl_testing::twisted::{Wrong, careless};

/// Vectors that show, at a careless target, each sign of a drawing and every other part of a page.
const FEW: [&str; 8] = [
    "domain/container-zero-at-creation",
    "expired/count",
    "expired/read",
    "expired/refused-creates-revive-nothing",
    "lifetime/default-item-shorter",
    "lifetime/off-item-absent",
    "settings/deleted-never-returns",
    "settings/expired-then-off",
];

/// Every vector.
pub(crate) static ALL: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

pub(crate) static SUITE: LazyLock<Suite> = LazyLock::new(|| {
    let mut suite = ALL.clone();
    suite.vectors.retain(|vector| FEW.contains(&vector.name.as_str()));
    assert_eq!(suite.vectors.len(), FEW.len());
    suite
});

/// The report of a run over this suite.
pub(crate) fn report(suite: &Suite, target: &dyn Target) -> Report {
    let run = run_all(target, suite);
    Report::of(suite, &run, &RunCommand { target: "reference".into(), ..RunCommand::default() })
}

/// The report of the reference.
pub(crate) fn passing() -> Report {
    static PASSING: LazyLock<Report> = LazyLock::new(|| report(&SUITE, &Reference::default()));
    PASSING.clone()
}

/// A target to whose point reads nothing is ever gone, and whose containers take anything.
pub(crate) fn failing() -> Report {
    static FAILING: LazyLock<Report> = LazyLock::new(|| report(&SUITE, &Wrong(careless)));
    FAILING.clone()
}
