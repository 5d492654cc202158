//! What came of the work, and what follows from it.

use std::cmp::Reverse;

use super::{Board, Done, Job, Stage};
use crate::realtime::attempt::{Attempt, Finished};
use crate::realtime::clock::SECOND_US;
use crate::realtime::eligibility::too_coarse;
use crate::realtime::probe::Heard;
use crate::realtime::start_schedule::profile;
use crate::replay::Replayed;
use crate::target::Fault;
use crate::verdict::Verdict;

/// A vector that stays inconclusive is tried so often.
const TRIES: u32 = 4;
/// So many that break in a row, and the target is taken to be gone.
const GONE: usize = 16;
/// In a second of which more has passed, no vector starts.
const START_UNTIL_US: i64 = 300_000;

impl<'t, 'v> Board<'t, 'v> {
    /// Takes note of what came of a work.
    pub(in crate::realtime) fn note(&mut self, done: Done<'t, 'v>, now_us: i64) {
        match done {
            Done::Looked(probe, heard) => {
                self.probe = Some(probe);
                self.hear(heard, now_us);
            }
            Done::Reported => self.report_us = now_us.saturating_add(super::REPORT_US),
            Done::Closed => self.put_down(),
            Done::Prepared(job, attempt) => {
                self.put_down();
                self.preparing = self.preparing.saturating_sub(1);
                self.prepared(job, attempt, now_us);
            }
            Done::Refused(job, fault) => {
                self.put_down();
                self.preparing = self.preparing.saturating_sub(1);
                self.refused(job, fault, now_us);
            }
            Done::Waits(job, attempt, due_us) => {
                self.put_down();
                self.broken_in_a_row = 0;
                match attempt.begun_us() {
                    Some(begun_us) if self.knowledge.jumped(begun_us, now_us) => {
                        self.to_close.push(*attempt);
                        self.conclude(job, by_a_jump(), now_us);
                    }
                    _ => self.hold(job, attempt, due_us),
                }
            }
            Done::Finished(job, finished) => {
                self.put_down();
                self.finished(job, finished, now_us);
            }
            Done::Misused(fault) => {
                self.put_down();
                self.misuse.get_or_insert(fault);
                self.halt("the harness was used wrongly");
            }
        }
        self.settle(now_us);
    }

    /// Ends the run before its time.
    pub(in crate::realtime) fn halt(&mut self, why: &str) {
        self.abandon(&Verdict::NotRun(why.into()), |_| true);
    }

    fn put_down(&mut self) {
        self.in_hand = self.in_hand.saturating_sub(1);
    }

    fn hear(&mut self, heard: Heard, now_us: i64) {
        if let Heard::Nothing(Fault::Misuse(why)) = heard {
            self.misuse.get_or_insert(Fault::Misuse(why));
            return self.halt("the harness was used wrongly");
        }
        let jumps = self.knowledge.jumps();
        self.knowledge.hear(heard, now_us);
        if jumps < self.knowledge.jumps() {
            self.start_over(now_us);
        }
        if let Some(verdict) = self.knowledge.lost().cloned() {
            self.abandon(&verdict, |job| !job.timeless);
        }
    }

    /// After a jump of the target's clock, nothing that waits for a moment of it waits for the right one.
    fn start_over(&mut self, now_us: i64) {
        self.timeline.clear();
        for Reverse((_, number)) in std::mem::take(&mut self.waiting) {
            let Some(job) = self.jobs.get_mut(number) else { continue };
            if job.attempt.as_ref().is_some_and(|attempt| attempt.begun_us().is_some()) {
                self.to_close.extend(job.attempt.take().map(|attempt| *attempt));
                self.conclude(number, by_a_jump(), now_us);
            } else {
                self.to_start.push(number);
            }
        }
    }

    fn prepared(&mut self, number: usize, attempt: Box<Attempt<'t, 'v>>, now_us: i64) {
        self.broken_in_a_row = 0;
        if attempt.is_over() {
            return self.hold(number, attempt, now_us);
        }
        let Some(job) = self.jobs.get_mut(number).filter(|job| job.is_open()) else {
            return self.to_close.push(*attempt);
        };
        if job.tries == 0 {
            // The session was opened and, usually, its container made.
            self.prepared_requests = self.prepared_requests.saturating_add(2);
            self.timeline.measured(self.prepared_requests, now_us.saturating_sub(self.started_us));
        }
        job.attempt = Some(attempt);
        self.to_start.push(number);
    }

    fn refused(&mut self, number: usize, fault: Fault, now_us: i64) {
        let verdict = match Verdict::of_fault(fault, "before second 0: ") {
            Ok(verdict) => verdict,
            Err(misuse) => {
                self.misuse.get_or_insert(misuse);
                return self.halt("the harness was used wrongly");
            }
        };
        let replayed = Replayed::unasked(verdict);
        self.finished(number, Finished { replayed, timed_us: None }, now_us);
    }

    /// Keeps an attempt until it is due.
    fn hold(&mut self, number: usize, attempt: Box<Attempt<'t, 'v>>, due_us: i64) {
        match self.jobs.get_mut(number).filter(|job| job.is_open()) {
            Some(job) => {
                job.attempt = Some(attempt);
                self.waiting.push(Reverse((due_us, number)));
            }
            None => self.to_close.push(*attempt),
        }
    }

