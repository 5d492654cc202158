//! Puts of items, and how items are shown.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Document, Etag, Item, Properties};

use super::allowance::EtagForm;
use super::decide::Found;
use super::fold::{Fact, LedgerEntry};
use super::ledger::LedgerSession;
use super::rule::{EntryLife, LedgerDefault, LedgerKey};
use super::slip::{Door, Path, Slip, Via};
use crate::number::{self, Sent};

impl LedgerSession {
    /// Puts an item and returns it as the answer shows it.
    pub(super) fn put(&mut self, found: &Found, mut content: Properties, life: EntryLife) -> Item {
        let client_ts = content.remove("_ts");
        content.remove("_etag");
        let default = self.settings.unwrap_or_default().default;
        let Door(path, via) = found.door;
        let mut entry = LedgerEntry {
            home: self.home_of(found),
            properties: content,
            life,
            ts: self.now_s,
            counts_from_s: self.now_s,
            born_s: found.living.as_ref().map_or(self.now_s, |old| old.born_s),
            etag: String::new(),
            serial: found.living.as_ref().map_or(self.writes, |old| old.serial),
            written_under: default,
            in_batch: via == Via::Batch,
        };
        self.writes += 1;
        entry.etag = self.next_etag(&found.key);
        if let Some(expired) = &found.expired {
            self.memory.ghost_etags.insert(found.key.clone(), expired.etag.clone());
            self.memory.covered.insert(found.key.clone(), expired.clone());
            self.slip_over_expired(&mut entry, expired, found.door);
        }
        if let Some(old) = &found.living {
            if self.is_skipped(&entry, old, found.door) {
                return self.shown(old, found.door);
            }
            if path == Path::Patch && !self.allowance.patch_restarts && old.life == entry.life {
                (entry.ts, entry.counts_from_s) = (old.ts, old.counts_from_s);
            }
            self.slip_over_living(&mut entry, old, found.door);
        }
        self.slip_by_client(&mut entry, client_ts.as_ref(), found);
        if self.slips(Slip::WritesBack)
            && let (EntryLife::Inherits, LedgerDefault::Seconds(seconds)) = (entry.life, default)
        {
            entry.life = EntryLife::Seconds(seconds);
            entry.properties.insert("ttl".into(), whole(seconds));
        }
        let item = self.shown(&entry, found.door);
        self.record(Fact::Put(found.key.clone(), Box::new(entry), path));
        if self.slips(Slip::WriteTouchesId) {
            let now_s = self.now_s;
            let same = self.shelf.keys().filter(|key| key.1 == found.key.1);
            for key in same.cloned().collect::<Vec<LedgerKey>>() {
                self.amend(&key, |entry| entry.counts_from_s = now_s);
            }
        }
        item
    }

    /// Returns whether the properties set a lifetime.
    pub(super) fn sends_lifetime(&self, properties: &Properties) -> bool {
        self.lifetime_property(properties).is_some()
    }

    fn home_of(&self, found: &Found) -> LedgerKey {
        let id = match self.slip {
            Some(Slip::KeysJoined) => found.key.1.strip_prefix(&self.partition).unwrap_or_default().into(),
            _ => found.key.1.clone(),
        };
        (self.partition.clone(), id)
    }

    fn next_etag(&mut self, key: &LedgerKey) -> Etag {
        let mut number = self.writes;
        if self.slips(Slip::SweepRenumbers) {
            let own = self.memory.numbers.entry(key.clone()).or_default();
            *own += 1;
            number = *own;
        }
        match self.allowance.etags {
            EtagForm::Quoted => format!("\"{number}\""),
            EtagForm::Plain => number.to_string(),
            EtagForm::Guid => format!("\"{number:08x}-0000-4d00-0000-{:012x}0000\"", self.now_s),
            EtagForm::Falling => format!("W/{}", u64::MAX - number),
        }
    }

    /// Makes the mistakes of a write over an expired item.
    fn slip_over_expired(&self, entry: &mut LedgerEntry, old: &LedgerEntry, Door(path, via): Door) {
        match self.slip {
            Some(Slip::GhostTtlKept(at, by))
                if (at, by) == (path, via) && entry.life == EntryLife::Inherits =>
            {
                entry.life = old.life;
            }
            Some(Slip::GhostTimeKept(at)) if at == path => {
                (entry.ts, entry.counts_from_s) = (old.ts, old.counts_from_s);
            }
            Some(Slip::GhostEtagKept) if path == Path::Create => entry.etag.clone_from(&old.etag),
            Some(Slip::GhostContentKept) => {
                for (name, value) in &old.properties {
                    entry.properties.entry(name.clone()).or_insert_with(|| value.clone());
                }
                if entry.life == EntryLife::Inherits {
                    entry.life = old.life;
                }
            }
            _ => {}
        }
    }

    /// Makes the mistake of a write that writes nothing, because nothing changes.
    fn is_skipped(&self, entry: &LedgerEntry, old: &LedgerEntry, Door(path, via): Door) -> bool {
        let is_same = entry.properties == old.properties && path != Path::Patch;
        match self.slip {
            Some(Slip::IdenticalSkipped) => is_same && via != Via::Batch,
            Some(Slip::IdenticalSkippedInBatch) => is_same && via == Via::Batch,
            _ => false,
        }
    }

