//! The tape of settings, and what a change does to the timers.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Indexing, Response, Status};

use super::choice::{LazyIndex, ReturningItems};
use super::session::TimerSession;
use super::slip::{Change, Slip, Touch};
use super::slot::{SlotNumber, TimerSlot};
use super::value::{DefaultLife, OwnLife};

/// How long a lazy index is rebuilt.
const REBUILD_S: i64 = 4;

/// One entry of the tape: the settings from a second on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SettingsEvent {
    pub(super) at_s: i64,
    pub(super) default: DefaultLife,
    pub(super) indexing: Indexing,
}

impl TimerSession {
    /// Returns the settings in force.
    pub(super) fn present(&self) -> SettingsEvent {
        let tape = self.tape.as_slice();
        let Some(last) = tape.last().copied() else { return SettingsEvent::default() };
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips(*slip)) else { return last };
        let with = |default| SettingsEvent { default, ..last };
        let all_s = || tape.iter().filter_map(|event| event.default.seconds());
        match (slip, last.default) {
            (Slip::FirstSettingStays, _) => tape.first().copied().unwrap_or(last),
            (Slip::ThirdChangeIsLost, _) => tape.get(2).copied().unwrap_or(last),
            (Slip::FirstOfTheSecondWins, _) => {
                tape.iter().find(|event| event.at_s == last.at_s).copied().unwrap_or(last)
            }
            (Slip::EffectiveNextSecond, _) => {
                let past = tape.iter().rev().find(|event| event.at_s < self.now);
                past.or(tape.first()).copied().unwrap_or(last)
            }
            (Slip::GreatestDefaultStays, DefaultLife::Seconds(default_s)) => {
                with(DefaultLife::Seconds(all_s().max().unwrap_or(default_s)))
            }
            (Slip::SmallestDefaultStays, DefaultLife::Seconds(default_s)) => {
                with(DefaultLife::Seconds(all_s().min().unwrap_or(default_s)))
            }
            (Slip::MinusOneIsOff, DefaultLife::NoDefault) => with(DefaultLife::Off),
            (Slip::OffIsMinusOne, DefaultLife::Off) if tape.len() > 1 => with(DefaultLife::NoDefault),
            (Slip::OpensWithMinusOne, DefaultLife::Off) if tape.len() == 1 => with(DefaultLife::NoDefault),
            (Slip::OpensWithAnHour, DefaultLife::Off) if tape.len() == 1 => with(DefaultLife::Seconds(3600)),
            _ => last,
        }
    }

    /// Returns the last default in seconds before the present setting.
    pub(super) fn last_default_s(&self) -> Option<i64> {
        self.tape.iter().rev().skip(1).find_map(|event| event.default.seconds())
    }

    /// Creates the container.
    pub(super) fn open_container(&mut self, container: &Container) -> Response {
        if !self.tape.is_empty() {
            return Response::new(Status::Conflict);
        }
        match self.checked(container) {
            Ok(event) => {
                self.tape.push(event);
                self.applied = self.present();
                Response::new(Status::Created)
            }
            Err(refusal) => {
                if self.slips(Slip::RefusedOpeningOpens) {
                    self.tape.push(SettingsEvent { at_s: self.now, ..SettingsEvent::default() });
                }
                Response::new(refusal)
            }
        }
    }

    /// Replaces the container's settings.
    pub(super) fn replace_container(&mut self, container: &Container) -> Response {
        let Some(last) = self.tape.last().copied() else { return Response::new(Status::NotFound) };
        let event = match self.checked(container) {
            Ok(event) => event,
            Err(refusal) => {
                self.refuse_settings(container, last);
                return Response::new(refusal);
            }
        };
        let is_known = self.tape.iter().any(|known| known.default == event.default);
        if self.slips(Slip::SkipsKnownDefault) && last.default == DefaultLife::Off && is_known {
            return Response::new(Status::Ok);
        }
        let is_new_mode = event.indexing != last.indexing;
        let merges = self.slips(Slip::MergesAbsent) || is_new_mode && self.slips(Slip::NewModeKeepsDefault);
        let default = match container.default_ttl {
            None if merges => last.default,
            _ if is_new_mode && self.slips(Slip::NewModeDropsDefault) => DefaultLife::Off,
            _ => event.default,
        };
        self.tape.push(SettingsEvent { default, ..event });
        self.catch_up();
        Response::new(Status::Ok)
    }

    /// Checks settings as a whole.
    fn checked(&self, container: &Container) -> Result<SettingsEvent, Status> {
        let Container { default_ttl, indexing } = container;
        let default = self.default_life(default_ttl.as_ref())?;
        if *indexing == Indexing::Lazy && self.choice.lazy == LazyIndex::Refused {
            return Err(Status::BadRequest);
        }
        let last = self.tape.last().copied();
        let old_mode = last.map(|last| last.indexing);
        let is_change = last.is_some_and(|last| {
            last.default != default && last.default != DefaultLife::Off && default != DefaultLife::Off
        });
        let is_refused = match (*indexing, default) {
            (_, DefaultLife::Off) => false,
            (Indexing::None, DefaultLife::NoDefault) if self.slips(Slip::NoneAllowsMinusOne) => false,
            (Indexing::None, _) if self.slips(Slip::NoneAllowsTtl) => false,
            (Indexing::None, _) => true,
            (Indexing::Lazy, _) if self.slips(Slip::LazyRefusesTtl) => true,
            _ if old_mode == Some(Indexing::None) && self.slips(Slip::NoneSticks) => true,
            _ => is_change && self.slips(Slip::RefusesDirectChange),
        };
        if is_refused {
            return Err(Status::BadRequest);
        }
        Ok(SettingsEvent { at_s: self.now, default, indexing: *indexing })
    }

    /// Does what the fault does with refused settings.
    fn refuse_settings(&mut self, container: &Container, last: SettingsEvent) {
        let at_s = self.now;
        if self.slips(Slip::RefusedSwitchesOff) {
            self.tape.push(SettingsEvent { at_s, default: DefaultLife::Off, ..last });
        }
        if self.slips(Slip::RefusedSwitchesToMinusOne) {
            self.tape.push(SettingsEvent { at_s, default: DefaultLife::NoDefault, ..last });
        }
        if self.slips(Slip::RefusedModeStaysWithDefault)
            && let Ok(default) = self.default_life(container.default_ttl.as_ref())
        {
            self.tape.push(SettingsEvent { at_s, default, ..last });
        }
        if self.slips(Slip::RefusedSettingRestarts) {
            for number in self.all_numbers() {
                self.touch(number, Touch::Timer);
            }
        }
        if self.slips(Slip::RefusedSettingDisarms) {
            self.wheel.timers.clear();
        }
        self.catch_up();
    }

    /// Applies the settings in force, if they are not those that the timers follow.
    pub(super) fn catch_up(&mut self) {
        let after = self.present();
        let before = std::mem::replace(&mut self.applied, after);
        if before.default == after.default && before.indexing == after.indexing {
            return;
        }
        if after.indexing == Indexing::Lazy && before.default != after.default {
            self.rebuilt_s = Some(self.now.saturating_add(REBUILD_S));
        }
        let rearms_most = match self.fault {
            Some((Slip::RearmsAtMost(most), _)) => most,
            _ => usize::MAX,
        };
        for (at, number) in self.all_numbers().into_iter().enumerate() {
            if at < rearms_most {
                self.rearm(number, before.default, after.default);
            }
        }
    }

    /// Arms a slot's timer for a changed setting, or drops an expired item that does not come back.
    fn rearm(&mut self, number: SlotNumber, before: DefaultLife, after: DefaultLife) {
        let Some(slot) = self.table.slots.get(&number) else { return };
        let (was_fired, own) = (slot.is_fired, slot.own);
        let returns = match self.choice.returning {
            ReturningItems::All => true,
            ReturningItems::Nothing => false,
            ReturningItems::WithTtl => own != OwnLife::Absent,
            ReturningItems::WithoutTtl => own == OwnLife::Absent,
            ReturningItems::EverySecond => slot.version.is_multiple_of(2),
        };
        if was_fired && !returns {
            self.disarm(number);
            self.table.unlink(number);
            return;
        }
        let change = |change: Change| change.covers(before, after);
        if let Some((Slip::KeepsTimers(kind), _)) = self.fault
            && change(kind)
            && self.slips_on(Slip::KeepsTimers(kind), slot)
        {
            return;
        }
        if self.slips(Slip::ReturnsLater) && was_fired && !slot.is_passed_over {
            if let Some(slot) = self.table.slots.get_mut(&number) {
                slot.is_passed_over = true;
            }
            return;
        }
        self.arm(number);
        let Some(slot) = self.table.slots.get(&number) else { return };
        match self.fault {
            Some((Slip::ChangeTouches(kind, touch), _))
                if change(kind) && self.slips_on(Slip::ChangeTouches(kind, touch), slot) =>
            {
                self.touch(number, touch);
            }
            Some((Slip::ReturningTouches(touch), _)) if was_fired => self.touch(number, touch),
            _ => {}
        }
    }

    /// Changes a slot, as the fault does.
    pub(super) fn touch(&mut self, number: SlotNumber, touch: Touch) {
        let now = self.now;
        let Some(slot) = self.table.slots.get(&number) else { return };
        let (version, etag) = self.next_etag(&slot.properties.clone());
        let default_s = self.present().default.seconds();
        let Some(slot) = self.table.slots.get_mut(&number) else { return };
        touch.apply(slot, now, default_s);
        if touch == Touch::Etag {
            (slot.version, slot.etag) = (version, etag);
        }
        self.arm(number);
    }

    /// Lists all slots.
    pub(super) fn all_numbers(&self) -> Vec<SlotNumber> {
        self.table.slots.keys().copied().collect()
    }
}

