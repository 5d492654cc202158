//! Asks for the pages of a query or a list, and compares them. How many pages there are is left to the target: a page may
//! hold fewer items than its size, and none.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

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
pub(crate) type TimedAnswer = (Result<Response, Fault>, Option<ClockInterval>);

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
        step: &Step,
        send: &mut impl FnMut(&Request, &RequestOptions) -> TimedAnswer,
    ) -> TimedAnswer {
        let mut send = |page: Option<PageRequest>| {
            let size = page.as_ref().map(|page| page.size);
            let options = RequestOptions { partition: step.partition.clone(), page };
            let (response, window) = send(request, &options);
            (response.and_then(|response| fitting(response, size)), window)
        };
        let mut continuation = match step.pages {
            None => return send(None),
            Some(Pages::First(size)) => return send(Some(PageRequest { size, continuation: None })),
            Some(Pages::Rest) => self.continuation.clone(),
        };
        let size = self.size.unwrap_or(NonZeroU32::MIN);
        let (mut ids, mut window) = (Vec::new(), None::<ClockInterval>);
        let (mut seen, mut pages, mut is_empty) = (BTreeSet::new(), 0_usize, false);
        while let Some(token) = continuation {
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
            let (response, within) = send(Some(PageRequest { size, continuation: Some(token) }));
            window = match (window, within) {
                (Some(first), Some(last)) => {
                    Some(*first.start().min(last.start())..=*first.end().max(last.end()))
                }
                (first, last) => first.or(last),
            };
            match response {
                Ok(Response { status, body: Body::Ids(page), continuation: next, .. })
                    if status.is_success() =>
                {
                    pages = pages.saturating_add(1);
                    is_empty = page.is_empty();
                    ids.extend(page);
                    continuation = next;
                }
                other => return (other, window),
            }
        }
        (Ok(Response::ids(ids)), window)
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
    /// A first page holds some of them. The rest holds no others, and together with the first page each of them once: an
    /// item of the first page may have expired since.
    pub(crate) fn differs(
        &self,
        pages: Pages,
        response: &Response,
        expected: &BTreeSet<Id>,
    ) -> Option<(FailureSide, FailureSide)> {
        let Body::Ids(got) = &response.body else { return None };
        let before = if pages == Pages::Rest { self.ids.as_slice() } else { &[] };
        let mut times: BTreeMap<&Id, usize> = expected.iter().map(|id| (id, 0)).collect();
        let is_known = got.iter().all(|id| times.contains_key(id));
        for id in before.iter().chain(got) {
            times.entry(id).and_modify(|times| *times = times.saturating_add(1));
        }
        let is_enough = match pages {
            Pages::First(_) => times.values().all(|times| *times <= 1),
            Pages::Rest => times.values().all(|times| *times == 1),
        };
        if is_known && is_enough {
            return None;
        }
        let all = list(expected.iter().map(String::as_str));
        let words = match pages {
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

/// A target that returns more items than the size of a page offers no pages.
fn fitting(response: Response, size: Option<NonZeroU32>) -> Result<Response, Fault> {
    match (&response.body, size) {
        (Body::Ids(ids), Some(size)) if usize::try_from(size.get()).is_ok_and(|size| size < ids.len()) => {
            let why = format!("it returns {} items on a page of at most {size}", ids.len());
            Err(Fault::Unsupported(why))
        }
        _ => Ok(response),
    }
}
