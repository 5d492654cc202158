//! The wheel of timers: when an item expires, and the removal of expired items in the background.

use std::collections::BTreeSet;

use cosmos_ttl_harness::target::DEFAULT_PARTITION;

use super::choice::TimerRemoval;
use super::session::TimerSession;
use super::slip::Slip;
use super::slot::{ItemName, SlotNumber, TimerSlot};
use super::value::{DefaultLife, OwnLife, wrapped};

/// Timers in the order in which they fire.
#[derive(Clone, Debug, Default)]
pub(super) struct TimerWheel {
    pub(super) timers: BTreeSet<(i64, SlotNumber)>,
    /// The slots whose timers have fired, for removal.
    pub(super) due: BTreeSet<SlotNumber>,
    /// Of faults: the names of items whose timers have fired.
    due_names: Vec<ItemName>,
    /// Of faults: timers that were not cancelled.
    pub(super) loose: Vec<(i64, ItemName)>,
}

impl TimerSession {
    /// Arms the timer of a slot for its present lifetime.
    pub(super) fn arm(&mut self, number: SlotNumber) {
        let Some(slot) = self.table.slots.get(&number) else { return };
        let deadline = self.deadline(slot).filter(|_| !self.slips_on(Slip::NeverArms, slot));
        let is_full = match self.fault {
            Some((Slip::WheelHolds(most), _)) => self.wheel.timers.len() >= most,
            _ => false,
        };
        let name = slot.name.clone();
        self.disarm(number);
        if let Some(deadline) = deadline {
            let slots = &self.table.slots;
            let is_twin = |twin: SlotNumber| slots.get(&twin).is_some_and(|slot| slot.name.1 == name.1);
            let twins: Vec<_> =
                self.wheel.timers.iter().copied().filter(|timer| timer.0 == deadline).collect();
            for twin in twins {
                let collides = self.slips(Slip::OneTimerForASecond)
                    || self.slips(Slip::OneTimerForSecondAndId) && is_twin(twin.1);
                if collides {
                    self.wheel.timers.remove(&twin);
                }
            }
            if !is_full {
                self.wheel.timers.insert((deadline, number));
            }
        }
        if let Some(slot) = self.table.slots.get_mut(&number) {
            slot.armed_s = deadline;
            slot.is_fired = false;
        }
    }

    /// Cancels the timer of a slot.
    pub(super) fn disarm(&mut self, number: SlotNumber) {
        let armed_s = self.table.slots.get(&number).and_then(|slot| slot.armed_s);
        if let Some(deadline) = armed_s {
            self.wheel.timers.remove(&(deadline, number));
        }
        if !self.slips(Slip::PurgesOldQueue) {
            self.wheel.due.remove(&number);
        }
    }

