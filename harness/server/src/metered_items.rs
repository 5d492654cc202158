//! The model behind the server: a container's items in many partitions, and what requests cost.
//!
//! The model's step copies its world. So each request gets a world of only the items that it is about, and what the step
//! returns is written back. That changes no answer: items do not influence each other, but for the etag of the next write,
//! which every small world gets and gives back.

use std::collections::BTreeMap;
use std::ops::Bound;

use cosmos_ttl_explore::reference::{Names, settings, status, translate};
use cosmos_ttl_harness::target::{
    Body, Container, Document, Fault, Item, Operation, Properties, Request, Response, Status,
};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{self as model, Content, Etag, Index, ItemId, Settings, World};
use cosmos_ttl_model::throughput::{Costs, Metered, Throughput};

use crate::item_store::{
    BatchAnswer, Charged, CreatedStore, ExpiredItem, FeedKind, ItemKey, ItemStore, RemovalSchedule,
    StoreFactory, Visitor, bytes_of,
};
use crate::partition::PartitionValue;

/// The costs of requests, in request units. The documents give no figures; these have the order of the service's.
pub(crate) const COSTS: Costs = Costs { read: 1, write: 5, delete: 5, query: 3 };
/// How many items a feed looks at in one step of the model.
const CHUNK: usize = 256;

/// Creates containers that the model decides about.
#[derive(Clone, Copy, Debug)]
pub struct ModelFactory {
    /// The choices where the documents leave one.
    pub preferences: Preferences,
    /// How the account pays.
    pub throughput: Throughput,
}

impl StoreFactory for ModelFactory {
    fn name(&self) -> String {
        "reference".to_owned()
    }

    fn create(
        &self,
        _name: &str,
        now_s: i64,
        removal: RemovalSchedule,
        draft: &Container,
    ) -> Result<CreatedStore, Fault> {
        let mut preferences = self.preferences;
        let created = World::new(now_s, settings(draft), &mut preferences);
        let created = created.map_err(translate::refused);
        Ok(created.map(|world| {
            let Metered { world, throughput, left } = Metered::new(world, self.throughput);
            let store: Box<dyn ItemStore> = Box::new(MeteredItems {
                preferences,
                removal,
                throughput,
                left,
                now_s,
                settings: world.settings,
                index: world.index,
                next_etag: world.next_etag,
                records: BTreeMap::new(),
                bytes: 0,
                removal_units: 0,
                changed: false,
            });
            store
        }))
    }
}

/// A container under the model.
#[derive(Debug)]
pub(crate) struct MeteredItems {
    preferences: Preferences,
    removal: RemovalSchedule,
    throughput: Throughput,
    /// The request units that users have left of this second's budget.
    left: u32,
    now_s: i64,
    settings: Settings,
    index: Index,
    next_etag: Etag,
    records: BTreeMap<ItemKey, Record>,
    bytes: usize,
    removal_units: u64,
    /// Whether items may have expired since the last removal, other than by time.
    changed: bool,
}

/// A stored item, expired or not.
#[derive(Debug)]
struct Record {
    item: model::Item,
    shown: Item,
    bytes: usize,
}

impl ItemStore for MeteredItems {
    fn operate(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operation: &Operation,
    ) -> Result<Charged<Response>, Fault> {
        self.begin(now_s);
        let request = Request::Item(operation.clone());
        let (names, response, units) = self.step(partition, &request);
        let answer = names.response(Some(ItemId(0)), &response);
        Ok(Charged { answer, units })
    }

    fn batch(
        &mut self,
        now_s: i64,
        partition: &PartitionValue,
        operations: &[Operation],
    ) -> Result<Charged<BatchAnswer>, Fault> {
        self.begin(now_s);
        let request = Request::Batch(operations.to_vec());
        let (names, response, units) = self.step(partition, &request);
        let item = |operation: &Operation, response| {
            let Response { status, body, .. } = names.response(names.number(operation.id()), response);
            (status, if let Body::Item(item) = body { Some(item) } else { None })
        };
        let answer = match &response {
            model::Response::Committed(all) => Ok(operations
                .iter()
                .zip(all)
                .map(|(operation, response)| item(operation, response))
                .collect()),
            model::Response::Aborted { at, refusal } => Err((*at, translate::refused(*refusal))),
            refused => Err((0, status(refused))),
        };
        Ok(Charged { answer, units })
    }

    fn configure(&mut self, now_s: i64, draft: &Container) -> Result<Status, Fault> {
        self.begin(now_s);
        let mut world = self.world();
        let response = world.answer(&model::Request::Configure(settings(draft)), &mut self.preferences);
        (self.settings, self.index, self.changed) = (world.settings, world.index, true);
        self.pass(now_s)?;
        Ok(status(&response))
    }

