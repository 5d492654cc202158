//! Time that passes only while every thread waits, so that a run of minutes takes milliseconds and repeats itself.
//!
//! One thread runs at a time. A thread that waits names the moment at which it goes on, and passes its turn to the thread
//! with the earliest moment. Nothing depends on how the operating system schedules threads.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ptr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use cosmos_ttl_harness::realtime::Time;

/// A clock at a fixed number of threads.
///
/// If every thread waits for a bell that no thread is left to ring, each of them panics and says who waits for what. The same
/// happens when one of them panics: a simulation never hangs.
#[derive(Debug)]
pub struct SimulatedTime {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    now_us: i64,
    /// Whose turn it is.
    turn: usize,
    threads: Vec<SimulatedThread>,
    /// Who goes on at which moment; of two at the same moment, who waited first.
    waiting: BTreeMap<(i64, u64), usize>,
    waited: u64,
    /// Who also goes on when a bell rings, in the order in which they began to wait.
    listening: VecDeque<((i64, u64), usize)>,
    /// The addresses of the bells, in the order in which they were first used.
    bells: Vec<usize>,
    /// Why the simulation cannot go on.
    failure: Option<String>,
}

#[derive(Debug)]
struct SimulatedThread {
    handle: Option<Thread>,
    activity: Activity,
}

/// The activity of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    Runs,
    /// Until this moment.
    Sleeps(i64),
    /// For the bell with this number, and no longer than until this moment.
    Listens(usize, Option<i64>),
    /// For the end of all others.
    Joins,
    Ended,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs => f.write_str("runs"),
            Self::Sleeps(until_us) => write!(f, "sleeps until {until_us} us"),
            Self::Listens(bell, None) => write!(f, "waits for bell {bell}"),
            Self::Listens(bell, Some(until_us)) => write!(f, "waits for bell {bell} until {until_us} us"),
            Self::Joins => f.write_str("waits for the end of the other threads"),
            Self::Ended => f.write_str("has ended"),
        }
    }
}

thread_local! {
    /// The number of this thread; the one that starts the others is 0.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// The time that it takes to look at the clock: nothing is done in no time at all.
const LOOK_US: i64 = 5;

/// How many threads a run has on this machine's clock.
const THREADS: usize = 64;

impl Default for SimulatedTime {
    /// A clock at second 0 with as many threads as a run has on this machine's clock.
    fn default() -> Self {
        Self::new(THREADS)
    }
}

impl SimulatedTime {
    /// Returns a clock at second 0 with this many threads, at least one.
    pub fn new(threads: usize) -> Self {
        let threads = (0..threads.max(1)).map(|number| SimulatedThread {
            handle: None,
            activity: if number == 0 { Activity::Runs } else { Activity::Ended },
        });
        Self {
            state: Mutex::new(State {
                now_us: 0,
                turn: 0,
                threads: threads.collect(),
                waiting: BTreeMap::new(),
                waited: 0,
                listening: VecDeque::new(),
                bells: Vec::new(),
                failure: None,
            }),
        }
    }

    /// Lets this many microseconds pass for this thread.
    pub fn sleep_us(&self, us: i64) {
        let mut state = self.enter();
        let until_us = state.now_us.saturating_add(us.max(0));
        state.enqueue(until_us, Activity::Sleeps(until_us));
        self.pass_turn(state);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self) -> MutexGuard<'_, State> {
        let state = self.lock();
        assert_works(&state);
        state
    }

    /// Gives the turn to the thread that goes on first, and returns when it comes back.
    fn pass_turn(&self, mut state: MutexGuard<'_, State>) {
        let next = state.next();
        if next != Some(NUMBER.get()) {
            wake(state, next);
            self.await_turn();
        }
    }

    fn await_turn(&self) {
        let number = NUMBER.get();
        loop {
            let state = self.lock();
            if state.failure.is_some() || state.turn == number {
                return assert_works(&state);
            }
            drop(state);
            thread::park();
        }
    }

    /// Does the work as the thread with this number, once it is its turn.
    fn work_as(&self, number: usize, work: &(dyn Fn() + Sync)) {
        NUMBER.set(number);
        self.lock().enter_thread();
        let _end = EndOfThread(self);
        self.await_turn();
        work();
    }
}

/// Wakes the thread with this number, or all of them if the simulation cannot go on.
fn wake(state: MutexGuard<'_, State>, number: Option<usize>) {
    let numbers = number.map_or(0..state.threads.len(), |number| number..number.saturating_add(1));
    let threads = state.threads.get(numbers).unwrap_or_default().iter();
    let handles: Vec<_> = threads.filter_map(|thread| thread.handle.clone()).collect();
    drop(state);
    handles.iter().for_each(Thread::unpark);
}

#[expect(
    clippy::panic,
    reason = "a simulation that cannot go on is a mistake of its user, which must not hang"
)]
fn assert_works(state: &State) {
    if let Some(failure) = &state.failure {
        panic!("{failure}");
    }
}

impl State {
    /// The thread that has the turn can wake this thread from now on.
    fn enter_thread(&mut self) {
        if let Some(thread) = self.threads.get_mut(NUMBER.get()) {
            thread.handle = Some(thread::current());
        }
    }

    /// This thread goes on at this moment.
    fn enqueue(&mut self, at_us: i64, activity: Activity) -> (i64, u64) {
        self.enqueue_thread(at_us, NUMBER.get(), activity)
    }

