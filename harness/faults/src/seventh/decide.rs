//! Decisions about one item: what a request answers, and which facts follow.

use cosmos_ttl_harness::target::{Etag, Operation, Patch, Properties, Response, Status};

use super::allowance::{LedgerRemoval, RefusalOrder};
use super::fold::{Fact, LedgerEntry};
use super::ledger::LedgerSession;
use super::rule::{EntryLife, LedgerKey, WrongValue};
use super::slip::{Door, Path, Slip, Via};

/// What a request finds under its id.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) key: LedgerKey,
    pub(super) door: Door,
    pub(super) living: Option<LedgerEntry>,
    pub(super) expired: Option<LedgerEntry>,
}

/// Returns the door of an operation.
pub(super) fn door_of(operation: &Operation, in_batch: bool) -> Door {
    let path = match operation {
        Operation::Create(_) => Path::Create,
        Operation::Upsert(_) => Path::Upsert,
        Operation::Replace(..) => Path::Replace,
        Operation::Patch(..) => Path::Patch,
        Operation::Read(_) => Path::Read,
        Operation::Delete(..) => Path::Delete,
    };
    match operation.etag() {
        _ if in_batch => Door(path, Via::Batch),
        Some(_) => Door(path, Via::If),
        None => Door(path, Via::Plain),
    }
}

impl LedgerSession {
    /// Executes an operation, or returns the status of its refusal.
    pub(super) fn operate(&mut self, operation: &Operation, in_batch: bool) -> Result<Response, Status> {
        let found = self.find(operation, in_batch);
        if found.expired.is_some() && self.allowance.removal == LedgerRemoval::WhenMet {
            self.record(Fact::Swept(found.key.clone()));
        }
        match operation {
            Operation::Create(document) => self.create(&found, &document.properties),
            Operation::Upsert(document) => self.upsert(&found, &document.properties),
            Operation::Replace(document, etag) => self.replace(&found, &document.properties, etag.as_ref()),
            Operation::Patch(patch, etag) => self.patch(&found, patch, etag.as_ref()),
            Operation::Read(_) => self.read(&found),
            Operation::Delete(_, etag) => self.delete(&found, etag.as_ref()),
        }
    }

    fn find(&self, operation: &Operation, in_batch: bool) -> Found {
        let door = door_of(operation, in_batch);
        let key = self.key_of(operation.id());
        let stored = self.memory.batch_start.as_ref().unwrap_or(&self.shelf).get(&key).cloned();
        let is_blind = match self.slip {
            Some(Slip::ConditionalInBatchBlind) => in_batch && operation.etag().is_some(),
            Some(Slip::BatchChecksFirstOnly) => in_batch && self.memory.is_later_operation,
            _ => false,
        };
        let is_expired = !is_blind && stored.as_ref().is_some_and(|entry| self.is_expired(&key, entry, door));
        let (expired, living) = if is_expired { (stored, None) } else { (None, stored) };
        Found { key, door, living, expired }
    }

    /// Returns the item under a key, unless it is expired.
    pub(super) fn living(&self, key: &LedgerKey, door: Door) -> Option<&LedgerEntry> {
        self.shelf.get(key).filter(|entry| !self.is_expired(key, entry, door))
    }

    /// Returns the key of an item of the partition of the request.
    pub(super) fn key_of(&self, id: &str) -> LedgerKey {
        match self.slip {
            Some(Slip::KeysJoined) => (String::new(), format!("{}{id}", self.partition)),
            Some(Slip::KeysFolded) => (self.partition.to_lowercase(), id.to_owned()),
            _ => (self.partition.clone(), id.to_owned()),
        }
    }

    /// Returns the first refusal of a write.
    fn refusal(
        &self,
        value: Result<EntryLife, WrongValue>,
        item: Option<Status>,
    ) -> Result<EntryLife, Status> {
        let refused = value.map_err(|WrongValue| Status::BadRequest);
        match (self.allowance.refusals, item) {
            (RefusalOrder::Value | RefusalOrder::AllValues, Some(status)) => refused.and(Err(status)),
            (RefusalOrder::Item, Some(status)) => Err(status),
            (_, None) => refused,
        }
    }

