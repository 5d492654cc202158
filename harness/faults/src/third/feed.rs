//! The handlers of queries, lists and counts.

use std::cmp::Reverse;

use cosmos_ttl_harness::target::{Body, Id, Indexing, PageRequest, Response, Status};

use super::call::{Handler, HandlerCall};
use super::flaw::Flaw;
use super::latitude::{CountChoice, LazyChoice, PageChoice, RowSequence};
use super::row::StoredRow;
use super::session::RowSession;

/// The continuation after an empty first page, and the one after the last row.
const FROM_THE_START: &str = "start";
const AFTER_THE_END: &str = "end";

impl RowSession {
    /// Answers a query or a list.
    pub(super) fn feed(&mut self, handler: Handler, page: Option<&PageRequest>) -> Response {
        let continuation = page.and_then(|page| page.continuation.as_deref());
        let call = HandlerCall { is_later_page: continuation.is_some(), ..HandlerCall::alone(handler) };
        if handler == Handler::Query && self.is_refused() {
            return Response::new(Status::BadRequest);
        }
        let known = self.memory.queried.get(&self.partition);
        if let Some(known) =
            known.filter(|_| self.has(Flaw::QueryCached) && page.is_none() && handler == Handler::Query)
        {
            return Response::ids(known.clone());
        }
        let rows = self.rows_of(call);
        let response = match page {
            None => Response::ids(self.living_ids(&rows, call)),
            Some(page) => self.page(&rows, page, call),
        };
        let found: Vec<u64> =
            rows.iter().filter(|row| !self.is_expired(row, call)).map(|row| row.rid).collect();
        if self.errs(Flaw::TouchedBy, call) {
            let now = self.now;
            self.rows.iter_mut().filter(|row| found.contains(&row.rid)).for_each(|row| row.ts = now);
        }
        if let (Body::Ids(ids), Handler::Query, None) = (&response.body, handler, page) {
            self.memory.queried.insert(self.partition.clone(), ids.clone());
        }
        response
    }

    /// Answers a count.
    pub(super) fn count(&mut self) -> Response {
        let call = HandlerCall::alone(Handler::Count);
        if self.is_refused() {
            return Response::new(Status::BadRequest);
        }
        let rows = self.rows_of(call);
        let living = self.living_ids(&rows, call).len();
        let expired = rows.iter().filter(|row| self.is_expired(row, call)).count();
        let counted = match self.latitude.counts {
            CountChoice::Excluded => 0,
            CountChoice::Counted => expired,
            CountChoice::BySecond => {
                if self.now % 2 == 0 {
                    0
                } else {
                    expired
                }
            }
            CountChoice::AtMostOne => expired.min(1),
        };
        let count = match self.flaw {
            Some(Flaw::CountTwiceExpired) => living.saturating_sub(expired),
            Some(Flaw::CountOfDefaultOnly) => {
                rows.iter().filter(|row| !row.body.contains_key("ttl") && !self.is_expired(row, call)).count()
            }
            _ => living + counted,
        };
        if self.errs(Flaw::TouchedBy, call) {
            let now = self.now;
            let alive: Vec<u64> =
                rows.iter().filter(|row| !self.is_expired(row, call)).map(|row| row.rid).collect();
            self.rows.iter_mut().filter(|row| alive.contains(&row.rid)).for_each(|row| row.ts = now);
        }
        Response::count(u64::try_from(count).unwrap_or(u64::MAX))
    }

    fn is_refused(&self) -> bool {
        self.latitude.refuses_unindexed
            && self.settings.is_some_and(|settings| settings.indexing == Indexing::None)
    }

