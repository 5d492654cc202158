//! Plays place after place, until something differs or enough was asked.

use std::sync::atomic::{AtomicBool, Ordering};

use super::choice::Chosen;
use super::coverage::{Coverage, add};
use super::generate::{Generator, Kind};
use super::play::Difference;
use super::script::{Action, Call, Script};
use super::walk::{Heard, Walk};
use cosmos_ttl_belief::Contradiction;
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::target::{About, Clock, Fault, Opening, Request, Target};

/// How much, and from where.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The seed of the first place; each next place has the next seed, so that any of them can be played alone.
    pub seed: u64,
    /// After how many requests to end.
    pub steps: u64,
    /// Ends it when it becomes true; looked at before each place.
    pub stop: &'a AtomicBool,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The target.
    pub about: About,
    /// What was reached.
    pub coverage: Coverage,
    /// The first difference, if there is one.
    pub found: Option<Found>,
    /// What the target did wrong otherwise, a sentence each; at most a few.
    pub mishaps: Vec<String>,
    /// It ended before enough was asked.
    pub cut_short: bool,
}

/// A difference, as it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The seed of its place.
    pub seed: u64,
    /// After how many requests of the whole exploration.
    pub after: u64,
    /// All that happened in its place, up to the answer that differs.
    pub script: Script,
    /// What differs.
    pub difference: Difference,
    /// Another place, where the target chose otherwise, if that is what differs.
    pub beside: Option<Chosen>,
}

/// A target that breaks so often has nothing to say.
const MOST_MISHAPS: usize = 5;

/// Explores a target whose clock the harness moves.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a place.
pub fn explore(target: &dyn Target, options: &Options<'_>) -> Result<Explored, Fault> {
    explore_after(target, options, &mut None)
}

/// The same, where the target is held to what it chose before; what it chooses is added.
///
/// # Errors
///
/// [`Fault::Misuse`]; every other fault costs a place.
pub fn explore_after(
    target: &dyn Target,
    options: &Options<'_>,
    chosen: &mut Option<Chosen>,
) -> Result<Explored, Fault> {
    let about = catch_panic(|| Ok(target.about()))?;
    if about.clock != Clock::Virtual {
        return Err(Fault::Misuse(format!("the clock of {} is not moved by the harness", about.name)));
    }
    let mut all =
        Explored { about, coverage: Coverage::default(), found: None, mishaps: Vec::new(), cut_short: false };
    let mut avoid = Vec::new();
    let mut seed = options.seed;
    while all.coverage.requests < options.steps {
        if options.stop.load(Ordering::Relaxed) || MOST_MISHAPS <= all.mishaps.len() {
            all.cut_short = true;
            break;
        }
        let before = all.coverage.requests;
        add(&mut all.coverage.places);
        let left = options.steps.saturating_sub(before);
        let memory = Memory { avoid: &mut avoid, coverage: &mut all.coverage, chosen: &mut *chosen };
        match place(target, &all.about, (seed, left), memory) {
            Ok(None) => {}
            Ok(Some(found)) => {
                all.found = Some(found);
                break;
            }
            Err(Fault::Misuse(why)) => return Err(Fault::Misuse(why)),
            Err(Fault::Broken(_)) if options.stop.load(Ordering::Relaxed) => {
                all.cut_short = true;
                break;
            }
            Err(fault) => {
                if matches!(fault, Fault::Broken(_)) {
                    add(&mut all.coverage.broken);
                } else {
                    add(&mut all.coverage.given_up);
                }
                all.mishaps.push(format!("the place of seed {seed}: {fault}"));
            }
        }
        seed = seed.wrapping_add(1);
    }
    Ok(all)
}

/// What goes from place to place.
struct Memory<'a> {
    avoid: &'a mut Vec<Kind>,
    coverage: &'a mut Coverage,
    chosen: &'a mut Option<Chosen>,
}

/// A place being explored.
struct Place<'a, 't> {
    generator: Generator,
    walk: Walk<'t>,
    opening: Opening,
    seed: u64,
    /// How many requests there were before it.
    before: u64,
    actions: Vec<Action>,
    memory: Memory<'a>,
    beside: Option<Chosen>,
}