    /// Makes the mistakes of a write over a living item.
    fn slip_over_living(&self, entry: &mut LedgerEntry, old: &LedgerEntry, Door(path, via): Door) {
        let keeps_ts = match self.slip {
            Some(Slip::NoRestart(at, by)) => (at, by) == (path, via),
            Some(Slip::NamedReplaceKeepsCount) => {
                path == Path::Replace && self.partition != DEFAULT_PARTITION
            }
            Some(Slip::SameTtlKeepsCount) => old.life == entry.life && path != Path::Patch,
            _ => false,
        };
        if keeps_ts {
            (entry.ts, entry.counts_from_s) = (old.ts, old.counts_from_s);
        }
        let lost = entry.life == EntryLife::Inherits && old.life != EntryLife::Inherits;
        match self.slip {
            Some(Slip::TsOfCreation(at)) if at == path => {
                (entry.ts, entry.counts_from_s) = (old.born_s, old.born_s);
            }
            Some(Slip::DeadlineNotMoved) if path == Path::Upsert => entry.counts_from_s = old.counts_from_s,
            Some(Slip::PatchTtlFromOld) if path == Path::Patch && old.life != entry.life => {
                entry.counts_from_s = old.counts_from_s;
            }
            Some(Slip::RemovedTtlKept(at)) if at == path && lost => entry.life = old.life,
            Some(Slip::BatchReplaceKeepsTtl) if (path, via) == (Path::Replace, Via::Batch) && lost => {
                entry.life = old.life;
            }
            Some(Slip::NullUpsertKeepsOldIn2020) if path == Path::Upsert && lost => {
                let is_null = entry.properties.get("ttl").is_some_and(|ttl| ttl.as_str() == "null");
                if is_null {
                    entry.life = old.life;
                }
            }
            Some(Slip::RemovedTtlNever(at)) if at == path && lost => entry.life = EntryLife::Never,
            _ => {}
        }
    }

    /// Makes the mistakes of a store that believes a client or another partition.
    fn slip_by_client(&self, entry: &mut LedgerEntry, client_ts: Option<&Literal>, found: &Found) {
        let sent = match number::read(client_ts) {
            Sent::Number(number) => i64::try_from(number.value).ok(),
            _ => None,
        };
        let is_patch = found.door.0 == Path::Patch;
        let believed = sent.filter(|ts| match self.slip {
            Some(Slip::ClientTs) => !is_patch,
            Some(Slip::ClientTsByPatch) => is_patch,
            Some(Slip::ClientTsIfLater) => *ts > self.now_s,
            _ => false,
        });
        if let Some(ts) = believed {
            (entry.ts, entry.counts_from_s) = (ts, ts);
        }
        match self.slip {
            Some(Slip::OffWriteHasNoTtl) if !is_patch && self.is_off() => entry.life = EntryLife::Inherits,
            Some(Slip::DeleteCreateKeepsTime) if found.door == Door(Path::Create, Via::Batch) => {
                let ts = self.memory.dropped.get(&found.key).copied().unwrap_or(entry.ts);
                (entry.ts, entry.counts_from_s) = (ts, ts);
            }
            _ => {}
        }
        if self.slips(Slip::GhostTtlById) && entry.life == EntryLife::Inherits && found.living.is_none() {
            let mut same = self.shelf.iter().filter(|(key, _)| key.1 == found.key.1 && **key != found.key);
            let other = same.find(|(key, entry)| self.is_expired(key, entry, found.door));
            entry.life = other.map_or(EntryLife::Inherits, |(_, other)| other.life);
        }
    }

    /// Returns an item as an answer shows it.
    pub(super) fn shown(&self, entry: &LedgerEntry, Door(path, _): Door) -> Item {
        let mut properties = entry.properties.clone();
        let default = self.settings.unwrap_or_default().default;
        let is_read = path == Path::Read;
        match self.slip {
            Some(Slip::AnswersInherited) if is_read && !properties.contains_key("ttl") => {
                let inherited = default.seconds().map(|seconds| ("ttl".into(), whole(seconds)));
                properties.extend(inherited);
            }
            Some(Slip::AnswersRemaining) if is_read && default != LedgerDefault::Off => {
                if let EntryLife::Seconds(seconds) = entry.life {
                    let age_s = i128::from(self.now_s - entry.ts);
                    properties.insert("ttl".into(), whole(seconds - age_s));
                }
            }
            Some(Slip::DropsMinusOne) if entry.life == EntryLife::Never => {
                properties.remove("ttl");
            }
            Some(Slip::OmitsTtlWhileOff) if is_read && default == LedgerDefault::Off => {
                properties.remove("ttl");
            }
            Some(Slip::NullDroppedIn2020) => {
                properties.retain(|name, value| name != "ttl" || value.as_str() != "null");
            }
            _ => {}
        }
        let document = Document { id: entry.home.1.clone(), properties };
        Item { document, ts: Some(entry.ts), etag: Some(entry.etag.clone()) }
    }
}

/// Returns a whole number as JSON.
fn whole(value: i128) -> Literal {
    Literal::from(i64::try_from(value).unwrap_or(i64::MAX))
}
