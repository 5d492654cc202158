//! How long an item lives, from when, and who sees it until when.

use super::Store;
use super::domain::last_32;
use super::row::{LONGEST, Row, Says};
use crate::mutation::{Cell, Decides, From, Index, Life, Look, Mutation as M, Overflow, Return, Shown};
use cosmos_ttl_harness::target::Indexing;

impl Store {
    /// Whether the item is gone for whoever looks in one of these ways.
    pub(super) fn is_expired(&self, row: &Row, looks: &[Look]) -> bool {
        if row.latched {
            return true;
        }
        let late = match self.variant.mutation {
            Some(M::Sees(look, late)) if look == Look::All || looks.contains(&look) => late,
            Some(M::Shows(Shown::EmptyOnceExpired)) => return false,
            Some(M::Returns(Return::ForOneLook)) if row.past.seen_back => return true,
            Some(M::Returns(Return::ForQueriesOnly))
                if row.past.expired_before && !looks.iter().any(|look| is_query(*look)) =>
            {
                return true;
            }
            _ => 0,
        };
        self.deadline(row).is_some_and(|deadline| self.is_over(deadline.saturating_add(late), row))
    }

    fn is_over(&self, deadline: i128, row: &Row) -> bool {
        match self.variant.mutation {
            Some(M::LooksEvery(seconds)) => {
                deadline <= self.now.saturating_sub(self.now.rem_euclid(seconds.max(1)))
            }
            Some(M::CountsFractions) if deadline == self.now => row.past.moment <= self.past.moment,
            Some(M::Deadline32(Overflow::ClockWraps)) => deadline <= last_32(self.now),
            _ => deadline <= self.now,
        }
    }

    /// The second from which the item is expired, if there is one.
    pub(super) fn deadline(&self, row: &Row) -> Option<i128> {
        let life = self.life(self.default_of(row), self.own_of(row))?;
        let from = self.counted_from(row).saturating_add(row.past.extra);
        let deadline = from.saturating_add(life);
        Some(match self.variant.mutation {
            Some(M::Absolute) => life,
            Some(M::Unit(thousandths)) => {
                from.saturating_add(life.saturating_mul(thousandths).div_euclid(1_000))
            }
            Some(M::Deadline32(Overflow::Wraps)) => last_32(deadline),
            Some(M::Deadline32(Overflow::WrapsUnsigned)) => deadline.rem_euclid(1 << 32),
            Some(M::Deadline32(Overflow::Saturates)) => deadline.min(LONGEST),
            _ => deadline,
        })
    }

    /// The table.
    pub(super) fn life(&self, default: Says, own: Says) -> Option<i128> {
        if let Some(M::Cell(cells, life)) = self.variant.mutation
            && cells.contains(&cell(default, own))
        {
            return misread(life, seconds(default), seconds(own));
        }
        match (default, own) {
            (Says::Nothing, _) | (_, Says::Never) | (Says::Never, Says::Nothing) => None,
            (_, Says::For(seconds)) | (Says::For(seconds), Says::Nothing) => Some(seconds),
        }
    }

    fn own_of(&self, row: &Row) -> Says {
        match self.variant.mutation {
            Some(M::Decides(Decides::DormantIsForgotten)) if row.past.slept => Says::Nothing,
            _ => self.said(row),
        }
    }

    /// What the container says to this item.
    fn default_of(&self, row: &Row) -> Says {
        let then = row.past.default;
        match (self.variant.mutation, seconds(then), seconds(self.default)) {
            (Some(M::Decides(Decides::AtWrite)), ..) => then,
            (Some(M::Decides(Decides::AtWriteIfLonger)), Some(old), Some(new)) if new < old => then,
            (Some(M::Decides(Decides::AtWriteIfShorter)), Some(old), Some(new)) if old < new => then,
            (Some(M::Decides(Decides::AtWriteIfOff)), ..) if then == Says::Nothing => then,
            (Some(M::Decides(Decides::ASecondLate)), ..) if self.now == self.past.changed => self.past.before,
            (Some(M::Decides(Decides::TheFirst)), ..) => self.past.first.unwrap_or(self.default),
            (Some(M::Index(Index::LazyNeverExpires)), ..) if self.indexing == Indexing::Lazy => Says::Nothing,
            _ => self.default,
        }
    }

    fn counted_from(&self, row: &Row) -> i128 {
        match self.variant.mutation {
            Some(M::CountsFrom(From::Creation)) => row.past.created,
            Some(M::CountsFrom(From::Container)) => self.past.born,
            Some(M::CountsFrom(From::LastSettings)) => row.written.max(self.past.changed),
            Some(M::CountsFrom(From::SwitchingOn)) => row.written.max(self.past.on_since),
            Some(M::CountsFrom(From::Waking)) if self.said(row) != Says::Nothing => {
                row.written.max(self.past.on_since)
            }
            Some(M::CountsFrom(From::Minutes)) => {
                row.written.saturating_add(row.written.saturating_neg().rem_euclid(60))
            }
            _ => row.written,
        }
    }
}

fn is_query(look: Look) -> bool {
    matches!(look, Look::Query | Look::List | Look::Count | Look::Background)
}

fn seconds(says: Says) -> Option<i128> {
    match says {
        Says::For(seconds) => Some(seconds),
        Says::Nothing | Says::Never => None,
    }
}

fn cell(default: Says, own: Says) -> Cell {
    match (default, own) {
        (Says::Nothing, Says::Nothing) => Cell::OffAbsent,
        (Says::Nothing, Says::Never) => Cell::OffNever,
        (Says::Nothing, Says::For(_)) => Cell::OffOwn,
        (Says::Never, Says::Nothing) => Cell::OnAbsent,
        (Says::Never, Says::Never) => Cell::OnNever,
        (Says::Never, Says::For(_)) => Cell::OnOwn,
        (Says::For(_), Says::Nothing) => Cell::DefaultAbsent,
        (Says::For(_), Says::Never) => Cell::DefaultNever,
        (Says::For(_), Says::For(_)) => Cell::DefaultOwn,
    }
}

fn misread(life: Life, default: Option<i128>, own: Option<i128>) -> Option<i128> {
    let both = || default.zip(own);
    match life {
        Life::Never => None,
        Life::Default => default,
        Life::Own => own,
        Life::Shorter => both().map(|(default, own)| default.min(own)),
        Life::Longer => both().map(|(default, own)| default.max(own)),
        Life::Sum => both().map(|(default, own)| default.saturating_add(own)),
        Life::Seconds(seconds) => Some(seconds),
    }
}
