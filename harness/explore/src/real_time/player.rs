//! One place at a target whose clock runs by itself: drawn move by move, or played again from a storyboard.

use cosmos_ttl_model::interpretation::ContainerNull;

use crate::coverage::{Coverage, add};
use crate::generate::{Generator, Kind};
use crate::play::{Difference, Exchange};
use crate::rng::Rng;
use crate::script::{Action, Call, Script};
use crate::walk::{Heard, Walk};
use cosmos_ttl_belief::Belief;
use cosmos_ttl_harness::realtime::Time;
use cosmos_ttl_harness::realtime::session_pool::{ClockView, PoolClient, Turn};
use cosmos_ttl_harness::target::{Body, Fault, Opening, Request, Response, Target};

/// After a wait, the next request falls between these moments of its second: a store that counts from the instant of
/// the write, and not from its second, shows its items too long.
const SOONEST_US: i64 = 60_000;
const SPREAD_US: u32 = 500_000;
/// A request that may have been dealt with in more seconds than this tells nothing any more.
const WIDEST_S: i64 = 60;

/// Where the actions come from.
#[derive(Debug)]
pub(super) enum Source {
    Drawn(Box<Generator>),
    Given(std::vec::IntoIter<Action>),
}

/// What came of it, where it did not just come to its end.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Differs(Difference),
    Broke(Fault),
    /// Nothing more can be said there.
    GivenUp,
}

/// A place, and who plays in it.
pub(super) struct Player<'t> {
    target: &'t dyn Target,
    pub(super) seed: u64,
    pub(super) opening: Opening,
    source: Source,
    pub(super) requests: u64,
    walk: Option<Walk<'t>>,
    chance: Rng,
    /// By the target's clock, when it began, how far it is, and for what second it waits.
    begun: i64,
    second: i64,
    awaited: Option<(i64, i64)>,
    asked_us: Option<(i64, i64)>,
    pub(super) actions: Vec<Action>,
    pub(super) told: Vec<Exchange>,
    pub(super) coverage: Coverage,
    pub(super) not_offered: Vec<Kind>,
    pub(super) ending: Option<Ending>,
    /// What the target takes a container's null for, and after how many of the actions that showed.
    pub(super) null: Option<(ContainerNull, usize)>,
}

impl<'t> Player<'t> {
    pub(super) fn drawn(target: &'t dyn Target, seed: u64, opening: Opening, generator: Generator) -> Self {
        let requests = generator.requests().into();
        Self::new(target, (seed, opening), Source::Drawn(Box::new(generator)), requests)
    }

    /// The same storyboard once more.
    pub(super) fn again(target: &'t dyn Target, seed: u64, opening: Opening, board: &Script) -> Self {
        let actions = [vec![Action::Call(board.creation())], board.actions.clone()].concat();
        Self::new(target, (seed, opening), Source::Given(actions.into_iter()), u64::MAX)
    }

    fn new(target: &'t dyn Target, (seed, opening): (u64, Opening), source: Source, requests: u64) -> Self {
        Self {
            target,
            seed,
            opening,
            source,
            requests,
            walk: None,
            chance: Rng::new(seed),
            begun: 0,
            second: 0,
            awaited: None,
            asked_us: None,
            actions: Vec::new(),
            told: Vec::new(),
            coverage: Coverage::default(),
            not_offered: Vec::new(),
            ending: None,
            null: None,
        }
    }

    pub(super) fn difference(&self) -> Option<&Difference> {
        match &self.ending {
            Some(Ending::Differs(difference)) => Some(difference),
            _ => None,
        }
    }

    /// What was done up to this move, of which the first makes the container.
    pub(super) fn board(&self, actions: usize) -> Script {
        Script::of(self.opening.edition, self.actions.iter().take(actions).cloned().collect())
    }

    fn went(&mut self, time: &impl Time, clock: ClockView) -> Result<Option<i64>, Fault> {
        if self.walk.is_none() {
            let now_us = time.now_us();
            let second = *clock.window(now_us, now_us).start();
            let belief = Belief::since(self.opening.edition, second);
            self.walk = Some(Walk::open_in(self.target, self.opening, belief)?);
            (self.begun, self.second) = (second, second);
            add(&mut self.coverage.places);
        }
        loop {
            if let Some((second, phase_us)) = self.awaited {
                let due_us = clock.moment_us(second, phase_us, time.now_us());
                if time.now_us() < due_us {
                    return Ok(Some(due_us));
                }
                self.awaited = None;
            }
            match self.next_move() {
                None => return Ok(None),
                Some((_, Action::Wait(seconds))) => self.wait(seconds),
                Some((kind, Action::Call(ask))) => self.ask(time, clock, (kind, ask))?,
            }
            if self.ending.is_some() {
                return Ok(None);
            }
        }
    }

