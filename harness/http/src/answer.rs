//! What comes back: a status is believed, a body must be what such a response carries.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Body, Fault, Id, Item, Operation, Response, Status};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::client::HttpResponse;
use super::wire::PARTITION_KEY;

/// Reads a response without anything to look at: a refusal, or a success that carries nothing. Judged by status alone.
fn bare(answer: &HttpResponse, point_read: bool) -> Result<Response, Fault> {
    // Both are about the method, whatever it was used on.
    if matches!(answer.status, 405 | 501) {
        return Err(Fault::Unsupported(format!("{}: answered {}", answer.to, answer.status)));
    }
    let response = Response::new(Status::from_code(answer.status, point_read));
    let excerpt = answer.excerpt();
    Ok(if excerpt.is_empty() { response } else { response.with_detail(&excerpt) })
}

/// Reads the response to a container's create or replace.
pub(super) fn settings(answer: &HttpResponse) -> Result<Response, Fault> {
    if matches!(answer.status, 200 | 201) {
        serde_json::from_slice::<BTreeMap<String, &RawValue>>(&answer.body)
            .map_err(|_| answer.noise("the container as JSON"))?;
        return Ok(Response::new(Status::from_code(answer.status, false)));
    }
    bare(answer, false)
}

/// Reads the response to a request about one item.
pub(super) fn item(operation: &Operation, answer: &HttpResponse) -> Result<Response, Fault> {
    let point_read = matches!(operation, Operation::Read(_));
    if matches!(operation, Operation::Delete(..)) || !matches!(answer.status, 200 | 201) {
        return bare(answer, point_read);
    }
    let properties: Option<BTreeMap<String, Literal>> = serde_json::from_slice(&answer.body).ok();
    let item = properties.and_then(|mut properties| {
        properties.remove(PARTITION_KEY);
        Item::from_properties(properties)
    });
    let item = item.ok_or_else(|| {
        answer.noise("an item as JSON, with `id` a string, `_ts` a whole number and `_etag` a string")
    })?;
    Ok(Response::item(Status::from_code(answer.status, point_read), item))
}

/// One page of a feed, or the refusal that came in its place.
pub(super) type FeedPage<T> = Result<T, Response>;

#[derive(Deserialize)]
struct Feed<T> {
    #[serde(rename = "Documents")]
    documents: Vec<T>,
}

#[derive(Deserialize)]
struct FeedItem {
    id: Id,
}

fn feed<T: for<'de> Deserialize<'de>>(
    answer: &HttpResponse,
    wanted: &str,
) -> Result<FeedPage<Vec<T>>, Fault> {
    if answer.status != 200 {
        return bare(answer, false).map(Err);
    }
    let feed: Feed<T> = serde_json::from_slice(&answer.body).map_err(|_| answer.noise(wanted))?;
    Ok(Ok(feed.documents))
}

/// Reads one page of items: their ids.
pub(super) fn ids(answer: &HttpResponse) -> Result<FeedPage<Vec<Id>>, Fault> {
    let page = feed::<FeedItem>(answer, "`Documents`, a list of items with an `id` each")?;
    Ok(page.map(|items| items.into_iter().map(|item| item.id).collect()))
}

/// Reads one page of a count: the sum of its numbers, if it has any.
pub(super) fn count(answer: &HttpResponse) -> Result<FeedPage<Option<u64>>, Fault> {
    const WANTED: &str = "`Documents`, a list of counts";
    let add = |sum: Option<u64>, part: &Literal| match part.kind() {
        LiteralKind::Whole(part) | LiteralKind::WholeAsFraction(part) => {
            sum.unwrap_or(0).checked_add(u64::try_from(part).ok()?).map(Some)
        }
        LiteralKind::Null | LiteralKind::Other => None,
    };
    Ok(match feed::<Literal>(answer, WANTED)? {
        Ok(parts) => Ok(parts.iter().try_fold(None, add).ok_or_else(|| answer.noise(WANTED))?),
        Err(refusal) => Err(refusal),
    })
}

/// What the response to a batch says of one operation.
#[derive(Deserialize)]
struct BatchResult {
    #[serde(rename = "statusCode")]
    status: u16,
}

/// An operation of a batch that would have been done, had not another one been refused.
const FAILED_DEPENDENCY: u16 = 424;

/// Reads the response to a batch: a status for each operation. If any was refused, all but the one at fault have 424.
///
/// A server that answers otherwise knows no batches, or not these, which is about batches and not about time to live.
pub(super) fn batch(operations: &[Operation], answer: &HttpResponse) -> Result<Response, Fault> {
    let unsupported = || {
        Fault::Unsupported(format!(
            "batch: answered {}, not with a status for each operation; it says: {}",
            answer.status,
            answer.excerpt()
        ))
    };
    if answer.status >= 500 {
        return Err(unsupported());
    }
    let Ok(results) = serde_json::from_slice::<Vec<BatchResult>>(&answer.body) else {
        return match answer.status {
            400 | 404 | 409 | 412 | 413 => bare(answer, false),
            _ => Err(unsupported()),
        };
    };
    if results.len() != operations.len() {
        return Err(answer.noise(&format!("a status for each of {} operations", operations.len())));
    }
    let is_refused = |result: &BatchResult| result.status >= 400;
    let cause =
        |(_, result): &(usize, &BatchResult)| is_refused(result) && result.status != FAILED_DEPENDENCY;
    match results.iter().enumerate().find(cause).map(|(at, result)| (at, result.status)) {
        Some((at, code @ (401 | 403))) => Err(Fault::Broken(format!(
            "{}: operation {at} was answered with {code}, which is about the key",
            answer.to
        ))),
        Some((at, code @ (408 | 410 | 429 | 449 | 503))) => Err(Fault::Unknown(format!(
            "{}: operation {at} found the target too busy or not available ({code})",
            answer.to
        ))),
        Some((at, code)) => {
            Ok(Response { body: Body::Aborted { at }, ..Response::new(Status::from_code(code, false)) }
                .with_detail(&answer.excerpt()))
        }
        None if results.iter().any(is_refused) => {
            Err(answer.noise("the operation because of which the others failed"))
        }
        None => {
            let status = |(operation, result): (&Operation, &BatchResult)| {
                Status::from_code(result.status, matches!(operation, Operation::Read(_)))
            };
            let body = Body::Committed(operations.iter().zip(&results).map(status).collect());
            Ok(Response { body, ..Response::new(Status::Ok) })
        }
    }
}
