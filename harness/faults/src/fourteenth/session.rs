//! A session: the clock, the schedule of removal, and the way of each request.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{
    Body, DEFAULT_PARTITION, Edition, Fault, Id, Indexing, Opening, Operation, POSSIBLE_TS, Removal, Request,
    RequestOptions, Response, Session, Status,
};

use super::QuernStore;
use super::correct::QuernFreedom::*;
use super::life::QuernMode;
use super::settings::QuernSettings;
use super::slips::QuernSlip::*;
use super::table::{QuernKey, QuernTable};

/// What a store with a mistake remembers, and a store whose lazy index lags.
#[derive(Debug, Default)]
pub(super) struct QuernMemo {
    pub(super) batch_instant: Option<i64>,
    pub(super) reads: BTreeMap<QuernKey, Response>,
    pub(super) absent: BTreeSet<QuernKey>,
    pub(super) lists: BTreeMap<String, Vec<Id>>,
    pub(super) waiting: Option<(QuernSettings, QuernSettings)>,
    pub(super) lags: bool,
}

#[derive(Debug)]
pub(super) struct QuernSession {
    pub(super) store: QuernStore,
    pub(super) edition: Edition,
    removal: Option<Removal>,
    requests: u64,
    pub(super) now: i64,
    pub(super) settings: Option<QuernSettings>,
    pub(super) table: QuernTable,
    pub(super) memo: QuernMemo,
}

impl QuernSession {
    pub(super) fn new(store: QuernStore, opening: Opening) -> Self {
        let now = match store.freedom {
            Some(EarlyClock) => 1000,
            Some(ClockNear2038) => i64::from(i32::MAX) - 4,
            Some(LateClock) => 4_102_444_800,
            _ => 1_700_000_000,
        };
        Self {
            store,
            edition: opening.edition,
            removal: opening.removal,
            requests: 0,
            now,
            settings: None,
            table: QuernTable::default(),
            memo: QuernMemo::default(),
        }
    }

    /// Returns the key under which the index holds an item.
    pub(super) fn key(&self, partition: &str, id: &str) -> QuernKey {
        if self.store.slips(KeysAreJoined) {
            return (String::new(), format!("{partition}{id}"));
        }
        let id = if self.store.slips(IdsFoldCase) { id.to_lowercase() } else { id.to_owned() };
        (partition.to_owned(), id)
    }

    pub(super) fn mode(&self) -> QuernMode {
        self.settings.map_or(QuernMode::Off, |settings| settings.mode)
    }

    /// Removes what the index by deadline knows to be overdue; the index is in step, so the documents are expired.
    fn sweep(&mut self) {
        for entry in self.table.overdue(self.now) {
            self.sweep_one(&entry);
        }
    }

    fn sweep_one(&mut self, entry: &(i64, QuernKey)) {
        self.table.forget_deadline(entry);
        if self.store.slips(SweepTakesNamesakes) {
            let rows = self.table.rows().filter(|(_, row)| row.key.1 == entry.1.1);
            let namesakes: Vec<u64> = rows.map(|(number, _)| number).collect();
            for number in namesakes {
                self.table.take(number);
            }
        }
        if let Some(number) = self.table.find(&entry.1) {
            self.table.take(number);
        }
    }

    fn sweep_before_request(&mut self) {
        self.requests = self.requests.wrapping_add(1);
        if self.removal == Some(Removal::Alternate) && self.requests.is_multiple_of(2) {
            self.sweep();
        }
        let overdue = self.table.overdue(self.now);
        let entry = match self.store.freedom {
            Some(OwnSchedule) => overdue.first(),
            Some(OwnScheduleLatestFirst) => overdue.last(),
            _ => None,
        };
        if let Some(entry) = entry {
            self.sweep_one(entry);
        }
    }

