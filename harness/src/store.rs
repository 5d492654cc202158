//! The short way to put a store in Rust under test: one method for each request, in the words of a client of the REST API.
//!
//! An item is a JSON object with `id`, `_ts` and `_etag`, and a refusal is a status code. A request that a store does not
//! implement is *unsupported*, never wrong. [`Target`] itself says more: a real clock, removal on request, lost replies.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::literal::Literal;
use crate::target::{
    About, Clock, Container, DEFAULT_PARTITION, Document, Fault, Indexing, Item, Operation, Part, Properties,
    Request, RequestOptions, Response, Select, Session, Status, Target,
};

/// Why a request has no answer of success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The store refuses it with this status code: 400, 404, 409, 412.
    Status(u16),
    /// The store has no such request.
    Unsupported,
}

impl From<u16> for Refused {
    fn from(code: u16) -> Self {
        Self::Status(code)
    }
}

/// What a store answers.
pub type Answer<T> = Result<T, Refused>;

/// The properties of an item, `id` included.
pub type Body = Map<String, Value>;

/// An item's partition key and `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// The partition key.
    pub partition: &'a str,
    /// The `id`.
    pub id: &'a str,
}

/// A store under test: an account with at most one container, and a clock that only the harness moves.
///
/// An answer with an item shows its properties with the store's own `_ts`, in seconds, and `_etag`.
///
/// # Errors
///
/// Each request may be [`Refused`]; a request that a store does not implement is.
#[expect(unused_variables, reason = "the names say what an implementation gets")]
#[expect(clippy::missing_errors_doc, reason = "the errors of all are those above")]
pub trait Store: Send {
    /// Moves the clock forward.
    fn pass(&mut self, seconds: u64);

    /// Creates the container; `default_ttl` is any JSON value, `None` where the client leaves it out.
    fn create_container(&mut self, default_ttl: Option<Value>, indexing: Indexing) -> Answer<()>;

    /// Replaces the container's settings as a whole: a setting that is left out is off.
    fn replace_container(&mut self, default_ttl: Option<Value>, indexing: Indexing) -> Answer<()> {
        Err(Refused::Unsupported)
    }

    /// Creates an item.
    fn create(&mut self, key: Key<'_>, body: Body) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    /// Creates an item or replaces it; returns whether it was created.
    fn upsert(&mut self, key: Key<'_>, body: Body) -> Answer<(bool, Body)> {
        Err(Refused::Unsupported)
    }

    /// Replaces an item as a whole, if its etag is this one.
    fn replace(&mut self, key: Key<'_>, body: Body, if_match: Option<&str>) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    /// Sets and removes properties of an item, if its etag is this one.
    fn patch(&mut self, key: Key<'_>, set: Body, remove: &[String], if_match: Option<&str>) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    /// Reads an item.
    fn read(&mut self, key: Key<'_>) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    /// Deletes an item, if its etag is this one.
    fn delete(&mut self, key: Key<'_>, if_match: Option<&str>) -> Answer<()> {
        Err(Refused::Unsupported)
    }

    /// Returns the ids of all items of a partition.
    fn query(&mut self, partition: &str) -> Answer<Vec<String>> {
        Err(Refused::Unsupported)
    }

    /// Returns the same from the feed of items.
    fn list(&mut self, partition: &str) -> Answer<Vec<String>> {
        self.query(partition)
    }

    /// Returns the number of items of a partition.
    fn count(&mut self, partition: &str) -> Answer<usize> {
        self.query(partition).map(|ids| ids.len())
    }

    /// Returns a page of at most `size` ids, and the text at which the next page continues, if there is one.
    fn page(
        &mut self,
        partition: &str,
        size: usize,
        from: Option<&str>,
    ) -> Answer<(Vec<String>, Option<String>)> {
        Err(Refused::Unsupported)
    }

    /// Returns the container's `defaultTtl`, `None` where it has none.
    fn read_container(&mut self) -> Answer<Option<Value>> {
        Err(Refused::Unsupported)
    }

    /// Deletes the container with its items.
    fn delete_container(&mut self) -> Answer<()> {
        Err(Refused::Unsupported)
    }

    /// Answers a query of another shape; [`Select::answer`] makes the answer of the items of a partition.
    fn select(&mut self, partition: &str, select: &Select) -> Answer<Response> {
        Err(Refused::Unsupported)
    }

    /// Returns those of these ids of which there is an item.
    fn read_many(&mut self, partition: &str, ids: &[String]) -> Answer<Vec<String>> {
        Err(Refused::Unsupported)
    }

    /// Executes operations, all or none; returns the code of each, or the one that was refused and its code.
    fn batch(&mut self, partition: &str, operations: &[Operation]) -> Answer<Result<Vec<u16>, (usize, u16)>> {
        Err(Refused::Unsupported)
    }
}

/// A store as a target; made by [`target`].
#[derive(Clone, Debug)]
pub struct StoreTarget<F> {
    name: String,
    new: F,
    without: BTreeSet<Part>,
    offers: BTreeSet<Part>,
}

impl<F> StoreTarget<F> {
    /// Announces optional parts that the store offers: it is asked for no others.
    #[must_use]
    pub fn offering(self, parts: impl IntoIterator<Item = Part>) -> Self {
        Self { offers: parts.into_iter().collect(), ..self }
    }

    /// Declares parts that the store does not offer: nothing of them is judged, and the conclusion names them.
    #[must_use]
    pub fn without(self, parts: impl IntoIterator<Item = Part>) -> Self {
        Self { without: parts.into_iter().collect(), ..self }
    }
}

/// Returns a target whose every session is a new store.
pub fn target<S: Store + 'static, F: Fn() -> S + Sync>(name: impl Into<String>, new: F) -> StoreTarget<F> {
    StoreTarget { name: name.into(), new, without: BTreeSet::new(), offers: BTreeSet::new() }
}

impl<S: Store + 'static, F: Fn() -> S + Sync> Target for StoreTarget<F> {
    fn about(&self) -> About {
        About { name: self.name.clone(), version: String::new(), clock: Clock::Virtual, purges: false }
    }

    fn without(&self) -> BTreeSet<Part> {
        self.without.clone()
    }

    fn offers(&self) -> BTreeSet<Part> {
        self.offers.clone()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(StoreSession((self.new)())))
    }
}

struct StoreSession<S>(S);

impl<S: Store> Session for StoreSession<S> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        match ask(&mut self.0, request, options) {
            Ok(response) => response,
            Err(Refused::Status(code)) => Ok(Response::new(Status::from_code(code, false))),
            Err(Refused::Unsupported) => Err(Fault::Unsupported(format!("no `{}`", part(request, options)))),
        }
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.0.pass(seconds);
        Ok(())
    }
}

