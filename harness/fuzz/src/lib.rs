//! The checks of a reader by the fuzz targets, apart from that it neither panics nor hangs.

use std::sync::{Arc, LazyLock};

use cosmos_ttl_harness::diagnostic::{Diagnostic, Location, Source};
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_harness::yaml;
use serde_json::Value;

/// The vectors of this build.
pub static SUITE: LazyLock<Suite> =
    LazyLock::new(|| embedded().unwrap_or_else(|err| panic!("the built-in vectors do not load: {err}")));

/// Returns a text as a file of this name.
pub fn source(name: &str, text: &str) -> Arc<Source> {
    Arc::new(Source::new(name, text))
}

/// Checks that an error says something on one line, at a place that exists.
pub fn check_diagnostic(flaw: &Diagnostic) {
    assert!(!flaw.what.is_empty(), "an error without words");
    if let Location::Text { source, span } = &flaw.location {
        assert!(source.text.get(span.clone()).is_some(), "no such place: {span:?}");
    }
}

/// Checks that a second reader of YAML finds the same values in a file that was accepted.
pub fn check_second_reader(source: &Arc<Source>) {
    let tree = yaml::parse(source).unwrap_or_else(|flaw| panic!("accepted before: {flaw}"));
    let first = serde_json::to_value(&tree).unwrap_or_else(|err| panic!("no JSON: {err}"));
    let second: Value = serde_yaml::from_str(&source.text).unwrap_or_else(|err| panic!("refused: {err}"));
    assert_eq!(first, second);
}