    fn unsupported(&self, request: &Request, options: &RequestOptions) -> Option<&'static str> {
        let is_lazy = request.container().is_some_and(|one| one.indexing == Indexing::Lazy);
        match self.store.freedom {
            Some(OnePartition) if options.partition.is_some() => Some("it has one partition only"),
            Some(NoPages) if options.page.is_some() => Some("it does not answer page by page"),
            Some(NoLazyIndex) if is_lazy => Some("the account does not offer lazy indexing"),
            _ => None,
        }
    }

    fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        let partition = options.partition.as_deref().unwrap_or(DEFAULT_PARTITION);
        match request {
            Request::CreateContainer(container) => self.create_container(container),
            Request::ReplaceContainer(container) => self.replace_container(container),
            _ if self.settings.is_none() => Response::new(Status::NotFound),
            Request::Batch(operations) => {
                let is_lost = self.store.slips(BatchIgnoresPartition);
                self.run_batch(operations, if is_lost { DEFAULT_PARTITION } else { partition })
            }
            Request::Query | Request::List => self.feed(request, partition, options.page.as_ref()),
            Request::Count => self.count(partition),
            Request::Item(operation) => self.run_cached(operation, partition),
        }
    }

    /// The correct stores have no caches: only reads of stores with a mistake are answered from one.
    fn run_cached(&mut self, operation: &Operation, partition: &str) -> Response {
        let key = self.key(partition, operation.id());
        let is_read = matches!(operation, Operation::Read(_));
        if is_read
            && self.store.slips(ReadCacheOutlives)
            && let Some(response) = self.memo.reads.get(&key)
        {
            return response.clone();
        }
        if is_read && self.memo.absent.contains(&key) {
            return Response::new(Status::NotFound);
        }
        let response = self.run_item(operation, partition);
        if matches!(operation, Operation::Upsert(_)) {
            self.memo.absent.remove(&key);
        }
        if is_read && response.status == Status::Found {
            self.memo.reads.insert(key, response.clone());
        } else if is_read && self.store.slips(AbsenceCacheMissesCreate) {
            self.memo.absent.insert(key);
        }
        response
    }

    fn forget_before(&mut self, request: &Request) {
        let is_look = match request {
            Request::Query | Request::List | Request::Count => true,
            Request::Item(operation) => matches!(operation, Operation::Read(_)),
            _ => false,
        };
        if !is_look {
            self.memo.reads.clear();
            self.memo.lists.clear();
            if let Some((old, new)) = self.memo.waiting.take() {
                self.reindex(old, new);
            }
        }
    }

    /// Leaves out of an answer what a store may leave out.
    fn shortened(&self, request: &Request, mut response: Response) -> Response {
        let is_write = !matches!(request, Request::Item(Operation::Read(_)));
        match (&mut response.body, self.store.freedom) {
            (Body::Item(item), Some(NoTs)) => item.ts = None,
            (Body::Item(item), Some(NoEtags)) => item.etag = None,
            (Body::Item(_), Some(WritesWithoutItems)) if is_write => response.body = Body::Nothing,
            (Body::Ids(ids), Some(IdsReversed)) => ids.reverse(),
            _ => {}
        }
        if self.store.may(RefusalsExplained) && !response.status.is_success() {
            return response.with_detail("the request was refused");
        }
        response
    }
}

impl Session for QuernSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        if let Some(why) = self.unsupported(request, options) {
            return Err(Fault::Unsupported(why.into()));
        }
        self.sweep_before_request();
        self.forget_before(request);
        let response = self.answer(request, options);
        if self.removal == Some(Removal::Eager) {
            self.sweep();
        }
        Ok(self.shortened(request, response))
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        self.now = self.now.saturating_add(seconds).min(*POSSIBLE_TS.end());
        self.memo.lags = false;
        if self.removal == Some(Removal::Eager) {
            self.sweep();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if self.store.may(NeverPurges) {
            return Err(Fault::Unsupported("its background cannot be told when to remove".into()));
        }
        self.sweep();
        Ok(())
    }
}