fn part(request: &Request, options: &RequestOptions) -> &'static str {
    if options.page.is_some() { "page" } else { request.word() }
}

fn ask<S: Store>(
    store: &mut S,
    request: &Request,
    options: &RequestOptions,
) -> Answer<Result<Response, Fault>> {
    if options.container.is_some() || options.if_match.is_some() || options.if_none_match.is_some() {
        return Err(Refused::Unsupported);
    }
    let partition = options.partition.as_deref().unwrap_or(DEFAULT_PARTITION);
    let page = options.page.as_ref();
    Ok(Ok(match request {
        Request::CreateContainer(Container { default_ttl, indexing }) => {
            store.create_container(json(default_ttl.as_ref())?, *indexing)?;
            Response::new(Status::Created)
        }
        Request::ReplaceContainer(Container { default_ttl, indexing }) => {
            store.replace_container(json(default_ttl.as_ref())?, *indexing)?;
            Response::new(Status::Ok)
        }
        Request::ReadContainer => {
            let default_ttl = store.read_container()?;
            Response::container(Status::Ok, default_ttl.as_ref().map(Literal::from))
        }
        Request::DeleteContainer => {
            store.delete_container()?;
            Response::new(Status::NoContent)
        }
        Request::Select(select) => store.select(partition, select)?,
        Request::ReadMany(ids) => Response::ids(store.read_many(partition, ids)?),
        Request::Item(Operation::Patch(patch, _)) if !patch.operations.is_empty() => {
            return Err(Refused::Unsupported);
        }
        Request::Item(operation) => return operate(store, partition, operation),
        Request::Query | Request::List if let Some(page) = page => {
            let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
            let (ids, next) = store.page(partition, size, page.continuation.as_deref())?;
            Response::ids(ids).continued(next)
        }
        Request::Query => Response::ids(store.query(partition)?),
        Request::List => Response::ids(store.list(partition)?),
        Request::Count => Response::count(store.count(partition)? as u64),
        Request::Batch(operations) => match store.batch(partition, operations)? {
            Ok(codes) => {
                let statuses = codes.into_iter().map(|code| Status::from_code(code, false));
                Response::committed(statuses.collect()).answering(request)
            }
            Err((at, code)) => Response::aborted(Status::from_code(code, false), at),
        },
    }))
}

fn operate<S: Store>(
    store: &mut S,
    partition: &str,
    operation: &Operation,
) -> Answer<Result<Response, Fault>> {
    let key = Key { partition, id: operation.id() };
    let if_match = operation.etag().map(String::as_str);
    let (status, answer) = match operation {
        Operation::Create(document) => (Status::Created, store.create(key, body(document)?)?),
        Operation::Upsert(document) => {
            let (created, answer) = store.upsert(key, body(document)?)?;
            (if created { Status::Created } else { Status::Ok }, answer)
        }
        Operation::Replace(document, _) => (Status::Ok, store.replace(key, body(document)?, if_match)?),
        Operation::Patch(patch, _) => {
            (Status::Ok, store.patch(key, values(&patch.set)?, &patch.remove, if_match)?)
        }
        Operation::Read(_) => (Status::Found, store.read(key)?),
        Operation::Delete(..) => {
            store.delete(key, if_match)?;
            return Ok(Ok(Response::new(Status::NoContent)));
        }
    };
    Ok(item(&answer).map(|item| Response::item(status, item)))
}

/// The value that a JSON parser makes of it; one that it cannot hold is a bad request.
fn json(literal: Option<&Literal>) -> Answer<Option<Value>> {
    literal
        .map(|literal| serde_json::from_str(literal.as_str()).map_err(|_| Refused::Status(400)))
        .transpose()
}

fn values(properties: &Properties) -> Answer<Body> {
    let value = |(name, literal): (&String, _)| Ok((name.clone(), json(Some(literal))?.unwrap_or_default()));
    properties.iter().map(value).collect()
}

fn body(document: &Document) -> Answer<Body> {
    let mut all = values(&document.properties)?;
    all.insert("id".into(), document.id.clone().into());
    Ok(all)
}

fn item(body: &Body) -> Result<Item, Fault> {
    let properties = body.iter().map(|(name, value)| (name.clone(), Literal::from(value))).collect();
    let why = "an answer that is no item: `id` must be a string, `_ts` a whole number and `_etag` a string";
    Item::from_properties(properties).ok_or_else(|| Fault::Broken(why.into()))
}
