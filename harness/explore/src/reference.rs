//! The model behind the trait: translates requests, answers and clock, and decides nothing.
//!
//! ```
//! use cosmos_ttl_harness::{Verdict, embedded, run_virtual};
//! use cosmos_ttl_explore::reference::Reference;
//!
//! let suite = embedded()?;
//! let run = run_virtual(&Reference::default(), &suite.vectors.iter().collect::<Vec<_>>())?;
//! assert!(run.results.iter().all(|result| result.verdict == Verdict::Pass));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`translate`] is the only place where a client's request becomes a request of the model.

mod pages;
pub mod translate;

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{
    About, Body, Clock, Container, ContainerName, Document, Etag, Fault, MOST_OPERATIONS, Part, PartitionKey,
    Request, RequestOptions, Response, Select, Session, Status, Target,
};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{self as model, World};

pub use translate::{Names, settings, status};

/// The model as a target, on a virtual clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// Its choices where the documents leave one.
    pub preferences: Preferences,
}

/// The second of the Unix epoch at which every vector starts: late enough that the greatest ttl leads past 32 bits.
pub const START: i64 = 1_700_000_000;

impl Target for Reference {
    fn about(&self) -> About {
        About {
            name: "reference".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            purges: true,
        }
    }

    fn offers(&self) -> BTreeSet<Part> {
        Part::optional()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Account { preferences: self.preferences, now: START, containers: BTreeMap::new() }))
    }
}

/// One vector's session: its containers by name, `None` for the first one, all under one clock.
struct Account {
    preferences: Preferences,
    now: i64,
    containers: BTreeMap<Option<ContainerName>, ModelSession>,
}

impl Session for Account {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let new = || ModelSession { now: self.now, ..ModelSession::new(self.preferences) };
        self.containers.entry(options.container.clone()).or_insert_with(new).send_with(request, options)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now = self.now.saturating_add_unsigned(seconds);
        self.containers.values_mut().try_for_each(|container| container.pass(seconds))
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.containers.values_mut().try_for_each(ModelSession::purge)
    }
}

/// One vector's session with the model: its container and its clock.
///
/// The model knows one partition. A container is one world for each partition, all with the same settings and clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSession {
    preferences: Preferences,
    now: i64,
    /// By partition, `None` for the default one, which exists as soon as the container does.
    worlds: BTreeMap<Option<PartitionKey>, World>,
    names: Names,
}

impl Session for ModelSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let response = match request {
            Request::CreateContainer(container) => self.create_container(container),
            Request::ReplaceContainer(_) => self.replace_container(request),
            _ if self.worlds.is_empty() => Response::new(Status::NotFound),
            Request::ReadContainer => self.shown(Status::Ok),
            Request::DeleteContainer => {
                // With its world all that is known of it is gone.
                self.worlds.clear();
                Response::new(Status::NoContent)
            }
            Request::Select(select) => self.select(options.partition.as_ref(), select),
            Request::ReadMany(ids) => {
                let mut response = self.ask(options, &Request::Query);
                if let Body::Ids(found) = &mut response.body {
                    found.retain(|id| ids.contains(id));
                }
                response
            }
            Request::Batch(all) if all.len() > MOST_OPERATIONS => Response::new(Status::BadRequest),
            request => self.ask(options, request),
        };
        Ok(match &options.page {
            Some(page) => pages::page(&self.names, response, page),
            None => response,
        })
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now = self.now.saturating_add_unsigned(seconds);
        for world in self.worlds.values_mut() {
            world.wait(seconds);
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        for world in self.worlds.values_mut() {
            let expired: Vec<_> = world.expired_ids().collect();
            for id in expired {
                world.remove(id);
            }
        }
        Ok(())
    }
}

impl ModelSession {
    /// Opens a session that chooses so.
    pub fn new(preferences: Preferences) -> Self {
        Self { preferences, now: START, worlds: BTreeMap::new(), names: Names::default() }
    }

