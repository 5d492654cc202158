//! Threads on simulated time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use cosmos_ttl_harness::realtime::Time as _;
use cosmos_ttl_testing::simulation::time::SimulatedTime;

/// Runs this on as many threads, each with its number in the order in which they began.
fn side_by_side(threads: usize, work: impl Fn(&SimulatedTime, usize) + Sync) -> i64 {
    let (time, begun) = (SimulatedTime::new(threads), AtomicUsize::new(0));
    time.work_side_by_side(&|| work(&time, begun.fetch_add(1, Ordering::SeqCst)));
    time.now_us()
}

#[test]
fn threads_wake_in_the_order_of_their_times() {
    let woken = Mutex::new(Vec::new());
    let sleeps_us = [500, 300, 900, 100, 700];
    side_by_side(sleeps_us.len(), |time, number| {
        time.sleep_us(sleeps_us[number] * 1_000_000);
        woken.lock().unwrap().push(sleeps_us[number]);
    });
    assert_eq!(*woken.lock().unwrap(), [100, 300, 500, 700, 900]);
}

#[test]
fn of_threads_with_the_same_time_the_one_that_waited_first_wakes_first() {
    let woken = Mutex::new(Vec::new());
    side_by_side(8, |time, number| {
        time.sleep_us(1_000_000);
        woken.lock().unwrap().push(number);
    });
    assert_eq!(*woken.lock().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn waiting_takes_simulated_time_and_as_much_as_the_longest_wait() {
    let end_us = side_by_side(3, |time, number| {
        time.sleep_us(3_600_000_000 * i64::try_from(number).unwrap());
    });
    assert!((7_200_000_000..7_200_001_000).contains(&end_us), "{end_us}");
}

#[test]
fn a_bell_wakes_the_thread_that_waited_first_and_no_thread_of_another_bell() {
    let (lock, bells, woken) = (Mutex::new(()), [Condvar::new(), Condvar::new()], Mutex::new(Vec::new()));
    side_by_side(4, |time, number| {
        if number < 3 {
            // The first thread waits for the second bell.
            let bell = &bells[usize::from(number == 0)];
            drop(time.wait(bell, &lock, lock.lock().unwrap(), Some(9_000_000)));
            woken.lock().unwrap().push((number, time.now_us() / 1_000_000));
        } else {
            time.sleep_us(1_000_000);
            time.ring(&bells[0], false);
            time.sleep_us(1_000_000);
            time.ring(&bells[0], true);
        }
    });
    assert_eq!(*woken.lock().unwrap(), [(1, 1), (2, 2), (0, 9)]);
}

#[track_caller]
fn check_panic(threads: usize, work: impl Fn(&SimulatedTime, usize) + Sync, expected: &str) {
    let panic = catch_unwind(AssertUnwindSafe(|| side_by_side(threads, work))).unwrap_err();
    let said = panic.downcast_ref::<String>().cloned();
    let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned())).unwrap();
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_deadlock_panics_and_says_who_waits_for_what() {
    let (lock, bells) = (Mutex::new(()), [Condvar::new(), Condvar::new()]);
    let wait = |time: &SimulatedTime, number: usize| {
        if number < 2 {
            drop(time.wait(&bells[number], &lock, lock.lock().unwrap(), None));
        } else {
            time.sleep_us(2_000_000);
        }
    };
    let said =
        "deadlock at 2000000 us: thread 0 waits for bell 0; thread 1 waits for bell 1; thread 2 has ended";
    check_panic(3, wait, said);
}

#[test]
fn a_thread_that_waits_for_a_bell_after_all_others_ended_is_a_deadlock() {
    let (lock, bell) = (Mutex::new(()), Condvar::new());
    let wait = |time: &SimulatedTime, number: usize| {
        if number == 1 {
            drop(time.wait(&bell, &lock, lock.lock().unwrap(), None));
        }
    };
    check_panic(2, wait, "thread 0 has ended; thread 1 waits for bell 0");
}

#[test]
fn a_thread_that_panics_ends_the_simulation() {
    for panicking in [0, 2] {
        let work = |time: &SimulatedTime, number: usize| loop {
            time.sleep_us(1_000_000);
            assert!(number != panicking || time.now_us() < 5_000_000, "on purpose");
        };
        check_panic(3, work, "on purpose");
    }
}
