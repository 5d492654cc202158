//! Queries and lists, at once and page by page.

use super::IndependentSession;
use crate::mutation::{Access, Mutation as M};
use cosmos_ttl_harness::target::{PageRequest, Response, Status};

/// An item by its tag, with its id.
pub(super) type ListedItem = (u64, String);

impl IndependentSession {
    pub(super) fn feed(&mut self, look: Access, page: Option<&PageRequest>) -> Response {
        let Some(PageRequest { size, continuation }) = page else { return self.list(look) };
        let size = usize::try_from(size.get()).unwrap_or(usize::MAX);
        let Ok(from) = continuation.as_deref().unwrap_or("0").parse() else {
            return Response::new(Status::BadRequest);
        };
        let seen = self.seen(look);
        if from == 0 {
            self.history.listed.clone_from(&seen);
        }
        match self.store.mutation {
            Some(M::PagesCountVisible) => page_by_number(&seen, &seen, size, from),
            Some(M::PagesCountStored) => page_by_number(&self.stored(), &seen, size, from),
            Some(M::PagesAreOfTheFirst) => {
                page_by_number(&self.history.listed, &self.history.listed, size, from)
            }
            _ => self.page_by_tag(&seen, size, from),
        }
    }

    /// The page of the items that were written after the one with this tag, which need not be there any more.
    fn page_by_tag(&self, seen: &[ListedItem], size: usize, from: u64) -> Response {
        let ends_when_empty = self.has(M::EmptyPageIsTheLast);
        let divides_stored = ends_when_empty || self.store.pages_of_stored;
        let mut rest = if divides_stored { self.stored() } else { seen.to_vec() };
        rest.retain(|(tag, _)| *tag > from);
        // An item that keeps its tag when it is written does not stand in the order of the tags.
        rest.sort_unstable();
        let is_last = rest.len() <= size;
        rest.truncate(size);
        let last = rest.last().map(|(tag, _)| tag.to_string());
        let page = rest.into_iter().filter(|item| seen.contains(item));
        let ids: Vec<_> = page.map(|(_, id)| id).collect();
        let is_last = is_last || (ends_when_empty && ids.is_empty());
        Response::ids(ids).continued(last.filter(|_| !is_last))
    }

    fn stored(&self) -> Vec<ListedItem> {
        let here = self.items.iter().filter(|item| item.partition == self.partition);
        here.map(|item| (item.tag, item.id.clone())).collect()
    }
}

/// The page that starts after that number of items: if one of those is gone, the next one moves to the page before.
fn page_by_number(all: &[ListedItem], seen: &[ListedItem], size: usize, from: u64) -> Response {
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let to = from.saturating_add(size);
    let next = (to < all.len()).then(|| to.to_string());
    let page = all.iter().skip(from).take(size).filter(|item| seen.contains(item));
    Response::ids(page.map(|(_, id)| id.clone()).collect()).continued(next)
}
