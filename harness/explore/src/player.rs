//! Plays actions in one session, whose clock the harness moves, and judges each answer by what the model allows.

use super::coverage::Coverage;
use super::random::{Resolver, Session as DrawnSession};
use super::script::{Action, Call, Script, prepared, removes_what_is_there};
use cosmos_ttl_belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::pages::send_pages;
use cosmos_ttl_harness::target::{
    About, Edition, Fault, Id, Opening, Operation, PageRequest, PurgedTarget, Removal, Request,
    RequestOptions, Response, Session, Target as _,
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
    Drawn(Box<Resolver>),
    Given(std::vec::IntoIter<Action>),
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

/// One session, and what is played in it.
pub(super) struct Player<'t> {
    target: &'t PurgedTarget<'t>,
    belief: Belief,
    pub(super) seed: u64,
    pub(super) opening: Opening,
    /// The creation of the container.
    first: Option<Action>,
    source: ActionSource,
    /// How many requests it may send.
    most_requests: u64,
    now_s: u64,
    pub(super) actions: Vec<Action>,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) coverage: Coverage,
    /// How many given actions followed the first one that was not offered.
    pub(super) not_offered_before: Option<usize>,
    pub(super) ending: Option<Ending>,
    /// The item whose etags are sent where a condition means one that the target has not shown. If there is one, reads are
    /// added: before a condition whose etag no answer has shown, and where an item may have reappeared.
    pub(super) witness: Option<&'static str>,
    /// How many conditions were not sent, since no etag was shown.
    pub(super) unsent: u64,
    /// For each given action the number of its exchange, if it is a request that was sent.
    pub(super) sent_as: Vec<Option<usize>>,
}

impl<'t> Player<'t> {
    /// Returns a player of a session that was drawn from this seed. It sends at most so many requests, and waits at most so
    /// long at once.
    pub(super) fn drawing(
        target: &'t PurgedTarget<'t>,
        about: &About,
        seed: u64,
        session: DrawnSession,
        most_requests: u64,
        patience_s: u64,
    ) -> Self {
        let edition = if about.editions.is_empty() {
            &Edition::default()
        } else {
            session.edition.get(&about.editions)
        };
        let removal = (!about.removals.is_empty()).then(|| *session.removal.get(&about.removals));
        let create = Call::plain(Request::CreateContainer(session.container.clone()));
        let source = ActionSource::Drawn(Box::new(Resolver::new(session, patience_s)));
        let mut player = Self::new(target, Opening::new(*edition, removal), source);
        (player.seed, player.most_requests, player.first) = (seed, most_requests, Some(Action::Call(create)));
        player
    }

    /// Returns a player of a script.
    pub(super) fn replaying(target: &'t PurgedTarget<'t>, script: &Script, removal: Option<Removal>) -> Self {
        let source = ActionSource::Given(script.actions.clone().into_iter());
        let first = Some(Action::Call(script.creation()));
        Self { first, ..Self::new(target, Opening::new(script.edition, removal), source) }
    }

