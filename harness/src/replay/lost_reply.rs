//! After a lost reply to a write, a look at the item tells whether the write took effect, where that is certain.
//!
//! A read changes nothing about time to live. It decides between the two worlds only for the first step of a vector that
//! names the item: then nothing but this write can have stored it.

use super::{Replay, StepAnswer, TimedAnswer, of_fault};
use crate::observation_window::ClockInterval;
use crate::target::{Body, Document, Fault, Operation, Request, Response, Status};
use crate::vector::{Expect, ExpectedResponse, Step};
use crate::verdict::{Answered, Verdict};

impl<'a> Replay<'a> {
    /// Goes on after a lost reply where a look tells what the write did: the step stays without an answer, or the write is
    /// sent again. Where that is not certain, the vector is inconclusive.
    pub(super) fn look_up(
        &mut self,
        step: &'a Step,
        why: String,
        from: Option<ClockInterval>,
        mut send: impl FnMut(&Request) -> TimedAnswer,
    ) -> Result<Option<Verdict>, Fault> {
        let lost = of_fault(step, Fault::Unknown(why))?;
        let number = self.answers.len();
        let Some(document) = decidable(&self.vector.steps, number) else { return Ok(Some(lost)) };
        let (look, looked) = send(&Request::Item(Operation::Read(document.id.clone())));
        let Ok(look) = look else { return Ok(Some(lost)) };
        match world(&step.request, document, &look) {
            Some(PossibleWorld::Written) => {
                // It was written at some moment between its sending and the answer to the look.
                let window = from.zip(looked).map(|(from, looked)| *from.start()..=*looked.end());
                let answer = StepAnswer { number, step, response: &look, window: window.as_ref() };
                let verdict = self.time(&answer);
                self.note(&answer);
                let response = look.with_detail("the reply was lost; a read of the item answered this");
                self.answers.push(Answered { response, window, as_expected: None });
                Ok(verdict)
            }
            Some(PossibleWorld::Untouched) => match send(&step.request) {
                (Ok(response), window) if response.status == Status::Created => {
                    Ok(self.hear(step, response, window))
                }
                _ => Ok(Some(lost)),
            },
            None => Ok(Some(lost)),
        }
    }
}

/// The world that a read of the item shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PossibleWorld {
    /// The write took effect.
    Written,
    /// It did not, and may be sent again.
    Untouched,
}

/// Returns the document of a step whose effect a look can tell. Only its plain success is expected, so that no clause is
/// judged by its answer alone.
fn decidable(steps: &[Step], number: usize) -> Option<&Document> {
    let (earlier, step) = (steps.get(..number)?, steps.get(number)?);
    let (document, success) = match &step.request {
        Request::Item(Operation::Create(document)) => (document, [Status::Created, Status::Created]),
        Request::Item(Operation::Upsert(document)) => (document, [Status::Created, Status::Ok]),
        _ => return None,
    };
    let names_it = |step: &Step| step.request.operations().iter().any(|other| other.id() == document.id);
    let expects_success = match &step.expect {
        Expect::One(ExpectedResponse::Status(status, details)) => {
            success.contains(status) && details.is_empty()
        }
        _ => false,
    };
    (expects_success && !earlier.iter().any(names_it)).then_some(document)
}

/// Returns in which world the answer to a look leaves the vector; `None` where it may be either.
fn world(request: &Request, document: &Document, look: &Response) -> Option<PossibleWorld> {
    match (&look.body, look.status) {
        (Body::Item(item), Status::Found) if is_same(&item.document, document) => {
            Some(PossibleWorld::Written)
        }
        // A write that is late does nothing after a create that succeeded, but another upsert would restart the count.
        (_, Status::NotFound) if matches!(request, Request::Item(Operation::Create(_))) => {
            Some(PossibleWorld::Untouched)
        }
        _ => None,
    }
}

fn is_same(one: &Document, other: &Document) -> bool {
    let has = |(name, value)| one.properties.get(name).is_some_and(|known| known.same_value(value));
    one.id == other.id && one.properties.len() == other.properties.len() && other.properties.iter().all(has)
}
