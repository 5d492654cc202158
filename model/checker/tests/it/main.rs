//! The tests of the checker, in one program: what takes long to check is checked once.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "clippy allows it in tests, and this is what they call"
)]

mod absolute;
mod broken;
mod clauses;
mod explorer;
mod properties;
mod spec;

use std::sync::LazyLock;

use cosmos_ttl_checker::{CheckReport, check};

static REPORT: LazyLock<CheckReport> = LazyLock::new(check);
/// The clauses, read as text: nothing here knows YAML.
const CLAUSES: &str = include_str!("../../../../vectors/clauses.yaml");
