//! Feeds of items, page by page: the list of all, and queries.

use cosmos_ttl_harness::target::{Document, Status};
use serde_json::json;

use crate::account::{Account, CosmosContainer};
use crate::answer::{RestAnswer, RestRefusal};
use crate::item_parts::{ItemPlace, PARTITION_HEADER, check_headers, refused};
use crate::item_store::{Charged, FeedKind, ItemKey, Scope};
use crate::pages;
use crate::partition::PartitionValue;
use crate::rest::{ContainerName, RestRequest};
use crate::sql::{ItemQuery, QuerySelection};
use crate::system_properties::container_rid;

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
    let bounds = pages::bounds(request)?;
    let after = pages::after::<(String, String)>(request)?
        .map(|(partition, id)| ItemKey { partition: PartitionValue::from_stored(&partition), id });
    let place = ItemPlace::of(account, name)?;
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let partition = partition_asked(request, container)?;
    let scope = Scope { partition: partition.as_ref(), accepts };
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
    let last = found.last.as_ref().map(|key| (key.partition.as_str(), &key.id));
    Ok(pages::continued(answer, last.as_ref()))
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
