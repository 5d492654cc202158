//! Requests about one item: what is answered, and what is stored.

use super::{IndependentContainer, ItemHistory, StoredItem, TtlSetting};
use crate::mutation::{Access, KeptPart, Leftover, Mutation as M, Via, WriteKind};
use crate::number::whole;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Operation, Patch, Properties, Response, Status};

/// How something was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    by: Via,
    conditional: bool,
    about_ttl: bool,
}

impl Sent {
    fn new(by: Via, conditional: bool) -> Self {
        Self { by, conditional, about_ttl: false }
    }
}

impl IndependentContainer {
    pub(super) fn operate(&mut self, operation: &Operation) -> Result<Response, Status> {
        let answer = self.attempt(operation);
        match &answer {
            Ok(response) => self.restart_wrongly(operation, response.status),
            Err(status) => self.leave(*status, operation),
        }
        answer
    }

    fn attempt(&mut self, operation: &Operation) -> Result<Response, Status> {
        self.answered_wrongly(operation)?;
        match operation {
            Operation::Create(document) => self.create_item(document),
            Operation::Upsert(document) => self.upsert(document),
            Operation::Replace(document, etag) => {
                self.check(&self.by(Via::Replace), &document.id, &document.properties)?;
                self.target(&document.id, etag.as_deref(), Access::Replace)?;
                Ok(self.write(Status::Ok, Sent::new(Via::Replace, etag.is_some()), document.clone()))
            }
            Operation::Patch(patch, etag) => self.patch(patch, etag.as_deref()),
            Operation::Read(id) => match self.find(id, &self.looks(Access::Read, false)) {
                Some(item) => Ok(self.show(Status::Found, item)),
                None => Err(Status::NotFound),
            },
            Operation::Delete(id, etag) => self.delete(id, etag.as_deref()),
        }
    }

    /// What an expired item that is still stored, or an id that it left, is answered by mistake.
    fn answered_wrongly(&self, operation: &Operation) -> Result<(), Status> {
        let id = operation.id();
        let is_left = || self.history.taken.iter().any(|taken| taken == id);
        match (self.variant.mutation, operation) {
            (Some(M::Answers(look, status)), _) if look == look_of(operation) => {
                let expired = self.items.iter().any(|item| item.id == id && self.is_expired(item, &[]));
                if expired { Err(status) } else { Ok(()) }
            }
            (Some(M::SweepLeavesIdTaken), Operation::Create(_)) if is_left() => Err(Status::Conflict),
            (Some(M::SweptAnswersGone), Operation::Read(_)) if is_left() => Err(Status::Other(410)),
            _ => Ok(()),
        }
    }

    fn create_item(&mut self, document: &Document) -> Result<Response, Status> {
        self.check(&self.by(Via::Create), &document.id, &document.properties)?;
        match self.find(&document.id, &self.looks(Access::Create, false)) {
            Some(_) => Err(Status::Conflict),
            None => Ok(self.write(Status::Created, Sent::new(Via::Create, false), document.clone())),
        }
    }

    fn upsert(&mut self, document: &Document) -> Result<Response, Status> {
        self.check(&self.by(Via::Upsert), &document.id, &document.properties)?;
        let stored = self.items.iter().any(|item| item.id == document.id);
        let replaces = self.find(&document.id, &self.looks(Access::Upsert, false)).is_some()
            || (stored && self.takes_now(self.variant.choices.upsert_replaces_expired));
        let status = if replaces { Status::Ok } else { Status::Created };
        Ok(self.write(status, Sent::new(Via::Upsert, false), document.clone()))
    }

    fn patch(&mut self, patch: &Patch, etag: Option<&str>) -> Result<Response, Status> {
        self.check(&self.by(Via::Patch), &patch.id, &patch.set)?;
        let mut properties = self.target(&patch.id, etag, Access::Patch)?.properties.clone();
        properties.extend(patch.set.clone());
        properties.retain(|name, _| !patch.remove.contains(name));
        let about_ttl = patch.set.contains_key("ttl") || patch.remove.iter().any(|name| name == "ttl");
        let sent = Sent { about_ttl, ..Sent::new(Via::Patch, etag.is_some()) };
        Ok(self.write(Status::Ok, sent, Document { id: patch.id.clone(), properties }))
    }

    fn delete(&mut self, id: &str, etag: Option<&str>) -> Result<Response, Status> {
        let item = self.target(id, etag, Access::Delete)?.clone();
        self.items.retain(|item| item.id != id);
        match self.variant.mutation {
            Some(M::DeletedReturn | M::TsOfDeletedReturns) => self.history.deleted.push(item),
            Some(M::OverwrittenReturn) => {
                let overwritten = std::mem::take(&mut self.history.overwritten);
                let (back, rest): (Vec<_>, Vec<_>) = overwritten.into_iter().partition(|item| item.id == id);
                self.items.extend(back);
                self.history.overwritten = rest;
            }
            _ => {}
        }
        Ok(Response::new(Status::NoContent))
    }

