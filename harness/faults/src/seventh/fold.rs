//! Facts, and how the projections fold them.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Etag, Properties};

use super::ledger::LedgerSession;
use super::rule::{EntryLife, LedgerDefault, LedgerKey};
use super::slip::{Path, Slip};

/// The items of a projection.
pub(super) type Shelf = BTreeMap<LedgerKey, LedgerEntry>;

/// An item as it was put.
#[derive(Clone, Debug)]
pub(super) struct LedgerEntry {
    pub(super) home: LedgerKey,
    pub(super) properties: Properties,
    pub(super) life: EntryLife,
    pub(super) ts: i64,
    pub(super) counts_from_s: i64,
    pub(super) born_s: i64,
    pub(super) etag: Etag,
    pub(super) serial: u64,
    /// The default in force at the write, which only mistakes look at.
    pub(super) written_under: LedgerDefault,
    pub(super) in_batch: bool,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(super) enum Fact {
    Put(LedgerKey, Box<LedgerEntry>, Path),
    Dropped(LedgerKey),
    Swept(LedgerKey),
}

impl LedgerSession {
    /// Appends a fact and folds it into both projections.
    pub(super) fn record(&mut self, fact: Fact) {
        self.remember(&fact);
        match &fact {
            Fact::Put(key, entry, _) => {
                self.shelf.insert(key.clone(), (**entry).clone());
            }
            Fact::Dropped(key) | Fact::Swept(key) => {
                self.shelf.remove(key);
            }
        }
        let mut board = std::mem::take(&mut self.board);
        self.fold_into(&mut board, &fact);
        self.board = board;
        self.facts.push(fact);
        self.uncover();
    }

    /// Folds a fact into the projection for queries.
    fn fold_into(&self, board: &mut Shelf, fact: &Fact) {
        match fact {
            Fact::Put(key, entry, path) => {
                let mut row = (**entry).clone();
                if let Some(old) = board.get(key) {
                    match self.slip {
                        Some(Slip::BoardKeepsFirstTime) => row.counts_from_s = old.counts_from_s,
                        Some(Slip::BoardKeepsFirstLife) => row.life = old.life,
                        Some(Slip::BoardMissesBatches) if row.in_batch => return,
                        Some(Slip::BoardMissesPatches) if *path == Path::Patch => return,
                        _ => {}
                    }
                }
                board.insert(key.clone(), row);
            }
            Fact::Swept(_) if self.slips(Slip::SweepLeavesBoard) => {}
            Fact::Dropped(key) | Fact::Swept(key) => {
                board.remove(key);
            }
        }
    }

    /// Builds the projection for queries again, from all facts.
    pub(super) fn rebuild_board(&mut self) {
        let mut board = Shelf::new();
        for fact in &self.facts {
            match (self.slip, fact) {
                (Some(Slip::RebuildForgetsDrops), Fact::Dropped(_)) => {}
                (Some(Slip::RebuildTakesFirst), Fact::Put(key, ..)) if board.contains_key(key) => {}
                _ => self.fold_into(&mut board, fact),
            }
        }
        self.board = board;
    }

    /// Builds both projections again, without the facts about removal.
    pub(super) fn replay_without_sweeps(&mut self) {
        let facts: Vec<Fact> = std::mem::take(&mut self.facts);
        self.shelf.clear();
        self.board.clear();
        for fact in facts {
            if !matches!(fact, Fact::Swept(_)) {
                self.record(fact);
            }
        }
    }

    /// Changes an item without a write, on both projections and in all that happened to it.
    pub(super) fn amend(&mut self, key: &LedgerKey, change: impl Fn(&mut LedgerEntry)) {
        let entries = self.shelf.get_mut(key).into_iter().chain(self.board.get_mut(key));
        entries.for_each(&change);
        for fact in &mut self.facts {
            if let Fact::Put(put, entry, _) = fact
                && put == key
            {
                change(entry);
            }
        }
    }

    /// Keeps what only mistakes look at.
    fn remember(&mut self, fact: &Fact) {
        let memory = &mut self.memory;
        match fact {
            Fact::Put(key, entry, _) => {
                memory.swept.remove(key);
                memory.cached.remove(key);
                if !entry.in_batch {
                    memory.missed.remove(key);
                }
                memory.default_at_last_write = self.settings.unwrap_or_default().default;
            }
            Fact::Dropped(key) => {
                memory.cached.remove(key);
                let ts = self.shelf.get(key).map(|entry| (key.clone(), entry.ts));
                memory.dropped.extend(ts);
                memory.uncovered = memory.covered.remove(key).map(|entry| (key.clone(), entry));
            }
            Fact::Swept(key) => {
                memory.swept.insert(key.clone());
                memory.numbers.remove(key);
            }
        }
    }

    /// Puts back what a deleted item covered, which only a mistake does.
    fn uncover(&mut self) {
        if let Some((key, entry)) = self.memory.uncovered.take()
            && self.slips(Slip::DeleteUncovers)
        {
            self.record(Fact::Put(key, Box::new(entry), Path::Create));
        }
    }
}
