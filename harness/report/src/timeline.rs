//! What the rules say of every item of a vector, moment by moment: when it is written and looked at, and how long it lives.
//!
//! It follows from what the vector expects, not from what a target answered, so that a drawing of it stands beside the
//! answers and shows where they part. Where a clause is open, the target's choice decides if it was seen; else nothing is
//! said but that it is open.

use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::target::{Container, Operation, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Vector};
use cosmos_ttl_harness::verdict::Choice;
use cosmos_ttl_model::container::{self as model, ItemId, Rules, TtlChange, World};
use cosmos_ttl_model::interpretation::{IntegralFraction, Interpretation, InvalidWhileOff};
use cosmos_ttl_model::rule;
use cosmos_ttl_reference::{Names, edition, settings};
use serde::{Deserialize, Serialize};

/// A vector, as the rules see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Timeline {
    /// What the container is set to, request by request.
    pub settings: Vec<Setting>,
    /// Every item, in the order in which they are first named.
    pub lives: Vec<Life>,
}

/// A request that sets the container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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

/// What happens to one item, and what the rules make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
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

/// Returns what the rules say of a vector, given what the target was seen to choose in it.
pub fn timeline(vector: &Vector, choices: &[Choice]) -> Timeline {
    let expected = ExpectedSteps { vector, choices };
    let mut items: Vec<&str> = Vec::new();
    for operation in vector.steps.iter().flat_map(|step| step.request.operations()) {
        if !items.contains(&operation.id()) {
            items.push(operation.id());
        }
    }
    let lives = items.into_iter().map(|item| expected.life(item)).collect();
    Timeline { settings: expected.settings(), lives }
}

/// What a vector expects where the target chose so.
struct ExpectedSteps<'a> {
    vector: &'a Vector,
    choices: &'a [Choice],
}

