//! Queries, lists and counts: a merged scan, at once or page by page.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Id, Indexing, PageRequest, Request, Response};

use super::engine::{LsmKey, LsmRecord};
use super::faults::ages::AgeSlip;
use super::faults::compactions::CompactSlip;
use super::faults::feeds::FeedSlip;
use super::faults::ghosts::GhostSlip;
use super::leeway::Leeway;
use super::life::Look;
use super::session::LsmSession;

impl LsmSession {
    /// Answers a query, a list or a count.
    pub(super) fn feed(&mut self, request: &Request, page: Option<&PageRequest>) -> Response {
        let look = match request {
            Request::Query => Look::Query,
            Request::List => Look::List,
            _ => Look::Count,
        };
        let stored = self.scanned(look);
        let mut ids = self.living_ids(&stored, look, page.is_some());
        self.after_scan(&ids, look);
        ids = self.lagging(ids, look);
        if look == Look::Count {
            let count = if self.may(Leeway::CountsGhosts) { stored.len() } else { ids.len() };
            return Response::count(u64::try_from(count).unwrap_or(u64::MAX));
        }
        if let Some(page) = page {
            return self.page(look, &ids, &stored, page);
        }
        if self.slips(FeedSlip::QueryCached) && look == Look::Query {
            let cached = self.memo.answers.entry(self.partition.clone()).or_insert(ids);
            return Response::ids(cached.clone());
        }
        if self.may(Leeway::Backwards) {
            ids.reverse();
        }
        if self.may(Leeway::ByWrite) {
            ids.sort_by_key(|id| {
                self.engine.get(&self.key(id)).map(|record| (record.ts_s, record.etag.len()))
            });
        }
        Response::ids(ids)
    }

    /// Returns the newest versions of the partition, expired ones among them.
    fn scanned(&self, look: Look) -> Vec<(LsmKey, LsmRecord)> {
        let crosses = match look {
            Look::Query => self.slips(FeedSlip::QueryAcross),
            Look::List => self.slips(FeedSlip::ListAcross),
            _ => self.slips(FeedSlip::CountAcross),
        };
        self.engine.merged().into_iter().filter(|(key, _)| crosses || key.0 == self.partition).collect()
    }

    /// Returns the ids of those that are visible.
    fn living_ids(&self, stored: &[(LsmKey, LsmRecord)], look: Look, is_paged: bool) -> Vec<Id> {
        let is_lazy = self.manifest.is_some_and(|manifest| manifest.indexing == Indexing::Lazy);
        let is_named = self.partition != DEFAULT_PARTITION;
        let mut ids = Vec::with_capacity(stored.len());
        let mut hidden = 0_u32;
        for (key, record) in stored {
            let other = (DEFAULT_PARTITION.to_owned(), key.1.clone());
            let is_expired = match self.engine.get(&other) {
                Some(namesake) if self.slips(FeedSlip::NamesakeDecides) => {
                    self.is_expired(&other, namesake, look)
                }
                _ => self.is_expired(key, record, look),
            };
            let shows = self.slips(FeedSlip::LazyShows) && is_lazy && look == Look::Query
                || self.slips(FeedSlip::NamedPageShows) && is_paged && is_named
                || self.slips(FeedSlip::PagesShow) && is_paged
                || self.slips(GhostSlip::OnlyFirstHidden) && look != Look::Count && hidden > 0;
            if is_expired {
                hidden += 1;
                let stops = match look {
                    Look::Query => self.slips(GhostSlip::QueryStops),
                    Look::List => self.slips(GhostSlip::ListStops),
                    _ => self.slips(GhostSlip::CountStops),
                };
                if stops {
                    break;
                }
            }
            let is_lost = self.slips(CompactSlip::DroppedHidden)
                && look == Look::Query
                && self.memo.dropped.contains_key(key);
            let is_unmet = self.slips(FeedSlip::ListNeedsMiss) && is_expired && !self.memo.met.contains(key);
            if (!is_expired || shows || is_unmet && look == Look::List) && !is_lost {
                ids.push(key.1.clone());
            }
        }
        ids
    }

