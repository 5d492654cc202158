//! Helpers of items, batches and feeds: reading items and headers, and writing items.

use cosmos_ttl_harness::target::{Document, Item, Operation, Properties, Status};
use serde_json::value::RawValue;

use crate::account::{Account, CosmosContainer};
use crate::answer::{RestAnswer, RestRefusal};
use crate::body::{check_name, properties, shortened};
use crate::partition::{PartitionValue, missing_partition};
use crate::rest::{ContainerName, RestRequest};
use crate::system_properties::{item_rid, item_text};

pub(crate) const PARTITION_HEADER: &str = "x-ms-documentdb-partitionkey";
/// The headers that bound a feed by the hashes of partition keys, with the bounds of everything.
const WHOLE_RANGE: [(&str, &str); 2] = [("x-ms-start-epk", ""), ("x-ms-end-epk", "FF")];
/// The longest `id` of an item, in bytes.
const LONGEST_ID: usize = 1023;

/// Where items are, which their `_rid` and `_self` say.
pub(crate) struct ItemPlace {
    link: String,
    database: u32,
    container: u32,
}

impl ItemPlace {
    pub(crate) fn of(account: &mut Account, name: &ContainerName) -> Result<Self, RestRefusal> {
        let database = account.database(&name.database)?.number;
        let container = account.container(name)?.1.number;
        Ok(Self { link: name.link(), database, container })
    }

    /// Returns an item as JSON text.
    pub(crate) fn text(&self, partition: &PartitionValue, item: &Item) -> String {
        let rid = item_rid(self.database, self.container, partition.as_str(), &item.document.id);
        item_text(item, &rid, &self.link)
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

/// Says why a store refused an operation.
pub(crate) fn message(status: Status, operation: &Operation) -> Option<String> {
    let ttl = operation.ttl().filter(|_| status == Status::BadRequest)?;
    Some(format!(
        "the item's `ttl` is {}; accepted are whole numbers from 1 to 2147483647, and -1 for never",
        shortened(ttl)
    ))
}

/// Reads an item.
pub(crate) fn document(text: &str) -> Result<Document, RestRefusal> {
    document_of(properties(text)?)
}

/// Reads an item of a batch.
pub(crate) fn raw_document(text: &RawValue) -> Result<Document, RestRefusal> {
    document(text.get())
}

fn document_of(mut properties: Properties) -> Result<Document, RestRefusal> {
    let id = properties.remove("id").ok_or_else(|| RestRefusal::bad("the item has no `id`"))?;
    let id: String =
        serde_json::from_str(id.as_str()).map_err(|_| RestRefusal::bad("`id` must be a string"))?;
    check_name(&id, LONGEST_ID)?;
    Ok(Document { id, properties })
}

/// Reads the partition that a request about one item must name.
pub(crate) fn partition_of(
    request: &RestRequest,
    container: &CosmosContainer,
) -> Result<PartitionValue, RestRefusal> {
    let header = request.header(PARTITION_HEADER).ok_or_else(missing_partition)?;
    PartitionValue::parse(header, &container.paths)
}

/// Refuses headers that would change what a request means, and that are not offered.
pub(crate) fn check_headers(request: &RestRequest) -> Result<(), RestRefusal> {
    const REFUSED: [(&str, &str); 6] = [
        ("a-im", "the change feed"),
        ("if-none-match", "`if-none-match` on items"),
        ("if-modified-since", "`if-modified-since` on items"),
        ("x-ms-documentdb-pre-trigger-include", "triggers"),
        ("x-ms-documentdb-post-trigger-include", "triggers"),
        ("x-ms-documentdb-query-enable-scan-on-missing", "scans"),
    ];
    if let Some((_, what)) = REFUSED.iter().find(|(header, _)| request.header(header).is_some()) {
        return Err(RestRefusal::not_offered(what));
    }
    // Without a start or an end, a range of hashes of partition keys is open on that side.
    let is_all = |(header, open): (&str, &str)| request.header(header).is_none_or(|bound| bound == open);
    if WHOLE_RANGE.into_iter().all(is_all) {
        return Ok(());
    }
    Err(RestRefusal::not_offered(
        "a range of partition keys (a feed range, or a part of a hierarchical key; x-ms-start-epk and x-ms-end-epk)",
    ))
}
