//! Time that passes only while every thread waits, so that a run of minutes takes milliseconds and repeats itself.
//!
//! One thread runs at a time. A thread that waits names the moment at which it goes on, and passes its turn to the thread
//! with the earliest moment. The threads are coroutines of the thread that starts them: to pass a turn costs no call of the
//! operating system, and nothing depends on how that schedules threads.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use cosmos_ttl_harness::realtime::Time;
use generator::{Generator, Gn};

/// A clock at a fixed number of threads.
///
/// If every thread waits for a bell that no thread is left to ring, the simulation panics and says who waits for what. When one
/// thread panics, all others do: a simulation never hangs.
#[derive(Debug)]
pub struct SimulatedTime {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    now_us: i64,
    /// Whose turn it is.
    turn: usize,
    threads: Vec<Activity>,
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

/// The activity of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    Runs,
    /// Until this moment.
    Sleeps(i64),
    /// For the bell with this number, and no longer than until this moment.
    Listens(usize, Option<i64>),
    Ended,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs => f.write_str("runs"),
            Self::Sleeps(until_us) => write!(f, "sleeps until {until_us} us"),
            Self::Listens(bell, None) => write!(f, "waits for bell {bell}"),
            Self::Listens(bell, Some(until_us)) => write!(f, "waits for bell {bell} until {until_us} us"),
            Self::Ended => f.write_str("has ended"),
        }
    }
}

/// Why a thread returned to the one that starts the threads.
enum ThreadReturn {
    /// It gave its turn to another one.
    Waits,
    Ended,
    /// With what it panicked.
    Panicked(Box<dyn Any + Send>),
}

/// The time that it takes to look at the clock: nothing is done in no time at all.
const LOOK_US: i64 = 5;

/// How many threads a run has on this machine's clock.
const THREADS: usize = 64;

/// The stack of a thread, in words; of these, only those that it uses take memory.
const STACK_WORDS: usize = 1 << 17;

impl Default for SimulatedTime {
    /// A clock at second 0 with as many threads as a run has on this machine's clock.
    fn default() -> Self {
        Self::new(THREADS)
    }
}

impl SimulatedTime {
    /// Returns a clock at second 0 with this many threads, at least one.
    pub fn new(threads: usize) -> Self {
        Self {
            state: Mutex::new(State {
                now_us: 0,
                turn: 0,
                threads: vec![Activity::Ended; threads.max(1)],
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
    #[expect(deprecated, reason = "what waits is called by code that knows nothing of coroutines")]
    fn pass_turn(&self, mut state: MutexGuard<'_, State>) {
        let this = state.turn;
        let is_next = state.next() == Some(this);
        assert_works(&state);
        drop(state);
        if !is_next {
            generator::yield_with(ThreadReturn::Waits);
            drop(self.enter());
        }
    }

    /// Does the work of a thread, unless the simulation cannot go on.
    fn work_to_its_end(&self, work: &(dyn Fn() + Sync)) -> ThreadReturn {
        if self.lock().failure.is_some() {
            return ThreadReturn::Ended;
        }
        catch_unwind(AssertUnwindSafe(work)).map_or_else(ThreadReturn::Panicked, |()| ThreadReturn::Ended)
    }
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
    /// This thread goes on at this moment.
    fn enqueue(&mut self, at_us: i64, activity: Activity) -> (i64, u64) {
        self.enqueue_thread(at_us, self.turn, activity)
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
            *thread = activity;
        }
    }

    /// Gives the turn to the thread that goes on first, and lets the time pass until then; `None` if there is none.
    fn next(&mut self) -> Option<usize> {
        let number = match self.waiting.first_key_value() {
            Some(((at_us, _), number)) if *at_us < i64::MAX => {
                self.now_us = self.now_us.max(*at_us);
                *number
            }
            None if self.threads.iter().all(|thread| *thread == Activity::Ended) => return None,
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
            activities.map(|(number, thread)| format!("thread {number} {thread}")).collect();
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
        thread.is_some_and(|thread| matches!(thread, Activity::Listens(own, _) if *own == bell))
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
        let this = state.turn;
        state.listening.push_back((key, this));
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
        let (now_us, count) = (state.now_us, state.threads.len());
        for number in 0..count {
            state.enqueue_thread(now_us, number, Activity::Sleeps(now_us));
        }
        state.next();
        drop(state);
        let thread = |_| Gn::<()>::new_opt(STACK_WORDS, move || self.work_to_its_end(work));
        let mut threads: Vec<_> = (0..count).map(thread).collect();
        let mut panic = None;
        loop {
            let number = self.lock().turn;
            let returned = threads.get_mut(number).and_then(Generator::resume);
            let mut state = self.lock();
            match returned {
                Some(ThreadReturn::Waits) => {}
                Some(ThreadReturn::Panicked(with)) => {
                    state.fail_as(&format!("thread {number} panicked"));
                    panic = Some(with);
                    break;
                }
                Some(ThreadReturn::Ended) | None => {
                    state.note(number, Activity::Ended);
                    if state.next().is_none() {
                        break;
                    }
                }
            }
        }
        if self.lock().failure.is_some() {
            // Each of the others panics where it waits, and so gives back what it holds.
            for thread in &mut threads {
                drop(thread.resume());
            }
        }
        if let Some(with) = panic {
            resume_unwind(with);
        }
        self.enter().turn = 0;
    }
}
