//! The store as a target, and a session with its facts and projections.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{
    About, Body, Clock, DEFAULT_PARTITION, Edition, Etag, Fault, Id, Indexing, Item, Opening, Operation,
    PartitionKey, Removal, Request, RequestOptions, Response, Session, Status, Target,
};

use super::allowance::{Allowance, Lack, LedgerRemoval, PLAIN};
use super::batch::item_of;
use super::fold::{Fact, LedgerEntry, Shelf};
use super::rule::{LedgerDefault, LedgerKey};
use super::slip::{Path, Slip};

/// An event-sourced store as a target: correct, or with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct LedgerStore {
    /// Its name.
    pub name: &'static str,
    /// Its choices.
    pub allowance: Allowance,
    pub(super) slip: Option<Slip>,
}

impl LedgerStore {
    /// The correct store with the usual choices.
    pub const CORRECT: Self = Self { name: "seventh-correct", allowance: PLAIN, slip: None };
}

impl Target for LedgerStore {
    fn about(&self) -> About {
        let removals = match self.allowance.removal {
            LedgerRemoval::Scheduled => vec![Removal::Never, Removal::Eager, Removal::Alternate],
            LedgerRemoval::OnDemand => vec![Removal::Never],
            _ => Vec::new(),
        };
        About {
            name: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: self.allowance.editions.to_vec(),
            removals,
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(LedgerSession {
            allowance: self.allowance,
            slip: self.slip,
            is_of_2020: opening.edition == Edition::Y2020,
            schedule: opening.removal,
            now_s: self.allowance.start_s,
            settings: None,
            facts: Vec::new(),
            shelf: Shelf::new(),
            board: Shelf::new(),
            partition: DEFAULT_PARTITION.into(),
            writes: 0,
            requests: 0,
            memory: LedgerMemory::default(),
        }))
    }
}

/// The settings in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LedgerSettings {
    pub(super) default: LedgerDefault,
    pub(super) indexing: Indexing,
}

/// One session: its facts, its projections and its clock.
#[derive(Clone, Debug)]
pub(super) struct LedgerSession {
    pub(super) allowance: Allowance,
    pub(super) slip: Option<Slip>,
    pub(super) is_of_2020: bool,
    pub(super) schedule: Option<Removal>,
    pub(super) now_s: i64,
    pub(super) settings: Option<LedgerSettings>,
    pub(super) facts: Vec<Fact>,
    /// The projection for point requests.
    pub(super) shelf: Shelf,
    /// The projection for queries, lists and counts.
    pub(super) board: Shelf,
    /// The partition of the request.
    pub(super) partition: PartitionKey,
    pub(super) writes: u64,
    pub(super) requests: u64,
    pub(super) memory: LedgerMemory,
}

/// What a session remembers besides its facts; nearly all of it is for mistakes.
#[derive(Clone, Debug, Default)]
pub(super) struct LedgerMemory {
    /// When the default was last changed.
    pub(super) changed_s: Option<i64>,
    pub(super) default_before: LedgerDefault,
    pub(super) first_default: LedgerDefault,
    pub(super) default_at_last_write: LedgerDefault,
    pub(super) lowest: Option<i128>,
    pub(super) is_first_after_change: bool,
    pub(super) swept: BTreeSet<LedgerKey>,
    pub(super) marked: BTreeSet<LedgerKey>,
    pub(super) missed: BTreeSet<LedgerKey>,
    pub(super) hidden: BTreeSet<LedgerKey>,
    pub(super) stays_hidden: BTreeSet<u64>,
    pub(super) covered: BTreeMap<LedgerKey, LedgerEntry>,
    pub(super) uncovered: Option<(LedgerKey, LedgerEntry)>,
    pub(super) cached: BTreeMap<LedgerKey, Item>,
    pub(super) numbers: BTreeMap<LedgerKey, u64>,
    pub(super) ghost_etags: BTreeMap<LedgerKey, Etag>,
    pub(super) snapshot: Vec<Id>,
    pub(super) batch_start: Option<Shelf>,
    pub(super) is_later_operation: bool,
    /// When an item was last seen as expired.
    pub(super) seen_expired_s: BTreeMap<LedgerKey, i64>,
    pub(super) last_seconds: Option<i128>,
    /// The settings and the second of the first page.
    pub(super) first_page: Option<(LedgerDefault, i64)>,
    /// The `_ts` of items that were deleted.
    pub(super) dropped: BTreeMap<LedgerKey, i64>,
}

