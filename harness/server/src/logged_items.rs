//! A log of what the stores are asked and answer, in the format that `cosmos-ttl judge` reads. Its times are the server's seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cosmos_ttl_harness::request_log::{LogClock, LogTime, LogWriter, LoggedExchange};
use cosmos_ttl_harness::target::{
    Container, Fault, Id, Item, Operation, PageRequest, Request, Response, Status,
};

use crate::item_store::{
    BatchAnswer, Charged, CreatedStore, ExpiredItem, FeedKind, ItemKey, ItemStore, RemovalSchedule,
    StoreFactory, Visitor,
};
use crate::partition::PartitionValue;

/// Creates containers whose items are logged.
#[derive(Debug)]
pub struct LoggedFactory {
    stores: Box<dyn StoreFactory>,
    log: Arc<LogWriter>,
}

impl LoggedFactory {
    /// Logs what these stores are asked.
    pub fn new(stores: Box<dyn StoreFactory>, log: LogWriter) -> Self {
        Self { stores, log: Arc::new(log) }
    }
}

impl StoreFactory for LoggedFactory {
    fn name(&self) -> String {
        self.stores.name()
    }

    fn create(
        &self,
        name: &str,
        now_s: i64,
        removal: RemovalSchedule,
        settings: &Container,
    ) -> Result<CreatedStore, Fault> {
        let created = self.stores.create(name, now_s, removal, settings);
        let log =
            ItemLog { log: Arc::clone(&self.log), container: name.to_owned(), last_s: AtomicI64::new(now_s) };
        let status = created
            .as_ref()
            .map(|created| created.as_ref().map_or_else(|status| *status, |_| Status::Created));
        log.write(now_s, None, Request::CreateContainer(settings.clone()), status.ok().map(Response::new));
        created.map(|created| {
            created.map(|store| {
                Box::new(LoggedItems { store, log, partitions: BTreeSet::new() }) as Box<dyn ItemStore>
            })
        })
    }
}

#[derive(Debug)]
struct ItemLog {
    log: Arc<LogWriter>,
    /// The database and the container.
    container: String,
    last_s: AtomicI64,
}

impl ItemLog {
    fn write(
        &self,
        now_s: i64,
        partition: Option<&PartitionValue>,
        request: Request,
        answer: Option<Response>,
    ) {
        self.last_s.store(now_s, Ordering::Relaxed);
        // A query is not always asked to its end, so that nothing follows from what it does not show.
        let page = matches!(request, Request::Query | Request::List)
            .then_some(PageRequest { size: NonZeroU32::MAX, continuation: None });
        self.log.write(&LoggedExchange {
            sent: LogTime::of_s(now_s),
            received: answer.is_some().then_some(LogTime::of_s(now_s)),
            clock: LogClock::Exact,
            container: self.container.clone(),
            partition: partition.map(|partition| partition.as_str().to_owned()),
            page,
            if_match: None,
            if_none_match: None,
            request,
            answer,
        });
    }
}

/// The items of a container, with a log.
#[derive(Debug)]
struct LoggedItems {
    store: Box<dyn ItemStore>,
    log: ItemLog,
    /// Those that were written to, the first of them: a query that shows nothing of one is logged, too.
    partitions: BTreeSet<PartitionValue>,
}

impl LoggedItems {
    fn note(&mut self, partition: &PartitionValue, operations: &[Operation], status: Option<Status>) {
        /// Each of them makes a line for each query.
        const MOST_PARTITIONS: usize = 100;
        let wrote = status.is_some_and(Status::is_success) && operations.iter().any(Operation::is_write);
        if wrote && self.partitions.len() < MOST_PARTITIONS {
            self.partitions.insert(partition.clone());
        }
    }
}

impl Drop for LoggedItems {
    /// The container is deleted, or the server ends.
    fn drop(&mut self) {
        let last_s = self.log.last_s.load(Ordering::Relaxed);
        self.log.write(last_s, None, Request::DeleteContainer, Some(Response::new(Status::NoContent)));
    }
}

impl ItemStore for LoggedItems {
    fn operate(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operation: &Operation,
    ) -> Result<Charged<Response>, Fault> {
        let done = self.store.operate(now_s, partition, operation);
        let answer = done.as_ref().ok().map(|done| done.answer.clone());
        self.note(partition, slice::from_ref(operation), answer.as_ref().map(|answer| answer.status));
        self.log.write(now_s, Some(partition), Request::Item(operation.clone()), answer);
        done
    }

    fn batch(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operations: &[Operation],
    ) -> Result<Charged<BatchAnswer>, Fault> {
        let done = self.store.batch(now_s, partition, operations);
        let answer = done.as_ref().ok().map(|done| match &done.answer {
            Ok(all) => Response::committed(all.iter().map(|(status, _)| *status).collect()),
            Err((at, status)) => Response::aborted(*status, *at),
        });
        self.note(partition, operations, answer.as_ref().map(|answer| answer.status));
        self.log.write(now_s, Some(partition), Request::Batch(operations.to_vec()), answer);
        done
    }

    fn configure(&mut self, now_s: i64, settings: &Container) -> Result<Status, Fault> {
        let done = self.store.configure(now_s, settings);
        let answer = done.as_ref().ok().map(|status| Response::new(*status));
        self.log.write(now_s, None, Request::ReplaceContainer(settings.clone()), answer);
        done
    }

    fn visible(&mut self, now_s: i64, key: &ItemKey) -> Result<Option<Item>, Fault> {
        self.store.visible(now_s, key)
    }

    fn scan(
        &mut self,
        now_s: i64,
        kind: FeedKind,
        after: Option<&ItemKey>,
        visit: Visitor<'_>,
    ) -> Result<Charged<Result<(), Status>>, Fault> {
        let mut shown: BTreeMap<PartitionValue, Vec<Id>> =
            self.partitions.iter().map(|partition| (partition.clone(), Vec::new())).collect();
        let done = self.store.scan(now_s, kind, after, &mut |key, item| {
            shown.entry(key.partition.clone()).or_default().push(key.id.clone());
            visit(key, item)
        });
        let request = match kind {
            FeedKind::Query => Request::Query,
            FeedKind::List => Request::List,
        };
        for (partition, ids) in shown {
            self.log.write(now_s, Some(&partition), request.clone(), Some(Response::ids(ids)));
        }
        done
    }

    fn count(
        &mut self,
        now_s: i64,
        accepts: &dyn Fn(&ItemKey, &Item) -> bool,
    ) -> Result<Charged<Result<u64, Status>>, Fault> {
        self.store.count(now_s, accepts)
    }

    fn set_removal(&mut self, now_s: i64, schedule: RemovalSchedule) -> Result<(), Fault> {
        self.store.set_removal(now_s, schedule)
    }

    fn pass(&mut self, now_s: i64) -> Result<(), Fault> {
        self.store.pass(now_s)
    }

    fn remove_expired(&mut self, now_s: i64) -> Result<Option<u64>, Fault> {
        self.store.remove_expired(now_s)
    }

    fn expired(&mut self, now_s: i64, most: usize) -> Result<(Vec<ExpiredItem>, u64), Fault> {
        self.store.expired(now_s, most)
    }

    fn bytes(&self) -> usize {
        self.store.bytes()
    }

    fn removal_units(&self) -> u64 {
        self.store.removal_units()
    }
}