    fn enqueue_thread(&mut self, at_us: i64, number: usize, activity: Activity) -> (i64, u64) {
        self.waited = self.waited.saturating_add(1);
        let key = (at_us, self.waited);
        self.waiting.insert(key, number);
        self.note(number, activity);
        key
    }

    fn note(&mut self, number: usize, activity: Activity) {
        if let Some(thread) = self.threads.get_mut(number) {
            thread.activity = activity;
        }
    }

    /// Gives the turn to the thread that goes on first, and lets the time pass until then; `None` if there is none.
    fn next(&mut self) -> Option<usize> {
        let ended = || self.threads.iter().skip(1).all(|thread| thread.activity == Activity::Ended);
        let joins = || self.threads.first().is_some_and(|first| first.activity == Activity::Joins);
        let number = match self.waiting.first_key_value() {
            Some(((at_us, _), number)) if *at_us < i64::MAX => {
                self.now_us = self.now_us.max(*at_us);
                *number
            }
            _ if joins() && ended() => 0,
            _ => {
                self.fail_as("deadlock");
                return None;
            }
        };
        if let Some(((_, _), woken)) = self.waiting.pop_first() {
            self.listening.retain(|(_, listener)| *listener != woken);
        }
        self.note(number, Activity::Runs);
        self.turn = number;
        Some(number)
    }

    /// The simulation cannot go on; the first reason counts.
    fn fail_as(&mut self, why: &str) {
        let activities = self.threads.iter().enumerate();
        let activities: Vec<_> =
            activities.map(|(number, thread)| format!("thread {number} {}", thread.activity)).collect();
        let failure = format!("{why} at {} us: {}", self.now_us, activities.join("; "));
        self.failure.get_or_insert(failure);
    }

    fn number_of(&mut self, bell: &Condvar) -> usize {
        let address = ptr::from_ref(bell).addr();
        self.bells.iter().position(|known| *known == address).unwrap_or_else(|| {
            self.bells.push(address);
            self.bells.len().saturating_sub(1)
        })
    }

    /// Whether this thread waits for this bell.
    fn listens(&self, number: usize, bell: usize) -> bool {
        let thread = self.threads.get(number);
        thread.is_some_and(|thread| matches!(thread.activity, Activity::Listens(own, _) if own == bell))
    }
}

impl Time for SimulatedTime {
    fn now_us(&self) -> i64 {
        let mut state = self.enter();
        state.now_us = state.now_us.saturating_add(LOOK_US);
        state.now_us
    }

    fn wait<'a, T>(
        &self,
        bell: &Condvar,
        lock: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        until_us: Option<i64>,
    ) -> MutexGuard<'a, T> {
        drop(guard);
        let mut state = self.enter();
        let bell = state.number_of(bell);
        let key = state.enqueue(until_us.unwrap_or(i64::MAX), Activity::Listens(bell, until_us));
        state.listening.push_back((key, NUMBER.get()));
        self.pass_turn(state);
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self, bell: &Condvar, all: bool) {
        let mut state = self.enter();
        let bell = state.number_of(bell);
        let now_us = state.now_us;
        while let Some(place) = state.listening.iter().position(|(_, number)| state.listens(*number, bell)) {
            let Some((key, number)) = state.listening.remove(place) else { break };
            state.waiting.remove(&key);
            state.enqueue_thread(now_us, number, Activity::Sleeps(now_us));
            if !all {
                break;
            }
        }
    }

    fn work_side_by_side(&self, work: &(dyn Fn() + Sync)) {
        let mut state = self.enter();
        state.enter_thread();
        let (now_us, count) = (state.now_us, state.threads.len());
        for number in 1..count {
            state.enqueue_thread(now_us, number, Activity::Sleeps(now_us));
        }
        drop(state);
        let _core = OneCore::current();
        thread::scope(|scope| {
            for number in 1..count {
                scope.spawn(move || self.work_as(number, work));
            }
            let _end = EndOfThread(self);
            work();
            let mut state = self.enter();
            state.note(0, Activity::Joins);
            self.pass_turn(state);
        });
    }
}

/// Passes the turn on when a thread ends; ends the simulation when it panics.
struct EndOfThread<'a>(&'a SimulatedTime);

impl Drop for EndOfThread<'_> {
    fn drop(&mut self) {
        let number = NUMBER.get();
        let mut state = self.0.lock();
        if thread::panicking() {
            state.fail_as(&format!("thread {number} panicked"));
            wake(state, None);
        } else if number > 0 {
            state.note(number, Activity::Ended);
            let next = state.next();
            wake(state, next);
        }
    }
}

/// Keeps this thread, and those that it starts, on the core on which it runs, until this is dropped.
///
/// Only one of them runs at a time, and a turn that goes to another core costs twice the CPU time.
struct OneCore {
    /// The cores that this thread could use before.
    #[cfg(target_os = "linux")]
    before: Option<nix::sched::CpuSet>,
}

impl OneCore {
    #[cfg(target_os = "linux")]
    fn current() -> Self {
        let this = nix::unistd::Pid::from_raw(0);
        let before = nix::sched::sched_getaffinity(this).ok();
        let mut only = nix::sched::CpuSet::new();
        let core = nix::sched::sched_getcpu().and_then(|core| only.set(core));
        // Where it is not allowed, the simulation is slower, and nothing else.
        let is_pinned = core.and_then(|()| nix::sched::sched_setaffinity(this, &only)).is_ok();
        Self { before: before.filter(|_| is_pinned) }
    }

    #[cfg(not(target_os = "linux"))]
    fn current() -> Self {
        Self {}
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(before) = &self.before {
            let _ = nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), before);
        }
    }
}
