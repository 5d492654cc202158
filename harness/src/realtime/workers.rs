//! The workers: each asks the board what to do, does it, and tells what came of it.

use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Options;
use super::attempt::{Attempt, Pacing};
use super::scheduler::{Board, Done, Next, Work};
use super::time::Time;
use crate::target::{Fault, Opening, Target};
use crate::vector::Vector;

/// Whoever waits looks so often whether the run is to stop.
const STOP_CHECK_US: i64 = 100_000;

/// What the workers share.
struct Crew<'c, 't, 'v, T> {
    board: Mutex<Shift<'t, 'v>>,
    /// Rings when there may be something to do.
    bell: Condvar,
    time: &'c T,
    target: &'t dyn Target,
    options: &'c Options,
}

/// The board, and until when one of the workers waits on behalf of all; the others sleep until he rings.
struct Shift<'t, 'v> {
    board: Board<'t, 'v>,
    watch_us: Option<i64>,
}

/// Does everything that is on the board.
pub(super) fn work<'t, 'v, T: Time>(
    board: Board<'t, 'v>,
    time: &T,
    target: &'t dyn Target,
    options: &Options,
) -> Board<'t, 'v> {
    let board = Mutex::new(Shift { board, watch_us: None });
    let crew = Crew { board, bell: Condvar::new(), time, target, options };
    thread::scope(|scope| {
        for _ in 1..time.workers() {
            // With fewer threads than wished for, the rest do the work.
            if thread::Builder::new().spawn_scoped(scope, || crew.member()).is_err() {
                break;
            }
        }
        crew.member();
    });
    crew.board.into_inner().unwrap_or_else(PoisonError::into_inner).board
}

impl<'t, 'v, T: Time> Crew<'_, 't, 'v, T> {
    fn lock(&self) -> MutexGuard<'_, Shift<'t, 'v>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn member(&self) {
        let mut shift = self.lock();
        loop {
            if self.options.stop.load(Ordering::Relaxed) {
                shift.board.halt("interrupted");
            }
            match shift.board.next(self.time.now_us()) {
                Next::Work(work) => {
                    self.bell.notify_one();
                    drop(shift);
                    let done = self.perform(work);
                    shift = self.lock();
                    shift.board.note(done, self.time.now_us());
                }
                Next::WaitUntil(until_us) => shift = self.wait(shift, until_us),
                Next::Over => break,
            }
        }
        self.bell.notify_all();
    }

    fn wait<'a>(
        &self,
        mut shift: MutexGuard<'a, Shift<'t, 'v>>,
        until_us: i64,
    ) -> MutexGuard<'a, Shift<'t, 'v>> {
        let until_us = until_us.min(self.time.now_us().saturating_add(STOP_CHECK_US));
        if shift.watch_us.is_some_and(|watch_us| watch_us <= until_us) {
            return self.bell.wait(shift).unwrap_or_else(PoisonError::into_inner);
        }
        shift.watch_us = Some(until_us);
        let mut shift = self.time.wait(&self.bell, shift, until_us);
        shift.watch_us = None;
        shift
    }

    fn perform(&self, work: Work<'t, 'v>) -> Done<'t, 'v> {
        match work {
            Work::Look(mut probe) => {
                let heard = probe.look(self.time);
                Done::Looked(probe, heard)
            }
            Work::Prepare { job, opening, vector, timeless } => self.prepare(job, opening, vector, timeless),
            Work::Go { job, attempt, pacing } => self.go(job, attempt, pacing),
            Work::Close(mut attempt) => {
                // Its verdict stands, and is none about time to live.
                let _ = attempt.close();
                Done::Closed
            }
            Work::Report(progress) => {
                (self.options.progress)(progress);
                Done::Reported
            }
        }
    }

    fn prepare(&self, job: usize, opening: Opening, vector: &'v Vector, timeless: bool) -> Done<'t, 'v> {
        let mut attempt = match Attempt::open(self.target, opening, vector) {
            Ok(attempt) => Box::new(attempt),
            Err(fault) => return Done::Refused(job, fault),
        };
        match attempt.prepare(timeless) {
            Ok(()) => Done::Prepared(job, attempt),
            Err(fault) => misused(&mut attempt, fault),
        }
    }

    fn go(&self, job: usize, mut attempt: Box<Attempt<'t, 'v>>, pacing: Pacing) -> Done<'t, 'v> {
        match attempt.go(self.time, pacing) {
            Ok(Some(due_us)) => Done::Waits(job, attempt, due_us),
            Ok(None) => Done::Finished(job, attempt.finish()),
            Err(fault) => misused(&mut attempt, fault),
        }
    }
}

fn misused<'t, 'v>(attempt: &mut Attempt<'_, '_>, fault: Fault) -> Done<'t, 'v> {
    // What counts is the wrong use.
    let _ = attempt.close();
    Done::Misused(fault)
}
