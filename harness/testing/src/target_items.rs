//! Any target of the harness behind the server, to show that a fault behind HTTP is found exactly as in process.
//!
//! One container is one session. Items of several partitions share it: the partition is a part of the id.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cosmos_ttl_harness::target::{
    Body, Container, Document, Fault, Id, Item, Operation, Patch, Request, Response, Session, Status, Target,
};

use cosmos_ttl_server::PartitionValue;
use cosmos_ttl_server::item_store::{
    BatchAnswer, Charged, CreatedStore, ExpiredItem, FeedKind, ItemKey, ItemStore, RemovalSchedule,
    StoreFactory, Visitor,
};

/// Stands between an id and its partition in the ids that the target sees.
const SEPARATOR: char = '\u{1f}';

/// Creates containers that a target decides about. Its clock must be virtual.
pub(crate) struct TargetFactory {
    target: &'static dyn Target,
}

impl std::fmt::Debug for TargetFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetFactory").finish_non_exhaustive()
    }
}

impl TargetFactory {
    /// A session borrows its target, and this one ends with the test program.
    pub(crate) fn new(target: impl Target + 'static) -> Self {
        Self { target: Box::leak(Box::new(target)) }
    }
}

impl StoreFactory for TargetFactory {
    fn name(&self) -> String {
        self.target.about().name
    }

    fn create(
        &self,
        _name: &str,
        now_s: i64,
        removal: RemovalSchedule,
        settings: &Container,
    ) -> Result<CreatedStore, Fault> {
        let is_eager = self.target.about().purges && removal == RemovalSchedule::Eager;
        let mut session = self.target.open()?;
        let response = session.send(&Request::CreateContainer(settings.clone()))?;
        if !response.status.is_success() {
            return Ok(Err(response.status));
        }
        let (session, items) = (Mutex::new(session), BTreeMap::new());
        Ok(Ok(Box::new(TargetItems { session, items, is_eager, now_s, ahead_s: None })))
    }
}

/// A container in a session of a target.
struct TargetItems {
    /// A session may be sent to another thread, and not be shared by two.
    session: Mutex<Box<dyn Session>>,
    /// The items as the target last returned them: feeds of the harness return ids only.
    items: BTreeMap<ItemKey, Item>,
    /// It removes items as soon as they expire.
    is_eager: bool,
    now_s: i64,
    /// How far the server's clock is ahead of the target's, once it returned an item that it wrote.
    ahead_s: Option<i64>,
}

impl std::fmt::Debug for TargetItems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetItems").field("now_s", &self.now_s).finish_non_exhaustive()
    }
}

impl TargetItems {
    fn session(&mut self) -> &mut dyn Session {
        self.session.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).as_mut()
    }

    fn send(&mut self, now_s: i64, request: &Request) -> Result<Response, Fault> {
        self.pass(now_s)?;
        let mut response = self.session().send(request)?;
        if let Body::Item(Item { ts: Some(ts), .. }) = &mut response.body {
            let ahead_s = *self.ahead_s.get_or_insert(now_s.saturating_sub(*ts));
            *ts = ts.saturating_add(ahead_s);
        }
        self.purge_if_eager()?;
        Ok(response)
    }

    fn purge_if_eager(&mut self) -> Result<(), Fault> {
        if self.is_eager { self.session().purge() } else { Ok(()) }
    }

    fn remember(&mut self, item: &Item) {
        self.items.insert(key_of(&item.document.id), item.clone());
    }

    fn forget(&mut self, id: &str) {
        self.items.remove(&key_of(id));
    }
}

impl ItemStore for TargetItems {
    fn operate(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operation: &Operation,
    ) -> Result<Charged<Response>, Fault> {
        let operation = renamed(operation, partition);
        let id = operation.id().to_owned();
        let removes = matches!(operation, Operation::Delete(..));
        let mut answer = self.send(now_s, &Request::Item(operation))?;
        if let Body::Item(item) = &mut answer.body {
            self.remember(item);
            item.document.id = key_of(&item.document.id).id;
        } else if removes && answer.status.is_success() {
            self.forget(&id);
        }
        Ok(Charged { answer, units: 1 })
    }

    fn batch(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operations: &[Operation],
    ) -> Result<Charged<BatchAnswer>, Fault> {
        let renamed: Vec<_> = operations.iter().map(|operation| renamed(operation, partition)).collect();
        let response = self.send(now_s, &Request::Batch(renamed.clone()))?;
        let answer = match response.body {
            Body::Committed(statuses) => {
                for operation in &renamed {
                    match operation {
                        Operation::Create(document)
                        | Operation::Upsert(document)
                        | Operation::Replace(document, _) => {
                            self.remember(&Item { document: document.clone(), ts: None, etag: None });
                        }
                        Operation::Delete(id, _) => self.forget(id),
                        Operation::Patch(..) | Operation::Read(_) => {}
                    }
                }
                Ok(statuses.into_iter().map(|status| (status, None)).collect())
            }
            Body::Aborted { at } => Err((at, response.status)),
            _ => Err((0, response.status)),
        };
        Ok(Charged { answer, units: 1 })
    }

