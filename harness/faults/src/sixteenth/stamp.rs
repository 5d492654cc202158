//! What a write makes of an item.

use cosmos_ttl_harness::target::{Operation, Patch, Properties, Status};

use super::HiveStore;
use super::actor::{HiveActor, HiveEntry};
use super::handle::{HiveCall, HiveOver};
use super::liberty::HiveLiberty;
use super::life::HiveLife;
use super::slip::HiveSlip::*;
use super::values::{HiveDefault, HiveRefused, HiveTtl, low_bits, whole};

/// Returns properties without those that the server sets.
fn without_server_names(properties: &Properties) -> Properties {
    let mut properties = properties.clone();
    properties.retain(|name, _| name != "_ts" && name != "_etag");
    properties
}

/// Returns the number after the first `"ttl":` in the text of properties that come before `ttl`.
fn nested_ttl(properties: &Properties) -> Option<i64> {
    let mut before = properties.iter().take_while(|(name, _)| *name != "ttl");
    before.find_map(|(_, value)| nested_number(value.as_str()))
}

/// Returns the number after the first `"ttl":` in a text.
pub(super) fn nested_number(text: &str) -> Option<i64> {
    let digits = text.split_once("\"ttl\":")?.1.trim_start();
    digits.split(|one: char| !one.is_ascii_digit()).next()?.parse().ok()
}

impl HiveStore {
    /// Returns the `ttl` that an operation sends, if it sends one.
    pub(super) fn sent_ttl(
        self,
        operation: &Operation,
        call: &HiveCall,
    ) -> Result<Option<HiveTtl>, HiveRefused> {
        let Some(sent) = operation.properties() else { return Ok(None) };
        if self.has(NestedBeforeRoot)
            && sent.contains_key("ttl")
            && let Some(seconds) = nested_ttl(sent)
        {
            return Ok(Some(HiveTtl::Seconds(seconds)));
        }
        let literal = sent.get("ttl").or_else(|| match self.slip {
            Some(PatchSetsAnyCase) if call.word == "patch" => {
                sent.iter().find(|(name, _)| name.eq_ignore_ascii_case("ttl")).map(|(_, value)| value)
            }
            Some(BatchReadsUnderscore) if call.in_batch => sent.get("_ttl"),
            _ => None,
        });
        literal.map(|literal| self.read_ttl(literal, call)).transpose()
    }

    /// Writes an item.
    pub(super) fn write(
        self,
        actor: &mut HiveActor,
        operation: &Operation,
        call: &HiveCall,
    ) -> Result<(), Status> {
        let id = operation.id();
        let sent_ttl = self.sent_ttl(operation, call).map_err(|HiveRefused| Status::BadRequest)?;
        let stored = actor.entries.get(id).cloned();
        let old = stored.clone().filter(|_| !matches!(call.over, HiveOver::Expired) || call.word == "patch");
        let (properties, ttl) = if let (Operation::Patch(patch, _), Some(old)) = (operation, &old) {
            self.patched(patch, old, sent_ttl, call)
        } else {
            let sent = operation.properties().cloned().unwrap_or_default();
            (without_server_names(&sent), sent_ttl.unwrap_or(HiveTtl::Inherit))
        };
        if self.has(SameReplaceDropped)
            && call.word == "replace"
            && call.is_conditional
            && old.as_ref().is_some_and(|old| old.properties == properties)
        {
            return Ok(());
        }
        let life = HiveLife {
            ttl,
            ts: call.now,
            from: call.now,
            written: actor.settings.default,
            frozen: None,
            is_latched: false,
            is_deleted: false,
        };
        let mut entry = HiveEntry { properties, life, etag: String::new(), older: None };
        self.adjust_ttl(&mut entry, stored.as_ref(), operation, call);
        self.adjust_count(&mut entry, old.as_ref(), operation, call);
        if call.word == "create"
            && call.in_batch
            && let Some(deleted) = actor.notes.deleted.get(id)
        {
            match self.slip {
                Some(DeleteAndCreateCoalesce) => {
                    (entry.life.ts, entry.life.from) = (deleted.ts, deleted.from);
                }
                Some(DeleteAndCreateKeepTtl) if sent_ttl.is_none() => entry.life.ttl = deleted.ttl,
                _ => {}
            }
        }
        if self.has(BatchUpsertLeavesExpired)
            && call.in_batch
            && call.word == "upsert"
            && call.over == HiveOver::Expired
            && let Some(stored) = &stored
        {
            (entry.life.ts, entry.life.from) = (stored.life.ts, stored.life.from);
        }
        if (self.has(OlderReturns) || self.has(ExpiredEtagOpensNew)) && call.over == HiveOver::Expired {
            entry.older = stored.map(Box::new);
        }
        entry.etag = self.next_etag(actor, id, &entry);
        self.note_timer(actor, id, &entry.life, call);
        let misses_row = actor.index.contains_key(id)
            && match self.slip {
                Some(IndexMissesPatches) => call.word == "patch",
                Some(IndexMissesBatchReplaces) => call.in_batch && call.word == "replace",
                Some(IndexMissesRecreated) => call.word == "create",
                Some(IndexTakesFirstOfBatch) => call.in_batch && actor.notes.rows_of_batch.contains(id),
                _ => false,
            };
        actor.notes.rows_of_batch.insert(id.to_owned());
        if !misses_row {
            actor.index.insert(id.to_owned(), entry.life.clone());
        }
        actor.entries.insert(id.to_owned(), entry);
        Ok(())
    }