impl Session for LedgerSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        if let Some(lack) = self.allowance.lacks.iter().find(|lack| lack.concerns(request, options)) {
            return Err(Fault::Unsupported(format!("{lack:?}")));
        }
        self.partition = options.partition.clone().unwrap_or_else(|| DEFAULT_PARTITION.into());
        if self.slips(Slip::KeysFolded) {
            self.partition = self.partition.to_lowercase();
        }
        self.sweep_before_request();
        let is_setting = request.container().is_some();
        let mut response = self.answer(request, options);
        self.memory.is_first_after_change &= is_setting;
        self.trim(request, &mut response);
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now_s = self.now_s.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX));
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        match self.allowance.removal {
            LedgerRemoval::Scheduled | LedgerRemoval::OnDemand => {
                self.sweep();
                Ok(())
            }
            _ => Err(Fault::Unsupported("it removes by its own plan".into())),
        }
    }
}

impl LedgerSession {
    fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        match request {
            Request::CreateContainer(container) => return self.create_container(container),
            Request::ReplaceContainer(container) => return self.replace_container(container),
            _ if self.settings.is_none() => return Response::new(Status::NotFound),
            _ => {}
        }
        match request {
            Request::Batch(operations) => self.batch(operations),
            Request::Query => self.feed(Path::Query, options.page.as_ref()),
            Request::List => self.feed(Path::List, options.page.as_ref()),
            Request::Count => self.count(),
            Request::Item(operation) => self.operate(operation, false).unwrap_or_else(Response::new),
            Request::CreateContainer(_) | Request::ReplaceContainer(_) => Response::new(Status::BadRequest),
        }
    }

    /// Takes away from an answer what the store does not return, and adds its own words.
    fn trim(&self, request: &Request, response: &mut Response) {
        let lacks = |lack| self.allowance.lacks.contains(&lack);
        let is_read = matches!(request, Request::Item(Operation::Read(_)));
        if lacks(Lack::WrittenItem) && !is_read && matches!(response.body, Body::Item(_)) {
            response.body = Body::Nothing;
        }
        if let Some(item) = item_of(response) {
            item.ts = item.ts.filter(|_| !lacks(Lack::Ts));
            item.etag = item.etag.take().filter(|_| !lacks(Lack::Etag));
        }
        if self.allowance.details {
            response.detail = Some(format!("{} by the ledger", request.word()));
        }
    }
}

impl Lack {
    /// Returns whether a request needs what is lacking.
    fn concerns(self, request: &Request, options: &RequestOptions) -> bool {
        let operations = request.operations();
        let indexing = request.container().map(|container| container.indexing);
        let is_batch = matches!(request, Request::Batch(_));
        match self {
            Self::Patch => operations.iter().any(|operation| matches!(operation, Operation::Patch(..))),
            Self::Upsert => operations.iter().any(|operation| matches!(operation, Operation::Upsert(_))),
            Self::Batch => is_batch,
            Self::BatchRead => {
                is_batch && operations.iter().any(|operation| matches!(operation, Operation::Read(_)))
            }
            Self::IfMatch => operations.iter().any(|operation| operation.etag().is_some()),
            Self::Pages => options.page.is_some(),
            Self::Partitions => options.partition.is_some(),
            Self::Lazy => indexing == Some(Indexing::Lazy),
            Self::NoIndex => indexing == Some(Indexing::None),
            Self::List => matches!(request, Request::List),
            Self::Query => matches!(request, Request::Query),
            Self::Count => matches!(request, Request::Count),
            Self::Settings => matches!(request, Request::ReplaceContainer(_)),
            Self::Ts | Self::Etag | Self::WrittenItem => false,
        }
    }
}
