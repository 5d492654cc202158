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

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{
    About, Clock, Container, Fault, MOST_OPERATIONS, PartitionKey, Request, RequestOptions, Response,
    Session, Status, Target,
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

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(ModelSession::new(self.preferences)))
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
            Request::Batch(all) if all.len() > MOST_OPERATIONS => Response::new(Status::BadRequest),
            request => self.ask(options.partition.as_ref(), request),
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
        Response::new(status)
    }

    /// Replaces the settings of every partition, which all answer alike.
    fn replace_container(&mut self, request: &Request) -> Response {
        let mut response = Response::new(Status::NotFound);
        for world in self.worlds.values_mut() {
            let request = self.names.request(world, request);
            let answer = world.answer(&request, &mut self.preferences);
            response = self.names.response(None, &answer);
        }
        response
    }

    fn ask(&mut self, partition: Option<&PartitionKey>, request: &Request) -> Response {
        let Some(default) = self.worlds.get(&None) else {
            return Response::new(Status::NotFound);
        };
        let World { now, settings, next_etag, index, .. } = *default;
        // A partition is there before its first item is.
        let empty = || World { now, settings, items: BTreeMap::new(), next_etag, index };
        let world = self.worlds.entry(partition.cloned()).or_insert_with(empty);
        let request = self.names.request(world, request);
        let response = world.answer(&request, &mut self.preferences);
        let about = if let model::Request::Item(operation) = &request { Some(operation.id()) } else { None };
        self.names.response(about, &response)
    }
}
