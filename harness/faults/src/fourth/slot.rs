//! Slots of items, the index of identities and the feeds that point to them.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Etag, Id, Item, PartitionKey, Properties};

use super::choice::EtagForm;
use super::session::TimerSession;
use super::slip::Slip;
use super::value::{DefaultLife, OwnLife};

/// The number of a slot; a later slot has a greater one.
pub(super) type SlotNumber = u64;

/// A partition key and an id.
pub(super) type ItemName = (PartitionKey, Id);

/// An item as it is stored.
#[derive(Clone, Debug)]
pub(super) struct TimerSlot {
    pub(super) name: ItemName,
    pub(super) properties: Properties,
    pub(super) own: OwnLife,
    pub(super) ts: i64,
    /// The number of the write.
    pub(super) version: u64,
    pub(super) etag: Etag,
    /// The second from which its timer counts; it is `ts`, except in faults.
    pub(super) anchor_s: i64,
    pub(super) born_s: i64,
    /// The setting when it was written.
    pub(super) default_at_write: DefaultLife,
    /// When its timer fires.
    pub(super) armed_s: Option<i64>,
    /// Whether its timer has fired: it is expired.
    pub(super) is_fired: bool,
    /// Whether a change of the settings has passed it over.
    pub(super) is_passed_over: bool,
}

/// All slots, and what points to them.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotTable {
    pub(super) slots: BTreeMap<SlotNumber, TimerSlot>,
    pub(super) names: BTreeMap<ItemName, SlotNumber>,
    pub(super) feeds: BTreeMap<PartitionKey, BTreeSet<SlotNumber>>,
    next: SlotNumber,
}

impl SlotTable {
    /// Returns the next number.
    pub(super) fn number(&mut self) -> SlotNumber {
        self.next += 1;
        self.next
    }

    /// Stores a slot and points to it.
    pub(super) fn link(&mut self, number: SlotNumber, slot: TimerSlot) {
        self.names.insert(slot.name.clone(), number);
        self.feeds.entry(slot.name.0.clone()).or_default().insert(number);
        self.slots.insert(number, slot);
    }

    /// Removes a slot and what points to it.
    pub(super) fn unlink(&mut self, number: SlotNumber) -> Option<TimerSlot> {
        let slot = self.slots.remove(&number)?;
        if self.names.get(&slot.name) == Some(&number) {
            self.names.remove(&slot.name);
        }
        if let Some(feed) = self.feeds.get_mut(&slot.name.0) {
            feed.remove(&number);
        }
        Some(slot)
    }

    /// Returns the numbers of the slots with an id, in every partition.
    pub(super) fn namesakes(&self, id: &str) -> Vec<SlotNumber> {
        self.names.iter().filter(|(name, _)| name.1 == id).map(|(_, number)| *number).collect()
    }
}

impl TimerSession {
    /// Returns a new etag for a write.
    pub(super) fn next_etag(&mut self, properties: &Properties) -> (u64, Etag) {
        self.writes += 1;
        let write = self.writes;
        let etag = match self.choice.etags {
            _ if self.slips(Slip::EtagIsContent) => format!("\"{properties:?}\""),
            EtagForm::Quoted | EtagForm::Hidden => format!("\"{write}\""),
            EtagForm::Guid => {
                format!("\"{:08x}-0000-4000-8000-{write:012x}\"", write * 2_654_435_761 % (1 << 32))
            }
            EtagForm::Weak => format!("W/\"{}.{write}\"", self.now),
            EtagForm::Falling => format!("e{}", u64::MAX - write),
        };
        (write, etag)
    }

    /// Returns an item as answers show it.
    pub(super) fn shown(&self, number: SlotNumber) -> Option<Item> {
        let slot = self.table.slots.get(&number)?;
        let mut properties = slot.properties.clone();
        self.show_wrongly(slot, &mut properties);
        if self.choice.shows_rid
            && let Ok(rid) = Literal::parse(&format!("\"r{number}==\""))
        {
            properties.insert("_rid".into(), rid);
        }
        let ts = match slot.ts {
            ts if self.slips_on(Slip::ShowsMilliseconds, slot) => ts.saturating_mul(1000),
            ts => ts,
        };
        Some(Item {
            document: Document { id: slot.name.1.clone(), properties },
            ts: self.choice.shows_ts.then_some(ts),
            etag: (self.choice.etags != EtagForm::Hidden).then(|| slot.etag.clone()),
        })
    }

    /// Changes what an answer shows, as the fault does.
    fn show_wrongly(&self, slot: &TimerSlot, properties: &mut Properties) {
        let mut show = |seconds: i64| properties.insert("ttl".into(), Literal::from(seconds));
        match (self.present().default, slot.own) {
            (DefaultLife::Seconds(default_s), OwnLife::Absent) if self.slips(Slip::ShowsDefault) => {
                show(default_s);
            }
            (DefaultLife::NoDefault, OwnLife::Absent) if self.slips(Slip::ShowsMinusOne) => {
                show(-1);
            }
            (DefaultLife::Seconds(default_s), OwnLife::Seconds(own_s)) if self.slips(Slip::ShowsShorter) => {
                show(default_s.min(own_s));
            }
            (_, OwnLife::Seconds(_)) if self.slips(Slip::ShowsRemaining) => {
                show(slot.armed_s.unwrap_or(self.now).saturating_sub(self.now));
            }
            (_, OwnLife::Never) if self.slips(Slip::HidesMinusOne) => {
                properties.remove("ttl");
            }
            (_, OwnLife::Seconds(own_s)) if self.slips(Slip::ShowsText) => {
                if let Ok(text) = Literal::parse(&format!("\"{own_s}\"")) {
                    properties.insert("ttl".into(), text);
                }
            }
            (_, OwnLife::Seconds(_) | OwnLife::Never) if self.slips(Slip::HidesTtl) => {
                properties.remove("ttl");
            }
            _ => {}
        }
        if let Some((Slip::PartsExpire, _)) = self.fault {
            let age_s = self.now.saturating_sub(slot.ts);
            properties.retain(|name, value| {
                let nested = serde_json::from_str::<serde_json::Value>(value.as_str()).unwrap_or_default();
                let ttl = nested.get("ttl").and_then(serde_json::Value::as_i64);
                name == "ttl" || ttl.is_none_or(|ttl| age_s < ttl)
            });
        }
    }
}
