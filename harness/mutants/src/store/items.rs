//! Requests about one item: what is answered, and what is stored.

use super::settings::whole;
use super::{IndependentSession, ItemHistory, StoredItem, TtlSetting};
use crate::mutation::{Access, Event, KeptPart, Leftover, Mutation as M, Via, WriteKind};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Etag, Operation, Patch, Properties, Response, Status};

use TtlSetting::{Absent, Never, Seconds};

impl IndependentSession {
    pub(super) fn operate(&mut self, operation: &Operation) -> Result<Response, Status> {
        let answer = self.attempt(operation);
        match (&answer, operation) {
            (Err(status), _) => self.leave(*status, operation),
            (Ok(_), Operation::Read(id)) => {
                if let Some(M::Restarts(look)) = self.store.mutation
                    && self.looks(Access::Read, false).contains(&look)
                {
                    let partition = self.partition.clone();
                    self.restart(|item| item.is(partition.as_ref(), id));
                }
            }
            (Ok(_), Operation::Delete(..)) => self.after(Event::Delete),
            (Ok(_), Operation::Replace(..)) => self.after(Event::Replace),
            (Ok(response), _) if response.status == Status::Created => self.after(Event::Creation),
            _ => {}
        }
        answer
    }

    fn attempt(&mut self, operation: &Operation) -> Result<Response, Status> {
        let (look, via) = ways(operation);
        let (id, etag) = (operation.id(), operation.etag());
        let looks = self.looks(look, etag.is_some());
        self.answered_wrongly(operation, looks)?;
        let found = self.find(id, &looks);
        let value = operation.properties().map_or(Ok(()), |properties| self.check(via, id, properties));
        let value = value.and_then(|()| self.check_ts(operation));
        if let Err(refused) = value {
            let no_item = match operation {
                Operation::Create(_) if found.is_some() => Some(Status::Conflict),
                Operation::Replace(..) | Operation::Patch(..) => self.target(id, found, etag).err(),
                _ => None,
            };
            let item_first = self.takes_now(self.store.choices.item_before_value);
            return Err(match no_item {
                Some(_) if self.has(M::TwoRefusalsAreAnError) => Status::Other(500),
                Some(status) if item_first => status,
                _ => refused,
            });
        }
        match operation {
            Operation::Create(_) if found.is_some() => Err(Status::Conflict),
            Operation::Create(document) => Ok(self.write(Status::Created, operation, document.clone())),
            Operation::Upsert(document) => {
                let stored = self.items.iter().any(|item| self.is_meant(item, id));
                let replaces = stored && self.takes_now(self.store.choices.upsert_replaces_expired);
                let is_new = found.is_none() && !replaces;
                let says_created = is_new || self.takes_now(self.store.freedoms.upsert_says_created);
                let status = if says_created { Status::Created } else { Status::Ok };
                Ok(self.write(status, operation, document.clone()))
            }
            Operation::Replace(document, _) => {
                self.target(id, found, etag)?;
                Ok(self.write(Status::Ok, operation, document.clone()))
            }
            Operation::Patch(patch, _) => {
                let mut properties = self.target(id, found, etag)?.properties.clone();
                properties.extend(patch.set.clone());
                properties.retain(|name, _| !patch.remove.contains(name));
                Ok(self.write(Status::Ok, operation, Document { id: id.into(), properties }))
            }
            Operation::Read(_) => found.map(|item| self.show(Status::Found, item)).ok_or(Status::NotFound),
            Operation::Delete(..) => {
                let deleted = self.target(id, found, etag).cloned();
                if deleted.is_err() && self.has(M::SubtractsRefusedDeletes) {
                    let expired: Vec<_> =
                        self.items.iter().filter(|item| self.is_meant(item, id)).cloned().collect();
                    self.history.gone.extend(expired);
                }
                self.delete(deleted?);
                Ok(Response::new(Status::NoContent))
            }
        }
    }

