//! One vector's container: created by its first request, and deleted or kept for another vector when the session ends.
//!
//! Of what comes back, a status is believed, and a body must be what such a response carries.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Body, Container, ContainerName, Document, Fault, Id, Item, Operation, PartitionKey, Patch,
    PatchOperation, Request, RequestOptions, Response, Select, Session, Status,
};
use http::HeaderValue;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{bounded, check_size, lock};

use super::HttpTarget;
use super::client::{HttpResponse, NoResponse};
use super::control;
use super::wire::{CONTINUATION, ContainerLink, HttpRequest, PARTITION_KEY};

/// More pages than this are no answer about a handful of items.
const MOST_PAGES: usize = 100;
/// A server that answers the same batch with more errors in a row does not know it.
const BATCH_ERRORS: u32 = 1;
/// After more lists that still have items, the container is not empty and never will be.
const MOST_LISTS: usize = 5;
/// The partition and the id of the item on which patch operations are tried, which no vector has.
const TRIAL: &str = "cosmos-ttl-trial";
const TOKEN: &str = "x-ms-session-token";

/// Where a session's container comes from, and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerUse {
    /// Created for this session, and deleted after it.
    Single,
    /// Created for this session, and kept for later ones.
    First,
    /// It was there before: empty, and with default settings.
    Again,
}

#[derive(Debug)]
pub(super) struct HttpSession<'t> {
    target: &'t HttpTarget,
    container: ContainerLink,
    container_use: ContainerUse,
    /// Whether there is, or may be, a container to delete.
    created: bool,
    /// The partitions other than the default one that may hold items.
    partitions: BTreeSet<PartitionKey>,
    /// How far this vector has seen the container; without it, a read from an account with session consistency may be
    /// older than the write before it.
    token: Option<HeaderValue>,
    /// The seconds that passed; the clock of a container begins when it is created.
    passed_s: u64,
    /// The vector's other containers, each used by it alone.
    others: BTreeMap<ContainerName, Self>,
}

impl<'t> HttpSession<'t> {
    pub(super) fn new(target: &'t HttpTarget, container: ContainerLink, container_use: ContainerUse) -> Self {
        let created = container_use == ContainerUse::Again;
        let partitions = BTreeSet::new();
        let others = BTreeMap::new();
        Self { target, container, container_use, created, partitions, token: None, passed_s: 0, others }
    }

    fn exchange(&mut self, request: &mut HttpRequest) -> Result<HttpResponse, NoResponse> {
        let about_items = request.kind == "docs";
        if let Some(token) = self.token.clone().filter(|_| about_items) {
            request.headers.insert(TOKEN, token);
        }
        let gate = &self.target.gate;
        gate.check()?;
        let answer = self.target.client.send(request, gate);
        // What comes after the interruption may be about a database that is no more, or about a connection that it ended.
        if let Err(interrupted) = gate.check() {
            return Err(NoResponse::doubting(interrupted, request.writes));
        }
        let answer = answer?;
        if let Some(token) = answer.headers.get(TOKEN).filter(|_| about_items) {
            self.token = Some(token.clone());
        }
        Ok(answer)
    }

    /// Creates the container, or gives one that is there the settings that a new one would have.
    fn create(&mut self, settings_sent: &Container, mut request: HttpRequest) -> Result<Response, Fault> {
        if self.container_use == ContainerUse::Again {
            let replace = Request::ReplaceContainer(settings_sent.clone());
            let mut replace = self.container.request(&replace, &RequestOptions::default())?;
            let response = settings(&self.exchange(&mut replace)?)?;
            let is_taken = response.status == Status::Ok;
            return Ok(if is_taken { Response { status: Status::Created, ..response } } else { response });
        }
        if let Some(control) = self.target.control() {
            request.headers.extend(control.header());
        }
        let answer = self.exchange(&mut request);
        self.created |= match &answer {
            Ok(answer) => !(400..500).contains(&answer.status),
            Err(lost) => lost.doubt,
        };
        let response = settings(&answer?)?;
        if response.status == Status::Created && self.passed_s != 0 {
            self.command(control::advance(&self.container, self.passed_s))?;
        }
        Ok(response)
    }

    /// Sends a control request, which has no answer but that it was done.
    fn command(&mut self, mut request: HttpRequest) -> Result<(), Fault> {
        let answer = self.exchange(&mut request)?;
        match answer.status {
            200 => Ok(()),
            501 => Err(Fault::Unsupported(answer.excerpt())),
            _ => Err(answer.noise("having done what a control request asked for")),
        }
    }

