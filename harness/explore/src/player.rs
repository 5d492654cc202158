//! Plays actions in one session, whose clock the harness moves, and judges each answer by what the model allows.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::coverage::Coverage;
use super::random::{Resolver, Session as DrawnSession};
use super::script::{Action, Call, Script};
use crate::belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::pages::send_pages;
use cosmos_ttl_harness::target::{
    Etag, Fault, Operation, PageRequest, Part, PurgedTarget, Removal, Request, RequestOptions, Response,
    Session,
};
use cosmos_ttl_harness::vector::Condition;

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

/// How a session ended, where it did not just come to its end.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// The model never gives this answer.
    Differs(Contradiction),
    Broke(Fault),
    /// The belief holds too many hypotheses or items to go on.
    GivenUp,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The number of its exchange.
    Answered(usize),
    /// The target does not offer it. It was not even sent where the target declares that.
    NotOffered,
    /// It was not sent. There is a container already, or none; or no etag such as it would send, or perhaps no property such
    /// as it takes away.
    Impossible,
}

/// One session, and what is played in it.
pub(super) struct Player {
    pub(super) removal: Option<Removal>,
    pub(super) belief: Belief,
    /// The parts that the target declares missing.
    without: BTreeSet<Part>,
    now_s: u64,
    pub(super) actions: Vec<Action>,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) coverage: Coverage,
    pub(super) ending: Option<Ending>,
}

impl Player {
    /// Plays a session that was drawn. It sends at most so many requests, and waits at most so long at once.
    pub(super) fn draw(
        target: &PurgedTarget<'_>,
        drawn: DrawnSession,
        most_requests: u64,
        patience_s: u64,
    ) -> Self {
        let removal = *drawn.removal.get(&target.removals());
        let mut resolver = Resolver::new(drawn, patience_s);
        Self::play(target, removal, |player, session| {
            while player.goes_on() && player.coverage.requests < most_requests {
                let Some(action) = resolver.next(&mut player.belief) else { break };
                player.act(session, action)?;
            }
            Ok(())
        })
    }

    /// Plays a script. What cannot be sent, or is not offered, is left out.
    pub(super) fn replay(target: &PurgedTarget<'_>, script: &Script, removal: Option<Removal>) -> Self {
        Self::play(target, removal, |player, session| {
            let creation = Action::Call(script.creation());
            for action in [creation].into_iter().chain(script.actions.iter().cloned()) {
                if player.goes_on() {
                    player.act(session, action)?;
                }
            }
            Ok(())
        })
    }

    /// Opens a session, acts in it, and closes it. A fault of the closing counts only if nothing else was found.
    pub(super) fn play(
        target: &PurgedTarget<'_>,
        removal: Option<Removal>,
        act: impl FnOnce(&mut Self, &mut dyn Session) -> Result<(), Fault>,
    ) -> Self {
        let mut player = Self {
            removal,
            belief: Belief::default(),
            without: BTreeSet::new(),
            now_s: 0,
            actions: Vec::new(),
            exchanges: Vec::new(),
            coverage: Coverage { sessions: 1, ..Coverage::default() },
            ending: None,
        };
        let done = catch_panic(|| Ok((target.target.without(), target.open(removal)?))).and_then(|opened| {
            let mut session = opened.1;
            player.without = opened.0;
            let acted = act(&mut player, session.as_mut());
            let closed = catch_panic(|| session.close());
            acted.and(if player.goes_on() { closed } else { Ok(()) })
        });
        if let Err(fault) = done {
            player.ending = Some(Ending::Broke(fault));
        }
        player
    }