    fn next_move(&mut self) -> Option<(Kind, Action)> {
        let belief = &self.walk.as_ref()?.belief;
        match &mut self.source {
            Source::Given(actions) => actions.next().map(|one| (Kind::Query, one)),
            // What cannot be asked or passes without a request is not to go on for ever.
            Source::Drawn(_)
                if self.requests <= self.coverage.requests
                    || self.requests.saturating_mul(4) <= self.coverage.steps() =>
            {
                None
            }
            Source::Drawn(generator) => Some(generator.next(belief)),
        }
    }

    fn wait(&mut self, seconds: u64) {
        self.second = self.second.saturating_add_unsigned(seconds);
        let phase_us = SOONEST_US.saturating_add(self.chance.below(SPREAD_US).into());
        self.awaited = Some((self.second, phase_us));
        self.coverage.waited(seconds);
        self.actions.push(Action::Wait(seconds));
    }

    fn ask(&mut self, time: &impl Time, clock: ClockView, (kind, ask): (Kind, Call)) -> Result<(), Fault> {
        let Some(walk) = &mut self.walk else { return Ok(()) };
        let Some(request) = walk.prepared(&ask) else {
            self.coverage.passed_by();
            return Ok(());
        };
        self.coverage.meets(&ask, &walk.belief);
        let unsure = walk.belief.unsure();
        let sent_us = time.now_us();
        let answer = walk.send(&request)?;
        let answered_us = time.now_us();
        let Some(response) = answer else {
            self.refused(kind);
            return Ok(());
        };
        let from_us = self.asked_us.map_or(sent_us, |(from_us, _)| from_us);
        self.asked_us = Some((from_us, answered_us));
        let window = clock.window(sent_us, answered_us);
        let wide = WIDEST_S < window.end().saturating_sub(*window.start());
        if wide || !walk.belief.reach(&window) || walk.belief.is_crowded() {
            self.ending = Some(Ending::GivenUp);
            return Ok(());
        }
        let heard = walk.judged(&request, if clock.vague { without_ts(response) } else { response });
        if walk.belief.unsure() < unsure {
            add(&mut self.coverage.fates);
        }
        self.second = walk.belief.any().map_or(self.second, |world| world.now);
        let configures = matches!(*request, Request::CreateContainer(_) | Request::ReplaceContainer(_));
        drop(request);
        self.hear(kind, ask, heard, configures);
        Ok(())
    }

    fn refused(&mut self, kind: Kind) {
        add(&mut self.coverage.not_offered);
        if let Source::Drawn(generator) = &mut self.source {
            self.not_offered.push(kind);
            generator.avoid(kind);
        }
    }

    fn hear(&mut self, kind: Kind, ask: Call, heard: Heard, configures: bool) {
        let Some(walk) = &self.walk else { return };
        let (response, differs) = match heard {
            Heard::Fits(response) => (response, None),
            Heard::Differs(response, differs) => (response, Some(differs)),
            Heard::NotAsked | Heard::NotOffered => return,
        };
        self.coverage.answered(kind, &response, &walk.belief);
        self.actions.push(Action::Call(ask.clone()));
        if configures && self.null.is_none() {
            self.null = walk.belief.container_null().map(|null| (null, self.actions.len()));
        }
        let at_s = u64::try_from(self.second.saturating_sub(self.begun)).unwrap_or(0);
        self.told.push(Exchange { at_s, ask, response });
        if let Some(differs) = differs {
            let at = self.actions.len().checked_sub(2);
            self.ending =
                Some(Ending::Differs(Difference { at, at_s, removal: self.opening.removal, differs }));
        } else if walk.belief.is_crowded() {
            self.ending = Some(Ending::GivenUp);
        }
    }
}

impl PoolClient for Player<'_> {
    fn go<T: Time>(&mut self, time: &T, clock: ClockView) -> Turn {
        match self.went(time, clock) {
            Ok(Some(due_us)) => return Turn::At(due_us),
            Ok(None) => {}
            Err(fault) => self.ending = Some(Ending::Broke(fault)),
        }
        self.leave();
        Turn::Over
    }

    /// What is left behind is a mishap, and no difference is less of one for it.
    fn leave(&mut self) {
        let closed = self.walk.take().map_or(Ok(()), Walk::close);
        if let (Err(fault), None) = (closed, &self.ending) {
            self.ending = Some(Ending::Broke(fault));
        }
    }

    fn begun_us(&self) -> Option<i64> {
        self.asked_us.map(|(from_us, _)| from_us)
    }

    fn claims_us(&self) -> Option<(i64, i64)> {
        self.difference().and(self.asked_us)
    }
}

/// The answer of a target whose `_ts` nobody can hold against a clock.
fn without_ts(mut response: Response) -> Response {
    if let Body::Item(item) = &mut response.body {
        item.ts = None;
    }
    response
}
