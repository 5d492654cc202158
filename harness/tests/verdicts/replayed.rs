//! The record of a replay besides its verdict: which answers were as expected, the choices, the log of the target.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use cosmos_ttl_harness::run::{VectorResult, run_virtual, run_virtual_until};
use cosmos_ttl_harness::target::{About, Fault, Opening, Removal, Request, Response, Session, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Choice, Outcome, Verdict};
use cosmos_ttl_mutants::IndependentStore;
use cosmos_ttl_testing::{GOOD, scratch};

/// A right store that has something to say, and writes down how long it was let alone.
#[derive(Default)]
struct Talker {
    store: IndependentStore,
    passed_s: Mutex<Vec<u64>>,
}

impl Target for Talker {
    fn about(&self) -> About {
        About { removals: vec![Removal::Never], ..self.store.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Talking(self, self.store.open(opening)?)))
    }
}

struct Talking<'a>(&'a Talker, Box<dyn Session + 'a>);

impl Session for Talking<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.1.send(request)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.0.passed_s.lock().unwrap().push(seconds);
        self.1.pass(seconds)
    }

    fn log(&mut self) -> Option<String> {
        Some("a word".into())
    }
}

/// Returns the result of the good vector with a part of its text replaced.
fn replayed(target: &dyn Target, from: &str, to: &str, look: impl FnOnce(&VectorResult<'_>)) {
    let text = GOOD[1].1.replace(from, to);
    let suite = Suite::load(&scratch("replayed", &[("lifetime.yaml", text.as_bytes())])).unwrap();
    look(&run_virtual(target, &[&suite.vectors[0]]).unwrap().results[0]);
}

const QUERY: &str = "- query: {expect: [witness]}";
const WRONG: &str = "- query: {expect: [a, witness]}";

#[test]
fn the_targets_log_comes_with_what_did_not_pass() {
    replayed(&Talker::default(), QUERY, QUERY, |result| assert_eq!(result.log, None));
    replayed(&Talker::default(), QUERY, WRONG, |result| assert_eq!(result.log.as_deref(), Some("a word")));
}

#[test]
fn time_passes_only_between_requests_of_different_seconds() {
    let target = Talker::default();
    let last = "- query: {expect: {open";
    replayed(&target, last, &format!("- at: 12\n  {last}"), |result| {
        assert_eq!(result.verdict, Verdict::Pass);
    });
    assert_eq!(*target.passed_s.lock().unwrap(), [10, 2]);
}

#[test]
fn of_a_failure_every_answer_but_the_last_was_as_expected() {
    replayed(&Talker::default(), QUERY, WRONG, |result| {
        let as_expected: Vec<_> = result.answers.iter().map(|answered| answered.as_expected).collect();
        assert_eq!(as_expected, [true, true, true, true, false].map(Some));
        assert!(
            matches!(&result.verdict, Verdict::Fail(failure) if failure.step == 4 && failure.removal == Some(Removal::Never))
        );
    });
}

#[test]
fn what_was_chosen_is_said_with_the_step_that_showed_it_first() {
    replayed(&Talker::default(), QUERY, QUERY, |result| {
        let choice = Choice { clause: "maybe".into(), value: "back".into(), step: 8 };
        assert_eq!(result.choices, [choice], "{:?}", result.verdict);
    });
}

/// Opening it interrupts the run.
struct Interrupting {
    stop: AtomicBool,
    breaks: bool,
}

impl Target for Interrupting {
    fn about(&self) -> About {
        IndependentStore::default().about()
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        self.stop.store(true, Ordering::Relaxed);
        if self.breaks {
            return Err(Fault::Broken("the connection was cut".into()));
        }
        NAIVE.open(opening)
    }
}

static NAIVE: LazyLock<IndependentStore> = LazyLock::new(IndependentStore::default);

#[test]
fn a_vector_that_was_judged_while_the_run_was_interrupted_counts_and_one_that_broke_does_not() {
    let suite = Suite::load(&scratch("interrupted", &[])).unwrap();
    for (breaks, first) in [(false, Outcome::Pass), (true, Outcome::NotRun)] {
        let target = Interrupting { stop: AtomicBool::new(false), breaks };
        let run = run_virtual_until(&target, &[&suite.vectors[0]; 2], &target.stop).unwrap();
        let kinds: Vec<_> = run.results.iter().map(|result| result.verdict.outcome()).collect();
        assert_eq!(kinds, [first, Outcome::NotRun]);
    }
}
