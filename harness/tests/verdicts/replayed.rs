//! The record of a replay besides its verdict: which answers were as expected, the choices, the log of the target.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use cosmos_ttl_harness::run::{VectorResult, hold_to_choices, run_virtual, run_virtual_while};
use cosmos_ttl_harness::target::{About, Fault, Request, Response, Session, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Choice, Failure, Outcome, Verdict};
use cosmos_ttl_mutants::{Choices, IndependentStore};
use cosmos_ttl_testing::{GOOD, run_all, scratch, suite};

/// A right store that has something to say, and writes down how long it was let alone.
#[derive(Default)]
struct Talker {
    store: IndependentStore,
    passed_s: Mutex<Vec<u64>>,
}

impl Target for Talker {
    fn about(&self) -> About {
        About { purges: false, ..self.store.about() }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Talking(self, self.store.open()?)))
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
        assert!(matches!(&result.verdict, Verdict::Fail(failure) if failure.step == 4));
    });
}

#[test]
fn what_was_chosen_is_said_with_the_step_that_showed_it_first() {
    replayed(&Talker::default(), QUERY, QUERY, |result| {
        let choice = Choice { clause: "maybe".into(), value: "back".into(), step: 8 };
        assert_eq!(result.choices, [choice], "{:?}", result.verdict);
    });
}

/// The second vector makes this choice for a null `defaultTtl` in `alone`, beside a first one in which it is taken for off.
/// Returns which of its steps are as expected.
#[track_caller]
fn contradicting(alone: &dyn Target) -> (Failure, Vec<Option<bool>>) {
    const CLAUSE: &str = "container-null-in-replacement";
    let usual = run_all(&NAIVE.clone(), suite());
    let chooses = |result: &&VectorResult<'_>| result.choices.iter().any(|choice| choice.clause == CLAUSE);
    let mut choosing = usual.results.iter().filter(chooses);
    let [first, second] = [choosing.next().unwrap(), choosing.next().unwrap()];
    let other = run_virtual(alone, &[second.vector]).unwrap().results.remove(0);
    let mut both = [first.clone(), other];
    hold_to_choices(&mut both);
    let Verdict::Fail(failure) = &both[1].verdict else { panic!("{:?}", both[1].verdict) };
    (failure.clone(), both[1].answers.iter().map(|answered| answered.as_expected).collect())
}

fn refuses_null() -> IndependentStore {
    let choices = Choices { null_in_replacement_refused: true, ..Choices::default() };
    IndependentStore { choices, ..IndependentStore::default() }
}

/// Takes null for off in its first session.
#[derive(Default)]
struct ChoosesLater(AtomicBool);

impl Target for ChoosesLater {
    fn about(&self) -> About {
        NAIVE.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let takes_null = !self.0.swap(true, Ordering::Relaxed);
        let store = if takes_null { IndependentStore::default() } else { refuses_null() };
        Ok(Box::new(store.session()))
    }
}

#[test]
fn a_choice_that_contradicts_another_is_marked_at_its_step() {
    let (failure, as_expected) = contradicting(&refuses_null());
    let wrong: Vec<_> = as_expected.iter().enumerate().filter(|(_, one)| **one == Some(false)).collect();
    assert_eq!(wrong.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [failure.step]);
}

#[test]
fn a_choice_of_another_replay_than_the_one_that_is_shown_marks_no_step() {
    let (failure, as_expected) = contradicting(&ChoosesLater::default());
    assert!(failure.beside.is_some() && as_expected.iter().all(|one| *one == Some(true)), "{as_expected:?}");
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

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        self.stop.store(true, Ordering::Relaxed);
        if self.breaks {
            return Err(Fault::Broken("the connection was cut".into()));
        }
        NAIVE.open()
    }
}

static NAIVE: LazyLock<IndependentStore> = LazyLock::new(IndependentStore::default);

#[test]
fn a_vector_that_was_judged_while_the_run_was_interrupted_counts_and_one_that_broke_does_not() {
    let suite = Suite::load(&scratch("interrupted", &[])).unwrap();
    for (breaks, first) in [(false, Outcome::Pass), (true, Outcome::NotRun)] {
        let target = Interrupting { stop: AtomicBool::new(false), breaks };
        let run = run_virtual_while(&target, &[&suite.vectors[0]; 2], &target.stop, |_| true).unwrap();
        let kinds: Vec<_> = run.results.iter().map(|result| result.verdict.outcome()).collect();
        assert_eq!(kinds, [first, Outcome::NotRun]);
    }
}
