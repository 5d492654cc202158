//! What is left of an aborted batch, and how answers show an item.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Document, Id, Item, Operation};

use super::HiveStore;
use super::actor::{HiveActor, HiveEntry};
use super::liberty::HiveLiberty;
use super::slip::HiveSlip::*;
use super::stamp::nested_number;

impl HiveStore {
    /// Repairs an actor after an aborted batch: it is as before, and only a mistake takes anything from the draft.
    pub(super) fn undo<'o>(
        self,
        actor: &mut HiveActor,
        drafted: HiveActor,
        done: impl Iterator<Item = &'o Operation>,
        partition: &str,
        now: i64,
    ) {
        let Some(slip) = self.slip else { return };
        if slip == NamedBatchNotUndone && partition != DEFAULT_PARTITION {
            *actor = drafted;
            return;
        }
        for operation in done {
            let id = operation.id();
            match (slip, operation) {
                (UndoKeepsTs, Operation::Upsert(_) | Operation::Replace(..) | Operation::Patch(..)) => {
                    actor.change_life(id, |life| (life.ts, life.from) = (now, now));
                }
                (UndoDeletesUpserted, Operation::Upsert(_)) | (UndoForgetsDeleted, Operation::Delete(..)) => {
                    actor.forget(id);
                }
                (UndoSparesRecreated, Operation::Create(_)) if actor.entries.contains_key(id) => {
                    if let Some(entry) = drafted.entries.get(id) {
                        actor.entries.insert(id.to_owned(), entry.clone());
                        actor.reindex();
                    }
                }
                _ => {}
            }
        }
        if slip == UndoForgetsIndex {
            actor.index = drafted.index;
            return;
        }
        if slip == BatchConflictTouches {
            for (id, entry) in drafted.entries {
                let (ts, from) = (entry.life.ts, entry.life.from);
                if actor.entries.get(&id).is_some_and(|before| before.properties == entry.properties) {
                    actor.change_life(&id, |life| (life.ts, life.from) = (ts, from));
                }
            }
        }
    }

    /// Returns an item as answers show it.
    pub(super) fn view(self, id: Id, entry: &HiveEntry, now: i64) -> Item {
        let mut properties = entry.properties.clone();
        if self.may(HiveLiberty::NormalNumbers) {
            for value in properties.values_mut() {
                if let LiteralKind::WholeAsFraction(number) = value.kind()
                    && (-1_000_000_000..=1_000_000_000).contains(&number)
                {
                    *value = Literal::from(number);
                }
            }
        }
        if self.has(NestedPartExpires) {
            properties.retain(|_, value| {
                nested_number(value.as_str()).is_none_or(|seconds| now < entry.life.ts + seconds)
            });
        }
        Item {
            document: Document { id, properties },
            ts: (!self.may(HiveLiberty::NoTs)).then_some(entry.life.ts),
            etag: (!self.may(HiveLiberty::NoEtags)).then(|| entry.etag.clone()),
        }
    }
}