fn place(
    target: &dyn Target,
    about: &About,
    (seed, left): (u64, u64),
    memory: Memory<'_>,
) -> Result<Option<Found>, Fault> {
    let mut generator = Generator::new(seed, memory.avoid);
    let opening = generator.opening(about);
    let requests = left.min(generator.requests().into());
    let walk = Walk::open(target, opening)?;
    let before = memory.coverage.requests;
    let mut place =
        Place { generator, walk, opening, seed, before, actions: Vec::new(), memory, beside: None };
    let found = place.play(requests);
    let closed = place.walk.close();
    let found = found?;
    if found.is_none() {
        closed?;
    }
    Ok(found)
}

impl Place<'_, '_> {
    fn play(&mut self, requests: u64) -> Result<Option<Found>, Fault> {
        let end = self.memory.coverage.requests.saturating_add(requests);
        // What cannot be asked or passes without a request is not to go on for ever.
        for _ in 0..requests.saturating_mul(4) {
            if end <= self.memory.coverage.requests {
                break;
            }
            let (kind, next) = self.generator.next(&self.walk.belief);
            if let Some(difference) = self.take(kind, next)? {
                return Ok(Some(self.found(difference)));
            }
            if self.walk.belief.is_crowded() {
                add(&mut self.memory.coverage.given_up);
                break;
            }
        }
        Ok(None)
    }

    fn take(&mut self, kind: Kind, next: Action) -> Result<Option<Difference>, Fault> {
        let ask = match &next {
            Action::Wait(seconds) => {
                self.walk.wait(*seconds)?;
                self.memory.coverage.waited(*seconds);
                self.actions.push(next);
                return Ok(None);
            }
            Action::Call(ask) => ask,
        };
        self.memory.coverage.meets(ask, &self.walk.belief);
        let unsure = self.walk.belief.unsure();
        let heard = self.walk.ask(ask)?;
        let differs = match heard {
            Heard::NotAsked => return Ok(None),
            Heard::NotOffered => {
                add(&mut self.memory.coverage.not_offered);
                self.memory.avoid.push(kind);
                self.generator.avoid(kind);
                return Ok(None);
            }
            Heard::Fits(response) => {
                self.memory.coverage.answered(kind, &response, &self.walk.belief);
                if self.walk.belief.unsure() < unsure {
                    add(&mut self.memory.coverage.fates);
                }
                self.chose(ask)
            }
            Heard::Differs(response, differs) => {
                self.memory.coverage.answered(kind, &response, &self.walk.belief);
                Some(differs)
            }
        };
        self.actions.push(next);
        Ok(differs.map(|differs| Difference {
            // The first request makes the container, and is no move.
            at: self.actions.len().checked_sub(2),
            at_s: self.walk.now_s,
            removal: self.opening.removal,
            differs,
        }))
    }

    fn found(&mut self, difference: Difference) -> Found {
        let script = Script::of(self.opening.edition, std::mem::take(&mut self.actions));
        let (seed, after, beside) = (self.seed, self.memory.coverage.requests, self.beside.take());
        Found { seed, after, script, difference, beside }
    }

    /// Holds the target to what it chose in another place.
    fn chose(&mut self, ask: &Call) -> Option<Contradiction> {
        if !matches!(ask.request, Request::CreateContainer(_) | Request::ReplaceContainer(_)) {
            return None;
        }
        let null = self.walk.belief.container_null()?;
        if let Some(chosen) = &*self.memory.chosen {
            let differs = chosen.differs(null)?;
            self.beside = Some(chosen.clone());
            return Some(differs);
        }
        let moves = [&self.actions[..], &[Action::Call(ask.clone())]].concat();
        *self.memory.chosen = Some(Chosen {
            seed: self.seed,
            before: self.before,
            script: Script::of(self.opening.edition, moves),
            removal: self.opening.removal,
            null,
        });
        None
    }
}
