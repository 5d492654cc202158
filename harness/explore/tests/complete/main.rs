//! The complete suite: its machine, its tests, and what they say of stores.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod etags;
mod export;
mod sent;
mod two_items;

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cosmos_ttl_explore::complete::{CompleteOptions, CompleteSuite, Completion, Depth, Machine, complete};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_explore::{ExploreOptions, explore};
use cosmos_ttl_harness::target::{Declared, Part, Removal, Request, Target};
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_model::choices::{OpenChoice, Preferences};
use cosmos_ttl_mutants::named;
use cosmos_ttl_testing::one_removal::OneRemoval;
use cosmos_ttl_testing::wrong::Without;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

static RIGHT: LazyLock<Reference> = LazyLock::new(Reference::default);

fn machine(gone: bool) -> Machine {
    Machine::new(2, Preferences::default().with(OpenChoice::ExpiredIsGone, gone))
}

fn played(target: &dyn Target) -> Completion {
    complete(target, &SUITE, &CompleteOptions::new(Depth(0))).unwrap()
}

#[test]
fn a_client_can_tell_all_states_apart_unless_expired_items_never_return() {
    let distinct = |gone| {
        let machine = machine(gone);
        CompleteSuite::new(&machine, Depth(0)).access.len()
    };
    assert_eq!((distinct(false), distinct(true)), (40, 31));
}

#[test]
fn the_reference_passes_and_every_test_is_played_to_its_end() {
    let done = played(&Reference::default());
    assert!(done.found.is_none() && done.shoulds.is_empty() && done.unconfirmed.is_empty());
    assert_eq!((done.is_whole(), done.cut, done.schedules.len()), (true, 0, 3));
}

#[test]
fn a_fault_is_shown_as_a_small_vector() {
    let done = played(&named("one-second-late").unwrap());
    let vector = done.found.unwrap().written.unwrap().vector;
    assert!(vector.steps.len() < 8 && vector.clauses.contains(&"gone-at-deadline".to_owned()));
}

#[test]
fn a_suite_that_needs_a_declared_part_says_so_and_sends_nothing_of_it() {
    static BATCHES: AtomicUsize = AtomicUsize::new(0);
    let store = Without(|request| {
        let is_batch = matches!(request, Request::Batch(_));
        BATCHES.fetch_add(usize::from(is_batch), Ordering::Relaxed);
        is_batch
    });
    let without = BTreeSet::from([Part::Batch]);
    let done = played(&Declared::new(&store, &without));
    assert_eq!((&done.without, done.not_offered.len()), (&without, 0));
    assert!(done.found.is_none() && done.tests > 0 && done.statement().is_none());
    let stop = AtomicBool::new(false);
    let options = ExploreOptions { seed: 1, steps: 2_000, stop: &stop };
    let explored = explore(&Declared::new(&store, &without), &options).unwrap();
    assert!(explored.found.is_none() && explored.coverage.not_offered > 0);
    assert_eq!(BATCHES.load(Ordering::Relaxed), 2, "each asks once whether it is offered");
    let done = played(&store);
    assert!(done.without.is_empty() && !done.not_offered.is_empty());
}

#[test]
fn a_target_that_purges_is_played_under_every_schedule_and_a_purge_that_takes_too_much_is_found() {
    let done = played(&named("removal-is-early").unwrap());
    assert!(done.found.is_some_and(|found| found.written.is_ok()), "{:?}", done.unconfirmed);
    assert_eq!(done.schedules.len(), 3);
}

#[test]
fn patches_in_batches_that_do_not_restart_the_count_break_no_must() {
    let store = named("patch-in-a-batch-does-not-restart").unwrap();
    let done = played(&OneRemoval(&store, Removal::Alternate));
    assert!(done.found.is_none() && !done.shoulds.is_empty(), "{:?}", done.found);
}

#[test]
fn faults_that_show_no_clause_while_off_are_shown_by_other_settings() {
    for name in ["failed-condition-deletes", "deleted-items-return"] {
        let done = played(&OneRemoval(&named(name).unwrap(), Removal::Never));
        assert!(done.found.is_some_and(|found| found.written.is_ok()), "{name}: {:?}", done.unconfirmed);
    }
}

#[test]
fn hardly_any_test_is_the_beginning_of_another_one() {
    let machine = machine(false);
    let suite = CompleteSuite::new(&machine, Depth(0));
    let mut all = Vec::new();
    suite.each(&mut |test| {
        all.push((test.opening, test.inputs.clone()));
        true
    });
    all.sort_unstable();
    let begins = all.windows(2).filter(|two| two[0].0 == two[1].0 && two[1].1.starts_with(&two[0].1));
    assert!(begins.count() < 10);
}

#[test]
fn tests_are_counted_as_they_are_made() {
    let machine = machine(false);
    for depth in [0, 1].map(Depth) {
        let suite = CompleteSuite::new(&machine, depth);
        let mut made = 0;
        suite.each(&mut |_| {
            made += 1;
            true
        });
        assert_eq!(suite.count(), made);
    }
}

#[test]
fn any_two_states_share_a_sequence_that_they_answer_differently() {
    for gone in [false, true] {
        let machine = machine(gone);
        let suite = CompleteSuite::new(&machine, Depth(0));
        let answers = |mut state: u8, sequence: &[u8]| -> Vec<_> {
            let step = |input: &u8| {
                let (answers, next) = machine.step(state, *input).unwrap();
                state = next;
                answers.to_vec()
            };
            sequence.iter().map(step).collect()
        };
        let differ = |one: u8, other: u8, sequence: &[u8]| {
            let pairs = answers(one, sequence).into_iter().zip(answers(other, sequence));
            pairs
                .into_iter()
                .any(|(one, other)| !one.is_empty() && one.iter().all(|one| !other.contains(one)))
        };
        for (one, other) in
            suite.access.iter().flat_map(|one| suite.access.iter().map(move |other| (one.1, other.1)))
        {
            let shared = suite.identifiers.of_state(one).iter().flat_map(|one| {
                let other = suite.identifiers.of_state(other).iter();
                other
                    .map(move |other| one.iter().zip(other).take_while(|(one, other)| one == other).count())
                    .map(move |length| &one[..length])
            });
            assert!(
                one == other || shared.into_iter().any(|sequence| differ(one, other, sequence)),
                "{one} {other}"
            );
        }
    }
}