    fn patched(
        self,
        patch: &Patch,
        old: &HiveEntry,
        sent_ttl: Option<HiveTtl>,
        call: &HiveCall,
    ) -> (Properties, HiveTtl) {
        let mut properties = old.properties.clone();
        properties.extend(without_server_names(&patch.set));
        let mut ttl = sent_ttl.unwrap_or(old.life.ttl);
        for name in &patch.remove {
            properties.remove(name);
            let is_ttl = name == "ttl" || (self.has(PatchRemovesAnyCase) && name.eq_ignore_ascii_case("ttl"));
            if is_ttl {
                properties.remove("ttl");
                if !(self.has(BatchRemovalKeepsLife) && call.in_batch) {
                    ttl = HiveTtl::Inherit;
                }
            }
        }
        if self.has(PatchTtlLostWhileOff) && call.is_off {
            ttl = old.life.ttl;
            match old.properties.get("ttl") {
                Some(value) => properties.insert("ttl".into(), value.clone()),
                None => properties.remove("ttl"),
            };
        }
        (properties, ttl)
    }

    /// Changes the `ttl` of what is written; only a mistake does.
    fn adjust_ttl(
        self,
        entry: &mut HiveEntry,
        stored: Option<&HiveEntry>,
        operation: &Operation,
        call: &HiveCall,
    ) {
        let Some(slip) = self.slip else { return };
        let sends_ttl = operation.ttl().is_some();
        let default = match call.default {
            HiveDefault::Seconds(seconds) => Some(seconds),
            HiveDefault::Off | HiveDefault::NoDefault => None,
        };
        let is_word = |word| call.word == word;
        let takes_old = match slip {
            BatchReplaceMerges => call.in_batch && is_word("replace") && !sends_ttl,
            UpsertMergesWhileOff => call.is_off && is_word("upsert") && !sends_ttl,
            BatchCreateKeepsTtl => {
                call.in_batch && is_word("create") && call.over == HiveOver::Expired && !sends_ttl
            }
            _ => false,
        };
        if takes_old && let Some(stored) = stored {
            entry.life.ttl = stored.life.ttl;
            if let Some(value) = stored.properties.get("ttl") {
                entry.properties.insert("ttl".into(), value.clone());
            }
        }
        let drops = (slip == BatchDropsTtlWhileOff && call.in_batch && call.is_off)
            || (slip == UpsertDropsMinusOne
                && is_word("upsert")
                && call.default == HiveDefault::NoDefault
                && entry.life.ttl == HiveTtl::Never);
        if drops {
            entry.properties.remove("ttl");
            entry.life.ttl = HiveTtl::Inherit;
        }
        if slip == PatchWritesDefault
            && is_word("patch")
            && entry.life.ttl == HiveTtl::Inherit
            && let Some(default) = default
        {
            entry.properties.insert("ttl".into(), default.into());
            entry.life.ttl = HiveTtl::Seconds(default);
        }
        entry.life.ttl = match (slip, entry.life.ttl, default) {
            (EqualTtlInherits, HiveTtl::Seconds(own), Some(default)) if own == default => HiveTtl::Inherit,
            (BatchCapsOwn, HiveTtl::Seconds(own), Some(default)) if call.in_batch => {
                HiveTtl::Seconds(own.min(default))
            }
            (PatchForgetsMinusOne, HiveTtl::Never, _) if is_word("patch") && !sends_ttl => HiveTtl::Inherit,
            (NewUpsertedNever, HiveTtl::Inherit, _)
                if is_word("upsert") && !sends_ttl && call.over == HiveOver::Nothing =>
            {
                HiveTtl::Never
            }
            (_, ttl, _) => ttl,
        };
        let freezes = match slip {
            BatchFreezesDefault => call.in_batch,
            PatchFreezesDefault => is_word("patch"),
            NullFreezesDefault => operation.ttl().is_some_and(|ttl| ttl.as_str() == "null"),
            _ => false,
        };
        if freezes {
            entry.life.frozen = Some(call.default);
        }
    }

