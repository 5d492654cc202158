//! Helpers of items, batches and feeds: reading items and headers, and writing items.

use cosmos_ttl_harness::target::{Document, Item};

use crate::account::Account;
use crate::answer::{RestAnswer, RestRefusal};
use crate::body::{check_name, properties};
use crate::partition::{
    PARTITION_HEADER, PartitionPaths, PartitionValue, missing_partition, other_partition,
};
use crate::rest::{ContainerName, RestRequest};
use crate::system_properties::item_text;

/// The longest `id` of an item, in bytes.
const LONGEST_ID: usize = 1023;

/// Where items are, which their `_rid` and `_self` say.
pub(crate) struct ItemPlace {
    pub(crate) link: String,
    pub(crate) database: u32,
    pub(crate) container: u32,
}

impl ItemPlace {
    pub(crate) fn of(account: &mut Account, name: &ContainerName) -> Result<Self, RestRefusal> {
        let database = account.database(&name.database)?.number;
        let container = account.container(name)?.1.number;
        Ok(Self { link: name.link(), database, container })
    }

    /// Returns an item as JSON text.
    pub(crate) fn text(&self, partition: &PartitionValue, item: &Item) -> String {
        item_text(item, self, partition)
    }
}

/// Returns the answer to a request that is refused; says when to try again where that helps.
pub(crate) fn refused(refusal: RestRefusal, retry_ms: u64) -> RestAnswer {
    if refusal.status == 429 {
        return RestAnswer::from(refusal.with_substatus(3200))
            .with("x-ms-retry-after-ms", retry_ms.to_string());
    }
    refusal.into()
}

/// Reads an item, which must be of this partition.
pub(crate) fn document(
    text: &str,
    paths: &PartitionPaths,
    partition: &PartitionValue,
) -> Result<Document, RestRefusal> {
    let mut properties = properties(text)?;
    let id = properties.remove("id").ok_or_else(|| RestRefusal::bad("the item has no `id`"))?;
    let id: String =
        serde_json::from_str(id.as_str()).map_err(|_| RestRefusal::bad("`id` must be a string"))?;
    check_name(&id, LONGEST_ID)?;
    if paths.of_item(&id, &properties)? == *partition {
        Ok(Document { id, properties })
    } else {
        Err(other_partition())
    }
}

/// Reads the partition that a request about one item must name.
pub(crate) fn partition_of(
    request: &RestRequest,
    paths: &PartitionPaths,
) -> Result<PartitionValue, RestRefusal> {
    let header = request.header(PARTITION_HEADER).ok_or_else(missing_partition)?;
    PartitionValue::parse(header, paths)
}

/// Refuses headers that would change what a request means, and that are not offered.
pub(crate) fn check_headers(request: &RestRequest) -> Result<(), RestRefusal> {
    const REFUSED: [(&str, &str); 5] = [
        ("a-im", "the change feed"),
        ("if-modified-since", "`if-modified-since` on items"),
        ("x-ms-documentdb-pre-trigger-include", "triggers"),
        ("x-ms-documentdb-post-trigger-include", "triggers"),
        ("x-ms-documentdb-query-enable-scan-on-missing", "scans"),
    ];
    match REFUSED.iter().find(|(header, _)| request.header(header).is_some()) {
        Some((_, what)) => Err(RestRefusal::not_offered(what)),
        None => Ok(()),
    }
}
