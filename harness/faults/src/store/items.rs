//! Operations on items: what they read, refuse and write.

use std::collections::BTreeSet;

use cosmos_ttl_harness::target::{Body, Document, Item, Operation, Properties, Response, Status};

use super::Room;
use super::container::lifetime;
use super::log::{Held, Ttl, Version};
use super::look::Look;
use crate::freedom::{BatchOrder, Echo, Precondition, Test};
use crate::mistake::{AbortTrace, Access, Misjudge, Mistake, Mistime, Path, Residue};
use crate::number::{Sent, read};

/// The names of properties that the service sets, whatever a client sends.
const OF_THE_SERVICE: [&str; 5] = ["_ts", "_etag", "_rid", "_self", "_attachments"];

/// What an operation came to.
pub(super) type Done = Result<Response, Status>;

/// What a write would store.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) properties: Properties,
    pub(super) own: Result<Ttl, Status>,
}

impl Room {
    /// Judges an item on a path.
    pub(super) fn look(&self, version: &Version, path: Path) -> Option<Look> {
        let held = version.held.as_ref()?;
        let own = match held.own {
            Ttl::Invalid if self.freedom.invalid_never.other(&version.id, 0) => Ttl::Never,
            Ttl::Invalid => Ttl::Unset,
            own => own,
        };
        let mut look = Look::new(self.now, self.default(), own, held.ts);
        match self.mistake {
            Some(Mistake::Look(places, writers, how))
                if places.holds(path) && writers.holds(version.path) =>
            {
                look.misjudge(how, &self.log, version, &self.history);
            }
            Some(Mistake::Timers(_)) if path.access != Access::Sweep => {
                look.misjudge(Misjudge::Blind, &self.log, version, &self.history);
            }
            _ => {}
        }
        Some(look)
    }

    /// Returns whether a stored item is expired, as this path judges it.
    pub(super) fn is_expired(&self, id: &str, path: Path) -> bool {
        self.log.stored(id).and_then(|version| self.look(version, path)).is_some_and(|look| look.is_expired())
    }

    /// Reads a `ttl`, as sent.
    fn read_ttl(&self, id: &str, properties: &Properties, path: Path) -> Result<Ttl, Status> {
        let literal = properties.get("ttl");
        let sent = read(literal);
        if let Some(misread) = self.misread(sent, path) {
            return misread;
        }
        let taken = match sent {
            Sent::Absent => Ok(Ttl::Unset),
            Sent::Null if self.is_of_2020 => Ok(Ttl::Unset),
            Sent::Number(number)
                if !(number.fractional && self.freedom.fraction_refused.other(id, self.turn)) =>
            {
                lifetime(number)
            }
            _ => Err(Status::BadRequest),
        };
        let off = self.default() == Ttl::Unset;
        taken.or_else(|status| {
            if off && self.freedom.invalid_stored.other(id, 0) { Ok(Ttl::Invalid) } else { Err(status) }
        })
    }

    fn draft(&self, operation: &Operation, old: Option<&Held>, path: Path) -> Option<Proposal> {
        let sent = self.freedom.kept(operation.properties()?);
        let mut own = self.read_ttl(operation.id(), &sent, path);
        let mut properties = sent.clone();
        if let (Operation::Patch(patch, _), Some(old)) = (operation, old) {
            properties = old.properties.clone();
            properties.extend(sent.clone());
            properties.retain(|name, _| !patch.remove.contains(name));
            if !sent.contains_key("ttl") && !patch.remove.iter().any(|name| name == "ttl") {
                own = Ok(old.own);
            }
        }
        properties.retain(|name, _| !OF_THE_SERVICE.contains(&name.as_str()));
        Some(Proposal { properties, own })
    }

