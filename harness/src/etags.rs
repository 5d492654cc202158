//! Conditional requests: from the etag that is meant to the one that is sent.

use crate::target::{Etag, Request};
use crate::vector::Condition;

impl Condition {
    /// The etag that is meant, of those that were seen of an item, the last one last.
    pub fn among(self, seen: &[Etag]) -> Option<&Etag> {
        match (self, seen) {
            (Self::Seen, [.., last]) => Some(last),
            (Self::Stale, [.., stale, _]) => Some(stale),
            _ => None,
        }
    }
}

/// The request with the etags that its conditions mean: each by the number of its operation in a batch, 0 elsewhere.
///
/// # Errors
///
/// What `meant` gives where an etag is unknown.
pub fn sent<E>(
    request: &Request,
    conditions: &[(usize, Condition)],
    mut meant: impl FnMut(&str, Condition) -> Result<Etag, E>,
) -> Result<Request, E> {
    let mut request = request.clone();
    for (number, condition) in conditions {
        let operation = match &mut request {
            Request::Item(operation) => Some(operation),
            Request::Batch(operations) => operations.get_mut(*number),
            _ => None,
        };
        let Some(operation) = operation else { continue };
        operation.require(meant(operation.id(), *condition)?);
    }
    Ok(request)
}