    fn visible(&mut self, now_s: i64, key: &ItemKey) -> Result<Option<Item>, Fault> {
        self.begin(now_s);
        let world = self.world();
        let record = self.records.get(key).filter(|record| !world.is_expired(&record.item));
        Ok(record.map(|record| record.shown.clone()))
    }

    fn scan(
        &mut self,
        now_s: i64,
        _kind: FeedKind,
        after: Option<&ItemKey>,
        visit: Visitor<'_>,
    ) -> Result<Charged<Result<(), Status>>, Fault> {
        self.begin(now_s);
        let (units, answer) = self.charge_query();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut left = self.records.range((from, Bound::Unbounded));
        while answer.is_ok() {
            let chunk: Vec<_> = left.by_ref().take(CHUNK).collect();
            let mut preferences = self.preferences;
            let ids = match self.world_of(&chunk).answer(&model::Request::Query, &mut preferences) {
                model::Response::Ids(ids) => ids,
                // An index that lags finds nothing yet.
                _ => Vec::new(),
            };
            let mut found = ids.iter().filter_map(|id| chunk.get(usize::try_from(id.0).ok()?));
            if chunk.is_empty() || !found.all(|(key, record)| visit(key, &record.shown)) {
                break;
            }
        }
        Ok(Charged { answer, units })
    }

    fn count(
        &mut self,
        now_s: i64,
        accepts: &dyn Fn(&ItemKey, &Item) -> bool,
    ) -> Result<Charged<Result<u64, Status>>, Fault> {
        self.begin(now_s);
        let (units, refused) = self.charge_query();
        if let Err(refused) = refused {
            return Ok(Charged { answer: Err(refused), units });
        }
        let counted: Vec<_> =
            self.records.iter().filter(|(key, record)| accepts(key, &record.shown)).collect();
        let mut total = 0_u64;
        for chunk in counted.chunks(CHUNK) {
            let mut preferences = self.preferences;
            let response = self.world_of(chunk).answer(&model::Request::Count, &mut preferences);
            let model::Response::Count { least, most } = response else {
                return Ok(Charged { answer: Err(status(&response)), units });
            };
            total = total.saturating_add(translate::count(least, most));
        }
        Ok(Charged { answer: Ok(total), units })
    }

    fn set_removal(&mut self, now_s: i64, schedule: RemovalSchedule) -> Result<(), Fault> {
        (self.removal, self.changed) = (schedule, true);
        self.pass(now_s)
    }

    fn pass(&mut self, now_s: i64) -> Result<(), Fault> {
        let before_s = self.now_s;
        self.now_s = self.now_s.max(now_s);
        let ended_s = self.now_s.saturating_sub(before_s).unsigned_abs();
        if ended_s > 0 {
            let idle = Metered::new(self.world(), self.throughput).left;
            // Removal gets what users left over of the seconds that ended.
            let left =
                u64::from(self.left).saturating_add(ended_s.saturating_sub(1).saturating_mul(idle.into()));
            self.left = idle;
            if self.removal == RemovalSchedule::Eager {
                self.remove_with(left);
            }
            self.changed = false;
        } else if self.changed
            && self.removal == RemovalSchedule::Eager
            && self.throughput == Throughput::Serverless
        {
            self.remove_with(0);
            self.changed = false;
        }
        Ok(())
    }

    fn remove_expired(&mut self, now_s: i64) -> Result<Option<u64>, Fault> {
        self.pass(now_s)?;
        if self.removal == RemovalSchedule::Never {
            return Err(Fault::Misuse(
                "the schedule of removal is never; set it to by-hand first".to_owned(),
            ));
        }
        Ok(Some(self.remove(usize::MAX)))
    }

    fn expired(&mut self, now_s: i64, most: usize) -> Result<(Vec<ExpiredItem>, u64), Fault> {
        self.now_s = self.now_s.max(now_s);
        let keys = self.expired_keys();
        let count = u64::try_from(keys.len()).unwrap_or(u64::MAX);
        let listed = keys.into_iter().take(most).filter_map(|key| {
            let ts = self.records.get(&key)?.item.ts;
            Some(ExpiredItem { key, ts })
        });
        Ok((listed.collect(), count))
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn removal_units(&self) -> u64 {
        self.removal_units
    }
}

impl MeteredItems {
    fn begin(&mut self, now_s: i64) {
        let _ = self.pass(now_s);
    }

