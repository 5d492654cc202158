//! Many players at one target whose clock runs by itself, each in a place of its own, and one look-out for that clock.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::clock::{SECOND_US, ServerClock};
use super::clock_estimate::Knowledge;
use super::probe::Probe;
use super::time::Time;
use crate::observation_window::ClockInterval;
use crate::target::{Opening, Target};
use crate::verdict::Verdict;

/// So many play at once.
pub const SIDE_BY_SIDE: usize = 16;
/// Whoever waits looks so often whether it is all to end.
const STOP_CHECK_US: i64 = 100_000;
/// After so long a single look at the clock has to do.
const HURRY_US: i64 = 3 * SECOND_US;

/// What the target's clock shows, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    clock: ServerClock,
    /// It shows no `_ts`, so that nobody knows what second it is there.
    pub vague: bool,
}

impl Shown {
    /// The seconds in which a request may have been dealt with that was sent and answered then.
    pub fn window(&self, sent_us: i64, answered_us: i64) -> ClockInterval {
        self.clock.window(sent_us, answered_us)
    }

    /// When so much of this second has surely passed there.
    pub fn moment_us(&self, second: i64, phase_us: i64, now_us: i64) -> i64 {
        self.clock.moment_us(second, phase_us, now_us)
    }
}

/// Somebody who asks the target, and waits in between.
pub trait Player: Send {
    /// Goes on, and says until when to wait; `None` where it is over and its place given up.
    fn go<T: Time>(&mut self, time: &T, shown: Shown) -> Option<i64>;

    /// Gives the place up before its time.
    fn leave(&mut self);

    /// From when to when the clock must have run evenly for what it says to hold; `None` where it says nothing.
    fn claims_us(&self) -> Option<(i64, i64)>;
}

/// Who says who plays, and hears what came of it.
pub trait Director<P>: Send {
    /// The next player, if there is one.
    fn next(&mut self) -> Option<P>;

    /// This one is over; whether the clock is known to have run evenly all the while.
    fn over(&mut self, player: P, sure: bool);

    /// Nobody needs to go on.
    fn is_enough(&self) -> bool;
}

/// A target, and what is known of its clock; kept from one play to the next.
pub struct Stage<'t, T> {
    /// The harness's own clock.
    pub time: &'t T,
    /// The target.
    pub target: &'t dyn Target,
    /// Ends every play when it becomes true.
    pub stop: &'t AtomicBool,
    knowledge: Knowledge,
    probe: Option<Probe<'t>>,
}

impl<T> fmt::Debug for Stage<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.target.about().name)
    }
}

impl<'t, T: Time> Stage<'t, T> {
    /// `opening` is for the place in which the clock is read.
    pub fn new(time: &'t T, target: &'t dyn Target, opening: Opening, stop: &'t AtomicBool) -> Self {
        let knowledge = Knowledge::new(time.now_us());
        Self { time, target, stop, knowledge, probe: Some(Probe::new(target, opening)) }
    }

    /// Why there is no clock to go by.
    pub fn lost(&self) -> Option<&Verdict> {
        self.knowledge.lost()
    }

    /// Whether it is to end.
    pub fn is_over(&self, until_us: i64) -> bool {
        self.stop.load(Ordering::Relaxed) || self.lost().is_some() || until_us <= self.time.now_us()
    }

    /// Lets everybody play whom the director names, until this moment.
    pub fn play<P: Player, D: Director<P>>(&mut self, director: &mut D, until_us: i64) {
        let cast = Cast { waiting: Vec::new(), unconfirmed: Vec::new(), playing: 0 };
        let time = self.time;
        let scene = Mutex::new(Scene { stage: self, director, cast, until_us });
        let play = Play { scene, bell: Condvar::new(), time };
        thread::scope(|scope| {
            for _ in 0..time.workers().saturating_sub(1).min(SIDE_BY_SIDE) {
                // With fewer threads than wished for, the rest do the work.
                if thread::Builder::new().spawn_scoped(scope, || play.member()).is_err() {
                    break;
                }
            }
            play.member();
        });
    }

    /// Gives up the place in which the clock was read.
    pub fn close(&mut self) {
        if let Some(probe) = &mut self.probe {
            probe.close();
        }
    }
}

/// Everybody who is on.
struct Cast<P> {
    /// Until when each waits.
    waiting: Vec<(i64, P)>,
    /// Over, but the clock is not yet known to have run evenly until then.
    unconfirmed: Vec<P>,
    playing: usize,
}

/// What the workers share.
struct Scene<'s, 't, T, P, D> {
    stage: &'s mut Stage<'t, T>,
    director: &'s mut D,
    cast: Cast<P>,
    until_us: i64,
}

struct Play<'s, 't, T, P, D> {
    scene: Mutex<Scene<'s, 't, T, P, D>>,
    bell: Condvar,
    time: &'t T,
}

/// What a worker is to do.
enum Job<'t, P> {
    Look(Probe<'t>),
    Go(P, Shown),
    Leave(P),
    WaitUntil(i64),
    Over,
}