impl ExpectedSteps<'_> {
    fn steps(&self) -> impl Iterator<Item = (usize, &Step)> {
        self.vector.steps.iter().enumerate()
    }

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
        let setting = |(number, step): (usize, &Step)| {
            let says = describe::settings(container(step)?);
            Some(Setting { step: number, at_s: step.at_s, says, takes: self.takes(number) })
        };
        self.steps().filter_map(setting).collect()
    }

    fn life(&self, item: &str) -> Life {
        let mut lane = Lane::new(self.vector);
        let mut touches = Vec::new();
        for (number, step) in self.steps() {
            lane.advance(number, step.at_s);
            if let Some(container) = container(step)
                && self.takes(number) != Some(false)
            {
                let known = self.takes(number).is_some();
                lane.set(container, known, |deadline_s| self.shown(item, number, deadline_s));
            }
            if matches!(step.request, Request::Query | Request::List | Request::Count) {
                touches.push(Touch { step: number, at_s: step.at_s, does: Does::Looks });
            }
            for operation in step.request.operations().iter().filter(|one| one.id() == item) {
                let does = self.does(operation, number);
                touches.push(Touch { step: number, at_s: step.at_s, does });
                lane.apply(operation, does);
            }
        }
        Life { item: item.into(), touches, spans: lane.spans }
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

    /// Whether the item is there after this step, by the first answer that shows it before its deadline or its next write.
    fn shown(&self, item: &str, after: usize, deadline_s: Option<u64>) -> Option<bool> {
        for (number, step) in self.steps().skip(after.saturating_add(1)) {
            if deadline_s.is_some_and(|deadline_s| deadline_s <= step.at_s) || container(step).is_some() {
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
}

/// The item of a lane.
const ITEM: ItemId = ItemId(0);

/// One item while the steps go by.
struct Lane {
    /// The model's world with this item alone, in which everything takes effect that the vector expects to.
    world: World,
    rules: Rules,
    /// Whether the container's settings are known.
    known: bool,
    /// Whether the item has been expired, so that it may be removed by now.
    faded: bool,
    step: usize,
    spans: Vec<Span>,
}

impl Lane {
    fn new(vector: &Vector) -> Self {
        let interpretation = Interpretation {
            integral_fraction: IntegralFraction::Accepted,
            invalid_while_off: InvalidWhileOff::Stored,
            ..Interpretation::default()
        };
        let rules = Rules { edition: edition(vector.edition.unwrap_or_default()), interpretation };
        let world = World {
            now: 0,
            settings: model::Settings {
                default_ttl: rule::DefaultTtl::Off,
                indexing: model::Indexing::Consistent,
            },
            items: [].into(),
            next_etag: model::Etag(0),
            index: model::Index::Ready,
        };
        Self { world, rules, known: true, faded: false, step: 0, spans: Vec::new() }
    }

    fn now_s(&self) -> u64 {
        u64::try_from(self.world.now).unwrap_or(0)
    }

    fn advance(&mut self, step: usize, at_s: u64) {
        self.world = self.world.pass(at_s.saturating_sub(self.now_s()));
        self.step = step;
    }

    fn deadline_s(&self) -> Option<u64> {
        let item = self.world.items.get(&ITEM).filter(|_| self.known)?;
        u64::try_from(rule::deadline(self.world.lifetime(item), item.ts)?).ok()
    }

    /// What an operation does to the item.
    fn apply(&mut self, operation: &Operation, does: Does) {
        if matches!(does, Does::Looks | Does::Nothing) {
            return;
        }
        self.close();
        if does == Does::Writes {
            let written = self.write(operation);
            self.faded = false;
            self.open(self.deadline_s(), !(self.known && written));
            return;
        }
        self.world.items.remove(&ITEM);
        if does == Does::Open {
            self.open(None, true);
        }
    }

    /// Writes the item; returns `false` where the model knows no such item.
    fn write(&mut self, operation: &Operation) -> bool {
        let draft = match Names::default().operation(operation, |_| None) {
            model::Operation::Create(draft)
            | model::Operation::Upsert(draft)
            | model::Operation::Replace { draft, .. } => draft,
            model::Operation::Patch { ttl: TtlChange::Keep, .. } => {
                let item = self.world.items.get_mut(&ITEM);
                return item.map(|item| item.ts = self.world.now).is_some();
            }
            model::Operation::Patch { id, ttl, content, .. } => {
                let ttl = if let TtlChange::Set(ttl) = ttl { ttl } else { rule::Wire::Absent };
                model::Draft { id, ttl, content: content.unwrap_or_default() }
            }
            model::Operation::Read(_) | model::Operation::Delete { .. } => return false,
        };
        let upsert = model::Request::Item(model::Operation::Upsert(draft));
        let (world, response) = self.world.step(self.rules, &upsert);
        self.world = world;
        let written = !matches!(response, model::Response::Refused(_));
        if !written {
            self.world.items.remove(&ITEM);
        }
        written
    }

    /// What other settings do to the item; `shown` returns whether it is there after them, by its deadline.
    fn set(&mut self, container: &Container, known: bool, shown: impl FnOnce(Option<u64>) -> Option<bool>) {
        let expired = self.known && self.world.expired(ITEM).is_some();
        let (world, response) = self.world.step(self.rules, &model::Request::Configure(settings(container)));
        self.world = world;
        self.known = known && response == model::Response::Configured;
        if !self.world.items.contains_key(&ITEM) {
            return;
        }
        self.close();
        self.faded |= expired;
        let deadline_s = self.deadline_s();
        if deadline_s.is_some_and(|deadline_s| deadline_s <= self.now_s()) {
            return;
        }
        let there = if self.faded { shown(deadline_s) } else { Some(true) };
        if there == Some(false) {
            self.world.items.remove(&ITEM);
            return;
        }
        self.faded &= there.is_none();
        self.open(deadline_s, there.is_none() || !self.known);
    }

    /// Ends what has begun and is not over.
    fn close(&mut self) {
        let now_s = self.now_s();
        if let Some(span) = self.spans.last_mut().filter(|span| span.until_step.is_none()) {
            span.until_step = Some(self.step);
            span.until_s = Some(now_s);
        }
    }

    fn open(&mut self, deadline_s: Option<u64>, open: bool) {
        let (from_step, from_s) = (self.step, self.now_s());
        self.spans.push(Span { from_step, from_s, until_step: None, until_s: None, deadline_s, open });
    }
}

fn container(step: &Step) -> Option<&Container> {
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