    /// Changes the second from which the lifetime of what is written counts.
    fn adjust_count(
        self,
        entry: &mut HiveEntry,
        old: Option<&HiveEntry>,
        operation: &Operation,
        call: &HiveCall,
    ) {
        let sent_ts = operation.properties().and_then(|sent| whole(sent.get("_ts")?));
        let is_patch = call.word == "patch";
        let keeps = old.filter(|old| match (self.slip, self.liberty) {
            (Some(UpsertOfTtlAloneKeepsTs), _) if call.word == "upsert" => {
                let [mut a, mut b] = [old.properties.clone(), entry.properties.clone()];
                a.remove("ttl") != b.remove("ttl") && a == b
            }
            (Some(OffWritesKeepTs), _) => call.is_off && call.word == "replace",
            (Some(NeverWritesKeepTs), _) => old.life.ttl == HiveTtl::Never && call.word == "replace",
            (Some(ConditionalPatchKeepsTs), _) => is_patch && call.is_conditional,
            (_, Some(HiveLiberty::PatchOfOthersKeepsTs)) => {
                is_patch && old.properties.get("ttl") == entry.properties.get("ttl")
            }
            (_, Some(HiveLiberty::SamePatchKeepsTs)) => is_patch && old.properties == entry.properties,
            _ => false,
        });
        let life = &mut entry.life;
        if let Some(old) = keeps {
            (life.ts, life.from) = (old.life.ts, old.life.from);
        }
        let ts = match self.slip {
            Some(BatchTakesClientTs) if call.in_batch && call.word == "create" => sent_ts,
            Some(UpsertTakesLaterTs) if call.word == "upsert" => sent_ts.map(|ts| ts.max(call.now)),
            Some(BatchPatchTakesTs) if call.in_batch && is_patch => sent_ts,
            Some(TsOf32Bits) => Some(low_bits(call.now)),
            _ => None,
        };
        if let Some(ts) = ts {
            (life.ts, life.from) = (ts, ts);
        }
        if self.has(PatchKeepsLongest)
            && is_patch
            && let Some(old) = old
            && let (HiveTtl::Seconds(new_s), HiveTtl::Seconds(old_s)) = (life.ttl, old.life.ttl)
            && old.life.from + old_s > life.from + new_s
        {
            (life.ttl, life.from) = (old.life.ttl, old.life.from);
        }
    }
}
