//! Queries, lists and counts, which the board answers.

use cosmos_ttl_harness::target::{Id, Indexing, PageRequest, Response};

use super::allowance::{FeedOrder, LazyIndex, PageFill};
use super::fold::LedgerEntry;
use super::ledger::LedgerSession;
use super::rule::LedgerKey;
use super::slip::{Door, Path, Slip, Via};

/// The token of a first page that was empty.
const START: &str = "start";

/// How many rows a mistaken query handles.
const MOST_ROWS: usize = 100;

/// Where a row is in the order of a feed.
type Place = (u64, Id);

/// A row of a feed: its place, its key and whether it is visible.
struct FeedRow {
    place: Place,
    key: LedgerKey,
    is_visible: bool,
}

impl LedgerSession {
    /// Answers a query or a list.
    pub(super) fn feed(&mut self, path: Path, page: Option<&PageRequest>) -> Response {
        if path == Path::Query && self.is_lazy_index_empty() {
            return Response::ids(Vec::new());
        }
        let token = page.and_then(|page| page.continuation.as_deref());
        let via = if token.is_some() { Via::Later } else { Via::Plain };
        if token.is_none() {
            self.memory.first_page = Some((self.settings.unwrap_or_default().default, self.now_s));
        }
        let rows = self.rows(Door(path, via));
        if self.slips(Slip::HiddenIds) {
            let hidden = rows.iter().filter(|row| !row.is_visible).map(|row| row.key.clone());
            self.memory.hidden.extend(hidden);
        }
        if self.slips(Slip::SlidingQuery) {
            let now_s = self.now_s;
            for row in rows.iter().filter(|row| row.is_visible) {
                self.amend(&row.key, |entry| entry.counts_from_s = now_s);
            }
        }
        let Some(page) = page else {
            let mut ids = visible(&rows);
            match self.slip {
                Some(Slip::QueryCutsAt100) => ids.truncate(MOST_ROWS),
                Some(Slip::QueryHides100) => {
                    let hidden = rows.iter().filter(|row| !row.is_visible).skip(MOST_ROWS);
                    ids.extend(hidden.map(|row| row.place.1.clone()));
                }
                _ => {}
            }
            return Response::ids(ids);
        };
        let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
        match self.slip {
            Some(Slip::SnapshotPages) => return self.snapshot(token, &rows, size),
            Some(Slip::OffsetTokens) => return by_offset(token, &rows, size),
            _ => {}
        }
        if token.is_none() && self.allowance.pages == PageFill::EmptyFirst {
            return Response::ids(Vec::new()).continued(Some(START.into()));
        }
        self.page(token, rows, size)
    }

    /// Returns a page that begins after a token.
    fn page(&self, token: Option<&str>, mut rows: Vec<FeedRow>, size: usize) -> Response {
        if let Some(after) = token.filter(|token| *token != START).and_then(place) {
            let is_backwards = self.allowance.feed == FeedOrder::IdsBackwards;
            rows.retain(|row| if is_backwards { row.place < after } else { row.place > after });
        }
        let ends_at_empty = self.slips(Slip::PagesEndAtEmpty);
        let has_gaps = ends_at_empty || self.allowance.pages == PageFill::WithGaps;
        if !has_gaps {
            rows.retain(|row| row.is_visible);
        }
        let size = if self.allowance.pages == PageFill::Single { 1 } else { size };
        let more = rows.len() > size;
        rows.truncate(size);
        let ids = visible(&rows);
        let last = rows.last().filter(|_| more && !(ends_at_empty && ids.is_empty()));
        let token = last.map(|row| format!("{}:{}", row.place.0, row.place.1));
        Response::ids(ids).continued(token)
    }

    /// Returns a page of what was visible at the first one, which is a mistake.
    fn snapshot(&mut self, token: Option<&str>, rows: &[FeedRow], size: usize) -> Response {
        if token.is_none() {
            self.memory.snapshot = visible(rows);
        }
        let rest = self.memory.snapshot.split_off(size.min(self.memory.snapshot.len()));
        let ids = std::mem::replace(&mut self.memory.snapshot, rest);
        let more = !self.memory.snapshot.is_empty();
        Response::ids(ids).continued(more.then(|| "more".into()))
    }

    /// Answers a count.
    pub(super) fn count(&self) -> Response {
        let rows = self.rows(Door(Path::Count, Via::Plain));
        let counted = rows.iter().filter(|row| self.allowance.expired.counts_stored || row.is_visible);
        Response::count(counted.fold(0, |count, _| count + 1))
    }

    /// Returns the rows of the partition, in order.
    fn rows(&self, door: Door) -> Vec<FeedRow> {
        let mine = self.board.iter().filter(|(_, entry)| entry.home.0 == self.partition);
        let row = |(key, entry): (&LedgerKey, &LedgerEntry)| {
            let serial = if self.allowance.feed == FeedOrder::Creation { entry.serial } else { 0 };
            let is_hidden = match self.slip {
                Some(Slip::HiddenIds) => self.memory.hidden.contains(key),
                Some(Slip::HiddenById) => {
                    let mut same = self.board.iter().filter(|(other, _)| other.1 == key.1);
                    same.any(|(other, entry)| self.is_expired(other, entry, door))
                }
                Some(Slip::BoardStaysHidden) => self.memory.stays_hidden.contains(&entry.serial),
                _ => false,
            };
            FeedRow {
                place: (serial, entry.home.1.clone()),
                key: key.clone(),
                is_visible: !is_hidden && !self.is_expired(key, entry, door),
            }
        };
        let mut rows: Vec<FeedRow> = mine.map(row).collect();
        rows.sort_by(|a, b| a.place.cmp(&b.place));
        if self.allowance.feed == FeedOrder::IdsBackwards {
            rows.reverse();
        }
        rows
    }

    /// Returns whether the index is lazy.
    pub(super) fn is_lazy(&self) -> bool {
        self.settings.unwrap_or_default().indexing == Indexing::Lazy
    }

    /// Returns whether a lazy index is still empty after a change of the default.
    fn is_lazy_index_empty(&self) -> bool {
        self.allowance.lazy == LazyIndex::EmptyAfterChange
            && self.is_lazy()
            && self.memory.changed_s == Some(self.now_s)
    }
}

/// Returns a page by its offset into stored rows, which is a mistake.
fn by_offset(token: Option<&str>, rows: &[FeedRow], size: usize) -> Response {
    let offset = token.and_then(|token| token.parse::<usize>().ok()).unwrap_or(0);
    let mut ids = Vec::new();
    for (next, row) in (offset..).zip(rows.iter().skip(offset)) {
        if ids.len() == size {
            return Response::ids(ids).continued(Some(next.to_string()));
        }
        if row.is_visible {
            ids.push(row.place.1.clone());
        }
    }
    Response::ids(ids)
}

fn visible(rows: &[FeedRow]) -> Vec<Id> {
    rows.iter().filter(|row| row.is_visible).map(|row| row.place.1.clone()).collect()
}

fn place(token: &str) -> Option<Place> {
    let (serial, id) = token.split_once(':')?;
    Some((serial.parse().ok()?, id.into()))
}
