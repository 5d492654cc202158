//! The complete suites against many stores, and at greater depths.

use std::sync::LazyLock;

use cosmos_ttl_explore::complete::{CompleteOptions, Completion, Depth, complete};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{
    About, Body, Document, Fault, Operation, Removal, Request, Response, Session, Target,
};
use cosmos_ttl_harness::vector::Step;
use cosmos_ttl_mutants::{CONTROLS, named};
use cosmos_ttl_testing::one_removal::OneRemoval;
use cosmos_ttl_testing::suite;

static RIGHT: LazyLock<Reference> = LazyLock::new(Reference::default);

fn played(target: &dyn Target) -> Completion {
    complete(target, suite(), &CompleteOptions::new(Depth(0))).unwrap()
}

fn two_played(target: &dyn Target) -> Completion {
    let options = CompleteOptions { replays: 500, ..CompleteOptions::two_items() };
    complete(target, suite(), &options).unwrap()
}

/// Stores that choose for each item. Some of their choices lead out of the machine, and nothing is proved of them.
const CHOOSE_FOR_EACH_ITEM: [&str; 3] =
    ["whole-fractions-taken-for-some", "anything-kept-while-off-for-some", "kept-values-are-never-for-some"];

#[test]
fn no_control_is_accused_and_each_is_tested_to_the_end_unless_it_chooses_for_each_item() {
    for control in CONTROLS.iter() {
        let done = played(&control.store);
        assert!(done.found.is_none() && done.shoulds.is_empty(), "{}: {:?}", control.name, done.found);
        assert_eq!(done.unconfirmed, Vec::<String>::new(), "{}", control.name);
        let is_cut = CHOOSE_FOR_EACH_ITEM.contains(&control.name);
        assert_eq!((done.is_whole(), done.cut > 0), (!is_cut, is_cut), "{}", control.name);
    }
}

#[test]
fn every_test_of_depth_1_is_played_to_its_end() {
    let done = complete(
        &OneRemoval(&Reference::default(), Removal::Never),
        suite(),
        &CompleteOptions { longest_s: 1, ..CompleteOptions::new(Depth(1)) },
    )
    .unwrap();
    assert!(
        done.is_whole() && done.found.is_none() && done.shoulds.is_empty() && done.unconfirmed.is_empty()
    );
    assert_eq!(done.cut, 0);
}

#[test]
fn two_items_of_the_reference_pass_and_every_test_is_played_to_its_end() {
    let done = two_played(&Reference::default());
    assert!(done.found.is_none() && done.shoulds.is_empty() && done.unconfirmed.is_empty());
    assert_eq!((done.is_whole(), done.cut, done.schedules.len()), (true, 0, 3));
    assert_eq!((done.items, done.longest_s, done.size), (2, 1, [108, 182, 38]));
    assert_eq!(done.schedules.iter().map(|one| one.distinct).collect::<Vec<_>>(), [108, 77, 77]);
}

#[test]
fn two_items_of_right_stores_that_choose_otherwise_pass() {
    for name in
        ["every-other-choice", "expiry-latched-for-some", "batches-blame-the-last-refused-now-and-then"]
    {
        let control = CONTROLS.iter().find(|control| control.name == name).unwrap();
        let done = two_played(&OneRemoval(&control.store, Removal::Alternate));
        assert!(done.found.is_none() && done.shoulds.is_empty(), "{name}: {:?}", done.found);
        assert_eq!((done.unconfirmed.as_slice(), done.is_whole()), (&[][..], true), "{name}");
    }
}

/// A store that does something else to its items than it says, where a batch is about two of them.
struct PairFault {
    name: &'static str,
    /// The requests that it carries out instead of the batch with this answer.
    instead: fn([&Operation; 2], &Response) -> Vec<Request>,
}

struct PairFaultSession<'t> {
    said: Box<dyn Session + 't>,
    done: Box<dyn Session + 't>,
    fault: &'t PairFault,
}

impl Target for PairFault {
    fn about(&self) -> About {
        Reference::default().about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let [said, done] = [RIGHT.open()?, RIGHT.open()?];
        Ok(Box::new(PairFaultSession { said, done, fault: self }))
    }
}

