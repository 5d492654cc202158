//! The compaction: it merges the runs and drops what is expired.

use std::collections::{BTreeMap, BTreeSet};

use super::engine::{Lifespan, LsmEngine, LsmKey, LsmRecord, OwnTtl};
use super::faults::compactions::CompactSlip;
use super::life::{Look, lifetime_of};
use super::session::LsmSession;
use super::slip::Slip;
use crate::number::{self, Sent};

impl LsmSession {
    /// Drops all expired items.
    pub(super) fn compact(&mut self) {
        self.compact_some(|_, _| true);
    }

    /// Drops the expired items among these.
    pub(super) fn compact_some(&mut self, among: impl Fn(&LsmKey, &LsmRecord) -> bool) {
        self.compact_some_at(self.now_s, among);
    }

    /// Drops those that are expired at this second.
    pub(super) fn compact_some_at(&mut self, at_s: i64, among: impl Fn(&LsmKey, &LsmRecord) -> bool) {
        let now_s = std::mem::replace(&mut self.now_s, at_s);
        let mut records = if self.slips(CompactSlip::OldestWins) {
            self.engine.merged_backwards()
        } else {
            self.engine.merged()
        };
        let is_doomed =
            |(key, record): &(&LsmKey, &LsmRecord)| self.is_doomed(key, record) && among(key, record);
        let mut doomed: BTreeSet<LsmKey> =
            records.iter().filter(is_doomed).map(|(key, _)| key.clone()).collect();
        self.now_s = now_s;
        if doomed.is_empty() && self.slip.is_none() {
            return;
        }
        if self.slips(CompactSlip::DropsNewestOnly) {
            for key in &doomed {
                self.engine.pop(key);
            }
            return;
        }
        if let Some(Slip::Compact(slip)) = self.slip {
            self.widen(slip, &mut doomed, &records);
            self.rewrite(slip, !doomed.is_empty(), &mut records);
        }
        for key in &doomed {
            if let Some(record) = records.remove(key) {
                self.memo.dropped.insert(key.clone(), record);
            }
        }
        self.memo.met.clear();
        self.engine = LsmEngine::of(records);
    }

    /// Returns whether the filter drops a version.
    fn is_doomed(&self, key: &LsmKey, record: &LsmRecord) -> bool {
        let usual = self.is_expired(key, record, Look::Compaction);
        let Some(Slip::Compact(slip)) = self.slip else { return usual };
        let default = self.default_now();
        let last = self.memo.last_seconds.map_or(Lifespan::NoDefault, Lifespan::Seconds);
        let ends = |default: Lifespan, own: OwnTtl| {
            lifetime_of(default, own).is_some_and(|lifetime_s| record.ts_s + lifetime_s <= self.now_s)
        };
        let is_null = number::read(record.properties.get("ttl")) == Sent::Null;
        match (slip, default) {
            (CompactSlip::FirstDefault, Lifespan::Seconds(_)) => ends(self.memo.first_default, record.ttl),
            (CompactSlip::LowestDefault, Lifespan::Seconds(_)) => {
                ends(self.memo.lowest_seconds.map_or(default, Lifespan::Seconds), record.ttl)
            }
            (CompactSlip::RunsWhileOff, Lifespan::Off) => ends(Lifespan::NoDefault, record.ttl),
            (CompactSlip::RunsAfterOff, Lifespan::Off) => {
                record.ttl == OwnTtl::Inherit && ends(last, record.ttl)
            }
            (CompactSlip::MinusOneKeepsLast, Lifespan::NoDefault) => ends(last, record.ttl),
            (CompactSlip::IgnoresMinusOne, _) if record.ttl == OwnTtl::Never => {
                ends(default, OwnTtl::Inherit)
            }
            (CompactSlip::IgnoresLongerOwn, Lifespan::Seconds(_)) if record.ttl != OwnTtl::Never => {
                usual || ends(default, OwnTtl::Inherit)
            }
            (CompactSlip::OneEarly, _) => {
                self.deadline_s(key, record).is_some_and(|deadline_s| deadline_s - 1 <= self.now_s)
            }
            (CompactSlip::LongWraps, _) => {
                let deadline_s = self.deadline_s(key, record);
                usual || deadline_s.is_some_and(|deadline_s| deadline_s > i64::from(i32::MAX))
            }
            (CompactSlip::NullIsZero, Lifespan::Seconds(_) | Lifespan::NoDefault) => usual || is_null,
            (
                CompactSlip::StaleTimer | CompactSlip::PatchKeepsTimer | CompactSlip::BatchKeepsTimer,
                Lifespan::Seconds(_) | Lifespan::NoDefault,
            ) => {
                let mut timers = self.memo.timers.iter();
                usual || timers.any(|(other, deadline_s)| other == key && *deadline_s <= self.now_s)
            }
            (CompactSlip::MetRecreated, _) => usual || self.memo.met.contains(key),
            (CompactSlip::OldRunDecides, _) => {
                let oldest = self.engine.oldest(key).unwrap_or(record);
                usual || self.is_expired(key, oldest, Look::Compaction)
            }
            _ => usual,
        }
    }

