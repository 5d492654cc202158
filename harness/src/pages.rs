//! Asks for the pages of a query or a list, and compares them. How many pages there are is left to the target: a page may
//! hold fewer items than its size, and none.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use crate::clauses::Level;
use crate::describe::{bounded_ids, list};
use crate::observation_window::ClockInterval;
use crate::signature::{FailureSide, text};
use crate::target::{Body, Fault, Id, PageRequest, Request, RequestOptions, Response};
use crate::vector::{Pages, Step};

/// More pages than this are no answer about the items of a vector.
const MOST_PAGES: usize = 100;
/// The greatest length of a continuation, in bytes. The service's own are far below 16 KiB, the limit of a header.
const LONGEST_CONTINUATION: usize = 16 << 10;

/// The response to a request, and when the target may have dealt with it, where that is not known exactly.
pub type TimedAnswer = (Result<Response, Fault>, Option<ClockInterval>);

/// The pages that a target returned so far for one query or list.
#[derive(Debug, Default)]
pub(crate) struct PagesSoFar {
    size: Option<NonZeroU32>,
    /// On the first page.
    ids: Vec<Id>,
    continuation: Option<String>,
}

impl PagesSoFar {
    /// Sends the request of a step: once, or once for each page that follows. Several pages are one response.
    pub(crate) fn send(
        &self,
        request: &Request,
        pages: Option<Pages>,
        options: &RequestOptions,
        send: &mut impl FnMut(&Request, &RequestOptions) -> TimedAnswer,
    ) -> TimedAnswer {
        match pages {
            None => send(request, options),
            Some(Pages::First(size)) => {
                send_page(request, options, PageRequest { size, continuation: None }, send)
            }
            Some(Pages::Rest) => {
                let size = self.size.unwrap_or(NonZeroU32::MIN);
                let next = self.continuation.clone();
                let next = next.map(|token| PageRequest { size, continuation: Some(token) });
                send_pages(request, options, next, send)
            }
        }
    }

    /// Records the first page, which later steps continue.
    pub(crate) fn note(&mut self, step: &Step, response: &Response) {
        if let (Some(Pages::First(size)), Body::Ids(ids)) = (step.pages, &response.body) {
            let (ids, continuation) = (ids.clone(), response.continuation.clone());
            *self = Self { size: Some(size), ids, continuation };
        }
    }

    /// Returns how the answer to a step about pages differs from the items that it expects.
    ///
    /// A first page holds some of them, and no more than its size where that is only a should. The rest holds no others, and together with the first page each of them once: an
    /// item of the first page may have expired since.
    pub(crate) fn differs(
        &self,
        pages: Pages,
        response: &Response,
        expected: &BTreeSet<Id>,
        level: Level,
    ) -> Option<(FailureSide, FailureSide)> {
        let Body::Ids(got) = &response.body else { return None };
        let before = if pages == Pages::Rest { self.ids.as_slice() } else { &[] };
        let mut times: BTreeMap<&Id, usize> = expected.iter().map(|id| (id, 0)).collect();
        let is_known = got.iter().all(|id| times.contains_key(id));
        for id in before.iter().chain(got) {
            times.entry(id).and_modify(|times| *times = times.saturating_add(1));
        }
        let is_over =
            level == Level::Should && matches!(pages, Pages::First(size) if holds_too_many(got, size));
        let is_enough = match pages {
            Pages::First(_) => !is_over && times.values().all(|times| *times <= 1),
            Pages::Rest => times.values().all(|times| *times == 1),
        };
        if is_known && is_enough {
            return None;
        }
        let all = list(expected.iter().map(String::as_str));
        let words = match pages {
            Pages::First(size) if is_over => format!("a page with at most {size} of {all}"),
            Pages::First(_) => format!("a page with some of {all}"),
            Pages::Rest => format!("{all} on all pages together"),
        };
        let yaml = list(expected.iter().map(|id| text(id)));
        let page = |ids: &[Id]| list(bounded_ids(ids));
        let got_words = match pages {
            Pages::First(_) => page(got),
            Pages::Rest => format!("{} after a first page {}", page(got), page(before)),
        };
        let got = FailureSide { words: got_words, yaml: list(bounded_ids(got).iter().map(|id| text(id))) };
        Some((FailureSide { words, yaml }, got))
    }
}

/// Sends a request for this page and all that follow it, and returns their items as one response.
pub fn send_pages(
    request: &Request,
    options: &RequestOptions,
    mut next: Option<PageRequest>,
    send: &mut impl FnMut(&Request, &RequestOptions) -> TimedAnswer,
) -> TimedAnswer {
    let (mut ids, mut window) = (Vec::new(), None::<ClockInterval>);
    let (mut seen, mut pages, mut is_empty) = (BTreeSet::new(), 0_usize, false);
    while let Some(page) = next {
        if let Some(token) = &page.continuation {
            if token.len() > LONGEST_CONTINUATION {
                let why = format!("a continuation of {} bytes", token.len());
                let why = format!("{why}; at most {LONGEST_CONTINUATION} are read");
                return (Err(Fault::Broken(why)), window);
            }
            // A continuation may be any text, also the same for each page. Only without items it leads nowhere.
            let is_new = seen.insert(token.clone());
            if pages >= MOST_PAGES || (is_empty && !is_new) {
                let why = format!("its pages do not end; {pages} were read");
                return (Err(Fault::Broken(why)), window);
            }
        }
        let size = page.size;
        let (response, within) = send_page(request, options, page, send);
        window = match (window, within) {
            (Some(first), Some(last)) => {
                Some(*first.start().min(last.start())..=*first.end().max(last.end()))
            }
            (first, last) => first.or(last),
        };
        match response {
            Ok(Response { status, body: Body::Ids(page), continuation, .. }) if status.is_success() => {
                pages = pages.saturating_add(1);
                is_empty = page.is_empty();
                ids.extend(page);
                next = continuation.map(|token| PageRequest { size, continuation: Some(token) });
            }
            other => return (other, window),
        }
    }
    (Ok(Response::ids(ids)), window)
}

fn holds_too_many(ids: &[Id], size: NonZeroU32) -> bool {
    usize::try_from(size.get()).is_ok_and(|size| size < ids.len())
}

/// Sends a request for one page. A target that returns more items than its size, and on a first page all of them, offers no
/// pages.
fn send_page(
    request: &Request,
    options: &RequestOptions,
    page: PageRequest,
    send: &mut impl FnMut(&Request, &RequestOptions) -> TimedAnswer,
) -> TimedAnswer {
    let (size, is_first) = (page.size, page.continuation.is_none());
    let (response, window) = send(request, &RequestOptions { page: Some(page), ..options.clone() });
    let fitting = response.and_then(|response| match &response.body {
        Body::Ids(ids) if holds_too_many(ids, size) && !(is_first && response.continuation.is_some()) => {
            let why = format!("it returns {} items on a page of at most {size}", ids.len());
            Err(Fault::Unsupported(why))
        }
        _ => Ok(response),
    });
    (fitting, window)
}
