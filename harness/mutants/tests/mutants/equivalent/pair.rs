//! A mutant and the right store that it is to be told from.

use std::collections::BTreeMap;

use super::actions::{Action, LONGEST_S};
use cosmos_ttl_harness::target::{
    Body, Container, Edition, Etag, Opening, Removal, Request, Response, Session as _, Status,
};
use cosmos_ttl_mutants::{IndependentSession, IndependentStore, START};

/// No item ever has it.
const UNSEEN: &str = "unseen";

#[derive(Clone)]
pub(crate) struct Pair {
    mutant: IndependentSession,
    right: IndependentSession,
    now_s: i64,
    /// The etag of each item that the client saw last.
    seen: BTreeMap<String, Etag>,
}

impl Pair {
    pub(crate) fn new(mutant: IndependentStore, removal: Removal, container: &Container) -> Self {
        let opening = Opening::new(Edition::Y2024, Some(removal));
        let (mutant, right) = (mutant.session(opening), IndependentStore::default().session(opening));
        let mut pair = Self { mutant, right, now_s: START, seen: BTreeMap::new() };
        let (made, same) = pair.ask(&Request::CreateContainer(container.clone()));
        assert_eq!((made.status, same), (Status::Created, true));
        pair
    }

    /// Nothing that is asked may live longer than this many seconds.
    pub(crate) fn state(&self, longest_s: u64) -> CombinedState {
        let (mut tags, mut ages) = (Vec::new(), Vec::new());
        let longest_s = i128::from(longest_s);
        let mut age = |age: i128| {
            if age <= longest_s { age } else { longest_s + 1 + label(&mut ages, age) as i128 }
        };
        let mut tag = |tag: u64| label(&mut tags, tag) as u64;
        let sessions = [&self.mutant, &self.right].map(|session| session.relabelled(&mut tag, &mut age));
        // What is no etag of such a store has no label.
        let etag = |id: &str| self.seen.get(id)?.strip_prefix("naive-")?.parse().ok().map(&mut tag);
        CombinedState { sessions, etags: ["a", "b"].map(etag) }
    }

    /// Returns the mutant's answer, and whether the correct store gives exactly the same.
    pub(crate) fn play(&mut self, one: &Action) -> (Response, bool) {
        match one {
            Action::Call(request) => self.ask(request),
            Action::IfSeen(operation) => {
                let mut operation = operation.clone();
                let seen = self.seen.get(operation.id()).cloned();
                operation.require(seen.unwrap_or_else(|| UNSEEN.into()));
                self.ask(&Request::Item(operation))
            }
            Action::Pass => {
                self.mutant.pass(1).and_then(|()| self.right.pass(1)).unwrap();
                self.now_s += 1;
                (Response::new(Status::Ok), true)
            }
            Action::Remove(id) => {
                self.mutant.remove(id);
                self.right.remove(id);
                (Response::new(Status::Ok), true)
            }
        }
    }

    fn ask(&mut self, request: &Request) -> (Response, bool) {
        if switches_off(request) {
            self.right.purge().unwrap();
        }
        let (mutant, right) = (self.mutant.send(request).unwrap(), self.right.send(request).unwrap());
        if let Body::Item(item) = &mutant.body {
            self.seen.insert(item.document.id.clone(), item.etag.clone().unwrap());
        }
        let same = mutant == right;
        (mutant, same)
    }

    /// An answer as it is the same whenever it comes: its seconds by their age, and no etag, which the state has.
    pub(crate) fn timeless(&self, mut response: Response) -> Response {
        if let Body::Item(item) = &mut response.body {
            item.etag = None;
            item.ts = item.ts.map(|ts| (self.now_s - ts).min(i64::try_from(LONGEST_S).unwrap() + 1));
        }
        response
    }
}

/// All that the answers of two sessions depend on from now on, and how they compare.
///
/// Where two of these are equal, the same requests are answered alike in both, and differ between the sessions in both or
/// in neither.
///
/// Seconds, etags and numbers of requests grow forever, and no answer depends on them as such. Of the second of a write
/// it counts how long ago it was, and once that is longer than every lifetime in play only whether two of them are one
/// and the same, since that is all that the answers together can show. Of an etag it counts which others it equals:
/// new ones equal none. Of a number of requests it counts what the schedule of removal asks, which is a remainder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CombinedState {
    sessions: [IndependentSession; 2],
    /// Those that a client may still send.
    etags: [Option<u64>; 2],
}

/// The number of what only matters by being the same, in the order in which it is met.
fn label<T: PartialEq>(met: &mut Vec<T>, one: T) -> usize {
    met.iter().position(|other| *other == one).unwrap_or_else(|| {
        met.push(one);
        met.len() - 1
    })
}

fn switches_off(request: &Request) -> bool {
    let Request::ReplaceContainer(container) = request else { return false };
    container.default_ttl.as_ref().is_none_or(|default| default.as_str() == "null")
}
