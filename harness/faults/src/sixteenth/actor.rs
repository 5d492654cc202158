//! The state of a partition, and what the sweeper does when it visits it.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{Etag, Id, Properties};

use super::HiveStore;
use super::liberty::HiveLiberty;
use super::life::{HiveLife, HiveLook};
use super::slip::HiveSlip::*;
use super::values::{HiveDefault, HiveSettings, HiveTtl};

/// An item as an actor keeps it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HiveEntry {
    pub(super) properties: Properties,
    pub(super) life: HiveLife,
    pub(super) etag: Etag,
    /// The item that it took the place of; kept by a mistake alone.
    pub(super) older: Option<Box<HiveEntry>>,
}

/// A partition.
#[derive(Clone, Debug)]
pub(super) struct HiveActor {
    /// The settings as it was told last.
    pub(super) settings: HiveSettings,
    pub(super) entries: BTreeMap<Id, HiveEntry>,
    /// The rows that queries look through.
    pub(super) index: BTreeMap<Id, HiveLife>,
    /// How many writes it has stamped.
    pub(super) stamps: u64,
    /// The second of the message before.
    pub(super) last_message_at: i64,
    /// Whether the index is being built again, under lazy indexing.
    pub(super) is_lagging: bool,
    pub(super) notes: HiveNotes,
}

/// What mistakes and freedoms look at, and nothing else.
#[derive(Clone, Debug, Default)]
pub(super) struct HiveNotes {
    /// Items that the last visit of the sweeper picked, with their etags.
    pub(super) picked: Vec<(Id, Etag)>,
    /// Deadlines of items.
    pub(super) timers: BTreeMap<Id, i64>,
    /// How often each id was written.
    pub(super) revisions: BTreeMap<Id, u64>,
    /// What the present batch has deleted.
    pub(super) deleted: BTreeMap<Id, HiveLife>,
    /// Which items the present batch has written.
    pub(super) rows_of_batch: BTreeSet<Id>,
    /// Settings that it was told.
    pub(super) told: Vec<HiveSettings>,
    /// How often it was switched off.
    pub(super) offs: u32,
    /// How often it was asked for a count.
    pub(super) counts: u64,
    /// Settings that it will learn with its next write.
    pub(super) pending: Option<HiveSettings>,
    /// The settings at the last visit of the sweeper.
    pub(super) swept_under: Option<HiveSettings>,
    /// The second of the last change of the settings.
    pub(super) changed_at: Option<i64>,
    /// The settings at the last first page.
    pub(super) paged_under: Option<HiveSettings>,
}

impl HiveActor {
    pub(super) fn new(settings: HiveSettings, now: i64) -> Self {
        Self {
            settings,
            entries: BTreeMap::new(),
            index: BTreeMap::new(),
            stamps: 0,
            last_message_at: now,
            is_lagging: false,
            notes: HiveNotes { told: vec![settings], ..HiveNotes::default() },
        }
    }

    pub(super) fn forget(&mut self, id: &str) {
        self.entries.remove(id);
        self.index.remove(id);
    }

    /// Builds the index again.
    pub(super) fn reindex(&mut self) {
        self.index = self.entries.iter().map(|(id, entry)| (id.clone(), entry.life.clone())).collect();
    }

    /// Changes the life of an item, in its entry and in the index.
    pub(super) fn change_life(&mut self, id: &str, change: impl Fn(&mut HiveLife)) {
        let entry = self.entries.get_mut(id).map(|entry| &mut entry.life);
        entry.into_iter().chain(self.index.get_mut(id)).for_each(change);
    }
}

impl HiveStore {
    /// Returns the ids of all items that are expired for the sweeper.
    fn expired_ids(self, actor: &HiveActor, now: i64) -> Vec<Id> {
        let settings = match actor.notes.swept_under {
            Some(before) if self.has(SweeperKeepsSettings) => before,
            _ => actor.settings,
        };
        let expired = actor.entries.iter().filter(|(_, entry)| {
            self.is_expired(&settings, &entry.life, HiveLook::Sweep, now) && !entry.life.is_deleted
        });
        expired.map(|(id, _)| id.clone()).collect()
    }

    /// Removes expired items of a partition, and returns their ids.
    pub(super) fn sweep(self, actor: &mut HiveActor, now: i64) -> Vec<Id> {
        let mut ids = self.expired_ids(actor, now);
        actor.notes.swept_under = Some(actor.settings);
        match self.slip {
            Some(PickedRemovedById | PickedRemovedByEtag) => {
                let etag_counts = self.has(PickedRemovedByEtag);
                let pick = |id: &Id| Some((id.clone(), actor.entries.get(id)?.etag.clone()));
                let picked = ids.iter().filter_map(pick).collect();
                let before = std::mem::replace(&mut actor.notes.picked, picked);
                let is_there =
                    |id: &Id, etag: &Etag| actor.entries.get(id).is_some_and(|entry| entry.etag == *etag);
                ids = before
                    .into_iter()
                    .filter(|(id, etag)| !etag_counts || is_there(id, etag))
                    .map(|(id, _)| id)
                    .collect();
            }
            Some(OldTimerFires | TimerSurvivesDelete) if actor.settings.default != HiveDefault::Off => {
                let due = actor.notes.timers.iter().filter(|(_, deadline)| **deadline <= now);
                let due: Vec<Id> = due.map(|(id, _)| id.clone()).collect();
                for id in &due {
                    actor.notes.timers.remove(id);
                }
                ids.extend(due);
            }
            Some(SweepResetsRevisions) => {
                for id in &ids {
                    actor.notes.revisions.remove(id);
                }
            }
            _ => {}
        }
        match self.liberty {
            Some(HiveLiberty::SweepsOneByItself | HiveLiberty::SweepsOne) => {
                ids = ids.pop().into_iter().collect();
            }
            Some(HiveLiberty::SweepsInheritingFirst) => {
                let inherits =
                    |id: &Id| actor.entries.get(id).is_some_and(|entry| entry.life.ttl == HiveTtl::Inherit);
                if ids.iter().any(inherits) {
                    ids.retain(inherits);
                }
            }
            Some(HiveLiberty::PurgeDoesNothing) => ids.clear(),
            _ => {}
        }
        for id in &ids {
            actor.forget(id);
        }
        ids
    }
}
