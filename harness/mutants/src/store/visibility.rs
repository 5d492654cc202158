//! How long an item lives, who sees it until when, and what is shown of it.

use super::items::{set_ttl, shown_tag};
use super::pages::ListedItem;
use super::settings::{last_32, nested, whole};
use super::{IndependentSession, LONGEST, StoredItem, TtlSetting};
use crate::mutation::{Access, Lifespan, Mutation as M, Reading, TtlCell};
use cosmos_ttl_harness::target::{Document, Indexing, Item, Response, Status};

use TtlSetting::{Absent, Never, Seconds};

impl IndependentSession {
    /// Returns whether the item is gone for a client that looks in one of these ways.
    pub(super) fn is_expired(&self, item: &StoredItem, looks: &[Access]) -> bool {
        if item.latched {
            return true;
        }
        let is_query = || {
            looks
                .iter()
                .any(|look| matches!(look, Access::Query | Access::List | Access::Count | Access::Background))
        };
        let late = match self.store.mutation {
            Some(M::Sees(look, late)) if look == Access::All || looks.contains(&look) => late,
            Some(M::Misreads(look, reading)) if looks.contains(&look) => {
                return self.is_over_by(reading, item);
            }
            Some(M::ShowsExpiredEmpty) => return false,
            Some(M::ReturnForOneLook) if item.history.seen_back => return true,
            Some(M::ReturnForQueriesOnly) if item.history.expired_before && !is_query() => return true,
            _ => 0,
        };
        self.deadline(item).is_some_and(|deadline| self.is_over(deadline + late, item))
    }

    /// Whether the item is expired for a lazy index that was built before the settings changed.
    fn was_expired(&self, item: &StoredItem) -> bool {
        let life = self.life(self.history.before, self.said(item));
        life.is_some_and(|life| item.written + life <= self.now)
    }

    /// Whether the item is over for an access that misreads the settings or the table.
    fn is_over_by(&self, reading: Reading, item: &StoredItem) -> bool {
        let default = match reading {
            Reading::FirstSettings => self.history.first.unwrap_or(self.default),
            Reading::PreviousSettings if self.history.is_changed => self.history.before,
            _ => self.default,
        };
        let own = match (reading, self.said(item)) {
            (Reading::MinusOneInherits, Never) | (Reading::OnlyDefault, _) => Absent,
            (_, own) => own,
        };
        let life = match (reading, default, own) {
            (Reading::OffHonoursOwn, Absent, Seconds(own)) => Some(own),
            (Reading::MinusOneIsOff, Never, _) | (Reading::OnlyOwn, _, Absent) => None,
            (Reading::Shorter, Seconds(default), Seconds(own)) => Some(default.min(own)),
            _ => self.life(default, own),
        };
        life.is_some_and(|life| item.written + life <= self.now)
    }

    fn is_over(&self, deadline: i128, item: &StoredItem) -> bool {
        match self.store.mutation {
            Some(M::LooksEvery(seconds)) => deadline <= self.now - self.now.rem_euclid(seconds),
            Some(M::CountsFractions) if deadline == self.now => item.history.moment <= self.history.moment,
            Some(M::ClockWraps) => deadline <= last_32(self.now),
            _ => deadline <= self.now,
        }
    }

    pub(super) fn deadline(&self, item: &StoredItem) -> Option<i128> {
        let own = match self.store.mutation {
            Some(M::DormantTtlIsForgotten) if item.history.slept => Absent,
            _ => self.said(item),
        };
        let life = self.life(self.default_of(item), own)?;
        let from = self.counted_from(item) + item.history.extra;
        let deadline = from + life;
        Some(match self.store.mutation {
            Some(M::Absolute) => life,
            Some(M::Unit(thousandths)) => from + life.saturating_mul(thousandths).div_euclid(1_000),
            Some(M::DeadlineWraps) => last_32(deadline),
            Some(M::DeadlineWrapsUnsigned) => deadline.rem_euclid(1 << 32),
            Some(M::DeadlineSaturates) => deadline.min(LONGEST),
            _ => deadline,
        })
    }

    /// The table.
    pub(super) fn life(&self, default: TtlSetting, own: TtlSetting) -> Option<i128> {
        if let Some(M::Cell(cells, life)) = self.store.mutation
            && cells.contains(&cell(default, own))
        {
            return misread(life, seconds(default), seconds(own));
        }
        match (default, own) {
            (Absent, _) | (_, Never) | (Never, Absent) => None,
            (_, Seconds(seconds)) | (Seconds(seconds), Absent) => Some(seconds),
        }
    }

    fn default_of(&self, item: &StoredItem) -> TtlSetting {
        let then = item.history.default;
        match (self.store.mutation, seconds(then), seconds(self.default)) {
            (Some(M::DefaultAtWrite), ..) => then,
            (Some(M::DefaultAtWriteBy(wrongly)), ..)
                if item.history.by.is_some_and(|by| wrongly.covers(by, item.history.in_batch)) =>
            {
                then
            }
            (Some(M::DefaultAtWriteIfLonger), Some(old), Some(new)) if new < old => then,
            (Some(M::DefaultAtWriteIfShorter), Some(old), Some(new)) if old < new => then,
            (Some(M::DefaultAtWriteIfOff), ..) if then == Absent => then,
            (Some(M::DefaultASecondLate), ..) if self.now == self.history.changed => self.history.before,
            (Some(M::FirstDefault), ..) => self.history.first.unwrap_or(self.default),
            (Some(M::LazyNeverExpires), ..) if self.indexing == Indexing::Lazy => Absent,
            (Some(M::OnlyTheDefaultPartitionExpires), ..) if item.partition.is_some() => Absent,
            _ => self.default,
        }
    }