    /// Returns the rows of the partition, in the order of the answer.
    fn rows_of(&self, call: HandlerCall) -> Vec<StoredRow> {
        let is_wanted = |row: &&StoredRow| !row.is_deleted && self.is_in_partition(row, call);
        let mut rows: Vec<StoredRow> = self.rows.iter().filter(is_wanted).cloned().collect();
        match self.latitude.rows {
            RowSequence::Made => rows.sort_by_key(|row| row.rid),
            RowSequence::LastFirst => rows.sort_by_key(|row| Reverse(row.rid)),
            RowSequence::FromZ => rows.sort_by(|one, other| other.id.cmp(&one.id)),
        }
        let rebuilt = self.memory.rebuilt_s.filter(|_| call.handler != Handler::List);
        let lags = |seconds: i64| rebuilt.is_some_and(|at| self.now < at + seconds) && self.is_lazy();
        match self.latitude.lazy {
            LazyChoice::LeavesOut if lags(3) => rows.retain(|row| row.rid % 2 == 0),
            LazyChoice::FindsNothing if lags(1) => rows.clear(),
            _ => {}
        }
        let is_on_again = self.memory.switched_on_s.is_some_and(|at| self.now < at + 2);
        if self.has(Flaw::IndexRebuiltEmpty) && is_on_again && call.handler == Handler::Query {
            rows.clear();
        }
        rows
    }

    fn living_ids(&self, rows: &[StoredRow], call: HandlerCall) -> Vec<Id> {
        let is_query = call.handler == Handler::Query;
        let mut ids = Vec::new();
        let mut is_skipped = false;
        for row in rows {
            let is_expired = self.is_expired(row, call);
            if is_expired && is_query && self.has(Flaw::QueryStopsAtExpired) {
                break;
            }
            if !is_expired && !is_skipped {
                ids.push(row.id.clone());
            }
            is_skipped = is_expired && !is_skipped && is_query && self.has(Flaw::QuerySkipsAfterExpired);
        }
        ids
    }

    /// Returns one page; a continuation names the row that came last.
    fn page(&mut self, rows: &[StoredRow], page: &PageRequest, call: HandlerCall) -> Response {
        let after = page.continuation.as_deref();
        let pages = self.latitude.pages;
        match after {
            None if pages == PageChoice::EmptyFirst => {
                return Response::ids(Vec::new()).continued(Some(FROM_THE_START.into()));
            }
            Some(AFTER_THE_END) => return Response::ids(Vec::new()),
            _ => {}
        }
        let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
        let size = if pages == PageChoice::TwoAtMost { size.min(2) } else { size };
        let last: Option<u64> = after.and_then(|after| after.split('/').next()?.parse().ok());
        let last_id = after.and_then(|after| after.split_once('/')).map(|(_, id)| id.to_owned());
        let is_next = |row: &&StoredRow| match (self.latitude.rows, last, &last_id) {
            (RowSequence::Made, Some(last), _) => row.rid > last,
            (RowSequence::LastFirst, Some(last), _) => row.rid < last,
            (RowSequence::FromZ, _, Some(last)) => row.id < *last,
            _ => true,
        };
        let is_shown = |row: &&StoredRow| match self.flaw {
            Some(Flaw::ListFromSnapshot) if call.is_later_page => {
                self.memory.snapshot.contains(&row.id) || !self.is_expired(row, call)
            }
            Some(Flaw::PageEndsAtExpired) => true,
            _ => pages == PageChoice::Rows || !self.is_expired(row, call),
        };
        let left: Vec<&StoredRow> = rows.iter().filter(is_next).filter(is_shown).collect();
        let on_page: Vec<&StoredRow> = left.iter().copied().take(size).collect();
        let is_snapshot = self.has(Flaw::ListFromSnapshot) && call.is_later_page;
        let ids: Vec<Id> = on_page
            .iter()
            .filter(|row| is_snapshot || !self.is_expired(row, call))
            .map(|row| row.id.clone())
            .collect();
        let mut continuation = if on_page.len() < left.len() {
            on_page.last().map(|row| format!("{}/{}", row.rid, row.id))
        } else {
            (pages == PageChoice::EmptyLast).then(|| AFTER_THE_END.to_owned())
        };
        if self.has(Flaw::PageEndsAtExpired) && ids.len() < on_page.len() {
            continuation = None;
        }
        if after.is_none() && self.has(Flaw::ListFromSnapshot) {
            let alive = rows.iter().filter(|row| !self.is_expired(row, call));
            self.memory.snapshot = alive.map(|row| row.id.clone()).collect();
        }
        Response::ids(ids).continued(continuation)
    }
}
