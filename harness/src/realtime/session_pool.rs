//! Many clients at one target whose clock runs by itself, each with a session of its own, and one probe for that clock.
//!
//! A [`TaskSource`] says which clients there are; a [`PoolClient`] asks the target, and waits in between. Workers share
//! what is to be done: each takes what is due, does it, and reports the result.

use std::collections::BTreeMap;
use std::collections::btree_map::OccupiedEntry;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Time;
pub use super::clock::ClockEstimate;
use super::clock_probe::ClockProbe;
pub use super::clock_view::ClockView;
use crate::target::{About, Opening, Target};
use crate::verdict::Verdict;

/// The number of sessions that are opened at once: enough to keep a target busy, few enough to leave it time for the clock.
pub const SIDE_BY_SIDE: usize = 16;
/// How often a waiting thread checks whether the pool ends.
const STOP_CHECK_US: i64 = 100_000;

/// When a client goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At this moment.
    At(i64),
    /// When its source says, once the target's clock is known.
    Start,
    /// Never: it is over, and its session closed.
    Over,
}

/// A client that sends requests to the target, and waits in between.
pub trait PoolClient: Send {
    /// Goes on as long as there is something to ask, and says when to go on after that.
    fn go<T: Time>(&mut self, time: &T, clock: ClockView) -> Turn;

    /// Closes its session before its time.
    fn leave(&mut self);

    /// Returns when it first sent a request that depends on the target's clock.
    fn begun_us(&self) -> Option<i64>;

    /// Returns from when to when the clock must have run evenly for what it says to hold; `None` where it says nothing.
    fn claims_us(&self) -> Option<(i64, i64)>;
}

/// The work that a source of clients still has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// That everybody goes on.
    More,
    /// No client needs to go on, but their results are not confirmed yet.
    Enough,
    /// That all ends at once.
    Halt,
}

/// Tells how far it has come; called while nothing is locked.
pub type ProgressReport = Box<dyn FnOnce() + Send>;

/// Provides the clients, and gets their results.
pub trait TaskSource<C>: Send {
    /// Returns the next client, if the pool has one.
    fn next(&mut self, active: usize, clock: &ClockEstimate, now_us: i64) -> Option<C>;

    /// Takes back a client that is over. `sure` is whether the clock is known to have run evenly all the while.
    fn over(&mut self, client: C, sure: bool, clock: &ClockEstimate, now_us: i64);

    /// Returns what is still wanted.
    fn demand(&self) -> Demand;

    /// Returns whether a single look at the clock has to do for this client, which waits for its confirmation.
    fn hurries(&self, _client: &C, _idle: bool) -> bool {
        false
    }

    /// Returns whether the clock is to be scanned: looked at so often that no step of it goes unseen.
    fn wants_scan(&self, _clock: &ClockEstimate, _now_us: i64) -> bool {
        false
    }

    /// Returns whether any client depends on the target's time.
    fn needs_clock(&self) -> bool {
        true
    }

    /// Says when those go on that wait for a start; `None` where one is over instead.
    fn start(&mut self, clients: Vec<C>, _clock: &ClockEstimate, now_us: i64) -> Vec<(C, Option<i64>)> {
        clients.into_iter().map(|client| (client, Some(now_us))).collect()
    }

    /// A client went on, and its target is well.
    fn went_on(&mut self) {}

    /// The target's clock jumped: no second is any more when it was.
    fn clock_jumped(&mut self) {}

    /// Returns what to tell now, if it is time for that.
    fn report(&mut self, _now_us: i64) -> Option<ProgressReport> {
        None
    }
}

/// A target, and what is known of its clock; kept from one run to the next.
pub struct SessionPool<'t, T> {
    /// The harness's own clock.
    pub time: &'t T,
    /// The target.
    pub target: &'t dyn Target,
    /// Ends every run when it becomes true.
    pub stop: &'t AtomicBool,
    pub(super) clock: ClockEstimate,
    probe: Option<ClockProbe<'t>>,
}

