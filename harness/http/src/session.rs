//! One vector's container: created by its first request, deleted when the session ends.

use std::collections::BTreeSet;

use cosmos_ttl_harness::target::{Fault, Request, Response, Session};
use ureq::http::HeaderValue;

use super::HttpTarget;
use super::answer::{self, FeedPage};
use super::client::{HttpResponse, NoResponse};
use super::wire::{ContainerLink, HttpRequest};

/// More pages than this are no answer about a handful of items.
const MOST_PAGES: usize = 100;
const TOKEN: &str = "x-ms-session-token";
const CONTINUATION: &str = "x-ms-continuation";

/// One vector's session at an endpoint.
#[derive(Debug)]
pub(super) struct HttpSession<'t> {
    target: &'t HttpTarget,
    container: ContainerLink,
    /// Whether there is, or may be, a container to delete.
    created: bool,
    /// How far this vector has seen the container; without it, a read from an account with session consistency may be
    /// older than the write before it.
    token: Option<HeaderValue>,
}

impl<'t> HttpSession<'t> {
    pub(super) fn new(target: &'t HttpTarget, container: ContainerLink) -> Self {
        Self { target, container, created: false, token: None }
    }

    fn exchange(&mut self, request: &mut HttpRequest) -> Result<HttpResponse, NoResponse> {
        let about_items = request.kind == "docs";
        if let Some(token) = self.token.clone().filter(|_| about_items) {
            request.set(TOKEN, token);
        }
        let gate = &self.target.gate;
        gate.check()?;
        let answer = self.target.client.send(request, gate)?;
        // An answer from after the interruption may be about a database that is no more.
        gate.check()?;
        if let Some(token) = answer.headers.get(TOKEN).filter(|_| about_items) {
            self.token = Some(token.clone());
        }
        Ok(answer)
    }

    fn create(&mut self, mut request: HttpRequest) -> Result<Response, Fault> {
        let answer = self.exchange(&mut request);
        self.created |= match &answer {
            Ok(answer) => !(400..500).contains(&answer.status),
            Err(lost) => lost.doubt,
        };
        answer::settings(&answer?)
    }

    /// Reads all pages of a feed, up to a refusal.
    fn pages<T>(
        &mut self,
        mut request: HttpRequest,
        read: impl Fn(&HttpResponse) -> Result<FeedPage<T>, Fault>,
    ) -> Result<FeedPage<Vec<T>>, Fault> {
        let mut pages = Vec::new();
        let mut seen = BTreeSet::new();
        loop {
            let answer = self.exchange(&mut request)?;
            match read(&answer)? {
                Ok(page) => pages.push(page),
                Err(refusal) => return Ok(Err(refusal)),
            }
            let Some(next) = answer.headers.get(CONTINUATION).filter(|next| !next.is_empty()) else {
                return Ok(Ok(pages));
            };
            if pages.len() >= MOST_PAGES || !seen.insert(next.as_bytes().to_vec()) {
                let (to, count) = (answer.to, pages.len());
                return Err(Fault::Broken(format!("{to}: its pages do not end; {count} were read")));
            }
            request.set(CONTINUATION, next.clone());
        }
    }

    /// Adds what a target counted partition by partition, or page by page.
    fn count(&self, pages: Vec<Option<u64>>) -> Result<Response, Fault> {
        let count = pages.into_iter().flatten().reduce(u64::saturating_add);
        count.map(Response::count).ok_or_else(|| {
            Fault::Broken(format!("{}: the answer to a count has no number in it", self.container.link))
        })
    }
}

impl Session for HttpSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let mut call = self.container.request(request)?;
        match request {
            Request::CreateContainer(_) => self.create(call),
            Request::ReplaceContainer(_) => answer::settings(&self.exchange(&mut call)?),
            Request::Item(operation) => answer::item(operation, &self.exchange(&mut call)?),
            Request::Batch(operations) => answer::batch(operations, &self.exchange(&mut call)?),
            Request::Query | Request::List => {
                let pages = self.pages(call, answer::ids)?;
                Ok(pages.map_or_else(|refusal| refusal, |pages| Response::ids(pages.concat())))
            }
            Request::Count => match self.pages(call, answer::count)? {
                Ok(pages) => self.count(pages),
                Err(refusal) => Ok(refusal),
            },
        }
    }

    fn pass(&mut self, _seconds: u64) -> Result<(), Fault> {
        let why = "an endpoint has a clock of its own, which cannot be moved; wait instead";
        Err(Fault::Misuse(why.to_owned()))
    }

    /// Tries once to delete the container, and after an interruption not at all.
    ///
    /// A container that stays goes with the database, and [`HttpTarget::cleanup`] says what is left behind in the end.
    fn close(&mut self) -> Result<(), Fault> {
        if std::mem::take(&mut self.created) && self.target.gate.check().is_ok() {
            // See above: a verdict must not depend on it.
            let _ = self.target.client.send(&self.container.delete(), &self.target.gate);
        }
        Ok(())
    }
}

impl Drop for HttpSession<'_> {
    /// Deletes the container if [`Session::close`] was not called.
    fn drop(&mut self) {
        let _ = self.close();
    }
}
