//! In which seconds a request shows what its step means, on either side of every deadline.

use std::collections::BTreeSet;

use cosmos_ttl_harness::observation_window::{ClockInterval, ObservationWindow, Written};

/// An item that is written at second 0 of the vector, which is one of these seconds of the target, and lives 5.
fn fit(at_s: u64, window: ClockInterval) -> ObservationWindow<'static> {
    let written = Written { id: "a", at_s: 0, window };
    ObservationWindow::of(at_s, std::iter::once(written), &BTreeSet::from([5]))
}

/// Of a step at this second, an item that was written in these, and a request in those: whether the step shows what it means
/// for certain, and exactly.
#[test]
fn a_request_is_on_one_side_of_a_deadline_or_is_not_certain() {
    for (at_s, written, asked, certain, exact) in [
        // It may be on either side.
        (5, 100..=100, 104..=105, false, false),
        (4, 100..=100, 104..=105, false, false),
        (4, 100..=101, 105..=105, false, false),
        (5, 100..=101, 105..=105, false, false),
        (5, 100..=101, 106..=106, true, false),
        (4, 100..=101, 104..=104, true, false),
        // A late answer after the deadline.
        (5, 100..=100, 105..=107, true, false),
        (5, 100..=100, 105..=106, true, false),
        (5, 100..=100, 105..=105, true, true),
        // The last second before a deadline is that second and no earlier one.
        (4, 100..=100, 103..=103, true, false),
        (4, 100..=100, 103..=104, true, false),
        (4, 100..=100, 104..=104, true, true),
        // Far from every deadline a second more or less is exact enough.
        (7, 100..=100, 105..=109, true, true),
        (2, 100..=100, 100..=104, true, true),
    ] {
        let fit = fit(at_s, written.clone());
        let found = (fit.certain.missed(&asked).is_none(), fit.exact.missed(&asked).is_none());
        assert_eq!(found, (certain, exact), "at {at_s}, written in {written:?}, asked in {asked:?}");
    }
}

/// What was written late is looked at as late; where no second is exact, one that is certain will do.
#[test]
fn the_nearest_second_that_shows_what_a_step_means() {
    for (at_s, written, nearest) in [
        (5, 101..=101, 106),
        (4, 101..=101, 105),
        (2, 101..=101, 102),
        (5, 100..=101, 106),
        (4, 100..=101, 104),
    ] {
        assert_eq!(fit(at_s, written).nearest(100 + i64::try_from(at_s).unwrap()), Some(nearest), "{at_s}");
    }
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
    let written =
        [Written { id: "a", at_s: 0, window: 103..=103 }, Written { id: "b", at_s: 1, window: 101..=101 }];
    let fit = ObservationWindow::of(5, written.into_iter(), &BTreeSet::from([5]));
    assert_eq!(fit.nearest(105), None);
}
