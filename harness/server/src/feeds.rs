//! Feeds of items, page by page: the list of all, and queries.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cosmos_ttl_harness::target::{Item, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::account::Account;
use crate::answer::{RestAnswer, RestRefusal};
use crate::item_parts::{ItemPlace, check_headers, refused};
use crate::item_store::{Charged, FeedKind, ItemKey};
use crate::pages;
use crate::partition::{PartitionScope, PartitionValue};
use crate::query::{QueriedItem, same_text};
use crate::rest::{ContainerName, RestRequest};
use crate::sql::{ItemQuery, Scalar, Selection};
use crate::system_properties::container_rid;

/// Lists the items of a container, or of one partition.
pub(crate) fn list(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    answer(account, name, request, FeedKind::List, &ItemQuery::default())
}

/// Answers a query, or says how a client is to execute it.
pub(crate) fn query(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let query = ItemQuery::parse(request.text()?)?;
    if request.says("x-ms-cosmos-is-query-plan-request") {
        account.container(name)?;
        return Ok(plan(&query));
    }
    answer(account, name, request, FeedKind::Query, &query)
}

fn answer(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
    kind: FeedKind,
    query: &ItemQuery,
) -> Result<RestAnswer, RestRefusal> {
    check_headers(request)?;
    let place = ItemPlace::of(account, name)?;
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let scope = PartitionScope::of(request, &container.paths)?;
    let bounds = pages::bounds(request)?;
    let feed = Feed { now_s, kind, place: &place, scope: &scope, query, bounds };
    let store = container.store.as_mut();
    let Charged { answer, units } = if let Selection::Count(name, of) = &query.selection {
        feed.count(store, name.as_deref(), of)?
    } else {
        feed.page(store, pages::after(request)?)?
    };
    let answer = match answer {
        Ok((rows, last)) => {
            let (rid, count) = (container_rid(place.database, place.container), rows.len());
            let body =
                format!("{{\"_rid\":\"{rid}\",\"Documents\":[{}],\"_count\":{count}}}", rows.join(","));
            let answer = RestAnswer::new(200, body).with("x-ms-item-count", count.to_string());
            pages::continued(answer, last.as_ref())
        }
        Err(status) => refused(RestRefusal::of_status(status, None), retry_ms),
    };
    Ok(answer.with("x-ms-request-charge", units.to_string()))
}

/// Where a page ended.
#[derive(Debug, Serialize, Deserialize)]
struct Position {
    /// The values by which the rows are sorted, each alone in an array, or none where it is undefined.
    order: Vec<Vec<Value>>,
    key: (String, String),
    /// How many rows all pages had so far.
    rows: usize,
}

/// What a query returns of an item, and its place among the others.
struct Row {
    order: Vec<Option<Value>>,
    key: ItemKey,
    text: String,
}

struct Feed<'a> {
    now_s: i64,
    kind: FeedKind,
    place: &'a ItemPlace,
    scope: &'a PartitionScope,
    query: &'a ItemQuery,
    bounds: pages::PageBounds,
}

type Store = dyn crate::item_store::ItemStore;
/// The rows of a page, and where it ended if there may be more.
type Answered = Result<Charged<Result<(Vec<String>, Option<Value>), Status>>, RestRefusal>;

