//! Operations on one item.

use cosmos_ttl_harness::target::{Document, Etag, Operation, Patch, Properties, Response, Status};

use super::choice::{ExpiredChoice, RefusalOrder};
use super::scope::TimerPath;
use super::session::TimerSession;
use super::slip::Slip;
use super::slot::{ItemName, SlotNumber, TimerSlot};
use super::value::OwnLife;

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Expired(SlotNumber),
    Living(SlotNumber),
}

impl TimerSession {
    /// Answers an operation outside a batch.
    pub(super) fn answer(&mut self, operation: &Operation) -> Response {
        match self.apply(operation) {
            Err(refusal) => Response::new(refusal),
            Ok((status, number)) => {
                let shows = self.choice.echoes_writes || !operation.is_write();
                let item = number.filter(|_| shows).and_then(|number| self.shown(number));
                item.map_or_else(|| Response::new(status), |item| Response::item(status, item))
            }
        }
    }

    /// Applies an operation; returns its status and the slot that an answer shows.
    pub(super) fn apply(&mut self, operation: &Operation) -> Result<(Status, Option<SlotNumber>), Status> {
        let outcome = match operation {
            Operation::Create(document) => self.create(document),
            Operation::Upsert(document) => self.upsert(document),
            Operation::Replace(document, etag) => self.replace(document, etag.as_ref()),
            Operation::Patch(patch, etag) => self.patch(patch, etag.as_ref()),
            Operation::Read(id) => self.read(id),
            Operation::Delete(id, etag) => self.delete(id, etag.as_ref()),
        };
        if let Err(refusal) = outcome {
            self.refuse(operation, refusal);
        }
        outcome
    }

    /// Returns the name of an item in the request's partition.
    pub(super) fn name(&self, id: &str) -> ItemName {
        (self.partition.clone(), id.to_owned())
    }

