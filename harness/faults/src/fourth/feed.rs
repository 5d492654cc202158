//! Queries, lists, counts and pages.

use std::num::NonZeroU32;

use cosmos_ttl_harness::target::{Id, PageRequest, Response};

use super::choice::{FeedOrder, LazyIndex, PageForm};
use super::scope::TimerPath;
use super::session::TimerSession;
use super::slip::Slip;
use super::slot::SlotNumber;

/// An entry of a feed: where it lies in the order, its slot, its id, and whether a client may see it.
struct FeedEntry {
    key: String,
    number: SlotNumber,
    id: Id,
    is_visible: bool,
}

impl TimerSession {
    /// Answers a query or a list.
    pub(super) fn feed(&mut self, page: Option<&PageRequest>) -> Response {
        let entries = self.entries();
        for entry in entries.iter().filter(|entry| entry.is_visible) {
            self.observe(entry.number);
        }
        let Some(page) = page else {
            let ids = entries.into_iter().filter(|entry| entry.is_visible).map(|entry| entry.id);
            return Response::ids(ids.chain(self.phantom_ids()).collect());
        };
        if self.slips(Slip::PagesOfASnapshot) {
            return self.snapshot_page(&entries, page);
        }
        let after = page.continuation.as_deref().unwrap_or_default();
        let rest: Vec<_> = entries.into_iter().filter(|entry| entry.key.as_str() > after).collect();
        self.page(rest, page.size)
    }

    /// Returns the first page of the entries that are left.
    fn page(&self, rest: Vec<FeedEntry>, size: NonZeroU32) -> Response {
        let size = usize::try_from(size.get()).unwrap_or(usize::MAX);
        let form = self.choice.pages;
        let size = if form == PageForm::Single { 1 } else { size };
        let counts_stored = form == PageForm::Stored || self.slips(Slip::EmptyPageEnds);
        let mut last = None;
        let mut ids = Vec::new();
        let mut held = 0;
        let mut left = rest.into_iter();
        while held < size
            && let Some(entry) = left.next()
        {
            held += usize::from(entry.is_visible || counts_stored);
            last = Some(entry.key);
            ids.extend(Some(entry.id).filter(|_| entry.is_visible));
        }
        let more = match form {
            PageForm::Stored => left.next().is_some(),
            PageForm::Trailing => !ids.is_empty(),
            PageForm::Full | PageForm::Single => left.any(|entry| entry.is_visible),
        };
        let is_end = self.slips(Slip::EmptyPageEnds) && ids.is_empty();
        Response::ids(ids).continued(last.filter(|_| more && !is_end))
    }

    /// Returns a page of the items that were visible when the first page was asked for.
    fn snapshot_page(&mut self, entries: &[FeedEntry], page: &PageRequest) -> Response {
        if page.continuation.is_none() {
            let visible = entries.iter().filter(|entry| entry.is_visible);
            self.page = visible.map(|entry| self.name(&entry.id)).collect();
        }
        let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
        let rest = self.page.split_off(size.min(self.page.len()));
        let names = std::mem::replace(&mut self.page, rest);
        let more = (!self.page.is_empty()).then(|| "more".to_owned());
        Response::ids(names.into_iter().map(|name| name.1).collect()).continued(more)
    }

    /// Lists the entries of the partition's feed in order.
    fn entries(&self) -> Vec<FeedEntry> {
        let numbers = self.table.feeds.get(&self.partition).into_iter().flatten().copied();
        let rebuilds =
            self.call.path != TimerPath::List && self.rebuilt_s.is_some_and(|until| self.now < until);
        let mut entries: Vec<_> = numbers
            .filter(|number| match self.choice.lazy {
                _ if !rebuilds => true,
                LazyIndex::Fresh | LazyIndex::Refused => true,
                LazyIndex::Empty => false,
                LazyIndex::Half => number.is_multiple_of(2),
            })
            .filter_map(|number| Some((number, self.table.slots.get(&number)?)))
            .map(|(number, slot)| FeedEntry {
                key: match self.choice.order {
                    FeedOrder::Oldest => format!("{number:020}"),
                    FeedOrder::Newest => format!("{:020}", u64::MAX - number),
                    FeedOrder::ById => format!("~{}", slot.name.1),
                },
                number,
                id: slot.name.1.clone(),
                is_visible: self.is_visible(slot),
            })
            .collect();
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        if self.slips(Slip::FeedStopsAtExpired) {
            let end = entries.iter().position(|entry| !entry.is_visible).unwrap_or(entries.len());
            entries.truncate(end);
        }
        if self.slips(Slip::FeedSkipsAfterExpired) {
            let mut was_expired = false;
            entries.retain(|entry| {
                let skips = was_expired && entry.is_visible;
                was_expired = !entry.is_visible;
                !skips
            });
        }
        entries
    }

    /// Lists the ids of removed items that the fault still shows.
    fn phantom_ids(&self) -> Vec<Id> {
        let is_here =
            |name: &&(String, Id)| name.0 == self.partition && !self.table.names.contains_key(*name);
        self.phantoms.iter().filter(is_here).map(|name| name.1.clone()).collect()
    }

    /// Answers a count.
    pub(super) fn count(&mut self) -> Response {
        let counts_stored = self.choose(self.choice.count_of_expired);
        let entries = self.entries();
        let visible = entries.iter().filter(|entry| entry.is_visible).count();
        let expired = entries.len() - visible;
        let count = match self.fault {
            Some((Slip::CountSubtractsTwice, _)) => visible.saturating_sub(expired),
            Some((Slip::CountIgnoresTtlItems, _)) => {
                let of_own = |entry: &&FeedEntry| {
                    let slot = self.table.slots.get(&entry.number);
                    slot.is_some_and(|slot| slot.armed_s.is_none())
                };
                entries.iter().filter(of_own).count()
            }
            _ if counts_stored => entries.len(),
            _ => visible,
        };
        Response::count(u64::try_from(count).unwrap_or(u64::MAX))
    }
}
