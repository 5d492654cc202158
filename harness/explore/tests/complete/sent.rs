//! The requests that are sent are those of the tests whose condition the certificate checks.

use std::sync::Mutex;

use cosmos_ttl_explore::complete::{
    CompleteOptions, CompleteSuite, Depth, ITEM, Machine, TestCase, complete,
};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{About, Fault, Operation, Request, Response, Session, Target};

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
        About { purges: false, ..self.target.about() }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let (session, sent) = (self.target.open()?, Vec::new());
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

/// Returns the request with the id of the item of every test and without its etags, and whether it has any.
fn plain(request: &Request) -> (Request, bool) {
    let mut request = request.clone();
    let mut is_conditional = false;
    for operation in request.operations_mut() {
        if let Operation::Replace(_, etag) | Operation::Patch(_, etag) | Operation::Delete(_, etag) =
            operation
        {
            is_conditional |= etag.take().is_some();
        }
        let named = operation.id_mut();
        if named != WITNESS {
            ITEM.clone_into(named);
        }
    }
    (request, is_conditional)
}

/// Returns the requests of a session; the second and the third write its witness.
fn of_session(session: &[Option<Request>]) -> Vec<SentRequest> {
    let own = session.iter().take(1).chain(session.iter().skip(3));
    own.map(|request| request.as_ref().map(plain)).collect()
}

/// Returns the requests that define a test: an opening, and its inputs.
fn defined(machine: &Machine, test: &TestCase) -> Vec<SentRequest> {
    let opening = machine.alphabet.openings[usize::from(test.opening)].clone();
    let mut sent = vec![Some((Request::CreateContainer(opening), false))];
    sent.extend(test.inputs.iter().map(|number| {
        let input = &machine.alphabet.inputs[usize::from(*number)];
        input.request.clone().map(|request| (request, !input.conditions.is_empty()))
    }));
    sent
}

/// Returns how many reads were added to a test: before a condition, and after a change of settings.
#[track_caller]
fn added(test: &[SentRequest], sent: &[SentRequest]) -> usize {
    let read = Some((Request::Item(Operation::Read(ITEM.into())), false));
    let mut rest = test.iter().peekable();
    let mut configured = false;
    let is_added = |one: &&SentRequest| {
        let was_configured = configured;
        configured = matches!(one, Some((Request::ReplaceContainer(_), _)));
        if rest.next_if(|next| next == one).is_some() {
            return false;
        }
        let is_before_condition = matches!(rest.peek(), Some(Some((_, true))));
        assert!(**one == read && (is_before_condition || was_configured), "{test:?}\n{sent:?}");
        true
    };
    let added = sent.iter().filter(is_added).count();
    assert_eq!(rest.next(), None, "{test:?}\n{sent:?}");
    added
}

#[test]
fn the_requests_that_are_sent_are_those_of_the_tests_and_reads_that_show_the_state() {
    let recorded = Recorded { target: Reference::default(), sessions: Mutex::new(Vec::new()) };
    let done = complete(&recorded, &SUITE, &CompleteOptions::new(Depth(0))).unwrap();
    assert!(done.is_whole());
    let machine = machine(false);
    let mut tests = Vec::new();
    CompleteSuite::new(&machine, Depth(0)).each(&mut |test| {
        tests.push(defined(&machine, test));
        true
    });
    let sessions = recorded.sessions.lock().unwrap();
    // The sessions before the suite show whether the target purges, and its choices.
    let before = sessions.len().checked_sub(tests.len()).unwrap();
    assert!(before < 10 && tests.len() > 10_000);
    let pairs = tests.iter().zip(&sessions[before..]);
    let added: usize = pairs.map(|(test, session)| added(test, &of_session(session))).sum();
    assert!(added > 0);
}
