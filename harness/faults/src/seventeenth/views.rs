//! Queries, lists, counts and pages.

use cosmos_ttl_harness::target::{DEFAULT_PARTITION, PageRequest, Response, Status};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::tables::{CairnKey, CairnLook, CairnPath, CairnTables};

/// Some continuations begin with this: with whatever JSON, headers and addresses must quote.
const ODD_START: &str = "{\"\u{e9}\": \"+%2B=&#?\\\"} ";

/// What is kept of a query or a list that is answered page by page.
#[derive(Clone, Debug)]
pub(super) struct CairnCursor {
    /// The ids that were visible when it was opened.
    ids: Vec<String>,
    /// The tables when it was opened. Only mistakes use their clock and their settings.
    opened: CairnTables,
}

impl CairnStore {
    /// Returns the ids of a partition that a statement shows, in the order of the key.
    fn visible(self, tables: &CairnTables, look: CairnLook, partition: &str) -> Vec<String> {
        let path = CairnPath { partition, in_batch: false, has_etag: false };
        let in_partition = tables.rows.iter().filter(|(key, _)| {
            key.0 == partition || (self.has(CountAllPartitions) && look == CairnLook::Count)
        });
        let shown = in_partition.filter(|(key, row)| {
            let deadline = self.deadline(tables, key, row, look);
            let is_never = tables.own.get(*key) == Some(&super::tables::CairnOwn::Never);
            let lost = (self.has(CountSkipsNulls) && look == CairnLook::Count && deadline.is_none())
                || (self.has(ListSkipsNever) && look == CairnLook::List && is_never)
                || (look == CairnLook::Query && tables.unindexed.contains(*key));
            !lost && !self.is_expired(tables, key, row, look, path)
        });
        shown.map(|(key, _)| key.1.clone()).collect()
    }

    /// Answers a query or a list.
    pub(super) fn feed(
        self,
        tables: &mut CairnTables,
        cursors: &mut Vec<CairnCursor>,
        look: CairnLook,
        partition: &str,
        page: Option<&PageRequest>,
    ) -> Response {
        if look == CairnLook::Query && tables.lag > 0 && page.is_none() {
            if self.may(CairnLeave::LazyLagOneQuery) {
                tables.lag = 0;
            }
            return Response::ids(Vec::new());
        }
        if self.may(CairnLeave::RemovesOnQuery) {
            self.sweep(tables);
        }
        let ids = self.visible(tables, look, partition);
        if self.has(HiddenFromQueriesForGood) && look == CairnLook::Query {
            let expired = tables.rows.keys().filter(|key| self.is_swept(tables, key)).cloned();
            tables.unindexed = expired.chain(tables.unindexed.iter().cloned()).collect();
        }
        if self.has(QueryTouches) && look == CairnLook::Query {
            for id in &ids {
                self.touch(tables, &(partition.to_owned(), id.clone()));
            }
        }
        match page {
            None => Response::ids(self.ordered(ids)),
            Some(page) => self.page(tables, cursors, look, partition, ids, page),
        }
    }

    fn ordered(self, mut ids: Vec<String>) -> Vec<String> {
        if self.may(CairnLeave::OrderReversed) {
            ids.reverse();
        }
        ids
    }

