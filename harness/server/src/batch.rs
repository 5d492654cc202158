//! Several operations in one request: a batch of all or none, or in bulk, each by itself.

use cosmos_ttl_harness::target::{MOST_OPERATIONS, Operation, Status};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::account::Account;
use crate::answer::{RestAnswer, RestRefusal, status_code};
use crate::item_parts::{ItemPlace, partition_of, refused};
use crate::item_store::Charged;
use crate::items::{DoneOperation, execute};
use crate::operation::{AskedOperation, ItemsInRequest, OperationKind, refusal};
use crate::partition::PartitionValue;
use crate::rest::{ContainerName, RestRequest};

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
    if_none_match: Option<String>,
    #[serde(borrow, default)]
    resource_body: Option<&'a RawValue>,
    /// JSON text of an array, in bulk.
    #[serde(default)]
    partition_key: Option<String>,
}

impl BatchEntry<'_> {
    fn asked(&self) -> Result<AskedOperation<'_>, RestRefusal> {
        let kind = match self.operation_type.as_str() {
            "Create" => OperationKind::Create,
            "Upsert" => OperationKind::Upsert,
            "Read" => OperationKind::Read,
            "Replace" => OperationKind::Replace,
            "Patch" => OperationKind::Patch,
            "Delete" => OperationKind::Delete,
            _ => {
                let why = "`operationType` must be Create, Upsert, Replace, Patch, Read or Delete";
                return Err(RestRefusal::bad(why));
            }
        };
        let body = self.resource_body.map_or("", RawValue::get);
        if body.is_empty() && !matches!(kind, OperationKind::Read | OperationKind::Delete) {
            return Err(RestRefusal::bad("an operation of the batch has no `resourceBody`"));
        }
        let [if_match, if_none_match] = [&self.if_match, &self.if_none_match].map(Option::as_deref);
        Ok(AskedOperation { kind, id: self.id.as_deref(), if_match, if_none_match, body })
    }
}

pub(crate) fn answer(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let entries: Vec<BatchEntry<'_>> = serde_json::from_str(request.text()?)
        .map_err(|error| RestRefusal::bad(format!("a batch must be a JSON array of operations: {error}")))?;
    if entries.is_empty() || entries.len() > MOST_OPERATIONS {
        return Err(RestRefusal::bad(format!("a batch has 1 to {MOST_OPERATIONS} operations")));
    }
    if request.says("x-ms-cosmos-batch-atomic") {
        all_or_none(account, name, request, &entries)
    } else {
        bulk(account, name, request, &entries)
    }
}

/// Executes each operation by itself.
fn bulk(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
    entries: &[BatchEntry<'_>],
) -> Result<RestAnswer, RestRefusal> {
    let goes_on = request.says("x-ms-cosmos-batch-continue-on-error");
    let (mut units, mut texts, mut is_refused) = (0_u32, Vec::new(), false);
    for entry in entries {
        if is_refused && !goes_on {
            texts.push(refused_text(FAILED_DEPENDENCY, None));
            continue;
        }
        let paths = &account.container(name)?.1.paths;
        let partition = match &entry.partition_key {
            Some(text) => PartitionValue::parse(text, paths),
            None => partition_of(request, paths),
        };
        let done = partition.and_then(|partition| execute(account, name, &partition, &entry.asked()?));
        texts.push(match done {
            Ok(DoneOperation { status, etag, units: more, result: Ok(body) }) => {
                units = units.saturating_add(more);
                done_text(status, more, etag.as_deref(), body.as_deref())
            }
            Ok(DoneOperation { result: Err(refusal), .. }) | Err(refusal) => {
                is_refused = true;
                refused_text(refusal.status, Some(&refusal.message))
            }
        });
    }
    let answer = RestAnswer::new(if is_refused { 207 } else { 200 }, format!("[{}]", texts.join(",")));
    Ok(answer.with("x-ms-request-charge", units.to_string()))
}

/// Executes all operations in one partition, or none.
fn all_or_none(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
    entries: &[BatchEntry<'_>],
) -> Result<RestAnswer, RestRefusal> {
    let place = ItemPlace::of(account, name)?;
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let partition = partition_of(request, &container.paths)?;
    let mut items = ItemsInRequest::new(now_s, &place, &partition);
    let (mut operations, mut forbidden) = (Vec::new(), None);
    for entry in entries {
        let asked = entry.asked().and_then(|asked| match asked.if_none_match {
            Some(_) => Err(RestRefusal::not_offered("`ifNoneMatch` in a batch of all or none")),
            None => items.prepared(container, &asked),
        });
        match asked {
            Ok(operation) => {
                items.note(container, &operation)?;
                operations.push(operation);
            }
            Err(refusal) if refusal.status == 413 => return Err(refusal),
            Err(refusal) => {
                // The store refuses this at the same place, so it decides which refusal of several counts.
                operations.push(Operation::Delete(NO_ITEM.to_owned(), None));
                forbidden = Some(refusal);
                break;
            }
        }
    }
    let Charged { answer, units } = container.store.batch(now_s, &partition, &operations)?;
    let answer = match answer {
        Ok(_) if forbidden.is_some() => {
            return Err(RestRefusal::new(500, "the store deleted an item that does not exist"));
        }
        Ok(all) => {
            account.writes = account.writes.saturating_add(1);
            let results = all.iter().map(|(status, item)| {
                let etag = item.as_ref().and_then(|item| item.etag.as_deref());
                let body = item.as_ref().map(|item| place.text(&partition, item));
                done_text(status_code(*status), 1, etag, body.as_deref())
            });
            RestAnswer::new(200, format!("[{}]", results.collect::<Vec<_>>().join(",")))
        }
        Err((_, status @ Status::TooManyRequests)) => refused(RestRefusal::of_status(status, None), retry_ms),
        Err((at, status)) => {
            let by_the_store = operations.get(at).map(|operation| refusal(status, operation, None));
            let by_the_server = forbidden.filter(|_| at.saturating_add(1) == operations.len());
            let refusal =
                by_the_server.or(by_the_store).unwrap_or_else(|| RestRefusal::of_status(status, None));
            let results = (0..entries.len()).map(|number| {
                if number == at {
                    refused_text(refusal.status, Some(&refusal.message))
                } else {
                    refused_text(FAILED_DEPENDENCY, None)
                }
            });
            RestAnswer::new(207, format!("[{}]", results.collect::<Vec<_>>().join(",")))
        }
    };
    Ok(answer.with("x-ms-request-charge", units.to_string()))
}

fn done_text(status: u16, units: u32, etag: Option<&str>, body: Option<&str>) -> String {
    let (etag, body) = (json!(etag), body.unwrap_or("null"));
    format!("{{\"statusCode\":{status},\"requestCharge\":{units},\"eTag\":{etag},\"resourceBody\":{body}}}")
}

fn refused_text(status: u16, why: Option<&str>) -> String {
    json!({ "statusCode": status, "requestCharge": 0, "message": why }).to_string()
}
