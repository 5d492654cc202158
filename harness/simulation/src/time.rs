//! Time that passes only while every thread waits, so that a run of minutes takes milliseconds and repeats itself.
//!
//! One thread runs at a time. A thread that waits names the moment at which it goes on and passes its turn to the thread
//! with the earliest moment. Nothing depends on how the operating system schedules threads.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use cosmos_ttl_harness::realtime::Time;

/// A clock at a fixed number of threads.
#[derive(Debug)]
pub struct SimulatedTime {
    state: Mutex<State>,
    /// One for each thread; it rings when the thread's turn comes.
    bells: Vec<Condvar>,
}

#[derive(Debug, Default)]
struct State {
    now_us: i64,
    /// Whose turn it is.
    turn: usize,
    /// Who goes on at which moment; of two at the same moment, who waited first.
    sleepers: BTreeMap<(i64, u64), usize>,
    tickets: u64,
    /// Who also goes on when the pool's bell rings, in the order in which they began to wait.
    listeners: VecDeque<((i64, u64), usize)>,
    /// How many threads work beside the first.
    alive: usize,
}

thread_local! {
    /// The number of this thread; the one that starts the others is 0.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// The time that it takes to look at the clock: nothing is done in no time at all.
const LOOK_US: i64 = 5;

impl SimulatedTime {
    /// Returns a clock at second 0 with this many threads, at least one.
    pub fn new(threads: usize) -> Self {
        Self { state: Mutex::default(), bells: (0..threads.max(1)).map(|_| Condvar::new()).collect() }
    }

    /// Lets this many microseconds pass for this thread.
    pub fn sleep_us(&self, us: i64) {
        let mut state = self.lock();
        let until_us = state.now_us.saturating_add(us.max(0));
        let _ = state.enqueue(until_us);
        drop(self.pass_turn(state));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the turn to whoever goes on first, and returns when it comes back.
    fn pass_turn<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.wake_next(&mut state);
        self.await_turn(state)
    }

    fn await_turn<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let number = NUMBER.get();
        let Some(bell) = self.bells.get(number) else { return state };
        bell.wait_while(state, |state| state.turn != number).unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_next(&self, state: &mut State) {
        let Some(((at_us, _), number)) = state.sleepers.pop_first() else { return };
        state.listeners.retain(|(_, listener)| *listener != number);
        if at_us < i64::MAX {
            state.now_us = state.now_us.max(at_us);
        }
        state.turn = number;
        if let Some(bell) = self.bells.get(number).filter(|_| number != NUMBER.get()) {
            bell.notify_all();
        }
    }
}

impl State {
    fn enqueue(&mut self, at_us: i64) -> (i64, u64) {
        self.enqueue_thread(at_us, NUMBER.get())
    }

    fn enqueue_thread(&mut self, at_us: i64, number: usize) -> (i64, u64) {
        self.tickets += 1;
        let key = (at_us, self.tickets);
        self.sleepers.insert(key, number);
        key
    }
}

impl Time for SimulatedTime {
    fn now_us(&self) -> i64 {
        let mut state = self.lock();
        state.now_us += LOOK_US;
        state.now_us
    }

    fn wait<'a, T>(
        &self,
        _bell: &Condvar,
        lock: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        until_us: Option<i64>,
    ) -> MutexGuard<'a, T> {
        drop(guard);
        let mut state = self.lock();
        let key = state.enqueue(until_us.unwrap_or(i64::MAX));
        state.listeners.push_back((key, NUMBER.get()));
        drop(self.pass_turn(state));
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self, _bell: &Condvar, all: bool) {
        let mut state = self.lock();
        while let Some((key, number)) = state.listeners.pop_front() {
            state.sleepers.remove(&key);
            let now_us = state.now_us;
            state.enqueue_thread(now_us, number);
            if !all {
                break;
            }
        }
    }

    fn work_side_by_side(&self, work: &(dyn Fn() + Sync)) {
        let mut state = self.lock();
        let now_us = state.now_us;
        for number in 1..self.bells.len() {
            state.enqueue_thread(now_us, number);
            state.alive += 1;
        }
        drop(state);
        thread::scope(|scope| {
            for number in 1..self.bells.len() {
                scope.spawn(move || {
                    NUMBER.set(number);
                    drop(self.await_turn(self.lock()));
                    let _end = EndOfThread(self);
                    work();
                });
            }
            work();
            let mut state = self.lock();
            while state.alive > 0 {
                state = self.pass_turn(state);
            }
        });
    }
}

/// Passes the turn on when a thread ends, also when it panics.
struct EndOfThread<'a>(&'a SimulatedTime);

impl Drop for EndOfThread<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.alive -= 1;
        if state.alive == 0 || state.sleepers.is_empty() {
            // The first thread waits for the others without a moment of its own.
            state.turn = 0;
            self.0.bells.iter().for_each(Condvar::notify_all);
        } else {
            self.0.wake_next(&mut state);
        }
    }
}