impl<T> fmt::Debug for SessionPool<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.target.about().name)
    }
}

impl<'t, T: Time> SessionPool<'t, T> {
    /// A pool without clients, at the target that says this about itself.
    pub fn new(time: &'t T, target: &'t dyn Target, about: &About, stop: &'t AtomicBool) -> Self {
        let edition = about.editions.iter().max().copied().unwrap_or_default();
        let opening = Opening::new(edition, about.removals.first().copied());
        let clock = ClockEstimate::new(time.now_us());
        Self { time, target, stop, clock, probe: Some(ClockProbe::new(target, opening)) }
    }

    /// Returns why there is no clock to go by.
    pub fn lost(&self) -> Option<&Verdict> {
        self.clock.lost()
    }

    /// Returns whether it is to end.
    pub fn is_over(&self, until_us: i64) -> bool {
        self.stop.load(Ordering::Relaxed) || self.lost().is_some() || until_us <= self.time.now_us()
    }

    /// Runs all clients that the source names, until this moment.
    pub fn run<C: PoolClient, S: TaskSource<C>>(&mut self, source: &mut S, until_us: i64) {
        let time = self.time;
        let shift = Shift {
            pool: self,
            source,
            until_us,
            watch_us: None,
            waiting: BTreeMap::new(),
            waited: 0,
            starting: Vec::new(),
            unconfirmed: Vec::new(),
            leaving: Vec::new(),
            at_work: 0,
            fresh: 0,
        };
        let workers = Workers { shift: Mutex::new(shift), bell: Condvar::new(), time };
        time.work_side_by_side(&|| workers.work());
    }

    /// Closes the session in which the clock was read.
    pub fn close(&mut self) {
        if let Some(probe) = &mut self.probe {
            probe.close();
        }
    }
}

struct Workers<'p, 't, T, C, S> {
    shift: Mutex<Shift<'p, 't, T, C, S>>,
    /// Rings when there may be something to do.
    bell: Condvar,
    time: &'t T,
}

/// The next work of a worker.
enum Work<'t, C> {
    Probe(ClockProbe<'t>),
    Go { client: Box<C>, fresh: bool },
    Leave { client: Box<C>, sure: bool },
    Report(ProgressReport),
    WaitUntil(i64),
    Over,
}

impl<'p, 't, T: Time, C: PoolClient, S: TaskSource<C>> Workers<'p, 't, T, C, S> {
    fn lock(&self) -> MutexGuard<'_, Shift<'p, 't, T, C, S>> {
        self.shift.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is to be done, does it while nothing is locked, and records its result.
    fn work(&self) {
        let begin = |shift: MutexGuard<'_, _>| {
            self.time.ring(&self.bell, false);
            drop(shift);
        };
        let mut shift = self.lock();
        loop {
            match shift.next(self.time.now_us()) {
                Work::Probe(mut probe) => {
                    let scans = shift.pool.clock.scans;
                    begin(shift);
                    let answer = probe.look(self.time, scans);
                    shift = self.lock();
                    shift.pool.clock.opening_us = probe.opening_us.unwrap_or(0);
                    shift.pool.probe = Some(probe);
                    if shift.pool.clock.hear(answer, self.time.now_us()) {
                        shift.jumped();
                    }
                }
                Work::Go { mut client, fresh } => {
                    let clock = shift.pool.clock.clock;
                    begin(shift);
                    let turn = client.go(self.time, clock);
                    shift = self.lock();
                    shift.went(client, turn, fresh, self.time.now_us());
                }
                Work::Leave { mut client, sure } => {
                    begin(shift);
                    client.leave();
                    shift = self.lock();
                    shift.at_work = shift.at_work.saturating_sub(1);
                    shift.over(*client, sure, self.time.now_us());
                }
                Work::Report(report) => {
                    begin(shift);
                    report();
                    shift = self.lock();
                }
                // One of them waits on behalf of all.
                Work::WaitUntil(until_us) if shift.watch_us.is_some_and(|watch_us| watch_us <= until_us) => {
                    shift = self.time.wait(&self.bell, &self.shift, shift, None);
                }
                Work::WaitUntil(until_us) => {
                    shift.watch_us = Some(until_us);
                    shift = self.time.wait(&self.bell, &self.shift, shift, Some(until_us));
                    shift.watch_us = None;
                }
                Work::Over => return self.time.ring(&self.bell, true),
            }
        }
    }
}

