//! A vector that is being written.

use std::collections::BTreeSet;

use cosmos_ttl_explore::draft::Line;

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
