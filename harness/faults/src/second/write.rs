//! Requests about one item.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Document, Etag, Id, Item, Operation, Patch, Properties, Response, Status};

use super::bug::Bug;
use super::document::{DocumentMap, OwnTtl, StoredDefault, StoredDocument, Way};
use super::leeway::{Comeback, ExpiredEtag, FirstRefusal, OwnRemoval, UpsertOverExpired, WriteAnswer};
use super::put::WriteDraft;
use super::session::StoreSession;

/// The properties that the service sets, whatever a client sends.
const SYSTEM: [&str; 5] = ["_ts", "_etag", "_rid", "_self", "_attachments"];

impl StoreSession {
    /// Executes an operation on a partition.
    pub(super) fn operate(
        &mut self,
        place: &mut DocumentMap,
        operation: &Operation,
        in_batch: bool,
    ) -> Result<Response, Status> {
        let way = Way::of(operation, in_batch);
        let key = self.stored_id(operation.id());
        match operation {
            Operation::Create(document) => self.create(place, &key, document, way),
            Operation::Upsert(document) => self.upsert(place, &key, document, way),
            Operation::Replace(document, etag) => self.replace(place, &key, document, etag.as_ref(), way),
            Operation::Patch(patch, etag) => self.patch(place, &key, patch, etag.as_ref(), way),
            Operation::Read(_) => self.read(place, &key, way),
            Operation::Delete(_, etag) => {
                let checked = self.living(place, &key, etag.as_ref(), way).map(drop);
                checked.map_err(|status| self.refused(place, &key, status, way))?;
                self.remove(place, &key);
                if self.has(Bug::TombstoneWinsInSecond) {
                    self.memory.deleted_s.insert(key.clone(), self.now);
                }
                Ok(Response::new(Status::NoContent))
            }
        }
    }

    fn create(
        &mut self,
        place: &mut DocumentMap,
        key: &Id,
        sent: &Document,
        way: Way,
    ) -> Result<Response, Status> {
        let own = self.own_ttl(&sent.id, &sent.properties, way);
        let living = place.documents.get(key).is_some_and(|old| !self.is_gone(old, way));
        let elsewhere = self.has(Bug::CreateMeetsOtherPartition) && self.is_in_other_partition(key);
        let own =
            self.first_refusal(own, if living || elsewhere { Err(Status::Conflict) } else { Ok(()) })?;
        let (client_ts, body) = kept(sent.properties.clone());
        let draft = WriteDraft { id: &sent.id, body, own, client_ts };
        let written = self.put(place, key, draft, None, way);
        Ok(self.answer_with(Status::Created, &written, true))
    }

    fn upsert(
        &mut self,
        place: &mut DocumentMap,
        key: &Id,
        sent: &Document,
        way: Way,
    ) -> Result<Response, Status> {
        let mut own = self.own_ttl(&sent.id, &sent.properties, way)?;
        if self.has(Bug::UpsertForgetsDormant) && self.default_ttl() == StoredDefault::Off {
            own = OwnTtl::Absent;
        }
        let stored = place.documents.get(key).cloned();
        let old = stored.clone().filter(|old| !self.is_gone(old, way));
        let (client_ts, mut body) = kept(sent.properties.clone());
        if let Some(old) = &old {
            if self.has(Bug::IdenticalUpsertIgnored) && old.body == body {
                return Ok(self.answer_with(Status::Ok, old, false));
            }
            if self.has(Bug::UpsertMerges) {
                let merged = old.body.clone().into_iter().chain(body.clone()).collect();
                own = if body.contains_key("ttl") { own } else { old.own };
                body = merged;
            }
        }
        if self.has(Bug::BatchUpsertKeepsExpiredTtl) && way.in_batch && !body.contains_key("ttl") {
            let ghost = stored.as_ref().filter(|_| old.is_none());
            own = ghost.map_or(own, |ghost| ghost.own);
        }
        let status = if old.is_some() { Status::Ok } else { self.status_of_new(stored.as_ref()) };
        let status = if self.leeway.upsert_always_creates { Status::Created } else { status };
        let is_new = old.is_none();
        let written =
            self.put(place, key, WriteDraft { id: &sent.id, body, own, client_ts }, old.as_ref(), way);
        Ok(self.answer_with(status, &written, is_new))
    }

    /// Returns the status of an upsert that makes an item; `ghost` is an expired one.
    fn status_of_new(&self, ghost: Option<&StoredDocument>) -> Status {
        let replaced = match self.leeway.expired_upsert {
            UpsertOverExpired::Created => false,
            UpsertOverExpired::Replaced => true,
            UpsertOverExpired::InTurn => self.turn.is_multiple_of(2),
        };
        if replaced && ghost.is_some() { Status::Ok } else { Status::Created }
    }

