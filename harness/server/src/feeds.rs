//! Feeds of items, page by page: the list of all, and queries.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmos_ttl_harness::target::{Document, Status};
use serde_json::json;

use crate::account::{Account, CosmosContainer};
use crate::answer::{RestAnswer, RestRefusal};
use crate::item_parts::{ItemPlace, PARTITION_HEADER, check_headers, refused};
use crate::item_store::{Charged, FeedKind, ItemKey, PageBounds, Scope};
use crate::partition::PartitionValue;
use crate::rest::{ContainerName, RestRequest};
use crate::sql::{ItemQuery, QuerySelection};
use crate::system_properties::container_rid;

const CONTINUATION: &str = "x-ms-continuation";
const MAX_ITEMS: &str = "x-ms-max-item-count";
/// The items of a page where the client does not say, and at most.
const PAGE: usize = 100;
const LARGEST_PAGE: usize = 1000;
/// No further item after as many bytes of a page.
const PAGE_BYTES: usize = 1024 * 1024;

/// Lists the items of a container, or of one partition.
pub(crate) fn list(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    check_headers(request)?;
    page(account, name, request, FeedKind::List, QuerySelection::Items, &|_| true)
}

/// Answers a query, or says how a client is to execute it.
pub(crate) fn query(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    check_headers(request)?;
    let query = ItemQuery::parse(request.text()?)?;
    if request.says("x-ms-cosmos-is-query-plan-request") {
        account.container(name)?;
        return Ok(plan(&query));
    }
    let accepts = |document: &Document| query.accepts(document);
    if query.selection != QuerySelection::Count {
        return page(account, name, request, FeedKind::Query, query.selection, &accepts);
    }
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let partition = partition_asked(request, container)?;
    let scope = Scope { partition: partition.as_ref(), accepts: &accepts };
    let Charged { answer, units } = container.store.count(now_s, &scope)?;
    let answer = match answer {
        Ok(count) => documents(account, name, &[count.to_string()])?,
        Err(status) => refused_feed(status, retry_ms),
    };
    Ok(answer.with("x-ms-request-charge", units.to_string()))
}

fn page(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
    kind: FeedKind,
    selection: QuerySelection,
    accepts: &dyn Fn(&Document) -> bool,
) -> Result<RestAnswer, RestRefusal> {
    let items = most_items(request)?;
    let after = request.header(CONTINUATION).filter(|token| !token.is_empty()).map(key_of).transpose()?;
    let place = ItemPlace::of(account, name)?;
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let partition = partition_asked(request, container)?;
    let scope = Scope { partition: partition.as_ref(), accepts };
    let bounds = PageBounds { items, bytes: PAGE_BYTES };
    let Charged { answer, units } = container.store.page(now_s, kind, &scope, after.as_ref(), bounds)?;
    let found = match answer {
        Ok(found) => found,
        Err(status) => {
            return Ok(refused_feed(status, retry_ms).with("x-ms-request-charge", units.to_string()));
        }
    };
    let paths = container.paths.clone();
    let texts = found.items.iter().map(|item| match selection {
        QuerySelection::Ids => json!({ "id": item.document.id }).to_string(),
        QuerySelection::IdValues => json!(item.document.id).to_string(),
        QuerySelection::Items | QuerySelection::Count => {
            let partition = paths.of_item(&item.document.id, &item.document.properties);
            place.text(&partition.unwrap_or_else(|_| PartitionValue::from_stored("")), item)
        }
    });
    let texts: Vec<_> = texts.collect();
    let answer = documents(account, name, &texts)?.with("x-ms-request-charge", units.to_string());
    Ok(match &found.last {
        Some(last) => answer.with(CONTINUATION, token_of(last)),
        None => answer,
    })
}

fn refused_feed(status: Status, retry_ms: u64) -> RestAnswer {
    refused(RestRefusal::of_status(status, None), retry_ms)
}

fn documents(
    account: &mut Account,
    name: &ContainerName,
    texts: &[String],
) -> Result<RestAnswer, RestRefusal> {
    let database = account.database(&name.database)?.number;
    let rid = container_rid(database, account.container(name)?.1.number);
    let count = texts.len();
    let body = format!("{{\"_rid\":\"{rid}\",\"Documents\":[{}],\"_count\":{count}}}", texts.join(","));
    Ok(RestAnswer::new(200, body).with("x-ms-item-count", count.to_string()))
}

/// Reads the partition of a feed; `None` means all of them.
fn partition_asked(
    request: &RestRequest,
    container: &CosmosContainer,
) -> Result<Option<PartitionValue>, RestRefusal> {
    let header = request.header(PARTITION_HEADER);
    header.map(|header| PartitionValue::parse(header, &container.paths)).transpose()
}

fn most_items(request: &RestRequest) -> Result<usize, RestRefusal> {
    let Some(text) = request.header(MAX_ITEMS) else { return Ok(PAGE) };
    match text.trim().parse::<i64>() {
        Ok(-1) => Ok(LARGEST_PAGE),
        Ok(count @ 1..) => Ok(usize::try_from(count).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE)),
        _ => Err(RestRefusal::bad(format!("`{MAX_ITEMS}` must be -1 or a whole number of at least 1"))),
    }
}

/// Returns the token that continues behind this item.
fn token_of(key: &ItemKey) -> String {
    STANDARD.encode(json!([key.partition.as_str(), key.id]).to_string())
}

fn key_of(token: &str) -> Result<ItemKey, RestRefusal> {
    let bytes = STANDARD.decode(token).ok();
    let parts: Option<(String, String)> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let (partition, id) =
        parts.ok_or_else(|| RestRefusal::bad(format!("`{CONTINUATION}` is no token of this server")))?;
    Ok(ItemKey { partition: PartitionValue::from_stored(&partition), id })
}

/// Returns how a client is to execute a query: as it is, since all items are in one range of partitions.
fn plan(query: &ItemQuery) -> RestAnswer {
    let body = json!({
        "partitionedQueryExecutionInfoVersion": 2,
        "queryInfo": {
            "distinctType": "None", "top": null, "offset": null, "limit": null, "orderBy": [], "orderByExpressions": [],
            "groupByExpressions": [], "groupByAliases": [], "aggregates": [], "groupByAliasToAggregateType": {},
            "rewrittenQuery": "",
            "hasSelectValue": matches!(query.selection, QuerySelection::Count | QuerySelection::IdValues),
            "dCountInfo": null, "hasNonStreamingOrderBy": false,
        },
        "queryRanges": [{ "min": "", "max": "FF", "isMinInclusive": true, "isMaxInclusive": false }],
    });
    RestAnswer::new(200, body.to_string())
}
