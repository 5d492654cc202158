//! Compares the answers to one test with what the machine expects, and the details of its item with what was written.
//!
//! Details are compared as the belief state compares them: what was written is there, `ttl` and `value` are there only
//! if they were written, `_ts` is the second of the last write, and the etag stays as long as nothing writes the item.

use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::etags::EtagLog;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::replay::is_alike;
use cosmos_ttl_harness::target::{Body, Etag, Item, Operation, Request, Response, Status};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::container::TtlChange;
use cosmos_ttl_reference::translate::ttl_change;

use crate::input::{CONTENT, InputNumber};
use crate::machine::{AllowedOutcome, Machine, MachineAnswer, NextState};
use crate::transitions::StateNumber;

/// The expected response and the actual one, in words; text from the target in it is bounded, but not yet escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl Mismatch {
    fn of(outcomes: &[AllowedOutcome], response: &Response) -> Self {
        let allowed: Vec<String> = outcomes.iter().flat_map(|one| &one.answers).map(words).collect();
        Self { expected: allowed.join(" or "), got: describe::response(response) }
    }
}

/// The part of an item that a client can see.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct WrittenContent<'m> {
    ttl: Option<&'m Literal>,
    value: Option<&'m Literal>,
    at_s: u64,
}

/// One item of a place, judged by the machine.
#[derive(Debug)]
pub(crate) struct JudgedItem<'m> {
    machine: &'m Machine,
    /// `None` as soon as nothing more can be said of the item.
    pub(crate) state: Option<StateNumber>,
    written: WrittenContent<'m>,
    etags: EtagLog<(), Etag>,
    /// The last etag is that of the last write.
    is_current: bool,
}

/// The seconds of a place: of its own clock, and of the target's where that began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceClock {
    pub(crate) now_s: u64,
    origin: Option<i64>,
}

impl<'m> JudgedItem<'m> {
    pub(crate) fn new(machine: &'m Machine, state: StateNumber) -> Self {
        let (written, etags) = (WrittenContent::default(), EtagLog::default());
        Self { machine, state: Some(state), written, etags, is_current: false }
    }