    /// Returns the second from which on the item is expired, if there is one.
    fn deadline(&self, slot: &TimerSlot) -> Option<i64> {
        let life_s = self.lifetime(slot)?;
        let anchor_s = match self.fault.map(|(slip, _)| slip) {
            Some(Slip::CountsFromBirth) if self.slips_on(Slip::CountsFromBirth, slot) => slot.born_s,
            Some(Slip::CountsFromOpening) if self.slips_on(Slip::CountsFromOpening, slot) => {
                self.choice.start_s
            }
            _ => slot.anchor_s,
        };
        let deadline = anchor_s.saturating_add(life_s);
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips_on(*slip, slot)) else {
            return Some(deadline);
        };
        let i32_max = i64::from(i32::MAX);
        match slip {
            Slip::DeadlineMoves(by_s) => Some(deadline.saturating_add(by_s)),
            Slip::RoundsUp(tick_s) => Some(deadline.saturating_add(tick_s - 1) / tick_s * tick_s),
            Slip::RoundsDown(tick_s) => Some(deadline / tick_s * tick_s),
            Slip::Wraps32 => Some(wrapped(deadline)),
            Slip::WrapsUnsigned32 => Some(deadline.rem_euclid(1 << 32)),
            Slip::Clamps32 => Some(deadline.min(i32_max)),
            Slip::OverflowNever => (deadline <= i32_max).then_some(deadline),
            Slip::Milliseconds32 => {
                Some(anchor_s.saturating_add(wrapped(life_s.saturating_mul(1000)) / 1000))
            }
            Slip::Float24Bits => {
                let unit = (life_s.max(1).ilog2().saturating_sub(23)).min(40);
                Some(anchor_s.saturating_add(life_s >> unit << unit))
            }
            Slip::Horizon(longest_s) => Some(anchor_s.saturating_add(life_s.min(longest_s))),
            Slip::HorizonWraps(longest_s) => Some(anchor_s.saturating_add((life_s - 1) % longest_s + 1)),
            Slip::HorizonNever(longest_s) => (life_s <= longest_s).then_some(deadline),
            Slip::DaysOf(day_s) => {
                Some(if life_s >= day_s { anchor_s.saturating_add(life_s / day_s * day_s) } else { deadline })
            }
            _ => Some(deadline),
        }
    }

    /// Returns how long the item lives under the present setting; `None` if it never expires.
    fn lifetime(&self, slot: &TimerSlot) -> Option<i64> {
        use DefaultLife::{NoDefault, Off, Seconds};
        let default = if self.slips_on(Slip::DefaultOfTheWrite, slot) {
            slot.default_at_write
        } else {
            self.present().default
        };
        let slips = |slip| self.slips_on(slip, slot);
        match (default, slot.own) {
            (Off, OwnLife::Seconds(own_s)) if slips(Slip::OffHonoursTtl) => Some(own_s),
            (Off, OwnLife::Absent) if slips(Slip::OffKeepsDefault) => self.last_default_s(),
            (Off, _) => None,
            (_, OwnLife::Seconds(_)) if slips(Slip::TtlIsNever) => None,
            (NoDefault, OwnLife::Seconds(_)) if slips(Slip::TtlIgnored) => None,
            (Seconds(default_s), OwnLife::Seconds(_)) if slips(Slip::TtlIgnored) => Some(default_s),
            (Seconds(default_s), OwnLife::Seconds(own_s)) if slips(Slip::ShorterWins) => {
                Some(own_s.min(default_s))
            }
            (Seconds(default_s), OwnLife::Seconds(own_s)) if slips(Slip::LongerWins) => {
                Some(own_s.max(default_s))
            }
            (Seconds(default_s), OwnLife::Seconds(own_s)) if slips(Slip::TtlIsAdded) => {
                Some(own_s + default_s)
            }
            (_, OwnLife::Seconds(own_s)) => Some(own_s),
            (Seconds(default_s), OwnLife::Never) if slips(Slip::MinusOneInherits) => Some(default_s),
            (_, OwnLife::Never) => None,
            (Seconds(_), _) if slips(Slip::AbsentIsNever) => None,
            (Seconds(default_s), _) => Some(default_s),
            (NoDefault, _) if slips(Slip::NoDefaultKeepsDefault) => self.last_default_s(),
            (NoDefault, _) => None,
        }
    }

    /// Fires all timers whose second has come.
    pub(super) fn turn(&mut self) {
        let mut fired = 0;
        let mut second = None;
        while let Some(&(deadline, number)) = self.wheel.timers.first() {
            let stops = deadline > self.now
                || matches!(self.fault, Some((Slip::TurnFires(most), _)) if fired >= most)
                || self.slips(Slip::TurnFiresOneSecond) && second.is_some_and(|second| second != deadline);
            if stops {
                break;
            }
            self.wheel.timers.pop_first();
            (fired, second) = (fired + 1, Some(deadline));
            self.fire(number);
        }
        let now = self.now;
        let (loose, waiting) =
            std::mem::take(&mut self.wheel.loose).into_iter().partition(|(at, _)| *at <= now);
        self.wheel.loose = waiting;
        for (_, name) in Vec::from_iter::<Vec<(i64, ItemName)>>(loose) {
            if let Some(number) = self.table.names.get(&name).copied() {
                self.fire(number);
            }
        }
    }

    fn fire(&mut self, number: SlotNumber) {
        let Some(name) = self.table.slots.get(&number).map(|slot| slot.name.clone()) else { return };
        if self.slips(Slip::FiresOnlyDefaultPartition) && name.0 != DEFAULT_PARTITION {
            return;
        }
        let mut all = vec![number];
        if self.slips(Slip::FiresNamesakes) {
            all = self.table.namesakes(&name.1);
        }
        if self.slips(Slip::FiringLeavesFeed)
            && let Some(feed) = self.table.feeds.get_mut(&name.0)
        {
            feed.remove(&number);
        }
        for number in all {
            if let Some(slot) = self.table.slots.get_mut(&number) {
                slot.is_fired = true;
                self.wheel.due.insert(number);
            }
        }
        self.wheel.due_names.push(name);
    }

    /// Removes every item that is expired.
    pub(super) fn purge_now(&mut self) {
        self.turn();
        for number in std::mem::take(&mut self.wheel.due) {
            let is_expired = self.table.slots.get(&number).is_some_and(|slot| slot.is_fired);
            if is_expired || self.slips(Slip::PurgesOldQueue) {
                self.remove(number);
            }
        }
        for number in self.wrongly_purged() {
            self.remove(number);
        }
        self.wheel.due_names.clear();
        if self.slips(Slip::PurgeDisarms) {
            self.wheel.timers.clear();
        }
        if self.slips(Slip::PurgeTouches) {
            let now = self.now;
            self.table.slots.values_mut().for_each(|slot| slot.ts = now);
        }
    }

    fn remove(&mut self, number: SlotNumber) {
        self.disarm(number);
        let Some(slot) = self.table.unlink(number) else { return };
        if self.slips(Slip::PurgeLeavesFeed) {
            self.phantoms.push(slot.name.clone());
        }
        if self.slips(Slip::PurgeTakesNamesakes) {
            for namesake in self.table.namesakes(&slot.name.1) {
                self.disarm(namesake);
                self.table.unlink(namesake);
            }
        }
        if self.slips(Slip::PurgeTakesNeighbour) {
            let next =
                self.table.feeds.get(&slot.name.0).and_then(|feed| feed.range(number..).next().copied());
            if let Some(next) = next {
                self.disarm(next);
                self.table.unlink(next);
            }
        }
        self.removed.insert(slot.name);
    }

    /// Lists the visible items that the fault removes.
    fn wrongly_purged(&self) -> Vec<SlotNumber> {
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips(*slip)) else { return Vec::new() };
        if slip == Slip::PurgesByName {
            return self
                .wheel
                .due_names
                .iter()
                .filter_map(|name| self.table.names.get(name))
                .copied()
                .collect();
        }
        let default_s = match (slip, self.present().default) {
            (Slip::PurgesByDefault, DefaultLife::Seconds(default_s)) => Some(default_s),
            (Slip::PurgesByOldDefault, _) => self.last_default_s(),
            _ => None,
        };
        let is_off = self.present().default == DefaultLife::Off;
        let is_purged = |slot: &TimerSlot| {
            let age_s = self.now.saturating_sub(slot.ts);
            match (slip, slot.own) {
                (Slip::PurgesAhead(by_s), _) => {
                    slot.armed_s.is_some_and(|at| at <= self.now.saturating_add(by_s))
                }
                (Slip::PurgesByDefault, OwnLife::Never | OwnLife::Seconds(_))
                | (Slip::PurgesByOldDefault, OwnLife::Absent) => default_s.is_some_and(|life| life <= age_s),
                (Slip::PurgesWhileOff, OwnLife::Seconds(own_s)) => is_off && own_s <= age_s,
                _ => false,
            }
        };
        let purged = self.table.slots.iter().filter(|(_, slot)| is_purged(slot));
        purged.map(|(number, _)| *number).collect()
    }

    /// Removes expired items as the store itself decides, before a request.
    pub(super) fn purge_by_itself(&mut self) {
        match self.choice.removal {
            TimerRemoval::OwnEager => self.purge_now(),
            TimerRemoval::OwnSlow if self.requests.is_multiple_of(3) => {
                self.turn();
                if let Some(number) = self.wheel.due.pop_first() {
                    self.remove(number);
                }
            }
            TimerRemoval::OwnByTheClock if self.now % 3 == 0 => {
                self.turn();
                if let Some(number) = self.wheel.due.pop_last() {
                    self.remove(number);
                }
            }
            _ => {}
        }
    }
}
