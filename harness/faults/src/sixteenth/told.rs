//! What a change of the container's settings does to an actor that is told of it.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Id, Indexing};

use super::HiveStore;
use super::actor::{HiveActor, HiveEntry};
use super::liberty::HiveLiberty;
use super::life::{HiveLife, HiveLook};
use super::slip::HiveSlip::*;
use super::values::{HiveDefault, HiveSettings, HiveTtl};

/// A change of the settings.
#[derive(Clone, Copy, Debug)]
struct HiveChange {
    old: HiveSettings,
    new: HiveSettings,
    now: i64,
}

impl HiveChange {
    fn switches_on(&self) -> bool {
        self.old.default == HiveDefault::Off && self.new.default != HiveDefault::Off
    }

    fn switches_off(&self) -> bool {
        self.old.default != HiveDefault::Off && self.new.default == HiveDefault::Off
    }

    /// Returns the old and the new default, if both are seconds.
    fn seconds(&self) -> Option<(i64, i64)> {
        match (self.old.default, self.new.default) {
            (HiveDefault::Seconds(old), HiveDefault::Seconds(new)) => Some((old, new)),
            _ => None,
        }
    }

    fn lowered_to(&self) -> Option<i64> {
        self.seconds().filter(|(old, new)| new < old).map(|(_, new)| new)
    }

    fn raises(&self) -> bool {
        self.seconds().is_some_and(|(old, new)| new > old)
    }
}

impl HiveStore {
    /// Tells an actor the settings; only a mistake keeps them from it.
    pub(super) fn tell(self, actor: &mut HiveActor, partition: &str, new: HiveSettings, now: i64) {
        let old = actor.settings;
        let is_lost = match self.slip {
            Some(ToldOnceEach) => actor.notes.told.contains(&new),
            Some(EmptyActorsNotTold) => actor.entries.is_empty(),
            Some(OffToldToOneAlone) => new.default == HiveDefault::Off && partition != DEFAULT_PARTITION,
            Some(SettingsVersionIsSecond) => actor.notes.changed_at == Some(now),
            Some(OneChangeAtATime) => old.indexing != new.indexing && old.default != new.default,
            Some(LearnsWithWrites) => {
                actor.notes.pending = Some(new);
                true
            }
            _ => false,
        };
        actor.notes.told.push(new);
        actor.notes.changed_at = Some(now);
        if !is_lost {
            self.learn(actor, HiveChange { old, new, now });
        }
    }

    /// Lets an actor learn the settings that it will learn with its next write.
    pub(super) fn learn_pending(self, actor: &mut HiveActor, now: i64) {
        if let Some(new) = actor.notes.pending.take() {
            self.learn(actor, HiveChange { old: actor.settings, new, now });
        }
    }

    fn learn(self, actor: &mut HiveActor, change: HiveChange) {
        let HiveChange { old, new, now } = change;
        actor.settings = new;
        if old == new {
            if self.has(SameSettingsRestart) {
                let entries = actor.entries.values_mut();
                entries.for_each(|entry| (entry.life.ts, entry.life.from) = (now, now));
                actor.reindex();
            }
            return;
        }
        if change.switches_off() {
            actor.notes.offs += 1;
        }
        let changes_default = old.default != new.default;
        actor.is_lagging = changes_default
            && match (self.slip, self.liberty) {
                (Some(ConsistentQueriesLag), _) => new.indexing == Indexing::Consistent,
                (Some(LazyReadsLag), _)
                | (_, Some(HiveLiberty::LazyQueriesLag | HiveLiberty::LazyCountsLag)) => {
                    new.indexing == Indexing::Lazy
                }
                _ => false,
            };
        if changes_default || self.has(ModeChangeRestamps) {
            let offs = actor.notes.offs;
            let mut gone: Vec<Id> = Vec::new();
            for (id, entry) in &mut actor.entries {
                let was = self.is_expired(&old, &entry.life, HiveLook::Write, now);
                if was && self.drops_for_good(&change, &entry.life) {
                    gone.push(id.clone());
                }
                self.relearn_item(entry, &change, was, offs);
            }
            for id in gone {
                actor.entries.remove(&id);
            }
            actor.reindex();
        }
        if changes_default && self.has(DefaultChangesEtags) {
            for entry in actor.entries.values_mut() {
                actor.stamps += 1;
                entry.etag = format!("{:08x}", actor.stamps);
            }
        }
    }

