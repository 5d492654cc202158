//! How the gateway passes operations and batches to an actor.

use cosmos_ttl_harness::target::{Operation, Response, Status};

use super::actor::HiveEntry;
use super::handle::{HiveDone, HiveMessage};
use super::liberty::HiveLiberty;
use super::session::HiveSession;
use super::slip::HiveSlip::*;
use super::values::HiveSettings;

impl HiveSession {
    pub(super) fn batch(
        &mut self,
        operations: &[Operation],
        partition: &str,
        settings: HiveSettings,
    ) -> Response {
        let (store, edition, real_now) = (self.store, self.edition, self.now);
        let (actor, is_first) = self.actor(partition, settings);
        if operations.len() > 100 && store.may(HiveLiberty::LongBatchRefused) {
            return Response::aborted(Status::BadRequest, 100);
        }
        let now = if store.has(BatchUsesLastMessage) { actor.last_message_at } else { real_now };
        let before = actor.clone();
        store.learn_pending(actor, now);
        actor.notes.deleted.clear();
        let message = HiveMessage {
            now,
            edition,
            partition,
            in_batch: true,
            position: 0,
            is_followed: false,
            is_first,
        };
        let mut bad_values =
            operations.iter().enumerate().filter(|(_, one)| store.refuses_value(actor, one, &message));
        let blamed = match store.liberty {
            Some(HiveLiberty::BatchValuesFirst) => bad_values.next(),
            Some(HiveLiberty::BatchBlamesLastValue) => bad_values.next_back(),
            _ => None,
        };
        if let Some((at, _)) = blamed {
            return Response::aborted(Status::BadRequest, at);
        }
        let mut statuses = Vec::with_capacity(operations.len());
        let mut refusal = None;
        for (position, operation) in operations.iter().enumerate() {
            let later = operations.iter().skip(position + 1);
            let is_followed = later.clone().any(|later| later.id() == operation.id());
            let message = HiveMessage { position, is_followed, ..message };
            match store.handle(actor, operation, &message) {
                Ok(done) => statuses.push(done.status),
                Err(status) => {
                    refusal = Some((status, position));
                    break;
                }
            }
        }
        match refusal {
            None => Response::committed(statuses),
            Some((status, at)) => {
                let drafted = std::mem::replace(actor, before);
                let done = operations.iter().take(at);
                store.undo(actor, drafted, done, partition, now);
                Response::aborted(status, at)
            }
        }
    }

    pub(super) fn one(&mut self, operation: &Operation, partition: &str, settings: HiveSettings) -> Response {
        let (store, edition, now) = (self.store, self.edition, self.now);
        let (actor, is_first) = self.actor(partition, settings);
        if operation.is_write() {
            store.learn_pending(actor, now);
        }
        let is_read = matches!(operation, Operation::Read(_));
        if is_read && store.has(LazyReadsLag) && std::mem::take(&mut actor.is_lagging) {
            return Response::new(Status::NotFound);
        }
        let message = HiveMessage {
            now,
            edition,
            partition,
            in_batch: false,
            position: 0,
            is_followed: false,
            is_first,
        };
        match store.handle(actor, operation, &message) {
            Ok(HiveDone { status, shown: Some((id, entry)) }) => {
                if operation.is_write() {
                    self.after_write(operation.id(), &entry, partition);
                }
                if !is_read && store.may(HiveLiberty::WritesShowNothing) {
                    return Response::new(status);
                }
                Response::item(status, store.view(id, &entry, now))
            }
            Ok(HiveDone { status, shown: None }) | Err(status) => Response::new(status),
        }
    }

    /// A write concerns no other partition; only a mistake lets it.
    fn after_write(&mut self, id: &str, entry: &HiveEntry, partition: &str) {
        let others = self.actors.iter_mut().filter(|(key, _)| *key != partition);
        for (_, actor) in others {
            match self.store.slip {
                Some(WritesTouchNamesakes) => {
                    actor.change_life(id, |life| (life.ts, life.from) = (entry.life.ts, entry.life.from));
                }
                Some(TtlOfNamesake) => actor.change_life(id, |life| life.ttl = entry.life.ttl),
                _ => {}
            }
        }
    }
}
