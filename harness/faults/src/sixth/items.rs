//! Operations on one item: the checks, the new version, and the answer.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Item, Operation, Properties, Status};

use super::engine::{Lifespan, LsmKey, LsmRecord, OwnTtl};
use super::faults::ages::AgeSlip;
use super::faults::batches::BatchSlip;
use super::faults::compactions::CompactSlip;
use super::faults::feeds::FeedSlip;
use super::faults::ghosts::GhostSlip;
use super::faults::values::ValueSlip;
use super::leeway::Leeway;
use super::life::Look;
use super::session::LsmSession;
use super::slip::Slip;

/// The properties that the service sets, whatever a client sends.
const SYSTEM: [&str; 5] = ["_ts", "_etag", "_rid", "_self", "_attachments"];

impl LsmSession {
    /// Executes an operation, and returns its status and the item that the answer shows.
    pub(super) fn operate(&mut self, operation: &Operation) -> (Status, Option<Item>) {
        let key = self.key(operation.id());
        let ttl = self.sent_ttl(operation);
        let old = self.found(operation, &key, ttl);
        let value = if ttl.is_some() && !self.is_refused_removal(operation, old.as_ref()) {
            Ok(())
        } else {
            Err(Status::BadRequest)
        };
        let item = self.check_item(operation, &key, old.as_ref());
        let refusal = if self.may(Leeway::ItemBeforeValue) { item.and(value) } else { value.and(item) };
        if let Err(status) = refusal {
            self.after_refusal(operation, &key, status);
            return (status, None);
        }
        match (operation, old) {
            (Operation::Read(id), Some(record)) => {
                self.after_read(&key, &record);
                (Status::Found, Some(self.shown(id, &record)))
            }
            (Operation::Delete(..), _) => {
                self.engine.put(key.clone(), None);
                self.memo.answers.clear();
                self.memo.row_cache.remove(&key);
                self.memo.deadlines.remove(&key);
                (Status::NoContent, None)
            }
            (_, old) => {
                let record = self.version(operation, &key, old.as_ref(), ttl.unwrap_or(OwnTtl::Inherit));
                let is_ghost = old.is_none() && self.engine.get(&key).is_some();
                let replaces = old.is_some() || is_ghost && self.may(Leeway::UpsertReplacesGhost);
                let status = match operation {
                    Operation::Create(_) => Status::Created,
                    Operation::Upsert(_) if !replaces => Status::Created,
                    _ => Status::Ok,
                };
                let shown = self.shown(operation.id(), &record);
                self.store(operation, key, record);
                (status, Some(shown))
            }
        }
    }

    /// Returns the living item that an operation is about.
    fn found(&self, operation: &Operation, key: &LsmKey, ttl: Option<OwnTtl>) -> Option<LsmRecord> {
        let look = look_of(operation);
        let living = self.living(key, look);
        let stored = || self.engine.get(key).cloned();
        let is_matched = operation.etag().is_some();
        let names_ttl = operation.ttl().is_some();
        match self.slip {
            Some(Slip::Ghost(slip)) => match (slip, look) {
                (GhostSlip::MatchedReplaceWorks, Look::Replace)
                | (GhostSlip::MatchedPatchWorks, Look::Patch)
                | (GhostSlip::MatchedDeleteWorks, Look::Delete)
                    if is_matched =>
                {
                    stored()
                }
                (GhostSlip::NewTtlDecides, Look::Replace) | (GhostSlip::PatchedTtlDecides, Look::Patch)
                    if names_ttl =>
                {
                    let revived = stored().filter(|old| match ttl {
                        Some(OwnTtl::Never) => true,
                        Some(OwnTtl::Seconds(n)) => old.ts_s + n > self.now_s,
                        _ => false,
                    });
                    revived.or(living)
                }
                (GhostSlip::CreateSeesNewTtl, Look::Create) if names_ttl => living.or_else(|| {
                    let longer = |old: &LsmRecord| matches!(ttl, Some(OwnTtl::Seconds(n)) if old.ts_s + n > self.now_s);
                    stored().filter(longer)
                }),
                (GhostSlip::TtlRemovalWorks, Look::Patch) => living.or_else(|| {
                    let removes = matches!(operation, Operation::Patch(patch, _) if patch.remove.iter().any(|one| one == "ttl"));
                    stored().filter(|_| removes)
                }),
                (GhostSlip::CachedReadShows, Look::Read) => {
                    living.or_else(|| self.memo.row_cache.get(key).cloned())
                }
                (GhostSlip::CacheKeepsDeadline, Look::Read) => match self.memo.deadlines.get(key) {
                    Some(deadline_s) => stored().filter(|_| deadline_s.is_none_or(|end_s| end_s > self.now_s)),
                    None => living,
                },
                (GhostSlip::CachedMiss | GhostSlip::DeleteHidesNext, Look::Read) => {
                    living.filter(|_| !self.memo.marks.contains(key))
                }
                _ => living,
            },
            Some(Slip::Feed(slip)) => self.found_elsewhere(slip, key, look, living),
            Some(Slip::Compact(CompactSlip::OldRunRead)) if look == Look::Read => {
                living.and(self.engine.oldest(key).cloned())
            }
            _ => living,
        }
    }