    /// Refuses a patch of `_ts`, if this store does.
    fn check_ts(&self, operation: &Operation) -> Result<(), Status> {
        match operation {
            Operation::Patch(patch, _) if !patch.set.contains_key("_ts") => Ok(()),
            Operation::Patch(..) if self.has(M::PatchOfTsConflicts) => Err(Status::Conflict),
            Operation::Patch(..) if self.takes_now(self.store.choices.patch_of_ts_refused) => {
                Err(Status::BadRequest)
            }
            _ => Ok(()),
        }
    }

    /// Returns the wrong answer about an expired item that is still stored, or about an id that it left.
    fn answered_wrongly(&self, operation: &Operation, looks: [Access; 4]) -> Result<(), Status> {
        let id = operation.id();
        let is_left = || self.history.gone.iter().any(|item| self.is_meant(item, id));
        let is_expired =
            || self.items.iter().any(|item| self.is_meant(item, id) && self.is_expired(item, &[]));
        let [.., kind] = looks;
        match (self.store.mutation, operation) {
            (Some(M::Answers(look, status)), _) if look == kind && is_expired() => Err(status),
            (Some(M::SweepLeavesIdTaken), Operation::Create(_)) if is_left() => Err(Status::Conflict),
            (Some(M::SweptAnswersGone), Operation::Read(_)) if is_left() => Err(Status::Other(410)),
            _ => Ok(()),
        }
    }

    fn delete(&mut self, deleted: StoredItem) {
        self.items.retain(|item| !item.is_as(&deleted));
        match self.store.mutation {
            Some(M::DeletedReturn | M::TsOfDeletedReturns) => self.history.gone.push(deleted),
            Some(M::OverwrittenReturn) => {
                let back = self.history.gone.extract_if(.., |item| item.is_as(&deleted));
                self.items.extend(back);
            }
            _ => {}
        }
    }

