//! Batches: a journal of changed slots, and its way back.

use cosmos_ttl_harness::target::{Operation, Properties, Response, Status};

use super::choice::RefusalOrder;
use super::scope::{TimerCall, TimerPath};
use super::session::TimerSession;
use super::slip::{Slip, Touch};
use super::slot::{SlotNumber, TimerSlot};

impl TimerSession {
    /// Applies all operations, or none.
    pub(super) fn batch(&mut self, operations: &[Operation]) -> Response {
        if self.choice.refusals == RefusalOrder::BatchValuesFirst
            && let Some((at, refusal)) = self.first_bad_value(operations)
        {
            return Response::aborted(refusal, at);
        }
        self.journal = Some(Vec::new());
        let mut statuses = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            let is_guarded = operation.etag().is_some();
            self.call = TimerCall {
                path: TimerPath::of_operation(operation),
                batch: Some(at),
                is_guarded,
                is_paged: false,
            };
            match self.apply(operation) {
                Ok((status, _)) => statuses.push(status),
                Err(refusal) => {
                    self.abort(refusal);
                    return Response::aborted(refusal, at);
                }
            }
        }
        self.commit();
        Response::committed(statuses)
    }

    fn first_bad_value(&self, operations: &[Operation]) -> Option<(usize, Status)> {
        let value = |operation: &Operation| -> Option<Properties> {
            let properties = operation.properties()?;
            let is_patch = matches!(operation, Operation::Patch(..));
            (!is_patch || properties.contains_key("ttl")).then(|| properties.clone())
        };
        operations
            .iter()
            .enumerate()
            .find_map(|(at, operation)| Some((at, self.own_life(&value(operation)?).err()?)))
    }

    /// Forgets the journal of a batch that took effect.
    fn commit(&mut self) {
        let journal = self.journal.take().unwrap_or_default();
        let written: Vec<_> = journal
            .iter()
            .map(|(number, _)| *number)
            .filter(|number| self.table.slots.contains_key(number))
            .collect();
        let disarmed = match written.split_last() {
            _ if self.slips(Slip::CommitDisarms) => written.as_slice(),
            Some((last, all)) if self.slips(Slip::CommitArmsLastOnly) && !all.contains(last) => all,
            _ => &[],
        };
        for number in disarmed {
            self.disarm(*number);
        }
    }

    /// Plays the journal of a refused batch backwards.
    fn abort(&mut self, refusal: Status) {
        let journal = self.journal.take().unwrap_or_default();
        if self.slips(Slip::AbortKeepsAll(refusal)) {
            return;
        }
        let kept = if self.slips(Slip::AbortUndoesLastOnly) { journal.len().saturating_sub(1) } else { 0 };
        let mut seen = Vec::new();
        for (number, before) in journal.into_iter().skip(kept).rev() {
            if self.slips(Slip::AbortUndoesOnceOnly) && seen.contains(&number) {
                continue;
            }
            seen.push(number);
            match before {
                None => self.undo_new(number),
                Some(slot) => self.undo_change(number, slot),
            }
        }
    }

    fn undo_new(&mut self, number: SlotNumber) {
        if self.slips(Slip::AbortLeavesNew) {
            return;
        }
        self.disarm(number);
        let Some(slot) = self.table.unlink(number) else { return };
        if self.slips(Slip::AbortLeavesFeed) {
            self.phantoms.push(slot.name.clone());
        }
        if self.slips(Slip::AbortLeavesName) {
            self.removed.insert(slot.name);
        } else if let Some(armed_s) = slot.armed_s.filter(|_| self.slips(Slip::AbortLeavesTimer)) {
            self.wheel.loose.push((armed_s, slot.name));
        }
    }

    fn undo_change(&mut self, number: SlotNumber, mut slot: TimerSlot) {
        let is_rewritten = self.table.slots.contains_key(&number);
        let stays = if is_rewritten { Slip::AbortLeavesRewritten } else { Slip::AbortLeavesDeleted };
        if self.slips(stays) {
            return;
        }
        let newer = self.table.slots.get(&number).map(|newer| (newer.armed_s, newer.ts));
        self.disarm(number);
        self.table.unlink(number);
        let name = slot.name.clone();
        if slot.is_fired && self.slips(Slip::AbortRevives) {
            (slot.is_fired, slot.armed_s) = (false, None);
        }
        let keeps_timer = self.slips_on(Slip::AbortKeepsNewTimer, &slot);
        if let Some((armed_s, _)) = newer.filter(|_| keeps_timer) {
            slot.armed_s = armed_s;
        }
        if let Some((_, ts)) = newer.filter(|_| self.slips(Slip::AbortKeepsNewTs)) {
            slot.ts = ts;
        }
        let is_fired = slot.is_fired;
        let armed_s = slot.armed_s.filter(|_| !is_fired && !self.slips_on(Slip::AbortDisarms, &slot));
        let restarts = self.slips_on(Slip::AbortRestarts, &slot) && !is_fired;
        self.table.link(number, slot);
        self.wheel.timers.extend(armed_s.map(|armed_s| (armed_s, number)));
        if is_fired {
            self.wheel.due.insert(number);
        }
        if restarts {
            self.touch(number, Touch::Timer);
        }
        if self.slips(Slip::AbortDropsFeed)
            && let Some(feed) = self.table.feeds.get_mut(&name.0)
        {
            feed.remove(&number);
        }
    }
}