    fn replace(
        &mut self,
        place: &mut DocumentMap,
        key: &Id,
        sent: &Document,
        etag: Option<&Etag>,
        way: Way,
    ) -> Result<Response, Status> {
        let own = self.own_ttl(&sent.id, &sent.properties, way);
        let old = self.living(place, key, etag, way);
        let checked = self.first_refusal(own, old.as_ref().map(drop).map_err(|status| *status));
        let mut own = checked.map_err(|status| self.refused(place, key, status, way))?;
        let old = old?;
        let (client_ts, body) = kept(sent.properties.clone());
        if self.has(Bug::IdenticalReplaceIgnored) && old.body == body {
            return Ok(self.answer_with(Status::Ok, &old, false));
        }
        if self.has(Bug::BatchReplaceKeepsTtl) && way.in_batch && !body.contains_key("ttl") {
            own = old.own;
        }
        let written =
            self.put(place, key, WriteDraft { id: &sent.id, body, own, client_ts }, Some(&old), way);
        Ok(self.answer_with(Status::Ok, &written, false))
    }

    fn patch(
        &mut self,
        place: &mut DocumentMap,
        key: &Id,
        patch: &Patch,
        etag: Option<&Etag>,
        way: Way,
    ) -> Result<Response, Status> {
        let own = self.own_ttl(&patch.id, &patch.set, way);
        let old = self.living(place, key, etag, way);
        let checked = self.first_refusal(own, old.as_ref().map(drop).map_err(|status| *status));
        let own = checked.map_err(|status| self.refused(place, key, status, way))?;
        let old = old?;
        let (client_ts, set) = kept(patch.set.clone());
        let mut body = old.body.clone();
        let removed = |name: &String| patch.remove.contains(name);
        body.extend(set);
        body.retain(|name, _| !removed(name));
        let sets = self.sets_ttl(patch);
        let own = match (sets, removed(&"ttl".to_owned())) {
            (false, true) if self.has(Bug::PatchedAwayTtlCounts) => old.own,
            (_, true) => OwnTtl::Absent,
            (true, false) if self.has(Bug::PatchKeepsNever) && old.own == OwnTtl::Never => old.own,
            (true, false) if self.has(Bug::PatchIgnoresNever) && own == OwnTtl::Never => old.own,
            (true, false) => own,
            (false, false) if self.has(Bug::PatchForgetsTtl) => OwnTtl::Absent,
            (false, false) => old.own,
        };
        if self.has(Bug::NullRemovesInPatch) && own == OwnTtl::Absent {
            body.remove("ttl");
        }
        if self.has(Bug::AbortedPatchLeaks) && way.in_batch {
            self.memory.leaked.push((key.clone(), body.clone()));
        }
        let client_ts = client_ts.filter(|_| self.has(Bug::PatchSetsTs));
        let written =
            self.put(place, key, WriteDraft { id: &patch.id, body, own, client_ts }, Some(&old), way);
        Ok(self.answer_with(Status::Ok, &written, false))
    }

    fn sets_ttl(&self, patch: &Patch) -> bool {
        let aliased = self.has(Bug::UnderscoreOnPatch) || self.has(Bug::UnderscoreWins);
        let other_case = |name: &String| name.eq_ignore_ascii_case("ttl");
        patch.set.contains_key("ttl")
            || aliased && patch.set.contains_key("_ttl")
            || self.has(Bug::TtlInAnyCase) && patch.set.keys().any(other_case)
    }

    fn read(&mut self, place: &mut DocumentMap, key: &Id, way: Way) -> Result<Response, Status> {
        let cached = (self.memory.partition.clone(), key.clone());
        if !way.in_batch
            && let Some((until, response)) = self.memory.reads.get(&cached)
        {
            let is_living = place.documents.get(key).is_some_and(|document| !self.is_gone(document, way));
            if self.now < *until && (is_living || self.has(Bug::ReadsCached)) {
                return Ok(response.clone());
            }
        }
        if self.has(Bug::MissesCached) && !way.in_batch && self.memory.misses.contains(&cached) {
            return Err(Status::NotFound);
        }
        let found = self.living(place, key, None, way);
        let buries = self.has(Bug::BatchCreateLeavesTombstone) && place.documents.contains_key(key);
        if found.is_err() && buries {
            self.memory.tombstones.insert(key.clone());
        }
        if self.has(Bug::MissesCached) && found.is_err() {
            self.memory.misses.insert(cached.clone());
        }
        if found.is_err() && self.has(Bug::ReadFallsThrough) {
            let elsewhere = self.partitions.values().filter_map(|place| place.documents.get(key));
            let other = elsewhere.into_iter().find(|other| !self.is_gone(other, way)).cloned();
            return other.map(|other| self.found(&other)).ok_or(Status::NotFound);
        }
        let document = found?;
        if self.has(Bug::TombstoneWinsInSecond) && self.memory.deleted_s.get(key) == Some(&document.ts) {
            return Err(Status::NotFound);
        }
        if let Some(stored) = place.documents.get_mut(key) {
            let slides = self.bug == Some(Bug::ReadSlides) && !way.in_batch;
            if slides {
                stored.expires_at = stored.expires_at.map(|at| at - stored.ts + self.now);
            }
            if self.bug == Some(Bug::BatchReadRestamps) && way.in_batch {
                stored.expires_at = stored.expires_at.map(|at| at - stored.ts + self.now);
                stored.ts = self.now;
            }
        }
        let response = self.found(&document);
        match self.bug {
            Some(Bug::ReadsCached) => {
                self.memory.reads.insert(cached, (self.now + 2, response.clone()));
            }
            Some(Bug::BatchLeavesReadCache) => {
                self.memory.reads.insert(cached, (i64::MAX, response.clone()));
            }
            _ => {}
        }
        Ok(response)
    }