    /// The item that a write is about.
    fn target(&self, id: &str, etag: Option<&str>, look: Access) -> Result<&StoredItem, Status> {
        match (self.find(id, &self.looks(look, etag.is_some())), etag) {
            (None, Some(_)) if self.takes_now(self.variant.choices.condition_first) => {
                Err(Status::PreconditionFailed)
            }
            (None, _) => Err(Status::NotFound),
            (Some(item), Some(etag)) if shown_tag(item.tag) != etag && !self.has(M::NoConditions) => {
                Err(Status::PreconditionFailed)
            }
            (Some(item), _) => Ok(item),
        }
    }

    /// What a refused operation leaves behind by mistake.
    fn leave(&mut self, status: Status, operation: &Operation) {
        let Some(M::Leaves(wrongly, trace)) = self.variant.mutation else { return };
        if wrongly != status || matches!(operation, Operation::Read(_)) {
            return;
        }
        let living = self.find(operation.id(), &[]).is_some();
        match (trace, operation) {
            (
                Leftover::Content | Leftover::NewItem,
                Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _),
            ) if trace == Leftover::Content || !living => {
                self.write(status, Sent::new(Via::Any, false), document.clone());
            }
            (Leftover::RestOfPatch, Operation::Patch(patch, _)) => {
                if let Some(item) = self.items.iter_mut().find(|item| item.id == patch.id) {
                    let rest = patch.set.iter().filter(|(name, _)| *name != "ttl");
                    item.properties.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
                }
            }
            (Leftover::Restart, _) if living || status == Status::NotFound => {
                self.restart(|item| item.id == operation.id());
            }
            (Leftover::RestartOfAll, _) => self.restart(|_| true),
            (Leftover::Nothing, _) => self.items.retain(|item| item.id != operation.id()),
            _ => {}
        }
    }

    /// What a successful operation restarts by mistake.
    fn restart_wrongly(&mut self, operation: &Operation, status: Status) {
        match (self.variant.mutation, operation) {
            (Some(M::Restarts(look)), Operation::Read(id))
                if self.looks(Access::Read, false).contains(&look) =>
            {
                self.restart(|item| item.id == *id);
            }
            (Some(M::DeleteRestartsAll), Operation::Delete(..)) => self.restart(|_| true),
            (Some(M::CreateRestartsAll), _) if status == Status::Created => self.restart(|_| true),
            (Some(M::ReplaceRestartsAll), Operation::Replace(..)) => self.restart(|_| true),
            _ => {}
        }
    }

    /// Stores the item in place of what has its id.
    fn write(&mut self, status: Status, sent: Sent, document: Document) -> Response {
        let Document { id, mut properties } = document;
        let told = properties.get("_ts").and_then(|ts| whole(ts.as_str(), false));
        properties.retain(|name, _| name != "_ts" && name != "_etag");
        if self.forgets(&id, &properties) {
            return self.show(status, &self.item(id, properties));
        }
        let old = self.items.iter().position(|item| item.id == id).map(|number| self.items.remove(number));
        let living = old.as_ref().filter(|old| !self.is_expired(old, &[]));
        self.write_back(&mut properties);
        if let Some(old) = living {
            self.keep_ttl(sent.by, old, &mut properties);
        }
        let restart = living.is_none_or(|old| self.restarts(sent, old, &properties));
        self.tags += 1;
        let mut item = self.item(id, properties);
        if let Some(old) = living {
            item.history.created = old.history.created;
            item.history.first_deadline = old.history.first_deadline;
            item.history.extra = self.extra(old);
            item.written = if restart { item.written } else { old.written };
            item.tag = if self.has(M::EtagsStay) { old.tag } else { item.tag };
        } else if let Some(old) = old {
            self.be_reborn(sent.by, old, &mut item);
        } else if self.has(M::TsOfDeletedReturns) {
            let deleted = self.history.deleted.iter().find(|deleted| deleted.id == item.id);
            item.written = deleted.map_or(item.written, |deleted| deleted.written);
        }
        if let Some(M::TakesTs(by)) = self.variant.mutation
            && (by == Via::Any || by == sent.by)
        {
            item.written = told.unwrap_or(item.written);
        }
        let deadline = self.deadline(&item);
        item.history.first_deadline = item.history.first_deadline.or(deadline);
        let response = self.show(status, &item);
        self.items.push(item);
        response
    }

    fn forgets(&self, id: &str, properties: &Properties) -> bool {
        self.has(M::ForgetsInvalidWhileOff) && self.own(&[Via::Any], id, properties).is_err()
    }

    fn item(&self, id: String, properties: Properties) -> StoredItem {
        let history = ItemHistory {
            created: self.now,
            moment: self.history.moment,
            default: self.default,
            ..ItemHistory::default()
        };
        let written = self.now + self.history.spread;
        StoredItem { id, properties, written, tag: self.tags, latched: false, history }
    }

    fn write_back(&self, properties: &mut Properties) {
        let inherits = !properties.contains_key("ttl");
        match (self.variant.mutation, self.default) {
            (Some(M::WritesDefaultBack), TtlSetting::Seconds(seconds)) if inherits => {
                set_ttl(properties, seconds);
            }
            (Some(M::WritesMinusOneBack), TtlSetting::Never) if inherits => set_ttl(properties, -1),
            (Some(M::DropsTtlWhileOff), TtlSetting::Absent) => drop(properties.remove("ttl")),
            _ => {}
        }
    }

    /// Takes the old `ttl` over, where that is the mutation.
    fn keep_ttl(&self, by: Via, old: &StoredItem, properties: &mut Properties) {
        let (before, now) = (old.properties.get("ttl"), properties.get("ttl"));
        let number = |ttl: Option<&Literal>| ttl.and_then(|ttl| whole(ttl.as_str(), false));
        let keeps = match self.variant.mutation {
            Some(M::KeepsTtl(wrongly)) => now.is_none() && (wrongly == Via::Any || wrongly == by),
            Some(M::NewTtlIsIgnored) => now.is_some(),
            Some(M::NewTtlOnlyShortens) => number(before) < number(now),
            Some(M::NewTtlOnlyLengthens) => now.is_some() && number(now) < number(before),
            Some(M::RemovedTtlIsNever) if before.is_some() && now.is_none() => {
                set_ttl(properties, -1);
                return;
            }
            _ => false,
        };
        if keeps && let Some(before) = before {
            properties.insert("ttl".into(), before.clone());
        }
    }

    /// What is left of the old life, where a new one is added to it.
    fn extra(&self, old: &StoredItem) -> i128 {
        match self.deadline(old) {
            Some(deadline) if self.has(M::NewTtlIsAdded) => deadline - self.now,
            _ => 0,
        }
    }

    fn restarts(&self, sent: Sent, old: &StoredItem, properties: &Properties) -> bool {
        let same = old.properties == *properties;
        let other_ttl = old.properties.get("ttl") != properties.get("ttl");
        match self.variant.mutation {
            Some(M::NewTtlCountsFromOldTs) => !other_ttl,
            Some(M::NoRestart(write)) => !match write {
                WriteKind::Replace => sent.by == Via::Replace,
                WriteKind::ConditionalReplace => sent.by == Via::Replace && sent.conditional,
                WriteKind::Upsert => sent.by == Via::Upsert,
                WriteKind::Patch => sent.by == Via::Patch,
                WriteKind::PatchOfOthers => sent.by == Via::Patch && !sent.about_ttl,
                WriteKind::PatchOfTtl => sent.by == Via::Patch && sent.about_ttl,
                WriteKind::InBatch => self.batch,
                WriteKind::IdenticalReplace => same && sent.by == Via::Replace,
                WriteKind::IdenticalUpsert => same && sent.by == Via::Upsert,
                WriteKind::IdenticalPatch => same && sent.by == Via::Patch,
                WriteKind::WithOwnTtl => properties.contains_key("ttl"),
            },
            _ => true,
        }
    }

    /// What a new item has of the expired one that it takes the place of: nothing, if all is well.
    fn be_reborn(&mut self, by: Via, old: StoredItem, item: &mut StoredItem) {
        if let Some(M::Reborn(wrongly, kept)) = self.variant.mutation
            && (wrongly == Via::Any || wrongly == by)
        {
            match kept {
                KeptPart::Ts => item.written = old.written,
                KeptPart::Etag => item.tag = old.tag,
                KeptPart::Ttl | KeptPart::Content => {
                    let kept =
                        old.properties.iter().filter(|(name, _)| kept == KeptPart::Content || *name == "ttl");
                    for (name, value) in kept {
                        item.properties.entry(name.clone()).or_insert_with(|| value.clone());
                    }
                }
            }
        }
        if self.has(M::OverwrittenReturn) || self.has(M::CountsOverwritten) {
            self.history.overwritten.push(old);
        }
    }

    /// Restarts the count of living items, and of whatever else these are.
    pub(super) fn restart(&mut self, which: impl Fn(&StoredItem) -> bool) {
        let now = self.now;
        self.items.iter_mut().filter(|item| which(item)).for_each(|item| item.written = now);
    }
}

fn look_of(operation: &Operation) -> Access {
    match operation {
        Operation::Create(_) => Access::Create,
        Operation::Upsert(_) => Access::Upsert,
        Operation::Replace(_, Some(_)) | Operation::Patch(_, Some(_)) | Operation::Delete(_, Some(_)) => {
            Access::Conditional
        }
        Operation::Replace(..) => Access::Replace,
        Operation::Patch(..) => Access::Patch,
        Operation::Read(_) => Access::Read,
        Operation::Delete(..) => Access::Delete,
    }
}

/// An etag, as clients see it.
pub(super) fn shown_tag(tag: u64) -> String {
    format!("naive-{tag}")
}

pub(super) fn set_ttl(properties: &mut Properties, ttl: i128) {
    if let Ok(ttl) = Literal::parse(&ttl.to_string()) {
        properties.insert("ttl".into(), ttl);
    }
}
