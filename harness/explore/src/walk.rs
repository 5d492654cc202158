//! One place at a target, and the belief that may be there.

use std::borrow::Cow;

use super::script::Call;
use cosmos_ttl_belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::target::{Fault, Opening, Operation, Request, Response, Session, Target};

/// What came of asking.
#[derive(Clone, Debug)]
pub(super) enum Heard {
    /// An answer that at least one world gives.
    Fits(Response),
    /// An answer that no world gives.
    Differs(Response, Contradiction),
    /// It could not be asked: there is no container, or no etag such as it would send.
    NotAsked,
    /// The target says that it does not offer this; nothing happened.
    NotOffered,
}

/// A place being walked through.
pub(super) struct Walk<'t> {
    session: Box<dyn Session + 't>,
    pub(super) belief: Belief,
    pub(super) now_s: u64,
}

impl<'t> Walk<'t> {
    pub(super) fn open(target: &'t dyn Target, opening: Opening) -> Result<Self, Fault> {
        Self::open_in(target, opening, Belief::new(opening.edition))
    }

    /// The same, where these belief may be.
    pub(super) fn open_in(target: &'t dyn Target, opening: Opening, belief: Belief) -> Result<Self, Fault> {
        let session = catch_panic(|| target.open(&opening))?;
        Ok(Self { session, belief, now_s: 0 })
    }

    /// Asks, and holds the answer against the belief.
    pub(super) fn ask(&mut self, ask: &Call) -> Result<Heard, Fault> {
        let Some(request) = self.prepared(ask) else { return Ok(Heard::NotAsked) };
        Ok(match self.send(&request)? {
            Some(response) => self.judged(&request, response),
            None => Heard::NotOffered,
        })
    }

    /// The request as it is sent, if it can be.
    pub(super) fn prepared<'a>(&self, ask: &'a Call) -> Option<Cow<'a, Request>> {
        if self.belief.exists() == matches!(ask.request, Request::CreateContainer(_))
            || !removes_what_is_there(ask.request.operations(), &self.belief)
        {
            return None;
        }
        if ask.conditions.is_empty() {
            return Some(Cow::Borrowed(&ask.request));
        }
        with_etags(ask, &self.belief).map(Cow::Owned)
    }

    /// Asks; `None` where the target does not offer this.
    pub(super) fn send(&mut self, request: &Request) -> Result<Option<Response>, Fault> {
        let session = &mut self.session;
        match catch_panic(|| session.send(request)) {
            Err(Fault::Unsupported(_)) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Holds an answer against the belief.
    pub(super) fn judged(&mut self, request: &Request, response: Response) -> Heard {
        match self.belief.observe(request, &response) {
            Ok(()) => Heard::Fits(response),
            Err(differs) => Heard::Differs(response, differs),
        }
    }

    pub(super) fn wait(&mut self, seconds: u64) -> Result<(), Fault> {
        let session = &mut self.session;
        catch_panic(|| session.pass(seconds))?;
        self.belief.pass(seconds);
        self.now_s = self.now_s.saturating_add(seconds);
        Ok(())
    }

    /// Gives the place up.
    pub(super) fn close(mut self) -> Result<(), Fault> {
        catch_panic(|| self.session.close())
    }
}

/// Whether every patch takes away only what is there for certain; after an earlier write in the same batch, nobody knows.
fn removes_what_is_there(operations: &[Operation], belief: &Belief) -> bool {
    let mut before = operations.iter().enumerate();
    before.all(|(number, operation)| match operation {
        Operation::Patch(patch, _) if !patch.remove.is_empty() => {
            let earlier = operations.iter().take(number).any(|other| other.id() == patch.id);
            !earlier && patch.remove.iter().all(|name| belief.carries(&patch.id, name))
        }
        _ => true,
    })
}

/// The request with the etags that its conditions mean.
fn with_etags(ask: &Call, belief: &Belief) -> Option<Request> {
    let meant = |id: &str, condition| belief.etag(id, condition).cloned().ok_or(());
    etags::sent(&ask.request, &ask.conditions, meant).ok()
}