    /// Drops more than is expired.
    fn widen(&self, slip: CompactSlip, doomed: &mut BTreeSet<LsmKey>, records: &BTreeMap<LsmKey, LsmRecord>) {
        let first = doomed.clone();
        match slip {
            CompactSlip::DropsWholeRun => {
                let levels = self.engine.keys_by_level();
                for run in levels.split_last().map_or(&[][..], |(_, runs)| runs) {
                    if run.iter().any(|key| first.contains(key)) {
                        doomed.extend(run.iter().cloned());
                    }
                }
            }
            CompactSlip::ByIdAlone => {
                let is_namesake = |key: &&LsmKey| first.iter().any(|one| one.1 == key.1);
                doomed.extend(records.keys().filter(is_namesake).cloned());
            }
            CompactSlip::ByPrefix => {
                let is_longer =
                    |key: &&LsmKey| first.iter().any(|one| one.0 == key.0 && key.1.starts_with(&one.1));
                doomed.extend(records.keys().filter(is_longer).cloned());
            }
            CompactSlip::ByRange => {
                let lies_between = |key: &&LsmKey| {
                    first.iter().any(|one| one.0 == key.0 && one <= *key)
                        && first.iter().any(|one| one.0 == key.0 && one >= *key)
                };
                doomed.extend(records.keys().filter(lies_between).cloned());
            }
            CompactSlip::DropsPartition => {
                let is_alone = |key: &&LsmKey| {
                    let inherits =
                        |other: &LsmKey| records.get(other).is_some_and(|one| one.ttl == OwnTtl::Inherit);
                    first.iter().any(|one| one.0 == key.0 && inherits(one))
                };
                doomed.extend(records.keys().filter(is_alone).cloned());
            }
            _ => {}
        }
    }

    /// Writes survivors otherwise than they were.
    fn rewrite(&self, slip: CompactSlip, drops: bool, records: &mut BTreeMap<LsmKey, LsmRecord>) {
        for record in records.values_mut() {
            match (slip, self.default_now(), record.ttl) {
                (CompactSlip::RestampsSurvivors, ..) if drops => {
                    record.ts_s = self.now_s;
                    record.counted_s = self.now_s;
                }
                (CompactSlip::NewEtags, ..) if drops => record.etag.push('c'),
                (CompactSlip::ForgetsTtl, ..) | (CompactSlip::ForgetsMinusOne, _, OwnTtl::Never) => {
                    record.ttl = OwnTtl::Inherit;
                }
                (CompactSlip::WritesDefault, Lifespan::Seconds(n), OwnTtl::Inherit) => {
                    record.properties.insert("ttl".into(), n.into());
                }
                (CompactSlip::FreezesDefault, Lifespan::Seconds(n), OwnTtl::Inherit) => {
                    record.ttl = OwnTtl::Seconds(n);
                }
                _ => {}
            }
        }
    }
}
