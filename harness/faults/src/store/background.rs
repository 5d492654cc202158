//! Background removal: sweeps, and timers.

use std::collections::BTreeSet;

use cosmos_ttl_harness::target::Id;

use super::Room;
use super::log::Held;
use crate::freedom::RemovalTime;
use crate::mistake::{Access, Missweep, Mistake, Mistime, Path};

/// The greatest number of milliseconds that a timer of 32 bits takes.
const GREATEST_TIMER_MS: i128 = 2_147_483_647;

impl Room {
    /// Removes an item physically.
    pub(super) fn remove(&mut self, id: &str) {
        self.log.push(id, None, Path::whole(Access::Sweep), self.history.len());
    }

    /// Removes all items of which this holds.
    pub(super) fn remove_where(&mut self, condition: impl Fn(&Held) -> bool) {
        let fits = |held: &Option<Held>| held.as_ref().is_some_and(&condition);
        let ids: Vec<_> = self.log.items().filter(|v| fits(&v.held)).map(|v| v.id.clone()).collect();
        for id in ids {
            self.remove(&id);
        }
    }

    /// Removes expired items, at most so many, the newest first.
    pub(super) fn sweep(&mut self, most: usize) {
        let path = Path::whole(Access::Sweep);
        let mut found: Vec<Id> = self.log.items().map(|version| version.id.clone()).collect();
        found.retain(|id| self.is_expired(id, path));
        found.sort_by_key(|id| std::cmp::Reverse(self.log.number(id)));
        if let Some(Mistake::Sweep(how)) = self.mistake {
            found = self.misswept(how, found);
        }
        for id in found.into_iter().take(most) {
            self.remove(&id);
        }
    }

    /// Returns what a wrong sweep removes.
    fn misswept(&mut self, how: Missweep, expired: Vec<Id>) -> Vec<Id> {
        let stored: Vec<(Id, i128)> =
            self.log.items().filter_map(|v| Some((v.id.clone(), v.held.as_ref()?.ts))).collect();
        let like = |alike: &dyn Fn(&(Id, i128), &Id) -> bool| {
            let hit = stored.iter().filter(|item| expired.iter().any(|id| alike(item, id)));
            hit.map(|(id, _)| id.clone()).collect()
        };
        match how {
            Missweep::Prefix => like(&|(id, _), expired| id.starts_with(expired.as_str())),
            Missweep::SameTs => {
                let ts_of = |id: &Id| stored.iter().find(|(stored, _)| stored == id).map(|(_, ts)| *ts);
                like(&|(_, ts), expired| ts_of(expired) == Some(*ts))
            }
            Missweep::TwoPhases => std::mem::replace(&mut self.found, expired),
            Missweep::Remembers => {
                self.found.extend(expired);
                self.found.clone()
            }
            Missweep::OneMoreAfterOff => expired,
        }
        .into_iter()
        .filter(|id: &Id| stored.iter().any(|(stored, _)| stored == id))
        .collect()
    }

    /// Whether timers remove items.
    fn has_timers(&self) -> bool {
        matches!(self.mistake, Some(Mistake::Timers(_))) || self.freedom.background == RemovalTime::Timers
    }

    fn mistime(&self) -> Option<Mistime> {
        if let Some(Mistake::Timers(how)) = self.mistake { Some(how) } else { None }
    }

    /// Sets the timer of an item that was written.
    pub(super) fn set_timer(&mut self, id: &str, path: Path) {
        if !self.has_timers() {
            return;
        }
        if let Some(Mistime::NotSet(places)) = self.mistime()
            && places.holds(path)
        {
            return;
        }
        self.cancel_timer(id, true);
        let sweep = Path::whole(Access::Sweep);
        let look = self.log.stored(id).and_then(|version| self.look(version, sweep));
        let Some(mut deadline) = look.and_then(|look| look.deadline()) else { return };
        match self.mistime() {
            Some(Mistime::Overflows) if (deadline - self.now) * 1000 > GREATEST_TIMER_MS => {
                deadline = self.now;
            }
            Some(Mistime::OnePerSecond) => self.timers.retain(|(set, _)| *set != deadline),
            _ => {}
        }
        self.timers.insert((deadline, id.into()));
    }

    /// Cancels the timers of an item that was deleted or written again.
    pub(super) fn cancel_timer(&mut self, id: &str, written: bool) {
        match self.mistime() {
            Some(Mistime::NotCancelled) if written => {}
            Some(Mistime::DeleteDoesNotCancel) if !written || self.log.stored(id).is_none() => {}
            Some(Mistime::DeleteDoesNotCancel) => {
                let now = self.log.number(id);
                if self.rewritten(now) {
                    self.timers.retain(|(_, set)| set != id);
                }
            }
            _ => self.timers.retain(|(_, set)| set != id),
        }
    }

    /// Returns whether this version followed another one of a living item.
    fn rewritten(&self, number: usize) -> bool {
        let version = self.log.since(number).first();
        version.is_some_and(|version| self.log.earlier(version).next().is_some())
    }

    /// Sets all timers again after the settings changed.
    pub(super) fn set_all_timers(&mut self) {
        if matches!(self.mistime(), Some(Mistime::SettingsIgnored)) {
            return;
        }
        self.timers = BTreeSet::new();
        let ids: Vec<_> = self.log.items().map(|version| version.id.clone()).collect();
        for id in ids {
            self.set_timer(&id, Path::whole(Access::Settings));
        }
    }

    /// Lets the timers fire that are due.
    pub(super) fn fire_timers(&mut self) {
        while let Some((deadline, id)) = self.timers.first().cloned() {
            if deadline > self.now {
                return;
            }
            self.timers.pop_first();
            if self.log.stored(&id).is_some() {
                self.remove(&id);
            }
        }
    }
}
