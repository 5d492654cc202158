//! Requests about items: create, upsert, read, replace, patch, delete, batches of them, and the delete of a partition.

use cosmos_ttl_harness::target::{Body, Operation, Response};

use crate::account::Account;
use crate::answer::{RestAnswer, RestRefusal, status_code};
use crate::batch;
use crate::config::EndpointConfig;
use crate::item_parts::{ItemPlace, check_headers, partition_of, refused};
use crate::item_store::{Charged, FeedKind};
use crate::operation::{AskedOperation, ItemsInRequest, OperationKind, refusal};
use crate::partition::{PARTITION_HEADER, PartitionScope, PartitionValue, missing_partition};
use crate::rest::{ContainerName, RestRequest};

/// Answers a POST to a container's items: create, upsert or a batch.
pub(crate) fn of_container(
    config: &EndpointConfig,
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    if request.verb != "POST" {
        return Err(RestRefusal::not_offered(format_args!(
            "{} of a container's items",
            request.known_verb()
        )));
    }
    if request.says("x-ms-cosmos-is-batch-request") {
        check_headers(request)?;
        check_room(config, account, request, 0)?;
        return batch::answer(account, name, request);
    }
    let upsert = request.says("x-ms-documentdb-is-upsert");
    let kind = if upsert { OperationKind::Upsert } else { OperationKind::Create };
    answer(config, account, name, kind, None, request)
}

/// Answers a request about one item.
pub(crate) fn one(
    config: &EndpointConfig,
    account: &mut Account,
    name: &ContainerName,
    id: &str,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let kind = match request.verb.as_str() {
        "GET" => OperationKind::Read,
        "DELETE" => OperationKind::Delete,
        "PUT" => OperationKind::Replace,
        "PATCH" => OperationKind::Patch,
        _ => return Err(RestRefusal::not_offered(format_args!("{} of an item", request.known_verb()))),
    };
    answer(config, account, name, kind, Some(id), request)
}

fn answer(
    config: &EndpointConfig,
    account: &mut Account,
    name: &ContainerName,
    kind: OperationKind,
    id: Option<&str>,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    check_headers(request)?;
    let writes = !matches!(kind, OperationKind::Read | OperationKind::Delete);
    if writes {
        check_room(config, account, request, 0)?;
    }
    let partition = partition_of(request, &account.container(name)?.1.paths)?;
    let asked = AskedOperation {
        kind,
        id,
        if_match: request.header("if-match"),
        if_none_match: request.header("if-none-match"),
        body: if writes { request.text()? } else { "" },
    };
    let retry_ms = account.clock.left_of_second_ms();
    let done = execute(account, name, &partition, &asked)?;
    let answer = match done.result {
        Err(refusal) => refused(refusal, retry_ms),
        Ok(text) => {
            let quiet = writes && request.header("prefer") == Some("return=minimal");
            RestAnswer::new(done.status, text.filter(|_| !quiet).unwrap_or_default())
        }
    };
    let answer = answer.with("x-ms-request-charge", done.units.to_string());
    Ok(match done.etag {
        Some(etag) => answer.with("etag", etag),
        None => answer,
    })
}

/// What came of an operation.
pub(crate) struct DoneOperation {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    pub(crate) units: u32,
    /// The item as JSON text, or why there is none.
    pub(crate) result: Result<Option<String>, RestRefusal>,
}

/// Executes one operation.
pub(crate) fn execute(
    account: &mut Account,
    name: &ContainerName,
    partition: &PartitionValue,
    asked: &AskedOperation<'_>,
) -> Result<DoneOperation, RestRefusal> {
    let place = ItemPlace::of(account, name)?;
    let (now_s, container) = account.container(name)?;
    let operation = ItemsInRequest::new(now_s, &place, partition).prepared(container, asked)?;
    let Charged { answer, units } = container.store.operate(now_s, partition, &operation)?;
    let Response { status, body, detail, .. } = answer;
    if !status.is_success() {
        let refusal = refusal(status, &operation, detail);
        return Ok(DoneOperation { status: refusal.status, etag: None, units, result: Err(refusal) });
    }
    if !matches!(operation, Operation::Read(_)) {
        account.writes = account.writes.saturating_add(1);
    }
    let item = if let Body::Item(item) = body { Some(item) } else { None };
    let etag = item.as_ref().and_then(|item| item.etag.clone());
    let is_known = asked.kind == OperationKind::Read
        && asked.if_none_match.is_some_and(|known| known == "*" || etag.as_deref() == Some(known));
    let text = item.filter(|_| !is_known).map(|item| place.text(partition, &item));
    let status = if is_known { 304 } else { status_code(status) };
    Ok(DoneOperation { status, etag, units, result: Ok(text) })
}

/// Deletes every item of a partition, or of all partitions whose hierarchical keys begin so.
pub(crate) fn delete_partition(
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    if request.verb != "POST" {
        return Err(RestRefusal::not_offered(format_args!("{} of a partition", request.known_verb())));
    }
    request.header(PARTITION_HEADER).ok_or_else(missing_partition)?;
    let retry_ms = account.clock.left_of_second_ms();
    let (now_s, container) = account.container(name)?;
    let scope = PartitionScope::of(request, &container.paths)?;
    let mut keys = Vec::new();
    let mut see = |key: &crate::item_store::ItemKey, _: &_| {
        keys.extend(scope.has(&key.partition).then(|| key.clone()));
        true
    };
    let Charged { answer, units } = container.store.scan(now_s, FeedKind::List, None, &mut see)?;
    let (mut refused_with, mut units) = (answer.err(), units);
    for key in keys {
        let Charged { answer, units: more } =
            container.store.operate(now_s, &key.partition, &Operation::Delete(key.id, None))?;
        units = units.saturating_add(more);
        refused_with = refused_with.or(Some(answer.status).filter(|status| !status.is_success()));
    }
    account.writes = account.writes.saturating_add(1);
    let answer = match refused_with {
        Some(status) => refused(RestRefusal::of_status(status, None), retry_ms),
        None => RestAnswer::empty(200),
    };
    Ok(answer.with("x-ms-request-charge", units.to_string()))
}

/// Refuses a write where there is no room for it, in place of the bytes that it frees.
pub(crate) fn check_room(
    config: &EndpointConfig,
    account: &Account,
    request: &RestRequest,
    freed: usize,
) -> Result<(), RestRefusal> {
    let most = config.most_bytes;
    if account.bytes().saturating_sub(freed).saturating_add(request.body.len()) <= most {
        return Ok(());
    }
    let message = format!(
        "the server holds its limit of {most} bytes: delete items or containers, run POST /_ttl/remove-expired, or start it with a \
         greater --memory"
    );
    Err(RestRefusal::new(403, message).with_substatus(1014))
}
