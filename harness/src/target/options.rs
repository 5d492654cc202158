//! What a request is sent with: the partition that it is about, and the page that it asks for.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of an item's partition key.
pub type PartitionKey = String;

/// The partition key of every request that names none.
pub const DEFAULT_PARTITION: &str = "p";

/// The partition that a request is about, and the page that it asks for.
///
/// A partition goes with requests about items, batches, queries, lists and counts; a page with queries and lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestOptions {
    /// The partition; if absent, the one with the key [`DEFAULT_PARTITION`], which is never named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionKey>,
    /// The page; if absent, all items are returned at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageRequest>,
}

impl RequestOptions {
    /// Returns why a target that offers no options does not support these; `None` where there are none.
    pub fn unsupported(&self) -> Option<&'static str> {
        match self {
            Self { partition: Some(_), .. } => Some("it has one partition only"),
            Self { page: Some(_), .. } => Some("it does not answer page by page"),
            Self { partition: None, page: None } => None,
        }
    }
}

/// One page of a query or a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageRequest {
    /// The greatest number of items on it.
    pub size: NonZeroU32,
    /// The text that came with the page before, as it was; absent for the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<String>,
}
