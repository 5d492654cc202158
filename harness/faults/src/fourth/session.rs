//! The store as a target, and a session with its wheel.

use std::collections::BTreeSet;

use cosmos_ttl_harness::target::{
    About, Clock, DEFAULT_PARTITION, Edition, Fault, Indexing, Opening, Operation, PartitionKey, Removal,
    Request, RequestOptions, Response, Session, Status, Target,
};

use super::choice::{Lack, PLAIN, TimerChoice, TimerRemoval};
use super::scope::{SlipScope, TimerCall, TimerPath};
use super::settings::SettingsEvent;
use super::slip::Slip;
use super::slot::{ItemName, SlotNumber, SlotTable, TimerSlot};
use super::wheel::TimerWheel;

/// A wheel of timers as a target: correct, or with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct TimerStore {
    /// Its name.
    pub name: &'static str,
    /// Its choices.
    pub choice: TimerChoice,
    pub(super) fault: Option<(Slip, SlipScope)>,
}

impl TimerStore {
    /// The correct store with the usual choices.
    pub const CORRECT: Self = Self { name: "fourth-correct", choice: PLAIN, fault: None };
}

impl Target for TimerStore {
    fn about(&self) -> About {
        let is_scheduled = self.choice.removal == TimerRemoval::Scheduled;
        let removals = [Removal::Never, Removal::Eager, Removal::Alternate];
        About {
            name: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: self.choice.editions.to_vec(),
            removals: if is_scheduled { removals.to_vec() } else { Vec::new() },
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(TimerSession {
            choice: self.choice,
            fault: self.fault,
            is_of_2020: opening.edition == Edition::Y2020,
            schedule: opening.removal,
            now: self.choice.start_s,
            tape: Vec::new(),
            applied: SettingsEvent::default(),
            table: SlotTable::default(),
            wheel: TimerWheel::default(),
            journal: None,
            partition: DEFAULT_PARTITION.into(),
            call: TimerCall::default(),
            writes: 0,
            requests: 0,
            answers_about_expired: 0,
            rebuilt_s: None,
            phantoms: Vec::new(),
            removed: BTreeSet::new(),
            page: Vec::new(),
        }))
    }
}

/// One session: a table of slots with their timers, a tape of settings, and a clock.
#[derive(Clone, Debug)]
pub(super) struct TimerSession {
    pub(super) choice: TimerChoice,
    pub(super) fault: Option<(Slip, SlipScope)>,
    pub(super) is_of_2020: bool,
    schedule: Option<Removal>,
    /// Seconds of the Unix epoch.
    pub(super) now: i64,
    /// The settings, in the order in which they came; empty before the container is created.
    pub(super) tape: Vec<SettingsEvent>,
    /// The settings that the timers follow.
    pub(super) applied: SettingsEvent,
    pub(super) table: SlotTable,
    pub(super) wheel: TimerWheel,
    /// In a batch: the slots that it changed, as they were before.
    pub(super) journal: Option<Vec<(SlotNumber, Option<TimerSlot>)>>,
    /// The partition of the request.
    pub(super) partition: PartitionKey,
    /// What the request is, for faults.
    pub(super) call: TimerCall,
    pub(super) writes: u64,
    pub(super) requests: u64,
    /// How many answers there were about which a store may choose.
    pub(super) answers_about_expired: u64,
    /// Until when a lazy index is rebuilt.
    pub(super) rebuilt_s: Option<i64>,
    /// Of faults: removed items that a feed still has.
    pub(super) phantoms: Vec<ItemName>,
    /// Of faults: the names of removed items.
    pub(super) removed: BTreeSet<ItemName>,
    /// Of faults: the rest of the items when the first page was asked for.
    pub(super) page: Vec<ItemName>,
}

impl TimerSession {
    /// Returns why the store does not offer this request, if it does not.
    fn lacking(&self, request: &Request, options: &RequestOptions) -> Option<&'static str> {
        let lacks = |lack: Lack| {
            let is_much = matches!(lack, Lack::Patches | Lack::Batches | Lack::Pages | Lack::Partitions);
            self.choice.lacks == lack || self.choice.lacks == Lack::Much && is_much
        };
        let any = |test: fn(&Operation) -> bool| request.operations().iter().any(test);
        let mode = request.container().map(|container| container.indexing);
        let missing = [
            (any(|one| matches!(one, Operation::Patch(..))), Lack::Patches, "no patches"),
            (any(|one| matches!(one, Operation::Delete(..))), Lack::Deletes, "no deletes"),
            (any(|one| matches!(one, Operation::Upsert(..))), Lack::Upserts, "no upserts"),
            (any(|one| one.etag().is_some()), Lack::Conditions, "no conditions"),
            (matches!(request, Request::Batch(_)), Lack::Batches, "no batches"),
            (matches!(request, Request::List), Lack::Lists, "no lists"),
            (matches!(request, Request::Count), Lack::Counts, "no counts"),
            (matches!(request, Request::Query), Lack::Queries, "no queries"),
            (matches!(request, Request::ReplaceContainer(_)), Lack::Changes, "no changes of settings"),
            (mode.is_some_and(|mode| mode != Indexing::Consistent), Lack::IndexingModes, "one mode only"),
            (options.page.is_some(), Lack::Pages, "no pages"),
            (options.partition.is_some(), Lack::Partitions, "no partitions"),
        ];
        missing.into_iter().find(|(is_asked, lack, _)| *is_asked && lacks(*lack)).map(|(.., why)| why)
    }

    /// Turns the wheel and removes what the schedule removes, before a request.
    fn begin(&mut self, request: &Request, options: &RequestOptions) {
        self.requests += 1;
        self.partition = options.partition.clone().unwrap_or_else(|| DEFAULT_PARTITION.into());
        let guarded = request.operations().iter().any(|one| one.etag().is_some());
        let path = TimerPath::of(request);
        let batch = matches!(request, Request::Batch(_)).then_some(0);
        self.call = TimerCall { path, batch, is_guarded: guarded, is_paged: options.page.is_some() };
        self.catch_up();
        if self.schedule == Some(Removal::Alternate) && self.requests.is_multiple_of(2) {
            self.purge_now();
        }
        self.purge_by_itself();
        if !self.slips(Slip::WheelStops) {
            self.turn();
        }
    }
}

impl Session for TimerSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        if let Some(why) = self.lacking(request, options) {
            return Err(Fault::Unsupported(why.into()));
        }
        self.begin(request, options);
        let has_container = !self.tape.is_empty();
        let response = match request {
            Request::CreateContainer(container) => self.open_container(container),
            Request::ReplaceContainer(container) => self.replace_container(container),
            _ if !has_container => Response::new(Status::NotFound),
            Request::Batch(operations) => self.batch(operations),
            Request::Query | Request::List => self.feed(options.page.as_ref()),
            Request::Count => self.count(),
            Request::Item(operation) => self.answer(operation),
        };
        if self.schedule == Some(Removal::Eager) {
            self.purge_now();
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        self.now = self.now.saturating_add(seconds);
        self.call = TimerCall { path: TimerPath::Clock, ..TimerCall::default() };
        self.catch_up();
        if self.schedule == Some(Removal::Eager) {
            self.purge_now();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if self.choice.removal != TimerRemoval::Scheduled {
            return Err(Fault::Unsupported("it removes items by itself".into()));
        }
        self.call = TimerCall { path: TimerPath::Clock, ..TimerCall::default() };
        self.catch_up();
        self.purge_now();
        Ok(())
    }
}
