//! The life of every item of a vector by the rules, moment by moment: when it is written and read, and how long it
//! lives.
//!
//! It follows from what the vector expects, not from what a target answered, so that a drawing of it is next to the
//! answers and shows where they part. Where a clause is open, the target's choice decides if it was seen; else nothing is
//! said but that it is open.

use cosmos_ttl_explore::reference::translate::{self, ttl_change};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::target::{Container, Indexing, Operation, Patch, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, ItemName, Step, Vector};
use cosmos_ttl_harness::verdict::Choice;
use cosmos_ttl_model::container::TtlChange;
use cosmos_ttl_model::rule::{self, BadRequest, Sent, Ttl};
use serde::{Deserialize, Serialize};

/// A vector, as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// The settings of the container, request by request.
    pub settings: Vec<Setting>,
    /// Every item, in the order in which they are first named.
    pub lives: Vec<Life>,
}

/// A request that sets the container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Setting {
    /// Which of the vector's requests, counted from 0.
    pub step: usize,
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// The settings, in words.
    pub says: String,
    /// Whether they must be taken; not there where that is open and the choice was not seen.
    pub takes: Option<bool>,
}

/// The events of one item, and their effect by the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Its id.
    pub item: String,
    /// The requests that are about it, in order.
    pub touches: Vec<Touch>,
    /// When it is there, in order; at any other moment it is not.
    pub spans: Vec<Span>,
}

/// A request about an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Touch {
    /// Which of the vector's requests, counted from 0.
    pub step: usize,
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// The effect on the item, by the expectation of the vector.
    pub does: Does,
}

/// The effect of a request on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// It was written again.
    Writes,
    /// It is deleted.
    Deletes,
    /// Nothing, but the answer shows whether it is there.
    Looks,
    /// Nothing, as the request must be refused.
    Nothing,
    /// It is written or deleted, or is not: that is open.
    Open,
}

/// A time in which an item is there, or may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Span {
    /// The request with which it begins.
    pub from_step: usize,
    /// When that is, in seconds from the start of the vector.
    pub from_s: u64,
    /// The request with which something else begins, if it lives so long: a write, a delete, other settings.
    pub until_step: Option<usize>,
    /// When that is.
    pub until_s: Option<u64>,
    /// Which setting decides how long it lives, in words: `ttl 10 s`, `default 2 s`.
    pub lifetime: String,
    /// From which second on it is expired, by the settings of this time; not there where it never is.
    pub deadline_s: Option<u64>,
    /// Whether it is only possible that it is there.
    pub open: bool,
}

/// Returns what the rules say of a vector, given what the target was seen to choose in it.
pub fn timeline(vector: &Vector, choices: &[Choice]) -> Timeline {
    let steps = vector.steps.iter().enumerate().map(|(number, step)| {
        let answer = expected_answer(number, step, choices);
        let mut all = step.expect.outcomes().map(is_success);
        let all_alike = all.next().filter(|first| all.all(|other| other == *first));
        TimedStep { number, step, answer, takes: answer.map(is_success).or(all_alike) }
    });
    let steps: Vec<_> = steps.collect();
    let settings = steps.iter().filter_map(|TimedStep { number, step, takes, .. }| {
        let says = describe::settings(step.request.container()?);
        Some(Setting { step: *number, at_s: step.at_s, says, takes: *takes })
    });
    let mut items: Vec<ItemName<'_>> = Vec::new();
    for step in &vector.steps {
        for operation in step.request.operations() {
            let item = step.item(operation.id());
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    let lives = items.into_iter().map(|item| life(&steps, item));
    Timeline { settings: settings.collect(), lives: lives.collect() }
}

/// A step, and what the vector expects of it where the target chose so.
struct TimedStep<'a> {
    number: usize,
    step: &'a Step,
    /// `None` where that is open and no choice, or more than one, was seen.
    answer: Option<&'a ExpectedResponse>,
    /// Whether the request must take effect; `None` where that is open.
    takes: Option<bool>,
}

fn expected_answer<'a>(number: usize, step: &'a Step, choices: &[Choice]) -> Option<&'a ExpectedResponse> {
    match &step.expect {
        Expect::One(answer) => Some(answer),
        Expect::Open { clause, outcomes, .. } => {
            let own = choices.iter().filter(|choice| choice.step == number && choice.clause == *clause);
            let mut seen = own.map(|choice| &choice.value);
            let value = seen.next()?;
            let alone = seen.all(|other| other == value);
            outcomes.iter().find(|(name, _)| alone && name == value).map(|(_, answer)| answer)
        }
    }
}

