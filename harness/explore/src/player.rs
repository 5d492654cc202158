//! Plays actions in one session, and judges each answer: by what the model allows, or by what another target answers.
//!
//! Where the harness moves the clock, a player plays to its end at once. Where the clock runs by itself, it goes on until
//! it has to wait, and knows the second of each request only as an interval.

use cosmos_ttl_model::interpretation::ContainerNull;

use super::coverage::Coverage;
use super::generator::Generator;
use super::peer::Peer;
use super::rng::Rng;
use super::script::{Action, Call, Script, prepared};
use super::swarm::ActionKind;
use cosmos_ttl_belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::realtime::Time;
use cosmos_ttl_harness::realtime::session_pool::{ClockView, PoolClient, Turn};
use cosmos_ttl_harness::target::{Body, Fault, Opening, Removal, Request, Response, Session, Target};

/// After a wait, the next request falls between these moments of its second: a store that counts from the instant of
/// the write, and not from its second, shows its items too long.
const SOONEST_US: i64 = 60_000;
const SPREAD_US: u32 = 500_000;
/// A request that may have been dealt with in more seconds than this tells nothing any more.
const WIDEST_S: i64 = 60;

/// An answer that the judge refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the action, counted from 0; `None` for the creation of the container.
    pub at: Option<usize>,
    /// The second of the script.
    pub at_s: u64,
    /// The schedule of removal.
    pub removal: Option<Removal>,
    /// What was expected, and what came.
    pub differs: Contradiction,
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The second of the script.
    pub at_s: u64,
    /// The request.
    pub call: Call,
    /// The answer.
    pub response: Response,
}

/// Where a player's actions come from.
#[derive(Debug)]
enum ActionSource {
    Drawn(Box<Generator>),
    Given(std::vec::IntoIter<Action>),
}

/// How a session ended, where it did not just come to its end.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Differs(Difference),
    /// The target took a container's null for something else than in an earlier session.
    ChoseOtherwise,
    Broke(Fault),
    /// Nothing more can be said there.
    GivenUp,
}

/// One session, and what is played in it.
pub(super) struct Player<'t> {
    target: &'t dyn Target,
    pub(super) seed: u64,
    pub(super) opening: Opening,
    source: ActionSource,
    /// How many requests may be asked, and how many actions were taken from the source.
    pub(super) requests: u64,
    taken: u64,
    session: Option<Box<dyn Session + 't>>,
    belief: Belief,
    pub(super) peer: Option<Peer<'t>>,
    /// Moments within a second, on a clock that runs by itself.
    rng: Rng,
    /// By the target's clock: when it began, how far it is, and for what moment of which second it waits.
    begun: i64,
    second: i64,
    awaited: Option<(i64, i64)>,
    /// When the first request was sent and the last one answered.
    asked_us: Option<(i64, i64)>,
    pub(super) actions: Vec<Action>,
    answers: Vec<(u64, Response)>,
    pub(super) coverage: Coverage,
    pub(super) not_offered: Vec<ActionKind>,
    pub(super) ending: Option<Ending>,
    /// What the target takes a container's null for, and after how many of the actions that showed.
    pub(super) null: Option<(ContainerNull, usize)>,
    /// What it took it for in an earlier session.
    pub(super) bound_null: Option<ContainerNull>,
}

impl<'t> Player<'t> {
    /// Plays what the generator draws.
    pub(super) fn drawing(target: &'t dyn Target, seed: u64, opening: Opening, generator: Generator) -> Self {
        let requests = generator.requests().into();
        Self::new(target, seed, opening, ActionSource::Drawn(Box::new(generator)), requests)
    }

    /// Plays a script.
    pub(super) fn replaying(target: &'t dyn Target, script: &Script, removal: Option<Removal>) -> Self {
        let actions = [vec![Action::Call(script.creation())], script.actions.clone()].concat();
        let source = ActionSource::Given(actions.into_iter());
        Self::new(target, 0, Opening::new(script.edition, removal), source, u64::MAX)
    }

    fn new(target: &'t dyn Target, seed: u64, opening: Opening, source: ActionSource, requests: u64) -> Self {
        Self {
            target,
            seed,
            opening,
            source,
            requests,
            taken: 0,
            session: None,
            belief: Belief::new(opening.edition),
            peer: None,
            rng: Rng::new(seed),
            begun: 0,
            second: 0,
            awaited: None,
            asked_us: None,
            actions: Vec::new(),
            answers: Vec::new(),
            coverage: Coverage::default(),
            not_offered: Vec::new(),
            ending: None,
            null: None,
            bound_null: None,
        }
    }

