//! The mutated texts, and the checks of every reader that gets them.

use std::fs;

use cosmos_ttl_harness::diagnostic::{Diagnostic, Location};
use cosmos_ttl_testing::mutated::{self, TestCaseError};
use proptest::prelude::Strategy;

/// Tries many texts; what is refused is refused at a place that exists.
pub(crate) fn run<S: Strategy<Value = Vec<u8>>>(
    cases: u32,
    bytes: &S,
    load: impl Fn(&[u8]) -> Result<(), Diagnostic>,
) {
    mutated::run(cases, bytes, |bytes| load(bytes).or_else(|flaw| check(&flaw)));
}

/// A flaw names a place that is there, and what is wrong in one line.
fn check(flaw: &Diagnostic) -> Result<(), TestCaseError> {
    if let Location::Text { source, span } = &flaw.location {
        let there = span.start <= span.end && source.text.get(span.clone()).is_some();
        if !there {
            return Err(TestCaseError::fail(format!("{span:?} of {} bytes: {flaw}", source.text.len())));
        }
    }
    if flaw.what.is_empty() { Err(TestCaseError::fail("it says nothing")) } else { Ok(()) }
}

/// Returns a text of each kind for every vector and list of this project: short, so that many can be tried.
pub(crate) fn excerpts() -> Vec<String> {
    let read = |path: &str| fs::read_to_string(cosmos_ttl_testing::project().join(path)).unwrap();
    let mut excerpts: Vec<_> = cosmos_ttl_testing::suite()
        .vectors
        .iter()
        .filter_map(|vector| {
            let text = vector.source.text.get(vector.source.entry_at(vector.line)).unwrap();
            let is_whole = text.starts_with("id:");
            is_whole.then(|| format!("format: 1\nsection: {}\nvectors:\n- {text}\n", vector.section))
        })
        .collect();
    let quick = read("vectors/quick.yaml");
    excerpts.push(quick.lines().take(12).collect::<Vec<_>>().join("\n"));
    for (path, sections) in [
        ("vectors/clauses.yaml", "\n- section"),
        ("harness/implementations/cosmosdb-server/known.yaml", "\n- match"),
    ] {
        let text = read(path);
        let parts: Vec<_> = text.split(sections).collect();
        let head = parts[0];
        excerpts.extend(parts.iter().skip(1).take(20).map(|part| format!("{head}{sections}{part}")));
    }
    excerpts
}
