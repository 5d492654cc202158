//! The server's clock: this machine's, or one that control requests advance.

use std::time::{Duration, SystemTime};

use crate::answer::RestRefusal;

/// The latest second that a virtual clock may reach: every JSON reader can still hold it exactly.
pub(crate) const LATEST_S: i64 = 9_007_199_254_740_991;

/// Whose clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// This machine's.
    Real,
    /// One that moves only when a control request advances it. It starts at this machine's time.
    Virtual,
}

/// The clock of the account. Each container adds the seconds by which it alone was advanced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountClock {
    kind: ClockKind,
    start_s: i64,
    advanced_s: i64,
    source: fn() -> SystemTime,
}

impl AccountClock {
    /// Returns a clock that reads this source; a virtual one reads it only here.
    pub(crate) fn new(kind: ClockKind, source: fn() -> SystemTime) -> Self {
        Self { kind, start_s: seconds(source()), advanced_s: 0, source }
    }

    /// Returns whose clock counts.
    pub(crate) fn kind(&self) -> ClockKind {
        self.kind
    }

    /// Returns the second of the Unix epoch, for something that was advanced by these seconds more.
    pub(crate) fn now_s(&self, more_s: i64) -> i64 {
        match self.kind {
            ClockKind::Real => seconds((self.source)()),
            ClockKind::Virtual => {
                self.start_s.saturating_add(self.advanced_s).saturating_add(more_s).min(LATEST_S)
            }
        }
    }

    /// Returns how many milliseconds are left of the current second; a whole second where the clock is virtual.
    pub(crate) fn left_of_second_ms(&self) -> u64 {
        match self.kind {
            ClockKind::Real => {
                let since = (self.source)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                1000_u64.saturating_sub(u64::from(since.subsec_millis()))
            }
            ClockKind::Virtual => 1000,
        }
    }

    /// Advances the clock of the whole account; refuses as [`AccountClock::advanced`].
    pub(crate) fn advance(&mut self, by_s: u64) -> Result<(), RestRefusal> {
        self.advanced_s = self.advanced(self.advanced_s, by_s, 0)?;
        Ok(())
    }

    /// Returns by how many seconds something is advanced after these more, while the rest is advanced by others.
    ///
    /// Refuses if the clock is real, or would pass [`LATEST_S`].
    pub(crate) fn advanced(&self, from_s: i64, by_s: u64, others_s: i64) -> Result<i64, RestRefusal> {
        if self.kind == ClockKind::Real {
            let why =
                "the clock is this machine's and cannot be advanced; start the server with --clock virtual";
            return Err(RestRefusal::new(409, why));
        }
        let to_s = i64::try_from(by_s).ok().and_then(|by_s| from_s.checked_add(by_s));
        let is_possible = |to_s: &i64| {
            let all_s = to_s.checked_add(others_s).and_then(|all_s| all_s.checked_add(self.start_s));
            all_s.is_some_and(|all_s| all_s <= LATEST_S)
        };
        to_s.filter(is_possible).ok_or_else(|| {
            RestRefusal::bad(format!("the clock would pass the second {LATEST_S}; advance it by less"))
        })
    }

    /// By how many seconds the whole account is advanced.
    pub(crate) fn advanced_s(&self) -> i64 {
        self.advanced_s
    }

    /// Sets a virtual clock back to its start.
    pub(crate) fn reset(&mut self) {
        self.advanced_s = 0;
    }
}

/// Returns this machine's time.
#[expect(clippy::disallowed_methods, reason = "a server has a clock")]
pub fn machine_clock() -> SystemTime {
    SystemTime::now()
}

fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_secs()).unwrap_or(LATEST_S).min(LATEST_S)
}
