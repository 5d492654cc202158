//! Plays actions in one session, and judges each answer: by what the model allows, or by what another target answers.
//!
//! Where the harness moves the clock, a player plays to its end at once. Where the clock runs by itself, it goes on until
//! it has to wait, and knows the second of each request only as an interval.

use std::iter::once;

use super::generator::Generator;
use super::script::{Action, Call, Script, prepared};
use super::swarm::{ActionKind, Coverage, Rng};
use cosmos_ttl_belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::realtime::Time;
use cosmos_ttl_harness::realtime::session_pool::{ClockView, PoolClient, Turn};
use cosmos_ttl_harness::target::{
    About, Body, Etag, Fault, Opening, POSSIBLE_TS, PurgedTarget, Removal, Request, Response, Session,
    Target as _,
};

/// After a wait, the next request falls between these moments of its second: a store that counts from the instant of
/// the write, and not from its second, shows its items too long.
const SOONEST_US: i64 = 60_000;
const SPREAD_US: u32 = 500_000;
/// A request that may have been dealt with in more seconds than this tells nothing any more.
const WIDEST_S: i64 = 60;

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
    /// An answer is not what the judge expects.
    Differs(Contradiction),
    /// The target took a container's null for something else than in an earlier session.
    ChoseOtherwise,
    Broke(Fault),
    /// Nothing more can be said there.
    GivenUp,
}

/// A session at a target, and what is believed of it.
struct TargetSession<'t> {
    target: &'t PurgedTarget<'t>,
    session: Option<Box<dyn Session + 't>>,
    belief: Belief,
}

impl<'t> TargetSession<'t> {
    fn new(target: &'t PurgedTarget<'t>) -> Self {
        Self { target, session: None, belief: Belief::new(Opening::default().edition) }
    }

    /// Opens it; on a real clock, in this second.
    fn open(&mut self, opening: Opening, second: Option<i64>) -> Result<(), Fault> {
        let edition = opening.edition;
        self.belief = second.map_or_else(|| Belief::new(edition), |second| Belief::since(edition, second));
        self.session = Some(catch_panic(|| self.target.open(&opening))?);
        Ok(())
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.belief.pass(seconds);
        self.session.as_mut().map_or(Ok(()), |session| catch_panic(|| session.pass(seconds)))
    }

    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let closed = || Err(Fault::Broken("its session is closed".into()));
        self.session.as_mut().map_or_else(closed, |session| catch_panic(|| session.send(request)))
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.session.take().map_or(Ok(()), |mut session| catch_panic(|| session.close()))
    }
}

/// One session, and what is played in it.
pub(super) struct Player<'t> {
    own: TargetSession<'t>,
    pub(super) peer: Option<Peer<'t>>,
    pub(super) seed: u64,
    pub(super) opening: Opening,
    source: ActionSource,
    /// How many requests may be drawn, and how many actions were.
    pub(super) requests: u64,
    drawn: u64,
    /// Moments within a second, on a real clock.
    rng: Rng,
    /// By the target's clock: when it began, how far it is, and for what moment of which second it waits.
    begun: i64,
    second: i64,
    awaited: Option<(i64, i64)>,
    /// When the first request was sent and the last one answered.
    asked_us: Option<(i64, i64)>,
    pub(super) actions: Vec<Action>,
    /// The answers, with their seconds; `None` for a lost reply.
    answers: Vec<(u64, Option<Response>)>,
    pub(super) coverage: Coverage,
    pub(super) not_offered: Vec<ActionKind>,
    /// How many given actions followed the first one that was not offered.
    pub(super) not_offered_before: Option<usize>,
    pub(super) ending: Option<Ending>,
    /// Whether the target refuses a container's null, and the number of actions until that showed.
    pub(super) null: Option<(bool, usize)>,
    /// Its choice in an earlier session.
    pub(super) bound_null: Option<bool>,
}

impl<'t> Player<'t> {
    /// Plays what the generator draws, at most this many requests.
    pub(super) fn drawing(
        target: &'t PurgedTarget<'t>,
        seed: u64,
        about: &About,
        mut generator: Generator,
        most_requests: u64,
    ) -> Self {
        let opening = generator.opening(about);
        let requests = most_requests.min(generator.requests().into());
        Self::new(target, seed, opening, ActionSource::Drawn(Box::new(generator)), requests)
    }