    fn page(
        self,
        tables: &CairnTables,
        cursors: &mut Vec<CairnCursor>,
        look: CairnLook,
        partition: &str,
        ids: Vec<String>,
        page: &PageRequest,
    ) -> Response {
        let (number, after) = match &page.continuation {
            None => {
                cursors.push(CairnCursor { ids: ids.clone(), opened: tables.clone() });
                (cursors.len().saturating_sub(1), None)
            }
            Some(token) => match token
                .trim_start_matches(ODD_START)
                .split_once(':')
                .and_then(|(n, id)| Some((n.parse().ok()?, id)))
            {
                Some((number, id)) => (number, Some(id.to_owned())),
                None => return Response::new(Status::BadRequest),
            },
        };
        if after.is_none() && self.may(CairnLeave::FirstPageEmpty) {
            return Response::ids(Vec::new()).continued(Some(format!("{number}:")));
        }
        let Some(cursor) = cursors.get(number) else { return Response::new(Status::BadRequest) };
        let size = match self.leave {
            Some(CairnLeave::OneItemAPage) => 1,
            _ => usize::try_from(page.size.get()).unwrap_or(usize::MAX),
        };
        let candidates = self.candidates(tables, cursor, look, partition, ids);
        if self.may(CairnLeave::PagesByOffset) {
            let start: usize = after.as_deref().and_then(|after| after.parse().ok()).unwrap_or(0);
            let rest = candidates.into_iter().skip(start).map(|(id, _)| id).collect::<Vec<_>>();
            let shown: Vec<String> = rest.iter().take(size).cloned().collect();
            let next = start.saturating_add(size);
            return Response::ids(shown).continued((rest.len() > size).then(|| format!("{number}:{next}")));
        }
        let reversed = self.may(CairnLeave::OrderReversed);
        let mut rest: Vec<(String, bool)> = candidates;
        if reversed {
            rest.reverse();
        }
        if let Some(after) = &after {
            rest.retain(|(id, _)| if reversed { id < after } else { id > after });
        }
        let page_rows: Vec<(String, bool)> = rest.iter().take(size).cloned().collect();
        let last = page_rows.last().map(|(id, _)| id.clone());
        let shown: Vec<String> =
            page_rows.into_iter().filter(|(_, shown)| *shown).map(|(id, _)| id).collect();
        let follows = rest.len() > size || (self.may(CairnLeave::LastPageEmpty) && last.is_some());
        let token = last.filter(|_| follows).map(|last| format!("{number}:{last}"));
        let is_odd = self.may(CairnLeave::OddContinuations);
        Response::ids(shown)
            .continued(token.map(|one| if is_odd { format!("{ODD_START}{one}") } else { one }))
    }

    /// Returns the ids among which a page chooses, each with whether it is shown.
    fn candidates(
        self,
        tables: &CairnTables,
        cursor: &CairnCursor,
        look: CairnLook,
        partition: &str,
        ids: Vec<String>,
    ) -> Vec<(String, bool)> {
        if self.has(QueryCursorFrozen) && look == CairnLook::Query {
            return cursor.ids.iter().map(|id| (id.clone(), true)).collect();
        }
        if self.has(ListCursorClock) && look == CairnLook::List {
            let then = CairnTables { now: cursor.opened.now, ..tables.clone() };
            return self.visible(&then, look, partition).into_iter().map(|id| (id, true)).collect();
        }
        if self.has(ListCursorSettings) && look == CairnLook::List {
            let mut then = CairnTables { settings: cursor.opened.settings, ..tables.clone() };
            let default = then.default();
            for row in then.rows.values_mut() {
                row.inherited = self.inherited_deadline(row.ts, default);
            }
            return self.visible(&then, look, partition).into_iter().map(|id| (id, true)).collect();
        }
        if self.may(CairnLeave::CursorKeepsItsIds) {
            return cursor.ids.iter().filter(|id| ids.contains(id)).map(|id| (id.clone(), true)).collect();
        }
        if self.may(CairnLeave::PagesFilteredLate) {
            let all: Vec<&CairnKey> = tables.rows.keys().filter(|key| key.0 == partition).collect();
            return all.iter().map(|key| (key.1.clone(), ids.contains(&key.1))).collect();
        }
        ids.into_iter().map(|id| (id, true)).collect()
    }

    /// Answers a count.
    pub(super) fn count(self, tables: &CairnTables, partition: &str) -> Response {
        let living = self.visible(tables, CairnLook::Count, partition).len();
        let stored = tables.rows.keys().filter(|key| key.0 == partition).count();
        let in_named = partition != DEFAULT_PARTITION;
        let counted = match self.leave {
            Some(CairnLeave::CountsExpired) => stored,
            Some(CairnLeave::CountsExpiredInNamed) if in_named => stored,
            Some(CairnLeave::CountsFromStatistics) => {
                let noted = tables.statistics.get(partition).copied().unwrap_or(0);
                return Response::count(noted);
            }
            _ => living,
        };
        Response::count(u64::try_from(counted).unwrap_or(u64::MAX))
    }

    /// Notes how many items each partition has, after a request that changed something.
    pub(super) fn note_statistics(self, tables: &mut CairnTables) {
        let partitions: std::collections::BTreeSet<String> =
            tables.rows.keys().map(|key| key.0.clone()).collect();
        tables.statistics.clear();
        for partition in partitions {
            let living = self.visible(tables, CairnLook::Count, &partition).len();
            tables.statistics.insert(partition, u64::try_from(living).unwrap_or(u64::MAX));
        }
    }
}
