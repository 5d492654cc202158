//! Settings of the container, and what their changes do.

use cosmos_ttl_harness::target::{Container, Indexing, Response, Status};

use super::allowance::LedgerReturn;
use super::fold::{Fact, LedgerEntry};
use super::ledger::{LedgerSession, LedgerSettings};
use super::rule::{EntryLife, LedgerDefault, LedgerKey};
use super::slip::Slip;
use super::sweep::SWEEP;

impl LedgerSession {
    /// Answers the creation of the container.
    pub(super) fn create_container(&mut self, container: &Container) -> Response {
        let read = self.read_default(container, true);
        if self.settings.is_some() {
            if let (Ok(default), true) = (read, self.slips(Slip::SecondCreationApplies)) {
                self.apply(LedgerSettings { default, indexing: container.indexing });
            }
            return Response::new(Status::Conflict);
        }
        let Ok(default) = read else {
            if self.slips(Slip::RefusedCreationStays) {
                self.settings = Some(LedgerSettings::default());
            }
            return Response::new(Status::BadRequest);
        };
        self.settings = Some(LedgerSettings { default, indexing: container.indexing });
        self.memory.first_default = default;
        self.memory.default_before = default;
        self.memory.default_at_last_write = default;
        self.memory.lowest = default.seconds();
        Response::new(Status::Created)
    }

    /// Answers a replacement of the settings.
    pub(super) fn replace_container(&mut self, container: &Container) -> Response {
        let Some(before) = self.settings else { return Response::new(Status::NotFound) };
        let Ok(default) = self.read_default(container, false) else {
            self.slip_at_refusal(before, container);
            return Response::new(Status::BadRequest);
        };
        self.apply(LedgerSettings { default, indexing: container.indexing });
        Response::new(Status::Ok)
    }

    /// Makes the mistakes of a refused setting; a correct store does nothing.
    fn slip_at_refusal(&mut self, before: LedgerSettings, container: &Container) {
        match self.slip {
            Some(Slip::RefusedSettingIsOff) => {
                self.apply(LedgerSettings { default: LedgerDefault::Off, ..before });
            }
            Some(Slip::RefusedSettingClears) => {
                let keys: Vec<LedgerKey> = self.shelf.keys().cloned().collect();
                for key in keys {
                    self.record(Fact::Dropped(key));
                }
            }
            Some(Slip::RefusedIndexTakesDefault) if container.indexing == Indexing::None => {
                let consistent = Container { indexing: Indexing::Consistent, ..container.clone() };
                if let Ok(default) = self.read_default(&consistent, false) {
                    self.apply(LedgerSettings { default, ..before });
                }
            }
            Some(Slip::RefusedSettingTouches) => self.touch_all(|_| true),
            _ => {}
        }
    }

    /// Puts settings in force.
    fn apply(&mut self, new: LedgerSettings) {
        let old = self.settings.unwrap_or_default();
        let expired = self.expired();
        let gone: Vec<LedgerKey> = expired.iter().filter(|key| !self.returns(key)).cloned().collect();
        for key in gone {
            self.record(Fact::Swept(key));
        }
        self.slip_before_change(old, new, &expired);
        self.settings = Some(self.mistaken(old, new));
        let memory = &mut self.memory;
        memory.default_before = old.default;
        memory.is_first_after_change = true;
        memory.lowest = memory.lowest.into_iter().chain(new.default.seconds()).min();
        if old.default != new.default {
            memory.changed_s = Some(self.now_s);
        }
        if self.slips(Slip::ReplayForgetsSweeps) && new.default == LedgerDefault::NoDefault {
            self.replay_without_sweeps();
        } else if matches!(self.slip, Some(Slip::RebuildForgetsDrops | Slip::RebuildTakesFirst))
            || self.slip.is_none()
        {
            self.rebuild_board();
        }
        let back = expired
            .iter()
            .filter(|key| self.shelf.get(key).is_some_and(|entry| !self.is_expired(key, entry, SWEEP)));
        let back: Vec<LedgerKey> = back.cloned().collect();
        if self.slips(Slip::ReturnTouches) {
            let now_s = self.now_s;
            for key in &back {
                self.amend(key, |entry| (entry.ts, entry.counts_from_s) = (now_s, now_s));
            }
        }
        let serials = back.iter().filter_map(|key| self.shelf.get(key)).map(|entry| entry.serial);
        self.memory.stays_hidden.extend(serials);
    }

