//! Plans: whether an operation is refused, and what it would do to the table.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Document, Operation, Patch, Properties, Status};

use super::correct::QuernFreedom::*;
use super::life::{QuernLife, QuernMode, any_whole};
use super::session::QuernSession;
use super::slips::QuernSlip::*;
use super::table::QuernKey;

/// What an operation is about, beside itself.
#[derive(Clone, Debug)]
pub(super) struct QuernScene {
    pub(super) partition: String,
    pub(super) key: QuernKey,
    pub(super) instant: i64,
    pub(super) is_batch: bool,
}

/// The kinds of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuernVerb {
    Create,
    Upsert,
    Replace,
    Patch,
}

/// A document that is about to be written.
#[derive(Clone, Debug)]
pub(super) struct QuernDraft {
    pub(super) verb: QuernVerb,
    pub(super) id: String,
    pub(super) properties: Properties,
    pub(super) life: QuernLife,
    pub(super) ts: i64,
    pub(super) sends_ttl: bool,
}

/// What an operation would do.
#[derive(Clone, Debug)]
pub(super) enum QuernPlan {
    Show(u64),
    /// Makes a new document; an expired one under its key makes way.
    Insert(QuernDraft, Option<u64>),
    Overwrite(QuernDraft, u64),
    /// Succeeds without a write; no correct store has such a plan.
    Keep(u64),
    Erase(u64),
}

/// The service's own properties; what a client sends under these names has no effect.
fn without_system_properties(properties: &Properties) -> Properties {
    let mut properties = properties.clone();
    properties.retain(|name, _| !matches!(name.as_str(), "_ts" | "_etag"));
    properties
}

impl QuernSession {
    pub(super) fn plan(&self, operation: &Operation, scene: &QuernScene) -> Result<QuernPlan, Status> {
        match operation {
            Operation::Create(document) => self.plan_create(document, scene),
            Operation::Upsert(document) => self.plan_upsert(document, scene),
            Operation::Replace(document, etag) => self.plan_replace(document, etag.as_deref(), scene),
            Operation::Patch(patch, etag) => self.plan_patch(patch, etag.as_deref(), scene),
            Operation::Read(_) => self.plan_read(scene),
            Operation::Delete(_, etag) => {
                let number = self.living(operation, scene)?;
                self.meets(number, etag.as_deref())?;
                Ok(QuernPlan::Erase(number))
            }
        }
    }

    fn plan_read(&self, scene: &QuernScene) -> Result<QuernPlan, Status> {
        let number = self.table.find(&scene.key).ok_or(Status::NotFound)?;
        let is_unchecked =
            self.store.slips(OtherPartitionReadsExpired) && scene.partition != DEFAULT_PARTITION;
        if !is_unchecked && self.is_expired(number, scene.instant) {
            return Err(Status::NotFound);
        }
        Ok(QuernPlan::Show(number))
    }

