//! Divides what the model answers to a query into pages.

use cosmos_ttl_harness::target::{Body, PageRequest, Response, Status};

use super::translate::Names;

/// Returns the page that is asked for, of the items that are visible now.
///
/// The page after an item starts with the first visible one that was named later, whether or not that item still is.
pub(crate) fn page(names: &Names, response: Response, page: &PageRequest) -> Response {
    let Body::Ids(ids) = response.body else { return response };
    let after = match page.continuation.as_deref().map(|last| names.number(last)) {
        Some(None) => return Response::new(Status::BadRequest),
        after => after.flatten(),
    };
    let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
    let mut rest = ids.into_iter().filter(|id| after < names.number(id));
    let ids: Vec<_> = rest.by_ref().take(size).collect();
    let is_last = rest.next().is_none();
    let continuation = ids.last().cloned().filter(|_| !is_last);
    Response::ids(ids).continued(continuation)
}