    /// Returns why an item that must be there cannot be written, if it cannot.
    fn missing(&self, found: &Found, etag: Option<&Etag>) -> Option<Status> {
        match (&found.living, etag) {
            (Some(_), None) => None,
            (Some(living), Some(etag)) => {
                let covered = self.memory.ghost_etags.get(&found.key) == Some(etag);
                let passes = living.etag == *etag || covered && self.slips(Slip::GhostEtagMatches);
                (!passes).then_some(Status::PreconditionFailed)
            }
            (None, Some(_)) if found.expired.is_some() && self.allowance.expired.condition_fails => {
                Some(Status::PreconditionFailed)
            }
            (None, _) => Some(Status::NotFound),
        }
    }

    fn create(&mut self, found: &Found, sent: &Properties) -> Result<Response, Status> {
        let mut same = self.shelf.iter().filter(|(key, _)| key.1 == found.key.1);
        let is_taken = found.living.is_some()
            || self.slips(Slip::SweepBlocksCreate) && self.memory.swept.contains(&found.key)
            || self.slips(Slip::ConflictById)
                && same.any(|(key, entry)| !self.is_expired(key, entry, found.door));
        let value = self.read_life(sent, found.door);
        let life = self.refusal(value, is_taken.then_some(Status::Conflict));
        let life = self.refused(found, sent, life)?;
        Ok(Response::item(Status::Created, self.put(found, sent.clone(), life)))
    }

    fn upsert(&mut self, found: &Found, sent: &Properties) -> Result<Response, Status> {
        let blocked = self.slips(Slip::SweepBlocksUpsert) && self.memory.swept.contains(&found.key);
        let value = self.read_life(sent, found.door);
        let life = self.refusal(value, blocked.then_some(Status::NotFound));
        let life = self.refused(found, sent, life)?;
        let is_ok = found.living.is_some() || found.expired.is_some() && self.allowance.expired.upsert_is_ok;
        let status = if is_ok { Status::Ok } else { Status::Created };
        Ok(Response::item(status, self.put(found, sent.clone(), life)))
    }

    fn replace(&mut self, found: &Found, sent: &Properties, etag: Option<&Etag>) -> Result<Response, Status> {
        let value = self.read_life(sent, found.door);
        let life = self.refusal(value, self.missing(found, etag));
        let life = self.refused(found, sent, life)?;
        Ok(Response::item(Status::Ok, self.put(found, sent.clone(), life)))
    }

    fn patch(&mut self, found: &Found, patch: &Patch, etag: Option<&Etag>) -> Result<Response, Status> {
        let value = self.read_life(&patch.set, found.door);
        let old = found.living.as_ref();
        let mut content = old.map(|old| old.properties.clone()).unwrap_or_default();
        if self.slips(Slip::BatchPatchesGhost)
            && found.door.1 == Via::Batch
            && let Some(covered) = self.memory.covered.get(&found.key)
        {
            content.clone_from(&covered.properties);
        }
        content.extend(patch.set.clone());
        content.retain(|name, _| !patch.remove.contains(name));
        let old_life = old.map_or(EntryLife::Inherits, |old| old.life);
        let sends_none = !self.sends_lifetime(&patch.set);
        let removes = patch.remove.iter().any(|name| name == "ttl");
        let value = match (self.slip, value) {
            (Some(Slip::PatchRemoveDropsTtl), Ok(_)) if !patch.remove.is_empty() => Ok(EntryLife::Inherits),
            (Some(Slip::PatchOtherDropsTtl), Ok(_)) if sends_none && !patch.set.is_empty() => {
                Ok(EntryLife::Inherits)
            }
            (Some(Slip::PatchTtlIgnored), Ok(_))
            | (Some(Slip::PatchMinusOneIgnored), Ok(EntryLife::Never)) => Ok(old_life),
            (Some(Slip::MixedPatchIgnoresTtl), Ok(_)) if !patch.remove.is_empty() => Ok(old_life),
            (Some(Slip::OffPatchHasNoTtl), Ok(_)) if self.is_off() => Ok(old_life),
            (Some(Slip::NullKeepsOldIn2020), Ok(EntryLife::Inherits)) if !removes => Ok(old_life),
            (_, Ok(_)) if removes => Ok(EntryLife::Inherits),
            (_, Ok(_)) if sends_none => Ok(old_life),
            (_, value) => value,
        };
        let life = self.refusal(value, self.missing(found, etag));
        if life.is_err() && self.slips(Slip::RefusedPatchRemoves) {
            self.amend(&found.key, |entry| {
                entry.properties.retain(|name, _| !patch.remove.contains(name));
                if removes {
                    entry.life = EntryLife::Inherits;
                }
            });
        }
        let life = self.refused(found, &content, life)?;
        Ok(Response::item(Status::Ok, self.put(found, content, life)))
    }

