//! What a target answers, said so that two targets can be compared: seconds count from its first write, etags by the
//! order in which they were seen, and whatever only that target would say is left out.

use std::collections::BTreeMap;

use super::{Action, Call, Script};
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::target::{
    Body, Etag, Fault, Id, Opening, Operation, Removal, Request, Response, Session, Target,
};
use cosmos_ttl_harness::vector::Condition;

/// What somebody remembers who asks one target.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    now_s: u64,
    origin: Option<i64>,
    etags: Vec<Etag>,
    seen: BTreeMap<Id, Vec<Etag>>,
}

impl Memory {
    /// Time passes at the target as well.
    ///
    /// # Errors
    ///
    /// The target's [`Fault`].
    pub fn wait(&mut self, session: &mut dyn Session, seconds: u64) -> Result<(), Fault> {
        self.now_s = self.now_s.saturating_add(seconds);
        session.pass(seconds)
    }

    /// Asks, and says the answer as it can be compared.
    ///
    /// # Errors
    ///
    /// The target's [`Fault`].
    pub fn ask(&mut self, session: &mut dyn Session, ask: &Call) -> Result<Response, Fault> {
        if ask.conditions.is_empty() {
            let response = session.send(&ask.request)?;
            return Ok(self.normal(&ask.request, response));
        }
        // An etag that was never seen is one that no item has.
        let meant = |id: &str, condition: Condition| {
            let seen = self.seen.get(id).and_then(|seen| condition.among(seen));
            Ok::<_, Fault>(seen.cloned().unwrap_or_else(|| "\"4294967295\"".into()))
        };
        let request = etags::sent(&ask.request, &ask.conditions, meant)?;
        let response = session.send(&request)?;
        Ok(self.normal(&request, response))
    }

    fn normal(&mut self, request: &Request, mut response: Response) -> Response {
        response.detail = None;
        match &mut response.body {
            Body::Ids(ids) => ids.sort(),
            Body::Item(item) => {
                if self.origin.is_none() {
                    self.origin = item.ts.and_then(|ts| ts.checked_sub_unsigned(self.now_s));
                }
                item.ts = item.ts.map(|ts| ts.saturating_sub(self.origin.unwrap_or(0)));
                item.etag = item.etag.take().map(|etag| self.etag(request, etag));
            }
            Body::Nothing | Body::Count(_) | Body::Committed(_) | Body::Aborted { .. } => {}
        }
        response
    }

    fn etag(&mut self, request: &Request, etag: Etag) -> Etag {
        if let Some(id) = request.operations().first().map(Operation::id) {
            let seen = self.seen.entry(id.into()).or_default();
            if seen.last() != Some(&etag) {
                seen.push(etag.clone());
            }
        }
        let number = self.etags.iter().position(|known| *known == etag).unwrap_or_else(|| {
            self.etags.push(etag);
            self.etags.len().saturating_sub(1)
        });
        format!("etag {}", number.saturating_add(1))
    }
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// When, counted from the start.
    pub at_s: u64,
    /// What was asked.
    pub ask: Call,
    /// What the target said.
    pub response: Response,
}

/// What a target answers to all of it, the container's creation first.
///
/// # Errors
///
/// The target's [`Fault`].
pub fn hear(target: &dyn Target, board: &Script, removal: Option<Removal>) -> Result<Vec<Heard>, Fault> {
    let mut session = target.open(&Opening::new(board.edition, removal))?;
    let heard = listen(session.as_mut(), board);
    session.close()?;
    heard
}

fn listen(session: &mut dyn Session, board: &Script) -> Result<Vec<Heard>, Fault> {
    let mut memory = Memory::default();
    let mut heard = Vec::new();
    for one in [Action::Call(board.creation())].iter().chain(&board.actions) {
        match one {
            Action::Wait(seconds) => memory.wait(session, *seconds)?,
            Action::Call(ask) => {
                let response = memory.ask(session, ask)?;
                heard.push(Heard { at_s: memory.now_s, ask: ask.clone(), response });
            }
        }
    }
    Ok(heard)
}
