//! Many vectors at one target whose clock runs by itself, each with a session of its own, and one probe for that clock.
//!
//! Workers share what is to be done: each takes what is due, does it while nothing is locked, and reports the result.

use std::collections::BTreeMap;
use std::collections::btree_map::OccupiedEntry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Time;
use super::clock::ClockEstimate;
use super::clock_probe::ClockProbe;
use super::vector_task::{Turn, VectorTask};
use super::vector_tasks::{ProgressReport, VectorTasks};
use crate::target::Target;

/// The number of sessions that are opened at once: enough to keep a target busy, few enough to leave it time for the clock.
pub(super) const SIDE_BY_SIDE: usize = 16;
/// How often a waiting thread checks whether the run ends.
const STOP_CHECK_US: i64 = 100_000;

/// Runs all tasks to their end, and returns them with what is known of the target's clock.
pub(super) fn run<'t, 'v>(
    time: &impl Time,
    target: &'t dyn Target,
    stop: &AtomicBool,
    tasks: VectorTasks<'t, 'v>,
) -> (VectorTasks<'t, 'v>, ClockEstimate) {
    let shift = Shift {
        target,
        stop,
        clock: ClockEstimate::new(time.now_us()),
        probe: Some(ClockProbe::new(target)),
        tasks,
        watch_us: None,
        waiting: BTreeMap::new(),
        waited: 0,
        starting: Vec::new(),
        unconfirmed: Vec::new(),
        leaving: Vec::new(),
        workers: 0,
        at_work: 0,
        fresh: 0,
    };
    let workers = Workers { shift: Mutex::new(shift), bell: Condvar::new(), time };
    time.work_side_by_side(&|| workers.work());
    let Shift { tasks, clock, probe, .. } =
        workers.shift.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(mut probe) = probe {
        probe.close();
    }
    (tasks, clock)
}

struct Workers<'t, 'v, 'w, T> {
    shift: Mutex<Shift<'t, 'v, 'w>>,
    /// Rings when there may be something to do.
    bell: Condvar,
    time: &'w T,
}

