//! The handlers of requests about one item.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Etag, Item, Operation, Patch, Properties, Response, Status};

use super::call::{Handler, HandlerCall};
use super::flaw::Flaw;
use super::latitude::{
    EtagRefusal, EtagText, NumberText, OrderChoice, PatchChoice, ShownParts, UpsertChoice,
};
use super::row::{RowDefault, RowTtl, StoredRow};
use super::session::RowSession;

/// The names that belong to the server.
const SERVER_NAMES: [&str; 3] = ["_ts", "_etag", "_rid"];

impl RowSession {
    /// Executes an operation; the error is the status of its refusal.
    pub(super) fn operate(&mut self, operation: &Operation, call: HandlerCall) -> Result<Response, Status> {
        let answer = match operation {
            Operation::Create(document) => self.create(document, call),
            Operation::Upsert(document) => self.upsert(document, call),
            Operation::Replace(document, etag) => self.replace(document, etag.as_ref(), call),
            Operation::Patch(patch, etag) => self.patch(patch, etag.as_ref(), call),
            Operation::Read(id) => self.read(id, call),
            Operation::Delete(id, etag) => self.delete(id, etag.as_ref(), call),
        };
        let is_touched = if answer.is_ok() {
            self.errs(Flaw::TouchedBy, call)
        } else {
            self.errs(Flaw::TouchedByRefusal, call)
        };
        if is_touched && let Some(at) = self.living(operation.id(), call) {
            let now = self.now;
            self.change(at, |row| row.ts = now);
        }
        answer
    }

    fn create(&mut self, document: &Document, call: HandlerCall) -> Result<Response, Status> {
        let is_free = match self.living(&document.id, call) {
            Some(_) => Err(Status::Conflict),
            None if self.memory.taken.contains(&self.key(&document.id)) => Err(Status::Conflict),
            None => Ok(()),
        };
        self.in_order(self.checked(&document.properties, &document.id, call, false), is_free, call)?;
        let row = self.write(&document.id, document.properties.clone(), None, call);
        Ok(self.answer(Status::Created, &row, call))
    }

    fn upsert(&mut self, document: &Document, call: HandlerCall) -> Result<Response, Status> {
        let old = self.living(&document.id, call).and_then(|at| self.rows.get(at).cloned());
        self.checked(&document.properties, &document.id, call, old.is_some())?;
        let is_stored = self.stored(&document.id, call).is_some();
        let mut body = document.properties.clone();
        if let Some(old) = old.as_ref().filter(|_| self.has(Flaw::UpsertMerges)) {
            body = merged(&old.body, body);
        }
        let is_replaced = old.is_some()
            || is_stored
                && match self.latitude.expired_upsert {
                    UpsertChoice::Created => false,
                    UpsertChoice::Replaced => true,
                    UpsertChoice::BySecond => self.now % 2 == 0,
                };
        let row = self.write(&document.id, body, old.as_ref(), call);
        Ok(self.answer(if is_replaced { Status::Ok } else { Status::Created }, &row, call))
    }

    fn replace(
        &mut self,
        document: &Document,
        etag: Option<&Etag>,
        call: HandlerCall,
    ) -> Result<Response, Status> {
        let target = self.target(&document.id, etag, call);
        let checked = self.checked(&document.properties, &document.id, call, true);
        let old = self.in_order(checked, target, call)?;
        let mut body = document.properties.clone();
        if self.has(Flaw::ReplaceMerges) {
            body = merged(&old.body, body);
        }
        if self.has(Flaw::ReplaceKeepsFirstTtl)
            && let Some(ttl) = old.body.get("ttl").filter(|_| body.contains_key("ttl"))
        {
            body.insert("ttl".into(), ttl.clone());
        }
        let row = self.write(&document.id, body, Some(&old), call);
        Ok(self.answer(Status::Ok, &row, call))
    }

