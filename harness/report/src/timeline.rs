//! What the rules say of every item of a vector, moment by moment: when it is written and looked at, and how long it lives.
//!
//! It follows from what the vector expects, not from what a target answered, so that a drawing of it stands beside the
//! answers and shows where they part. Where a clause is open, the target's choice decides if it was seen; else nothing is
//! said but that it is open.

use cosmos_ttl_model::rule::{self, DefaultTtl, Edition, ItemTtl, Lifetime, Wire};
use serde::{Deserialize, Serialize};

use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target::{self, Operation, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Vector};
use cosmos_ttl_harness::verdict::Choice;

/// A vector, as the rules see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Timeline {
    /// What the container is set to, request by request.
    pub settings: Vec<Setting>,
    /// Every item, in the order in which they are first named.
    pub lives: Vec<Life>,
}

/// A request that sets the container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
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

/// What happens to one item, and what the rules make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Life {
    /// Its id.
    pub item: String,
    /// The requests that are about it, in order.
    pub touches: Vec<Touch>,
    /// When it is there, in order; at any other moment it is not.
    pub spans: Vec<Span>,
}

/// A request about an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Touch {
    /// Which of the vector's requests, counted from 0.
    pub step: usize,
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// What it does to the item, by what the vector expects.
    pub does: Does,
}

/// What a request does to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// It stands written anew.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Span {
    /// The request with which it begins.
    pub from_step: usize,
    /// When that is, in seconds from the start of the vector.
    pub from_s: u64,
    /// The request with which something else begins, if it lives so long: a write, a delete, other settings.
    pub until_step: Option<usize>,
    /// When that is.
    pub until_s: Option<u64>,
    /// From which second on it is expired, by the settings of this time; not there where it never is.
    pub deadline_s: Option<u64>,
    /// Whether it is only possible that it is there.
    pub open: bool,
}

/// What the rules say of a vector, given what the target was seen to choose in it.
pub fn timeline(vector: &Vector, choices: &[Choice]) -> Timeline {
    let told = Told { vector, choices };
    let mut items: Vec<&str> = Vec::new();
    for operation in vector.steps.iter().flat_map(|step| step.request.operations()) {
        if !items.contains(&operation.id()) {
            items.push(operation.id());
        }
    }
    Timeline { settings: told.settings(), lives: items.into_iter().map(|item| told.life(item)).collect() }
}

/// What is known of a vector.
struct Told<'a> {
    vector: &'a Vector,
    choices: &'a [Choice],
}

/// An item that was written and not deleted since.
#[derive(Clone, Copy)]
struct Stored {
    written_s: u64,
    /// Its own `ttl`; `None` where it is no setting.
    ttl: Option<ItemTtl>,
    /// Whether it has been expired, so that it may be removed by now.
    faded: bool,
}

/// What is so while the steps go by.
struct Walk {
    /// `None` where nobody knows.
    default_ttl: Option<DefaultTtl>,
    stored: Option<Stored>,
    spans: Vec<Span>,
}

/// From which second on an item is expired.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deadline {
    Never,
    At(u64),
    Unknown,
}

impl Deadline {
    fn reached(self, now_s: u64) -> bool {
        matches!(self, Self::At(deadline_s) if deadline_s <= now_s)
    }
}

