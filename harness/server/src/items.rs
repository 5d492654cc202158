//! Requests about items: create, upsert, read, replace, patch, delete, and batches of them.

use cosmos_ttl_harness::target::{Body, Operation, Response};

use crate::account::Account;
use crate::answer::{RestAnswer, RestRefusal};
use crate::batch;
use crate::body::verb;
use crate::config::EndpointConfig;
use crate::item_parts::{ItemPlace, check_headers, document, message, partition_of, refused};
use crate::partition::{PartitionValue, other_partition};
use crate::patch;
use crate::rest::{ContainerName, RestRequest};

/// Answers a POST to a container's items: create, upsert or a batch.
pub(crate) fn of_container(
    config: &EndpointConfig,
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    if request.verb != "POST" {
        return Err(RestRefusal::not_offered(format_args!("{} of a container's items", verb(request))));
    }
    check_headers(request)?;
    check_room(config, account, request, 0)?;
    if request.says("x-ms-cosmos-is-batch-request") {
        return batch::answer(account, name, request);
    }
    let (_, container) = account.container(name)?;
    let partition = partition_of(request, container)?;
    let document = document(request.text()?)?;
    if container.paths.of_item(&document.id, &document.properties)? != partition {
        return Err(other_partition());
    }
    let upsert = request.says("x-ms-documentdb-is-upsert");
    if request.header("if-match").is_some() {
        return Err(RestRefusal::not_offered("`if-match` on a create or an upsert"));
    }
    let operation = if upsert { Operation::Upsert(document) } else { Operation::Create(document) };
    operate(account, name, &partition, &operation, request)
}

/// Answers a request about one item.
pub(crate) fn one(
    config: &EndpointConfig,
    account: &mut Account,
    name: &ContainerName,
    id: &str,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    check_headers(request)?;
    let (_, container) = account.container(name)?;
    let partition = partition_of(request, container)?;
    let paths = container.paths.clone();
    // `*` is met by every item that exists, as no condition is.
    let if_match = request.header("if-match").filter(|etag| *etag != "*").map(str::to_owned);
    let operation = match request.verb.as_str() {
        "GET" if if_match.is_some() => return Err(RestRefusal::not_offered("`if-match` on a read")),
        "GET" => Operation::Read(id.to_owned()),
        "DELETE" => Operation::Delete(id.to_owned(), if_match),
        "PUT" => {
            check_room(config, account, request, 0)?;
            let document = document(request.text()?)?;
            if document.id != id {
                return Err(RestRefusal::bad("the body has another `id` than the path"));
            }
            if paths.of_item(id, &document.properties)? != partition {
                return Err(other_partition());
            }
            Operation::Replace(document, if_match)
        }
        "PATCH" => {
            check_room(config, account, request, 0)?;
            let patch = patch::parse(id, request.text()?, &paths)?;
            Operation::Patch(patch.allowed()?, if_match)
        }
        _ => return Err(RestRefusal::not_offered(format_args!("{} of an item", verb(request)))),
    };
    operate(account, name, &partition, &operation, request)
}

fn operate(
    account: &mut Account,
    name: &ContainerName,
    partition: &PartitionValue,
    operation: &Operation,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let retry_ms = account.clock.left_of_second_ms();
    let place = ItemPlace::of(account, name)?;
    let (now_s, container) = account.container(name)?;
    let charged = container.store.operate(now_s, partition, operation)?;
    let Response { status, body, detail, .. } = charged.answer;
    let units = charged.units.to_string();
    if !status.is_success() {
        let refusal = RestRefusal::of_status(status, detail.or_else(|| message(status, operation)));
        return Ok(refused(refusal, retry_ms).with("x-ms-request-charge", units));
    }
    if operation.is_write() || matches!(operation, Operation::Delete(..)) {
        account.writes = account.writes.saturating_add(1);
    }
    let code = crate::answer::status_code(status);
    let answer = match body {
        Body::Item(item) => {
            let quiet = operation.is_write() && request.header("prefer") == Some("return=minimal");
            let text = if quiet { String::new() } else { place.text(partition, &item) };
            let answer = RestAnswer::new(code, text);
            match item.etag {
                Some(etag) => answer.with("etag", etag),
                None => answer,
            }
        }
        _ => RestAnswer::empty(code),
    };
    Ok(answer.with("x-ms-request-charge", units))
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