    fn configure(&mut self, now_s: i64, settings: &Container) -> Result<Status, Fault> {
        Ok(self.send(now_s, &Request::ReplaceContainer(settings.clone()))?.status)
    }

    fn visible(&mut self, now_s: i64, key: &ItemKey) -> Result<Option<Item>, Fault> {
        let read = self.operate(now_s, &key.partition, &Operation::Read(key.id.clone()))?;
        Ok(if let Body::Item(item) = read.answer.body { Some(item) } else { None })
    }

    fn scan(
        &mut self,
        now_s: i64,
        kind: FeedKind,
        after: Option<&ItemKey>,
        visit: Visitor<'_>,
    ) -> Result<Charged<Result<(), Status>>, Fault> {
        let request = match kind {
            FeedKind::Query => Request::Query,
            FeedKind::List => Request::List,
        };
        let response = self.send(now_s, &request)?;
        let Body::Ids(ids) = response.body else {
            return Ok(Charged { answer: Err(response.status), units: 1 });
        };
        let mut keys: Vec<ItemKey> = ids.iter().map(|id| key_of(id)).collect();
        keys.sort();
        for key in keys.iter().filter(|key| after.is_none_or(|after| *key > after)) {
            let unknown = || Item {
                document: Document { id: key.id.clone(), properties: BTreeMap::new() },
                ts: None,
                etag: None,
            };
            let mut item = self.items.get(key).cloned().unwrap_or_else(unknown);
            item.document.id.clone_from(&key.id);
            if !visit(key, &item) {
                break;
            }
        }
        Ok(Charged { answer: Ok(()), units: 1 })
    }

    /// Counts everything, without the visible items that are not meant: a target of the harness knows no narrower count.
    fn count(
        &mut self,
        now_s: i64,
        accepts: &dyn Fn(&ItemKey, &Item) -> bool,
    ) -> Result<Charged<Result<u64, Status>>, Fault> {
        let counted = self.send(now_s, &Request::Count)?;
        let Body::Count(mut count) = counted.body else {
            return Ok(Charged { answer: Err(counted.status), units: 1 });
        };
        if self.items.iter().any(|(key, item)| !accepts(key, item))
            && let Body::Ids(ids) = self.send(now_s, &Request::Query)?.body
        {
            let items = ids.iter().filter_map(|id| self.items.get_key_value(&key_of(id)));
            let others = items.filter(|(key, item)| !accepts(key, item)).count();
            count = count.saturating_sub(u64::try_from(others).unwrap_or(u64::MAX));
        }
        Ok(Charged { answer: Ok(count), units: 1 })
    }

    fn set_removal(&mut self, _now_s: i64, _schedule: RemovalSchedule) -> Result<(), Fault> {
        Err(Fault::Unsupported("this store takes its schedule of removal when a container is created".into()))
    }

    fn pass(&mut self, now_s: i64) -> Result<(), Fault> {
        let passed_s = now_s.saturating_sub(self.now_s);
        if passed_s <= 0 {
            return Ok(());
        }
        self.now_s = now_s;
        self.session().pass(passed_s.unsigned_abs())?;
        self.purge_if_eager()
    }

    fn remove_expired(&mut self, now_s: i64) -> Result<Option<u64>, Fault> {
        self.pass(now_s)?;
        self.session().purge().map(|()| None)
    }

    fn expired(&mut self, _now_s: i64, _most: usize) -> Result<(Vec<ExpiredItem>, u64), Fault> {
        Err(Fault::Unsupported("this store cannot list what is stored though it expired".into()))
    }

    fn bytes(&self) -> usize {
        0
    }

    fn removal_units(&self) -> u64 {
        0
    }
}

/// Returns the key of an item that the target knows by this id.
fn key_of(id: &str) -> ItemKey {
    let (id, partition) = id.split_once(SEPARATOR).unwrap_or((id, ""));
    ItemKey { partition: PartitionValue::from_stored(partition), id: id.to_owned() }
}

/// Returns the operation under the ids that the target knows.
fn renamed(operation: &Operation, partition: &PartitionValue) -> Operation {
    let name = |id: &Id| format!("{id}{SEPARATOR}{}", partition.as_str());
    let document = |document: &Document| Document { id: name(&document.id), ..document.clone() };
    match operation {
        Operation::Create(of) => Operation::Create(document(of)),
        Operation::Upsert(of) => Operation::Upsert(document(of)),
        Operation::Replace(of, etag) => Operation::Replace(document(of), etag.clone()),
        Operation::Patch(patch, etag) => {
            let patch = Patch { id: name(&patch.id), ..patch.clone() };
            Operation::Patch(patch, etag.clone())
        }
        Operation::Read(id) => Operation::Read(name(id)),
        Operation::Delete(id, etag) => Operation::Delete(name(id), etag.clone()),
    }
}