    /// The item that a write is about, if it was found and has this etag.
    fn target<'i>(
        &self,
        id: &str,
        found: Option<&'i StoredItem>,
        etag: Option<&Etag>,
    ) -> Result<&'i StoredItem, Status> {
        let is_stored = || self.items.iter().any(|item| self.is_meant(item, id));
        let condition_counts = || !self.store.freedoms.condition_until_removed || is_stored();
        match (found, etag) {
            (None, Some(_)) if self.takes_now(self.store.choices.condition_first) && condition_counts() => {
                Err(Status::PreconditionFailed)
            }
            (None, _) => Err(Status::NotFound),
            (Some(item), Some(etag)) if shown_tag(item.tag) != *etag && !self.has(M::NoConditions) => {
                Err(Status::PreconditionFailed)
            }
            (Some(item), _) => Ok(item),
        }
    }

    /// Leaves the traces of a refused operation that the mutation leaves.
    fn leave(&mut self, status: Status, operation: &Operation) {
        let Some(M::Leaves(wrongly, trace)) = self.store.mutation else { return };
        if wrongly != status || matches!(operation, Operation::Read(_)) {
            return;
        }
        let living = self.find(operation.id(), &[]).is_some();
        match (trace, operation) {
            (
                Leftover::Content | Leftover::NewItem,
                Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _),
            ) if trace == Leftover::Content || !living => {
                self.write(status, operation, document.clone());
            }
            (Leftover::RestOfPatch, Operation::Patch(patch, _)) => {
                let partition = self.partition.as_ref();
                if let Some(item) = self.items.iter_mut().find(|item| item.is(partition, &patch.id)) {
                    let rest = patch.set.iter().filter(|(name, _)| *name != "ttl");
                    item.properties.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
                }
            }
            (Leftover::Restart, _) if living || status == Status::NotFound => {
                let partition = self.partition.clone();
                self.restart(|item| item.is(partition.as_ref(), operation.id()));
            }
            (Leftover::RestartOfAll, _) => self.restart(|_| true),
            (Leftover::Nothing, _) => {
                let partition = self.partition.as_ref();
                self.items.retain(|item| !item.is(partition, operation.id()));
            }
            _ => {}
        }
    }

    /// Stores the item in place of what has its id.
    fn write(&mut self, status: Status, operation: &Operation, document: Document) -> Response {
        let (_, via) = ways(operation);
        let Document { id, mut properties } = document;
        let told = properties.get("_ts").and_then(|ts| whole(ts.as_str(), false));
        properties.retain(|name, _| name != "_ts" && name != "_etag");
        if self.has(M::ForgetsInvalidWhileOff) && self.own(Via::Any, &id, &properties).is_err() {
            return self.show(status, &self.item(id, properties));
        }
        let old = self.items.iter().position(|item| self.is_meant(item, &id));
        let old = old.map(|number| self.items.remove(number));
        let living = old.as_ref().filter(|old| !self.is_expired(old, &[]));
        self.change_ttl(via, living, &mut properties);
        let restart = living.is_none_or(|old| self.restarts(operation, old, &properties));
        self.tags += 1;
        let mut item = self.item(id, properties);
        (item.history.by, item.history.in_batch) = (Some(via), self.batch);
        if let Some(old) = living {
            item.history.created = old.history.created;
            item.history.first_deadline = old.history.first_deadline;
            // What is left of the old life, where a new one is added to it.
            let left = if self.has(M::NewTtlIsAdded) { self.deadline(old) } else { None };
            item.history.extra = left.map_or(0, |deadline| deadline - self.now);
            item.written = if restart { item.written } else { old.written };
            item.tag = if self.has(M::EtagsStay) { old.tag } else { item.tag };
        } else if let Some(old) = old {
            self.be_reborn(via, old, &mut item);
        } else if self.has(M::TsOfDeletedReturns) {
            let deleted = self.history.gone.iter().find(|deleted| deleted.is_as(&item));
            item.written = deleted.map_or(item.written, |deleted| deleted.written);
        }
        match (self.store.mutation, told) {
            (Some(M::TakesTs(wrongly)), Some(told)) if wrongly.covers(via, self.batch) => item.written = told,
            _ => {}
        }
        let deadline = self.deadline(&item);
        item.history.first_deadline = item.history.first_deadline.or(deadline);
        let response = self.show(status, &item);
        self.items.push(item);
        response
    }

    fn item(&self, id: String, properties: Properties) -> StoredItem {
        let history = ItemHistory {
            created: self.now,
            moment: self.history.moment,
            default: self.default,
            ..ItemHistory::default()
        };
        let written = self.now + self.history.spread;
        let partition = self.partition.clone();
        StoredItem { partition, id, properties, written, tag: self.tags, latched: false, history }
    }

    /// Changes a written `ttl`, where that is the mutation; `old` is the living item with its id.
    fn change_ttl(&self, via: Via, old: Option<&StoredItem>, properties: &mut Properties) {
        let (before, now) = (old.and_then(|old| old.properties.get("ttl")), properties.get("ttl"));
        let number = |ttl: Option<&Literal>| ttl.and_then(|ttl| whole(ttl.as_str(), false));
        let keeps = match (self.store.mutation, self.default) {
            (Some(M::WritesDefaultBack), Seconds(seconds)) if now.is_none() => {
                return set_ttl(properties, seconds);
            }
            (Some(M::WritesMinusOneBack), Never) if now.is_none() => {
                return set_ttl(properties, -1);
            }
            (Some(M::DropsTtlWhileOff), Absent) => return drop(properties.remove("ttl")),
            (Some(M::RemovedTtlIsNever), _) if before.is_some() && now.is_none() => {
                return set_ttl(properties, -1);
            }
            (Some(M::KeepsTtl(wrongly)), _) => now.is_none() && wrongly.covers(via, self.batch),
            (Some(M::NewTtlIsIgnored), _) => now.is_some(),
            (Some(M::NewTtlOnlyShortens), _) => number(before) < number(now),
            (Some(M::NewTtlOnlyLengthens), _) => now.is_some() && number(now) < number(before),
            _ => false,
        };
        if let Some(before) = before.filter(|_| keeps) {
            properties.insert("ttl".into(), before.clone());
        }
    }

    fn restarts(&self, operation: &Operation, old: &StoredItem, properties: &Properties) -> bool {
        let wrongly = match self.store.mutation {
            Some(M::NewTtlCountsFromOldTs) => return old.properties.get("ttl") == properties.get("ttl"),
            Some(M::NoRestart(wrongly)) => wrongly,
            _ => return true,
        };
        !match (wrongly, operation) {
            (WriteKind::WithOwnTtl, _) => properties.contains_key("ttl"),
            (WriteKind::InBatch, _)
            | (WriteKind::UpsertInBatch, Operation::Upsert(_))
            | (WriteKind::ReplaceInBatch, Operation::Replace(..))
            | (WriteKind::PatchInBatch, Operation::Patch(..)) => self.batch,
            (WriteKind::Replace, Operation::Replace(..))
            | (WriteKind::ConditionalReplace, Operation::Replace(_, Some(_)))
            | (WriteKind::Upsert, Operation::Upsert(_))
            | (WriteKind::ConditionalPatch, Operation::Patch(_, Some(_)))
            | (WriteKind::Patch, Operation::Patch(..)) => true,
            (WriteKind::PatchOfTtl, Operation::Patch(patch, _)) => is_about_ttl(patch),
            (WriteKind::PatchOfOthers, Operation::Patch(patch, _)) => !is_about_ttl(patch),
            (WriteKind::IdenticalReplace, Operation::Replace(..))
            | (WriteKind::IdenticalUpsert, Operation::Upsert(_))
            | (WriteKind::IdenticalPatch, Operation::Patch(..)) => old.properties == *properties,
            _ => false,
        }
    }

    /// Copies to a new item the parts that it keeps of the expired one in its place: none, in a correct store.
    fn be_reborn(&mut self, via: Via, old: StoredItem, item: &mut StoredItem) {
        match self.store.mutation {
            Some(M::OverwrittenReturn | M::CountsOverwritten) => self.history.gone.push(old),
            Some(M::Reborn(wrongly, kept)) if wrongly.covers(via, self.batch) => match kept {
                KeptPart::Ts => item.written = old.written,
                KeptPart::Etag => item.tag = old.tag,
                KeptPart::Ttl | KeptPart::Content => {
                    let is_kept = |name: &str| kept == KeptPart::Content || name == "ttl";
                    for (name, value) in old.properties.into_iter().filter(|(name, _)| is_kept(name)) {
                        item.properties.entry(name).or_insert(value);
                    }
                }
            },
            _ => {}
        }
    }
}

/// How an operation looks for its item, and how it writes it.
fn ways(operation: &Operation) -> (Access, Via) {
    match operation {
        Operation::Create(_) => (Access::Create, Via::Create),
        Operation::Upsert(_) => (Access::Upsert, Via::Upsert),
        Operation::Replace(..) => (Access::Replace, Via::Replace),
        Operation::Patch(..) => (Access::Patch, Via::Patch),
        Operation::Read(_) => (Access::Read, Via::Any),
        Operation::Delete(..) => (Access::Delete, Via::Any),
    }
}

fn is_about_ttl(patch: &Patch) -> bool {
    patch.set.contains_key("ttl") || patch.remove.iter().any(|name| name == "ttl")
}

pub(super) fn shown_tag(tag: u64) -> String {
    format!("naive-{tag}")
}

pub(super) fn set_ttl(properties: &mut Properties, ttl: i128) {
    if let Ok(ttl) = Literal::parse(&ttl.to_string()) {
        properties.insert("ttl".into(), ttl);
    }
}