    /// Empties the container, and sets its settings back. Returns whether that is certain.
    fn set_back(&mut self) -> bool {
        let off = Request::ReplaceContainer(Container::default());
        if !self.send(&off).is_ok_and(|response| response.status.is_success()) {
            return false;
        }
        let used = std::mem::take(&mut self.partitions).into_iter().map(Some);
        used.chain([None]).all(|partition| self.empty(&RequestOptions::of_partition(partition)))
    }

    /// Deletes the items of one partition. Returns whether that is certain.
    fn empty(&mut self, options: &RequestOptions) -> bool {
        for _ in 0..MOST_LISTS {
            match self.send_with(&Request::List, options).map(|list| list.body) {
                Ok(Body::Ids(ids)) if ids.is_empty() => return true,
                Ok(Body::Ids(ids)) => {
                    for id in ids {
                        let delete = Request::Item(Operation::Delete(id, None));
                        if self.send_with(&delete, options).is_err() {
                            return false;
                        }
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// Returns a fault for an error of the server that says nothing yet: a server that does not know a batch answers it
    /// with an error every time, and any other server only now and then.
    fn check_batch_error(&self, operations: &[Operation], answer: &HttpResponse) -> Result<(), Fault> {
        // Each session has etags of its own.
        let kind = |of: &Operation| {
            let condition = if of.etag().is_some() { " if-match" } else { "" };
            format!("{} {}{condition}\n", of.word(), of.id())
        };
        let batch: String = operations.iter().map(kind).collect();
        let mut errors = lock(&self.target.batch_errors);
        if !(500..600).contains(&answer.status) {
            errors.remove(&batch);
            return Ok(());
        }
        let count = errors.entry(batch).or_default();
        *count = count.saturating_add(1);
        if answer.status == 501 || BATCH_ERRORS < *count {
            return Ok(());
        }
        let (to, status, excerpt) = (&answer.to, answer.status, answer.excerpt());
        Err(Fault::Unknown(format!("{to}: answered a batch with {status}; it says: {excerpt}")))
    }

    /// Reads a feed with all its pages, or one page of it with the continuation that comes with it; or the refusal that ends it.
    fn feed<T: DeserializeOwned>(
        &mut self,
        mut request: HttpRequest,
        whole: bool,
        wanted: &str,
        respond: impl FnOnce(Vec<T>) -> Result<Response, Fault>,
    ) -> Result<Response, Fault> {
        let mut documents = Vec::new();
        let mut seen = BTreeSet::new();
        loop {
            let answer = self.exchange(&mut request)?;
            if answer.status != 200 {
                return bare(&answer, false);
            }
            let page: FeedPage<T> = serde_json::from_slice(&answer.body).map_err(|_| answer.noise(wanted))?;
            documents.extend(page.documents);
            check_size(documents.len(), 0)?;
            let next = answer.headers.get(CONTINUATION).filter(|next| !next.is_empty());
            let Some(next) = next.filter(|_| whole) else {
                let next = next.map(|next| next.to_str().map(str::to_owned)).transpose();
                let next = next.map_err(|_| answer.noise("a continuation of visible ASCII characters"))?;
                return Ok(respond(documents)?.continued(next));
            };
            let pages = seen.len() + 1;
            if pages >= MOST_PAGES || !seen.insert(next.as_bytes().to_vec()) {
                let to = answer.to;
                return Err(Fault::Broken(format!("{to}: its pages do not end; {pages} were read")));
            }
            request.headers.insert(CONTINUATION, next.clone());
        }
    }

    /// Sends a request; a refusal of what the server may not know is no answer.
    ///
    /// No clause expects that a query is refused. A patch is refused for its `ttl`, too, and so its operations are tried.
    fn ask(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let response = self.ask_once(request, options)?;
        if response.status != Status::BadRequest {
            return Ok(response);
        }
        let excerpt = response.detail.as_deref().unwrap_or_default();
        if matches!(request, Request::Select(_) | Request::ReadMany(_)) {
            return Err(Fault::Unsupported(format!("the query: answered 400; it says: {excerpt}")));
        }
        for operation in request.operations().iter().flat_map(patch_operations).map(harmless) {
            let word = serde_json::to_string(&operation).unwrap_or_default();
            let known = lock(&self.target.patch_operations).get(&word).copied();
            let is_known = known.map_or_else(|| self.tries(operation), Ok)?;
            lock(&self.target.patch_operations).insert(word.clone(), is_known);
            if !is_known {
                let why =
                    format!("the patch operation {word}: not executed; to the vector's it says: {excerpt}");
                return Err(Fault::Unsupported(why));
            }
        }
        Ok(response)
    }

    /// Returns whether the server executes an operation, on an item that is deleted again.
    fn tries(&mut self, operation: PatchOperation) -> Result<bool, Fault> {
        let options = RequestOptions::of_partition(Some(TRIAL.into()));
        let mut send = |operation| self.ask_once(&Request::Item(operation), &options);
        let properties = [("number", "1"), ("object", r#"{"number":1}"#), ("ttl", "-1")];
        let literal = |text: &str| Literal::parse(text).map_err(|error| Fault::Misuse(error.to_string()));
        let properties = properties.map(|(name, text)| Ok((name.to_owned(), literal(text)?)));
        let properties = properties.into_iter().collect::<Result<_, Fault>>()?;
        let created = send(Operation::Create(Document { id: TRIAL.into(), properties }))?;
        let patch = Patch { operations: vec![operation], ..Patch::of(TRIAL) };
        let patched = send(Operation::Patch(patch, None));
        let deleted = send(Operation::Delete(TRIAL.into(), None))?;
        if created.status != Status::Created || deleted.status != Status::NoContent {
            let (created, deleted) = (created.status, deleted.status);
            let why =
                format!("no item to try a patch on: its creation was {created}, its deletion {deleted}");
            return Err(Fault::Unknown(why));
        }
        match patched {
            Ok(patched) => Ok(patched.status == Status::Ok),
            Err(Fault::Unsupported(_)) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    fn ask_once(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let mut call = self.container.request(request, options)?;
        self.partitions.extend(options.partition.clone());
        match request {
            Request::CreateContainer(settings) => self.create(settings, call),
            Request::ReplaceContainer(_) | Request::ReadContainer => settings(&self.exchange(&mut call)?),
            Request::DeleteContainer => {
                let answer = self.exchange(&mut call)?;
                if answer.status == 204 {
                    // What is created now is new.
                    (self.created, self.container_use) = (false, ContainerUse::Single);
                    self.token = None;
                }
                bare(&answer, false)
            }
            Request::Item(operation) => item(operation, &self.exchange(&mut call)?),
            Request::Batch(operations) => {
                let answer = self.exchange(&mut call)?;
                self.check_batch_error(operations, &answer)?;
                batch(operations, &answer)
            }
            Request::Select(Select { values: Some(_), count: false, .. }) => {
                self.feed(call, true, "`Documents`, a list of values", |values| Ok(Response::values(values)))
            }
            Request::Query
            | Request::List
            | Request::ReadMany(_)
            | Request::Select(Select { count: false, .. }) => {
                let wanted = "`Documents`, a list of items with an `id` each";
                self.feed(call, options.page.is_none(), wanted, |items: Vec<FeedItem>| {
                    Ok(Response::ids(items.into_iter().map(|item| item.id).collect()))
                })
            }
            Request::Count | Request::Select(_) => {
                let none = format!("{}: the answer to a count has no number in it", self.container.link);
                self.feed(call, true, "`Documents`, a list of counts", |parts: Vec<PartialCount>| {
                    let total = parts.into_iter().map(|PartialCount(part)| part).reduce(u64::saturating_add);
                    total.map(Response::count).ok_or(Fault::Broken(none))
                })
            }
            _ => Err(Fault::Unsupported(format!("no `{}` over HTTP", request.word()))),
        }
    }
}

impl Session for HttpSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let Some(name) = &options.container else { return self.ask(request, options).and_then(bounded) };
        let target = self.target;
        let other = self.others.entry(name.clone());
        let new = || Self::new(target, target.new_container(), ContainerUse::Single);
        let other = other.or_insert_with(new);
        other.passed_s = self.passed_s;
        other.ask(request, options).and_then(bounded)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        if self.target.control().is_none() {
            let why = "an endpoint has a clock of its own, which cannot be moved; wait instead";
            return Err(Fault::Misuse(why.to_owned()));
        }
        self.passed_s = self.passed_s.saturating_add(seconds);
        self.others.values_mut().try_for_each(|other| other.pass(seconds))?;
        if self.created { self.command(control::advance(&self.container, seconds)) } else { Ok(()) }
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if self.target.control().is_none() {
            return Err(Fault::Unsupported("its background cannot be told when to remove".into()));
        }
        self.others.values_mut().try_for_each(Session::purge)?;
        if self.created { self.command(control::remove_expired(&self.container)) } else { Ok(()) }
    }

    /// Keeps the container for later sessions if it can be set back, or tries once to delete it; after an interruption neither.
    ///
    /// A container that stays goes with the database, and [`HttpTarget::cleanup`] says what is left behind in the end.
    fn close(&mut self) -> Result<(), Fault> {
        self.others.values_mut().try_for_each(Session::close)?;
        if !self.created || self.target.gate.check().is_err() {
            return Ok(());
        }
        if self.container_use != ContainerUse::Single && self.set_back() {
            lock(&self.target.pool).push(self.container.clone());
        } else if self.target.gate.check().is_ok() {
            // See above: a verdict must not depend on it.
            let _ = self.target.client.send(&self.container.delete(), &self.target.gate);
        }
        self.created = false;
        Ok(())
    }
}

impl Drop for HttpSession<'_> {
    /// Deletes the container if [`Session::close`] was not called.
    fn drop(&mut self) {
        let _ = self.close();
    }
}

fn patch_operations(operation: &Operation) -> &[PatchOperation] {
    if let Operation::Patch(patch, _) = operation { &patch.operations } else { &[] }
}

/// Returns an operation of the same kind that no server refuses which knows it.
fn harmless(operation: &PatchOperation) -> PatchOperation {
    use PatchOperation as P;
    let at = |path: &str, name: &str| {
        let parent = if path.matches('/').count() < 2 { "" } else { "/object" };
        format!("{parent}/{name}")
    };
    let value = || 1_i64.into();
    match operation {
        P::Add { path, .. } => P::Add { path: at(path, "number"), value: value() },
        P::Replace { path, .. } => P::Replace { path: at(path, "number"), value: value() },
        P::Set { path, .. } => P::Set { path: at(path, "number"), value: value() },
        P::Remove { path } => P::Remove { path: at(path, "number") },
        P::Incr { path, .. } => P::Incr { path: at(path, "number"), value: 1 },
        P::Move { from, path } => P::Move { from: at(from, "number"), path: at(path, "moved") },
    }
}

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
fn settings(answer: &HttpResponse) -> Result<Response, Fault> {
    if matches!(answer.status, 200 | 201) {
        let mut settings: BTreeMap<String, Literal> =
            serde_json::from_slice(&answer.body).map_err(|_| answer.noise("the container as JSON"))?;
        let default_ttl = settings.remove("defaultTtl");
        return Ok(Response::container(Status::from_code(answer.status, false), default_ttl));
    }
    bare(answer, false)
}

/// Reads the response to a request about one item.
fn item(operation: &Operation, answer: &HttpResponse) -> Result<Response, Fault> {
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

#[derive(Deserialize)]
struct FeedPage<T> {
    #[serde(rename = "Documents")]
    documents: Vec<T>,
}

#[derive(Deserialize)]
struct FeedItem {
    id: Id,
}

/// The number of items that a target counted in one partition, or for one page.
#[derive(Deserialize)]
#[serde(try_from = "Literal")]
struct PartialCount(u64);

impl TryFrom<Literal> for PartialCount {
    type Error = &'static str;

    fn try_from(count: Literal) -> Result<Self, Self::Error> {
        match count.kind() {
            LiteralKind::Whole(count) | LiteralKind::WholeAsFraction(count) => u64::try_from(count).ok(),
            LiteralKind::Null | LiteralKind::Other => None,
        }
        .map(Self)
        .ok_or("no count")
    }
}

/// The part of the response to a batch that is about one operation.
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
fn batch(operations: &[Operation], answer: &HttpResponse) -> Result<Response, Fault> {
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
            // A service refuses an operation with a status for each. What refuses the whole may not know patches in a batch.
            400 if operations.iter().any(|operation| matches!(operation, Operation::Patch(..))) => {
                Err(unsupported())
            }
            400 | 404 | 409 | 412 | 413 => bare(answer, false),
            _ => Err(unsupported()),
        };
    };
    if results.len() != operations.len() {
        return Err(answer.noise(&format!("a status for each of {} operations", operations.len())));
    }
    let codes: Vec<u16> = results.into_iter().map(|result| result.status).collect();
    match codes.iter().copied().enumerate().find(|(_, code)| *code >= 400 && *code != FAILED_DEPENDENCY) {
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
        None if codes.contains(&FAILED_DEPENDENCY) => {
            Err(answer.noise("the operation because of which the others failed"))
        }
        None => {
            let reads = operations.iter().map(|operation| matches!(operation, Operation::Read(_)));
            let statuses = codes.into_iter().zip(reads).map(|(code, read)| Status::from_code(code, read));
            Ok(Response { body: Body::Committed(statuses.collect()), ..Response::new(Status::Ok) })
        }
    }
}