    /// Returns the world of a partition, `None` for the default one, if something was asked of it.
    pub fn world(&self, partition: Option<&PartitionKey>) -> Option<&World> {
        self.worlds.get(&partition.cloned())
    }

    /// Returns the world of each partition that something was asked of, in the order of the partition keys.
    pub fn worlds(&self) -> impl Iterator<Item = (Option<&PartitionKey>, &World)> {
        self.worlds.iter().map(|(partition, world)| (partition.as_ref(), world))
    }

    /// Returns the names that the numbers of the worlds stand for.
    pub fn names(&self) -> &Names {
        &self.names
    }

    fn create_container(&mut self, container: &Container) -> Response {
        if !self.worlds.is_empty() {
            return Response::new(Status::Conflict);
        }
        let opened = World::new(self.now, settings(container), &mut self.preferences);
        let status = opened.as_ref().map_or_else(|refusal| translate::refused(*refusal), |_| Status::Created);
        self.worlds.extend(opened.ok().map(|world| (None, world)));
        if status == Status::Created { self.shown(status) } else { Response::new(status) }
    }

    /// The container's settings, which every partition has.
    fn shown(&self, status: Status) -> Response {
        let default_ttl = self.worlds.values().next().and_then(|world| world.settings.default_ttl);
        Response::container(status, translate::literal(translate::setting(default_ttl)))
    }

    fn select(&self, partition: Option<&PartitionKey>, select: &Select) -> Response {
        let here = self.worlds.iter().filter(|(key, _)| select.across || key.as_ref() == partition);
        let items = here.flat_map(|(_, world)| {
            world.visible_ids().filter_map(|id| Some((id, world.visible(id)?.content)))
        });
        let documents: Vec<Document> = items
            .map(|(id, content)| Document {
                id: self.names.name(id).into(),
                properties: self.names.properties(content).cloned().unwrap_or_default(),
            })
            .collect();
        select.answer(documents.iter())
    }

    /// Replaces the settings of every partition, which all answer alike.
    fn replace_container(&mut self, request: &Request) -> Response {
        let mut response = Response::new(Status::NotFound);
        for world in self.worlds.values_mut() {
            let request = self.names.request(world, request);
            let answer = world.answer(&request, &mut self.preferences);
            response = self.names.response(None, &answer);
        }
        if response.status == Status::Ok { self.shown(Status::Ok) } else { response }
    }

    fn ask(&mut self, options: &RequestOptions, request: &Request) -> Response {
        let partition = options.partition.as_ref();
        let Some(default) = self.worlds.get(&None) else {
            return Response::new(Status::NotFound);
        };
        let World { now, settings, next_etag, index, .. } = *default;
        // A partition is there before its first item is.
        let empty = || World { now, settings, items: BTreeMap::new(), next_etag, index };
        let world = self.worlds.entry(partition.cloned()).or_insert_with(empty);
        let mut request = self.names.request(world, request);
        let etag = |etag: &Option<Etag>| {
            etag.as_ref().filter(|etag| *etag != "*").map(|etag| translate::etag_of(etag))
        };
        match (&mut request, etag(&options.if_none_match), etag(&options.if_match)) {
            (model::Request::Item(read @ model::Operation::Read(_)), Some(etag), _) => {
                *read = model::Operation::ReadUnless { id: read.id(), etag };
            }
            // An upsert of a visible item is as conditional as its replacement; of any other the condition says nothing.
            (model::Request::Item(model::Operation::Upsert(draft)), _, Some(etag))
                if world.visible(draft.id).is_some() =>
            {
                let (draft, if_match) = (*draft, Some(etag));
                request = model::Request::Item(model::Operation::Replace { draft, if_match });
            }
            _ => {}
        }
        let response = world.answer(&request, &mut self.preferences);
        let about = if let model::Request::Item(operation) = &request { Some(operation.id()) } else { None };
        self.names.response(about, &response)
    }
}