    /// Executes an operation.
    pub(super) fn operate(&mut self, operation: &Operation, batch: bool) -> Done {
        let path = Path::of(operation, batch);
        let id = operation.id();
        let stored = self.log.stored(id).cloned();
        let hidden = stored.is_some() && self.is_expired(id, path);
        let old = stored.and_then(|version| version.held);
        let living = old.clone().filter(|_| !hidden);
        let draft = self.draft(operation, living.as_ref(), path);

        if let Some(status) = self.refusal(operation, draft.as_ref(), old.as_ref(), hidden) {
            self.leave_trace(operation, path, status, draft, living);
            return Err(status);
        }
        match (draft, living) {
            (None, Some(held)) if path.access == Access::Read => {
                Ok(self.shown(id, &held, Status::Found, path))
            }
            (None, _) => {
                self.log.push(id, None, path, self.history.len());
                self.cancel_timer(id, false);
                Ok(Response::new(Status::NoContent))
            }
            (Some(draft), living) => {
                let status = match path.access {
                    Access::Upsert if living.is_some() => {
                        let created = self.freedom.living_upsert_created.other(id, self.turn);
                        if created { Status::Created } else { Status::Ok }
                    }
                    Access::Upsert
                        if old.is_some() && self.freedom.expired_upsert_ok.other(id, self.turn) =>
                    {
                        Status::Ok
                    }
                    Access::Create | Access::Upsert => Status::Created,
                    _ => Status::Ok,
                };
                let held = self.held(draft, living.as_ref());
                let held = self.miswritten(held, path, living.as_ref(), old.as_ref(), operation);
                self.log.push(id, Some(held.clone()), path, self.history.len());
                self.set_timer(id, path);
                Ok(self.shown(id, &held, status, path))
            }
        }
    }

    fn held(&mut self, draft: Proposal, living: Option<&Held>) -> Held {
        self.etags += 1;
        let born = living.map_or(self.now, |held| held.born);
        let own = draft.own.unwrap_or(Ttl::Unset);
        Held { properties: draft.properties, own, ts: self.now, etag: self.etags, born }
    }

    /// Returns the first of the tests that refuses the operation.
    fn refusal(
        &self,
        operation: &Operation,
        draft: Option<&Proposal>,
        old: Option<&Held>,
        hidden: bool,
    ) -> Option<Status> {
        let there = old.is_some() && !hidden;
        let value = draft.and_then(|draft| draft.own.err());
        let existence = match operation {
            Operation::Create(_) => there.then_some(Status::Conflict),
            Operation::Upsert(_) => None,
            _ => (!there).then_some(Status::NotFound),
        };
        let fits = |held: &Held| operation.etag().is_none_or(|etag| *etag == self.etag(held.etag));
        let etag_fits = operation.etag().is_none() || old.is_some_and(fits) && !hidden;
        let etag = (!etag_fits).then_some(Status::PreconditionFailed);
        let mut order = self.freedom.order;
        if !there && operation.etag().is_some() && self.etag_first(operation, hidden) {
            order.sort_by_key(|test| *test == Test::Existence);
        }
        order.iter().find_map(|test| match test {
            Test::Value => value,
            Test::Existence => existence,
            Test::Etag => etag,
        })
    }

    /// Returns whether a conditional write on an item that is not there answers 412.
    fn etag_first(&self, operation: &Operation, hidden: bool) -> bool {
        match self.freedom.precondition {
            Precondition::ByOrder => false,
            Precondition::Failed => true,
            Precondition::UntilRemoved => hidden,
            Precondition::ReplaceOnly => matches!(operation, Operation::Replace(..)),
            Precondition::Turns => self.turn.is_multiple_of(2),
        }
    }

    fn leave_trace(
        &mut self,
        operation: &Operation,
        path: Path,
        status: Status,
        draft: Option<Proposal>,
        living: Option<Held>,
    ) {
        let Some(Mistake::Residue(places, refusal, trace)) = self.mistake else { return };
        if !places.holds(path) || refusal != status {
            return;
        }
        let id = operation.id();
        let left = match (trace, living, draft) {
            (Residue::Restarts, Some(living), _) => Some(Held { ts: self.now, ..living }),
            (Residue::DropsOwn, Some(living), _) => Some(Held { own: Ttl::Unset, ..living }),
            (Residue::Deletes, Some(_), _) => None,
            (Residue::Stores, living, Some(draft)) => Some(self.held(draft, living.as_ref())),
            _ => return,
        };
        self.log.push(id, left, path, self.history.len());
    }

