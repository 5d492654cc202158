//! The requests that are sent are those of the tests whose condition the certificate checks.

use std::sync::Mutex;

use cosmos_ttl_complete::{
    CompleteOptions, CompleteSuite, Depth, ITEM, Machine, MachineAnswer, NextState, TestCase,
    Transitions as _, complete,
};
use cosmos_ttl_harness::target::{
    About, Fault, Opening, Operation, Removal, Request, Response, Session, Target,
};
use cosmos_ttl_reference::Reference;

use crate::{SUITE, machine};

const WITNESS: &str = "w";

/// A request about one item, and whether it has an etag; `None` is a second that passes.
type SentRequest = Option<(Request, bool)>;

/// The reference, and the requests of each session with it.
struct Recorded {
    target: Reference,
    sessions: Mutex<Vec<Vec<Option<Request>>>>,
}

struct RecordedSession<'t> {
    session: Box<dyn Session + 't>,
    sent: Vec<Option<Request>>,
    sessions: &'t Mutex<Vec<Vec<Option<Request>>>>,
}

impl Target for Recorded {
    fn about(&self) -> About {
        About { removals: vec![Removal::Never], ..self.target.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let (session, sent) = (self.target.open(opening)?, Vec::new());
        Ok(Box::new(RecordedSession { session, sent, sessions: &self.sessions }))
    }
}

impl Session for RecordedSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.sent.push(Some(request.clone()));
        self.session.send(request)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.sent.push(None);
        self.session.pass(seconds)
    }
}

impl Drop for RecordedSession<'_> {
    fn drop(&mut self) {
        self.sessions.lock().unwrap().push(std::mem::take(&mut self.sent));
    }
}

/// Returns the request with the id of the item of every test, and without its etags.
fn plain(request: &Request, id: &str) -> (Request, bool) {
    let mut request = request.clone();
    let mut is_conditional = false;
    let operations = match &mut request {
        Request::Item(operation) => std::slice::from_mut(operation),
        Request::Batch(operations) => operations.as_mut_slice(),
        _ => &mut [],
    };
    for operation in operations {
        let (named, etag) = match operation {
            Operation::Create(document) | Operation::Upsert(document) => (&mut document.id, None),
            Operation::Replace(document, etag) => (&mut document.id, etag.take()),
            Operation::Patch(patch, etag) => (&mut patch.id, etag.take()),
            Operation::Delete(named, etag) => (named, etag.take()),
            Operation::Read(named) => (named, None),
        };
        is_conditional |= etag.is_some();
        if named == id {
            ITEM.clone_into(named);
        }
    }
    (request, is_conditional)
}

/// Returns the requests of a session that one of its items sees; the first three make the container and its witness.
fn seen_by(id: &str, session: &[Option<Request>]) -> Vec<SentRequest> {
    let is_own = |request: &&Option<Request>| {
        let operations = request.as_ref().map_or(&[][..], Request::operations);
        operations.is_empty() || operations.iter().any(|one| one.id() == id)
    };
    let container = session.first();
    let own = container.into_iter().chain(session.iter().skip(3).filter(is_own));
    own.map(|request| request.as_ref().map(|request| plain(request, id))).collect()
}

/// Returns the requests of a test: its inputs, a read before a condition whose etag no answer has shown, and a read where an
/// item may have reappeared.
fn defined(machine: &Machine, test: &TestCase) -> Vec<SentRequest> {
    let read = (Request::Item(Operation::Read(ITEM.into())), false);
    let opening = machine.alphabet.openings[usize::from(test.opening)].clone();
    let mut sent = vec![Some((Request::CreateContainer(opening), false))];
    let mut state = machine.opened()[usize::from(test.opening)];
    let mut is_etag_known = false;
    for number in &test.inputs {
        let input = &machine.alphabet.inputs[usize::from(*number)];
        if !input.conditions.is_empty() && machine.is_visible(state) && !is_etag_known {
            sent.push(Some(read.clone()));
            is_etag_known = true;
        }
        let request = input.request_about(ITEM, WITNESS);
        let operations = request.as_ref().map_or(&[][..], Request::operations);
        let (answers, next) = machine.step(state, *number).unwrap();
        if answers.iter().any(MachineAnswer::is_success) && !operations.is_empty() {
            let writes = |one: &Operation| one.is_write() && !matches!(one, Operation::Delete(..));
            is_etag_known = match request {
                Some(Request::Item(_)) => true,
                _ => is_etag_known && !operations.iter().any(writes),
            };
        }
        sent.push(request.map(|request| (request, !input.conditions.is_empty())));
        let is_fate = |one: &NextState| matches!(one, NextState::Fate { .. });
        if machine.outcomes(state, *number).unwrap().iter().any(|one| is_fate(&one.next)) {
            sent.push(Some(read.clone()));
            is_etag_known |= machine.is_visible(next);
        }
        state = next;
    }
    sent
}

/// Returns each sequence of requests about the item, in words and in order, as often as it occurs.
fn sorted(all: impl Iterator<Item = Vec<SentRequest>>) -> Vec<String> {
    let is_own = |request: &Request| request.operations().iter().any(|one| one.id() == ITEM);
    let about_item = all.filter(|sent| sent.iter().flatten().any(|(request, _)| is_own(request)));
    let mut words: Vec<String> = about_item.map(|sent| format!("{sent:?}")).collect();
    words.sort_unstable();
    words
}

#[test]
fn the_requests_that_are_sent_are_those_of_the_tests_and_no_others() {
    let recorded = Recorded { target: Reference::default(), sessions: Mutex::new(Vec::new()) };
    let done = complete(&recorded, &SUITE, &CompleteOptions::new(Depth(0))).unwrap();
    assert!(done.is_whole());
    let machine = machine(false);
    let mut tests = Vec::new();
    CompleteSuite::new(&machine, Depth(0)).each(&mut |test| {
        tests.push(defined(&machine, test));
        true
    });
    let expected = sorted(tests.into_iter());
    let sessions = recorded.sessions.lock().unwrap();
    // The sessions before the suite observe the choices of the target.
    let is_of_witness = |request: &Request| request.operations().iter().any(|one| one.id() == WITNESS);
    let is_of_a_place = |session: &&Vec<Option<Request>>| session.iter().flatten().any(is_of_witness);
    let of_session = |session: &Vec<Option<Request>>| {
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(|id| seen_by(id, session))
    };
    let sent = sorted(sessions.iter().filter(is_of_a_place).flat_map(of_session));
    assert!(expected.len() > 10_000);
    let differing = expected.iter().zip(&sent).find(|(expected, sent)| expected != sent);
    assert_eq!((differing, expected.len()), (None, sent.len()));
}
