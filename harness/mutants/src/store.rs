//! One container: a list of rows that is searched from the top, every time.

mod background;
mod batch;
mod domain;
mod items;
mod lifetime;
mod looks;
mod row;
mod settings;
mod state;
mod writes;

use super::choices::{Choices, Pick};
use super::mutation::{Aftermath, By, Cause, Look, Mutation as M, Return};
use cosmos_ttl_harness::target::{Container, Edition, Indexing, Request, Response, Status};
use row::{Past, Row, Says};
pub(super) use state::{ContainerState, Labels};

/// How a store differs from the one that is right and chooses what the evidence favours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    pub(super) choices: Choices,
    pub(super) latched: Pick,
    pub(super) mutation: Option<M>,
}

/// A container.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// The second of the Unix epoch.
    now: i128,
    variant: Variant,
    edition: Edition,
    default: Says,
    indexing: Indexing,
    rows: Vec<Row>,
    tags: u64,
    /// How many requests there were.
    requests: u64,
    lagging: bool,
    /// A batch is under way.
    batch: bool,
    past: Past,
}

impl Store {
    /// An empty container; or the status of the refusal, and what there is all the same by mistake.
    pub(super) fn create(
        variant: Variant,
        edition: Edition,
        now: i128,
        container: &Container,
    ) -> Result<Self, (Status, Option<Box<Self>>)> {
        let past = Past { moment: 1, born: now, changed: now, on_since: now, ..Past::default() };
        let mut store = Self {
            now,
            variant,
            edition,
            default: Says::Nothing,
            indexing: container.indexing,
            rows: Vec::new(),
            tags: 0,
            requests: 0,
            lagging: false,
            batch: false,
            past,
        };
        match store.configure(By::Create, container) {
            Ok(()) => {
                store.lagging = false;
                Ok(store)
            }
            Err(status) => {
                let made = variant.mutation == Some(M::RefusedSettings(Aftermath::MakesContainer));
                Err((status, made.then(|| Box::new(store))))
            }
        }
    }

    /// Moves the clock.
    pub(super) fn pass(&mut self, now: i128) {
        self.now = now;
        self.past.moment = 0;
    }

    /// Answers a request, [`Request::CreateContainer`] aside.
    pub(super) fn answer(&mut self, request: &Request) -> Response {
        self.requests = self.requests.wrapping_add(1);
        self.past.moment = self.past.moment.saturating_add(1);
        let response = match request {
            Request::CreateContainer(_) => Response::new(Status::Conflict),
            Request::ReplaceContainer(container) => match self.configure(By::Replace, container) {
                Ok(()) => return Response::new(Status::Ok),
                Err(status) => return Response::new(status),
            },
            Request::Item(operation) => self.operate(operation).unwrap_or_else(Response::new),
            Request::Batch(operations) => self.batch(operations),
            Request::Query => self.list(Look::Query, Cause::Query),
            Request::List => self.list(Look::List, Cause::List),
            Request::Count => self.count(),
        };
        if self.errs(M::Returns(Return::ForOneLook)) {
            self.hide_what_came_back();
        }
        response
    }

    fn hide_what_came_back(&mut self) {
        let back = self.rows.iter_mut().filter(|row| row.past.expired_before);
        back.for_each(|row| row.past.seen_back = true);
    }

    fn errs(&self, mutation: M) -> bool {
        self.variant.mutation == Some(mutation)
    }

    /// The item as one of these looks finds it.
    fn find(&self, id: &str, looks: &[Look]) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id && !self.is_expired(row, looks))
    }

    /// A choice that nothing binds.
    fn takes_now(&self, pick: Pick) -> bool {
        pick.of(self.requests)
    }

    /// How an item is written.
    fn by(&self, by: By) -> [By; 2] {
        [by, if self.batch { By::Batch } else { by }]
    }

    /// In which ways an item is looked at.
    fn looks(&self, look: Look, conditional: bool) -> [Look; 3] {
        let in_batch = if look == Look::Read { Look::ReadInBatch } else { Look::InBatch };
        [look, if self.batch { in_batch } else { look }, if conditional { Look::Conditional } else { look }]
    }
}
