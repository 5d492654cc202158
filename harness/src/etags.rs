//! Conditional requests: which etags were seen of each item, and from the etag that is meant to the one that is sent.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::{Body, Etag, Id, Operation, Request, Response};

/// Which etag a conditional write sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// The one that the target last returned for this id.
    Seen,
    /// One that it returned before that.
    Stale,
}

display_as_serialized!(Condition);

/// The etags that were seen of each item, oldest first. Items and etags may be known by other names than a target's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtagLog<I = Id, E = Etag> {
    seen: BTreeMap<I, Vec<E>>,
    /// Items whose last write was answered without an etag: the one that was seen last may not be theirs any more.
    unseen: BTreeSet<I>,
}

impl<I, E> Default for EtagLog<I, E> {
    fn default() -> Self {
        Self { seen: BTreeMap::new(), unseen: BTreeSet::new() }
    }
}

impl<I: Ord, E: PartialEq> EtagLog<I, E> {
    /// Records the etag that came with an item, unless it is the one that was seen last.
    pub fn record(&mut self, item: I, etag: E) {
        self.unseen.remove(&item);
        let seen = self.seen.entry(item).or_default();
        if seen.last() != Some(&etag) {
            seen.push(etag);
        }
    }

    /// Returns the etags that were seen of an item, the last one last.
    pub fn seen<Q: Ord + ?Sized>(&self, item: &Q) -> &[E]
    where
        I: Borrow<Q>,
    {
        self.seen.get(item).map_or(&[], Vec::as_slice)
    }

    /// Returns the etag that a condition means; `None` where none such was seen.
    pub fn meant<Q: Ord + ?Sized>(&self, item: &Q, condition: Condition) -> Option<&E>
    where
        I: Borrow<Q>,
    {
        match (condition, self.seen(item)) {
            (Condition::Seen, [.., last]) => Some(last),
            (Condition::Stale, [.., stale, _]) => Some(stale),
            _ => None,
        }
    }
}

impl EtagLog {
    /// Records the etag that the answer to a successful request shows of the item that was asked for, or that the answer to
    /// a write shows none. The answer to a batch shows none of the items that it wrote.
    pub fn record_answer(&mut self, request: &Request, response: &Response) {
        let etag = match &response.body {
            Body::Item(item) => item.etag.as_ref(),
            _ => None,
        };
        for operation in request.operations() {
            match (etag, operation) {
                (Some(etag), _) => self.record(operation.id().into(), etag.clone()),
                (None, Operation::Read(_) | Operation::Delete(..)) => {}
                (None, _) => {
                    self.unseen.insert(operation.id().into());
                }
            }
        }
    }

    /// Returns the etag that an item still has if nothing wrote it since; `None` where the target did not show that.
    pub fn current(&self, id: &str) -> Option<&Etag> {
        self.seen(id).last().filter(|_| !self.unseen.contains(id))
    }
}

/// Returns the request with the etags that its conditions mean: each by the number of its operation in a batch, 0
/// elsewhere.
///
/// # Errors
///
/// Returns the result of `meant` if an etag is unknown.
pub fn sent<'r, E>(
    request: &'r Request,
    conditions: &[(usize, Condition)],
    mut meant: impl FnMut(&str, Condition) -> Result<Etag, E>,
) -> Result<Cow<'r, Request>, E> {
    let mut request = Cow::Borrowed(request);
    for (number, condition) in conditions {
        let operation = match request.to_mut() {
            Request::Item(operation) => Some(operation),
            Request::Batch(operations) => operations.get_mut(*number),
            _ => None,
        };
        let Some(operation) = operation else { continue };
        operation.require(meant(operation.id(), *condition)?);
    }
    Ok(request)
}