impl Told<'_> {
    /// What a step must answer; `None` where that is open and no choice, or more than one, was seen.
    fn outcome(&self, number: usize) -> Option<&ExpectedResponse> {
        match &self.vector.steps.get(number)?.expect {
            Expect::One(outcome) => Some(outcome),
            Expect::Open { clause, outcomes, .. } => {
                let mut seen =
                    self.choices.iter().filter(|choice| choice.step == number && choice.clause == *clause);
                let value = &seen.next()?.value;
                let alone = seen.all(|choice| choice.value == *value);
                outcomes.iter().find(|(name, _)| alone && name == value).map(|(_, outcome)| outcome)
            }
        }
    }

    /// Whether a request must take effect; `None` where that is open.
    fn takes(&self, number: usize) -> Option<bool> {
        if let Some(outcome) = self.outcome(number) {
            return Some(is_success(outcome));
        }
        let mut all = self.vector.steps.get(number)?.expect.outcomes().map(is_success);
        let first = all.next()?;
        all.all(|one| one == first).then_some(first)
    }

    fn settings(&self) -> Vec<Setting> {
        let steps = self.vector.steps.iter().enumerate();
        let setting = |(number, step): (usize, &Step)| {
            let container = container(step)?;
            let says = describe::settings(container);
            Some(Setting { step: number, at_s: step.at_s, says, takes: self.takes(number) })
        };
        steps.filter_map(setting).collect()
    }

    fn life(&self, item: &str) -> Life {
        let mut walk = Walk { default_ttl: Some(DefaultTtl::Off), stored: None, spans: Vec::new() };
        let mut touches = Vec::new();
        for (number, step) in self.vector.steps.iter().enumerate() {
            if let Some(container) = container(step) {
                self.set(&mut walk, item, number, container);
            }
            let own: Vec<_> = step.request.operations().iter().filter(|one| one.id() == item).collect();
            let looks = matches!(step.request, Request::Query | Request::List | Request::Count);
            let does = own.iter().map(|operation| self.does(operation, number));
            let does = does.chain(looks.then_some(Does::Looks));
            touches.extend(does.map(|does| Touch { step: number, at_s: step.at_s, does }));
            for operation in own {
                self.apply(&mut walk, operation, number);
            }
        }
        Life { item: item.into(), touches, spans: walk.spans }
    }

    fn does(&self, operation: &Operation, number: usize) -> Does {
        match (operation, self.takes(number)) {
            (Operation::Read(_), _) => Does::Looks,
            (_, None) => Does::Open,
            (_, Some(false)) => Does::Nothing,
            (Operation::Delete(..), Some(true)) => Does::Deletes,
            (_, Some(true)) => Does::Writes,
        }
    }

    /// What an operation does to its item.
    fn apply(&self, walk: &mut Walk, operation: &Operation, number: usize) {
        let Some(step) = self.vector.steps.get(number) else { return };
        let ttl = match operation {
            Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
                self.ttl(document.ttl())
            }
            Operation::Patch(patch, _) => match patch.set.get("ttl") {
                Some(literal) => self.ttl(Some(literal)),
                None if patch.remove.iter().any(|name| name == "ttl") => Some(ItemTtl::Inherit),
                None => walk.stored.and_then(|stored| stored.ttl),
            },
            Operation::Read(_) | Operation::Delete(..) => None,
        };
        match self.does(operation, number) {
            Does::Looks | Does::Nothing => {}
            Does::Deletes => {
                walk.close(number, step.at_s);
                walk.stored = None;
            }
            Does::Open => {
                walk.close(number, step.at_s);
                walk.stored = None;
                walk.open(number, step.at_s, Deadline::Unknown, true);
            }
            Does::Writes => {
                walk.close(number, step.at_s);
                let stored = Stored { written_s: step.at_s, ttl, faded: false };
                walk.stored = Some(stored);
                let deadline = walk.deadline(stored);
                walk.open(number, step.at_s, deadline, deadline == Deadline::Unknown);
            }
        }
    }

    /// What other settings do to an item.
    fn set(&self, walk: &mut Walk, item: &str, number: usize, container: &target::Container) {
        let takes = self.takes(number);
        let Some(step) = self.vector.steps.get(number).filter(|_| takes != Some(false)) else { return };
        let before = walk.stored.map(|stored| walk.deadline(stored));
        walk.default_ttl = takes.and_then(|_| default_ttl(container.default_ttl.as_ref()));
        let (Some(mut stored), Some(before)) = (walk.stored, before) else { return };
        walk.close(number, step.at_s);
        stored.faded |= before.reached(step.at_s);
        let after = walk.deadline(stored);
        if !after.reached(step.at_s) {
            let there = if stored.faded { self.shown(item, number, after) } else { Some(true) };
            if there == Some(false) {
                walk.stored = None;
                return;
            }
            stored.faded &= there.is_none();
            walk.open(number, step.at_s, after, there.is_none() || after == Deadline::Unknown);
        }
        walk.stored = Some(stored);
    }

    /// Whether the item is there after this step, by the first answer that shows it before its deadline or its next write.
    fn shown(&self, item: &str, after: usize, deadline: Deadline) -> Option<bool> {
        let later = self.vector.steps.iter().enumerate().skip(after.saturating_add(1));
        for (number, step) in later {
            if deadline.reached(step.at_s) || container(step).is_some() {
                return None;
            }
            let shows = self.outcome(number).and_then(|outcome| shows(&step.request, outcome, item));
            let changes = step.request.operations().iter().any(|one| {
                one.id() == item && !matches!(one, Operation::Read(_)) && self.takes(number) != Some(false)
            });
            if shows.is_some() || changes {
                return shows;
            }
        }
        None
    }

    /// What an item's `ttl` that was taken says; `None` where it is no setting.
    fn ttl(&self, literal: Option<&Literal>) -> Option<ItemTtl> {
        let edition = match self.vector.edition {
            Some(target::Edition::Y2020) => Edition::Y2020,
            Some(target::Edition::Y2024) | None => Edition::Y2024,
        };
        ItemTtl::from_wire(taken(literal), edition).ok()
    }
}