    /// Returns what is allowed; `None` where nothing can be said.
    pub(crate) fn outcomes(&self, input: InputNumber) -> Option<&'m [AllowedOutcome]> {
        self.machine.outcomes(self.state?, input)
    }

    /// Returns whether a client sees the item, and no answer has shown its etag since it was written.
    pub(crate) fn hides_its_etag(&self) -> bool {
        self.is_visible() && !self.is_current
    }

    /// Returns the etag that a condition means, if it is known: a stale one is one that the item had before, or else one of
    /// these, which another item had.
    pub(crate) fn meant<'e>(&'e self, condition: Condition, others: &'e [Etag]) -> Option<&'e Etag> {
        if self.hides_its_etag() {
            return None;
        }
        let (last, earlier) = match self.etags.seen(&()) {
            [earlier @ .., last] => (Some(last), earlier),
            [] => (None, &[][..]),
        };
        match condition {
            Condition::Seen if last.is_some() => last,
            // No item with an etag is there, so none is the right one.
            Condition::Seen | Condition::Stale => {
                earlier.iter().rev().chain(others).find(|etag| Some(*etag) != last)
            }
        }
    }

    /// Judges the answer to a request about this item alone. Returns the fates that are still to be seen.
    pub(crate) fn answered(
        &mut self,
        id: &str,
        input: InputNumber,
        sent: &'m Request,
        response: Response,
        clock: &mut PlaceClock,
    ) -> Result<(), Mismatch> {
        let Some(outcomes) = self.outcomes(input) else {
            self.state = None;
            return Ok(());
        };
        let operations = sent.operations();
        let gives = |outcome: &&AllowedOutcome| {
            outcome.answers.iter().any(|answer| is_given(answer, operations, &response))
        };
        let Some(outcome) = outcomes.iter().find(gives) else {
            return Err(Mismatch::of(outcomes, &response));
        };
        match (&response.body, sent) {
            (Body::Committed(_), _) => operations.iter().for_each(|one| self.take(one, clock.now_s)),
            (_, Request::Item(operation)) if response.status.is_success() => {
                // Nothing says that the etag of an item is new that is written after a delete.
                let is_new =
                    operation.is_write() && self.state.is_some_and(|state| self.machine.is_expired(state));
                let read = matches!(operation, Operation::Read(_));
                self.take(operation, clock.now_s);
                match response.body {
                    Body::Item(item) => self.shown(id, &item, clock, read, is_new)?,
                    _ if read => {
                        let (expected, got) = ("found with the item".into(), "found without an item".into());
                        return Err(Mismatch { expected, got });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.follow(outcome.next);
        Ok(())
    }

    /// Goes to the state after an outcome; of two fates to none.
    pub(crate) fn follow(&mut self, next: NextState) {
        self.state = match next {
            NextState::State(next) => Some(next),
            NextState::Fate { .. } | NextState::Outside => None,
        };
    }

    /// Judges a read that decides between two fates.
    pub(crate) fn looked(
        &mut self,
        id: &str,
        [back, gone]: [StateNumber; 2],
        response: Response,
        clock: &mut PlaceClock,
    ) -> Result<(), Mismatch> {
        match (response.status, response.body) {
            (Status::NotFound, _) => self.state = Some(gone),
            (Status::Found, Body::Item(item)) => {
                self.state = Some(back);
                self.shown(id, &item, clock, true, false)?;
            }
            (status, body) => {
                let response = Response { body, ..Response::new(status) };
                let expected = "found with the item or not-found".into();
                return Err(Mismatch { expected, got: describe::response(&response) });
            }
        }
        Ok(())
    }

    fn is_visible(&self) -> bool {
        self.state.is_some_and(|state| self.machine.is_visible(state))
    }

    /// Notes what a successful operation writes.
    fn take(&mut self, operation: &'m Operation, now_s: u64) {
        match operation {
            Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
                let value = document.properties.get(CONTENT);
                self.written = WrittenContent { ttl: document.ttl(), value, at_s: now_s };
            }
            Operation::Patch(patch, _) => {
                let ttl = match ttl_change(patch) {
                    TtlChange::Keep => self.written.ttl,
                    TtlChange::Set(_) | TtlChange::Remove => patch.set.get("ttl"),
                };
                let value = patch.set.get(CONTENT).or(self.written.value);
                self.written = WrittenContent { ttl, value, at_s: now_s };
            }
            Operation::Read(_) | Operation::Delete(..) => return,
        }
        self.is_current = false;
    }

    /// Compares the item that an answer shows.
    fn shown(
        &mut self,
        id: &str,
        item: &Item,
        clock: &mut PlaceClock,
        is_kept: bool,
        is_new: bool,
    ) -> Result<(), Mismatch> {
        let wrong = |expected: String, got: String| Err(Mismatch { expected, got });
        if item.document.id != id {
            return wrong(
                format!("the item `{id}`"),
                format!("the item `{}`", describe::excerpt(&item.document.id)),
            );
        }
        for (name, written) in [("ttl", self.written.ttl), (CONTENT, self.written.value)] {
            let shown = item.document.properties.get(name);
            let same = match (written, shown) {
                (Some(written), Some(shown)) => shown.same_value(written),
                (written, shown) => written.is_none() && shown.is_none(),
            };
            if !same {
                let with = |value: Option<&Literal>| match value {
                    Some(value) => format!("{name}: {}", describe::excerpt(value.as_str())),
                    None => format!("no {name}"),
                };
                return wrong(with(written), with(shown));
            }
        }
        if let Some(ts) = item.ts {
            let origin = *clock.origin.get_or_insert(ts.saturating_sub_unsigned(self.written.at_s));
            let should = origin.saturating_add_unsigned(self.written.at_s);
            if ts != should {
                return wrong(
                    "the `_ts` of its last write".into(),
                    format!("{:+} s from that", ts.saturating_sub(should)),
                );
            }
        }
        let Some(etag) = &item.etag else { return Ok(()) };
        let last = self.etags.seen(&()).last();
        if is_kept && self.is_current && last.is_some_and(|last| last != etag) {
            return wrong("the etag seen last".into(), "another etag".into());
        }
        if is_new && last == Some(etag) {
            return wrong("a new etag".into(), "the etag of the expired item".into());
        }
        self.etags.record((), etag.clone());
        self.is_current = true;
        Ok(())
    }
}

/// Whether a response is this answer.
fn is_given(answer: &MachineAnswer, operations: &[Operation], response: &Response) -> bool {
    match (answer, &response.body) {
        (MachineAnswer::Status(status), Body::Nothing | Body::Item(_)) => {
            is_alike(operations.first(), *status, response.status)
        }
        (MachineAnswer::Committed(statuses), Body::Committed(came)) => {
            let mut pairs = operations.iter().zip(statuses.iter().zip(came));
            response.status == Status::Ok
                && statuses.len() == came.len()
                && pairs.all(|(operation, (status, came))| is_alike(Some(operation), *status, *came))
        }
        (MachineAnswer::Aborted(at, status), Body::Aborted { at: came }) => {
            at == came && *status == response.status
        }
        _ => false,
    }
}

fn words(answer: &MachineAnswer) -> String {
    match answer {
        MachineAnswer::Status(status) => status.to_string(),
        MachineAnswer::Listed(true) => "with the item".into(),
        MachineAnswer::Listed(false) => "without the item".into(),
        MachineAnswer::Counted(count) => format!("count {count}"),
        MachineAnswer::Committed(all) => {
            let all: Vec<&str> = all.iter().map(|status| status.word()).collect();
            format!("committed [{}]", all.join(", "))
        }
        MachineAnswer::Aborted(at, status) => format!("aborted at operation {at} with {status}"),
    }
}

pub(crate) fn mismatch(outcomes: &[AllowedOutcome], response: &Response) -> Mismatch {
    Mismatch::of(outcomes, response)
}