    /// Plays to the end, where the harness moves the clock.
    pub(super) fn play(mut self) -> Self {
        if let Err(fault) = self.advance(None) {
            self.ending = Some(Ending::Broke(fault));
        }
        self.leave();
        self
    }

    pub(super) fn difference(&self) -> Option<&Difference> {
        match &self.ending {
            Some(Ending::Differs(difference)) => Some(difference),
            _ => None,
        }
    }

    /// Returns the difference, if there is one, unless the session broke.
    pub(super) fn into_difference(self) -> Result<Option<Difference>, Fault> {
        match self.ending {
            Some(Ending::Differs(difference)) => Ok(Some(difference)),
            Some(Ending::Broke(fault)) => Err(fault),
            _ => Ok(None),
        }
    }

    /// Returns the first of its actions as a script, the creation of the container among them.
    pub(super) fn script(&self, actions: usize) -> Script {
        Script::of(self.opening.edition, self.actions.iter().take(actions).cloned().collect())
    }

    /// Returns what was asked and answered.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        let calls = self.actions.iter().filter_map(|action| match action {
            Action::Call(call) => Some(call.clone()),
            Action::Wait(_) => None,
        });
        let answers = self.answers.iter().cloned();
        calls.zip(answers).map(|(call, (at_s, response))| Exchange { at_s, call, response }).collect()
    }

    /// The second of the script.
    pub(super) fn now_s(&self) -> u64 {
        u64::try_from(self.second - self.begun).unwrap_or(0)
    }

    /// Goes on, and returns until when to wait; `None` at the end.
    fn advance(&mut self, clock: Option<&RunningClock<'_>>) -> Result<Option<i64>, Fault> {
        if self.session.is_none() {
            self.open(clock)?;
        }
        while self.ending.is_none() {
            if let (Some(clock), Some((second, phase_us))) = (clock, self.awaited) {
                let due_us = clock.shown.moment_us(second, phase_us, (clock.now_us)());
                if due_us > (clock.now_us)() {
                    return Ok(Some(due_us));
                }
                self.awaited = None;
            }
            match self.next_action() {
                None => break,
                Some((_, Action::Wait(seconds))) => self.wait(seconds, clock.is_some())?,
                Some((kind, Action::Call(call))) => self.call(kind, call, clock)?,
            }
            if self.ending.is_none() && self.belief.is_crowded() {
                self.ending = Some(Ending::GivenUp);
            }
        }
        Ok(None)
    }

    fn open(&mut self, clock: Option<&RunningClock<'_>>) -> Result<(), Fault> {
        self.coverage.sessions += 1;
        if let Some(clock) = clock {
            let now_us = (clock.now_us)();
            self.begun = *clock.shown.window(now_us, now_us).start();
            self.second = self.begun;
            self.belief = Belief::since(self.opening.edition, self.begun);
        }
        self.session = Some(catch_panic(|| self.target.open(&self.opening))?);
        self.peer.as_mut().map_or(Ok(()), |peer| peer.open(self.opening))
    }

    fn next_action(&mut self) -> Option<(ActionKind, Action)> {
        match &mut self.source {
            ActionSource::Given(actions) => actions.next().map(|action| (ActionKind::Query, action)),
            // Actions that cannot be played, or that only wait, must not go on for ever.
            ActionSource::Drawn(_)
                if self.coverage.requests >= self.requests || self.taken >= self.requests * 4 =>
            {
                None
            }
            ActionSource::Drawn(generator) => {
                self.taken += 1;
                Some(generator.next(&self.belief))
            }
        }
    }

    fn wait(&mut self, seconds: u64, runs_by_itself: bool) -> Result<(), Fault> {
        self.second = self.second.saturating_add_unsigned(seconds);
        if runs_by_itself {
            self.awaited = Some((self.second, SOONEST_US + i64::from(self.rng.below(SPREAD_US))));
        } else if let Some(session) = &mut self.session {
            catch_panic(|| session.pass(seconds))?;
            self.belief.pass(seconds);
            self.peer.as_mut().map_or(Ok(()), |peer| peer.pass(seconds))?;
        }
        self.coverage.waited(seconds);
        self.actions.push(Action::Wait(seconds));
        Ok(())
    }

    fn call(&mut self, kind: ActionKind, call: Call, clock: Option<&RunningClock<'_>>) -> Result<(), Fault> {
        self.coverage.meets(&call, &self.belief);
        let Some(request) = prepared(&self.belief, &call) else { return Ok(()) };
        if self.peer.as_ref().is_some_and(|peer| !peer.can_ask(&call)) {
            return Ok(());
        }
        let Some(session) = &mut self.session else { return Ok(()) };
        let unsure = self.belief.unsure();
        let sent_us = clock.map(|clock| (clock.now_us)());
        let mut response = match catch_panic(|| session.send(&request)) {
            Err(Fault::Unsupported(_)) => {
                self.refuse(kind);
                return Ok(());
            }
            answer => answer?,
        };
        if let (Some(clock), Some(sent_us)) = (clock, sent_us) {
            let answered_us = (clock.now_us)();
            let from_us = self.asked_us.map_or(sent_us, |(from_us, _)| from_us);
            self.asked_us = Some((from_us, answered_us));
            let window = clock.shown.window(sent_us, answered_us);
            let wide = window.end() - window.start() > WIDEST_S;
            if wide || !self.belief.reach(&window) || self.belief.is_crowded() {
                self.ending = Some(Ending::GivenUp);
                return Ok(());
            }
            // A `_ts` that nobody can hold against a clock says nothing.
            if let (true, Body::Item(item)) = (clock.shown.vague, &mut response.body) {
                item.ts = None;
            }
        }
        let judged = self.belief.observe(&request, &response);
        let configures = matches!(*request, Request::CreateContainer(_) | Request::ReplaceContainer(_));
        let now_s = self.now_s();
        let differs = match &mut self.peer {
            None => judged.err(),
            Some(peer) => match peer.compare(&call, now_s, &response, judged.is_ok()) {
                Err(Fault::Unsupported(_)) => {
                    // What one did and the other did not cannot be undone.
                    self.refuse(kind);
                    self.ending = Some(Ending::GivenUp);
                    return Ok(());
                }
                compared => compared?,
            },
        };
        if clock.is_some() {
            self.second = self.belief.any().map_or(self.second, |world| world.now);
        }
        self.coverage.answered(kind, &response, &self.belief);
        if self.belief.unsure() < unsure {
            self.coverage.fates += 1;
        }
        drop(request);
        self.actions.push(Action::Call(call));
        self.answers.push((self.now_s(), response));
        self.conclude(differs, configures);
        Ok(())
    }

    fn refuse(&mut self, kind: ActionKind) {
        self.coverage.not_offered += 1;
        if let ActionSource::Drawn(generator) = &mut self.source {
            self.not_offered.push(kind);
            generator.avoid(kind);
        }
    }

    fn conclude(&mut self, differs: Option<Contradiction>, configures: bool) {
        if configures && self.null.is_none() {
            self.null = self.belief.container_null().map(|null| (null, self.actions.len()));
        }
        if let Some(differs) = differs {
            // The first action creates the container, and is not counted.
            let at = self.actions.len().checked_sub(2);
            let (at_s, removal) = (self.now_s(), self.opening.removal);
            self.ending = Some(Ending::Differs(Difference { at, at_s, removal, differs }));
        } else if self.peer.as_ref().is_some_and(|peer| peer.is_lost) {
            self.ending = Some(Ending::GivenUp);
        } else if let (Some((null, _)), Some(bound)) = (self.null, self.bound_null)
            && null != bound
        {
            self.ending = Some(Ending::ChoseOtherwise);
        }
    }
}

/// A clock that runs by itself: this machine's time, and what is known of the target's.
struct RunningClock<'a> {
    now_us: &'a dyn Fn() -> i64,
    shown: ClockView,
}

impl PoolClient for Player<'_> {
    fn go<T: Time>(&mut self, time: &T, shown: ClockView) -> Turn {
        match self.advance(Some(&RunningClock { now_us: &|| time.now_us(), shown })) {
            Ok(Some(due_us)) => return Turn::At(due_us),
            Ok(None) => {}
            Err(fault) => self.ending = Some(Ending::Broke(fault)),
        }
        self.leave();
        Turn::Over
    }

    /// Closes the session; a fault then counts only if nothing else was found.
    fn leave(&mut self) {
        let closed = self.session.take().map_or(Ok(()), |mut session| catch_panic(|| session.close()));
        let peer_closed = self.peer.as_mut().map_or(Ok(()), Peer::close);
        if let (Err(fault), None) = (closed.and(peer_closed), &self.ending) {
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
