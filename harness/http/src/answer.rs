//! What comes back: a status is believed, a body must be what such an answer carries.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::client::Answer;
use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target::{Body, Fault, Id, Item, Operation, Response, Status};

/// The partition key, a property of ours.
const PARTITION_KEY: &str = "pk";

/// An answer without anything to look at: a refusal, or a success that carries nothing. Judged by status alone.
fn bare(answer: &Answer, point_read: bool) -> Result<Response, Fault> {
    // Both are about the method, whatever it was used on.
    if matches!(answer.status, 405 | 501) {
        return Err(Fault::Unsupported(format!("{}: answered {}", answer.to, answer.status)));
    }
    let response = Response::new(Status::from_code(answer.status, point_read));
    let said = answer.excerpt();
    Ok(if said.is_empty() { response } else { response.with_detail(&said) })
}

/// The answer to a container's create or replace.
pub(super) fn settings(answer: &Answer) -> Result<Response, Fault> {
    if matches!(answer.status, 200 | 201) {
        serde_json::from_slice::<BTreeMap<String, &RawValue>>(&answer.body)
            .map_err(|_| answer.noise("the container as JSON"))?;
        return Ok(Response::new(Status::from_code(answer.status, false)));
    }
    bare(answer, false)
}

/// The answer to a request about one item.
pub(super) fn item(operation: &Operation, answer: &Answer) -> Result<Response, Fault> {
    let point_read = matches!(operation, Operation::Read(_));
    if matches!(operation, Operation::Delete(..)) || !matches!(answer.status, 200 | 201) {
        return bare(answer, point_read);
    }
    let item = serde_json::from_slice(&answer.body).ok().and_then(read_item);
    match item {
        Some(item) => Ok(Response::item(Status::from_code(answer.status, point_read), item)),
        None => {
            Err(answer
                .noise("an item as JSON, with `id` a string, `_ts` a whole number and `_etag` a string"))
        }
    }
}

fn read_item(mut properties: BTreeMap<String, Literal>) -> Option<Item> {
    properties.remove(PARTITION_KEY);
    Item::from_properties(properties)
}

/// One page of a feed, or the refusal that came in its place.
pub(super) enum Page<T> {
    Part(T),
    Refusal(Response),
}

#[derive(Deserialize)]
struct Feed<T> {
    #[serde(rename = "Documents")]
    documents: Vec<T>,
}

#[derive(Deserialize)]
struct Named {
    id: Id,
}

/// One page of items: their ids.
pub(super) fn ids(answer: &Answer) -> Result<Page<Vec<Id>>, Fault> {
    if answer.status != 200 {
        return bare(answer, false).map(Page::Refusal);
    }
    let feed: Feed<Named> = serde_json::from_slice(&answer.body)
        .map_err(|_| answer.noise("`Documents`, a list of items with an `id` each"))?;
    Ok(Page::Part(feed.documents.into_iter().map(|named| named.id).collect()))
}

/// One page of a count: the sum of what it has, and whether it has anything.
pub(super) fn count(answer: &Answer) -> Result<Page<Option<u64>>, Fault> {
    if answer.status != 200 {
        return bare(answer, false).map(Page::Refusal);
    }
    let noise = || answer.noise("`Documents`, a list of counts");
    let feed: Feed<Literal> = serde_json::from_slice(&answer.body).map_err(|_| noise())?;
    let mut sum = None;
    for part in &feed.documents {
        let (Kind::Whole(part) | Kind::WholeAsFraction(part)) = part.kind() else {
            return Err(noise());
        };
        let part = u64::try_from(part).map_err(|_| noise())?;
        sum = Some(sum.unwrap_or(0_u64).checked_add(part).ok_or_else(noise)?);
    }
    Ok(Page::Part(sum))
}

/// What a batch's answer says of one operation.
#[derive(Deserialize)]
struct OperationAnswer {
    #[serde(rename = "statusCode")]
    status: u16,
}

/// An operation of a batch that would have been done, had not another one been refused.
const FAILED_DEPENDENCY: u16 = 424;

/// The answer to a batch: a list with a status for each operation. If any was refused, all but the one at fault have 424.
///
/// Whoever answers otherwise knows no batches, or not these, which is about batches and not about time to live.
pub(super) fn batch(operations: &[Operation], answer: &Answer) -> Result<Response, Fault> {
    if answer.status >= 500 {
        return Err(no_batch(answer));
    }
    let Ok(outcomes) = serde_json::from_slice::<Vec<OperationAnswer>>(&answer.body) else {
        return match answer.status {
            400 | 404 | 409 | 412 | 413 => bare(answer, false),
            _ => Err(no_batch(answer)),
        };
    };
    if outcomes.len() != operations.len() {
        return Err(answer.noise(&format!("a status for each of {} operations", operations.len())));
    }
    let refused = |outcome: &OperationAnswer| outcome.status >= 400;
    let Some(at) = outcomes.iter().position(|it| refused(it) && it.status != FAILED_DEPENDENCY) else {
        if outcomes.iter().any(refused) {
            return Err(answer.noise("the operation because of which the others failed"));
        }
        let statuses = operations.iter().zip(outcomes);
        let statuses =
            statuses.map(|(it, outcome)| Status::from_code(outcome.status, matches!(it, Operation::Read(_))));
        return Ok(Response { body: Body::Committed(statuses.collect()), ..Response::new(Status::Ok) });
    };
    match outcomes.get(at).map_or(0, |outcome| outcome.status) {
        code @ (401 | 403) => Err(Fault::Broken(format!(
            "{}: operation {at} was answered with {code}, which is about the key",
            answer.to
        ))),
        code @ (408 | 410 | 429 | 449 | 503) => Err(Fault::Unknown(format!(
            "{}: operation {at} found the target too busy or not available ({code})",
            answer.to
        ))),
        code => Ok(Response { body: Body::Aborted { at }, ..Response::new(Status::from_code(code, false)) }
            .with_detail(&answer.excerpt())),
    }
}

fn no_batch(answer: &Answer) -> Fault {
    Fault::Unsupported(format!(
        "batch: answered {}, not with a status for each operation; it says: {}",
        answer.status,
        answer.excerpt()
    ))
}