    fn patch(&mut self, patch: &Patch, etag: Option<&Etag>, call: HandlerCall) -> Result<Response, Status> {
        let target = self.target(&patch.id, etag, call);
        let checked = self.checked(&patch.set, &patch.id, call, true);
        if checked.is_err()
            && self.has(Flaw::PatchAppliedInPart)
            && let Some(at) = self.living(&patch.id, call)
        {
            let set = patch.set.clone().into_iter().filter(|(name, _)| name != "ttl");
            self.change(at, |row| row.body.extend(set));
        }
        let old = self.in_order(checked, target, call)?;
        let mut body = old.body.clone();
        let removes_ttl = patch.remove.iter().any(|name| name == "ttl");
        for (name, value) in &patch.set {
            let is_null = name == "ttl" && value.as_str() == "null";
            if name == "ttl" && self.has(Flaw::PatchIgnoresTtl) || is_null && self.has(Flaw::NullPatchKeeps) {
                continue;
            }
            body.insert(name.clone(), value.clone());
        }
        for name in &patch.remove {
            if name == "ttl" && self.has(Flaw::PatchKeepsRemovedTtl) {
                continue;
            }
            body.remove(name);
        }
        if removes_ttl && self.has(Flaw::PatchRemovedIsNever) {
            body.insert("ttl".into(), Literal::from(-1));
        }
        if self.has(Flaw::PatchDropsTtl) && !patch.set.contains_key("ttl") {
            body.remove("ttl");
        }
        let changes_ttl = removes_ttl || patch.set.contains_key("ttl");
        let keeps_ts = match self.latitude.patches {
            PatchChoice::All => false,
            PatchChoice::TtlOnly => !changes_ttl,
            PatchChoice::Changes => body == old.body,
        };
        if self.has(Flaw::SharedBodies) {
            let is_shared = |row: &&mut StoredRow| row.body == old.body && row.partition == old.partition;
            self.rows.iter_mut().filter(is_shared).for_each(|row| row.body.clone_from(&body));
        }
        let mut row = self.write(&patch.id, body, Some(&old), call);
        if keeps_ts && let Some(at) = self.rows.iter().position(|stored| stored.rid == row.rid) {
            self.change(at, |stored| stored.ts = old.ts);
            row.ts = old.ts;
        }
        Ok(self.answer(Status::Ok, &row, call))
    }

    fn read(&mut self, id: &str, call: HandlerCall) -> Result<Response, Status> {
        let key = self.key(id);
        if self.has(Flaw::MissCached) && self.memory.missed.contains(&key) {
            return Err(Status::NotFound);
        }
        if let Some(answer) = self.memory.read.get(&key).filter(|_| self.has(Flaw::ReadCached)) {
            return Ok(answer.clone());
        }
        let Some(row) = self.living(id, call).and_then(|at| self.rows.get(at).cloned()) else {
            let parts = self.stored(id, call).and_then(|at| self.rows.get(at));
            if let Some(row) = parts.filter(|_| self.has(Flaw::PartsExpire)) {
                let row = StoredRow { body: Properties::new(), ..row.clone() };
                return Ok(self.answer(Status::Found, &row, call));
            }
            self.memory.missed.insert(key);
            return Err(Status::NotFound);
        };
        let answer = self.answer(Status::Found, &row, call);
        self.memory.read.insert(key, answer.clone());
        Ok(answer)
    }

    fn delete(&mut self, id: &str, etag: Option<&Etag>, call: HandlerCall) -> Result<Response, Status> {
        let row = self.target(id, etag, call)?;
        let own = self.own_ttl(&row);
        if own != RowTtl::Inherits {
            self.memory.ttls.insert(self.key(id), own);
        }
        self.memory.deleted.push(row.clone());
        self.rows.iter_mut().filter(|one| one.rid == row.rid).for_each(|row| row.is_deleted = true);
        self.forget_answers(id, false);
        Ok(Response::new(Status::NoContent))
    }

    fn checked(&self, body: &Properties, id: &str, call: HandlerCall, is_update: bool) -> Result<(), Status> {
        if self.accepts(body, id, call, is_update) { Ok(()) } else { Err(Status::BadRequest) }
    }