    fn found(&self, document: &StoredDocument) -> Response {
        Response::item(Status::Found, self.shown(document))
    }

    /// Returns the item that a request needs: alive, and with this etag if one is required.
    fn living(
        &self,
        place: &DocumentMap,
        key: &Id,
        etag: Option<&Etag>,
        way: Way,
    ) -> Result<StoredDocument, Status> {
        if self.memory.tombstones.contains(key) {
            return Err(Status::NotFound);
        }
        let stored = place.documents.get(key).ok_or(Status::NotFound)?;
        let is_other = etag.is_some_and(|etag| *etag != stored.etag);
        if self.is_gone(stored, way) {
            let failed = match self.leeway.expired_etag {
                ExpiredEtag::NotFound => false,
                ExpiredEtag::Failed => true,
                ExpiredEtag::InTurn => self.turn.is_multiple_of(2),
            };
            let known = etag.is_some() && !is_other;
            return Err(if failed && known { Status::PreconditionFailed } else { Status::NotFound });
        }
        if is_other { Err(Status::PreconditionFailed) } else { Ok(stored.clone()) }
    }

    /// Returns the refusal that a write meets first.
    fn first_refusal(
        &self,
        value: Result<OwnTtl, Status>,
        item: Result<(), Status>,
    ) -> Result<OwnTtl, Status> {
        match self.leeway.order {
            FirstRefusal::ItemFirst => item.and(value),
            _ => value.and_then(|own| item.map(|()| own)),
        }
    }

    /// Returns the status of a refused write; a faulty store changes the item all the same.
    fn refused(&self, place: &mut DocumentMap, key: &Id, status: Status, way: Way) -> Status {
        let touched = match self.bug {
            Some(Bug::FailedPreconditionTouches) => status == Status::PreconditionFailed && !way.in_batch,
            Some(Bug::RefusedValueTouches) => status == Status::BadRequest && !way.in_batch,
            _ => false,
        };
        if let Some(stored) = place.documents.get_mut(key).filter(|_| touched) {
            stored.expires_at = stored.expires_at.map(|at| at - stored.ts + self.now);
            stored.ts = self.now;
        }
        status
    }

    fn answer_with(&self, status: Status, document: &StoredDocument, is_new: bool) -> Response {
        match self.leeway.answers {
            WriteAnswer::Nothing => Response::new(status),
            WriteAnswer::CreatedOnly if !is_new => Response::new(status),
            _ => Response::item(status, self.shown(document)),
        }
    }

    /// Returns an item as a client sees it.
    fn shown(&self, document: &StoredDocument) -> Item {
        let mut properties = document.body.clone();
        let mut ts = Some(document.ts);
        if let Some(client) = properties.remove("_ts") {
            ts = client.as_str().parse().ok();
        }
        if self.leeway.shortens_numbers {
            for literal in properties.values_mut() {
                if let LiteralKind::WholeAsFraction(whole) = literal.kind() {
                    *literal = Literal::from(whole);
                }
            }
        }
        if self.has(Bug::OldNullNotShown) {
            properties.retain(|name, literal| name != "ttl" || literal.kind() != LiteralKind::Null);
        }
        if self.has(Bug::RemainingTtlShown)
            && let (Some(at), true) = (document.expires_at, properties.contains_key("ttl"))
        {
            properties.insert("ttl".into(), Literal::from(at - self.now));
        }
        if self.leeway.answers == WriteAnswer::Extra {
            properties.insert("_lsn".into(), Literal::from(17));
        }
        let etag = Some(document.etag.clone()).filter(|_| self.leeway.answers != WriteAnswer::NoEtag);
        let ts = ts.filter(|_| self.leeway.answers != WriteAnswer::NoTs);
        Item { document: Document { id: document.id.clone(), properties }, ts, etag }
    }

    /// Returns whether a change of settings ends an expired item for good.
    pub(super) fn ends(&self, document: &StoredDocument, is_off: bool) -> bool {
        match self.leeway.reappearance {
            Comeback::Back => false,
            Comeback::Gone => true,
            Comeback::EverySecond => document.rid.is_multiple_of(2),
            Comeback::WhenOff => !is_off,
        }
    }

    /// Returns whether the store removes an expired item as soon as a request names it.
    pub(super) fn removes_on_access(&self) -> bool {
        self.leeway.removal == OwnRemoval::OnAccess
    }
}

/// Returns the `_ts` that a client sends, and the properties that are stored.
fn kept(mut properties: Properties) -> (Option<i64>, Properties) {
    let ts = properties.get("_ts").and_then(|ts| ts.as_str().parse().ok());
    properties.retain(|name, _| !SYSTEM.contains(&name.as_str()));
    (ts, properties)
}