impl Session for PairFaultSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let said = self.said.send(request)?;
        match request {
            Request::Batch(operations) => {
                let [first, second] = operations.as_slice() else { return self.done.send(request) };
                let is_of_two = first.id() != second.id() && second.id() != "w";
                if !is_of_two {
                    return self.done.send(request);
                }
                for request in (self.fault.instead)([first, second], &said) {
                    self.done.send(&request)?;
                }
                Ok(said)
            }
            _ => self.done.send(request),
        }
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.said.pass(seconds)?;
        self.done.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.said.purge()?;
        self.done.purge()
    }
}

fn both(all: [&Operation; 2]) -> Request {
    Request::Batch(all.map(Clone::clone).to_vec())
}

fn alone(one: &Operation) -> Request {
    Request::Item(one.clone())
}

fn is_committed(said: &Response) -> bool {
    matches!(said.body, Body::Committed(_))
}

fn document(operation: &Operation) -> Option<&Document> {
    match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            Some(document)
        }
        Operation::Patch(..) | Operation::Read(_) | Operation::Delete(..) => None,
    }
}

/// Upserts the second item with the properties of the first.
fn copied([first, second]: [&Operation; 2]) -> Option<Request> {
    let properties = document(first).zip(document(second))?.0.properties.clone();
    Some(alone(&Operation::Upsert(Document { id: second.id().into(), properties })))
}

const PAIR_FAULTS: [PairFault; 7] = [
    PairFault {
        name: "a refused second write leaves the first one",
        instead: |[first, second], said| match said.body {
            Body::Aborted { at: 1 } => vec![alone(first)],
            _ => vec![both([first, second])],
        },
    },
    PairFault {
        name: "a refused first write leaves the second one",
        instead: |[first, second], said| match said.body {
            Body::Aborted { at: 0 } => vec![alone(second)],
            _ => vec![both([first, second])],
        },
    },
    PairFault {
        name: "the second write is lost",
        instead: |[first, _], said| is_committed(said).then(|| alone(first)).into_iter().collect(),
    },
    PairFault {
        name: "the first write is lost",
        instead: |[_, second], said| is_committed(said).then(|| alone(second)).into_iter().collect(),
    },
    PairFault {
        name: "the second item gets the ttl of the first",
        instead: |all, said| {
            let copied = copied(all).filter(|_| is_committed(said));
            [both(all)].into_iter().chain(copied).collect()
        },
    },
    PairFault {
        name: "a batch with a deletion deletes both items",
        instead: |[first, second], said| {
            let deletes = [first, second].iter().any(|one| matches!(one, Operation::Delete(..)));
            let gone = [first, second].map(|one| alone(&Operation::Delete(one.id().into(), None)));
            let gone = gone.into_iter().filter(|_| deletes && is_committed(said));
            [both([first, second])].into_iter().chain(gone).collect()
        },
    },
    PairFault {
        name: "a patch does not count next to a creation",
        instead: |[first, second], said| match (first, second) {
            (Operation::Create(_), Operation::Patch(..)) if is_committed(said) => vec![alone(first)],
            _ => vec![both([first, second])],
        },
    },
];

#[test]
fn faults_that_take_two_items_are_found_and_by_no_test_of_one_item() {
    for fault in &PAIR_FAULTS {
        let one = played(&OneRemoval(fault, Removal::Never));
        assert!(
            one.found.is_none() && one.shoulds.is_empty() && one.unconfirmed.is_empty(),
            "{}",
            fault.name
        );
        let found =
            two_played(&OneRemoval(fault, Removal::Never)).found.unwrap_or_else(|| panic!("{}", fault.name));
        let vector = found.written.unwrap().vector;
        let sends_both = |step: &Step| step.request.operations().len() == 2;
        assert!(vector.steps.len() < 8 && vector.steps.iter().any(sends_both), "{}", fault.name);
    }
}

#[test]
fn a_mutant_is_found_that_no_test_of_one_item_finds() {
    let mutant = named("items-return-to-queries-only").unwrap();
    let one = played(&mutant);
    assert!(one.found.is_none() && one.shoulds.is_empty());
    assert!(two_played(&mutant).found.is_some_and(|found| found.written.is_ok()));
}
