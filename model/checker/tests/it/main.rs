//! The tests of the checker, in one program: what takes long to check is checked once.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "clippy allows it in tests, and this is what they call"
)]

mod bounds;
mod clauses;
mod properties;
mod symbolic;
mod without;

use std::sync::LazyLock;

use cosmos_ttl_checker::{Report, Scope, check};

static SMALL: LazyLock<Report> = LazyLock::new(|| check(Scope::Small));
static STANDARD: LazyLock<Report> = LazyLock::new(|| check(Scope::Standard));
/// The clauses, read as text: nothing here knows YAML.
const CLAUSES: &str = include_str!("../../../../vectors/clauses.yaml");
