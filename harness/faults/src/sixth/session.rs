//! The store as a target, and a session with its engine.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{
    About, Body, Clock, DEFAULT_PARTITION, Edition, Fault, Id, Indexing, Opening, Operation, PartitionKey,
    Removal, Request, RequestOptions, Response, Session, Status, Target,
};

use super::engine::{Lifespan, LsmEngine, LsmKey, LsmRecord, OwnTtl};
use super::faults::ages::AgeSlip;
use super::leeway::Leeway;
use super::slip::Slip;

/// A storage engine as a target: correct, or with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct LsmStore {
    /// Its name.
    pub name: &'static str,
    /// Its freedoms.
    pub leeways: &'static [Leeway],
    pub(super) slip: Option<Slip>,
}

impl LsmStore {
    /// The correct store with the usual choices.
    pub const CORRECT: Self = Self { name: "sixth-correct", leeways: &[], slip: None };
}

impl Target for LsmStore {
    fn about(&self) -> About {
        use Leeway::{
            CompactsEveryFifth, CompactsOnAccess, CompactsOnWrite, CompactsPartition, NeverCompacts,
            OffersNeverAlone, Only2020, Only2024,
        };
        let has = |leeway| self.leeways.contains(&leeway);
        let own = [CompactsEveryFifth, CompactsOnAccess, CompactsOnWrite, CompactsPartition, NeverCompacts];
        let removals = if own.into_iter().any(has) {
            Vec::new()
        } else if has(OffersNeverAlone) {
            vec![Removal::Never]
        } else {
            vec![Removal::Never, Removal::Eager, Removal::Alternate]
        };
        let editions = match () {
            () if has(Only2024) => vec![Edition::Y2024],
            () if has(Only2020) => vec![Edition::Y2020],
            () => vec![Edition::Y2020, Edition::Y2024],
        };
        let version = env!("CARGO_PKG_VERSION").into();
        About { name: self.name.into(), version, clock: Clock::Virtual, editions, removals }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let now_s = match () {
            () if self.leeways.contains(&Leeway::StartsAtZero) => 0,
            () if self.leeways.contains(&Leeway::StartsAt31Bits) => 2_147_483_640,
            () if self.leeways.contains(&Leeway::StartsAt32Bits) => 4_294_967_290,
            () => 1_700_000_000,
        };
        Ok(Box::new(LsmSession {
            leeways: self.leeways,
            slip: self.slip,
            is_of_2020: opening.edition == Edition::Y2020,
            schedule: opening.removal,
            now_s,
            manifest: None,
            engine: LsmEngine::default(),
            partition: DEFAULT_PARTITION.into(),
            batch_at: None,
            writes: 0,
            requests: 0,
            memo: LsmMemo { last_request_s: now_s, ..LsmMemo::default() },
        }))
    }

    fn most_sessions(&self) -> usize {
        if self.leeways.contains(&Leeway::OneSession) { 1 } else { usize::MAX }
    }
}

/// The settings in force.
#[derive(Clone, Copy, Debug)]
pub(super) struct LsmManifest {
    pub(super) default: Lifespan,
    pub(super) indexing: Indexing,
}

/// One session: an engine with its settings, and its clock.
#[derive(Clone, Debug)]
pub(super) struct LsmSession {
    pub(super) leeways: &'static [Leeway],
    pub(super) slip: Option<Slip>,
    pub(super) is_of_2020: bool,
    schedule: Option<Removal>,
    /// Seconds of the Unix epoch.
    pub(super) now_s: i64,
    pub(super) manifest: Option<LsmManifest>,
    pub(super) engine: LsmEngine,
    /// The partition of the request.
    pub(super) partition: PartitionKey,
    /// The number of the operation in a batch.
    pub(super) batch_at: Option<usize>,
    pub(super) writes: u64,
    requests: u64,
    pub(super) memo: LsmMemo,
}

/// What the session remembers besides its data: for faults, and for some freedoms.
#[derive(Clone, Debug, Default)]
pub(super) struct LsmMemo {
    pub(super) first_default: Lifespan,
    pub(super) last_seconds: Option<i64>,
    pub(super) lowest_seconds: Option<i64>,
    pub(super) changes: u32,
    pub(super) off_since_s: Option<i64>,
    pub(super) was_none: bool,
    pub(super) last_request_s: i64,
    /// The deadlines of all writes so far.
    pub(super) timers: Vec<(LsmKey, i64)>,
    /// The expired items that requests met.
    pub(super) met: BTreeSet<LsmKey>,
    /// The items that a compaction dropped.
    pub(super) dropped: BTreeMap<LsmKey, LsmRecord>,
    pub(super) row_cache: BTreeMap<LsmKey, LsmRecord>,
    /// The deadlines that reads computed.
    pub(super) deadlines: BTreeMap<LsmKey, Option<i64>>,
    pub(super) answers: BTreeMap<PartitionKey, Vec<Id>>,
    pub(super) snapshot: Vec<Id>,
    /// When an index began to be built again, the items then, and how many queries it has answered since.
    pub(super) rebuilt: Option<(i64, Vec<LsmKey>, u32)>,
    pub(super) conditions: u64,
    /// Whether queries wait for a write.
    pub(super) waits: bool,
    pub(super) marks: BTreeSet<LsmKey>,
    /// The `ttl` of the first write of a batch.
    pub(super) batch_ttl: Option<OwnTtl>,
}

