//! In which seconds a request shows what its step means, on either side of every deadline.

use std::collections::BTreeSet;

use cosmos_ttl_harness::observation_window::{Bounds, ClockInterval, ObservationWindow, Written};

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
    assert!(misses(&fit(5, 100..=101).exact, 106..=106));
    assert!(misses(&fit(4, 100..=101).exact, 104..=104));
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