    /// Returns whether an item that is expired before a change is removed with it.
    fn drops_for_good(self, change: &HiveChange, life: &HiveLife) -> bool {
        match self.liberty {
            Some(HiveLiberty::ExpiredIsGone) => true,
            Some(HiveLiberty::OffRemovesExpired) => change.switches_off(),
            Some(HiveLiberty::RaisingRemovesExpired) => change.raises(),
            Some(HiveLiberty::InheritingIsGone) => life.ttl == HiveTtl::Inherit,
            _ => false,
        }
    }

    /// Changes an item where the settings change; only a mistake does.
    fn relearn_item(self, entry: &mut HiveEntry, change: &HiveChange, was_expired: bool, offs: u32) {
        let Some(slip) = self.slip else { return };
        let HiveChange { old, new, now } = *change;
        let life = &mut entry.life;
        let inherits = life.ttl == HiveTtl::Inherit;
        let is_finite = |default| matches!(default, HiveDefault::Seconds(_));
        let lowered_to = change.lowered_to();
        match slip {
            LoweringCapsOwn => {
                if let (Some(new_s), HiveTtl::Seconds(own_s)) = (lowered_to, life.ttl) {
                    life.ttl = HiveTtl::Seconds(own_s.min(new_s));
                }
            }
            LoweringDropsMinusOne if lowered_to.is_some() && life.ttl == HiveTtl::Never => {
                life.ttl = HiveTtl::Inherit;
            }
            OwnWakesFromSwitch if change.switches_on() && !inherits => life.from = now,
            InheritedCountsFromSwitch if change.switches_on() && inherits => life.from = now,
            SecondOffForgets if change.switches_off() && offs > 1 => life.ttl = HiveTtl::Inherit,
            FiniteStaysFinite
                if is_finite(old.default) && new.default == HiveDefault::NoDefault && inherits =>
            {
                life.frozen = Some(old.default);
            }
            RaisingCountsFromChange if change.raises() && inherits && !was_expired => life.from = now,
            LoweringSparesThatAge if inherits && lowered_to.is_some_and(|new_s| now == life.from + new_s) => {
                life.frozen = Some(old.default);
            }
            NoDefaultSparesOverdue
                if inherits
                    && old.default == HiveDefault::NoDefault
                    && self.is_expired(&new, life, HiveLook::Write, now) =>
            {
                life.frozen = Some(old.default);
            }
            LoweringSparesOverdue if inherits && lowered_to.is_some_and(|new_s| now >= life.from + new_s) => {
                life.frozen = Some(old.default);
            }
            ModeChangeRestamps if old.indexing != new.indexing => (life.ts, life.from) = (now, now),
            NoneForgetsTtl if new.indexing == Indexing::None => life.ttl = HiveTtl::Inherit,
            ReturnRestamps if was_expired && !self.is_expired(&new, life, HiveLook::Write, now) => {
                (life.ts, life.from) = (now, now);
            }
            ReturnForgetsTtl if was_expired && !self.is_expired(&new, life, HiveLook::Write, now) => {
                life.ttl = HiveTtl::Inherit;
            }
            LatchToggles if was_expired => life.is_latched = !life.is_latched,
            QueriesShowGone | GoneBlocksCreate if was_expired => life.is_latched = true,
            SameDefaultAfterOff if change.switches_on() && new.default == life.written => {
                life.frozen = Some(HiveDefault::NoDefault);
            }
            _ => {}
        }
    }
}