    /// Executes a batch.
    pub(super) fn batch(&mut self, operations: &[Operation]) -> Response {
        let (start, etags) = (self.log.len(), self.etags);
        let timers = self.timers.clone();
        let mut done = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            match self.operate(operation, true) {
                Ok(response) => done.push(response.status),
                Err(status) => {
                    self.abort(start, operations);
                    if !matches!(self.mistake, Some(Mistake::Timers(Mistime::AbortLeaves))) {
                        self.timers = timers;
                    }
                    self.etags = self.etags.max(etags);
                    let (at, status) = self.reported(operations, at, status);
                    return Response { body: Body::Aborted { at }, ..Response::new(status) };
                }
            }
        }
        Response { body: Body::Committed(done), ..Response::new(Status::Ok) }
    }

    /// Takes back what a batch did.
    fn abort(&mut self, start: usize, operations: &[Operation]) {
        let Some(Mistake::Abort(trace)) = self.mistake else {
            self.log.cut(start);
            return;
        };
        if trace == AbortTrace::Stays {
            return;
        }
        let touched: BTreeSet<String> =
            self.log.since(start).iter().map(|version| version.id.clone()).collect();
        let before: Vec<_> =
            touched.iter().map(|id| (id.clone(), self.log.stored(id).and_then(|v| v.held.clone()))).collect();
        self.log.cut(start);
        for (id, written) in before {
            let Some(Version { held: Some(held), path, settings, .. }) = self.log.stored(&id).cloned() else {
                continue;
            };
            let left = match (trace, written) {
                (AbortTrace::StaysDeleted, None) if operations.iter().any(|one| one.id() == id) => None,
                (AbortTrace::Restarts, _) => Some(Held { ts: self.now, ..held }),
                (AbortTrace::KeepsOwn, Some(written)) => Some(Held { own: written.own, ..held }),
                _ => continue,
            };
            self.log.push(&id, left, path, settings);
        }
    }

    /// Returns which operation of an aborted batch is named, and its refusal.
    fn reported(&mut self, operations: &[Operation], at: usize, status: Status) -> (usize, Status) {
        let start = self.log.len();
        let named = match self.freedom.batch_order {
            BatchOrder::InOrder => None,
            BatchOrder::ValuesFirst => operations.iter().enumerate().find_map(|(number, operation)| {
                let path = Path::of(operation, true);
                let draft = self.draft(operation, None, path)?;
                draft.own.err().map(|status| (number, status))
            }),
            BatchOrder::LastFirst => {
                let mut last = None;
                for (number, operation) in operations.iter().enumerate() {
                    if let Err(status) = self.operate(operation, true) {
                        last = Some((number, status));
                    }
                }
                self.log.cut(start);
                last
            }
        };
        named.unwrap_or((at, status))
    }

    /// Returns the answer that shows an item.
    fn shown(&self, id: &str, held: &Held, status: Status, path: Path) -> Response {
        let echo = self.freedom.echo;
        let is_read = path.access == Access::Read;
        let shows = match echo {
            Echo::ReadsOnly => is_read,
            Echo::CreateAndRead => is_read || path.access == Access::Create,
            Echo::AllButPatch => path.access != Access::Patch,
            _ => true,
        };
        if !shows {
            return Response::new(status);
        }
        let bare = echo == Echo::WritesBare && !is_read;
        let item = Item {
            document: Document { id: id.into(), properties: held.properties.clone() },
            ts: (!bare && echo != Echo::NoTs).then(|| i64::try_from(held.ts).unwrap_or(i64::MAX)),
            etag: (!bare && echo != Echo::NoEtag).then(|| self.etag(held.etag)),
        };
        Response::item(status, self.misreplied(item, held, path))
    }

    /// Returns the etag with this number.
    pub(super) fn etag(&self, number: u64) -> String {
        if self.freedom.long_etags {
            format!("0000{number:016x}-0000-0700-0000-{:012x}", number.wrapping_mul(2_654_435_761))
        } else {
            format!("\"{number}\"")
        }
    }
}