    /// A world with the settings, and without items.
    fn world(&self) -> World {
        World {
            now: self.now_s,
            settings: self.settings,
            items: BTreeMap::new(),
            next_etag: self.next_etag,
            index: self.index,
        }
    }

    /// A world with these items, numbered in this order.
    fn world_of(&self, records: &[(&ItemKey, &Record)]) -> World {
        let items = (0..).map(ItemId).zip(records.iter().map(|(_, record)| record.item)).collect();
        World { items, ..self.world() }
    }

    /// Charges a query, and returns its units and the status with which it is refused, if it is.
    fn charge_query(&mut self) -> (u32, Result<(), Status>) {
        let (_, response, units) = self.metered(self.world(), &model::Request::Query);
        (units, if let model::Response::Refused(_) = response { Err(status(&response)) } else { Ok(()) })
    }

    fn metered(&mut self, world: World, request: &model::Request) -> (World, model::Response, u32) {
        let mut metered = Metered { world, throughput: self.throughput, left: self.left };
        let (response, units) = metered.answer(COSTS, request, &mut self.preferences);
        self.left = metered.left;
        (metered.world, response, units)
    }

    /// Executes a request about items of one partition: the items' names, the answer, and its request units.
    fn step(&mut self, partition: &PartitionValue, request: &Request) -> (Names, model::Response, u32) {
        let key = |id: &str| ItemKey { partition: partition.clone(), id: id.to_owned() };
        let mut names = Names::default();
        let mut world = self.world();
        for operation in request.operations() {
            if names.number(operation.id()).is_none() {
                let number = names.number_or_new(operation.id());
                if let Some(record) = self.records.get(&key(operation.id())) {
                    // The content of an expired item is never used, and each patch in a batch would copy it.
                    let is_expired = world.is_expired(&record.item);
                    let old =
                        if is_expired { Properties::new() } else { record.shown.document.properties.clone() };
                    let content = names.content(old);
                    world.items.insert(number, model::Item { content, ..record.item });
                }
            }
        }
        let before = world.items.clone();
        let request = names.request(&world, request);
        let (after, response, units) = self.metered(world, &request);
        self.next_etag = after.next_etag;
        for (number, id) in (0..).map(ItemId).zip(names.ids()) {
            let (old, new) = (before.get(&number), after.items.get(&number));
            if old == new {
                continue;
            }
            let key = key(id);
            let record = new.map(|item| record_of(&key, *item, names.properties(item.content)));
            self.put(key, record);
        }
        (names, response, units)
    }

    fn put(&mut self, key: ItemKey, record: Option<Record>) {
        let added = record.as_ref().map_or(0, |record| record.bytes);
        let old = match record {
            Some(record) => self.records.insert(key, record),
            None => self.records.remove(&key),
        };
        self.bytes = self.bytes.saturating_add(added).saturating_sub(old.map_or(0, |old| old.bytes));
    }

    fn expired_keys(&self) -> Vec<ItemKey> {
        let world = self.world();
        let expired = self.records.iter().filter(|(_, record)| world.is_expired(&record.item));
        expired.map(|(key, _)| key.clone()).collect()
    }

    /// Removes expired items as far as these request units suffice; without limit where removal is billed.
    fn remove_with(&mut self, units: u64) {
        let most = match self.throughput {
            Throughput::Provisioned(_) => units.checked_div(COSTS.delete.into()).unwrap_or(u64::MAX),
            Throughput::Serverless => u64::MAX,
        };
        self.remove(usize::try_from(most).unwrap_or(usize::MAX));
    }

    fn remove(&mut self, most: usize) -> u64 {
        let mut removed = 0_u64;
        for key in self.expired_keys().into_iter().take(most) {
            let Some(record) = self.records.get(&key) else { continue };
            // The model removes an expired item only.
            if self.world_of(&[(&key, record)]).remove(ItemId(0)) {
                self.put(key, None);
                removed = removed.saturating_add(1);
            }
        }
        if self.throughput == Throughput::Serverless {
            let units = removed.saturating_mul(COSTS.delete.into());
            self.removal_units = self.removal_units.saturating_add(units);
        }
        removed
    }
}

fn record_of(key: &ItemKey, item: model::Item, properties: Option<&Properties>) -> Record {
    let document = Document { id: key.id.clone(), properties: properties.cloned().unwrap_or_default() };
    let bytes = bytes_of(key, &document);
    let shown = Item { document, ts: Some(item.ts), etag: Some(translate::etag(item.etag)) };
    Record { item: model::Item { content: Content(0), ..item }, shown, bytes }
}
