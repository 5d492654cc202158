//! Faults of etags, which a suite misses that makes an etag known by other requests than those of its tests.

use std::collections::BTreeMap;

use cosmos_ttl_explore::complete::{CompleteOptions, Completion, Depth, complete};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::{
    About, Body, Etag, Fault, Id, Operation, Request, Response, Session, Status, Target,
};

use crate::{RIGHT, SUITE};

/// A store that refuses some conditions whose etag is the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EtagFault {
    /// Those of an item that was created under an id that was never used before, in the second of its creation.
    FirstCreation,
    /// Those of an item that a batch wrote last, in the second of the batch, until settings change.
    CommittedBatch,
}

/// A session, and the etags that count as wrong: of each item its own or, by `None`, every one.
struct EtagFaultSession<'t> {
    right: Box<dyn Session + 't>,
    fault: EtagFault,
    used: Vec<Id>,
    wrong: BTreeMap<Id, Option<Etag>>,
}

impl Target for EtagFault {
    fn about(&self) -> About {
        Reference::default().about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let (used, wrong) = (Vec::new(), BTreeMap::new());
        Ok(Box::new(EtagFaultSession { right: RIGHT.open()?, fault: *self, used, wrong }))
    }
}

impl EtagFaultSession<'_> {
    fn is_wrong(&self, operation: &Operation) -> bool {
        let wrong = self.wrong.get(operation.id());
        operation
            .etag()
            .is_some_and(|sent| wrong.is_some_and(|wrong| wrong.as_ref().is_none_or(|one| one == sent)))
    }
}

impl Session for EtagFaultSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        if let [operation] = request.operations()
            && self.is_wrong(operation)
            && self.right.send(&Request::Item(Operation::Read(operation.id().into())))?.status
                == Status::Found
        {
            let body = match request {
                Request::Batch(_) => Body::Aborted { at: 0 },
                _ => Body::Nothing,
            };
            return Ok(Response { body, ..Response::new(Status::PreconditionFailed) });
        }
        let response = self.right.send(request)?;
        match (self.fault, request, &response.body) {
            (EtagFault::FirstCreation, Request::Item(Operation::Create(document)), Body::Item(item))
                if !self.used.contains(&document.id) =>
            {
                self.wrong.insert(document.id.clone(), item.etag.clone());
            }
            (EtagFault::CommittedBatch, Request::Batch(operations), Body::Committed(_)) => {
                self.wrong.extend(
                    operations.iter().filter(|one| one.is_write()).map(|one| (one.id().into(), None)),
                );
            }
            (_, Request::Item(operation), _) if operation.is_write() && response.status.is_success() => {
                self.wrong.remove(operation.id());
            }
            (_, Request::ReplaceContainer(_), _) => self.wrong.clear(),
            _ => {}
        }
        self.used.extend(request.operations().iter().map(|one| one.id().into()));
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.wrong.clear();
        self.right.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.right.purge()
    }
}

fn played(target: &dyn Target, depth: u8) -> Completion {
    complete(target, &SUITE, &CompleteOptions::new(Depth(depth))).unwrap()
}

#[test]
fn a_condition_on_the_first_write_of_an_id_is_sent_as_its_test_says() {
    assert!(played(&EtagFault::FirstCreation, 0).found.is_some_and(|found| found.written.is_ok()));
}

#[test]
fn a_condition_follows_a_batch_once_a_read_has_shown_the_etag() {
    assert!(played(&EtagFault::CommittedBatch, 1).found.is_some_and(|found| found.written.is_ok()));
}
