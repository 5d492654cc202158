//! Plays actions in one session, whose clock the harness moves, and judges each answer by what the model allows.

use super::generator::Generator;
use super::script::{Action, Call, Script, prepared};
use super::swarm::{ActionKind, Coverage};
use cosmos_ttl_belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::target::{
    About, Fault, Opening, PurgedTarget, Removal, Request, Response, Session, Target as _,
};

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
    /// The model never gives this answer.
    Differs(Contradiction),
    /// The target took a container's null for something else than in an earlier session.
    ChoseOtherwise,
    Broke(Fault),
    /// The belief holds too many hypotheses or items to go on.
    GivenUp,
}

/// One session, and what is played in it.
pub(super) struct Player<'t> {
    target: &'t PurgedTarget<'t>,
    belief: Belief,
    pub(super) seed: u64,
    pub(super) opening: Opening,
    source: ActionSource,
    /// How many requests may be drawn, and how many actions were.
    pub(super) requests: u64,
    drawn: u64,
    now_s: u64,
    pub(super) actions: Vec<Action>,
    pub(super) exchanges: Vec<Exchange>,
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
    /// Returns a player of what the generator draws, at most this many requests.
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

    /// Returns a player of a script.
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
            target,
            belief: Belief::new(opening.edition),
            seed,
            opening,
            source,
            requests,
            drawn: 0,
            now_s: 0,
            actions: Vec::new(),
            exchanges: Vec::new(),
            coverage: Coverage::default(),
            not_offered: Vec::new(),
            not_offered_before: None,
            ending: None,
            null: None,
            bound_null: None,
        }
    }

    /// Plays to the end. A fault of the closing counts only if nothing else was found.
    pub(super) fn play(mut self) -> Self {
        self.coverage.sessions = 1;
        let played = catch_panic(|| self.target.open(&self.opening)).and_then(|mut session| {
            let played = self.go_on(session.as_mut());
            let closed = catch_panic(|| session.close());
            played.and(if self.ending.is_some() { Ok(()) } else { closed })
        });
        if let Err(fault) = played {
            self.ending = Some(Ending::Broke(fault));
        }
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

    fn go_on(&mut self, session: &mut dyn Session) -> Result<(), Fault> {
        while self.ending.is_none() {
            match self.next_action() {
                None => break,
                Some((_, Action::Wait(seconds))) => {
                    catch_panic(|| session.pass(seconds))?;
                    self.belief.pass(seconds);
                    self.now_s = self.now_s.saturating_add(seconds);
                    self.coverage.waited(seconds);
                    self.actions.push(Action::Wait(seconds));
                }
                Some((kind, Action::Call(call))) => self.call(session, kind, call)?,
            }
            if self.ending.is_none() && self.belief.is_crowded() {
                self.ending = Some(Ending::GivenUp);
            }
        }
        Ok(())
    }

    fn next_action(&mut self) -> Option<(ActionKind, Action)> {
        match &mut self.source {
            ActionSource::Given(actions) => actions.next().map(|action| (ActionKind::Query, action)),
            // Actions that cannot be played, or that only wait, must not go on forever.
            ActionSource::Drawn(generator) => {
                let goes_on = self.coverage.requests < self.requests && self.drawn < self.requests * 4;
                self.drawn += 1;
                goes_on.then(|| generator.next(&self.belief))
            }
        }
    }

    fn call(&mut self, session: &mut dyn Session, kind: ActionKind, call: Call) -> Result<(), Fault> {
        self.coverage.meets(&call, &self.belief);
        let Some(request) = prepared(&self.belief, &call) else { return Ok(()) };
        let unsure = self.belief.unsure();
        let response = match catch_panic(|| session.send(&request)) {
            Err(Fault::Unsupported(_)) => {
                self.refuse(kind);
                return Ok(());
            }
            response => response?,
        };
        let judged = self.belief.observe(&request, &response);
        let configures = matches!(&*request, Request::CreateContainer(_) | Request::ReplaceContainer(_));
        drop(request);
        self.coverage.answered(kind, &response, &self.belief);
        self.coverage.fates += u64::from(self.belief.unsure() < unsure);
        self.actions.push(Action::Call(call.clone()));
        self.exchanges.push(Exchange { at_s: self.now_s, call, response });
        if configures && self.null.is_none() {
            self.null = self.belief.refuses_default_null().map(|null| (null, self.actions.len()));
        }
        let null = self.null.map(|(null, _)| null);
        let otherwise = null.zip(self.bound_null).filter(|(null, bound)| null != bound);
        self.ending = judged.err().map(Ending::Differs).or(otherwise.map(|_| Ending::ChoseOtherwise));
        Ok(())
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