    /// Returns whether more can be played.
    pub(super) fn goes_on(&self) -> bool {
        self.ending.is_none()
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

    /// Returns what was played as a script.
    pub(super) fn script(&self) -> Script {
        Script::of(self.actions.iter().cloned())
    }

    fn act(&mut self, session: &mut dyn Session, action: Action) -> Result<(), Fault> {
        match action {
            Action::Wait(seconds) => self.wait(session, seconds),
            Action::Call(call) => self.call(session, call, |_, _| None).map(|_| ()),
        }
    }

    pub(super) fn wait(&mut self, session: &mut dyn Session, seconds: u64) -> Result<(), Fault> {
        catch_panic(|| session.pass(seconds))?;
        self.belief.pass(seconds);
        self.now_s = self.now_s.saturating_add(seconds);
        self.coverage.seconds = self.now_s;
        self.actions.push(Action::Wait(seconds));
        Ok(())
    }

    /// Sends a request and judges the answer. Where the target has shown no etag such as a condition means, `instead` may
    /// return one.
    pub(super) fn call(
        &mut self,
        session: &mut dyn Session,
        call: Call,
        instead: impl Fn(&Belief, &str) -> Option<Etag>,
    ) -> Result<Sent, Fault> {
        if !self.without.is_empty() && !self.without.is_disjoint(&call.parts()) {
            self.coverage.not_offered += 1;
            return Ok(Sent::NotOffered);
        }
        let Some(request) = self.prepared(&call, instead) else { return Ok(Sent::Impossible) };
        self.coverage.meets(&call, &self.belief);
        let unsure = self.belief.unsure();
        let response = match send(session, &request, &call) {
            Err(Fault::Unsupported(_)) => {
                self.coverage.not_offered += 1;
                return Ok(Sent::NotOffered);
            }
            response => response?,
        };
        let judged = self.belief.observe(&request, &response);
        drop(request);
        self.coverage.answered(&call, &response, &self.belief);
        self.coverage.fates += u64::from(self.belief.unsure() < unsure);
        self.actions.push(Action::Call(call.clone()));
        let number = self.exchanges.len();
        self.exchanges.push(Exchange { at_s: self.now_s, call, response });
        self.ending = judged.err().map(Ending::Differs);
        if self.goes_on() && self.belief.is_crowded() {
            self.ending = Some(Ending::GivenUp);
        }
        Ok(Sent::Answered(number))
    }

    /// Enters the partition of a request, and returns the request with its etags; `None` if it cannot be sent.
    fn prepared<'c>(
        &mut self,
        call: &'c Call,
        instead: impl Fn(&Belief, &str) -> Option<Etag>,
    ) -> Option<Cow<'c, Request>> {
        let belief = &mut self.belief;
        belief.enter(call.partition.clone());
        let creates = matches!(call.request, Request::CreateContainer(_));
        if belief.exists() == creates || !removes_what_is_there(call.request.operations(), belief) {
            return None;
        }
        let meant = |id: &str, condition: Condition| {
            belief.etag(id, condition).cloned().or_else(|| instead(belief, id)).ok_or(())
        };
        etags::sent(&call.request, &call.conditions, meant).ok()
    }
}

/// Whether every patch takes away only what is there for certain; after an earlier write in the same batch, that is uncertain.
fn removes_what_is_there(operations: &[Operation], belief: &Belief) -> bool {
    operations.iter().enumerate().all(|(number, operation)| match operation {
        Operation::Patch(patch, _) if !patch.remove.is_empty() => {
            let earlier = operations.iter().take(number).any(|other| other.id() == patch.id);
            !earlier && patch.remove.iter().all(|name| belief.carries(&patch.id, name))
        }
        _ => true,
    })
}

/// Sends a request: once, or page by page.
fn send(session: &mut dyn Session, request: &Request, call: &Call) -> Result<Response, Fault> {
    let mut send = |request: &Request, options: &RequestOptions| {
        (catch_panic(|| session.send_with(request, options)), None)
    };
    let options = RequestOptions::of_partition(call.partition.clone());
    let (response, _) = match call.page {
        None => send(request, &options),
        Some(size) => {
            let first = PageRequest { size, continuation: None };
            send_pages(request, &options, Some(first), &mut send)
        }
    };
    response
}
