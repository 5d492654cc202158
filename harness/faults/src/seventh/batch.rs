//! Batches, decided on a draft of everything.

use cosmos_ttl_harness::target::{Body, DEFAULT_PARTITION, Item, Operation, Response, Status};

use super::allowance::RefusalOrder;
use super::decide::door_of;
use super::ledger::LedgerSession;
use super::slip::Slip;

impl LedgerSession {
    /// Answers a batch.
    pub(super) fn batch(&mut self, operations: &[Operation]) -> Response {
        if self.allowance.refusals == RefusalOrder::AllValues {
            let wrong = operations.iter().position(|operation| {
                let door = door_of(operation, true);
                operation.properties().is_some_and(|sent| self.read_life(sent, door).is_err())
            });
            if let Some(at) = wrong {
                return Response::aborted(Status::BadRequest, at);
            }
        }
        self.memory.dropped.clear();
        let mut draft = self.clone();
        if self.slips(Slip::BatchSeesStart) {
            draft.memory.batch_start = Some(self.shelf.clone());
        }
        let mut statuses = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            draft.memory.is_later_operation = at > 0;
            match draft.operate(operation, true) {
                Ok(response) => statuses.push(response.status),
                Err(status) => {
                    self.abort(&draft, operations, at);
                    return Response::aborted(status, at);
                }
            }
        }
        draft.memory.batch_start = None;
        draft.memory.dropped.clear();
        draft.memory.is_later_operation = false;
        *self = draft;
        Response::committed(statuses)
    }

    /// Makes the mistakes of an aborted batch; a correct store forgets the draft.
    fn abort(&mut self, draft: &Self, operations: &[Operation], at: usize) {
        let Some(slip) = self.slip else { return };
        let now_s = self.now_s;
        for (number, operation) in operations.iter().enumerate().take(at) {
            let key = self.key_of(operation.id());
            match slip {
                Slip::AbortTouches if operation.is_write() => {
                    let is_living = self.living(&key, door_of(operation, true)).is_some();
                    if is_living {
                        self.amend(&key, |entry| entry.counts_from_s = now_s);
                    }
                }
                Slip::AbortCompensates if operation.is_write() => self.amend(&key, |entry| {
                    entry.ts = now_s;
                    entry.counts_from_s = now_s;
                }),
                Slip::AbortLeavesFirst if number == 0 => drop(self.operate(operation, true)),
                Slip::AbortLeavesDrops if matches!(operation, Operation::Delete(..)) => {
                    drop(self.operate(operation, true));
                }
                Slip::AbortLeavesPatchedLife if matches!(operation, Operation::Patch(..)) => {
                    if let Some(life) = draft.shelf.get(&key).map(|entry| entry.life) {
                        self.amend(&key, |entry| entry.life = life);
                    }
                }
                _ => {}
            }
        }
        let refused = operations.get(at).map(|operation| (operation, self.key_of(operation.id())));
        match (slip, refused) {
            (Slip::NamedBatchPatchRevives, Some((Operation::Patch(..), key)))
                if self.partition != DEFAULT_PARTITION =>
            {
                self.amend(&key, |entry| entry.counts_from_s = now_s);
            }
            (Slip::ConflictInBatchTouches, Some((Operation::Create(_), key))) => {
                self.amend(&key, |entry| entry.counts_from_s = now_s);
            }
            _ => {}
        }
        match slip {
            Slip::AbortLeavesBoard => self.board.clone_from(&draft.board),
            Slip::AbortLeavesNamed if self.partition != DEFAULT_PARTITION => *self = draft.clone(),
            _ => {}
        }
    }
}

/// Returns the item of an answer, if it has one.
pub(super) fn item_of(response: &mut Response) -> Option<&mut Item> {
    if let Body::Item(item) = &mut response.body { Some(item) } else { None }
}
