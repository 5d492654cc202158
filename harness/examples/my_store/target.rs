//! The store behind the harness's trait: translates, and decides nothing.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    About, Clock, DEFAULT_PARTITION, Document, Etag, Fault, Indexing, Item, Operation, PartitionKey, Request,
    RequestOptions, Response, Session, Status, Target,
};
use serde_json::{Map, Value};

use super::store::{Refused, Store, Stored};

/// The store, still without a container.
pub struct MyStore;

impl Target for MyStore {
    fn about(&self) -> About {
        About { name: "my-store".into(), version: "1.0".into(), clock: Clock::Virtual, purges: false }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Place { now: 1_700_000_000, stores: BTreeMap::new() }))
    }
}

/// A container: one store for each partition, all with the same settings.
struct Place {
    now: i64,
    stores: BTreeMap<PartitionKey, Store>,
}

impl Session for Place {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        if options.page.is_some() {
            return Err(Fault::Unsupported("no pages".into()));
        }
        let answer = match request {
            Request::CreateContainer(container) if self.stores.is_empty() => {
                let indexed = container.indexing != Indexing::None;
                json(container.default_ttl.as_ref())
                    .and_then(|ttl| Store::new(self.now, ttl.as_ref(), indexed))
                    .map(|store| {
                        self.stores.insert(DEFAULT_PARTITION.into(), store);
                        Response::new(Status::Created)
                    })
            }
            Request::CreateContainer(_) => Err(409),
            Request::ReplaceContainer(container) if !self.stores.is_empty() => {
                let indexed = container.indexing != Indexing::None;
                json(container.default_ttl.as_ref()).and_then(|ttl| {
                    self.stores.values_mut().try_for_each(|store| store.configure(ttl.as_ref(), indexed))?;
                    Ok(Response::new(Status::Ok))
                })
            }
            request => match self.partition(options) {
                None => Err(404),
                Some(store) => ask(store, request)?,
            },
        };
        Ok(answer.unwrap_or_else(|code| Response::new(status(code))))
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now += i64::try_from(seconds).map_err(|err| Fault::Unsupported(err.to_string()))?;
        self.stores.values_mut().for_each(|store| store.now = self.now);
        Ok(())
    }
}

impl Place {
    /// The partition that a request is about; `None` if there is no container.
    fn partition(&mut self, options: &RequestOptions) -> Option<&mut Store> {
        let empty = self.stores.get(DEFAULT_PARTITION)?.emptied();
        let key = options.partition.clone().unwrap_or_else(|| DEFAULT_PARTITION.into());
        Some(self.stores.entry(key).or_insert(empty))
    }
}

fn ask(store: &mut Store, request: &Request) -> Result<Result<Response, Refused>, Fault> {
    match request {
        Request::Item(operation) => operate(store, operation),
        Request::Query | Request::List => Ok(Ok(Response::ids(store.query()))),
        Request::Count => Ok(Ok(Response::count(store.query().len() as u64))),
        Request::Batch(_) => Err(Fault::Unsupported("no batches".into())),
        Request::CreateContainer(_) | Request::ReplaceContainer(_) => Ok(Err(404)),
    }
}

fn operate(store: &mut Store, operation: &Operation) -> Result<Result<Response, Refused>, Fault> {
    let id = operation.id();
    Ok(match operation {
        Operation::Create(document) => body(document)
            .and_then(|body| store.create(id, body))
            .map(|item| answer(Status::Created, id, &item)),
        Operation::Upsert(document) => body(document)
            .and_then(|body| store.upsert(id, body))
            .map(|(new, item)| answer(if new { Status::Created } else { Status::Ok }, id, &item)),
        Operation::Replace(document, etag) => body(document)
            .and_then(|body| store.replace(id, body, number(etag.as_ref())))
            .map(|item| answer(Status::Ok, id, &item)),
        Operation::Read(_) => store.read(id).map(|item| answer(Status::Found, id, item)),
        Operation::Delete(_, etag) => {
            store.delete(id, number(etag.as_ref())).map(|()| Response::new(Status::NoContent))
        }
        Operation::Patch(..) => return Err(Fault::Unsupported("no patches".into())),
    })
}

/// Returns the value that a JSON parser makes of it; a number that it cannot hold is a bad request.
fn json(literal: Option<&Literal>) -> Result<Option<Value>, Refused> {
    literal.map(|literal| serde_json::from_str(literal.as_str()).map_err(|_| 400)).transpose()
}

fn body(document: &Document) -> Result<Map<String, Value>, Refused> {
    let properties = document.properties.iter();
    properties.map(|(name, value)| Ok((name.clone(), json(Some(value))?.unwrap_or_default()))).collect()
}

fn answer(status: Status, id: &str, item: &Stored) -> Response {
    let properties = item.body.iter().map(|(name, value)| (name.clone(), Literal::from(value))).collect();
    let document = Document { id: id.into(), properties };
    Response::item(status, Item { document, ts: Some(item.ts), etag: Some(item.etag.to_string()) })
}

/// An etag that is none of ours matches nothing.
fn number(etag: Option<&Etag>) -> Option<u64> {
    etag.map(|etag| etag.parse().unwrap_or(u64::MAX))
}

fn status(code: Refused) -> Status {
    match code {
        400 => Status::BadRequest,
        404 => Status::NotFound,
        409 => Status::Conflict,
        412 => Status::PreconditionFailed,
        code => Status::Other(code),
    }
}