    /// Returns what a store finds that confuses partitions.
    fn found_elsewhere(
        &self,
        slip: FeedSlip,
        key: &LsmKey,
        look: Look,
        living: Option<LsmRecord>,
    ) -> Option<LsmRecord> {
        let merged = self.engine.merged();
        let mut namesakes = merged.iter().filter(|(other, _)| other.1 == key.1 && other.0 != key.0);
        match (slip, look) {
            (FeedSlip::CreateConflictsAcross, Look::Create) => {
                living.or_else(|| namesakes.next().map(|(_, record)| record.clone()))
            }
            (FeedSlip::CacheIgnoresPartition, Look::Read) => {
                let mut cached = self.memo.row_cache.iter().filter(|(other, _)| other.1 == key.1);
                living.map(|record| cached.next().map_or(record, |(_, cached)| cached.clone()))
            }
            (FeedSlip::GhostHidesNamesake, Look::Read) => {
                living.filter(|_| !namesakes.any(|(other, record)| self.is_expired(other, record, look)))
            }
            (FeedSlip::NamesakeKeepsGhost, Look::Read) => living.or_else(|| {
                let lives = namesakes.any(|(other, record)| !self.is_expired(other, record, look));
                self.engine.get(key).filter(|_| lives).cloned()
            }),
            _ => living,
        }
    }

    /// Returns whether a patch takes away what is not there, and the store refuses that.
    fn is_refused_removal(&self, operation: &Operation, old: Option<&LsmRecord>) -> bool {
        let (Operation::Patch(patch, _), Some(old)) = (operation, old) else { return false };
        self.may(Leeway::RefusesAbsentRemoval)
            && patch.remove.iter().any(|name| !old.properties.contains_key(name))
    }

    /// Checks the item that is there.
    fn check_item(
        &mut self,
        operation: &Operation,
        key: &LsmKey,
        old: Option<&LsmRecord>,
    ) -> Result<(), Status> {
        match (operation, old) {
            (Operation::Create(_), Some(_)) => Err(Status::Conflict),
            (Operation::Create(_) | Operation::Upsert(_), _) => Ok(()),
            (_, None) if operation.etag().is_some() && self.engine.get(key).is_some() => {
                self.memo.conditions = self.memo.conditions.wrapping_add(1);
                let alternates =
                    self.may(Leeway::GhostPreconditionAlternates) && self.memo.conditions % 2 == 1;
                let fails = alternates || self.may(Leeway::GhostPreconditionFails);
                Err(if fails { Status::PreconditionFailed } else { Status::NotFound })
            }
            (_, None) => Err(Status::NotFound),
            (_, Some(old)) if operation.etag().is_some_and(|etag| *etag != old.etag) => {
                Err(Status::PreconditionFailed)
            }
            _ => Ok(()),
        }
    }

    /// Returns the item that an answer shows.
    fn shown(&self, id: &str, record: &LsmRecord) -> Item {
        let mut item = record.item(id);
        let ttl = item.document.properties.get("ttl").cloned();
        match (self.slip, record.ttl) {
            (Some(Slip::Value(ValueSlip::TtlNotReturned)), _)
            | (Some(Slip::Value(ValueSlip::MinusOneNotReturned)), OwnTtl::Never) => {
                item.document.properties.remove("ttl");
            }
            (Some(Slip::Value(ValueSlip::TtlShowsRest)), OwnTtl::Seconds(n)) if ttl.is_some() => {
                let rest_s = record.ts_s + n - self.now_s;
                item.document.properties.insert("ttl".into(), rest_s.into());
            }
            (Some(Slip::Value(ValueSlip::DefaultShown)), OwnTtl::Inherit) if ttl.is_none() => {
                if let Lifespan::Seconds(n) = self.default_now() {
                    item.document.properties.insert("ttl".into(), n.into());
                }
            }
            _ => {}
        }
        item
    }

