//! The model behind the trait: translates requests, answers and clock, and decides nothing.
//!
//! ```
//! use cosmos_ttl_harness::{Verdict, embedded, run_virtual};
//! use cosmos_ttl_reference::Reference;
//!
//! let suite = embedded()?;
//! let run = run_virtual(&Reference::default(), &suite.vectors.iter().collect::<Vec<_>>())?;
//! assert!(run.results.iter().all(|result| result.verdict == Verdict::Pass));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The model knows items by numbers and their content as a number. Names and contents are kept here, each under the
//! number that stands for it.

use std::collections::BTreeMap;

use cosmos_ttl_model::container::{
    self as model, Content, Draft, ItemId, Refusal, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::rule::{self, Wire};
use cosmos_ttl_model::semantics::{Semantics, Shipped};

use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target::{
    About, Body, Clock, Container, Document, Edition, Etag, Fault, Indexing, Item, Opening, Operation, Patch,
    Properties, Removal, Request, Response, Session, Status, Target,
};

/// The model as a target, on a clock that the harness moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// Its choices where the documents leave one.
    pub interpretation: Interpretation,
}

/// The second of the Unix epoch at which every vector starts: late enough that the greatest ttl leads past 32 bits.
pub const START: i64 = 1_700_000_000;

impl Target for Reference {
    fn about(&self) -> About {
        About {
            name: "reference".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: vec![Edition::Y2020, Edition::Y2024],
            removals: vec![Removal::Never, Removal::Eager, Removal::Alternate],
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(self.place(*opening)))
    }
}

impl Reference {
    /// A place that can be copied, and whose background can also be moved item by item.
    pub fn place(self, opening: Opening) -> Place {
        Place::new(Shipped, self.interpretation, opening)
    }
}

/// One vector's container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<S = Shipped> {
    semantics: S,
    rules: Rules,
    removal: Removal,
    now: i64,
    world: Option<World>,
    names: Names,
    requests: u64,
}

impl<S: Semantics> Session for Place<S> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.requests = self.requests.saturating_add(1);
        if self.removal == Removal::Alternate && self.requests.is_multiple_of(2) {
            self.remove_expired();
        }
        let response = match request {
            Request::CreateContainer(container) => self.create_container(container),
            request => self.ask(request),
        };
        if self.removal == Removal::Eager {
            self.remove_expired();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now = self.now.saturating_add_unsigned(seconds);
        self.world = self.world.as_ref().map(|world| self.semantics.pass(world, seconds));
        if self.removal == Removal::Eager {
            self.remove_expired();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.remove_expired();
        Ok(())
    }
}

impl Place {
    /// Chooses otherwise from now on.
    pub fn interpret(&mut self, interpretation: Interpretation) {
        self.rules.interpretation = interpretation;
    }

    /// The model's world, once there is a container.
    pub fn world(&self) -> Option<&World> {
        self.world.as_ref()
    }

    /// The model's number for an item that was named before.
    pub fn number(&self, id: &str) -> Option<ItemId> {
        let number = self.names.ids.iter().position(|known| known == id)?;
        u32::try_from(number).ok().map(ItemId)
    }

    /// The same place after the background took this item; `None` where it must not.
    pub fn without(&self, id: ItemId) -> Option<Self> {
        let world = self.world.as_ref()?.remove(id)?;
        Some(Self { world: Some(world), ..self.clone() })
    }
}

impl<S: Semantics> Place<S> {
    /// A place in which these functions run, the shipped ones or others.
    pub fn new(semantics: S, interpretation: Interpretation, opening: Opening) -> Self {
        Self {
            semantics,
            rules: Rules { edition: edition(opening.edition), interpretation },
            removal: opening.removal.unwrap_or(Removal::Never),
            now: START,
            world: None,
            names: Names::default(),
            requests: 0,
        }
    }

    fn create_container(&mut self, container: &Container) -> Response {
        if self.world.is_some() {
            return Response::new(Status::Conflict);
        }
        match self.semantics.open(self.rules, self.now, settings(container)) {
            Ok(world) => {
                self.world = Some(world);
                Response::new(Status::Created)
            }
            Err(refusal) => Response::new(refused(refusal)),
        }
    }

