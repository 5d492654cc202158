//! No index, no time to live.

use super::Without;
use super::domain::{USUAL, reading};
use cosmos_ttl_model::container::{Indexing, SettingsDraft};
use cosmos_ttl_model::interpretation::{Interpretation, LazyIndex};
use cosmos_ttl_model::rule::Wire;

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("ttl-needs-an-index", "indexing mode none is taken with a `defaultTtl`, and indexes all the same")
        .settings(|_, draft| match (draft.indexing, draft.default_ttl) {
            (Indexing::None, Wire::Whole(_)) => SettingsDraft { indexing: Indexing::Consistent, ..draft },
            _ => draft,
        }),
    Without::new("indexed-modes-allow-ttl", "only indexing mode consistent allows a `defaultTtl`")
        .settings(|_, draft| match (draft.indexing, draft.default_ttl) {
            (Indexing::Lazy, Wire::Whole(_)) => SettingsDraft { indexing: Indexing::None, ..draft },
            _ => draft,
        }),
    Without::new("lazy-index-may-lag", "queries must be complete while a lazy index is built anew")
        .insists("complete", |rules| reading(rules, |i| Interpretation { lazy_index: LazyIndex::Complete, ..i }),
            Interpretation { lazy_index: LazyIndex::Incomplete, ..USUAL }),
];