    fn counted_from(&self, item: &StoredItem) -> i128 {
        match self.store.mutation {
            Some(M::CountsFromCreation) => item.history.created,
            Some(M::CountsFromContainer) => self.history.born,
            Some(M::CountsFromLastSettings) => item.written.max(self.history.changed),
            Some(M::CountsFromSwitchingOn) => item.written.max(self.history.on_since),
            Some(M::CountsFromWaking) if self.said(item) != Absent => item.written.max(self.history.on_since),
            Some(M::CountsFromFullMinute) => item.written + (-item.written).rem_euclid(60),
            _ => item.written,
        }
    }

    /// The items of the partition that this look finds.
    pub(super) fn seen(&self, look: Access) -> Vec<ListedItem> {
        let lags = self.takes_now(self.store.choices.lazy_index_lags) || self.has(M::ConsistentIndexLags);
        let here = self.items.iter().filter(|item| item.partition == self.partition);
        let visible =
            here.filter(|item| match (self.lagging && lags, self.store.freedoms.lazy_index_stale) {
                (false, _) => !self.is_expired(item, &[look]),
                (true, stale) => stale && !self.was_expired(item),
            });
        visible.map(|item| (item.tag, item.id.clone())).collect()
    }

    pub(super) fn list(&mut self, look: Access) -> Response {
        let seen = self.seen(look);
        let stored = self.items.iter().filter(|item| item.partition == self.partition).count();
        if self.has(M::Restarts(look)) {
            self.restart(|item| seen.iter().any(|(tag, _)| *tag == item.tag));
        }
        if look != Access::Count {
            return Response::ids(seen.into_iter().map(|(_, id)| id).collect());
        }
        let counts_all = self.takes_now(self.store.choices.expired_counted);
        let counted = if counts_all { stored } else { seen.len() };
        let count = match self.store.mutation {
            Some(M::CountsOverwritten) => counted + self.history.gone.len(),
            Some(M::SubtractsRefusedDeletes) => {
                let refused = self.history.gone.iter().filter(|item| item.partition == self.partition);
                counted.saturating_sub(refused.count())
            }
            Some(M::SubtractsExpiredTwice) => seen.len().saturating_sub(stored - seen.len()),
            _ => counted,
        };
        Response::count(count as u64)
    }

    pub(super) fn show(&self, status: Status, item: &StoredItem) -> Response {
        let mut properties = item.properties.clone();
        let mut ts = item.written;
        let own = properties.contains_key("ttl");
        let left = || self.deadline(item).map(|deadline| deadline - self.now);
        match (self.store.mutation, self.default) {
            (Some(M::ShowsTsOfCreation), _) => ts = item.history.created,
            (Some(M::ShowsTsInMinutes), _) => ts /= 60,
            (Some(M::ShowsTsOfNow), _) => ts = self.now,
            (Some(M::ShowsNoTtl), _) => drop(properties.remove("ttl")),
            (Some(M::ShowsDefault), Seconds(seconds)) if !own => {
                set_ttl(&mut properties, seconds);
            }
            (Some(M::ShowsRemaining), _) if own => {
                if let Some(left) = left() {
                    set_ttl(&mut properties, left);
                }
            }
            (Some(M::HidesOldParts), _) => {
                let age = self.now - item.written;
                properties.retain(|_, value| {
                    let ttl = nested(value).and_then(|ttl| whole(ttl, false));
                    ttl.is_none_or(|ttl| ttl < 0 || age < ttl)
                });
            }
            (Some(M::ShowsExpiredEmpty), _) if left().is_some_and(|left| left <= 0) => properties.clear(),
            _ => {}
        }
        let document = Document { id: item.id.clone(), properties };
        Response::item(status, Item { document, ts: i64::try_from(ts).ok(), etag: Some(shown_tag(item.tag)) })
    }
}

fn seconds(says: TtlSetting) -> Option<i128> {
    match says {
        Seconds(seconds) => Some(seconds),
        Absent | Never => None,
    }
}

fn cell(default: TtlSetting, own: TtlSetting) -> TtlCell {
    match (default, own) {
        (Absent, Absent) => TtlCell::OffAbsent,
        (Absent, Never) => TtlCell::OffNever,
        (Absent, Seconds(_)) => TtlCell::OffOwn,
        (Never, Absent) => TtlCell::OnAbsent,
        (Never, Never) => TtlCell::OnNever,
        (Never, Seconds(_)) => TtlCell::OnOwn,
        (Seconds(_), Absent) => TtlCell::DefaultAbsent,
        (Seconds(_), Never) => TtlCell::DefaultNever,
        (Seconds(_), Seconds(_)) => TtlCell::DefaultOwn,
    }
}

fn misread(life: Lifespan, default: Option<i128>, own: Option<i128>) -> Option<i128> {
    let both = || default.zip(own);
    match life {
        Lifespan::Never => None,
        Lifespan::Default => default,
        Lifespan::Own => own,
        Lifespan::Shorter => both().map(|(default, own)| default.min(own)),
        Lifespan::Longer => both().map(|(default, own)| default.max(own)),
        Lifespan::Sum => both().map(|(default, own)| default + own),
        Lifespan::Seconds(seconds) => Some(seconds),
    }
}