    /// Returns the item, or the refusal that comes first.
    fn in_order<T>(
        &self,
        value: Result<(), Status>,
        item: Result<T, Status>,
        call: HandlerCall,
    ) -> Result<T, Status> {
        let is_value_first = match self.latitude.order {
            OrderChoice::ValueFirst | OrderChoice::LastOfBatch => true,
            OrderChoice::ItemFirst => false,
            OrderChoice::ItemFirstInBatches => !call.in_batch,
            OrderChoice::ValueFirstInCreates => call.handler == Handler::Create,
            OrderChoice::InTurn => self.requests.is_multiple_of(2),
        };
        if is_value_first {
            value?;
            item
        } else {
            let item = item?;
            value.map(|()| item)
        }
    }

    pub(super) fn key(&self, id: &str) -> (String, String) {
        (self.partition.clone(), id.to_owned())
    }

    /// Returns where the row of an item is, expired or not.
    fn stored(&self, id: &str, call: HandlerCall) -> Option<usize> {
        self.rows.iter().position(|row| !row.is_deleted && self.is_meant(row, id, call))
    }

    /// Returns where the row of a living item is.
    pub(super) fn living(&self, id: &str, call: HandlerCall) -> Option<usize> {
        let lives = |row: &StoredRow| {
            let is_there = !row.is_deleted && !self.memory.only_queried.contains(&row.rid);
            is_there && self.is_meant(row, id, call) && !self.is_expired(row, call)
        };
        self.rows.iter().position(lives)
    }

    fn is_meant(&self, row: &StoredRow, id: &str, call: HandlerCall) -> bool {
        let is_id = match self.flaw {
            Some(Flaw::AnyCaseIds) => row.id.eq_ignore_ascii_case(id),
            Some(Flaw::PrefixIds) => row.id.starts_with(id),
            Some(Flaw::TrimmedZeros) => row.id.trim_start_matches('0') == id.trim_start_matches('0'),
            _ => row.id == id,
        };
        is_id && self.is_in_partition(row, call)
    }

    /// Returns whether a handler takes a row for one of the request's partition.
    pub(super) fn is_in_partition(&self, row: &StoredRow, call: HandlerCall) -> bool {
        row.partition == self.partition || self.errs(Flaw::AnyPartition, call)
    }

    /// Returns the living item that a request is about, if its etag is as required.
    fn target(&self, id: &str, etag: Option<&Etag>, call: HandlerCall) -> Result<StoredRow, Status> {
        let row = self.living(id, call).and_then(|at| self.rows.get(at));
        match (row, etag) {
            (Some(row), Some(etag)) if row.etag != *etag => Err(Status::PreconditionFailed),
            (Some(row), _) => Ok(row.clone()),
            (None, Some(_)) if self.stored(id, call).is_some() && self.fails_expired(call) => {
                Err(Status::PreconditionFailed)
            }
            (None, _) => Err(Status::NotFound),
        }
    }

    fn fails_expired(&self, call: HandlerCall) -> bool {
        match self.latitude.expired_etag {
            EtagRefusal::NotFound => false,
            EtagRefusal::Failed => true,
            EtagRefusal::FailedForReplaces => call.handler == Handler::Replace,
            EtagRefusal::FailedInBatches => call.in_batch,
        }
    }

    pub(super) fn change(&mut self, at: usize, change: impl FnOnce(&mut StoredRow)) {
        if let Some(row) = self.rows.get_mut(at) {
            change(row);
        }
    }