/// The state that the workers share. Clients are in boxes, since they go from one collection to another all the time.
struct Shift<'p, 't, T, C, S> {
    pool: &'p mut SessionPool<'t, T>,
    source: &'p mut S,
    until_us: i64,
    /// Until when one of the workers waits on behalf of all; the others sleep until he rings.
    watch_us: Option<i64>,
    /// By when they go on, and in which order they began to wait.
    waiting: BTreeMap<(i64, u64), Box<C>>,
    waited: u64,
    starting: Vec<Box<C>>,
    /// Over, but the clock is not yet known to have run evenly until then.
    unconfirmed: Vec<Box<C>>,
    /// To be left, and whether the clock ran evenly.
    leaving: Vec<(Box<C>, bool)>,
    /// How many are in the hands of workers, and how many of these for the first time.
    at_work: usize,
    fresh: usize,
}

impl<'t, T: Time, C: PoolClient, S: TaskSource<C>> Shift<'_, 't, T, C, S> {
    fn next(&mut self, now_us: i64) -> Work<'t, C> {
        self.confirm(now_us);
        let demand = self.source.demand();
        let stopped = demand == Demand::Halt || self.pool.stop.load(Ordering::Relaxed);
        let lost = self.pool.lost().is_some();
        let ends = stopped || demand == Demand::Enough || self.until_us <= now_us;
        if ends || lost {
            let clients = std::mem::take(&mut self.waiting).into_values().chain(self.starting.drain(..));
            self.leaving.extend(clients.map(|client| (client, true)));
        }
        if stopped || lost {
            for client in std::mem::take(&mut self.unconfirmed) {
                self.over(*client, false, now_us);
            }
        }
        if ends && self.is_empty() {
            return Work::Over;
        }
        let probes = !stopped && !lost && self.source.needs_clock();
        if probes && self.source.wants_scan(&self.pool.clock, now_us) {
            self.pool.clock.scan(now_us);
        }
        if let Some(work) = self.due(now_us) {
            return work;
        }
        if probes
            && self.pool.clock.due_us <= now_us
            && let Some(probe) = self.pool.probe.take()
        {
            return Work::Probe(probe);
        }
        if let Some(work) = self.idle_work(ends, now_us) {
            return work;
        }
        let is_empty = self.is_empty() && !self.source.wants_scan(&self.pool.clock, now_us);
        if is_empty && (lost || !self.source.needs_clock() || self.pool.clock.is_settled()) {
            return Work::Over;
        }
        let probe_us = (probes && self.pool.probe.is_some()).then_some(self.pool.clock.due_us);
        let waiting_us = self.waiting.keys().next().map(|(due_us, _)| *due_us);
        let soon_us = now_us.saturating_add(STOP_CHECK_US);
        let next_us = probe_us.into_iter().chain(waiting_us).filter(|due_us| now_us < *due_us).min();
        Work::WaitUntil(next_us.unwrap_or(soon_us).min(soon_us))
    }

    /// Returns work that cannot wait.
    fn due(&mut self, now_us: i64) -> Option<Work<'t, C>> {
        if self.pool.clock.is_settled() {
            let starting = self.starting.drain(..).map(|client| *client).collect();
            for (client, due_us) in self.source.start(starting, &self.pool.clock, now_us) {
                let client = Box::new(client);
                match due_us {
                    Some(due_us) => self.hold(client, due_us),
                    None => self.leaving.push((client, true)),
                }
            }
            let first = self.waiting.first_entry().filter(|first| first.key().0 <= now_us);
            if let Some(client) = first.map(OccupiedEntry::remove) {
                self.at_work = self.at_work.saturating_add(1);
                return Some(Work::Go { client, fresh: false });
            }
        }
        self.source.report(now_us).map(Work::Report)
    }

    /// Returns work that can wait.
    fn idle_work(&mut self, ends: bool, now_us: i64) -> Option<Work<'t, C>> {
        let work = if let Some((client, sure)) = self.leaving.pop() {
            Work::Leave { client, sure }
        } else if ends || self.fresh >= SIDE_BY_SIDE || self.is_full() {
            return None;
        } else {
            let active = self.waiting.len().saturating_add(self.at_work);
            let client = Box::new(self.source.next(active, &self.pool.clock, now_us)?);
            self.fresh = self.fresh.saturating_add(1);
            Work::Go { client, fresh: true }
        };
        self.at_work = self.at_work.saturating_add(1);
        Some(work)
    }

    /// Whether no further session may be open; one of them is that in which the clock is read.
    fn is_full(&self) -> bool {
        let clients = self.at_work.saturating_add(self.waiting.len()).saturating_add(self.starting.len());
        self.pool.target.most_sessions().saturating_sub(1).max(1) <= clients
    }

    fn is_idle(&self) -> bool {
        self.at_work == 0 && self.waiting.is_empty() && self.starting.is_empty() && self.leaving.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.is_idle() && self.unconfirmed.is_empty()
    }

    fn hold(&mut self, client: Box<C>, due_us: i64) {
        self.waited = self.waited.saturating_add(1);
        self.waiting.insert((due_us, self.waited), client);
    }

    fn over(&mut self, client: C, sure: bool, now_us: i64) {
        self.source.over(client, sure, &self.pool.clock, now_us);
    }

    fn went(&mut self, client: Box<C>, turn: Turn, fresh: bool, now_us: i64) {
        self.at_work = self.at_work.saturating_sub(1);
        self.fresh = self.fresh.saturating_sub(usize::from(fresh));
        if turn == Turn::Over && client.claims_us().is_none() {
            return self.over(*client, true, now_us);
        }
        self.source.went_on();
        let jumped = client.begun_us().is_some_and(|begun_us| self.pool.clock.jumped(begun_us, now_us));
        match turn {
            Turn::Over => self.unconfirmed.push(client),
            Turn::At(_) | Turn::Start if jumped => self.leaving.push((client, false)),
            Turn::At(due_us) => self.hold(client, due_us),
            Turn::Start => self.starting.push(client),
        }
    }

    /// Nothing that waits for a moment of the target's clock waits for the right one.
    fn jumped(&mut self) {
        self.source.clock_jumped();
        for client in std::mem::take(&mut self.waiting).into_values() {
            if client.begun_us().is_some() {
                self.leaving.push((client, false));
            } else {
                self.starting.push(client);
            }
        }
    }

    /// Confirms the results of a client once the clock is known to have run evenly until it was over.
    fn confirm(&mut self, now_us: i64) {
        let mut hurries = false;
        for client in std::mem::take(&mut self.unconfirmed) {
            let (from_us, until_us) = client.claims_us().unwrap_or((now_us, now_us));
            let hurry = self.source.hurries(&client, self.is_idle());
            if let Some(sure) = self.pool.clock.ran_evenly(from_us, until_us, hurry) {
                self.over(*client, sure, now_us);
            } else {
                hurries |= hurry;
                self.unconfirmed.push(client);
            }
        }
        if hurries && self.pool.probe.is_some() {
            self.pool.clock.hurry(now_us);
        }
    }
}