fn life(steps: &[TimedStep<'_>], item: ItemName<'_>) -> Life {
    let mut lane = Lane::new();
    let mut touches = Vec::new();
    for TimedStep { number, step, takes, .. } in steps {
        let (number, at_s) = (*number, step.at_s);
        (lane.step, lane.now_s) = (number, at_s);
        let is_here = step.container.as_deref() == item.container;
        if let Some(container) = step.request.container().filter(|_| is_here && *takes != Some(false)) {
            let later = steps.get(number.saturating_add(1)..).unwrap_or_default();
            lane.set(container, takes.is_some(), |deadline_s| shown(later, item, deadline_s));
        }
        if is_here && step.request == Request::DeleteContainer && *takes != Some(false) {
            lane.delete();
        }
        let is_about_all =
            matches!(step.request, Request::Query | Request::List | Request::Count | Request::Select(_));
        if is_about_all && step.place() == (item.container, item.partition) {
            touches.push(Touch { step: number, at_s, does: Does::Looks });
        }
        for operation in step.request.operations().iter().filter(|one| step.item(one.id()) == item) {
            let does = match (operation, takes) {
                (Operation::Read(_), _) => Does::Looks,
                (_, None) => Does::Open,
                (_, Some(false)) => Does::Nothing,
                (Operation::Delete(..), Some(true)) => Does::Deletes,
                (_, Some(true)) => Does::Writes,
            };
            touches.push(Touch { step: number, at_s, does });
            lane.apply(operation, does);
        }
    }
    Life { item: item.to_string(), touches, spans: lane.spans }
}

/// Whether the item is there, by the first of these answers that shows it before its deadline or its next write.
fn shown(steps: &[TimedStep<'_>], item: ItemName<'_>, deadline_s: Option<u64>) -> Option<bool> {
    for TimedStep { step, answer, takes, .. } in steps {
        if deadline_s.is_some_and(|deadline_s| deadline_s <= step.at_s) || step.request.container().is_some()
        {
            return None;
        }
        let shows = answer.and_then(|answer| shows(step, answer, item));
        let mut own = step.request.operations().iter().filter(|one| step.item(one.id()) == item);
        let changes = *takes != Some(false) && own.any(|one| !matches!(one, Operation::Read(_)));
        if shows.is_some() || changes {
            return shows;
        }
    }
    None
}

/// One item while the steps go by. Everything takes effect that the vector expects to.
struct Lane {
    step: usize,
    now_s: u64,
    default_ttl: Option<Ttl>,
    /// Whether the container's settings are known.
    known: bool,
    /// The item's setting, and the second in which it was written.
    item: Option<(Option<Ttl>, u64)>,
    /// Whether the item has been expired, so that it may be removed by now.
    faded: bool,
    spans: Vec<Span>,
}

impl Lane {
    fn new() -> Self {
        let (default_ttl, spans) = (None, Vec::new());
        Self { step: 0, now_s: 0, default_ttl, known: true, item: None, faded: false, spans }
    }

    fn deadline_s(&self) -> Option<u64> {
        let (ttl, written_s) = self.item.filter(|_| self.known)?;
        match rule::lifetime(self.default_ttl, ttl) {
            Ttl::Forever => None,
            Ttl::Seconds(seconds) => written_s.checked_add_signed(seconds),
        }
    }

    fn lifetime(&self) -> String {
        match (self.default_ttl, self.item.and_then(|(ttl, _)| ttl)) {
            (None, _) => "time to live is off".into(),
            (Some(_), Some(Ttl::Forever)) => "ttl -1".into(),
            (Some(_), Some(Ttl::Seconds(ttl_s))) => format!("ttl {ttl_s} s"),
            (Some(Ttl::Forever), None) => "no ttl and no default".into(),
            (Some(Ttl::Seconds(default_s)), None) => format!("default {default_s} s"),
        }
    }

    fn is_expired(&self) -> bool {
        self.deadline_s().is_some_and(|deadline_s| deadline_s <= self.now_s)
    }

    fn apply(&mut self, operation: &Operation, does: Does) {
        if matches!(does, Does::Looks | Does::Nothing) {
            return;
        }
        self.close();
        let writes = does == Does::Writes;
        let written = self.written_ttl(operation).ok().filter(|_| writes);
        self.item = written.map(|ttl| (ttl, self.now_s));
        self.faded &= !writes;
        if does != Does::Deletes {
            self.open(!self.known || self.item.is_none());
        }
    }

    /// The setting of the item after it was written; `None` where the rules know no such item.
    fn written_ttl(&self, operation: &Operation) -> Result<Option<Ttl>, BadRequest> {
        let sent = match operation {
            Operation::Patch(patch, _) if !patch.operations.is_empty() => self.operated_ttl(patch)?,
            Operation::Patch(patch, _) => match ttl_change(patch) {
                TtlChange::Keep => return self.item.map(|(ttl, _)| ttl).ok_or(BadRequest),
                TtlChange::Set(ttl) => ttl,
                TtlChange::Remove => Sent::Absent,
            },
            operation => translate::sent(operation.ttl()),
        };
        // What must be written counts, so each choice is that which takes it.
        let sent = if let Sent::WholeAsFraction(number) = sent { Sent::Whole(number) } else { sent };
        match rule::read(sent) {
            Err(BadRequest) if self.default_ttl.is_none() => Ok(None),
            read => read,
        }
    }

    /// What the operations of a patch make of the item's `ttl`, unless that comes from another property.
    fn operated_ttl(&self, patch: &Patch) -> Result<Sent, BadRequest> {
        let (ttl, _) = self.item.ok_or(BadRequest)?;
        let sent = translate::setting(ttl);
        let old = translate::literal(sent).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
        // An operation on another property, which is not known here, leaves `ttl` alone.
        match patch.operate(old) {
            Ok(new) => Ok(translate::sent(new.get("ttl"))),
            Err(_) if patch.changes("ttl") => Err(BadRequest),
            Err(_) => Ok(sent),
        }
    }

    /// Applies other settings to the item; `shown` returns whether it is there after them, by its deadline.
    fn set(&mut self, container: &Container, known: bool, shown: impl FnOnce(Option<u64>) -> Option<bool>) {
        let was_expired = self.is_expired();
        let default_ttl = match translate::sent(container.default_ttl.as_ref()) {
            Sent::Null => Some(None),
            sent => rule::read(sent).ok(),
        };
        let default_ttl = default_ttl.filter(|ttl| ttl.is_none() || container.indexing != Indexing::None);
        self.known = known && default_ttl.is_some();
        self.default_ttl = default_ttl.unwrap_or(self.default_ttl);
        if self.item.is_none() {
            return;
        }
        self.close();
        self.faded |= was_expired;
        if self.is_expired() {
            return;
        }
        let there = if self.faded { shown(self.deadline_s()) } else { Some(true) };
        self.faded &= there.is_none();
        if there == Some(false) {
            self.item = None;
        } else {
            self.open(there.is_none() || !self.known);
        }
    }

    /// Deletes the container with the item.
    fn delete(&mut self) {
        self.close();
        (self.item, self.default_ttl, self.known, self.faded) = (None, None, true, false);
    }

    /// Ends what has begun and is not over.
    fn close(&mut self) {
        if let Some(span) = self.spans.last_mut().filter(|span| span.until_step.is_none()) {
            (span.until_step, span.until_s) = (Some(self.step), Some(self.now_s));
        }
    }

    fn open(&mut self, open: bool) {
        let (from_step, from_s, deadline_s) = (self.step, self.now_s, self.deadline_s());
        let lifetime = self.lifetime();
        self.spans.push(Span {
            from_step,
            from_s,
            until_step: None,
            until_s: None,
            lifetime,
            deadline_s,
            open,
        });
    }
}

fn is_success(outcome: &ExpectedResponse) -> bool {
    match outcome {
        ExpectedResponse::Status(status, _) => status.is_success(),
        ExpectedResponse::Aborted(..) => false,
        ExpectedResponse::Ids(_)
        | ExpectedResponse::Count(_)
        | ExpectedResponse::CountWithin(..)
        | ExpectedResponse::Values(_)
        | ExpectedResponse::Committed(_) => true,
    }
}

/// Whether an answer shows that the item was there when it was asked for; `None` where it shows neither.
fn shows(step: &Step, outcome: &ExpectedResponse, item: ItemName<'_>) -> Option<bool> {
    if step.place() != (item.container, item.partition) || step.pages.is_some() {
        return None;
    }
    match (&step.request, outcome) {
        (Request::Query | Request::List, ExpectedResponse::Ids(ids)) => Some(ids.contains(item.id)),
        (Request::Item(operation), ExpectedResponse::Status(status, _)) if operation.id() == item.id => {
            match (operation, status) {
                (Operation::Create(_) | Operation::Upsert(_), Status::Created) | (_, Status::NotFound) => {
                    Some(false)
                }
                (_, Status::BadRequest) => None,
                _ => Some(true),
            }
        }
        _ => None,
    }
}
