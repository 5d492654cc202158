//! The life of a row, as a handler computes it.

use super::call::{Handler, HandlerCall};
use super::flaw::Flaw;
use super::row::{RowDefault, RowTtl, StoredRow};
use super::session::RowSession;

const MAXIMUM_32: i128 = 2_147_483_647;

impl RowSession {
    /// Returns whether a handler takes a row for expired.
    pub(super) fn is_expired(&self, row: &StoredRow, call: HandlerCall) -> bool {
        if self.errs(Flaw::NoExpiryCheck, call) {
            return false;
        }
        if self.has(Flaw::ExpiryById) {
            let mut same = self.rows.iter().filter(|other| other.id == row.id && !other.is_deleted);
            return same.any(|other| self.is_due(other, call));
        }
        self.is_due(row, call)
    }

    fn is_due(&self, row: &StoredRow, call: HandlerCall) -> bool {
        let Some((start, seconds)) = self.life(row, call) else { return false };
        let now = self.clock();
        let now = match () {
            () if self.errs(Flaw::LateCheck, call) => now - 1,
            () if self.errs(Flaw::EarlyCheck, call) => now + 1,
            () => now,
        };
        if self.has(Flaw::AgeOfDay) {
            return (now - start).rem_euclid(86_400) >= seconds;
        }
        self.deadline(start, seconds) <= now
    }

    fn deadline(&self, start: i128, seconds: i128) -> i128 {
        let at = start + seconds;
        match self.flaw {
            Some(Flaw::DeadlineSigned32) => wrapped_signed(at),
            Some(Flaw::DeadlineCapped32) => at.min(MAXIMUM_32),
            Some(Flaw::DeadlineUnsigned32) => at.rem_euclid(1 << 32),
            Some(Flaw::LifetimeMillis32) => start + wrapped_signed(seconds * 1000).div_euclid(1000),
            Some(Flaw::MinuteUp) => (at + 59).div_euclid(60) * 60,
            Some(Flaw::TenSecondsDown) => at.div_euclid(10) * 10,
            Some(Flaw::Float32) => (at + 64).div_euclid(128) * 128,
            Some(Flaw::AbsoluteBeyondMonth) if seconds > 2_592_000 => seconds,
            Some(Flaw::Sixteen) => start + seconds.rem_euclid(1 << 16),
            _ => at,
        }
    }

    /// Returns the start and the length of a row's life in seconds; `None` if it has no end.
    pub(super) fn life(&self, row: &StoredRow, call: HandlerCall) -> Option<(i128, i128)> {
        let default = self.default_for(row, call);
        let own = self.own_for(row, default, call);
        let start = match self.flaw {
            Some(Flaw::CountsFromCreation) => row.created_s,
            Some(Flaw::OnCounts) => row.ts.max(self.memory.switched_on_s.unwrap_or(row.ts)),
            _ => row.ts,
        };
        let past = |is_past: bool| is_past.then_some((i128::from(start), -1));
        let seconds = match (default, own) {
            (RowDefault::Off, RowTtl::Seconds(own)) if self.has(Flaw::OwnTtlWhileOff) => own,
            (RowDefault::Never, RowTtl::Seconds(_)) if self.has(Flaw::NoDefaultIsOff) => return None,
            (RowDefault::Off, _) => return None,
            (_, RowTtl::Never) => return past(self.errs(Flaw::MinusOneIsPast, call)),
            (RowDefault::Never, RowTtl::Inherits) => return past(self.has(Flaw::NoDefaultIsPast)),
            (RowDefault::Seconds(default), RowTtl::Seconds(own)) => match self.flaw {
                Some(Flaw::CappedByDefault) => own.min(default),
                Some(Flaw::AtLeastDefault) => own.max(default),
                _ => own,
            },
            (_, RowTtl::Seconds(own)) => own,
            (RowDefault::Seconds(default), RowTtl::Inherits) => default,
        };
        Some((i128::from(start), i128::from(seconds)))
    }

    fn own_for(&self, row: &StoredRow, default: RowDefault, call: HandlerCall) -> RowTtl {
        let own = self.own_ttl(row);
        if matches!(default, RowDefault::Seconds(_)) && self.errs(Flaw::DefaultOnly, call) {
            return RowTtl::Inherits;
        }
        if self.has(Flaw::OffWriteIgnoresTtl) && row.written_under == RowDefault::Off {
            RowTtl::Inherits
        } else {
            own
        }
    }

    /// Returns the default that a handler takes for a row's.
    fn default_for(&self, row: &StoredRow, call: HandlerCall) -> RowDefault {
        let now = self.default_now();
        if self.errs(Flaw::StaleDefault, call) {
            return self.memory.default_at_write;
        }
        let then = row.written_under;
        let (low, high) = match (then, now) {
            (RowDefault::Seconds(then), RowDefault::Seconds(now)) => (then.min(now), then.max(now)),
            _ => (0, 0),
        };
        let is_changed = low > 0;
        match self.flaw {
            Some(Flaw::DefaultOfWrite) => then,
            Some(Flaw::LowerOfDefaults) if is_changed => RowDefault::Seconds(low),
            Some(Flaw::HigherOfDefaults) if is_changed => RowDefault::Seconds(high),
            Some(Flaw::WrittenWhileOffForever) if then == RowDefault::Off => RowDefault::Off,
            Some(Flaw::NeverSticks) if then == RowDefault::Never && now != RowDefault::Off => {
                RowDefault::Never
            }
            Some(Flaw::LazyNeverExpires) if self.is_lazy() => RowDefault::Off,
            Some(Flaw::ChangeWaits) if self.memory.changed_s.is_some_and(|at| self.now < at + 2) => {
                self.memory.default_before
            }
            _ => now,
        }
    }

    /// Returns the second that expiry is compared with.
    fn clock(&self) -> i128 {
        i128::from(match self.flaw {
            Some(Flaw::ClockOfLastWrite) => self.memory.last_write_s.unwrap_or(self.now),
            Some(Flaw::ClockInTens) => self.now - self.now.rem_euclid(10),
            _ => self.now,
        })
    }

    /// Returns whether no handler may show a row any more.
    pub(super) fn is_over(&self, row: &StoredRow) -> bool {
        self.is_due(row, HandlerCall::alone(Handler::Upsert))
    }
}

/// Returns the number that the last 32 bits hold, with a sign.
fn wrapped_signed(number: i128) -> i128 {
    let low = number.rem_euclid(1 << 32);
    if low < 1 << 31 { low } else { low - (1 << 32) }
}