impl<'s, 't, T: Time, P: Player, D: Director<P>> Play<'s, 't, T, P, D> {
    fn lock(&self) -> MutexGuard<'_, Scene<'s, 't, T, P, D>> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn member(&self) {
        let mut scene = self.lock();
        loop {
            match scene.next(self.time.now_us()) {
                Job::Look(mut probe) => {
                    drop(scene);
                    let heard = probe.look(self.time);
                    scene = self.lock();
                    scene.stage.knowledge.hear(heard, self.time.now_us());
                    scene.stage.probe = Some(probe);
                }
                Job::Go(mut player, shown) => {
                    self.bell.notify_one();
                    drop(scene);
                    let due_us = player.go(self.time, shown);
                    scene = self.lock();
                    scene.went(player, due_us);
                }
                Job::Leave(mut player) => {
                    drop(scene);
                    player.leave();
                    scene = self.lock();
                    scene.went(player, None);
                }
                Job::WaitUntil(until_us) => scene = self.time.wait(&self.bell, scene, until_us),
                Job::Over => break,
            }
        }
        self.bell.notify_all();
    }
}

impl<'t, T: Time, P: Player, D: Director<P>> Scene<'_, 't, T, P, D> {
    fn next(&mut self, now_us: i64) -> Job<'t, P> {
        self.confirm(now_us);
        let given_up = self.stage.stop.load(Ordering::Relaxed) || self.stage.lost().is_some();
        if given_up || self.until_us <= now_us || self.director.is_enough() {
            if let Some((_, player)) = self.cast.waiting.pop() {
                self.cast.playing = self.cast.playing.saturating_add(1);
                return Job::Leave(player);
            }
            if self.cast.playing == 0 && (given_up || self.cast.unconfirmed.is_empty()) {
                self.dismiss(|_| true, false);
                return Job::Over;
            }
        } else if let Some((player, shown)) = self.on(now_us) {
            return Job::Go(player, shown);
        } else if self.is_empty() && self.stage.knowledge.settled().is_some() {
            return Job::Over;
        }
        if self.stage.knowledge.due_us <= now_us
            && !given_up
            && let Some(probe) = self.stage.probe.take()
        {
            return Job::Look(probe);
        }
        Job::WaitUntil(self.due_us(now_us))
    }

    /// Whoever is to go on, or to begin.
    fn on(&mut self, now_us: i64) -> Option<(P, Shown)> {
        let clock = self.stage.knowledge.settled()?;
        let shown = Shown { clock, vague: self.stage.knowledge.width_us(now_us).is_none() };
        let due = self.cast.waiting.iter().enumerate().min_by_key(|(_, (due_us, _))| *due_us);
        let due = due.filter(|(_, (due_us, _))| *due_us <= now_us).map(|(place, _)| place);
        let player = match due {
            Some(place) => self.cast.waiting.swap_remove(place).1,
            None if self.cast.waiting.len().saturating_add(self.cast.playing) < SIDE_BY_SIDE => {
                self.director.next()?
            }
            None => return None,
        };
        self.cast.playing = self.cast.playing.saturating_add(1);
        Some((player, shown))
    }

    fn is_empty(&self) -> bool {
        self.cast.playing == 0 && self.cast.waiting.is_empty() && self.cast.unconfirmed.is_empty()
    }

    fn due_us(&self, now_us: i64) -> i64 {
        let waiting = self.cast.waiting.iter().map(|(due_us, _)| *due_us);
        let looking = self.stage.probe.as_ref().map(|_| self.stage.knowledge.due_us);
        let soon_us = now_us.saturating_add(STOP_CHECK_US);
        let next_us = waiting.chain(looking).filter(|due_us| now_us < *due_us).min();
        next_us.unwrap_or(soon_us).min(soon_us)
    }

    fn went(&mut self, player: P, due_us: Option<i64>) {
        self.cast.playing = self.cast.playing.saturating_sub(1);
        match due_us {
            Some(due_us) => self.cast.waiting.push((due_us, player)),
            None if player.claims_us().is_some() => self.cast.unconfirmed.push(player),
            None => self.director.over(player, true),
        }
    }

    /// Lets the director hear what is known by now to hold, or not to.
    fn confirm(&mut self, now_us: i64) {
        let knowledge = &self.stage.knowledge;
        let mut jumped = Vec::new();
        let mut even = Vec::new();
        for (place, player) in self.cast.unconfirmed.iter().enumerate() {
            let (from_us, until_us) = player.claims_us().unwrap_or((now_us, now_us));
            let hurry = until_us.saturating_add(HURRY_US) < now_us;
            if knowledge.jumped(from_us, until_us) {
                jumped.push(place);
            } else if knowledge.is_confirmed(until_us, hurry) {
                even.push(place);
            }
        }
        if !jumped.is_empty() {
            self.dismiss(|place| jumped.contains(&place), false);
        } else if !even.is_empty() {
            self.dismiss(|place| even.contains(&place), true);
        }
    }

    fn dismiss(&mut self, who: impl Fn(usize) -> bool, sure: bool) {
        let all = std::mem::take(&mut self.cast.unconfirmed);
        for (place, player) in all.into_iter().enumerate() {
            if who(place) {
                self.director.over(player, sure);
            } else {
                self.cast.unconfirmed.push(player);
            }
        }
    }
}