    /// Returns the settings that a store with a mistake puts in force.
    fn mistaken(&mut self, old: LedgerSettings, new: LedgerSettings) -> LedgerSettings {
        let last = self.memory.last_seconds;
        self.memory.last_seconds = old.default.seconds().or(last);
        match (self.slip, old.default, new.default) {
            (Some(Slip::SecondChangeLost), ..) if self.memory.changed_s == Some(self.now_s) => old,
            (Some(Slip::OnRestoresSeconds), LedgerDefault::Off, LedgerDefault::NoDefault) => {
                let default = last.map_or(new.default, LedgerDefault::Seconds);
                LedgerSettings { default, ..new }
            }
            _ => new,
        }
    }

    /// Returns whether the container is off.
    pub(super) fn is_off(&self) -> bool {
        self.settings.unwrap_or_default().default == LedgerDefault::Off
    }

    /// Returns whether an expired item may return, as far as the store's choices go.
    fn returns(&self, key: &LedgerKey) -> bool {
        let entry = self.shelf.get(key);
        entry.is_some_and(|entry| match self.allowance.reappearance {
            LedgerReturn::Back => true,
            LedgerReturn::Gone => false,
            LedgerReturn::ByParity => key.1.bytes().last().is_none_or(|last| last % 2 == 0),
            LedgerReturn::OwnTtlOnly => entry.life != EntryLife::Inherits,
        })
    }

    /// Makes the mistakes of a change of the settings.
    fn slip_before_change(&mut self, old: LedgerSettings, new: LedgerSettings, expired: &[LedgerKey]) {
        let is_off = new.default == LedgerDefault::Off;
        let is_living = |key: &LedgerKey| !expired.contains(key);
        match self.slip {
            Some(Slip::ChangeTouches) if old != new => {
                let now_s = self.now_s;
                self.amend_all(|entry| (entry.ts, entry.counts_from_s) = (now_s, now_s), is_living);
            }
            Some(Slip::ChangeRestarts) if old != new => self.touch_all(is_living),
            Some(Slip::SwitchOnRestarts) if old.default == LedgerDefault::Off && !is_off => {
                self.touch_all(is_living);
            }
            Some(Slip::SameSettingRestarts) if old == new => self.touch_all(is_living),
            Some(Slip::ChangeRenewsEtags) => {
                let number = self.writes;
                self.writes += 1;
                self.amend_all(|entry| entry.etag = format!("{}-{number}", entry.etag), |_| true);
            }
            Some(Slip::OffErasesTtl) if is_off => {
                self.amend_all(|entry| entry.life = EntryLife::Inherits, |_| true);
            }
            Some(Slip::OffStripsTtl) if is_off => {
                let strip = |entry: &mut LedgerEntry| {
                    entry.properties.remove("ttl");
                    entry.life = EntryLife::Inherits;
                };
                self.amend_all(strip, |_| true);
            }
            _ => {}
        }
    }

    /// Restarts the count of items without a write, which is a mistake.
    fn touch_all(&mut self, which: impl Fn(&LedgerKey) -> bool) {
        let now_s = self.now_s;
        self.amend_all(|entry| entry.counts_from_s = now_s, which);
    }

    fn amend_all(&mut self, change: impl Fn(&mut LedgerEntry), which: impl Fn(&LedgerKey) -> bool) {
        let keys: Vec<LedgerKey> = self.shelf.keys().filter(|key| which(key)).cloned().collect();
        for key in &keys {
            self.amend(key, &change);
        }
    }
}
