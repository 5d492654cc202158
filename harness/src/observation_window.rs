//! In which seconds of the target's clock a request shows what its step means.
//!
//! A step is some seconds before or after every moment at which something might expire. A request shows the same
//! if it is dealt with on the same side of each of these moments: then a wrong answer is wrong for certain. It shows all
//! that the step means if, where the step looks in the very second of a deadline or in the one before, the request
//! falls into that second and no other: then a right answer tells that nothing expires a second early or late.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The whole seconds of the target's clock in which it may have dealt with a request.
pub type ClockInterval = RangeInclusive<i64>;

/// A write that succeeded, and in which seconds of the target's clock it may have.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// Which item.
    pub id: &'a str,
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// When, by the target's clock.
    pub window: ClockInterval,
}

/// The moment at which something might expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline<'a> {
    /// Which item.
    pub id: &'a str,
    /// In seconds from the start of the vector.
    pub at_s: u64,
}

/// A first and a last second of the target's clock, each with the deadline that sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds<'a> {
    first: Option<(i64, Deadline<'a>)>,
    last: Option<(i64, Deadline<'a>)>,
}

/// In which seconds a step may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObservationWindow<'a> {
    /// In these, every deadline lies on the side on which the step means it.
    pub certain: Bounds<'a>,
    /// In these, the step also stands as close to every deadline as it means to, where that is less than a second.
    pub exact: Bounds<'a>,
}

impl<'a> ObservationWindow<'a> {
    /// Returns the seconds for a step at this second of the vector, after these writes.
    pub fn of(at_s: u64, written: impl Iterator<Item = Written<'a>>, lifetimes_s: &BTreeSet<u64>) -> Self {
        let mut window = Self::default();
        for Written { id, at_s: written_s, window: written } in written {
            for lifetime_s in lifetimes_s {
                let deadline = Deadline { id, at_s: written_s.saturating_add(*lifetime_s) };
                let earliest = written.start().saturating_add_unsigned(*lifetime_s);
                let latest = written.end().saturating_add_unsigned(*lifetime_s);
                for bounds in [&mut window.certain, &mut window.exact] {
                    if deadline.at_s <= at_s {
                        bounds.not_before(latest, deadline);
                    } else {
                        bounds.not_after(earliest.saturating_sub(1), deadline);
                    }
                }
                if deadline.at_s == at_s {
                    window.exact.not_after(earliest, deadline);
                }
                if deadline.at_s == at_s.saturating_add(1) {
                    window.exact.not_before(latest.saturating_sub(1), deadline);
                }
            }
        }
        window
    }

    /// Returns the second nearest to this one in which to ask; `None` where no second would show anything.
    pub fn nearest(&self, second: i64) -> Option<i64> {
        self.exact.nearest(second).or_else(|| self.certain.nearest(second))
    }
}

impl<'a> Bounds<'a> {
    fn not_before(&mut self, second: i64, deadline: Deadline<'a>) {
        if self.first.is_none_or(|(first, _)| first < second) {
            self.first = Some((second, deadline));
        }
    }

    fn not_after(&mut self, second: i64, deadline: Deadline<'a>) {
        if self.last.is_none_or(|(last, _)| second < last) {
            self.last = Some((second, deadline));
        }
    }

    fn nearest(&self, second: i64) -> Option<i64> {
        let first = self.first.map_or(i64::MIN, |(first, _)| first);
        let last = self.last.map_or(i64::MAX, |(last, _)| last);
        (first <= last).then(|| second.clamp(first, last))
    }

    /// Returns the first second from this one on that lies so many seconds from each deadline.
    pub fn far_from(&self, second: i64, apart_s: i64) -> Option<i64> {
        let second = self.first.map_or(second, |(first, _)| second.max(first.saturating_add(apart_s)));
        self.last.is_none_or(|(last, _)| second.saturating_add(apart_s) <= last).then_some(second)
    }

    /// Returns the deadline on whose wrong side a request may have been that was dealt with in this window.
    pub fn missed(&self, window: &ClockInterval) -> Option<Deadline<'a>> {
        let early = self.first.filter(|(first, _)| window.start() < first);
        let late = self.last.filter(|(last, _)| last < window.end());
        early.or(late).map(|(_, deadline)| deadline)
    }
}