    /// Does what a faulty store does after a scan.
    fn after_scan(&mut self, ids: &[Id], look: Look) {
        let restarts = match look {
            Look::Query => self.slips(AgeSlip::QueryRestarts),
            Look::List => self.slips(AgeSlip::ListRestarts),
            _ => self.slips(AgeSlip::CountRestarts),
        };
        if restarts {
            for id in ids {
                let key = self.key(id);
                self.touch(&key);
            }
        }
    }

    /// Returns what an index shows that is being built again.
    fn lagging(&mut self, ids: Vec<Id>, look: Look) -> Vec<Id> {
        let waits = self.slips(FeedSlip::ConsistentWaits) && self.memo.waits;
        if waits && look == Look::Query {
            return Vec::new();
        }
        let is_lazy = self.manifest.is_some_and(|manifest| manifest.indexing == Indexing::Lazy);
        let partition = self.partition.clone();
        let now_s = self.now_s;
        let (is_empty, is_stale) = match look {
            Look::Query => (self.may(Leeway::LazyEmpty), self.may(Leeway::LazyStale)),
            Look::Count => (self.may(Leeway::LazyCountsNothing), false),
            _ => (false, false),
        };
        match &mut self.memo.rebuilt {
            Some((since_s, keys, queries)) if is_lazy => {
                *queries += 1;
                if is_empty && *since_s == now_s {
                    Vec::new()
                } else if is_stale && *queries <= 3 {
                    let is_old = |id: &Id| keys.contains(&(partition.clone(), id.clone()));
                    ids.into_iter().filter(is_old).collect()
                } else {
                    ids
                }
            }
            _ => ids,
        }
    }

    /// Returns one page.
    fn page(
        &mut self,
        look: Look,
        living: &[Id],
        stored: &[(LsmKey, LsmRecord)],
        page: &PageRequest,
    ) -> Response {
        let after = page.continuation.as_deref().map(|token| token.strip_prefix("after:").unwrap_or(token));
        if after.is_none() {
            living.clone_into(&mut self.memo.snapshot);
            if self.may(Leeway::BeginsWithEmptyPage) {
                return Response::ids(Vec::new()).continued(Some("after:".into()));
            }
        }
        let is_snapshot = self.slips(FeedSlip::QueryPageSnapshot) && look == Look::Query
            || self.slips(FeedSlip::ListPageSnapshot) && look == Look::List;
        if after
            .is_some_and(|id| self.slips(FeedSlip::TokenOfGhostEnds) && !living.iter().any(|one| one == id))
        {
            return Response::ids(Vec::new());
        }
        let with_gaps = self.may(Leeway::PagesWithGaps) || self.slips(FeedSlip::GhostPageEnds);
        let all: Vec<Id> = match () {
            () if is_snapshot => self.memo.snapshot.clone(),
            () if with_gaps => stored.iter().map(|(key, _)| key.1.clone()).collect(),
            () => living.to_owned(),
        };
        let mut size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
        if self.may(Leeway::HalfPages) {
            size = size.div_ceil(2);
        }
        let rest: Vec<Id> =
            all.into_iter().filter(|id| after.is_none_or(|after| id.as_str() > after)).collect();
        let mut on_page: Vec<Id> = rest.iter().take(size).cloned().collect();
        let last = on_page.last().map(|id| format!("after:{id}"));
        let mut has_more = rest.len() > size || self.may(Leeway::EndsWithEmptyPage);
        if with_gaps {
            on_page.retain(|id| living.contains(id));
            has_more &= !self.slips(FeedSlip::GhostPageEnds) || on_page.len() == size;
        }
        Response::ids(on_page).continued(last.filter(|_| has_more))
    }
}
