//! How long an item lives, who sees it until when, and what is shown of it.

use super::items::{set_ttl, shown_tag};
use super::settings::{last_32, nested};
use super::{LONGEST, Row, Setting, Store};
use crate::mutation::{
    Access, CountStart, DecidingSettings, IndexFault, Lifespan, Miscount, Mutation as M, Overflow32,
    RestartCause, ReturnFault, ShownAs, TtlCell,
};
use crate::number::whole;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Indexing, Item, Properties, Response, Status};

impl Store {
    /// Whether the item is gone for whoever looks in one of these ways.
    pub(super) fn is_expired(&self, row: &Row, looks: &[Access]) -> bool {
        if row.latched {
            return true;
        }
        let late = match self.variant.mutation {
            Some(M::Sees(look, late)) if look == Access::All || looks.contains(&look) => late,
            Some(M::Shows(ShownAs::EmptyOnceExpired)) => return false,
            Some(M::Returns(ReturnFault::ForOneLook)) if row.history.seen_back => return true,
            Some(M::Returns(ReturnFault::ForQueriesOnly))
                if row.history.expired_before && !looks.iter().any(|look| is_query(*look)) =>
            {
                return true;
            }
            _ => 0,
        };
        self.deadline(row).is_some_and(|deadline| self.is_over(deadline + late, row))
    }

    fn is_over(&self, deadline: i128, row: &Row) -> bool {
        match self.variant.mutation {
            Some(M::LooksEvery(seconds)) => deadline <= self.now - self.now.rem_euclid(seconds),
            Some(M::CountsFractions) if deadline == self.now => row.history.moment <= self.history.moment,
            Some(M::Deadline32(Overflow32::ClockWraps)) => deadline <= last_32(self.now),
            _ => deadline <= self.now,
        }
    }

    /// The second from which the item is expired, if there is one.
    pub(super) fn deadline(&self, row: &Row) -> Option<i128> {
        let life = self.life(self.default_of(row), self.own_of(row))?;
        let from = self.counted_from(row) + row.history.extra;
        let deadline = from + life;
        Some(match self.variant.mutation {
            Some(M::Absolute) => life,
            Some(M::Unit(thousandths)) => from + life.saturating_mul(thousandths).div_euclid(1_000),
            Some(M::Deadline32(Overflow32::Wraps)) => last_32(deadline),
            Some(M::Deadline32(Overflow32::WrapsUnsigned)) => deadline.rem_euclid(1 << 32),
            Some(M::Deadline32(Overflow32::Saturates)) => deadline.min(LONGEST),
            _ => deadline,
        })
    }

    /// The table.
    pub(super) fn life(&self, default: Setting, own: Setting) -> Option<i128> {
        if let Some(M::Cell(cells, life)) = self.variant.mutation
            && cells.contains(&cell(default, own))
        {
            return misread(life, seconds(default), seconds(own));
        }
        match (default, own) {
            (Setting::Absent, _) | (_, Setting::Never) | (Setting::Never, Setting::Absent) => None,
            (_, Setting::Seconds(seconds)) | (Setting::Seconds(seconds), Setting::Absent) => Some(seconds),
        }
    }

    fn own_of(&self, row: &Row) -> Setting {
        match self.variant.mutation {
            Some(M::Decides(DecidingSettings::DormantIsForgotten)) if row.history.slept => Setting::Absent,
            _ => self.said(row),
        }
    }

    /// What the container says to this item.
    fn default_of(&self, row: &Row) -> Setting {
        let then = row.history.default;
        match (self.variant.mutation, seconds(then), seconds(self.default)) {
            (Some(M::Decides(DecidingSettings::AtWrite)), ..) => then,
            (Some(M::Decides(DecidingSettings::AtWriteIfLonger)), Some(old), Some(new)) if new < old => then,
            (Some(M::Decides(DecidingSettings::AtWriteIfShorter)), Some(old), Some(new)) if old < new => then,
            (Some(M::Decides(DecidingSettings::AtWriteIfOff)), ..) if then == Setting::Absent => then,
            (Some(M::Decides(DecidingSettings::ASecondLate)), ..) if self.now == self.history.changed => {
                self.history.before
            }
            (Some(M::Decides(DecidingSettings::TheFirst)), ..) => self.history.first.unwrap_or(self.default),
            (Some(M::Index(IndexFault::LazyNeverExpires)), ..) if self.indexing == Indexing::Lazy => {
                Setting::Absent
            }
            _ => self.default,
        }
    }