impl DefaultLife {
    /// Returns the number of seconds, if it is one.
    pub(super) fn seconds(self) -> Option<i64> {
        if let Self::Seconds(seconds) = self { Some(seconds) } else { None }
    }
}

impl Change {
    /// Returns whether the change is of this kind.
    fn covers(self, before: DefaultLife, after: DefaultLife) -> bool {
        use DefaultLife::{NoDefault, Off, Seconds};
        match (self, before, after) {
            (Self::Raise, Seconds(before_s), Seconds(after_s)) => before_s < after_s,
            (Self::Lower, Seconds(before_s), Seconds(after_s)) => before_s > after_s,
            (Self::Any, ..)
            | (Self::ToOff, _, Off)
            | (Self::FromOff, Off, _)
            | (Self::ToMinusOne, _, NoDefault)
            | (Self::FromMinusOne, NoDefault, _) => true,
            _ => false,
        }
    }
}

impl Touch {
    /// Changes a slot.
    pub(super) fn apply(self, slot: &mut TimerSlot, now: i64, default_s: Option<i64>) {
        match self {
            Self::Ts => (slot.ts, slot.anchor_s) = (now, now),
            Self::ShownTs => slot.ts = now,
            Self::Timer => slot.anchor_s = now,
            Self::Etag => {}
            Self::RemoveTtl => {
                slot.properties.remove("ttl");
                slot.own = OwnLife::Absent;
            }
            Self::WriteDefault => {
                if let (Some(default_s), OwnLife::Absent) = (default_s, slot.own) {
                    slot.properties.insert("ttl".into(), Literal::from(default_s));
                    slot.own = OwnLife::Seconds(default_s);
                }
            }
        }
    }
}
