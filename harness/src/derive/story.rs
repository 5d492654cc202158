//! A vector that is being written.

use std::collections::BTreeSet;

/// A vector, as text save for its layout.
#[derive(Clone, Debug)]
pub(super) struct Story {
    pub(super) section: &'static str,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) clauses: BTreeSet<&'static str>,
    /// `2024`, where the rule differs.
    pub(super) edition: Option<&'static str>,
    pub(super) lines: Vec<Line>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The clock goes to this second.
    At(u64),
    /// A request: its name, its fields and what it must answer.
    Ask { name: &'static str, fields: Vec<String>, expect: String },
}

/// The item that lives on.
pub(crate) const WITNESS: &str = "witness";

impl Line {
    pub(crate) fn ask(name: &'static str, fields: Vec<String>, expect: impl Into<String>) -> Self {
        Self::Ask { name, fields, expect: expect.into() }
    }

    /// A write that leaves the witness.
    pub(crate) fn witness() -> Self {
        Self::ask("create", vec![format!("id: {WITNESS}"), "ttl: -1".into()], "created")
    }

    /// A query that must list these and the witness.
    pub(super) fn query(ids: &[String]) -> Self {
        Self::ask("query", Vec::new(), listed(ids))
    }
}

/// These ids and the witness's.
pub(super) fn listed(ids: &[String]) -> String {
    let all: Vec<&str> = ids.iter().map(String::as_str).chain([WITNESS]).collect();
    format!("[{}]", all.join(", "))
}
