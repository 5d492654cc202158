//! The store as a target, and a session with it.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{
    About, Clock, DEFAULT_PARTITION, Edition, Fault, Id, Indexing, Opening, Operation, PartitionKey,
    Properties, Removal, Request, RequestOptions, Response, Session, Status, Target,
};

use super::bug::Bug;
use super::document::{Collection, DocumentMap, StoredDefault, StoredDocument, Verb, Way};
use super::leeway::{LazyAnswers, Leeway, OwnRemoval, PLAIN};
use super::sweeper::DueEntry;

/// A store as a target: correct, or with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct DocumentStore {
    /// Its name.
    pub name: &'static str,
    /// Its choices.
    pub leeway: Leeway,
    pub(super) bug: Option<Bug>,
}

impl DocumentStore {
    /// The correct store with the usual choices.
    pub const CORRECT: Self = Self { name: "second-correct", leeway: PLAIN, bug: None };
}

impl Target for DocumentStore {
    fn about(&self) -> About {
        let is_scheduled = self.leeway.removal == OwnRemoval::Scheduled;
        let removals = [Removal::Never, Removal::Eager, Removal::Alternate];
        About {
            name: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: self.leeway.editions.to_vec(),
            removals: if is_scheduled { removals.to_vec() } else { Vec::new() },
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(StoreSession {
            leeway: self.leeway,
            bug: self.bug,
            is_of_2020: opening.edition == Edition::Y2020,
            schedule: opening.removal,
            now: self.leeway.start_s,
            swept_s: self.leeway.start_s,
            collection: None,
            partitions: BTreeMap::new(),
            due: BTreeSet::new(),
            etags: 0,
            rids: 0,
            turn: 0,
            memory: Memory::default(),
        }))
    }
}

/// One session: a container with its partitions, and its clock.
#[derive(Clone, Debug)]
pub(super) struct StoreSession {
    pub(super) leeway: Leeway,
    pub(super) bug: Option<Bug>,
    pub(super) is_of_2020: bool,
    schedule: Option<Removal>,
    /// Seconds of the Unix epoch.
    pub(super) now: i64,
    swept_s: i64,
    pub(super) collection: Option<Collection>,
    pub(super) partitions: BTreeMap<PartitionKey, DocumentMap>,
    /// When which item is to be removed. An entry may be stale: removal looks at the item again.
    pub(super) due: BTreeSet<DueEntry>,
    pub(super) etags: u64,
    pub(super) rids: u64,
    pub(super) turn: u64,
    pub(super) memory: Memory,
}

/// What the store remembers from one request to the next, most of it for faults alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The partition that the request names.
    pub(super) partition: PartitionKey,
    /// The partition under which its items are stored.
    pub(super) place: PartitionKey,
    pub(super) changed_s: Option<i64>,
    /// The default before the last change.
    pub(super) before: StoredDefault,
    /// When the last change made a lazy index be built again.
    pub(super) rebuilt_s: Option<i64>,
    pub(super) last_write_s: Option<i64>,
    pub(super) last_ts: Option<i64>,
    pub(super) first_batch_s: Option<i64>,
    pub(super) plan_default: Option<StoredDefault>,
    pub(super) page_default: Option<StoredDefault>,
    pub(super) page_snapshot: Vec<Id>,
    pub(super) reads: BTreeMap<(PartitionKey, Id), (i64, Response)>,
    pub(super) misses: BTreeSet<(PartitionKey, Id)>,
    pub(super) rows: BTreeMap<(PartitionKey, bool), (i64, Vec<Id>)>,
    pub(super) tombstones: BTreeSet<Id>,
    pub(super) deleted_s: BTreeMap<Id, i64>,
    pub(super) leaked: Vec<(Id, Properties)>,
    pub(super) hidden_until: BTreeMap<u64, i64>,
    pub(super) index_garbage: Vec<(PartitionKey, Id)>,
    pub(super) is_reindexing: bool,
}

impl Memory {
    /// Forgets the answers that a write of this item makes untrue.
    pub(super) fn forget_answers(&mut self, key: &Id) {
        self.reads.retain(|(_, cached), _| cached != key);
        self.misses.retain(|(_, cached)| cached != key);
    }
}

impl Session for StoreSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.refuse_unsupported(request, options)?;
        self.turn += 1;
        match (self.leeway.removal, self.schedule) {
            (OwnRemoval::EachRequest, _) => self.sweep(usize::MAX),
            (OwnRemoval::OneEachRequest | OwnRemoval::LastFirst, _) => self.sweep(1),
            (_, Some(Removal::Alternate)) if self.turn.is_multiple_of(2) => self.sweep(usize::MAX),
            _ => {}
        }
        self.memory.partition = options.partition.clone().unwrap_or_else(|| DEFAULT_PARTITION.into());
        let is_continued = options.page.as_ref().is_some_and(|page| page.continuation.is_some());
        self.memory.place = self.place_of(request, is_continued);
        let response = self.answer(request, options);
        if self.removes_on_access() {
            for operation in request.operations() {
                self.remove_expired(operation);
            }
        }
        let is_listed = matches!(request, Request::Query | Request::List);
        if self.schedule == Some(Removal::Eager) || is_listed && self.leeway.removal == OwnRemoval::WhenListed
        {
            self.sweep(usize::MAX);
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now = self.now.saturating_add_unsigned(seconds);
        let is_time = match self.leeway.removal {
            OwnRemoval::Every(period_s) => self.now - self.swept_s >= period_s,
            _ => self.schedule == Some(Removal::Eager),
        };
        if is_time {
            self.swept_s = self.now;
            self.sweep(usize::MAX);
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.sweep(usize::MAX);
        Ok(())
    }
}

