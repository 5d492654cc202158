//! Execution of plans, and the journal by which a batch undoes itself.

use cosmos_ttl_harness::target::{Document, Item, Operation, Response, Status};

use super::correct::QuernFreedom::*;
use super::life::{QuernLife, QuernMode, cut_to_24_bits};
use super::plan::{QuernDraft, QuernPlan, QuernScene, QuernVerb};
use super::session::QuernSession;
use super::slips::QuernSlip::*;
use super::table::QuernRow;

/// What an operation came to, and the document that its answer shows.
struct QuernDone {
    status: Status,
    shown: Option<u64>,
}

/// Documents as they were before each step: `None` where there was none.
type QuernJournal = Vec<(u64, Option<QuernRow>)>;

impl QuernSession {
    pub(super) fn run_item(&mut self, operation: &Operation, partition: &str) -> Response {
        let scene = self.scene(operation, partition, self.now, false);
        match self.plan(operation, &scene) {
            Ok(plan) => {
                let done = self.execute(plan, &scene, &mut Vec::new());
                let item = done.shown.and_then(|number| self.shown(number));
                match item {
                    Some(item) => Response::item(done.status, item),
                    None => Response::new(done.status),
                }
            }
            Err(status) => {
                self.spoil(operation, &scene, status);
                if self.store.may(SweepsWhatIsTouched) {
                    self.sweep_touched(&scene);
                }
                Response::new(status)
            }
        }
    }

    fn scene(&self, operation: &Operation, partition: &str, instant: i64, is_batch: bool) -> QuernScene {
        let key = self.key(partition, operation.id());
        QuernScene { partition: partition.to_owned(), key, instant, is_batch }
    }

    /// Removes the item that a refused operation was about, if it is expired.
    fn sweep_touched(&mut self, scene: &QuernScene) {
        if let Some(number) = self.table.find(&scene.key).filter(|number| self.is_expired(*number, self.now))
        {
            self.table.take(number);
        }
    }