impl Walk {
    fn deadline(&self, stored: Stored) -> Deadline {
        let lifetime = match (self.default_ttl, stored.ttl) {
            // Where it is off, not even a `ttl` that is no setting matters.
            (Some(DefaultTtl::Off), _) => Lifetime::Forever,
            (Some(default_ttl), Some(ttl)) => rule::lifetime(default_ttl, ttl),
            _ => return Deadline::Unknown,
        };
        let written_s = i64::try_from(stored.written_s).unwrap_or(i64::MAX);
        match rule::deadline(lifetime, written_s) {
            None => Deadline::Never,
            Some(deadline_s) => u64::try_from(deadline_s).map_or(Deadline::Unknown, Deadline::At),
        }
    }

    /// Ends what has begun and is not over.
    fn close(&mut self, step: usize, at_s: u64) {
        if let Some(span) = self.spans.last_mut().filter(|span| span.until_step.is_none()) {
            span.until_step = Some(step);
            span.until_s = Some(at_s);
        }
    }

    fn open(&mut self, step: usize, at_s: u64, deadline: Deadline, open: bool) {
        let deadline_s = match deadline {
            Deadline::At(deadline_s) => Some(deadline_s),
            Deadline::Never | Deadline::Unknown => None,
        };
        let (until_step, until_s) = (None, None);
        self.spans.push(Span { from_step: step, from_s: at_s, until_step, until_s, deadline_s, open });
    }
}

fn container(step: &Step) -> Option<&target::Container> {
    match &step.request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => Some(container),
        _ => None,
    }
}

fn is_success(outcome: &ExpectedResponse) -> bool {
    match outcome {
        ExpectedResponse::Status(status, _) => status.is_success(),
        ExpectedResponse::Aborted(..) => false,
        ExpectedResponse::Ids(_) | ExpectedResponse::Count(_) | ExpectedResponse::Committed(_) => true,
    }
}

fn default_ttl(literal: Option<&Literal>) -> Option<DefaultTtl> {
    DefaultTtl::from_wire(taken(literal)).ok()
}

/// A value that was taken: a whole number is one, however it is written.
fn taken(literal: Option<&Literal>) -> Wire {
    match literal.map(Literal::kind) {
        None => Wire::Absent,
        Some(Kind::Null) => Wire::Null,
        Some(Kind::Whole(number) | Kind::WholeAsFraction(number)) => Wire::Whole(number),
        Some(Kind::Other) => Wire::NoNumber,
    }
}

/// Whether an answer shows that the item was there when it was asked for; `None` where it shows neither.
fn shows(request: &Request, outcome: &ExpectedResponse, item: &str) -> Option<bool> {
    match (request, outcome) {
        (Request::Query | Request::List, ExpectedResponse::Ids(ids)) => Some(ids.contains(item)),
        (Request::Item(operation), ExpectedResponse::Status(status, _)) if operation.id() == item => {
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