    fn plan_create(&self, document: &Document, scene: &QuernScene) -> Result<QuernPlan, Status> {
        let stored = self.table.find(&scene.key);
        let is_free = stored.is_none_or(|number| match self.store.slip {
            Some(CreateFreesLate) => self.is_expired(number, scene.instant - 1),
            _ => self.is_expired(number, scene.instant),
        });
        let life = self.life_of(QuernVerb::Create, &document.properties, None);
        if self.store.may(ItemBeforeValue) && !is_free {
            return Err(Status::Conflict);
        }
        let mut draft = self.draft(QuernVerb::Create, document, life?, scene);
        if !is_free {
            return Err(Status::Conflict);
        }
        if let (Some(RecreationMergesProperties), Some(old)) =
            (self.store.slip, stored.and_then(|number| self.table.row(number)))
        {
            for (name, value) in &old.properties {
                draft.properties.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        Ok(QuernPlan::Insert(draft, stored))
    }

    fn plan_upsert(&self, document: &Document, scene: &QuernScene) -> Result<QuernPlan, Status> {
        let stored = self.table.find(&scene.key);
        let living = stored.filter(|number| !self.is_expired(*number, scene.instant));
        let old = living.and_then(|number| self.table.row(number));
        let life = self.life_of(QuernVerb::Upsert, &document.properties, old)?;
        let mut draft = self.draft(QuernVerb::Upsert, document, life, scene);
        if let (Some(UpsertWritesBackDefault), QuernMode::Seconds(seconds)) = (self.store.slip, self.mode()) {
            draft.properties.entry("ttl".to_owned()).or_insert_with(|| seconds.into());
        }
        Ok(match living {
            Some(number) => QuernPlan::Overwrite(draft, number),
            None => QuernPlan::Insert(draft, stored),
        })
    }

    fn plan_replace(
        &self,
        document: &Document,
        etag: Option<&str>,
        scene: &QuernScene,
    ) -> Result<QuernPlan, Status> {
        let operation = Operation::Replace(document.clone(), etag.map(str::to_owned));
        let revives = self.store.slips(ConditionalReplaceRevives) && etag.is_some();
        let number = if revives {
            self.table.find(&scene.key).ok_or(Status::NotFound)
        } else {
            self.living(&operation, scene)
        };
        let old = number.ok().and_then(|number| self.table.row(number));
        let life = self.life_of(QuernVerb::Replace, &document.properties, old);
        let (number, life) = self.in_order(number, etag, life)?;
        let mut draft = self.draft(QuernVerb::Replace, document, life, scene);
        let client_ts = document.properties.get("_ts").and_then(any_whole);
        match self.store.slip {
            Some(ReplaceTakesClientTs) => draft.ts = client_ts.unwrap_or(draft.ts),
            Some(ConditionalReplaceKeepsTs) if etag.is_some() => {
                draft.ts = old.map_or(draft.ts, |old| old.ts);
            }
            Some(IdenticalReplaceSkipped) if old.is_some_and(|old| old.properties == draft.properties) => {
                return Ok(QuernPlan::Keep(number));
            }
            _ => {}
        }
        Ok(QuernPlan::Overwrite(draft, number))
    }

    fn plan_patch(&self, patch: &Patch, etag: Option<&str>, scene: &QuernScene) -> Result<QuernPlan, Status> {
        let operation = Operation::Patch(patch.clone(), etag.map(str::to_owned));
        let revives = self.store.slips(PatchWithTtlRevives) && patch.set.contains_key("ttl");
        let number = if revives {
            self.table.find(&scene.key).ok_or(Status::NotFound)
        } else {
            self.living(&operation, scene)
        };
        let old = number.ok().and_then(|number| self.table.row(number));
        let life = if self.store.may(PatchOfTsRefused) && patch.set.contains_key("_ts") {
            Err(Status::BadRequest)
        } else {
            self.patched_life(patch, old)
        };
        let (number, life) = self.in_order(number, etag, life)?;
        let mut properties = old.map(|old| old.properties.clone()).unwrap_or_default();
        properties.extend(without_system_properties(&patch.set));
        for name in &patch.remove {
            properties.remove(name);
        }
        let document = Document { id: patch.id.clone(), properties };
        let mut draft = self.draft(QuernVerb::Patch, &document, life, scene);
        draft.sends_ttl = patch.set.contains_key("ttl");
        if self.store.slips(BatchPatchSetsTs) && scene.is_batch {
            draft.ts = patch.set.get("_ts").and_then(any_whole).unwrap_or(draft.ts);
        }
        Ok(QuernPlan::Overwrite(draft, number))
    }

    /// Returns the number of the item and its new lifetime, or the refusal that is met first.
    fn in_order(
        &self,
        number: Result<u64, Status>,
        etag: Option<&str>,
        life: Result<QuernLife, Status>,
    ) -> Result<(u64, QuernLife), Status> {
        if self.store.may(ConditionBeforeValue) {
            let number = number?;
            self.meets(number, etag)?;
            return Ok((number, life?));
        }
        let (number, life) = if self.store.may(ItemBeforeValue) {
            (number?, life?)
        } else {
            let life = life?;
            (number?, life)
        };
        self.meets(number, etag)?;
        Ok((number, life))
    }

    fn draft(&self, verb: QuernVerb, document: &Document, life: QuernLife, scene: &QuernScene) -> QuernDraft {
        let life = match (self.store.slip, self.mode(), life) {
            (Some(TtlEqualToDefaultInherits), QuernMode::Seconds(default), QuernLife::Seconds(own))
                if own == default =>
            {
                QuernLife::Inherit
            }
            (Some(BatchPinsDefault), QuernMode::Seconds(default), QuernLife::Inherit) if scene.is_batch => {
                QuernLife::Seconds(default)
            }
            _ => life,
        };
        QuernDraft {
            verb,
            id: document.id.clone(),
            properties: without_system_properties(&document.properties),
            life,
            ts: scene.instant,
            sends_ttl: document.ttl().is_some(),
        }
    }

    pub(super) fn is_expired(&self, number: u64, instant: i64) -> bool {
        self.table.row(number).is_none_or(|row| row.is_expired(instant))
    }

    /// Returns the number of the living item that an operation is about.
    fn living(&self, operation: &Operation, scene: &QuernScene) -> Result<u64, Status> {
        let number = self.table.find(&scene.key).ok_or(Status::NotFound)?;
        let is_delete = matches!(operation, Operation::Delete(..));
        let is_expired = self.is_expired(number, scene.instant);
        if !is_expired || (is_delete && self.store.slips(DeleteSeesExpired)) {
            return Ok(number);
        }
        let fails = self.store.may(ExpiredConditionFails)
            || (self.store.may(ExpiredDeleteConditionFails) && is_delete);
        let row = self.table.row(number);
        let is_its_etag = row.is_some_and(|row| operation.etag() == Some(&self.etag_text(row.etag)));
        Err(if fails && is_its_etag { Status::PreconditionFailed } else { Status::NotFound })
    }

    fn meets(&self, number: u64, etag: Option<&str>) -> Result<(), Status> {
        let row = self.table.row(number).ok_or(Status::NotFound)?;
        match etag {
            Some(etag) if self.etag_text(row.etag) != etag => Err(Status::PreconditionFailed),
            _ => Ok(()),
        }
    }

    pub(super) fn etag_text(&self, etag: u64) -> String {
        if self.store.may(LongEtags) {
            format!("\"0000{etag:04x}-0000-0300-0000-{:012x}\"", etag.wrapping_mul(2_654_435_761))
        } else {
            format!("\"{etag}\"")
        }
    }
}