    /// Plays a script.
    pub(super) fn replaying(target: &'t PurgedTarget<'t>, script: &Script, removal: Option<Removal>) -> Self {
        let actions = [vec![Action::Call(script.creation())], script.actions.clone()].concat();
        let opening = Opening::new(script.edition, removal);
        Self::new(target, 0, opening, ActionSource::Given(actions.into_iter()), 0)
    }

    fn new(
        target: &'t PurgedTarget<'t>,
        seed: u64,
        opening: Opening,
        source: ActionSource,
        requests: u64,
    ) -> Self {
        Self {
            own: TargetSession::new(target),
            peer: None,
            seed,
            opening,
            source,
            requests,
            drawn: 0,
            rng: Rng::new(seed),
            begun: 0,
            second: 0,
            awaited: None,
            asked_us: None,
            actions: Vec::new(),
            answers: Vec::new(),
            coverage: Coverage::default(),
            not_offered: Vec::new(),
            not_offered_before: None,
            ending: None,
            null: None,
            bound_null: None,
        }
    }

    /// Plays to the end, where the harness moves the clock.
    pub(super) fn play(mut self) -> Self {
        self.go_on(None);
        self
    }

    pub(super) fn difference(&self) -> Option<&Contradiction> {
        if let Some(Ending::Differs(differs)) = &self.ending { Some(differs) } else { None }
    }

    /// Returns the difference, if there is one, unless the session broke.
    pub(super) fn into_difference(self) -> Result<Option<Contradiction>, Fault> {
        match self.ending {
            Some(Ending::Differs(differs)) => Ok(Some(differs)),
            Some(Ending::Broke(fault)) => Err(fault),
            _ => Ok(None),
        }
    }

    /// Returns the first of its actions as a script, the creation of the container among them.
    pub(super) fn script(&self, actions: usize) -> Script {
        Script::of(self.opening.edition, self.actions.iter().take(actions).cloned())
    }