impl StoreSession {
    fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        match request {
            Request::CreateContainer(container) => Response::new(self.create_container(container)),
            Request::ReplaceContainer(container) => Response::new(self.replace_container(container)),
            _ if self.collection.is_none() => Response::new(Status::NotFound),
            Request::Item(operation) => self.operate_alone(operation),
            Request::Batch(operations) => self.batch(operations),
            Request::Query => self.feed(Verb::Query, options.page.as_ref()),
            Request::List => self.feed(Verb::List, options.page.as_ref()),
            Request::Count => self.feed(Verb::Count, None),
        }
    }

    fn operate_alone(&mut self, operation: &Operation) -> Response {
        let mut place = self.partitions.remove(&self.memory.place).unwrap_or_default();
        let response = self.operate(&mut place, operation, false);
        self.partitions.insert(self.memory.place.clone(), place);
        let is_missed = response == Err(Status::NotFound) && matches!(operation, Operation::Delete(..));
        if is_missed && self.has(Bug::DeleteFallsThrough) {
            let key = self.stored_id(operation.id());
            let way = Way::of(operation, false);
            let found = |(_, place): &(&PartitionKey, &DocumentMap)| {
                place.documents.get(&key).is_some_and(|document| !self.is_gone(document, way))
            };
            if let Some((name, _)) = self.partitions.iter().find(found) {
                let name = name.clone();
                let mut place = self.partitions.remove(&name).unwrap_or_default();
                self.remove(&mut place, &key);
                self.partitions.insert(name, place);
                return Response::new(Status::NoContent);
            }
        }
        response.unwrap_or_else(Response::new)
    }

    fn remove_expired(&mut self, operation: &Operation) {
        let key = self.stored_id(operation.id());
        let Some(mut place) = self.partitions.remove(&self.memory.place) else { return };
        let is_expired = |document: &StoredDocument| document.expires_at.is_some_and(|at| at <= self.now);
        if place.documents.get(&key).is_some_and(is_expired) {
            self.remove(&mut place, &key);
        }
        self.partitions.insert(self.memory.place.clone(), place);
    }

    /// Returns the partition in which a request looks.
    fn place_of(&self, request: &Request, is_continued: bool) -> PartitionKey {
        let in_default = match self.bug {
            Some(Bug::KeyConcatenated) => return PartitionKey::new(),
            Some(Bug::BatchInDefaultPartition) => matches!(request, Request::Batch(_)),
            Some(Bug::PatchInDefaultPartition) => matches!(request, Request::Item(Operation::Patch(..))),
            Some(Bug::LaterPagesInDefaultPartition) => is_continued,
            Some(Bug::PartitionInAnyCase) => return self.memory.partition.to_ascii_lowercase(),
            _ => false,
        };
        if in_default { DEFAULT_PARTITION.into() } else { self.memory.partition.clone() }
    }

    /// Returns the id under which an item is stored.
    pub(super) fn stored_id(&self, id: &str) -> Id {
        match self.bug {
            Some(Bug::KeyConcatenated) => format!("{}{id}", self.memory.partition),
            Some(Bug::IdInAnyCase) => id.to_ascii_lowercase(),
            Some(Bug::IdUrlDecoded) => id.replace("%61", "a").replace('+', " "),
            Some(Bug::NumericIds) if id.bytes().all(|byte| byte.is_ascii_digit()) => {
                id.trim_start_matches('0').to_owned()
            }
            Some(Bug::LongIdsCut) => id.chars().take(32).collect(),
            _ => id.to_owned(),
        }
    }

    pub(super) fn is_in_other_partition(&self, key: &Id) -> bool {
        self.partitions.values().any(|place| place.documents.contains_key(key))
    }

    /// Returns whether the store makes this mistake.
    pub(super) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Returns the default in force.
    pub(super) fn default_ttl(&self) -> StoredDefault {
        self.collection.map_or(StoredDefault::Off, |collection| collection.default)
    }

    pub(super) fn is_lazy(&self) -> bool {
        self.collection.is_some_and(|collection| collection.indexing == Indexing::Lazy)
    }

    fn refuse_unsupported(&self, request: &Request, options: &RequestOptions) -> Result<(), Fault> {
        let lacks = |word: &str| self.leeway.lacks.contains(&word);
        let words = request.operations().iter().map(Operation::word).chain([request.word()]);
        let mut missing: Vec<&str> = words.filter(|word| lacks(word)).collect();
        let indexing = request.container().map(|container| container.indexing);
        let asked = [
            ("if-match", request.operations().iter().any(|operation| operation.etag().is_some())),
            ("partitions", options.partition.is_some()),
            ("pages", options.page.is_some()),
            ("unindexed", indexing == Some(Indexing::None)),
        ];
        missing.extend(
            asked.into_iter().filter(|(word, is_asked)| *is_asked && lacks(word)).map(|(word, _)| word),
        );
        if indexing == Some(Indexing::Lazy) && self.leeway.lazy == LazyAnswers::Unsupported {
            missing.push("lazy");
        }
        match missing.first() {
            Some(word) => Err(Fault::Unsupported(format!("no {word}"))),
            None => Ok(()),
        }
    }
}