    /// Stores an item: over its living row, or as a new row.
    fn write(&mut self, id: &str, sent: Properties, old: Option<&StoredRow>, call: HandlerCall) -> StoredRow {
        let expired = self.stored(id, call).filter(|_| old.is_none());
        let expired = expired.and_then(|at| self.rows.get(at).cloned());
        let mut ts = self.write_time(old, call);
        if self.errs(Flaw::ClientTs, call)
            && let Some(sent) = sent.get("_ts").and_then(|sent| sent.as_str().parse().ok())
        {
            ts = sent;
        }
        let mut body = sent;
        for name in SERVER_NAMES {
            body.remove(name);
        }
        self.slip_into(&mut body, id, expired.as_ref(), call);
        if let Some(old) = old {
            let is_same = body == old.body && self.errs(Flaw::KeepsTsIfSame, call);
            let changes_ttl = body.get("ttl") != old.body.get("ttl");
            if is_same
                || changes_ttl && self.errs(Flaw::KeepsTsIfTtlChanges, call)
                || self.errs(Flaw::KeepsTs, call)
            {
                ts = old.ts;
            }
        }
        let mut etag = self.new_etag(old);
        let created_s = old.map_or(self.now, |old| old.created_s);
        if let Some(expired) = &expired {
            match self.flaw {
                Some(Flaw::KeepsOldEtag) => etag.clone_from(&expired.etag),
                Some(Flaw::KeepsOldTs) => ts = expired.ts,
                Some(Flaw::KeepsTsOverExpired) if body == expired.body => ts = expired.ts,
                _ => {}
            }
        }
        let mut row = StoredRow {
            rid: old.map_or(self.rids, |old| old.rid),
            partition: old.map_or_else(|| self.partition.clone(), |old| old.partition.clone()),
            id: id.to_owned(),
            body,
            ts,
            etag,
            is_deleted: false,
            created_s,
            written_under: self.default_now(),
        };
        let taken = expired.map(|expired| expired.rid);
        match self.rows.iter().position(|stored| stored.rid == row.rid) {
            Some(at) => self.change(at, |stored| stored.clone_from(&row)),
            None => self.rows.push(row.clone()),
        }
        self.rids = self.rids.max(row.rid.wrapping_add(1));
        self.rows.retain(|stored| Some(stored.rid) != taken);
        self.memory.last_write_s = Some(self.now);
        self.memory.last_ts = Some(ts);
        self.memory.default_at_write = self.default_now();
        self.forget_answers(id, call.handler == Handler::Upsert);
        if let Some(old) = old.filter(|_| self.has(Flaw::ShowsTsBefore)) {
            row.ts = old.ts;
        }
        row
    }

    fn write_time(&self, old: Option<&StoredRow>, call: HandlerCall) -> i64 {
        let of_batch = self.memory.last_batch_s.filter(|_| call.in_batch);
        match self.flaw {
            Some(Flaw::TsOfRequestBefore) => self.memory.last_request_s.unwrap_or(self.now),
            Some(Flaw::UniqueTs) => self.memory.last_ts.map_or(self.now, |last| self.now.max(last + 1)),
            Some(Flaw::BatchClockBehind) if call.in_batch => self.now - 1,
            Some(Flaw::BatchTsOfBatchBefore) => of_batch.unwrap_or(self.now),
            _ => old.map_or(self.now, |old| self.now.max(old.ts)),
        }
    }

    /// Changes what is stored as a mistake would.
    fn slip_into(&self, body: &mut Properties, id: &str, expired: Option<&StoredRow>, call: HandlerCall) {
        if let (RowDefault::Seconds(default), true) =
            (self.default_now(), self.errs(Flaw::DefaultStoredBy, call))
        {
            body.entry("ttl".into()).or_insert_with(|| Literal::from(default));
        }
        if self.has(Flaw::NullDropped) && body.get("ttl").is_some_and(|ttl| ttl.as_str() == "null") {
            body.remove("ttl");
        }
        let own = body.get("ttl").and_then(|ttl| ttl.as_str().parse().ok());
        let is_redundant = own.is_some_and(|own| self.default_now() == RowDefault::Seconds(own));
        let is_never = own == Some(-1) && call.handler == Handler::Patch;
        if is_redundant && self.has(Flaw::RedundantTtlDropped)
            || is_never && self.has(Flaw::PatchToNeverRemoves)
        {
            body.remove("ttl");
        }
        match (self.flaw, expired) {
            (Some(Flaw::KeepsOldBody), Some(expired)) if call.handler == Handler::Upsert => {
                *body = merged(&expired.body, body.clone());
            }
            (Some(Flaw::KeepsOldTtl), Some(expired)) => {
                if let Some(ttl) = expired.body.get("ttl") {
                    body.entry("ttl".into()).or_insert_with(|| ttl.clone());
                }
            }
            (Some(Flaw::DeletedTtlRemains), _) => {
                if let Some(RowTtl::Seconds(own)) = self.memory.ttls.get(&self.key(id)) {
                    body.entry("ttl".into()).or_insert_with(|| Literal::from(*own));
                }
            }
            _ => {}
        }
    }