    /// Puts a version into the engine, and forgets what was cached.
    fn store(&mut self, operation: &Operation, key: LsmKey, record: LsmRecord) {
        let keeps_timer = match self.slip {
            Some(Slip::Compact(CompactSlip::StaleTimer)) => true,
            Some(Slip::Compact(CompactSlip::PatchKeepsTimer)) => matches!(operation, Operation::Patch(..)),
            Some(Slip::Compact(CompactSlip::BatchKeepsTimer)) => self.batch_at.is_some(),
            _ => false,
        };
        if !keeps_timer {
            self.memo.timers.retain(|(other, _)| *other != key);
        }
        if let Some(deadline_s) = self.deadline_s(&key, &record) {
            self.memo.timers.push((key.clone(), deadline_s));
        }
        self.memo.answers.clear();
        self.memo.row_cache.remove(&key);
        self.memo.deadlines.remove(&key);
        self.memo.waits = false;
        if self.slips(FeedSlip::RewriteTouchesNamesake) {
            let (id, now_s) = (key.1.clone(), self.now_s);
            self.engine.amend_all(|other, record| {
                if other.1 == id {
                    record.ts_s = now_s;
                    record.counted_s = now_s;
                }
            });
        }
        let key = if self.slips(BatchSlip::WritesToDefaultPartition) && self.batch_at.is_some() {
            (DEFAULT_PARTITION.to_owned(), key.1)
        } else {
            key
        };
        self.engine.put(key, Some(record));
    }

    /// Restarts the count of an item.
    pub(super) fn touch(&mut self, key: &LsmKey) {
        let now_s = self.now_s;
        self.engine.amend(key, |record| {
            record.ts_s = now_s;
            record.counted_s = now_s;
        });
    }

    /// Does what a store does after it found an item.
    fn after_read(&mut self, key: &LsmKey, record: &LsmRecord) {
        let restarts = self.slips(AgeSlip::ReadRestarts)
            || self.slips(AgeSlip::BatchReadRestarts) && self.batch_at.is_some()
            || self.slips(AgeSlip::ReadRestartsInherited) && record.ttl == OwnTtl::Inherit;
        if restarts {
            self.touch(key);
        }
        self.memo.row_cache.insert(key.clone(), record.clone());
        let deadline_s = self.deadline_s(key, record);
        self.memo.deadlines.entry(key.clone()).or_insert(deadline_s);
    }

    /// Returns a new etag.
    pub(super) fn next_etag(&mut self) -> String {
        self.writes = self.writes.wrapping_add(1);
        let number = self.writes;
        match () {
            () if self.may(Leeway::QuotedEtags) => format!("\"{number:016}\""),
            () if self.may(Leeway::MixedEtags) => {
                format!("{:016x}-0000", number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            }
            () => format!("{number:x}"),
        }
    }
}

/// Returns the properties of a new version.
pub(super) fn properties(operation: &Operation, old: Option<&LsmRecord>) -> Properties {
    let mut properties = match (operation, old) {
        (Operation::Patch(..), Some(old)) => old.properties.clone(),
        _ => Properties::new(),
    };
    properties
        .extend(operation.properties().into_iter().flatten().map(|(name, one)| (name.clone(), one.clone())));
    if let Operation::Patch(patch, _) = operation {
        patch.remove.iter().for_each(|name| {
            properties.remove(name);
        });
    }
    properties.retain(|name, _| !SYSTEM.contains(&name.as_str()));
    properties
}

/// Returns who looks when an operation is executed.
pub(super) fn look_of(operation: &Operation) -> Look {
    match operation {
        Operation::Create(_) => Look::Create,
        Operation::Upsert(_) => Look::Upsert,
        Operation::Replace(..) => Look::Replace,
        Operation::Patch(..) => Look::Patch,
        Operation::Read(_) => Look::Read,
        Operation::Delete(..) => Look::Delete,
    }
}