    fn finished(&mut self, number: usize, finished: Finished, now_us: i64) {
        let gone = if let Verdict::Broken(why) = &finished.replayed.verdict {
            self.broken_in_a_row = self.broken_in_a_row.saturating_add(1);
            (GONE <= self.broken_in_a_row).then(|| format!("the target is gone: {why}"))
        } else {
            self.broken_in_a_row = 0;
            None
        };
        if let Some(job) = self.jobs.get_mut(number).filter(|job| job.is_open()) {
            job.requests = job.requests.saturating_add(finished.replayed.answers.len());
            let judged = matches!(finished.replayed.verdict, Verdict::Pass | Verdict::Fail(_));
            if judged && finished.timed_us.is_some() {
                job.stage = Stage::Unconfirmed(finished);
            } else {
                self.conclude(number, finished.replayed, now_us);
            }
        }
        if let Some(why) = gone {
            self.halt(&why);
        }
    }

    /// Goes on with whatever has waited for the clock.
    fn settle(&mut self, now_us: i64) {
        self.start(now_us);
        let unconfirmed = |job: &Job<'_, '_>| matches!(job.stage, Stage::Unconfirmed(_));
        if !self.jobs.iter().any(unconfirmed) {
            return;
        }
        // Only at the very end does anyone wait for this.
        let hurry = self.in_hand == 0
            && self.waiting.is_empty()
            && self.to_prepare.is_empty()
            && self.to_start.is_empty();
        self.confirm(hurry, now_us);
        if hurry {
            self.knowledge.hurry(now_us);
        }
    }

    /// A verdict counts once the clock is known to have run evenly until it was reached.
    fn confirm(&mut self, hurry: bool, now_us: i64) {
        for number in 0..self.jobs.len() {
            let Some(job) = self.jobs.get_mut(number) else { return };
            let Stage::Unconfirmed(Finished { timed_us: Some((from_us, until_us)), .. }) = &job.stage else {
                continue;
            };
            let jumped = self.knowledge.jumped(*from_us, *until_us);
            if !jumped && !self.knowledge.is_confirmed(*until_us, hurry) {
                continue;
            }
            let Stage::Unconfirmed(finished) = std::mem::replace(&mut job.stage, Stage::Open) else {
                continue;
            };
            self.conclude(number, if jumped { by_a_jump() } else { finished.replayed }, now_us);
        }
    }

    /// Gives those that are prepared their second 0, longest first.
    fn start(&mut self, now_us: i64) {
        if self.to_start.is_empty() {
            return;
        }
        let Some(clock) = self.knowledge.settled() else { return };
        let pacing = self.pacing();
        let request_us = clock.width_us(now_us).saturating_add(pacing.round_trip_us);
        let mut numbers = std::mem::take(&mut self.to_start);
        numbers.sort_by_key(|number| (Reverse(self.jobs.get(*number).map(|job| job.vector.span_s)), *number));
        for number in numbers {
            let Some(job) = self.jobs.get_mut(number) else { continue };
            let Some(mut attempt) = job.attempt.take() else { continue };
            let coarse = too_coarse(job.vector, request_us, self.knowledge.why_coarse());
            if let Some(verdict) = coarse.filter(|_| job.tries == 0) {
                self.to_close.push(*attempt);
                self.conclude(number, Replayed::unasked(verdict), now_us);
                continue;
            }
            let earliest = clock.second_from(START_UNTIL_US, now_us);
            attempt.start(self.timeline.book(&profile(job.vector), earliest));
            let due_us = attempt.due_us(pacing, now_us).unwrap_or(now_us);
            let ends_us = due_us.saturating_add(super::seconds_us(job.vector.span_s));
            self.ends_us = self.ends_us.max(ends_us);
            self.hold(number, attempt, due_us);
        }
    }

    /// Ends a job, or tries it once more.
    fn conclude(&mut self, number: usize, mut replayed: Replayed, now_us: i64) {
        let Some(job) = self.jobs.get_mut(number) else { return };
        job.tries = job.tries.saturating_add(1);
        if let Verdict::Inconclusive(why) = &mut replayed.verdict {
            let ends_us = now_us.saturating_add(super::seconds_us(job.vector.span_s));
            let budget_ends_us = self.started_us.saturating_add(super::seconds_us(self.budget_s));
            if job.tries < TRIES && ends_us <= budget_ends_us {
                self.to_prepare.push_back(number);
                if self.eased_us.saturating_add(SECOND_US) <= now_us {
                    self.eased_us = now_us;
                    self.timeline.ease();
                }
                return;
            }
            *why = format!("{why} (tried {} times)", job.tries);
        }
        job.stage = Stage::Over(replayed);
    }

    /// Gives up on these jobs.
    fn abandon(&mut self, verdict: &Verdict, which: impl Fn(&Job<'t, 'v>) -> bool) {
        for job in &mut self.jobs {
            if matches!(job.stage, Stage::Over(_)) || !which(job) {
                continue;
            }
            job.stage = Stage::Over(Replayed::unasked(verdict.clone()));
            self.to_close.extend(job.attempt.take().map(|attempt| *attempt));
        }
    }
}

/// What is said of a vector during which the target's clock jumped.
fn by_a_jump() -> Replayed {
    let verdict = Verdict::Inconclusive("the target's clock jumped while this was replayed".into());
    Replayed::unasked(verdict)
}
