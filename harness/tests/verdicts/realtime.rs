//! The real-clock runner, against targets whose clock runs by itself.

mod adversity;
mod deadlines;
mod late;
mod seconds;
mod simulated;
mod soak;
mod waiting;
mod windows;

use std::sync::LazyLock;

use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_testing::core_suite;

static SUITE: LazyLock<&Suite> = LazyLock::new(core_suite);

/// The vectors that last no longer than this, but for those of the soak profile.
fn vectors(span_s: u64) -> Vec<&'static Vector> {
    SUITE.vectors.iter().filter(|vector| vector.span_s <= span_s && !vector.is_soak()).collect()
}

fn named(names: &[&str]) -> Vec<&'static Vector> {
    names.iter().map(|name| SUITE.get(name).unwrap_or_else(|| panic!("no {name}"))).collect()
}

fn count(run: &Run<'_>, kind: Outcome) -> usize {
    run.results.iter().filter(|result| result.verdict.outcome() == kind).count()
}

/// The verdicts that are not a pass, for people.
fn others(run: &Run<'_>) -> Vec<String> {
    let results = run.results.iter().filter(|result| result.verdict != Verdict::Pass);
    let line = |reason: String, kind: Outcome, name: &str| format!("{name}: {kind}: {reason}");
    results
        .map(|result| {
            line(result.verdict.reason().unwrap_or_default(), result.verdict.outcome(), &result.vector.name)
        })
        .collect()
}

fn verdict<'r>(run: &'r Run<'_>, name: &str) -> &'r Verdict {
    &run.results.iter().find(|result| result.vector.name == name).unwrap().verdict
}
