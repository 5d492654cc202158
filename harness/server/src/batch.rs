//! Transactional batches: all operations or none, in one partition.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Item, Operation, Status};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::account::{Account, CosmosContainer};
use crate::answer::{RestAnswer, RestRefusal, status_code};
use crate::item_parts::{ItemPlace, message, partition_of, raw_document, refused};
use crate::item_store::{MOST_BATCH_BYTES, MOST_ITEM_BYTES, TOO_LARGE};
use crate::partition::{PartitionValue, other_partition};
use crate::patch::{self, ParsedPatch};
use crate::rest::{ContainerName, RestRequest};

/// The service takes as many operations in one batch.
const MOST_OPERATIONS: usize = 100;
/// The status of the operations that were not executed because another one was refused.
const FAILED_DEPENDENCY: u16 = 424;
/// An `id` that no item has, because no name may have a `/`.
const NO_ITEM: &str = "/";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BatchEntry<'a> {
    operation_type: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    if_match: Option<String>,
    #[serde(default)]
    if_none_match: Option<Literal>,
    #[serde(borrow, default)]
    resource_body: Option<&'a RawValue>,
}

pub(crate) fn answer(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    if !request.says("x-ms-cosmos-batch-atomic") {
        return Err(RestRefusal::not_offered("a batch that is not atomic (bulk)"));
    }
    let place = ItemPlace::of(account, name)?;
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let partition = partition_of(request, container)?;
    let entries: Vec<BatchEntry<'_>> = serde_json::from_str(request.text()?)
        .map_err(|error| RestRefusal::bad(format!("a batch must be a JSON array of operations: {error}")))?;
    if entries.is_empty() || entries.len() > MOST_OPERATIONS {
        return Err(RestRefusal::bad(format!("a batch has 1 to {MOST_OPERATIONS} operations")));
    }
    let mut forbidden = BTreeMap::new();
    let operations = entries.into_iter().enumerate().map(|(at, entry)| {
        Ok(match operation(entry, container, &partition)? {
            CheckedEntry::Operation(operation) => operation,
            CheckedEntry::Forbidden(why) => {
                forbidden.insert(at, why);
                // The store refuses this at the same place, so it decides which refusal of several counts.
                Operation::Delete(NO_ITEM.to_owned(), None)
            }
        })
    });
    let operations = operations.collect::<Result<Vec<_>, RestRefusal>>()?;
    let charged = container.store.batch(now_s, &partition, &operations)?;
    let units = charged.units.to_string();
    let answer = match charged.answer {
        Ok(_) if !forbidden.is_empty() => {
            return Err(RestRefusal::new(500, "the store deleted an item that does not exist"));
        }
        Ok(all) => {
            account.writes = account.writes.saturating_add(1);
            let results = all.iter().map(|(status, item)| result(*status, item.as_ref(), &place, &partition));
            RestAnswer::new(200, format!("[{}]", results.collect::<Vec<_>>().join(",")))
        }
        Err((_, status @ Status::TooManyRequests)) => refused(RestRefusal::of_status(status, None), retry_ms),
        Err((_, TOO_LARGE)) => {
            let message = format!(
                "the answer to the batch would have more than {MOST_BATCH_BYTES} bytes, or an item more than {MOST_ITEM_BYTES}: \
                 send fewer operations"
            );
            return Err(RestRefusal::new(413, message));
        }
        Err((at, status)) => {
            let (status, why) = match forbidden.remove(&at) {
                Some(why) => (Status::BadRequest, Some(why)),
                None => (status, operations.get(at).and_then(|operation| message(status, operation))),
            };
            let results = (0..operations.len()).map(|number| {
                if number == at {
                    json!({ "statusCode": status_code(status), "requestCharge": 0, "message": why })
                } else {
                    json!({ "statusCode": FAILED_DEPENDENCY, "requestCharge": 0 })
                }
            });
            RestAnswer::new(207, json!(results.collect::<Vec<_>>()).to_string())
        }
    };
    Ok(answer.with("x-ms-request-charge", units))
}

fn result(status: Status, item: Option<&Item>, place: &ItemPlace, partition: &PartitionValue) -> String {
    let code = status_code(status);
    let etag = item
        .and_then(|item| item.etag.as_ref())
        .map_or_else(|| "null".to_owned(), |etag| json!(etag).to_string());
    let body = item.map_or_else(|| "null".to_owned(), |item| place.text(partition, item));
    format!("{{\"statusCode\":{code},\"requestCharge\":1,\"eTag\":{etag},\"resourceBody\":{body}}}")
}

/// An entry of a batch that was read.
enum CheckedEntry {
    Operation(Operation),
    /// One that is refused for this reason, whatever the store holds; the others then fail with it.
    Forbidden(String),
}

fn operation(
    entry: BatchEntry<'_>,
    container: &CosmosContainer,
    partition: &PartitionValue,
) -> Result<CheckedEntry, RestRefusal> {
    let BatchEntry { operation_type, id, if_match, if_none_match, resource_body } = entry;
    if if_none_match.is_some_and(|condition| condition.as_str() != "null") {
        return Err(RestRefusal::not_offered("`ifNoneMatch` in a batch"));
    }
    let if_match = if_match.filter(|etag| etag != "*");
    let id = || id.clone().ok_or_else(|| RestRefusal::bad("an operation of the batch has no `id`"));
    let body =
        || resource_body.ok_or_else(|| RestRefusal::bad("an operation of the batch has no `resourceBody`"));
    let document = || {
        let document = raw_document(body()?)?;
        if container.paths.of_item(&document.id, &document.properties)? == *partition {
            Ok(document)
        } else {
            Err(other_partition())
        }
    };
    let operation = match operation_type.as_str() {
        "Create" => Operation::Create(document()?),
        "Upsert" if if_match.is_some() => return Err(RestRefusal::not_offered("`ifMatch` of an upsert")),
        "Upsert" => Operation::Upsert(document()?),
        "Replace" => {
            let document = document()?;
            if document.id != id()? {
                return Err(RestRefusal::bad("an operation of the batch has another `id` than its item"));
            }
            Operation::Replace(document, if_match)
        }
        "Patch" => match patch::parse(&id()?, body()?.get(), &container.paths)? {
            ParsedPatch::Allowed(patch) => Operation::Patch(patch, if_match),
            ParsedPatch::Forbidden(refusal) => return Ok(CheckedEntry::Forbidden(refusal.message)),
        },
        "Read" => Operation::Read(id()?),
        "Delete" => Operation::Delete(id()?, if_match),
        _ => {
            let why = "`operationType` must be Create, Upsert, Replace, Patch, Read or Delete";
            return Err(RestRefusal::bad(why));
        }
    };
    Ok(CheckedEntry::Operation(operation))
}