    pub(super) fn new_etag(&mut self, old: Option<&StoredRow>) -> Etag {
        self.writes = self.writes.wrapping_add(1);
        let number = self.writes;
        match self.latitude.etags {
            EtagText::Number => number.to_string(),
            EtagText::Quoted => format!("\"{number:08x}-0000\""),
            EtagText::Falling => (u64::MAX - number).to_string(),
            EtagText::RowAndVersion => format!("{}/{number}", old.map_or(self.rids, |old| old.rid)),
            EtagText::Strange => format!("\u{e9}tag n\u{b0} {number}, *"),
            EtagText::Long => format!("{}{number}", "x".repeat(1000)),
            EtagText::PerRequest => format!("r{}", self.requests),
        }
    }

    fn forget_answers(&mut self, id: &str, keeps_misses: bool) {
        let key = self.key(id);
        self.memory.read.remove(&key);
        self.memory.queried.clear();
        if !keeps_misses {
            self.memory.missed.remove(&key);
        }
    }

    /// Returns the answer with an item.
    fn answer(&self, status: Status, row: &StoredRow, call: HandlerCall) -> Response {
        let is_read = call.handler == Handler::Read;
        let shows = self.latitude.shows;
        let hides = match shows {
            ShownParts::NothingOfWrites => !is_read,
            ShownParts::NothingOfPatches => call.handler == Handler::Patch,
            _ => false,
        };
        if hides {
            return Response::new(status);
        }
        let mut properties = row.body.clone();
        if let Some(ttl) = properties.get_mut("ttl") {
            *ttl = spelled(ttl, self.latitude.numbers);
        }
        if shows == ShownParts::ServerProperties {
            properties.insert("_self".into(), Literal::from(1));
            properties.insert("_attachments".into(), Literal::from(2));
        }
        let life = self.life(row, call).and_then(|(_, seconds)| i64::try_from(seconds).ok());
        match (self.flaw, life) {
            (Some(Flaw::TtlNotReturned), _) => drop(properties.remove("ttl")),
            (Some(Flaw::DefaultReturned), Some(seconds)) if is_read => {
                properties.entry("ttl".into()).or_insert_with(|| Literal::from(seconds));
            }
            (Some(Flaw::RemainingReturned), Some(seconds)) if properties.contains_key("ttl") => {
                properties.insert("ttl".into(), Literal::from(row.ts + seconds - self.now));
            }
            _ => {}
        }
        let has_ts = match shows {
            ShownParts::BodyOnly => false,
            ShownParts::TsOfReadsOnly => is_read,
            _ => true,
        };
        let has_etag = match shows {
            ShownParts::BodyOnly => false,
            ShownParts::EtagOfReadsOnly => is_read,
            _ => true,
        };
        let document = Document { id: row.id.clone(), properties };
        let item = Item { document, ts: has_ts.then_some(row.ts), etag: has_etag.then(|| row.etag.clone()) };
        Response::item(status, item)
    }
}

/// Returns the old JSON with the new properties over it.
fn merged(old: &Properties, new: Properties) -> Properties {
    let mut all = old.clone();
    all.extend(new);
    all
}

/// Returns a number in this form.
fn spelled(number: &Literal, form: NumberText) -> Literal {
    use cosmos_ttl_harness::literal::LiteralKind::{Whole, WholeAsFraction};
    match (form, number.kind()) {
        (NumberText::WithPoint, Whole(whole)) => {
            Literal::parse(&format!("{whole}.0")).unwrap_or_else(|_| number.clone())
        }
        (NumberText::Shortest, WholeAsFraction(whole)) => Literal::from(whole),
        _ => number.clone(),
    }
}