    /// Returns whether a client may see the slot.
    pub(super) fn is_visible(&self, slot: &TimerSlot) -> bool {
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips_on(*slip, slot)) else {
            return !slot.is_fired;
        };
        let left_s = slot.armed_s.map(|at| at.saturating_sub(self.now));
        match slip {
            Slip::SeesExpired => true,
            Slip::Lingers(by_s) => {
                !slot.is_fired || left_s.is_some_and(|left_s| left_s.saturating_add(by_s) > 0)
            }
            Slip::HidesAhead(by_s) => !slot.is_fired && left_s.is_none_or(|left_s| left_s > by_s),
            _ => !slot.is_fired,
        }
    }

    fn find(&self, id: &str) -> Found {
        let name = self.name(id);
        let own = self.table.names.get(&name).copied();
        let foreign = || self.table.namesakes(id).first().copied();
        let number = if self.slips(Slip::FindsNamesakes) { own.or_else(foreign) } else { own };
        match number.and_then(|number| Some((number, self.table.slots.get(&number)?))) {
            None => Found::Nothing,
            Some((number, slot)) if self.is_visible(slot) => Found::Living(number),
            Some((number, _)) => Found::Expired(number),
        }
    }

    /// Finds the living item of a read, replace, patch or delete.
    fn living(&mut self, id: &str, etag: Option<&Etag>) -> Result<SlotNumber, Status> {
        match self.find(id) {
            Found::Living(number) => {
                let slot = self.table.slots.get(&number);
                let holds = etag.is_none_or(|etag| slot.is_some_and(|slot| slot.etag == *etag));
                if holds { Ok(number) } else { Err(Status::PreconditionFailed) }
            }
            Found::Expired(_) => {
                let is_stored = self.choose(self.choice.guard_of_expired) && etag.is_some();
                let usual = if is_stored { Status::PreconditionFailed } else { Status::NotFound };
                Err(self.wrong_answer().unwrap_or(usual))
            }
            Found::Nothing => Err(Status::NotFound),
        }
    }

    /// Returns the status that the fault gives of an expired item.
    fn wrong_answer(&self) -> Option<Status> {
        match self.fault {
            Some((Slip::ExpiredAnswers(status), _)) if self.slips(Slip::ExpiredAnswers(status)) => {
                Some(status)
            }
            _ => None,
        }
    }

    /// Returns whether an answer about an expired item treats it as stored.
    pub(super) fn choose(&mut self, choice: ExpiredChoice) -> bool {
        self.answers_about_expired += 1;
        match choice {
            ExpiredChoice::Absent => false,
            ExpiredChoice::Stored => true,
            ExpiredChoice::InTurn => self.answers_about_expired.is_multiple_of(2),
        }
    }

    /// Returns what the value and the item allow, or the refusal that comes first.
    fn agreed<I>(
        &self,
        value: Result<OwnLife, Status>,
        item: Result<I, Status>,
    ) -> Result<(OwnLife, I), Status> {
        if self.choice.refusals == RefusalOrder::ItemFirst {
            let item = item?;
            return Ok((value?, item));
        }
        Ok((value?, item?))
    }

    fn create(&mut self, document: &Document) -> Result<(Status, Option<SlotNumber>), Status> {
        let value = self.own_life(&document.properties);
        let name = self.name(&document.id);
        let found = self.find(&document.id);
        let keeps_names = self.slips(Slip::PurgeKeepsName) || self.slips(Slip::AbortLeavesName);
        let is_taken = matches!(found, Found::Living(_))
            || keeps_names && found == Found::Nothing && self.removed.contains(&name);
        let (own, ()) = self.agreed(value, if is_taken { Err(Status::Conflict) } else { Ok(()) })?;
        if matches!(found, Found::Expired(_))
            && let Some(answer) = self.wrong_answer()
        {
            return Err(answer);
        }
        let number = self.write_new(name, &document.properties, own);
        Ok((Status::Created, Some(number)))
    }

    fn upsert(&mut self, document: &Document) -> Result<(Status, Option<SlotNumber>), Status> {
        let own = self.own_life(&document.properties)?;
        match self.find(&document.id) {
            Found::Living(number) => {
                self.rewrite(number, document.properties.clone(), own);
                Ok((Status::Ok, Some(number)))
            }
            found => {
                let is_stored = matches!(found, Found::Expired(_));
                if is_stored && let Some(answer) = self.wrong_answer() {
                    return Err(answer);
                }
                let number = self.write_new(self.name(&document.id), &document.properties, own);
                let replaces = is_stored && self.choose(self.choice.upsert_over_expired);
                Ok((if replaces { Status::Ok } else { Status::Created }, Some(number)))
            }
        }
    }

    fn replace(
        &mut self,
        document: &Document,
        etag: Option<&Etag>,
    ) -> Result<(Status, Option<SlotNumber>), Status> {
        let value = self.own_life(&document.properties);
        let item = self.living(&document.id, etag);
        let (own, number) = self.agreed(value, item)?;
        self.rewrite(number, document.properties.clone(), own);
        Ok((Status::Ok, Some(number)))
    }

    fn patch(&mut self, patch: &Patch, etag: Option<&Etag>) -> Result<(Status, Option<SlotNumber>), Status> {
        let sets = patch.set.contains_key("ttl") || matches!(self.fault, Some((Slip::OtherNameCounts(_), _)));
        let value = if sets { self.own_life(&patch.set) } else { Ok(OwnLife::Absent) };
        let item = self.living(&patch.id, etag);
        let (set, number) = self.agreed(value, item)?;
        let Some(slot) = self.table.slots.get(&number) else { return Err(Status::NotFound) };
        let mut properties = slot.properties.clone();
        properties.extend(patch.set.clone());
        properties.retain(|name, _| !patch.remove.contains(name));
        let removes = patch.remove.iter().any(|name| name == "ttl");
        let own = match set {
            _ if removes => OwnLife::Absent,
            OwnLife::Absent if !patch.set.contains_key("ttl") => slot.own,
            set => set,
        };
        let own = match own {
            _ if removes && self.slips(Slip::RemovedTtlStays) => slot.own,
            _ if removes && self.slips(Slip::RemovedTtlIsNever) => OwnLife::Never,
            _ if patch.set.contains_key("ttl") && self.slips(Slip::PatchedTtlIgnored) => slot.own,
            _ if !sets && !removes && self.slips(Slip::PatchDropsTtl) => {
                properties.remove("ttl");
                OwnLife::Absent
            }
            own => own,
        };
        let (ts, anchor_s) = (slot.ts, slot.anchor_s);
        self.rewrite(number, properties, own);
        if !self.choice.patch_restarts && !sets && !removes {
            if let Some(slot) = self.table.slots.get_mut(&number) {
                (slot.ts, slot.anchor_s) = (ts, anchor_s);
            }
            self.arm(number);
        }
        Ok((Status::Ok, Some(number)))
    }

    fn read(&mut self, id: &str) -> Result<(Status, Option<SlotNumber>), Status> {
        let number = self.living(id, None)?;
        self.observe(number);
        Ok((Status::Found, Some(number)))
    }

    /// Does what the fault does with an item that a client sees.
    pub(super) fn observe(&mut self, number: SlotNumber) {
        if let Some((Slip::ReadTouches(touch), _)) = self.fault
            && self.table.slots.get(&number).is_some_and(|slot| self.slips_on(Slip::ReadTouches(touch), slot))
        {
            self.touch(number, touch);
        }
    }

    fn delete(&mut self, id: &str, etag: Option<&Etag>) -> Result<(Status, Option<SlotNumber>), Status> {
        let number = self.living(id, etag)?;
        self.note(number);
        if self.slips(Slip::DeleteOnlyExpires) {
            if let Some(slot) = self.table.slots.get_mut(&number) {
                slot.is_fired = true;
            }
            return Ok((Status::NoContent, None));
        }
        let is_loose = self.slips(Slip::DeleteLeavesTimer);
        let takes_all = self.slips(Slip::DeleteTakesNamesakes);
        for number in if takes_all { self.table.namesakes(id) } else { vec![number] } {
            self.disarm(number);
            let Some(slot) = self.table.unlink(number) else { continue };
            if let Some(armed_s) = slot.armed_s.filter(|_| is_loose) {
                self.wheel.loose.push((armed_s, slot.name.clone()));
            }
        }
        Ok((Status::NoContent, None))
    }

    /// Does what the fault does with the item of a refused operation.
    fn refuse(&mut self, operation: &Operation, refusal: Status) {
        let name = self.name(operation.id());
        let Some(number) = self.table.names.get(&name).copied() else {
            self.refuse_new(operation, refusal);
            return;
        };
        let Some(slot) = self.table.slots.get(&number) else { return };
        let Some((slip, _)) = self.fault.filter(|(slip, _)| self.slips_on(*slip, slot)) else { return };
        match slip {
            Slip::RefusedTouches(status, touch) if status == refusal => self.touch(number, touch),
            Slip::RefusedRemoves(status) if status == refusal => {
                self.disarm(number);
                self.table.unlink(number);
            }
            Slip::RefusedDisarms(status) if status == refusal => self.disarm(number),
            Slip::RefusedStores(status) if status == refusal => {
                let Some(properties) = operation.properties() else { return };
                let mut merged = if self.call.path == TimerPath::Patch {
                    slot.properties.clone()
                } else {
                    Properties::new()
                };
                merged.extend(properties.clone().into_iter().filter(|(name, _)| name != "ttl"));
                self.rewrite(number, merged, OwnLife::Absent);
            }
            _ => {}
        }
    }

    /// Stores the item of a refused operation, as the fault does.
    fn refuse_new(&mut self, operation: &Operation, refusal: Status) {
        let stores = refusal == Status::BadRequest && self.slips(Slip::RefusedNewAppears);
        if let Some(properties) = operation.properties().filter(|_| stores) {
            let mut properties = properties.clone();
            properties.remove("ttl");
            self.write_new(self.name(operation.id()), &properties, OwnLife::Absent);
        }
    }
}