    fn counted_from(&self, row: &Row) -> i128 {
        match self.variant.mutation {
            Some(M::CountsFrom(CountStart::Creation)) => row.history.created,
            Some(M::CountsFrom(CountStart::Container)) => self.history.born,
            Some(M::CountsFrom(CountStart::LastSettings)) => row.written.max(self.history.changed),
            Some(M::CountsFrom(CountStart::SwitchingOn)) => row.written.max(self.history.on_since),
            Some(M::CountsFrom(CountStart::Waking)) if self.said(row) != Setting::Absent => {
                row.written.max(self.history.on_since)
            }
            Some(M::CountsFrom(CountStart::Minutes)) => row.written + (-row.written).rem_euclid(60),
            _ => row.written,
        }
    }

    pub(super) fn list(&mut self, look: Access, cause: RestartCause) -> Response {
        let ids = self.listed(look).map(|row| row.id.clone()).collect();
        self.restart_if(cause, look);
        Response::ids(ids)
    }

    pub(super) fn count(&mut self) -> Response {
        let visible = self.listed(Access::Count).count();
        let counted =
            if self.takes_now(self.variant.choices.expired_counted) { self.rows.len() } else { visible };
        let count = match self.variant.mutation {
            Some(M::Counts(Miscount::Overwritten)) => counted + self.history.overwritten.len(),
            Some(M::Counts(Miscount::SubtractsTwice)) => visible.saturating_sub(self.rows.len() - visible),
            _ => counted,
        };
        self.restart_if(RestartCause::Count, Access::Count);
        Response::count(count as u64)
    }

    fn restart_if(&mut self, cause: RestartCause, look: Access) {
        if self.errs(M::Restarts(cause)) {
            self.restart_seen(look);
        }
    }

    /// The items that a look at the whole container sees.
    pub(super) fn listed(&self, look: Access) -> impl Iterator<Item = &Row> {
        let may_lag = self.variant.choices.lazy_index_lags || self.errs(M::Index(IndexFault::ConsistentLags));
        let lags = self.lagging && may_lag;
        self.rows.iter().filter(move |row| !lags && !self.is_expired(row, &[look]))
    }

    /// The item, as an answer carries it.
    pub(super) fn show(&self, status: Status, row: &Row) -> Response {
        let mut properties = row.properties.clone();
        let mut ts = row.written;
        if let Some(M::Shows(shown)) = self.variant.mutation {
            match shown {
                ShownAs::TsOfCreation => ts = row.history.created,
                ShownAs::TsInMilliseconds => ts = ts.saturating_mul(1_000),
                ShownAs::TsOfNow => ts = self.now,
                shown => self.misshow(shown, row, &mut properties),
            }
        }
        let document = Document { id: row.id.clone(), properties };
        Response::item(status, Item { document, ts: i64::try_from(ts).ok(), etag: Some(shown_tag(row.tag)) })
    }

    fn misshow(&self, shown: ShownAs, row: &Row, properties: &mut Properties) {
        let over = self.deadline(row).is_some_and(|deadline| deadline <= self.now);
        let left = self.deadline(row).map(|deadline| deadline - self.now);
        match (shown, self.default, left) {
            (ShownAs::WithoutTtl, ..) => properties.retain(|name, _| name != "ttl"),
            (ShownAs::WithDefault, Setting::Seconds(seconds), _) if !properties.contains_key("ttl") => {
                set_ttl(properties, seconds);
            }
            (ShownAs::WithRemaining, _, Some(left)) if properties.contains_key("ttl") => {
                set_ttl(properties, left);
            }
            (ShownAs::WithoutOldParts, ..) => {
                let age = self.now - row.written;
                properties.retain(|_, value| ttl_of_part(value).is_none_or(|ttl| ttl < 0 || age < ttl));
            }
            (ShownAs::EmptyOnceExpired, ..) if over => properties.clear(),
            _ => {}
        }
    }
}

fn is_query(look: Access) -> bool {
    matches!(look, Access::Query | Access::List | Access::Count | Access::Background)
}

fn seconds(says: Setting) -> Option<i128> {
    match says {
        Setting::Seconds(seconds) => Some(seconds),
        Setting::Absent | Setting::Never => None,
    }
}

fn cell(default: Setting, own: Setting) -> TtlCell {
    match (default, own) {
        (Setting::Absent, Setting::Absent) => TtlCell::OffAbsent,
        (Setting::Absent, Setting::Never) => TtlCell::OffNever,
        (Setting::Absent, Setting::Seconds(_)) => TtlCell::OffOwn,
        (Setting::Never, Setting::Absent) => TtlCell::OnAbsent,
        (Setting::Never, Setting::Never) => TtlCell::OnNever,
        (Setting::Never, Setting::Seconds(_)) => TtlCell::OnOwn,
        (Setting::Seconds(_), Setting::Absent) => TtlCell::DefaultAbsent,
        (Setting::Seconds(_), Setting::Never) => TtlCell::DefaultNever,
        (Setting::Seconds(_), Setting::Seconds(_)) => TtlCell::DefaultOwn,
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

fn ttl_of_part(value: &Literal) -> Option<i128> {
    whole(nested(value)?, false)
}
