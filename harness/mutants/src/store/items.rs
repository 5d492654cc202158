//! Requests about one item.

use super::Store;
use super::row::Row;
use super::writes::Sent;
use crate::mutation::{By, Cause, Look, Mutation as M, Return, Sweep, Trace};
use cosmos_ttl_harness::target::{Document, Operation, Patch, Response, Status};

impl Store {
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
                self.check(&self.by(By::Replace), &document.id, &document.properties)?;
                self.target(&document.id, etag.as_deref(), Look::Replace)?;
                Ok(self.write(Status::Ok, Sent::new(By::Replace, etag.is_some()), document.clone()))
            }
            Operation::Patch(patch, etag) => self.patch(patch, etag.as_deref()),
            Operation::Read(id) => match self.find(id, &self.looks(Look::Read, false)) {
                Some(row) => Ok(self.show(Status::Found, row)),
                None => Err(Status::NotFound),
            },
            Operation::Delete(id, etag) => self.delete(id, etag.as_deref()),
        }
    }

    /// What an expired item that is still stored, or an id that it left, is answered by mistake.
    fn answered_wrongly(&self, operation: &Operation) -> Result<(), Status> {
        let id = operation.id();
        let is_left = || self.past.taken.iter().any(|taken| taken == id);
        match (self.variant.mutation, operation) {
            (Some(M::Answers(look, status)), _) if look == look_of(operation) => {
                let expired = self.rows.iter().any(|row| row.id == id && self.is_expired(row, &[]));
                if expired { Err(status) } else { Ok(()) }
            }
            (Some(M::Sweeps(Sweep::LeavesIdTaken)), Operation::Create(_)) if is_left() => {
                Err(Status::Conflict)
            }
            (Some(M::Sweeps(Sweep::AnswersGone)), Operation::Read(_)) if is_left() => Err(Status::Other(410)),
            _ => Ok(()),
        }
    }

    fn create_item(&mut self, document: &Document) -> Result<Response, Status> {
        self.check(&self.by(By::Create), &document.id, &document.properties)?;
        match self.find(&document.id, &self.looks(Look::Create, false)) {
            Some(_) => Err(Status::Conflict),
            None => Ok(self.write(Status::Created, Sent::new(By::Create, false), document.clone())),
        }
    }

    fn upsert(&mut self, document: &Document) -> Result<Response, Status> {
        self.check(&self.by(By::Upsert), &document.id, &document.properties)?;
        let stored = self.rows.iter().any(|row| row.id == document.id);
        let replaces = self.find(&document.id, &self.looks(Look::Upsert, false)).is_some()
            || (stored && self.takes_now(self.variant.choices.upsert_replaces_expired));
        let status = if replaces { Status::Ok } else { Status::Created };
        Ok(self.write(status, Sent::new(By::Upsert, false), document.clone()))
    }

    fn patch(&mut self, patch: &Patch, etag: Option<&str>) -> Result<Response, Status> {
        self.check(&self.by(By::Patch), &patch.id, &patch.set)?;
        let mut properties = self.target(&patch.id, etag, Look::Patch)?.properties.clone();
        properties.extend(patch.set.clone());
        properties.retain(|name, _| !patch.remove.contains(name));
        let about_ttl = patch.set.contains_key("ttl") || patch.remove.iter().any(|name| name == "ttl");
        let sent = Sent { about_ttl, ..Sent::new(By::Patch, etag.is_some()) };
        Ok(self.write(Status::Ok, sent, Document { id: patch.id.clone(), properties }))
    }

    fn delete(&mut self, id: &str, etag: Option<&str>) -> Result<Response, Status> {
        let row = self.target(id, etag, Look::Delete)?.clone();
        self.rows.retain(|row| row.id != id);
        match self.variant.mutation {
            Some(M::Returns(Return::Deleted | Return::TsOfDeleted)) => self.past.deleted.push(row),
            Some(M::Returns(Return::Overwritten)) => {
                let overwritten = std::mem::take(&mut self.past.overwritten);
                let (back, rest): (Vec<_>, Vec<_>) = overwritten.into_iter().partition(|row| row.id == id);
                self.rows.extend(back);
                self.past.overwritten = rest;
            }
            _ => {}
        }
        Ok(Response::new(Status::NoContent))
    }

    /// The item that a write is about.
    fn target(&self, id: &str, etag: Option<&str>, look: Look) -> Result<&Row, Status> {
        match (self.find(id, &self.looks(look, etag.is_some())), etag) {
            (None, Some(_)) if self.takes_now(self.variant.choices.condition_first) => {
                Err(Status::PreconditionFailed)
            }
            (None, _) => Err(Status::NotFound),
            (Some(row), Some(etag)) if shown_tag(row.tag) != etag && !self.errs(M::NoConditions) => {
                Err(Status::PreconditionFailed)
            }
            (Some(row), _) => Ok(row),
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
                Trace::Content | Trace::NewItem,
                Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _),
            ) if trace == Trace::Content || !living => {
                self.write(status, Sent::new(By::Any, false), document.clone());
            }
            (Trace::RestOfPatch, Operation::Patch(patch, _)) => {
                if let Some(row) = self.rows.iter_mut().find(|row| row.id == patch.id) {
                    let rest = patch.set.iter().filter(|(name, _)| *name != "ttl");
                    row.properties.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
                }
            }
            (Trace::Restart, _) if living || status == Status::NotFound => {
                self.restart(|row| row.id == operation.id());
            }
            (Trace::RestartOfAll, _) => self.restart(|_| true),
            (Trace::Nothing, _) => self.rows.retain(|row| row.id != operation.id()),
            _ => {}
        }
    }

    /// What a successful operation restarts by mistake.
    fn restart_wrongly(&mut self, operation: &Operation, status: Status) {
        let Some(M::Restarts(cause)) = self.variant.mutation else { return };
        let id = operation.id();
        match (cause, operation) {
            (Cause::Read, Operation::Read(_)) => self.restart(|row| row.id == id),
            (Cause::ReadInBatch, Operation::Read(_)) if self.batch => self.restart(|row| row.id == id),
            (Cause::OtherDeletes, Operation::Delete(..)) => self.restart(|_| true),
            (Cause::OtherCreates, _) if status == Status::Created => self.restart(|_| true),
            (Cause::OtherWrites, Operation::Replace(..)) => self.restart(|_| true),
            _ => {}
        }
    }
}

fn look_of(operation: &Operation) -> Look {
    match operation {
        Operation::Create(_) => Look::Create,
        Operation::Upsert(_) => Look::Upsert,
        Operation::Replace(_, Some(_)) | Operation::Patch(_, Some(_)) | Operation::Delete(_, Some(_)) => {
            Look::Conditional
        }
        Operation::Replace(..) => Look::Replace,
        Operation::Patch(..) => Look::Patch,
        Operation::Read(_) => Look::Read,
        Operation::Delete(..) => Look::Delete,
    }
}

/// An etag, as clients see it.
pub(super) fn shown_tag(tag: u64) -> String {
    format!("naive-{tag}")
}
