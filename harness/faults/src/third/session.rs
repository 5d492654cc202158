//! The store as a target, and a session with its table.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{
    About, Clock, DEFAULT_PARTITION, Edition, Fault, Id, Indexing, Opening, Operation, PartitionKey, Removal,
    Request, RequestOptions, Response, Session, Status, Target,
};

use super::call::{FlawSite, Handler, HandlerCall};
use super::flaw::Flaw;
use super::latitude::{Latitude, LazyChoice, RowRemoval, USUAL};
use super::row::{RowDefault, RowTtl, StoredRow, TableSettings};

/// A table of rows as a target: correct, or with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct RowStore {
    /// Its name.
    pub name: &'static str,
    /// Its choices.
    pub latitude: Latitude,
    pub(super) flaw: Option<Flaw>,
}

impl RowStore {
    /// The correct store with the usual choices.
    pub const CORRECT: Self = Self { name: "third-correct", latitude: USUAL, flaw: None };
}

impl Target for RowStore {
    fn about(&self) -> About {
        let is_scheduled = self.latitude.removal == RowRemoval::Scheduled;
        let removals = [Removal::Never, Removal::Eager, Removal::Alternate];
        About {
            name: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: self.latitude.editions.to_vec(),
            removals: if is_scheduled { removals.to_vec() } else { Vec::new() },
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(RowSession {
            latitude: self.latitude,
            flaw: self.flaw,
            is_of_2020: opening.edition == Edition::Y2020,
            schedule: opening.removal,
            now: self.latitude.start_s,
            settings: None,
            rows: Vec::new(),
            partition: DEFAULT_PARTITION.into(),
            writes: 0,
            rids: 0,
            requests: 0,
            memory: RowMemory::default(),
        }))
    }
}

/// One session: a table with its settings, and its clock.
#[derive(Clone, Debug)]
pub(super) struct RowSession {
    pub(super) latitude: Latitude,
    pub(super) flaw: Option<Flaw>,
    pub(super) is_of_2020: bool,
    schedule: Option<Removal>,
    /// Seconds of the Unix epoch.
    pub(super) now: i64,
    pub(super) settings: Option<TableSettings>,
    pub(super) rows: Vec<StoredRow>,
    /// The partition of the request.
    pub(super) partition: PartitionKey,
    pub(super) writes: u64,
    pub(super) rids: u64,
    pub(super) requests: u64,
    pub(super) memory: RowMemory,
}

/// The memory of the store besides its rows; nearly all of it is for faults.
#[derive(Clone, Debug, Default)]
pub(super) struct RowMemory {
    pub(super) changed_s: Option<i64>,
    pub(super) default_before: RowDefault,
    /// When a lazy index was last built again.
    pub(super) rebuilt_s: Option<i64>,
    pub(super) first_default: RowDefault,
    pub(super) default_at_write: RowDefault,
    pub(super) switched_on_s: Option<i64>,
    pub(super) last_write_s: Option<i64>,
    pub(super) last_request_s: Option<i64>,
    pub(super) last_ts: Option<i64>,
    pub(super) last_batch_s: Option<i64>,
    pub(super) marked_ids: Vec<(PartitionKey, Id)>,
    pub(super) marked_rows: Vec<u64>,
    pub(super) collected: Vec<StoredRow>,
    pub(super) taken: BTreeSet<(PartitionKey, Id)>,
    pub(super) ttls: BTreeMap<(PartitionKey, Id), RowTtl>,
    pub(super) queried: BTreeMap<PartitionKey, Vec<Id>>,
    pub(super) read: BTreeMap<(PartitionKey, Id), Response>,
    pub(super) missed: BTreeSet<(PartitionKey, Id)>,
    pub(super) snapshot: Vec<Id>,
}

impl Session for RowSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.refuse_unsupported(request, options)?;
        self.partition = options.partition.clone().unwrap_or_else(|| DEFAULT_PARTITION.into());
        if matches!(request, Request::Batch(_)) && self.has(Flaw::BatchInDefault) {
            self.partition = DEFAULT_PARTITION.into();
        }
        self.requests = self.requests.wrapping_add(1);
        if self.schedule == Some(Removal::Alternate) && self.requests.is_multiple_of(2) {
            self.collect();
        }
        self.collect_by_itself(request);
        let response = self.dispatch(request, options);
        self.memory.last_request_s = Some(self.now);
        if self.schedule == Some(Removal::Eager) {
            self.collect();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now = self.now.saturating_add_unsigned(seconds);
        if self.schedule == Some(Removal::Eager) {
            self.collect();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if self.latitude.removal == RowRemoval::Scheduled {
            self.collect();
        }
        Ok(())
    }
}

impl RowSession {
    /// Sends a request to its handler.
    fn dispatch(&mut self, request: &Request, options: &RequestOptions) -> Response {
        let page = options.page.as_ref();
        match request {
            Request::CreateContainer(container) => Response::new(self.open_table(container)),
            Request::ReplaceContainer(container) => Response::new(self.change_table(container)),
            _ if self.settings.is_none() => Response::new(Status::NotFound),
            Request::Item(operation) => {
                let answer = self.operate(operation, HandlerCall::of(operation, false));
                answer.unwrap_or_else(Response::new)
            }
            Request::Batch(operations) => self.batch(operations),
            Request::Query => self.feed(Handler::Query, page),
            Request::List => self.feed(Handler::List, page),
            Request::Count => self.count(),
        }
    }

    /// Returns whether the store makes this mistake.
    pub(super) fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Returns whether the store makes this mistake where a call runs.
    pub(super) fn errs(&self, flaw: fn(FlawSite) -> Flaw, call: HandlerCall) -> bool {
        let handler = call.handler;
        let sites = [
            FlawSite::Of(handler),
            FlawSite::InBatch(handler),
            FlawSite::Conditional(handler),
            FlawSite::LaterPages(handler),
        ];
        self.flaw.is_some() && sites.into_iter().any(|site| site.is_met_by(call) && self.has(flaw(site)))
    }

    /// Returns the default in force.
    pub(super) fn default_now(&self) -> RowDefault {
        self.settings.map_or(RowDefault::Off, |settings| settings.default)
    }

    /// Returns whether indexing is lazy.
    pub(super) fn is_lazy(&self) -> bool {
        self.settings.is_some_and(|settings| settings.indexing == Indexing::Lazy)
    }

    fn refuse_unsupported(&self, request: &Request, options: &RequestOptions) -> Result<(), Fault> {
        let indexing = request.container().map(|container| container.indexing);
        let has_etag = request.operations().iter().any(|operation| operation.etag().is_some());
        let mut words: Vec<&str> = request.operations().iter().map(Operation::word).collect();
        words.push(request.word());
        let asked = [
            ("if-match", has_etag),
            ("partitions", options.partition.is_some()),
            ("pages", options.page.is_some()),
            ("lazy", indexing == Some(Indexing::Lazy)),
            ("unindexed", indexing == Some(Indexing::None)),
        ];
        words.extend(asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(word, _)| word));
        let is_lacking = |word: &&str| {
            self.latitude.lacks.contains(word)
                || *word == "lazy" && self.latitude.lazy == LazyChoice::Unsupported
        };
        match words.into_iter().find(is_lacking) {
            Some(word) => Err(Fault::Unsupported(format!("no {word}"))),
            None => Ok(()),
        }
    }
}
