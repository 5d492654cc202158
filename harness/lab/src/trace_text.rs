//! Writes traces of the checker as vectors, and labels its steps in the words of vectors.

use std::slice;

use cosmos_ttl_checker::{CheckedProperty, ExplorerLabels, ModelAction, STALE, Trace, TraceEvent};
use cosmos_ttl_model::container::{
    Content, Item, ItemId, Operation as ModelOperation, Request as ModelRequest, Response,
};

use crate::derive::wire;
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Operation, Request, Status};
use cosmos_ttl_harness::vector::render::{self, VectorText};
use cosmos_ttl_harness::vector::{Condition, Details, Expect, ExpectedResponse};
use cosmos_ttl_reference::translate::{self, Names};

/// Returns a trace as a file of one vector, with a comment for each event that the format cannot say.
pub fn vector(property: &CheckedProperty, trace: &Trace) -> String {
    let note = format!(
        "# A shortest path found by the checker, {} steps; the answers are the model's.\n",
        trace.steps
    );
    let mut clock = EventClock::default();
    let opening = Request::CreateContainer(translate::container(trace.opening));
    let created = ExpectedResponse::Status(Status::Created, Details::default());
    let mut steps = vec![step(&opening, &[], created)];
    steps.extend(trace.events.iter().flat_map(|event| clock.lines(event)));
    let lines = render::vector(&VectorText {
        id: &format!("found-{}", property.clauses.first().copied().unwrap_or("nothing")),
        title: property.sentence,
        clauses: property.clauses,
        edition: None,
        steps: &steps,
    });
    render::head("schema.json", &note, property.section) + &lines.join("\n") + "\n"
}

/// Returns labels for people who walk through the model by hand.
pub fn labels() -> ExplorerLabels {
    ExplorerLabels {
        action: |action| match action {
            ModelAction::Ask(asked) => {
                let (request, conditions) = request(asked);
                describe::request(&request, &conditions)
            }
            ModelAction::Pass => "a second passes".into(),
            ModelAction::Remove(id) => removal(*id),
            ModelAction::CatchUp => "the index catches up".into(),
            ModelAction::EndSecond(_) => "the second ends".into(),
            ModelAction::Pick(id) => format!("the sweeper picks {}", name(*id)),
            ModelAction::Sweep(id) => format!("the sweeper removes {}, if its guard allows", name(*id)),
        },
        events: |events| {
            let mut clock = EventClock::default();
            events.iter().flat_map(|event| clock.lines(event)).collect()
        },
    }
}

/// Which second it is, and which one the reader was told last.
#[derive(Default)]
struct EventClock {
    now: i64,
    told: i64,
}

impl EventClock {
    /// The lines of an event, and a step that moves the clock where one is due.
    fn lines(&mut self, event: &TraceEvent) -> Vec<String> {
        let here = |what: String| format!("# here {what}");
        let line = match event {
            TraceEvent::Passed => {
                self.now += 1;
                return Vec::new();
            }
            TraceEvent::Asked { request: asked, response, oldest } => {
                let (request, conditions) = request(asked);
                step(&request, &conditions, expected(response, self.now, *oldest))
            }
            TraceEvent::RemovedAtDeadline(response) => {
                // It is not known here which second the response speaks of.
                let expected = render::expected_response(&expected(response, i64::MAX, 0), &[]);
                let answered = expected.unwrap_or_else(|why| why.to_string());
                here(format!("a store that removes at the deadline answers {answered}"))
            }
            TraceEvent::Removed(id) => here(removal(*id)),
            TraceEvent::CaughtUp => here("the index has caught up".into()),
            TraceEvent::Picked(id) => here(format!("the sweeper picks {}", name(*id))),
            TraceEvent::Spared(id) => here(format!("the sweeper leaves {} alone", name(*id))),
        };
        let moved = (self.told != self.now).then(|| render::at(u64::try_from(self.now).unwrap_or(0)));
        self.told = self.now;
        moved.into_iter().chain([line]).collect()
    }
}

fn step(request: &Request, conditions: &[(usize, Condition)], expected: ExpectedResponse) -> String {
    let step = render::step(request, conditions, &Expect::One(expected), &[]);
    step.unwrap_or_else(|why| format!("# here {}: {why}", describe::request(request, conditions)))
}

/// Items are called a, b, c, d, e.
fn names() -> Names {
    Names::of(&["a", "b", "c", "d", "e"].map(str::to_owned))
}

fn name(id: ItemId) -> String {
    names().name(id).to_owned()
}

fn removal(id: ItemId) -> String {
    format!("the background removes {}", name(id))
}

/// A request as a client sends it, and what its writes are conditional on. A patch tells its content.
fn request(asked: &ModelRequest) -> (Request, Vec<(usize, Condition)>) {
    let mut request = names().client_request(asked);
    let (operations, sent) = match (asked, &mut request) {
        (ModelRequest::Item(operation), Request::Item(sent)) => {
            (slice::from_ref(operation), slice::from_mut(sent))
        }
        (ModelRequest::Batch(operations), Request::Batch(sent)) => (&operations[..], &mut sent[..]),
        _ => Default::default(),
    };
    let mut conditions = Vec::new();
    for (number, (operation, sent)) in operations.iter().zip(sent).enumerate() {
        let if_match = match (operation, sent) {
            (ModelOperation::Patch { content, if_match, .. }, Operation::Patch(patch, _)) => {
                let value = content.map(|Content(value)| Literal::from(i64::from(value)));
                patch.set.extend(value.map(|value| ("value".into(), value)));
                *if_match
            }
            (ModelOperation::Replace { if_match, .. } | ModelOperation::Delete { if_match, .. }, _) => {
                *if_match
            }
            _ => None,
        };
        let condition = |etag| if etag == STALE { Condition::Stale } else { Condition::Seen };
        conditions.extend(if_match.map(|etag| (number, condition(etag))));
    }
    (request, conditions)
}

/// What the model answered, as an expectation.
fn expected(response: &Response, now: i64, oldest: i64) -> ExpectedResponse {
    match response {
        Response::Ids(ids) => ExpectedResponse::Ids(ids.iter().map(|id| name(*id)).collect()),
        Response::Count(count) => ExpectedResponse::Count(u64::try_from(*count).unwrap_or(u64::MAX)),
        Response::Committed(all) => ExpectedResponse::Committed(all.iter().map(translate::status).collect()),
        Response::Aborted { at, refusal } => ExpectedResponse::Aborted(*at, translate::refused(*refusal)),
        Response::Created(item) | Response::Ok(item) | Response::Found(item) => {
            ExpectedResponse::Status(translate::status(response), details(item, now, oldest))
        }
        _ => ExpectedResponse::Status(translate::status(response), Details::default()),
    }
}

/// The `ttl`, and the second of the last write where it is not too long ago to tell.
fn details(item: &Item, now: i64, oldest: i64) -> Details {
    let mut details = Details::default();
    match translate::literal(wire(item.ttl)) {
        Some(ttl) => drop(details.has.insert("ttl".into(), ttl)),
        None => details.absent.push("ttl".into()),
    }
    if item.ts > -oldest || now <= oldest {
        details.written_at_s = u64::try_from(now.saturating_add(item.ts)).ok();
    }
    details
}
