//! The stores that play a script, two at a time: the naive store, the reference, and the bare model.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Item, Opening, Operation, Properties, Request, Response, Session, Status,
    Target,
};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{self as model, Content, Draft, ItemId, TtlChange, World};
use cosmos_ttl_model::rule::Sent;
use cosmos_ttl_reference::{Reference, translate};

use super::script::{Script, TTLS, id};
use cosmos_ttl_mutants::{IndependentSession, IndependentStore, START};

/// One of two that must agree.
pub(crate) trait Side {
    fn send(&mut self, request: &Request) -> Response;
    fn pass(&mut self, seconds: u64);
    /// Lets the background take an item, and says whether it could; `None` where it cannot be told to.
    fn remove(&mut self, number: u8) -> Option<bool>;
    /// Its clock at the start.
    fn start(&self) -> i64;
}

impl Side for IndependentSession {
    fn send(&mut self, request: &Request) -> Response {
        Session::send(self, request).unwrap()
    }

    fn pass(&mut self, seconds: u64) {
        Session::pass(self, seconds).unwrap();
    }

    fn remove(&mut self, number: u8) -> Option<bool> {
        Some(Self::remove(self, &id(number)))
    }

    fn start(&self) -> i64 {
        START
    }
}

/// The naive store under a script's edition and schedule.
pub(crate) fn naive(naive: IndependentStore, script: &Script, scheduled: bool) -> IndependentSession {
    naive.session(Opening::new(script.edition, scheduled.then_some(script.removal)))
}

/// The model as the harness offers it.
pub(crate) struct Behind<'a>(Box<dyn Session + 'a>);

impl<'a> Behind<'a> {
    pub(crate) fn new(reference: &'a Reference, script: &Script) -> Self {
        Self(reference.open(&Opening::new(script.edition, Some(script.removal))).unwrap())
    }
}

impl Side for Behind<'_> {
    fn send(&mut self, request: &Request) -> Response {
        self.0.send(request).unwrap()
    }

    fn pass(&mut self, seconds: u64) {
        self.0.pass(seconds).unwrap();
    }

    fn remove(&mut self, _: u8) -> Option<bool> {
        None
    }

    fn start(&self) -> i64 {
        1_700_000_000
    }
}

/// The model itself, with a background that can be told what to take.
pub(crate) struct Bare {
    edition: model::Edition,
    preferences: Preferences,
    now: i64,
    world: Option<World>,
}

impl Bare {
    pub(crate) fn new(preferences: Preferences, script: &Script) -> Self {
        Self { edition: translate::edition(script.edition), preferences, now: 0, world: None }
    }
}

impl Side for Bare {
    fn send(&mut self, request: &Request) -> Response {
        let Some(world) = &mut self.world else {
            let Request::CreateContainer(container) = request else { return Response::new(Status::NotFound) };
            return match World::new(self.edition, self.now, settings(container), &mut self.preferences) {
                Ok(world) => {
                    self.world = Some(world);
                    Response::new(Status::Created)
                }
                Err(refusal) => Response::new(translate::refused(refusal)),
            };
        };
        let response = world.answer(&translated(request), &mut self.preferences);
        shown(request, response)
    }

    fn pass(&mut self, seconds: u64) {
        self.world.iter_mut().for_each(|world| world.wait(seconds));
        self.now += i64::try_from(seconds).unwrap();
    }

    fn remove(&mut self, number: u8) -> Option<bool> {
        Some(self.world.as_mut().is_some_and(|world| world.remove(ItemId(number.into()))))
    }

    fn start(&self) -> i64 {
        0
    }
}

fn settings(container: &Container) -> model::SettingsDraft {
    let indexing = translate::settings(container).indexing;
    model::SettingsDraft { default_ttl: sent(container.default_ttl.as_ref()), indexing }
}

/// Looked up, not read: the harness's reading of numbers is on trial too.
fn sent(literal: Option<&Literal>) -> Sent {
    let known = TTLS.iter().find(|(text, _)| *text == literal.map(Literal::as_str));
    known.map_or(Sent::Absent, |(_, sent)| *sent)
}

fn number(id: &str) -> ItemId {
    ItemId(id.trim_start_matches('i').parse().unwrap())
}

fn content(properties: &Properties) -> Option<Content> {
    properties.get("value").map(|value| Content(value.as_str().parse().unwrap()))
}

fn draft(document: &Document) -> Draft {
    let content = content(&document.properties).unwrap_or_default();
    Draft { id: number(&document.id), ttl: sent(document.ttl()), content }
}

fn if_match(etag: Option<&String>) -> Option<model::Etag> {
    etag.map(|etag| model::Etag(etag.parse().unwrap_or(u32::MAX)))
}

fn translated(request: &Request) -> model::Request {
    match request {
        Request::Item(one) => model::Request::Item(operation(one)),
        Request::Batch(ones) => model::Request::Batch(ones.iter().map(operation).collect()),
        Request::Query | Request::List => model::Request::Query,
        Request::Count => model::Request::Count,
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
            model::Request::Configure(settings(container))
        }
    }
}

fn operation(operation: &Operation) -> model::Operation {
    match operation {
        Operation::Create(document) => model::Operation::Create(draft(document)),
        Operation::Upsert(document) => model::Operation::Upsert(draft(document)),
        Operation::Replace(document, etag) => {
            model::Operation::Replace { draft: draft(document), if_match: if_match(etag.as_ref()) }
        }
        Operation::Patch(patch, etag) => {
            let ttl = match patch.set.get("ttl") {
                Some(ttl) => TtlChange::Set(sent(Some(ttl))),
                None if patch.remove.is_empty() => TtlChange::Keep,
                None => TtlChange::Remove,
            };
            let (id, content) = (number(&patch.id), content(&patch.set));
            model::Operation::Patch { id, ttl, content, if_match: if_match(etag.as_ref()) }
        }
        Operation::Read(id) => model::Operation::Read(number(id)),
        Operation::Delete(id, etag) => {
            model::Operation::Delete { id: number(id), if_match: if_match(etag.as_ref()) }
        }
    }
}

/// The model's answer as a target would give it; of an item's properties, only `value`.
fn shown(request: &Request, response: model::Response) -> Response {
    let item = |status, item: model::Item| {
        let Request::Item(operation) = request else { return Response::new(status) };
        let properties = BTreeMap::from([("value".into(), Literal::from(i64::from(item.content.0)))]);
        let document = Document { id: operation.id().into(), properties };
        Response::item(status, Item { document, ts: Some(item.ts), etag: Some(item.etag.0.to_string()) })
    };
    let status = translate::status(&response);
    match response {
        model::Response::Created(made) | model::Response::Ok(made) | model::Response::Found(made) => {
            item(status, made)
        }
        model::Response::NoContent | model::Response::Configured | model::Response::Refused(_) => {
            Response::new(status)
        }
        model::Response::Ids(ids) => {
            Response::ids(ids.into_iter().map(|one| format!("i{}", one.0)).collect())
        }
        model::Response::AnyIds => Response::ids(Vec::new()),
        model::Response::Count { least, most } => {
            Response::count(u64::try_from(most.unwrap_or(least)).unwrap())
        }
        model::Response::Committed(all) => {
            let statuses = all.into_iter().map(|one| shown(request, one).status).collect();
            Response { body: Body::Committed(statuses), ..Response::new(status) }
        }
        model::Response::Aborted { at, .. } => {
            Response { body: Body::Aborted { at }, ..Response::new(status) }
        }
    }
}