/// The next work of a worker.
enum Work<'t, 'v> {
    Probe(ClockProbe<'t>),
    Go { task: VectorTask<'t, 'v>, fresh: bool },
    Leave { task: VectorTask<'t, 'v>, sure: bool },
    Report(ProgressReport),
    WaitUntil(i64),
    Over,
}

impl<'t, 'v, 'w, T: Time> Workers<'t, 'v, 'w, T> {
    fn lock(&self) -> MutexGuard<'_, Shift<'t, 'v, 'w>> {
        self.shift.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let begin = |shift: MutexGuard<'_, _>| {
            self.time.ring(&self.bell, false);
            drop(shift);
        };
        let mut shift = self.lock();
        shift.workers = shift.workers.saturating_add(1);
        loop {
            match shift.next(self.time.now_us()) {
                Work::Probe(mut probe) => {
                    let scans = shift.clock.scans;
                    begin(shift);
                    let answer = probe.look(self.time, scans);
                    shift = self.lock();
                    shift.clock.opening_us = probe.opening_us.unwrap_or(0);
                    shift.probe = Some(probe);
                    if shift.clock.hear(answer, self.time.now_us()) {
                        shift.jumped();
                    }
                }
                Work::Go { mut task, fresh } => {
                    let clock = shift.clock.clock;
                    begin(shift);
                    let turn = task.go(self.time, clock);
                    shift = self.lock();
                    shift.went(task, turn, fresh, self.time.now_us());
                }
                Work::Leave { mut task, sure } => {
                    begin(shift);
                    task.leave();
                    shift = self.lock();
                    shift.at_work = shift.at_work.saturating_sub(1);
                    shift.over(task, sure, self.time.now_us());
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

/// The state that the workers share.
struct Shift<'t, 'v, 'w> {
    target: &'t dyn Target,
    /// Ends the run when it becomes true.
    stop: &'w AtomicBool,
    clock: ClockEstimate,
    /// `None` while a worker has it.
    probe: Option<ClockProbe<'t>>,
    tasks: VectorTasks<'t, 'v>,
    /// Until when one of the workers waits on behalf of all; the others sleep until he rings.
    watch_us: Option<i64>,
    /// By when they go on, and in which order they began to wait.
    waiting: BTreeMap<(i64, u64), VectorTask<'t, 'v>>,
    waited: u64,
    starting: Vec<VectorTask<'t, 'v>>,
    /// Over, but the clock is not yet known to have run evenly until then.
    unconfirmed: Vec<VectorTask<'t, 'v>>,
    /// To be left, and whether the clock ran evenly.
    leaving: Vec<(VectorTask<'t, 'v>, bool)>,
    /// How many workers there are. One of them always waits, to end the run when it is time.
    workers: usize,
    /// How many are in the hands of workers, and how many of these for the first time.
    at_work: usize,
    fresh: usize,
}

impl<'t, 'v> Shift<'t, 'v, '_> {
    fn next(&mut self, now_us: i64) -> Work<'t, 'v> {
        self.confirm(now_us);
        if self.tasks.ends_now(now_us) {
            self.target.interrupt();
        }
        let stopped = self.tasks.is_halted() || self.stop.load(Ordering::Relaxed);
        let lost = self.clock.lost().is_some();
        if stopped || lost {
            let tasks = std::mem::take(&mut self.waiting).into_values().chain(self.starting.drain(..));
            self.leaving.extend(tasks.map(|task| (task, true)));
            for task in std::mem::take(&mut self.unconfirmed) {
                self.over(task, false, now_us);
            }
        }
        if stopped && self.is_empty() {
            return Work::Over;
        }
        let probes = !stopped && !lost && self.tasks.needs_clock();
        if probes && self.tasks.wants_scan(&self.clock, now_us) {
            self.clock.scan(now_us);
        }
        let asked = self.at_work.saturating_add(usize::from(self.probe.is_none()));
        let may_ask = asked.saturating_add(1) < self.workers.max(2);
        if let Some(work) = self.due(may_ask, now_us) {
            return work;
        }
        if probes
            && may_ask
            && self.clock.due_us <= now_us
            && let Some(probe) = self.probe.take()
        {
            return Work::Probe(probe);
        }
        if may_ask && let Some(work) = self.idle_work(stopped, now_us) {
            return work;
        }
        let is_empty = self.is_empty() && !self.tasks.wants_scan(&self.clock, now_us);
        if is_empty && (lost || !self.tasks.needs_clock() || self.clock.is_settled()) {
            return Work::Over;
        }
        let probe_us = (probes && self.probe.is_some()).then_some(self.clock.due_us);
        let waiting_us = self.waiting.keys().next().map(|(due_us, _)| *due_us);
        let soon_us = now_us.saturating_add(STOP_CHECK_US);
        let next_us = probe_us.into_iter().chain(waiting_us).filter(|due_us| now_us < *due_us).min();
        Work::WaitUntil(next_us.unwrap_or(soon_us).min(soon_us))
    }

    /// Returns work that cannot wait.
    fn due(&mut self, may_ask: bool, now_us: i64) -> Option<Work<'t, 'v>> {
        if may_ask && self.clock.is_settled() {
            let starting = std::mem::take(&mut self.starting);
            for (task, due_us) in self.tasks.start(starting, &self.clock, now_us) {
                match due_us {
                    Some(due_us) => self.hold(task, due_us),
                    None => self.leaving.push((task, true)),
                }
            }
            let first = self.waiting.first_entry().filter(|first| first.key().0 <= now_us);
            if let Some(task) = first.map(OccupiedEntry::remove) {
                self.at_work = self.at_work.saturating_add(1);
                return Some(Work::Go { task, fresh: false });
            }
        }
        self.tasks.report(now_us).map(Work::Report)
    }

    /// Returns work that can wait.
    fn idle_work(&mut self, stopped: bool, now_us: i64) -> Option<Work<'t, 'v>> {
        let work = if let Some((task, sure)) = self.leaving.pop() {
            Work::Leave { task, sure }
        } else if stopped || self.fresh >= SIDE_BY_SIDE || self.is_full() {
            return None;
        } else {
            let task = self.tasks.next(&self.clock, now_us)?;
            self.fresh = self.fresh.saturating_add(1);
            Work::Go { task, fresh: true }
        };
        self.at_work = self.at_work.saturating_add(1);
        Some(work)
    }

    /// Whether no further session may be open; one of them is that in which the clock is read.
    fn is_full(&self) -> bool {
        let tasks = self.at_work.saturating_add(self.waiting.len()).saturating_add(self.starting.len());
        self.target.most_sessions().saturating_sub(1).max(1) <= tasks
    }

    fn is_idle(&self) -> bool {
        self.at_work == 0 && self.waiting.is_empty() && self.starting.is_empty() && self.leaving.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.is_idle() && self.unconfirmed.is_empty()
    }

    fn hold(&mut self, task: VectorTask<'t, 'v>, due_us: i64) {
        self.waited = self.waited.saturating_add(1);
        self.waiting.insert((due_us, self.waited), task);
    }

    fn over(&mut self, task: VectorTask<'t, 'v>, sure: bool, now_us: i64) {
        self.tasks.over(task, sure, &self.clock, now_us);
    }

    fn went(&mut self, mut task: VectorTask<'t, 'v>, turn: Turn, fresh: bool, now_us: i64) {
        if self.tasks.heard(&mut task, now_us) {
            self.book_again();
        }
        self.at_work = self.at_work.saturating_sub(1);
        self.fresh = self.fresh.saturating_sub(usize::from(fresh));
        if turn == Turn::Over && task.claims_us().is_none() {
            return self.over(task, true, now_us);
        }
        self.tasks.went_on();
        let jumped = task.begun_us().is_some_and(|begun_us| self.clock.jumped(begun_us, now_us));
        match turn {
            Turn::Over => self.unconfirmed.push(task),
            Turn::At(_) | Turn::Start if jumped => self.leaving.push((task, false)),
            Turn::At(due_us) => self.hold(task, due_us),
            Turn::Start => self.starting.push(task),
        }
    }

    /// Whatever has not begun begins at another time.
    fn book_again(&mut self) {
        for (key, task) in std::mem::take(&mut self.waiting) {
            if task.begun_us().is_none() && !task.held {
                self.tasks.take_back(&task);
                self.starting.push(task);
            } else {
                self.waiting.insert(key, task);
            }
        }
    }

    /// Nothing that waits for a moment of the target's clock waits for the right one.
    fn jumped(&mut self) {
        self.tasks.clock_jumped();
        for task in std::mem::take(&mut self.waiting).into_values() {
            if task.begun_us().is_some() {
                self.leaving.push((task, false));
            } else {
                self.starting.push(task);
            }
        }
    }

    /// Confirms the results of a task once the clock is known to have run evenly until it was over.
    fn confirm(&mut self, now_us: i64) {
        let mut hurries = false;
        for task in std::mem::take(&mut self.unconfirmed) {
            let (from_us, until_us) = task.claims_us().unwrap_or((now_us, now_us));
            let hurry = self.tasks.hurries(&task, self.is_idle());
            if let Some(sure) = self.clock.ran_evenly(from_us, until_us, hurry) {
                self.over(task, sure, now_us);
            } else {
                hurries |= hurry;
                self.unconfirmed.push(task);
            }
        }
        if hurries && self.probe.is_some() {
            self.clock.hurry(now_us);
        }
    }
}