    pub(super) fn run_batch(&mut self, operations: &[Operation], partition: &str) -> Response {
        let instant = match self.store.slip {
            Some(BatchInstantCached) => *self.memo.batch_instant.get_or_insert(self.now),
            _ => self.now,
        };
        if let Some(at) = self.first_blamed(operations) {
            return Response::aborted(Status::BadRequest, at);
        }
        let mut journal = Vec::new();
        let mut statuses = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            let scene = self.scene(operation, partition, instant, true);
            match self.plan(operation, &scene) {
                Ok(plan) => statuses.push(self.execute(plan, &scene, &mut journal).status),
                Err(status) => {
                    if status != Status::PreconditionFailed || !self.store.slips(PreconditionSkipsRollback) {
                        self.roll_back(journal, instant);
                    }
                    return Response::aborted(status, at);
                }
            }
        }
        Response::committed(statuses)
    }

    /// A store may check the values of a batch before anything else; which value it blames is free too.
    fn first_blamed(&self, operations: &[Operation]) -> Option<usize> {
        let mut wrong = operations.iter().enumerate().filter(|(_, operation)| {
            let properties = operation.properties();
            properties.is_some_and(|sent| self.life_of(QuernVerb::Create, sent, None).is_err())
        });
        match self.store.freedom {
            Some(BatchValuesFirst) => wrong.next().map(|(at, _)| at),
            Some(BatchBlamesLastValue) => wrong.next_back().map(|(at, _)| at),
            _ => None,
        }
    }

    fn roll_back(&mut self, mut journal: QuernJournal, instant: i64) {
        // The last step is undone first, so that the oldest state of a document stays.
        if !self.store.slips(RollbackForward) {
            journal.reverse();
        }
        for (number, before) in journal {
            match before {
                Some(mut row) => {
                    if self.store.slips(RollbackRestartsCount) {
                        row.ts = instant;
                        row.due = self.store.deadline(row.life, row.ts, self.mode());
                    }
                    // The mistake holds that a deadline in the past is of no more use.
                    if self.store.slips(RolledBackExpiryReturns) {
                        row.due = row.due.filter(|due| *due > instant);
                    }
                    self.table.put(number, row);
                }
                None if self.store.slips(RollbackKeepsInserts) => {}
                None => {
                    self.table.take(number);
                }
            }
        }
    }

    fn execute(&mut self, plan: QuernPlan, scene: &QuernScene, journal: &mut QuernJournal) -> QuernDone {
        match plan {
            QuernPlan::Keep(number) => QuernDone { status: Status::Ok, shown: Some(number) },
            QuernPlan::Show(number) => {
                if scene.is_batch && self.store.slips(BatchReadTouches) {
                    self.touch(number, scene.instant);
                } else if !scene.is_batch && self.store.slips(ReadSlides) {
                    let row = self.table.row(number);
                    let due = row.and_then(|row| self.store.deadline(row.life, scene.instant, self.mode()));
                    self.table.set_due(number, due);
                }
                QuernDone { status: Status::Found, shown: Some(number) }
            }
            QuernPlan::Erase(number) => {
                journal.push((number, self.table.row(number).cloned()));
                match self.store.slip {
                    Some(DeleteIsAnEarlyDeadline) => self.table.set_due(number, Some(scene.instant)),
                    Some(DeleteLeavesDue) => {
                        self.table.take_but_deadline(number);
                    }
                    _ => {
                        self.table.take(number);
                    }
                }
                QuernDone { status: Status::NoContent, shown: None }
            }
            QuernPlan::Insert(draft, over) => self.insert(draft, over, scene, journal),
            QuernPlan::Overwrite(draft, number) => self.overwrite(draft, number, scene, journal),
        }
    }

    fn insert(
        &mut self,
        draft: QuernDraft,
        over: Option<u64>,
        scene: &QuernScene,
        journal: &mut QuernJournal,
    ) -> QuernDone {
        let status = match over {
            Some(_) if draft.verb == QuernVerb::Upsert && self.store.may(UpsertOverExpiredReplaces) => {
                Status::Ok
            }
            _ => Status::Created,
        };
        let old = over.and_then(|number| self.table.row(number).cloned());
        let due = match self.store.slip {
            Some(UpsertOverExpiredKeepsDeadline) if old.is_some() && draft.verb == QuernVerb::Upsert => {
                old.as_ref().and_then(|old| old.due)
            }
            Some(BatchRecreationKeepsDeadline) => {
                let erased = journal.iter().rev().find_map(|(_, before)| before.as_ref());
                erased
                    .filter(|row| row.key == scene.key)
                    .map_or_else(|| self.due(&draft, None, scene), |row| row.due)
            }
            _ => self.due(&draft, None, scene),
        };
        if let Some(number) = over {
            journal.push((number, old));
            if self.store.slips(RecreationLeavesDue) {
                self.table.take_but_deadline(number);
            } else {
                self.table.take(number);
            }
        }
        let etag = if self.store.slips(EtagIsRowVersion) { 1 } else { self.table.next_etag() };
        let number = self.table.insert(QuernRow {
            key: scene.key.clone(),
            partition: scene.partition.clone(),
            id: draft.id,
            properties: draft.properties,
            life: draft.life,
            ts: draft.ts,
            created: scene.instant,
            etag,
            due,
            marked: false,
        });
        journal.push((number, None));
        QuernDone { status, shown: Some(number) }
    }

    fn overwrite(
        &mut self,
        draft: QuernDraft,
        number: u64,
        scene: &QuernScene,
        journal: &mut QuernJournal,
    ) -> QuernDone {
        let Some(old) = self.table.row(number).cloned() else {
            return QuernDone { status: Status::NotFound, shown: None };
        };
        let due = self.due(&draft, Some(&old), scene);
        let etag = if self.store.slips(EtagIsRowVersion) { old.etag + 1 } else { self.table.next_etag() };
        let leaves_due = self.store.slips(PatchLeavesOldDue) && draft.verb == QuernVerb::Patch;
        let row = QuernRow {
            properties: draft.properties,
            life: draft.life,
            ts: draft.ts,
            etag,
            due,
            ..old.clone()
        };
        if leaves_due {
            self.table.put_beside_old_deadline(number, row);
        } else {
            self.table.put(number, row);
        }
        journal.push((number, Some(old)));
        QuernDone { status: Status::Ok, shown: Some(number) }
    }

    /// Returns the deadline of a document that is about to be written.
    fn due(&self, draft: &QuernDraft, old: Option<&QuernRow>, scene: &QuernScene) -> Option<i64> {
        let mode = self.mode();
        let due = self.store.deadline(draft.life, draft.ts, mode);
        let Some(slip) = self.store.slip else { return due };
        let verb = draft.verb;
        match (slip, old) {
            (DeadlineSaturates, _) => due.map(|due| due.min(i64::from(i32::MAX))),
            (LifetimeAsFloat, _) => due.map(|due| draft.ts + cut_to_24_bits(due - draft.ts)),
            (SameTtlKeepsDeadline, Some(old))
                if verb == QuernVerb::Replace && draft.sends_ttl && old.life == draft.life =>
            {
                old.due
            }
            (PatchedTtlCountsFromOldTs, Some(old)) if verb == QuernVerb::Patch && draft.sends_ttl => {
                self.store.deadline(draft.life, old.ts, mode)
            }
            (BatchPatchKeepsDeadline, Some(old)) if verb == QuernVerb::Patch && scene.is_batch => old.due,
            (ReplaceOnlyShortens, Some(old)) if verb == QuernVerb::Replace => match (old.due, due) {
                (Some(old), Some(new)) => Some(old.min(new)),
                _ => due,
            },
            (PatchWhileOffSetsDeadline, Some(_)) if verb == QuernVerb::Patch && mode == QuernMode::Off => {
                self.store.deadline(draft.life, draft.ts, QuernMode::NoDefault)
            }
            _ => due,
        }
    }

    fn touch(&mut self, number: u64, instant: i64) {
        let Some(row) = self.table.row_mut(number) else { return };
        row.ts = instant;
        let life = row.life;
        self.table.set_due(number, self.store.deadline(life, instant, self.mode()));
    }

    /// What a refused operation does in a store with a mistake.
    fn spoil(&mut self, operation: &Operation, scene: &QuernScene, status: Status) {
        let (Some(slip), Some(number)) = (self.store.slip, self.table.find(&scene.key)) else { return };
        match (slip, operation, status) {
            (RefusedUpsertErases, Operation::Upsert(_), Status::BadRequest) => {
                self.table.take(number);
            }
            (StaleReplaceTouches, Operation::Replace(..), Status::PreconditionFailed)
            | (RefusedCreateRevives, Operation::Create(_), Status::BadRequest) => {
                self.touch(number, scene.instant);
            }
            (PatchBeforeCondition, Operation::Patch(patch, _), Status::PreconditionFailed) => {
                if let Some(row) = self.table.row_mut(number) {
                    row.properties.extend(patch.set.clone());
                }
            }
            _ => {}
        }
    }

    /// Returns an item as an answer shows it.
    fn shown(&self, number: u64) -> Option<Item> {
        let row = self.table.row(number)?;
        let mut properties = row.properties.clone();
        match (self.store.slip, row.due) {
            (Some(ReadShowsRemaining), Some(due)) if matches!(row.life, QuernLife::Seconds(_)) => {
                properties.insert("ttl".to_owned(), (due - self.now).into());
            }
            (Some(PartsExpire), _) if self.mode() != QuernMode::Off => {
                let is_over = |ttl: i64| ttl > 0 && row.ts.saturating_add(ttl) <= self.now;
                properties.retain(|_, value| !super::life::nested_ttl(value).is_some_and(is_over));
            }
            _ => {}
        }
        let document = Document { id: row.id.clone(), properties };
        Some(Item { document, ts: Some(row.ts), etag: Some(self.etag_text(row.etag)) })
    }
}
