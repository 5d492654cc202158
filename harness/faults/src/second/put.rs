//! How an item is stored: its `_ts`, its etag, its deadline, and what else must know of it.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Etag, Id, Indexing, Properties};

use super::bug::Bug;
use super::document::{DocumentMap, OwnTtl, StoredDefault, StoredDocument, Verb, Way};
use super::session::StoreSession;

/// What a write stores.
pub(super) struct WriteDraft<'d> {
    pub(super) id: &'d Id,
    pub(super) body: Properties,
    pub(super) own: OwnTtl,
    pub(super) client_ts: Option<i64>,
}

impl StoreSession {
    /// Stores an item; `old` is the living one that it replaces.
    pub(super) fn put(
        &mut self,
        place: &mut DocumentMap,
        key: &Id,
        draft: WriteDraft<'_>,
        old: Option<&StoredDocument>,
        way: Way,
    ) -> StoredDocument {
        let ghost = place.documents.get(key).cloned().filter(|_| old.is_none());
        let keeps_count = way.verb == Verb::Patch && !self.leeway.patch_restarts;
        let ts = match old {
            Some(old) if keeps_count && old.own == draft.own => old.ts,
            old => self.stamp(old, draft.client_ts, way),
        };
        let mut own = draft.own;
        if self.has(Bug::OwnAsDefaultDropped)
            && matches!((own, self.default_ttl()), (OwnTtl::Seconds(own), StoredDefault::Seconds(default)) if own == default)
        {
            own = OwnTtl::Absent;
        }
        if self.has(Bug::CreateKeepsExpiredTtl) && way.verb == Verb::Create && own == OwnTtl::Absent {
            own = ghost.as_ref().map_or(own, |ghost| ghost.own);
        }
        let mut body = draft.body;
        if self.has(Bug::DefaultWrittenByUpsert)
            && let (Verb::Upsert, OwnTtl::Absent, StoredDefault::Seconds(default)) =
                (way.verb, own, self.default_ttl())
        {
            body.insert("ttl".into(), Literal::from(default));
        }
        if self.has(Bug::NeverNotStored) && own == OwnTtl::Never {
            body.remove("ttl");
        }
        if let (true, Some(client)) = (self.has(Bug::ClientTsShown), draft.client_ts) {
            body.insert("_ts".into(), Literal::from(client));
        }
        let etag = match &ghost {
            Some(ghost) if self.has(Bug::CreateKeepsExpiredEtag) && way.verb == Verb::Create => {
                ghost.etag.clone()
            }
            _ => self.new_etag(&body, place),
        };
        let rid = old.map_or_else(|| self.new_rid(), |old| old.rid);
        let mut document = StoredDocument {
            id: draft.id.clone(),
            partition: self.memory.partition.clone(),
            body,
            own,
            ts,
            created: old.map_or(ts, |old| old.created),
            etag,
            rid,
            expires_at: None,
        };
        if self.has(Bug::CreateKeepsExpiredCreation)
            && let Some(ghost) = &ghost
        {
            document.created = ghost.created;
        }
        document.expires_at = self.deadline_of_write(&document, old, way);
        if self.has(Bug::CreateKeepsExpiredCreation) && ghost.is_some() {
            document.expires_at = super::lifetime::deadline(self.default_ttl(), own, document.created);
        }
        self.memory.last_write_s = Some(self.now);
        let forgets =
            !matches!(self.bug, Some(Bug::BatchLeavesReadCache | Bug::MissesCached)) || !way.in_batch;
        if forgets {
            self.memory.forget_answers(key);
        }
        if self.has(Bug::QueryCachedUntilWrite) || self.has(Bug::ListCachedForSeconds) {
            self.memory.rows.clear();
        }
        if !(way.in_batch && self.has(Bug::BatchCreateLeavesTombstone)) {
            self.memory.tombstones.remove(key);
        }
        if place.documents.insert(key.clone(), document.clone()).is_none() {
            place.tally += 1;
        }
        let is_unindexed = self.collection.is_some_and(|collection| collection.indexing == Indexing::None);
        if !(is_unindexed && self.has(Bug::UnindexedItemsLost)) {
            place.index.insert(key.clone(), rid);
        }
        self.schedule(key, &document);
        document
    }

    /// Returns the `_ts` of a write.
    fn stamp(&mut self, old: Option<&StoredDocument>, client: Option<i64>, way: Way) -> i64 {
        let now = self.now;
        match (self.bug, old) {
            (Some(Bug::EvenTs), _) => now - now.rem_euclid(2),
            (Some(Bug::UniqueTs), _) => {
                let ts = self.memory.last_ts.map_or(now, |last| now.max(last + 1));
                self.memory.last_ts = Some(ts);
                ts
            }
            (Some(Bug::BatchTsOfFirstBatch), _) if way.in_batch => {
                *self.memory.first_batch_s.get_or_insert(now)
            }
            (Some(Bug::BatchReplaceKeepsTs), Some(old)) if way.batched(Verb::Replace) => old.ts,
            (Some(Bug::BatchUpsertKeepsTs), Some(old)) if way.batched(Verb::Upsert) => old.ts,
            (Some(Bug::ConditionalReplaceKeepsTs), Some(old)) if way.conditioned(Verb::Replace) => old.ts,
            (Some(Bug::TtlPatchKeepsTs), Some(old)) if way.verb == Verb::Patch => old.ts,
            (Some(Bug::ClientTsInUpsert), _) if way.verb == Verb::Upsert => client.unwrap_or(now),
            (Some(Bug::LaterClientTsWins), _) => client.map_or(now, |client| client.max(now)),
            (Some(Bug::PatchSetsTs), _) => client.filter(|_| way.verb == Verb::Patch).unwrap_or(now),
            (Some(Bug::BatchTsInMilliseconds), _) if way.in_batch => now.saturating_mul(1_000),
            _ => now,
        }
    }

    fn new_etag(&mut self, body: &Properties, place: &DocumentMap) -> Etag {
        self.etags += 1;
        if self.has(Bug::EtagOfContent) {
            return format!("\"{body:?}\"");
        }
        if self.has(Bug::EmptyPartitionForgetsEtags) && place.documents.is_empty() {
            self.etags = 1;
        }
        if self.leeway.long_etags {
            let scattered = self.etags.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            return format!("\"{scattered:016x}-0000-0700-0000-{:012x}\"", self.etags);
        }
        format!("\"{}\"", self.etags)
    }

    fn new_rid(&mut self) -> u64 {
        self.rids += 1;
        self.rids
    }

    /// Removes an item and its row of the index.
    pub(super) fn remove(&mut self, place: &mut DocumentMap, key: &Id) {
        if place.documents.remove(key).is_some() {
            place.tally -= 1;
        }
        place.index.remove(key);
        self.memory.forget_answers(key);
        self.memory.rows.clear();
    }
}
