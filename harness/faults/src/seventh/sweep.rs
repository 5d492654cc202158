//! Removal in the background.

use cosmos_ttl_harness::target::Removal;

use super::allowance::LedgerRemoval;
use super::fold::Fact;
use super::ledger::LedgerSession;
use super::rule::LedgerKey;
use super::slip::{Door, Path, Slip, Via};

/// The door that the background takes.
pub(super) const SWEEP: Door = Door(Path::Sweep, Via::Plain);

impl LedgerSession {
    /// Removes before a request what the schedule removes.
    pub(super) fn sweep_before_request(&mut self) {
        self.requests += 1;
        let is_due = match (self.allowance.removal, self.schedule) {
            (LedgerRemoval::Scheduled, Some(Removal::Eager)) => true,
            (LedgerRemoval::Scheduled, Some(Removal::Alternate)) => self.requests.is_multiple_of(2),
            (LedgerRemoval::EveryNth(every), _) => self.requests.is_multiple_of(every),
            (LedgerRemoval::OneByOne, _) => {
                let oldest =
                    self.expired().into_iter().min_by_key(|key| self.shelf.get(key).map(|one| one.ts));
                if let Some(key) = oldest {
                    self.record(Fact::Swept(key));
                }
                false
            }
            _ => false,
        };
        if is_due {
            self.sweep();
        }
        if self.slips(Slip::SweepMarked) {
            let expired = self.expired();
            self.memory.marked.extend(expired);
        }
        if self.slips(Slip::SweepSameSecond) {
            let seen = self.expired().into_iter().map(|key| (key, self.now_s));
            let seen: Vec<(LedgerKey, i64)> = seen.collect();
            self.memory.seen_expired_s.extend(seen);
        }
    }

    /// Returns the keys of all items that the background sees as expired.
    pub(super) fn expired(&self) -> Vec<LedgerKey> {
        let expired = self.shelf.iter().filter(|(key, entry)| self.is_expired(key, entry, SWEEP));
        expired.map(|(key, _)| key.clone()).collect()
    }

    /// Removes all expired items.
    pub(super) fn sweep(&mut self) {
        let mut expired = self.expired();
        match self.slip {
            Some(Slip::SweepMarked) => expired.extend(std::mem::take(&mut self.memory.marked)),
            Some(Slip::SweepSameSecond) => {
                let seen = std::mem::take(&mut self.memory.seen_expired_s);
                let early = seen
                    .into_iter()
                    .filter(|(key, seen_s)| self.shelf.get(key).is_some_and(|entry| entry.ts <= *seen_s));
                expired.extend(early.map(|(key, _)| key));
            }
            Some(Slip::SweepById) => {
                let same = |key: &&LedgerKey| expired.iter().any(|other| other.1 == key.1);
                expired = self.shelf.keys().filter(same).cloned().collect();
            }
            Some(Slip::SweepOlderToo) => {
                let newest = expired.iter().filter_map(|key| self.shelf.get(key)).map(|entry| entry.ts).max();
                let older = self.shelf.iter().filter(|(_, entry)| Some(entry.ts) < newest);
                expired.extend(older.map(|(key, _)| key.clone()));
            }
            _ => {}
        }
        for key in expired {
            if self.shelf.contains_key(&key) {
                self.record(Fact::Swept(key));
            }
        }
    }
}
