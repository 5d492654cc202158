//! In which seconds of the target's clock a request shows what its step means.
//!
//! A step stands so many seconds before or after every moment at which something might expire. A request shows the same
//! if it is dealt with on the same side of each of these moments: then a wrong answer is wrong for certain. It shows all
//! that the step means if, where the step looks in the very second of a deadline or in the one before, the request
//! falls into that second and no other: then a right answer tells that nothing expires a second early or late.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The whole seconds of the target's clock in which it may have dealt with a request.
pub type ClockInterval = RangeInclusive<i64>;

/// A write that succeeded, and in which seconds of the target's clock it may have.
#[derive(Clone, Debug)]
pub(crate) struct Written<'a> {
    /// Which item.
    pub(crate) id: &'a str,
    /// When, in seconds from the start of the vector.
    pub(crate) at_s: u64,
    /// When, by the target's clock.
    pub(crate) window: ClockInterval,
}

/// The moment at which something might expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deadline<'a> {
    /// Which item.
    pub(crate) id: &'a str,
    /// In seconds from the start of the vector.
    pub(crate) at_s: u64,
}

/// A first and a last second of the target's clock, each with the deadline that sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds<'a> {
    first: Option<(i64, Deadline<'a>)>,
    last: Option<(i64, Deadline<'a>)>,
}

/// In which seconds a step may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObservationWindow<'a> {
    /// In these, every deadline lies on the side on which the step means it.
    pub(crate) certain: Bounds<'a>,
    /// In these, the step also stands as close to every deadline as it means to, where that is less than a second.
    pub(crate) exact: Bounds<'a>,
}

impl<'a> ObservationWindow<'a> {
    /// The seconds for a step at this second of the vector, after these writes.
    pub(crate) fn of(
        at_s: u64,
        written: impl Iterator<Item = Written<'a>>,
        lifetimes_s: &BTreeSet<u64>,
    ) -> Self {
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

    /// The second nearest to this one in which to ask; `None` where no second would show anything.
    pub(crate) fn nearest(&self, second: i64) -> Option<i64> {
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

    /// The deadline on whose wrong side a request may have been that was dealt with in this window.
    pub(crate) fn missed(&self, window: &ClockInterval) -> Option<Deadline<'a>> {
        let early = self.first.filter(|(first, _)| window.start() < first);
        let late = self.last.filter(|(last, _)| last < window.end());
        early.or(late).map(|(_, deadline)| deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a step at this second shows, after items that live 5 were written at these seconds of the vector, and in these
    /// of the target.
    fn after(at_s: u64, written: &[(&'static str, u64, ClockInterval)]) -> ObservationWindow<'static> {
        let written =
            written.iter().map(|(id, at_s, window)| Written { id, at_s: *at_s, window: window.clone() });
        ObservationWindow::of(at_s, written, &BTreeSet::from([5]))
    }

    #[test]
    fn a_request_is_certain_on_one_side_of_a_deadline_and_exact_in_its_second() {
        for (at_s, written, asked, certain, exact) in [
            // It may be on either side.
            (5, 100..=100, 104..=105, false, false),
            (4, 100..=100, 104..=105, false, false),
            (4, 100..=101, 105..=105, false, false),
            (5, 100..=101, 105..=105, false, false),
            (5, 100..=101, 106..=106, true, false),
            (4, 100..=101, 104..=104, true, false),
            // Late after the deadline, and early before it.
            (5, 100..=100, 105..=107, true, false),
            (5, 100..=100, 105..=106, true, false),
            (5, 100..=100, 105..=105, true, true),
            (4, 100..=100, 103..=103, true, false),
            (4, 100..=100, 103..=104, true, false),
            (4, 100..=100, 104..=104, true, true),
            // Far from every deadline a second more or less is exact enough.
            (7, 100..=100, 105..=109, true, true),
            (2, 100..=100, 100..=104, true, true),
        ] {
            let seconds = after(at_s, &[("a", 0, written.clone())]);
            let shows = (seconds.certain.missed(&asked).is_none(), seconds.exact.missed(&asked).is_none());
            assert_eq!(shows, (certain, exact), "{at_s}: {written:?}, {asked:?}");
        }
    }

    #[test]
    fn what_was_written_late_is_looked_at_as_late_and_where_no_second_is_exact_one_that_is_certain_will_do() {
        for (at_s, written, second, nearest) in [
            (5, 101..=101, 105, 106),
            (4, 101..=101, 104, 105),
            (2, 101..=101, 102, 102),
            (5, 100..=101, 105, 106),
            (4, 100..=101, 104, 104),
        ] {
            assert_eq!(after(at_s, &[("a", 0, written)]).nearest(second), Some(nearest), "{at_s}");
        }
        // Deadlines that crossed.
        assert_eq!(after(5, &[("a", 0, 103..=103), ("b", 1, 101..=101)]).nearest(105), None);
    }

    #[test]
    fn of_several_deadlines_the_tightest_counts_and_of_equal_ones_the_first() {
        for (at_s, a, b, asked, missed) in [
            (5, 100, 102, 105, "b"),
            (5, 102, 100, 105, "a"),
            (5, 100, 100, 104, "a"),
            (4, 100, 102, 105, "a"),
            (4, 102, 100, 105, "b"),
            (4, 100, 100, 105, "a"),
        ] {
            let seconds = after(at_s, &[("a", 0, a..=a), ("b", 0, b..=b)]);
            let deadline = seconds.certain.missed(&(asked..=asked));
            assert_eq!(deadline.map(|deadline| deadline.id), Some(missed), "{at_s}: {a}, {b}");
        }
    }
}