    fn ask(&mut self, request: &Request) -> Response {
        let Some(world) = &self.world else {
            return Response::new(Status::NotFound);
        };
        let request = match request {
            Request::Item(operation) => {
                model::Request::Item(self.names.operation(world, operation, &mut BTreeMap::new()))
            }
            Request::Batch(operations) => {
                let mut drafts = BTreeMap::new();
                let operations = operations.iter().map(|one| self.names.operation(world, one, &mut drafts));
                model::Request::Batch(operations.collect())
            }
            Request::Query | Request::List => model::Request::Query,
            Request::Count => model::Request::Count,
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                model::Request::Configure(settings(container))
            }
        };
        let (world, response) = self.semantics.step(world, self.rules, &request);
        self.world = Some(world);
        self.names.response(&request, response)
    }

    fn remove_expired(&mut self) {
        let removed = |world: &World| world.items.keys().find_map(|id| self.semantics.remove(world, *id));
        while let Some(world) = self.world.as_ref().and_then(removed) {
            self.world = Some(world);
        }
    }
}

/// What the model's numbers stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Names {
    ids: Vec<String>,
    contents: Vec<Properties>,
}

impl Names {
    fn id(&mut self, name: &str) -> ItemId {
        let number = self.ids.iter().position(|known| known == name).unwrap_or_else(|| {
            self.ids.push(name.into());
            self.ids.len().saturating_sub(1)
        });
        ItemId(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn content(&mut self, mut properties: Properties) -> Content {
        // The service sets these, whatever a client sends.
        properties.retain(|name, _| !matches!(name.as_str(), "_ts" | "_etag"));
        let number = self.contents.iter().position(|known| *known == properties).unwrap_or_else(|| {
            self.contents.push(properties);
            self.contents.len().saturating_sub(1)
        });
        Content(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn properties(&self, content: Content) -> Properties {
        usize::try_from(content.0)
            .ok()
            .and_then(|number| self.contents.get(number))
            .cloned()
            .unwrap_or_default()
    }

    fn draft(&mut self, document: &Document) -> Draft {
        let content = self.content(document.properties.clone());
        Draft { id: self.id(&document.id), ttl: wire(document.ttl()), content }
    }

    /// Translates an operation; `drafts` holds the contents that the same batch wrote before.
    fn operation(
        &mut self,
        world: &World,
        operation: &Operation,
        drafts: &mut BTreeMap<ItemId, Content>,
    ) -> model::Operation {
        let operation = match operation {
            Operation::Create(document) => model::Operation::Create(self.draft(document)),
            Operation::Upsert(document) => model::Operation::Upsert(self.draft(document)),
            Operation::Replace(document, etag) => {
                model::Operation::Replace { draft: self.draft(document), if_match: if_match(etag.as_ref()) }
            }
            Operation::Patch(patch, etag) => self.patch(world, patch, etag.as_ref(), drafts),
            Operation::Read(id) => model::Operation::Read(self.id(id)),
            Operation::Delete(id, etag) => {
                model::Operation::Delete { id: self.id(id), if_match: if_match(etag.as_ref()) }
            }
        };
        match &operation {
            model::Operation::Create(draft)
            | model::Operation::Upsert(draft)
            | model::Operation::Replace { draft, .. } => {
                drafts.insert(draft.id, draft.content);
            }
            model::Operation::Patch { id, content: Some(content), .. } => {
                drafts.insert(*id, *content);
            }
            model::Operation::Patch { .. } | model::Operation::Read(_) | model::Operation::Delete { .. } => {}
        }
        operation
    }

    fn patch(
        &mut self,
        world: &World,
        patch: &Patch,
        etag: Option<&Etag>,
        drafts: &BTreeMap<ItemId, Content>,
    ) -> model::Operation {
        let id = self.id(&patch.id);
        let old = drafts.get(&id).copied().or_else(|| world.items.get(&id).map(|item| item.content));
        let mut properties = old.map_or_else(Properties::new, |content| self.properties(content));
        properties.extend(patch.set.clone());
        for name in &patch.remove {
            properties.remove(name);
        }
        let ttl = match patch.set.get("ttl") {
            Some(ttl) => TtlChange::Set(wire(Some(ttl))),
            None if patch.remove.iter().any(|name| name == "ttl") => TtlChange::Remove,
            None => TtlChange::Keep,
        };
        model::Operation::Patch { id, ttl, content: Some(self.content(properties)), if_match: if_match(etag) }
    }

    fn response(&self, request: &model::Request, response: model::Response) -> Response {
        match response {
            model::Response::Created(item) => Response::item(Status::Created, self.item(request, &item)),
            model::Response::Ok(item) => Response::item(Status::Ok, self.item(request, &item)),
            model::Response::Found(item) => Response::item(Status::Found, self.item(request, &item)),
            model::Response::NoContent => Response::new(Status::NoContent),
            model::Response::Configured => Response::new(Status::Ok),
            model::Response::Ids(ids) => Response::ids(ids.into_iter().map(|id| self.name(id)).collect()),
            model::Response::Count(count) => Response::count(u64::try_from(count).unwrap_or(u64::MAX)),
            model::Response::Refused(refusal) => Response::new(refused(refusal)),
            model::Response::Committed(responses) => {
                let statuses = responses.into_iter().map(|one| self.response(request, one).status).collect();
                Response { body: Body::Committed(statuses), ..Response::new(Status::Ok) }
            }
            model::Response::Aborted { at, refusal } => {
                Response { body: Body::Aborted { at }, ..Response::new(refused(refusal)) }
            }
        }
    }

    fn item(&self, request: &model::Request, item: &model::Item) -> Item {
        let id = match request {
            model::Request::Item(operation) => self.name(operation.id()),
            _ => String::new(),
        };
        Item {
            document: Document { id, properties: self.properties(item.content) },
            ts: Some(item.ts),
            etag: Some(format!("\"{}\"", item.etag.0)),
        }
    }

    fn name(&self, id: ItemId) -> String {
        usize::try_from(id.0).ok().and_then(|number| self.ids.get(number)).cloned().unwrap_or_default()
    }
}

/// A container's settings, as the model takes them.
pub fn settings(container: &Container) -> SettingsDraft {
    let indexing = match container.indexing {
        Indexing::Consistent => model::Indexing::Consistent,
        Indexing::Lazy => model::Indexing::Lazy,
        Indexing::None => model::Indexing::None,
    };
    SettingsDraft { default_ttl: wire(container.default_ttl.as_ref()), indexing }
}

/// Returns the model's name for an edition.
pub fn edition(edition: Edition) -> rule::Edition {
    match edition {
        Edition::Y2020 => rule::Edition::Y2020,
        Edition::Y2024 => rule::Edition::Y2024,
    }
}

/// Returns a `ttl` or `defaultTtl` as the model takes it.
pub fn wire(literal: Option<&Literal>) -> Wire {
    match literal.map(Literal::kind) {
        None => Wire::Absent,
        Some(Kind::Null) => Wire::Null,
        Some(Kind::Whole(number)) => Wire::Whole(number),
        Some(Kind::WholeAsFraction(number)) => Wire::WholeAsFraction(number),
        Some(Kind::Other) => Wire::NoNumber,
    }
}

/// An etag that is none of ours matches nothing.
fn if_match(etag: Option<&Etag>) -> Option<model::Etag> {
    etag.map(|etag| model::Etag(etag.trim_matches('"').parse().unwrap_or(u32::MAX)))
}

/// What a client is told of a refusal.
pub fn refused(refusal: Refusal) -> Status {
    match refusal {
        Refusal::BadRequest => Status::BadRequest,
        Refusal::NotFound => Status::NotFound,
        Refusal::Conflict => Status::Conflict,
        Refusal::PreconditionFailed => Status::PreconditionFailed,
        Refusal::TooManyRequests => Status::TooManyRequests,
    }
}
