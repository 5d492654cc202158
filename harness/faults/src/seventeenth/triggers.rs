//! What a change of the settings does to the rows: it computes the deadlines that follow from the default again.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Indexing};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::tables::{CairnDefault, CairnKey, CairnLook, CairnOwn, CairnRow, CairnSettings, CairnTables};

/// So many rows are one portion of an update that is done in portions.
const CAIRN_PORTION: usize = 100;

/// A change of the default.
#[derive(Clone, Copy, Debug)]
struct CairnChange {
    old: CairnDefault,
    new: CairnDefault,
    first: CairnDefault,
    now: i64,
}

impl CairnStore {
    /// Removes what is expired under the old settings, where it may not come back.
    pub(super) fn before_settings(self, tables: &mut CairnTables) {
        if self.may(CairnLeave::ExpiredStayGone) {
            self.sweep(tables);
        } else if self.may(CairnLeave::OnlyOwnComeBack) {
            let all: Vec<CairnKey> = tables.rows.keys().cloned().collect();
            for key in all {
                if !tables.own.contains_key(&key) && self.is_swept(tables, &key) {
                    self.erase(tables, &key);
                }
            }
        } else if self.may(CairnLeave::NamedPartitionsStayGone) {
            let all: Vec<CairnKey> = tables.rows.keys().cloned().collect();
            for key in all {
                if key.0 != DEFAULT_PARTITION && self.is_swept(tables, &key) {
                    self.erase(tables, &key);
                }
            }
        }
    }

    /// Brings the rows in step with new settings.
    pub(super) fn after_settings(
        self,
        tables: &mut CairnTables,
        old: Option<CairnSettings>,
        new: CairnSettings,
    ) {
        let Some(old) = old else {
            tables.first_default = new.default;
            tables.was_on = new.default != CairnDefault::Off;
            return;
        };
        let change =
            CairnChange { old: old.default, new: new.default, first: tables.first_default, now: tables.now };
        let switches_on = change.old == CairnDefault::Off && change.new != CairnDefault::Off;
        let switches_off = change.new == CairnDefault::Off && change.old != CairnDefault::Off;
        tables.was_on |= change.new != CairnDefault::Off;
        for (number, (key, row)) in tables.rows.iter_mut().enumerate() {
            let was_inherited = row.inherited;
            let skipped = (self.has(TriggerOnePartition) && key.0 != DEFAULT_PARTITION)
                || (self.has(TriggerFirstPortion) && number >= CAIRN_PORTION)
                || (self.has(TriggerMissesSameSecond) && row.ts == change.now);
            if !skipped {
                self.recompute(row, change);
            }
            let is_own = tables.own.contains_key(key);
            if self.has(SettingBumpsVersion) && !is_own {
                row.version = row.version.saturating_add(1_000_000);
            }
            if switches_on && is_own && self.has(DormantCountsFromSwitch) {
                row.own_from = Some(change.now);
            }
            let was_expired = was_inherited.is_some_and(|deadline| deadline <= change.now);
            if self.has(ReappearsRestamped) && was_expired && !is_own && row.inherited != was_inherited {
                row.ts = change.now;
            }
            if switches_off && self.has(OffRestamps) {
                row.ts = change.now;
            }
            if switches_off && self.has(OffStripsContent) {
                row.body.remove("ttl");
            }
        }
        if switches_off && self.has(OffDropsOwn) {
            tables.own.clear();
        }
        if self.has(PrunesRedundantOwn) {
            tables.own.retain(|_, own| !is_redundant(*own, change.new));
        }
        if switches_off && self.has(ArchiveReturns) {
            let archive = std::mem::take(&mut tables.archive);
            tables.rows.extend(archive);
        }
        if switches_off && self.has(DeleteIsExpiry) {
            let archive = std::mem::take(&mut tables.archive);
            for (key, row) in archive {
                tables.rows.entry(key).or_insert(row);
            }
        }
        if self.has(IndexChangeLosesOthers) && old.indexing != new.indexing {
            tables.rows.retain(|key, _| key.0 == DEFAULT_PARTITION);
        }
        if self.has(SwitchOnUnindexes) && switches_on {
            tables.unindexed.extend(tables.rows.keys().cloned());
        }
        if new.indexing == Indexing::Lazy && (switches_on || change.old != change.new) {
            tables.lag = match self.leave {
                Some(CairnLeave::LazyLagOneQuery) => 1,
                Some(CairnLeave::LazyLagUntilTimePasses) => u32::MAX,
                _ => 0,
            };
        } else {
            tables.lag = 0;
        }
        self.plan_again(tables, change);
    }

    /// Computes a row's inherited deadline again.
    fn recompute(self, row: &mut CairnRow, change: CairnChange) {
        let is_raised = matches!((change.old, change.new), (CairnDefault::Seconds(old), CairnDefault::Seconds(new)) if old < new);
        let is_lowered = matches!((change.old, change.new), (CairnDefault::Seconds(old), CairnDefault::Seconds(new)) if new < old);
        let from_off = change.old == CairnDefault::Off;
        let from_no_default = change.old == CairnDefault::NoDefault;
        let skips = (self.has(RaiseIgnored) && is_raised)
            || (self.has(LowerIgnored) && is_lowered)
            || (self.has(SwitchOnSkipsOld) && from_off)
            || (self.has(FromMinusOneSkips) && from_no_default)
            || (self.has(MinusOneSkipsTrigger) && change.new == CairnDefault::NoDefault)
            || (self.has(ReturnToFirstIgnored) && change.new == change.first);
        if skips {
            return;
        }
        let from_now = (self.has(SwitchOnCountsFromNow) && from_off)
            || (self.has(RaiseCountsFromNow) && is_raised)
            || (self.has(LowerCountsFromNow) && is_lowered)
            || (self.has(FromMinusOneCountsFromNow) && from_no_default)
            || (self.has(SameDefaultRestarts) && change.old == change.new);
        let from = if from_now { change.now } else { row.ts };
        row.inherited = match (row.written_under, change.new, row.inherited) {
            (CairnDefault::Seconds(first), CairnDefault::Seconds(new), Some(deadline))
                if self.has(RaiseTwiceAddsTwice) && is_raised =>
            {
                Some(deadline.saturating_add(new).saturating_sub(first))
            }
            _ => self.inherited_deadline(from, change.new),
        };
    }

    /// Computes the agenda of the sweeper again.
    fn plan_again(self, tables: &mut CairnTables, change: CairnChange) {
        let is_raised = matches!((change.old, change.new), (CairnDefault::Seconds(old), CairnDefault::Seconds(new)) if old < new);
        let stays = (self.has(AgendaStaleAfterRaise) && is_raised)
            || (self.has(AgendaStaleAfterOff) && change.new == CairnDefault::Off)
            || (self.has(AgendaStaleAfterMinusOne) && change.new == CairnDefault::NoDefault);
        if stays {
            return;
        }
        let planned = tables
            .rows
            .iter()
            .filter_map(|(key, row)| Some((self.deadline(tables, key, row, CairnLook::Sweep)?, key.clone())));
        tables.agenda = planned.collect();
    }
}

/// Returns whether an item's own lifetime is what it would inherit.
pub(super) fn is_redundant(own: CairnOwn, default: CairnDefault) -> bool {
    match (own, default) {
        (CairnOwn::Never, CairnDefault::NoDefault) => true,
        (CairnOwn::Seconds(own), CairnDefault::Seconds(default)) => own == default,
        _ => false,
    }
}