impl Feed<'_> {
    /// Shows what the query finds, in the order of keys, until `see` wants no more.
    fn scan(
        &self,
        store: &mut Store,
        after: Option<&ItemKey>,
        mut see: impl FnMut(&ItemKey, &QueriedItem<'_>) -> bool,
    ) -> Result<Charged<Result<(), Status>>, RestRefusal> {
        let mut visit = |key: &ItemKey, item: &Item| {
            let queried = QueriedItem { place: self.place, partition: &key.partition, item };
            !self.finds(&queried) || see(key, &queried)
        };
        Ok(store.scan(self.now_s, self.kind, after, &mut visit)?)
    }

    fn finds(&self, queried: &QueriedItem<'_>) -> bool {
        self.scope.has(queried.partition) && queried.is_found(self.query.filter.as_ref())
    }

    /// Returns a page, and where it ended if there may be more.
    fn page(&self, store: &mut Store, after: Option<Position>) -> Answered {
        let query = self.query;
        let (mut skipped, mut before) = (query.offset, 0);
        let after = after.map(|Position { order, key: (partition, id), rows }| {
            (skipped, before) = (0, rows);
            let order: Vec<_> = order.into_iter().map(|value| value.into_iter().next()).collect();
            (order, ItemKey { partition: PartitionValue::from_stored(&partition), id })
        });
        if after.as_ref().is_some_and(|(order, _)| order.len() != query.order.len()) {
            return Err(pages::no_token());
        }
        let left = query.limit.map_or(usize::MAX, |limit| limit.saturating_sub(before));
        // Rows in the order of keys are read from where the last page ended, and no further than this one goes.
        let is_sorted = !query.order.is_empty() || query.distinct;
        let wanted = skipped.saturating_add(left.min(self.bounds.items));
        let from = after.as_ref().map(|(_, key)| key).filter(|_| !is_sorted);
        let (mut rows, mut read_bytes) = (Vec::new(), 0_usize);
        let charged = self.scan(store, from, |key, item| {
            let Some(text) = item.selected(&query.selection) else { return true };
            // One more row shows that there are more.
            let is_last = !is_sorted && (rows.len() >= wanted || read_bytes >= self.bounds.bytes);
            read_bytes = read_bytes.saturating_add(if rows.len() < skipped { 0 } else { text.len() });
            let order = query.order.iter().map(|(property, _)| item.value_of(property).map(Cow::into_owned));
            rows.push(Row { order: order.collect(), key: key.clone(), text });
            !is_last
        })?;
        if is_sorted {
            rows.sort_by(|a, b| query.order_of((&a.order, &a.key), (&b.order, &b.key)));
        }
        if query.distinct {
            let same = |text: &str| {
                serde_json::from_str(text).map_or_else(|_| text.to_owned(), |row| same_text(&row))
            };
            let mut seen = BTreeSet::new();
            rows.retain(|row| seen.insert(same(&row.text)));
        }
        if let Some((order, key)) = &after {
            rows.retain(|row| query.order_of((&row.order, &row.key), (order, key)).is_gt());
        }
        let (mut page, mut bytes, mut last, mut is_over) = (Vec::new(), 0_usize, None, true);
        for Row { order, key, text } in rows.into_iter().skip(skipped).take(left) {
            is_over = page.len() < self.bounds.items && bytes < self.bounds.bytes;
            if !is_over {
                break;
            }
            bytes = bytes.saturating_add(text.len());
            page.push(text);
            last = Some((order, key));
        }
        let last = last.filter(|_| !is_over).map(|(order, key)| {
            json!(Position {
                order: order.into_iter().map(|value| value.into_iter().collect()).collect(),
                key: (key.partition.as_str().to_owned(), key.id),
                rows: before.saturating_add(page.len()),
            })
        });
        Ok(Charged { answer: charged.answer.map(|()| (page, last)), units: charged.units })
    }

    /// Returns the one row of a query that counts.
    fn count(&self, store: &mut Store, name: Option<&str>, of: &Scalar) -> Answered {
        let accepts = |key: &ItemKey, item: &Item| {
            let queried = QueriedItem { place: self.place, partition: &key.partition, item };
            self.finds(&queried) && queried.value_of(of).is_some()
        };
        // A store counts by itself, because a count need not agree with a query.
        let Charged { answer, units } = store.count(self.now_s, &accepts)?;
        let row = |count| name.map_or_else(|| json!(count), |name| json!({ name: count })).to_string();
        Ok(Charged { answer: answer.map(|count| (vec![row(count)], None)), units })
    }
}

/// Returns how a client is to execute a query: as it is, since all items are in one range of partitions.
fn plan(query: &ItemQuery) -> RestAnswer {
    let body = json!({
        "partitionedQueryExecutionInfoVersion": 2,
        "queryInfo": {
            "distinctType": "None", "top": null, "offset": null, "limit": null, "orderBy": [], "orderByExpressions": [],
            "groupByExpressions": [], "groupByAliases": [], "aggregates": [], "groupByAliasToAggregateType": {},
            "rewrittenQuery": "",
            "hasSelectValue": query.selects_value(),
            "dCountInfo": null, "hasNonStreamingOrderBy": false,
        },
        "queryRanges": [{ "min": "", "max": "FF", "isMinInclusive": true, "isMaxInclusive": false }],
    });
    RestAnswer::new(200, body.to_string())
}