    fn new(target: &'t PurgedTarget<'t>, opening: Opening, source: ActionSource) -> Self {
        Self {
            target,
            belief: Belief::new(opening.edition),
            seed: 0,
            opening,
            first: None,
            source,
            most_requests: u64::MAX,
            now_s: 0,
            actions: Vec::new(),
            exchanges: Vec::new(),
            coverage: Coverage::default(),
            not_offered_before: None,
            ending: None,
            witness: None,
            unsent: 0,
            sent_as: Vec::new(),
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
        while self.ending.is_none() && self.coverage.requests < self.most_requests {
            match self.next_action() {
                None => break,
                Some(Action::Wait(seconds)) => {
                    catch_panic(|| session.pass(seconds))?;
                    self.belief.pass(seconds);
                    self.now_s = self.now_s.saturating_add(seconds);
                    self.coverage.seconds = self.now_s;
                    self.actions.push(Action::Wait(seconds));
                    self.sent_as.push(None);
                }
                Some(Action::Call(call)) => self.call_and_look(session, call)?,
            }
            if self.ending.is_none() && self.belief.is_crowded() {
                self.ending = Some(Ending::GivenUp);
            }
        }
        Ok(())
    }

    fn next_action(&mut self) -> Option<Action> {
        self.first.take().or_else(|| match &mut self.source {
            ActionSource::Given(actions) => actions.next(),
            // Without a container there is nothing to do.
            ActionSource::Drawn(resolver) if self.belief.exists() => resolver.next(&mut self.belief),
            ActionSource::Drawn(_) => None,
        })
    }

    /// Sends a request, and the reads that show the state of its items.
    fn call_and_look(&mut self, session: &mut dyn Session, call: Call) -> Result<(), Fault> {
        let Some(witness) = self.witness else { return self.call(session, call) };
        let about = || call.request.operations().iter().map(|one| one.id().into());
        let before: Vec<Id> = about().filter(|_| !call.conditions.is_empty()).collect();
        let is_of_witness = |id: &Id| id == witness;
        let written: Vec<Id> = about().filter(is_of_witness).collect();
        let configures = call.request.container().is_some();
        self.look(session, &before, Belief::hides_etag)?;
        if self.ending.is_some() {
            return Ok(());
        }
        let number = self.exchanges.len();
        self.call(session, call)?;
        self.sent_as.push((number < self.exchanges.len()).then_some(number));
        self.look(session, &written, Belief::hides_etag)?;
        if configures {
            let all: Vec<Id> = self.belief.ids().cloned().collect();
            self.look(session, &all, Belief::is_open)?;
        }
        Ok(())
    }

    fn look(
        &mut self,
        session: &mut dyn Session,
        ids: &[Id],
        needs: impl Fn(&Belief, &str) -> bool,
    ) -> Result<(), Fault> {
        for id in ids {
            if self.ending.is_none() && needs(&self.belief, id) {
                self.call(session, Call::plain(Request::Item(Operation::Read(id.clone()))))?;
            }
        }
        Ok(())
    }

    fn call(&mut self, session: &mut dyn Session, call: Call) -> Result<(), Fault> {
        let Some(request) = prepared(&mut self.belief, &call, self.witness) else {
            let is_meant = removes_what_is_there(call.request.operations(), &self.belief);
            self.unsent += u64::from(is_meant && !call.conditions.is_empty());
            return Ok(());
        };
        self.coverage.meets(&call, &self.belief);
        let unsure = self.belief.unsure();
        let response = match send(session, &request, &call) {
            Err(Fault::Unsupported(_)) => {
                self.coverage.not_offered += 1;
                if let ActionSource::Given(rest) = &self.source {
                    self.not_offered_before.get_or_insert(rest.len());
                }
                return Ok(());
            }
            response => response?,
        };
        let judged = self.belief.observe(&request, &response);
        drop(request);
        self.coverage.answered(&call, &response, &self.belief);
        self.coverage.fates += u64::from(self.belief.unsure() < unsure);
        self.actions.push(Action::Call(call.clone()));
        self.exchanges.push(Exchange { at_s: self.now_s, call, response });
        self.ending = judged.err().map(Ending::Differs);
        Ok(())
    }
}

/// Sends a request: once, or page by page.
fn send(session: &mut dyn Session, request: &Request, call: &Call) -> Result<Response, Fault> {
    let mut send = |request: &Request, options: &RequestOptions| {
        (catch_panic(|| session.send_with(request, options)), None)
    };
    let (response, _) = match call.page {
        None => send(request, &RequestOptions { partition: call.partition.clone(), page: None }),
        Some(size) => {
            let first = PageRequest { size, continuation: None };
            send_pages(request, call.partition.as_ref(), Some(first), &mut send)
        }
    };
    response
}
