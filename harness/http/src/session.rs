//! One vector's container: made by its first request, deleted when it is given up.

use std::collections::BTreeSet;

use ureq::http::HeaderValue;

use super::HttpTarget;
use super::answer::{self, Page};
use super::client::{Answer, Lost};
use super::wire::{Call, Place};
use cosmos_ttl_harness::target::{Fault, Request, Response, Session};

/// More pages than this are no answer about a handful of items.
const MOST_PAGES: usize = 100;

/// One vector's place at an endpoint.
#[derive(Debug)]
pub(super) struct HttpSession<'t> {
    target: &'t HttpTarget,
    place: Place,
    /// Whether there is, or may be, a container to delete.
    made: bool,
    /// How far this vector has seen the container; without it, a read from an account with session consistency may be
    /// older than the write before it.
    token: Option<HeaderValue>,
}

const TOKEN: &str = "x-ms-session-token";
const CONTINUATION: &str = "x-ms-continuation";

impl<'t> HttpSession<'t> {
    pub(super) fn new(target: &'t HttpTarget, place: Place) -> Self {
        Self { target, place, made: false, token: None }
    }

    fn call(&mut self, call: &mut Call) -> Result<Answer, Lost> {
        let about_items = call.kind == "docs";
        if let Some(token) = self.token.clone().filter(|_| about_items) {
            call.set(TOKEN, token);
        }
        let gate = self.target.gate();
        gate.check()?;
        let answer = self.target.client().send(call, gate)?;
        // An answer from after the interruption may be about a database that is no more.
        gate.check()?;
        if let Some(token) = answer.headers.get(TOKEN).filter(|_| about_items) {
            self.token = Some(token.clone());
        }
        Ok(answer)
    }

    fn create(&mut self, mut call: Call) -> Result<Response, Fault> {
        let answer = self.call(&mut call);
        self.made |= match &answer {
            Ok(answer) => !(400..500).contains(&answer.status),
            Err(lost) => lost.doubt,
        };
        answer::settings(&answer?)
    }

    /// All pages of a feed, put together.
    fn pages<T>(
        &mut self,
        mut call: Call,
        read: impl Fn(&Answer) -> Result<Page<T>, Fault>,
    ) -> Result<Result<Vec<T>, Response>, Fault> {
        let mut parts = Vec::new();
        let mut seen = BTreeSet::new();
        loop {
            let answer = self.call(&mut call)?;
            match read(&answer)? {
                Page::Part(part) => parts.push(part),
                Page::Refusal(response) => return Ok(Err(response)),
            }
            let Some(next) = answer.headers.get(CONTINUATION).filter(|next| !next.is_empty()) else {
                return Ok(Ok(parts));
            };
            if parts.len() >= MOST_PAGES || !seen.insert(next.as_bytes().to_vec()) {
                return Err(Fault::Broken(format!(
                    "{}: its pages do not end; {} were read",
                    answer.to,
                    parts.len()
                )));
            }
            call.set(CONTINUATION, next.clone());
        }
    }

    fn ids(&mut self, call: Call) -> Result<Response, Fault> {
        Ok(match self.pages(call, answer::ids)? {
            Ok(pages) => Response::ids(pages.concat()),
            Err(refusal) => refusal,
        })
    }

    /// A target may count partition by partition, or page by page.
    fn count(&mut self, call: Call) -> Result<Response, Fault> {
        let pages = match self.pages(call, answer::count)? {
            Ok(pages) => pages,
            Err(refusal) => return Ok(refusal),
        };
        let counted = pages.into_iter().flatten().reduce(u64::saturating_add);
        counted.map(Response::count).ok_or_else(|| {
            Fault::Broken(format!("{}: the answer to a count has no number in it", self.place.link()))
        })
    }
}

impl Session for HttpSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let mut call = match request {
            Request::CreateContainer(settings) => self.place.create(settings)?,
            Request::ReplaceContainer(settings) => self.place.replace(settings)?,
            Request::Item(operation) => self.place.item(operation)?,
            Request::Batch(operations) => self.place.batch(operations)?,
            Request::Query => self.place.query("SELECT * FROM c")?,
            Request::List => self.place.list(),
            Request::Count => self.place.query("SELECT VALUE COUNT(1) FROM c")?,
        };
        match request {
            Request::CreateContainer(_) => self.create(call),
            Request::ReplaceContainer(_) => answer::settings(&self.call(&mut call)?),
            Request::Item(operation) => answer::item(operation, &self.call(&mut call)?),
            Request::Batch(operations) => answer::batch(operations, &self.call(&mut call)?),
            Request::Query | Request::List => self.ids(call),
            Request::Count => self.count(call),
        }
    }

    fn pass(&mut self, _seconds: u64) -> Result<(), Fault> {
        Err(Fault::Misuse(
            "an endpoint has a clock of its own, which cannot be moved; wait instead".to_owned(),
        ))
    }

    /// Deletes the container, if that can be had: what stays goes with the database, and [`HttpTarget::cleanup`] says
    /// what is left behind in the end. So it is tried once, and after an interruption not at all.
    fn close(&mut self) -> Result<(), Fault> {
        if std::mem::take(&mut self.made) && self.target.gate().check().is_ok() {
            // See above: a verdict must not depend on it.
            let _ = self.target.client().send(&self.place.delete(), self.target.gate());
        }
        Ok(())
    }
}

impl Drop for HttpSession<'_> {
    /// Where [`Session::close`] was not called.
    fn drop(&mut self) {
        let _ = self.close();
    }
}
