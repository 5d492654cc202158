//! Queries, lists, counts and their pages.

use cosmos_ttl_harness::target::{Id, PageRequest, Response, Status};

use super::HiveStore;
use super::actor::HiveActor;
use super::liberty::HiveLiberty;
use super::life::HiveLook;
use super::slip::HiveSlip::*;

/// Where a page continues.
#[derive(Clone, Debug, Default)]
struct HiveToken {
    /// The second of the first page.
    time: i64,
    /// How many items the pages before had.
    offset: usize,
    /// The last item of the page before, if there was one.
    after: Option<Id>,
}

impl HiveToken {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let time = parts.next()?.parse().ok()?;
        let offset = parts.next()?.parse().ok()?;
        let after = parts.next()?.strip_prefix('+').map(str::to_owned);
        Some(Self { time, offset, after })
    }

    fn write(&self) -> String {
        let after = self.after.as_ref().map(|after| format!("+{after}")).unwrap_or_default();
        format!("{}.{}.{after}", self.time, self.offset)
    }
}

impl HiveStore {
    /// Returns the ids of the items that a look finds, in the order of the pages.
    fn found(self, actor: &HiveActor, look: HiveLook, reads_index: bool, now: i64) -> Vec<Id> {
        let is_seen = |life| !self.is_expired(&actor.settings, life, look, now);
        let mut ids: Vec<Id> = if reads_index {
            let rows = actor.index.iter().filter(|(_, life)| is_seen(life));
            rows.map(|(id, _)| id.clone()).collect()
        } else {
            let entries = actor.entries.iter().filter(|(_, entry)| is_seen(&entry.life));
            entries.map(|(id, _)| id.clone()).collect()
        };
        if self.may(HiveLiberty::Descending) {
            ids.reverse();
        }
        ids
    }

    /// Answers a query or a list, or a page of it.
    pub(super) fn feed(
        self,
        actor: &mut HiveActor,
        is_query: bool,
        page: Option<&PageRequest>,
        now: i64,
    ) -> Response {
        if is_query && self.takes_lag(actor) {
            return Response::ids(Vec::new());
        }
        let look = if is_query { HiveLook::Query } else { HiveLook::List };
        let now = if self.has(ListsUseLastMessage) && !is_query { actor.last_message_at } else { now };
        let Some(page) = page else {
            return Response::ids(self.found(actor, look, is_query, now));
        };
        let token = match page.continuation.as_deref().map(HiveToken::parse) {
            None => None,
            Some(Some(token)) => Some(token),
            Some(None) => return Response::new(Status::BadRequest),
        };
        if token.is_none() && self.may(HiveLiberty::EmptyFirstPage) {
            return Response::ids(Vec::new()).continued(Some(HiveToken::default().write()));
        }
        let look = if token.is_some() { HiveLook::LaterPage } else { look };
        let token = token.unwrap_or(HiveToken { time: now, ..HiveToken::default() });
        let time = if self.has(LaterPageFirstTime) { token.time } else { now };
        let present = actor.settings;
        match actor.notes.paged_under {
            Some(first) if look == HiveLook::LaterPage && self.has(LaterPageFirstSettings) => {
                actor.settings = first;
            }
            _ => actor.notes.paged_under = Some(present),
        }
        let ids = self.found(actor, look, is_query, time);
        actor.settings = present;
        let before = self.already_shown(&ids, &token);
        let mut left = ids.into_iter().skip(before);
        let size = if self.may(HiveLiberty::SmallPages) {
            1
        } else {
            usize::try_from(page.size.get()).unwrap_or(usize::MAX)
        };
        let shown: Vec<Id> = left.by_ref().take(size).collect();
        let next = HiveToken {
            time: token.time,
            offset: token.offset + shown.len(),
            after: shown.last().cloned().or(token.after),
        };
        if self.has(PagesTouch) {
            for id in &shown {
                actor.change_life(id, |life| (life.ts, life.from) = (now, now));
            }
        }
        let more = left.next().is_some() || (self.may(HiveLiberty::TrailingEmptyPage) && !shown.is_empty());
        Response::ids(shown).continued(more.then(|| next.write()))
    }

    /// Returns how many of the items were on the pages before.
    fn already_shown(self, ids: &[Id], token: &HiveToken) -> usize {
        if self.may(HiveLiberty::OffsetPages) {
            return token.offset;
        }
        let Some(after) = &token.after else { return 0 };
        let descending = self.may(HiveLiberty::Descending);
        let is_before = |id: &&Id| if descending { *id >= after } else { *id <= after };
        ids.iter().take_while(is_before).count()
    }

    /// Returns whether a query is incomplete because the index is being built; it is, once.
    pub(super) fn takes_lag(self, actor: &mut HiveActor) -> bool {
        let lags_here = self.may(HiveLiberty::LazyQueriesLag) || self.has(ConsistentQueriesLag);
        lags_here && std::mem::take(&mut actor.is_lagging)
    }

    /// Answers a count.
    pub(super) fn count(self, actor: &mut HiveActor, now: i64) -> u64 {
        if self.may(HiveLiberty::LazyCountsLag) && std::mem::take(&mut actor.is_lagging) {
            return 0;
        }
        let count = if self.may(HiveLiberty::CountsStored) {
            actor.entries.len()
        } else {
            self.found(actor, HiveLook::Count, true, now).len()
        };
        u64::try_from(count).unwrap_or(u64::MAX)
    }
}
