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
        let mut fit = Self::default();
        for write in written {
            for lifetime_s in lifetimes_s {
                fit.limit(at_s, &write, *lifetime_s);
            }
        }
        fit
    }

    fn limit(&mut self, at_s: u64, write: &Written<'a>, lifetime_s: u64) {
        let deadline = Deadline { id: write.id, at_s: write.at_s.saturating_add(lifetime_s) };
        let earliest = write.window.start().saturating_add_unsigned(lifetime_s);
        let latest = write.window.end().saturating_add_unsigned(lifetime_s);
        if deadline.at_s <= at_s {
            self.certain.not_before(latest, deadline);
            self.exact.not_before(latest, deadline);
        } else {
            self.certain.not_after(earliest.saturating_sub(1), deadline);
            self.exact.not_after(earliest.saturating_sub(1), deadline);
        }
        if deadline.at_s == at_s {
            self.exact.not_after(earliest, deadline);
        }
        if deadline.at_s == at_s.saturating_add(1) {
            self.exact.not_before(latest.saturating_sub(1), deadline);
        }
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

    /// An item that is written at second 0 of the vector, which is one of these seconds of the target, and lives 5.
    fn fit(at_s: u64, window: ClockInterval) -> ObservationWindow<'static> {
        let written = Written { id: "a", at_s: 0, window };
        ObservationWindow::of(at_s, std::iter::once(written), &BTreeSet::from([5]))
    }

    fn misses(bounds: &Bounds<'_>, window: ClockInterval) -> bool {
        bounds.missed(&window).is_some()
    }

    #[test]
    fn a_request_that_may_be_on_either_side_of_a_deadline_is_not_certain() {
        assert!(misses(&fit(5, 100..=100).certain, 104..=105));
        assert!(misses(&fit(4, 100..=100).certain, 104..=105));
        assert!(misses(&fit(4, 100..=101).certain, 105..=105));
        assert!(misses(&fit(5, 100..=101).certain, 105..=105));
        assert!(!misses(&fit(5, 100..=101).certain, 106..=106));
        assert!(!misses(&fit(4, 100..=101).certain, 104..=104));
    }

    #[test]
    fn a_late_answer_after_the_deadline_is_certain_but_not_exact() {
        let fit = fit(5, 100..=100);
        assert!(!misses(&fit.certain, 105..=107));
        assert!(misses(&fit.exact, 105..=106));
        assert!(!misses(&fit.exact, 105..=105));
    }

    #[test]
    fn the_last_second_before_a_deadline_is_that_second_and_no_earlier_one() {
        let fit = fit(4, 100..=100);
        assert!(!misses(&fit.certain, 103..=103));
        assert!(misses(&fit.exact, 103..=104));
        assert!(!misses(&fit.exact, 104..=104));
    }

    #[test]
    fn far_from_every_deadline_a_second_more_or_less_is_exact_enough() {
        assert!(!misses(&fit(7, 100..=100).exact, 105..=109));
        assert!(!misses(&fit(2, 100..=100).exact, 100..=104));
    }

    #[test]
    fn what_was_written_a_second_late_is_looked_at_a_second_late() {
        assert_eq!(fit(5, 101..=101).nearest(105), Some(106));
        assert_eq!(fit(4, 101..=101).nearest(104), Some(105));
        assert_eq!(fit(2, 101..=101).nearest(102), Some(102));
    }

    #[test]
    fn where_no_second_is_exact_one_that_is_certain_will_do() {
        assert_eq!(fit(5, 100..=101).nearest(105), Some(106));
        assert_eq!(fit(4, 100..=101).nearest(104), Some(104));
    }

    /// Which item's deadline a request is on the wrong side of, where both live 5.
    fn missed(at_s: u64, windows: [ClockInterval; 2], window: ClockInterval) -> Option<&'static str> {
        let [a, b] = windows;
        let written = [Written { id: "a", at_s: 0, window: a }, Written { id: "b", at_s: 0, window: b }];
        ObservationWindow::of(at_s, written.into_iter(), &BTreeSet::from([5]))
            .certain
            .missed(&window)
            .map(|missed| missed.id)
    }

    #[test]
    fn of_several_deadlines_the_tightest_counts_and_of_equal_ones_the_first() {
        assert_eq!(missed(5, [100..=100, 102..=102], 105..=105), Some("b"));
        assert_eq!(missed(5, [102..=102, 100..=100], 105..=105), Some("a"));
        assert_eq!(missed(5, [100..=100, 100..=100], 104..=104), Some("a"));
        assert_eq!(missed(4, [100..=100, 102..=102], 105..=105), Some("a"));
        assert_eq!(missed(4, [102..=102, 100..=100], 105..=105), Some("b"));
        assert_eq!(missed(4, [100..=100, 100..=100], 105..=105), Some("a"));
    }

    #[test]
    fn between_deadlines_that_crossed_there_is_no_second() {
        let written = [
            Written { id: "a", at_s: 0, window: 103..=103 },
            Written { id: "b", at_s: 1, window: 101..=101 },
        ];
        let fit = ObservationWindow::of(5, written.into_iter(), &BTreeSet::from([5]));
        assert_eq!(fit.nearest(105), None);
    }
}
