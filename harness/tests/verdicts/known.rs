//! Lists of known failures: how they are read, what they say of a run, and how they are kept.

mod flaws;
mod holding;
mod robust;
mod updating;

use std::sync::Arc;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::{Suite, render};
use cosmos_ttl_harness::verdict::{Failure, Verdict};

/// Its vectors: `lifetime/item-shorter-than-default`, `lifetime/null-is-refused`, `lifetime/patched-item`, which is a
/// `should`, `settings/expired-then-off`, `settings/refused-batch`.
fn suite() -> Suite {
    cosmos_ttl_testing::small_suite()
}

fn read(suite: &Suite, text: &str) -> Result<KnownFailures, Diagnostic> {
    KnownFailures::parse(&Arc::new(Source::new("known.yaml", text)), suite)
}

/// Returns a run of only these vectors, with these verdicts.
fn run<'a>(suite: &'a Suite, verdicts: &[(&str, Verdict)]) -> Run<'a> {
    let vectors: Vec<_> = verdicts.iter().map(|(name, _)| suite.get(name).unwrap()).collect();
    let mut run = Run::unasked(Reference::default().about(), &vectors, "");
    for (result, (_, verdict)) in run.results.iter_mut().zip(verdicts) {
        result.verdict = verdict.clone();
    }
    run
}

/// A failure that reads `at second 1: expected not-found, got …`.
fn fails(got: &str) -> Verdict {
    let yaml = if got.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
        got.to_owned()
    } else {
        // As a status without a name, with the target's own words.
        format!("{{500: {}}}", render::text(&visible(got)))
    };
    Verdict::Fail(Failure {
        step: 0,
        at_s: 1,
        expected: "not-found".into(),
        got: got.into(),
        signature: Signature { expected: "not-found".into(), got: yaml },
        beside: None,
        removal: None,
    })
}

const SHORTER: &str = "lifetime/item-shorter-than-default";
const NULL: &str = "lifetime/null-is-refused";
const PATCHED: &str = "lifetime/patched-item";
const OFF: &str = "settings/expired-then-off";
const BATCH: &str = "settings/refused-batch";