    /// Returns what was asked and answered.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        let calls = self.actions.iter().filter_map(Action::call).cloned();
        let answers = self.answers.iter().cloned();
        let answered =
            |(call, (at_s, response)): (Call, _)| Some(Exchange { at_s, call, response: response? });
        calls.zip(answers).filter_map(answered).collect()
    }

    /// The second of the script.
    pub(super) fn now_s(&self) -> u64 {
        u64::try_from(self.second - self.begun).unwrap_or(0)
    }

    fn sessions(&mut self) -> impl Iterator<Item = &mut TargetSession<'t>> {
        once(&mut self.own).chain(self.peer.as_mut().map(|peer| &mut peer.own))
    }

    fn go_on(&mut self, clock: Option<&RunningClock<'_>>) -> Turn {
        match self.advance(clock) {
            Ok(Some(due_us)) => return Turn::At(due_us),
            Ok(None) => {}
            Err(fault) => self.ending = Some(Ending::Broke(fault)),
        }
        self.leave();
        Turn::Over
    }

    /// Goes on, and returns until when to wait; `None` at the end.
    fn advance(&mut self, clock: Option<&RunningClock<'_>>) -> Result<Option<i64>, Fault> {
        if self.own.session.is_none() {
            self.coverage.sessions += 1;
            let now = clock.map(|clock| {
                let now_us = (clock.now_us)();
                *clock.shown.window(now_us, now_us).start()
            });
            (self.begun, self.second) = (now.unwrap_or(0), now.unwrap_or(0));
            let opening = self.opening;
            self.sessions().try_for_each(|session| session.open(opening, now))?;
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
            if self.ending.is_none() && self.own.belief.is_crowded() {
                self.ending = Some(Ending::GivenUp);
            }
        }
        Ok(None)
    }

    fn next_action(&mut self) -> Option<(ActionKind, Action)> {
        match &mut self.source {
            ActionSource::Given(actions) => actions.next().map(|action| (ActionKind::Query, action)),
            // Actions that cannot be played, or that only wait, must not go on forever.
            ActionSource::Drawn(generator) => {
                let goes_on = self.coverage.requests < self.requests && self.drawn < self.requests * 4;
                self.drawn += 1;
                goes_on.then(|| generator.next(&self.own.belief))
            }
        }
    }

    fn wait(&mut self, seconds: u64, runs_by_itself: bool) -> Result<(), Fault> {
        self.second = self.second.saturating_add_unsigned(seconds);
        if runs_by_itself {
            self.awaited = Some((self.second, SOONEST_US + i64::from(self.rng.below(SPREAD_US))));
        } else {
            self.sessions().try_for_each(|session| session.pass(seconds))?;
        }
        self.coverage.waited(seconds);
        self.actions.push(Action::Wait(seconds));
        Ok(())
    }

    fn call(&mut self, kind: ActionKind, call: Call, clock: Option<&RunningClock<'_>>) -> Result<(), Fault> {
        self.coverage.meets(&call, &self.own.belief);
        let refused = self.peer.as_ref().is_some_and(|peer| prepared(&peer.own.belief, &call).is_none());
        let Some(request) = prepared(&self.own.belief, &call).filter(|_| !refused) else { return Ok(()) };
        let unsure = self.own.belief.unsure();
        let sent_us = clock.map(|clock| (clock.now_us)());
        let answer = match self.own.send(&request) {
            Err(Fault::Unsupported(_)) => {
                self.refuse(kind);
                return Ok(());
            }
            Err(Fault::Unknown(why)) => {
                self.coverage.lost += 1;
                // A place whose container may be missing is given up.
                if clock.is_none() || !self.own.belief.exists() {
                    return Err(Fault::Unknown(why));
                }
                None
            }
            answer => Some(answer?),
        };
        if let (Some(clock), Some(sent_us)) = (clock, sent_us)
            && !self.reach(clock, sent_us)
        {
            self.ending = Some(Ending::GivenUp);
            return Ok(());
        }
        let Some(mut response) = answer else {
            self.own.belief.lose(&request);
            drop(request);
            self.actions.push(Action::Call(call));
            self.answers.push((self.now_s(), None));
            return Ok(());
        };
        // Without a known clock a `_ts` says nothing.
        if let (true, Body::Item(item)) = (clock.is_some_and(|clock| clock.shown.vague), &mut response.body) {
            item.ts = None;
        }
        let judged = self.own.belief.observe(&request, &response);
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
            self.second = self.own.belief.any().map_or(self.second, |world| world.now);
        }
        self.coverage.answered(kind, &response, &self.own.belief);
        self.coverage.fates += u64::from(self.own.belief.unsure() < unsure);
        drop(request);
        let configures = call.request.container().is_some();
        self.actions.push(Action::Call(call));
        self.answers.push((self.now_s(), Some(response)));
        if configures && self.null.is_none() {
            self.null = self.own.belief.refuses_default_null().map(|null| (null, self.actions.len()));
        }
        let null = self.null.map(|(null, _)| null);
        self.ending = if let Some(differs) = differs {
            Some(Ending::Differs(differs))
        } else if self.peer.as_ref().is_some_and(Peer::is_lost) {
            Some(Ending::GivenUp)
        } else {
            let other = null.zip(self.bound_null).filter(|(null, bound)| null != bound);
            other.map(|_| Ending::ChoseOtherwise)
        };
        Ok(())
    }

    /// Moves the belief to the seconds in which a request may have been dealt with; `false` where nothing more can be
    /// said.
    fn reach(&mut self, clock: &RunningClock<'_>, sent_us: i64) -> bool {
        let answered_us = (clock.now_us)();
        let from_us = self.asked_us.map_or(sent_us, |(from_us, _)| from_us);
        self.asked_us = Some((from_us, answered_us));
        let window = clock.shown.window(sent_us, answered_us);
        let wide = window.end() - window.start() > WIDEST_S;
        !wide && self.own.belief.reach(&window) && !self.own.belief.is_crowded()
    }

    fn refuse(&mut self, kind: ActionKind) {
        self.coverage.not_offered += 1;
        match &mut self.source {
            ActionSource::Drawn(generator) => {
                self.not_offered.push(kind);
                generator.avoid(kind);
            }
            ActionSource::Given(rest) => {
                let _ = self.not_offered_before.get_or_insert(rest.len());
            }
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
        self.go_on(Some(&RunningClock { now_us: &|| time.now_us(), shown }))
    }

    /// Closes the session; a fault then counts only if nothing else was found.
    fn leave(&mut self) {
        let closed = self.sessions().map(TargetSession::close).fold(Ok(()), Result::and);
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

/// Another target that is asked the same, and the comparison of both answers.
///
/// Answers are compared as values: seconds count from the first write, etags by the order in which they were seen, JSON
/// as JSON. What only one target would say, such as its own words, is left out.
pub(super) struct Peer<'t> {
    own: TargetSession<'t>,
    ignore_open: bool,
    views: [ComparableView; 2],
    /// Both answers to each request, as they are compared.
    pub(super) answers: Vec<[Response; 2]>,
    /// The model allows every answer so far, of both: where they differ, a clause leaves it open.
    pub(super) is_open: bool,
}

impl<'t> Peer<'t> {
    pub(super) fn new(target: &'t PurgedTarget<'t>, ignore_open: bool) -> Self {
        let (own, views) = (TargetSession::new(target), Default::default());
        Self { own, ignore_open, views, answers: Vec::new(), is_open: true }
    }

    /// Returns whether nothing more can be said of the two: where both are wrong alike, later answers follow from
    /// hidden state.
    fn is_lost(&self) -> bool {
        self.own.belief.is_crowded() || (self.ignore_open && !self.is_open)
    }

    /// Asks this target in this second, and holds its answer against the other one, which the model allows or not.
    fn compare(
        &mut self,
        call: &Call,
        now_s: u64,
        response: &Response,
        is_allowed: bool,
    ) -> Result<Option<Contradiction>, Fault> {
        let Some(request) = prepared(&self.own.belief, call) else { return Ok(None) };
        let answer = self.own.send(&request)?;
        self.is_open &= self.own.belief.observe(&request, &answer).is_ok() && is_allowed;
        let [one, other] = &mut self.views;
        let (one, other) = (one.view(response.clone(), now_s), other.view(answer, now_s));
        let is_ignored = self.ignore_open && self.is_open;
        let differs = !is_ignored && !is_same(&one, &other);
        let words = || Contradiction { expected: describe::response(&other), got: describe::response(&one) };
        let words = differs.then(words);
        self.answers.push([one, other]);
        Ok(words)
    }
}

/// The view that makes the answers of one target comparable with those of another.
#[derive(Clone, Debug, Default)]
struct ComparableView {
    /// The second that the target's clock showed when the session began.
    origin: Option<i64>,
    etags: Vec<Etag>,
}

impl ComparableView {
    fn view(&mut self, mut response: Response, now_s: u64) -> Response {
        response.detail = None;
        match &mut response.body {
            Body::Ids(ids) => ids.sort(),
            Body::Item(item) => {
                // What is no second of any year stays as it is, so that it differs from one.
                if let Some(ts) = item.ts.as_mut().filter(|ts| POSSIBLE_TS.contains(ts)) {
                    let origin_s = *self.origin.get_or_insert(ts.saturating_sub_unsigned(now_s));
                    *ts = ts.saturating_sub(origin_s);
                }
                item.etag = item.etag.take().map(|etag| format!("etag {}", self.number(etag)));
            }
            Body::Nothing | Body::Count(_) | Body::Committed(_) | Body::Aborted { .. } => {}
        }
        response
    }

    fn number(&mut self, etag: Etag) -> usize {
        let known = self.etags.iter().position(|known| *known == etag);
        1 + known.unwrap_or_else(|| {
            self.etags.push(etag);
            self.etags.len() - 1
        })
    }
}

fn is_same(one: &Response, other: &Response) -> bool {
    let (Body::Item(a), Body::Item(b)) = (&one.body, &other.body) else { return one == other };
    let (mine, others) = (&a.document.properties, &b.document.properties);
    let same_properties = mine.len() == others.len()
        && mine.iter().all(|(name, value)| others.get(name).is_some_and(|other| value.same_value(other)));
    (one.status, &a.document.id, a.ts, &a.etag) == (other.status, &b.document.id, b.ts, &b.etag)
        && same_properties
}