    /// Makes the mistakes of a refused write; a correct store does nothing.
    fn refused(
        &mut self,
        found: &Found,
        content: &Properties,
        life: Result<EntryLife, Status>,
    ) -> Result<EntryLife, Status> {
        let (Err(status), Some(slip)) = (life, self.slip) else { return life };
        let now_s = self.now_s;
        match (slip, status) {
            (Slip::RefusedStoresRest(path), Status::BadRequest) if path == found.door.0 => {
                let mut content = content.clone();
                content.remove("ttl");
                let keeps = found.living.as_ref().map_or(EntryLife::Inherits, |old| old.life);
                self.put(found, content, keeps);
            }
            (Slip::RefusedUpsertDrops, Status::BadRequest) if found.door.0 == Path::Upsert => {
                self.record(Fact::Dropped(found.key.clone()));
            }
            (Slip::RefusedValueTouches(path), Status::BadRequest)
                if path == found.door.0 && found.living.is_some() =>
            {
                self.amend(&found.key, |entry| entry.counts_from_s = now_s);
            }
            (Slip::NotFoundRevives, Status::NotFound)
                if matches!(found.door, Door(Path::Replace | Path::Patch, Via::Plain)) =>
            {
                self.revive(found);
            }
            (Slip::ConditionRevives, Status::NotFound) if found.door.1 == Via::If => self.revive(found),
            (Slip::WrongValueRevives, Status::BadRequest) if found.door.0 == Path::Upsert => {
                self.revive(found);
            }
            (Slip::ConflictTouches, Status::Conflict)
            | (Slip::PreconditionTouches, Status::PreconditionFailed) => {
                self.amend(&found.key, |entry| entry.counts_from_s = now_s);
            }
            _ => {}
        }
        life
    }

    /// Restarts the count of an expired item, which is a mistake.
    fn revive(&mut self, found: &Found) {
        let now_s = self.now_s;
        if found.expired.is_some() {
            self.amend(&found.key, |entry| entry.counts_from_s = now_s);
        }
    }

    fn read(&mut self, found: &Found) -> Result<Response, Status> {
        let Found { key, door, living, .. } = found;
        let is_plain = door.1 == Via::Plain;
        if self.slips(Slip::PositiveCache)
            && is_plain
            && let Some(item) = self.memory.cached.get(key)
        {
            return Ok(Response::item(Status::Found, item.clone()));
        }
        let is_missed = self.slips(Slip::NegativeCache) && is_plain && self.memory.missed.contains(key);
        let Some(living) = living.as_ref().filter(|_| !is_missed) else {
            self.memory.missed.insert(key.clone());
            let is_gone = self.slips(Slip::GoneStatus) && found.expired.is_some();
            return Err(if is_gone { Status::Other(410) } else { Status::NotFound });
        };
        let slides = match self.slip {
            Some(Slip::SlidingRead) => is_plain,
            Some(Slip::SlidingBatchRead) => door.1 == Via::Batch,
            _ => false,
        };
        let item = self.shown(living, *door);
        if slides {
            let now_s = self.now_s;
            self.amend(key, |entry| entry.counts_from_s = now_s);
        }
        self.memory.cached.insert(key.clone(), item.clone());
        Ok(Response::item(Status::Found, item))
    }

    fn delete(&mut self, found: &Found, etag: Option<&Etag>) -> Result<Response, Status> {
        if let Some(status) = self.missing(found, etag) {
            return self.refused(found, &Properties::new(), Err(status)).map(|_| Response::new(status));
        }
        self.record(Fact::Dropped(found.key.clone()));
        if self.slips(Slip::DeleteById) {
            let same: Vec<LedgerKey> =
                self.shelf.keys().filter(|key| key.1 == found.key.1).cloned().collect();
            for key in same {
                self.record(Fact::Dropped(key));
            }
        }
        Ok(Response::new(Status::NoContent))
    }
}