impl LsmSession {
    /// Returns whether the store makes this mistake.
    pub(super) fn slips(&self, slip: impl Into<Slip>) -> bool {
        self.slip == Some(slip.into())
    }

    /// Returns whether the store takes this freedom.
    pub(super) fn may(&self, leeway: Leeway) -> bool {
        self.leeways.contains(&leeway)
    }

    /// Returns the default in force.
    pub(super) fn default_now(&self) -> Lifespan {
        self.manifest.map_or(Lifespan::Off, |manifest| manifest.default)
    }

    /// Returns the key of this item in the partition of the request.
    pub(super) fn key(&self, id: &str) -> LsmKey {
        (self.partition.clone(), id.to_owned())
    }

    /// Refuses what the store does not offer.
    fn check_offer(&self, request: &Request, options: &RequestOptions) -> Result<(), Fault> {
        let operations = request.operations();
        let is_patch = |operation: &Operation| matches!(operation, Operation::Patch(..));
        let is_upsert = |operation: &Operation| matches!(operation, Operation::Upsert(_));
        let has_mode = |mode| request.container().is_some_and(|container| container.indexing == mode);
        let lacks = [
            (Leeway::NoPatch, operations.iter().any(is_patch), "no patch"),
            (Leeway::NoUpsert, operations.iter().any(is_upsert), "no upsert"),
            (Leeway::NoBatch, matches!(request, Request::Batch(_)), "no batches"),
            (Leeway::NoConditions, operations.iter().any(|one| one.etag().is_some()), "no conditions"),
            (Leeway::NoPages, options.page.is_some(), "no pages"),
            (Leeway::NoPartitions, options.partition.is_some(), "one partition"),
            (Leeway::NoLazy, has_mode(Indexing::Lazy), "no lazy indexing"),
            (Leeway::NoNone, has_mode(Indexing::None), "no containers without an index"),
            (Leeway::NoCount, matches!(request, Request::Count), "no aggregates"),
        ];
        match lacks.into_iter().find(|(leeway, asked, _)| *asked && self.may(*leeway)) {
            Some((.., why)) => Err(Fault::Unsupported(why.into())),
            None => Ok(()),
        }
    }

    /// Compacts before a request, if the schedule or a habit says so.
    fn compact_before(&mut self, request: &Request) {
        let is_write = request.operations().iter().any(Operation::is_write);
        let is_due = self.schedule == Some(Removal::Alternate) && self.requests.is_multiple_of(2)
            || self.may(Leeway::CompactsOnWrite) && is_write
            || self.may(Leeway::CompactsEveryFifth) && self.requests.is_multiple_of(5);
        if is_due {
            self.compact();
        }
        if self.may(Leeway::CompactsPartition) {
            let partition = self.partition.clone();
            self.compact_some(|key, _| key.0 == partition);
        }
        if self.may(Leeway::CompactsOnAccess) {
            let ids: BTreeSet<_> = request.operations().iter().map(|one| self.key(one.id())).collect();
            self.compact_some(|key, _| ids.contains(key));
        }
    }

    fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        if let Some(container) = request.container() {
            return self.configure(container, matches!(request, Request::CreateContainer(_)));
        }
        if self.manifest.is_none() {
            return Response::new(Status::NotFound);
        }
        match request {
            Request::Item(operation) => {
                let (status, item) = self.operate(operation);
                match item {
                    Some(item) => Response::item(status, item),
                    None => Response::new(status),
                }
            }
            Request::Batch(operations) => self.batch(operations),
            _ => self.feed(request, options.page.as_ref()),
        }
    }

    /// Takes out of an answer what the store does not return.
    fn trimmed(&self, request: &Request, mut response: Response) -> Response {
        let is_read = matches!(request, Request::Item(Operation::Read(_)));
        if let Body::Item(item) = &mut response.body {
            item.ts = item.ts.filter(|_| !self.may(Leeway::NoTs));
            item.etag = item.etag.take().filter(|_| !self.may(Leeway::NoEtags));
        }
        if self.may(Leeway::NoItemInWrites) && !is_read && matches!(response.body, Body::Item(_)) {
            response.body = Body::Nothing;
        }
        if self.may(Leeway::Talks) { response.with_detail("level 0, 1 run, 0 stalls") } else { response }
    }
}

impl Session for LsmSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.check_offer(request, options)?;
        self.requests = self.requests.wrapping_add(1);
        self.partition = options.partition.clone().unwrap_or_else(|| DEFAULT_PARTITION.into());
        self.compact_before(request);
        let response = self.answer(request, options);
        if self.schedule == Some(Removal::Eager) {
            self.compact();
        }
        self.memo.last_request_s = self.now_s;
        Ok(self.trimmed(request, response))
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        let seconds = i64::try_from(seconds).map_err(|_| Fault::Misuse("more seconds than exist".into()))?;
        self.now_s = self.now_s.saturating_add(seconds);
        if self.slips(AgeSlip::ClockWraps) {
            self.now_s %= 1 << 32;
        }
        if self.schedule == Some(Removal::Eager) {
            self.compact();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if self.may(Leeway::NoPurge) {
            return Err(Fault::Unsupported("compactions start by themselves".into()));
        }
        self.compact();
        Ok(())
    }
}
