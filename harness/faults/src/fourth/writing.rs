//! Writes of slots: what is stored, and how the timer starts.

use cosmos_ttl_harness::target::Properties;

use super::session::TimerSession;
use super::slip::Slip;
use super::slot::{ItemName, SlotNumber, TimerSlot};
use super::value::OwnLife;

/// The properties that only the store sets.
const SYSTEM: [&str; 2] = ["_ts", "_etag"];

impl TimerSession {
    /// Notes a slot in the journal, before it changes.
    pub(super) fn note(&mut self, number: SlotNumber) {
        let before = self.table.slots.get(&number).cloned();
        if let Some(journal) = &mut self.journal {
            journal.push((number, before));
        }
    }

    /// Returns the second of a write.
    fn stamp(&self, properties: &Properties, before: Option<&TimerSlot>) -> i64 {
        let sent = || properties.get("_ts").and_then(|literal| literal.as_str().parse().ok());
        match self.fault.map(|(slip, _)| slip) {
            Some(Slip::ClientSetsTs) if self.slips(Slip::ClientSetsTs) => sent().unwrap_or(self.now),
            Some(Slip::StampsAhead(by_s)) if self.slips(Slip::StampsAhead(by_s)) => {
                self.now.saturating_add(by_s)
            }
            Some(Slip::StampsMinutes) if self.slips(Slip::StampsMinutes) => self.now / 60 * 60,
            Some(Slip::TsStays) if self.slips(Slip::TsStays) => before.map_or(self.now, |slot| slot.ts),
            _ => self.now,
        }
    }

    /// Stores a new item; an expired one under its name goes.
    pub(super) fn write_new(&mut self, name: ItemName, properties: &Properties, own: OwnLife) -> SlotNumber {
        let old_number = self.table.names.get(&name).copied();
        let old = old_number.and_then(|number| {
            self.note(number);
            self.disarm(number);
            self.table.unlink(number)
        });
        let mut properties = properties.clone();
        let (ts, anchor_s) = (self.stamp(&properties, None), self.anchor(&properties, None));
        properties.retain(|name, _| !SYSTEM.contains(&name.as_str()));
        let (version, etag) = self.next_etag(&properties);
        let default_at_write = self.present().default;
        let mut slot = TimerSlot {
            name,
            properties,
            own,
            ts,
            version,
            etag,
            anchor_s,
            born_s: self.now,
            default_at_write,
            armed_s: None,
            is_fired: false,
            is_passed_over: false,
        };
        let mut stays_fired = false;
        if let (Some(old), Some((slip, _))) = (old, self.fault.filter(|(slip, _)| self.slips(*slip))) {
            match slip {
                Slip::ExpiredLeavesTtl if own == OwnLife::Absent => {
                    slot.own = old.own;
                    slot.properties
                        .extend(old.properties.get("ttl").cloned().map(|ttl| ("ttl".to_owned(), ttl)));
                }
                Slip::ExpiredLeavesHiddenTtl if own == OwnLife::Absent => slot.own = old.own,
                Slip::ExpiredLeavesProperties => {
                    let rest = old.properties.into_iter().filter(|(name, _)| name != "ttl");
                    rest.for_each(|(name, value)| {
                        slot.properties.entry(name).or_insert(value);
                    });
                }
                Slip::ExpiredLeavesTs => slot.ts = old.ts,
                Slip::ExpiredLeavesEtag => slot.etag = old.etag,
                Slip::ExpiredLeavesTimer => stays_fired = true,
                _ => {}
            }
        }
        self.store_wrongly(&mut slot);
        let number = self.table.number();
        self.note(number);
        self.table.link(number, slot);
        self.arm(number);
        if let Some(slot) = self.table.slots.get_mut(&number).filter(|_| stays_fired) {
            slot.is_fired = true;
        }
        number
    }

    /// Writes a living item, and starts its timer again.
    pub(super) fn rewrite(&mut self, number: SlotNumber, mut properties: Properties, own: OwnLife) {
        self.note(number);
        let Some(old) = self.table.slots.get(&number).cloned() else { return };
        let (ts, anchor_s) = (self.stamp(&properties, Some(&old)), self.anchor(&properties, Some(&old)));
        properties.retain(|name, _| !SYSTEM.contains(&name.as_str()));
        let (version, etag) = self.next_etag(&properties);
        let is_same = properties == old.properties;
        let mut slot = TimerSlot {
            properties,
            own,
            ts,
            version,
            etag,
            anchor_s,
            default_at_write: self.present().default,
            ..old.clone()
        };
        if own == OwnLife::Absent && self.slips(Slip::LeftOutTtlStays) {
            slot.own = old.own;
            slot.properties.extend(old.properties.get("ttl").cloned().map(|ttl| ("ttl".to_owned(), ttl)));
        }
        if own == OwnLife::Absent && self.slips(Slip::LeftOutTtlStaysHidden) {
            slot.own = old.own;
        }
        self.store_wrongly(&mut slot);
        let is_same_life = slot.own == old.own;
        self.disarm(number);
        self.table.slots.insert(number, slot);
        self.arm(number);
        let Some(slot) = self.table.slots.get(&number) else { return };
        let (before, after) = (old.armed_s, slot.armed_s);
        let keeps = match self.fault {
            None => false,
            Some((slip, _)) => {
                self.slips_on(slip, slot)
                    && match slip {
                        Slip::RewriteKeepsTimer => true,
                        Slip::SameContentKeepsTimer => is_same,
                        Slip::SameTtlKeepsTimer => is_same_life,
                        Slip::OtherTtlKeepsTimer => !is_same_life,
                        Slip::OnlyLaterTimerCounts => {
                            before.is_some_and(|before| after.is_some_and(|after| after < before))
                        }
                        Slip::OnlyEarlierTimerCounts => {
                            before.is_some_and(|before| after.is_none_or(|after| after > before))
                        }
                        Slip::TimerSurvivesMinusOne => after.is_none(),
                        _ => false,
                    }
            }
        };
        if keeps {
            self.disarm(number);
            if let Some(slot) = self.table.slots.get_mut(&number) {
                slot.armed_s = before;
                slot.anchor_s = old.anchor_s;
            }
            self.wheel.timers.extend(before.map(|before| (before, number)));
        } else if self.slips(Slip::RewriteLeavesTimer) {
            self.wheel.loose.extend(before.map(|before| (before, old.name)));
        }
    }

    /// Returns the second from which the timer of a written item counts.
    fn anchor(&self, properties: &Properties, old: Option<&TimerSlot>) -> i64 {
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips(*slip)) else { return self.now };
        let sent = properties.get("_ts").and_then(|literal| literal.as_str().parse().ok());
        match slip {
            Slip::ClientSetsTs | Slip::ClientSetsAnchor => sent.unwrap_or(self.now),
            Slip::StampsMinutes => self.now / 60 * 60,
            Slip::AddsToTheRest => old.and_then(|old| old.armed_s).unwrap_or(self.now),
            Slip::TimerCountsFromChange => self.applied.at_s,
            _ => self.now,
        }
    }

    /// Changes what is stored of a written item, as the fault does.
    fn store_wrongly(&self, slot: &mut TimerSlot) {
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips_on(*slip, slot)) else { return };
        match slip {
            Slip::StoresTouched(touch) => touch.apply(slot, self.now, self.present().default.seconds()),
            Slip::StoresWithoutTtl => {
                slot.properties.remove("ttl");
            }
            _ => {}
        }
    }
}
