//! A trace as a vector: YAML in the format of `vectors/README.md`.
//!
//! Each request stands with the answer that the model gave. What the background does, no vector can say; it becomes a
//! comment.

use super::report::{Scene, Trace};
use super::timeless::STALE;
use cosmos_ttl_model::container::{
    Draft, Etag, Indexing, Item, ItemId, Operation, Refusal, Request, Response, SettingsDraft, TtlChange,
};
use cosmos_ttl_model::rule::{ItemTtl, Wire};

/// The trace as a file of one vector, with a comment for what the format cannot say.
pub fn storyboard(trace: &Trace) -> String {
    let mut clock = Clock::default();
    let mut lines = Vec::from([
        format!(
            "# A shortest path found by the checker, {} steps; the answers are the model's.",
            trace.steps
        ),
        "# yaml-language-server: $schema=schema.json".to_string(),
        "format: 1".to_string(),
        format!("section: {}", trace.section),
        "vectors:".to_string(),
        format!("- id: found-{}", trace.clauses.first().copied().unwrap_or("nothing")),
        format!("  title: {}", quoted(trace.sentence)),
        format!("  clauses: [{}]", trace.clauses.join(", ")),
        "  steps:".to_string(),
        format!("  - create-container: {{{}}}", expecting(&trace.opening, "created")),
    ]);
    for scene in &trace.scenes {
        lines.extend(clock.told(scene));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Quotes a sentence, which may hold colons and backquotes.
fn quoted(sentence: &str) -> String {
    format!("\"{}\"", sentence.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Which second it is, and which one the reader was told last.
#[derive(Default)]
struct Clock {
    now: i64,
    told: i64,
}

impl Clock {
    fn told(&mut self, scene: &Scene) -> Vec<String> {
        if *scene == Scene::Passed {
            self.now = self.now.saturating_add(1);
            return Vec::new();
        }
        let mut lines = Vec::new();
        if self.told != self.now {
            self.told = self.now;
            lines.push(format!("  - at: {}", self.now));
        }
        match scene {
            Scene::Passed => {}
            Scene::Removed(id) => lines.push(format!("  # here {}", removal(*id))),
            Scene::Noted(note) => lines.push(format!("  # here {note}")),
            Scene::Asked { request, response, oldest } => {
                let expected = Expected { now: self.now, oldest: *oldest };
                lines.push(format!("  - {}", asked(request, &expected.of(response))));
            }
        }
        lines
    }
}

fn asked(request: &Request, expected: &str) -> String {
    match request {
        Request::Item(operation) => {
            let (verb, fields) = parts(operation);
            format!("{verb}: {{{}, expect: {expected}}}", fields.join(", "))
        }
        Request::Batch(operations) => {
            let operations: Vec<_> = operations
                .iter()
                .map(|operation| {
                    let (verb, fields) = parts(operation);
                    format!("{{{verb}: {{{}}}}}", fields.join(", "))
                })
                .collect();
            format!("batch: {{operations: [{}], expect: {expected}}}", operations.join(", "))
        }
        Request::Query => format!("query: {{expect: {expected}}}"),
        Request::Count => format!("count: {{expect: {expected}}}"),
        Request::Configure(draft) => format!("replace-container: {{{}}}", expecting(draft, expected)),
    }
}

/// The verb of an operation, and its fields beside `expect`.
fn parts(operation: &Operation) -> (&'static str, Vec<String>) {
    match operation {
        Operation::Create(draft) => ("create", drafted(draft, None)),
        Operation::Upsert(draft) => ("upsert", drafted(draft, None)),
        Operation::Replace { draft, if_match } => ("replace", drafted(draft, *if_match)),
        Operation::Read(id) => ("read", identified(*id)),
        Operation::Delete { id, if_match } => {
            let mut fields = identified(*id);
            fields.extend(condition(*if_match));
            ("delete", fields)
        }
        Operation::Patch { id, ttl, content, if_match } => {
            let mut fields = identified(*id);
            match ttl {
                TtlChange::Keep => {}
                TtlChange::Set(wire) => fields.extend(setting("ttl", *wire)),
                TtlChange::Remove => fields.push("remove: [ttl]".to_string()),
            }
            fields.extend(content.map(|content| format!("value: {}", content.0)));
            fields.extend(condition(*if_match));
            ("patch", fields)
        }
    }
}

/// A request in one line without an answer: what somebody asks, of which item, and with which fields.
pub(super) fn words(request: &Request) -> String {
    let with = |what: String, fields: &[String]| match fields {
        [] => what,
        fields => format!("{what} {{{}}}", fields.join(", ")),
    };
    let one = |operation: &Operation| {
        let (verb, fields) = parts(operation);
        with(format!("{verb} {}", name(operation.id())), fields.get(1..).unwrap_or_default())
    };
    match request {
        Request::Item(operation) => one(operation),
        Request::Batch(operations) => {
            format!("batch [{}]", operations.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Request::Query => "query".to_string(),
        Request::Count => "count".to_string(),
        Request::Configure(draft) => with("replace-container".to_string(), &settings(draft)),
    }
}

/// A removal in one line, as a comment of a vector says it.
pub(super) fn removal(id: ItemId) -> String {
    format!("the background removes {}", name(id))
}

fn drafted(draft: &Draft, if_match: Option<Etag>) -> Vec<String> {
    let mut fields = identified(draft.id);
    fields.extend(setting("ttl", draft.ttl));
    fields.extend(condition(if_match));
    fields
}

fn identified(id: ItemId) -> Vec<String> {
    Vec::from([format!("id: {}", name(id))])
}

/// Items are called a, b, c, d.
fn name(id: ItemId) -> char {
    ('a'..='z').zip(0u32..).find(|(_, number)| *number == id.0).map_or('z', |(name, _)| name)
}

fn condition(if_match: Option<Etag>) -> Option<String> {
    let which = if if_match? == STALE { "stale" } else { "seen" };
    Some(format!("if-match: {which}"))
}

fn settings(draft: &SettingsDraft) -> Vec<String> {
    let indexing = match draft.indexing {
        Indexing::Consistent => None,
        Indexing::Lazy => Some("indexing: lazy".to_string()),
        Indexing::None => Some("indexing: none".to_string()),
    };
    setting("defaultTtl", draft.default_ttl).into_iter().chain(indexing).collect()
}

/// These settings, and what is expected of whoever sends them.
fn expecting(draft: &SettingsDraft, expected: &str) -> String {
    let mut fields = settings(draft);
    fields.push(format!("expect: {expected}"));
    fields.join(", ")
}

fn setting(property: &str, wire: Wire) -> Option<String> {
    match wire {
        Wire::Absent => None,
        Wire::Null => Some(format!("{property}: null")),
        Wire::Whole(number) => Some(format!("{property}: {number}")),
        Wire::WholeAsFraction(number) => Some(format!("{property}: {number}.0")),
        Wire::NoNumber => Some(format!("{property}: text")),
    }
}

/// What happens in these scenes, a line each, as it would stand in a vector.
pub(super) fn lines(scenes: &[Scene]) -> Vec<String> {
    let mut clock = Clock::default();
    scenes.iter().flat_map(|scene| clock.told(scene)).map(|line| line.trim().to_string()).collect()
}

/// An answer in the words of an expectation, where it is not known which second it is.
pub(super) fn answered(response: &Response) -> String {
    Expected { now: i64::MAX, oldest: 0 }.of(response)
}

/// What the model answered, as an expectation.
struct Expected {
    now: i64,
    oldest: i64,
}

impl Expected {
    fn of(&self, response: &Response) -> String {
        match response {
            Response::Created(item) => format!("{{created: {{{}}}}}", self.details(item)),
            Response::Ok(item) => format!("{{ok: {{{}}}}}", self.details(item)),
            Response::Found(item) => format!("{{found: {{{}}}}}", self.details(item)),
            Response::NoContent => "no-content".to_string(),
            Response::Configured => "ok".to_string(),
            Response::Count(count) => count.to_string(),
            Response::Refused(refusal) => status(*refusal).to_string(),
            Response::Aborted { at, refusal } => {
                format!("{{aborted: {{at: {at}, with: {}}}}}", status(*refusal))
            }
            Response::Ids(ids) => {
                let names: Vec<_> = ids.iter().map(|id| name(*id).to_string()).collect();
                format!("[{}]", names.join(", "))
            }
            Response::Committed(responses) => {
                let statuses: Vec<_> = responses.iter().map(committed).collect();
                format!("{{committed: [{}]}}", statuses.join(", "))
            }
        }
    }

    /// The `ttl`, and the second of the last write where it is not too long ago to tell.
    fn details(&self, item: &Item) -> String {
        let ttl = match item.ttl {
            ItemTtl::Inherit => "absent: [ttl]".to_string(),
            ItemTtl::Never => "ttl: -1".to_string(),
            ItemTtl::Seconds(seconds) => format!("ttl: {}", seconds.get()),
        };
        let told = self.oldest.saturating_neg() < item.ts || self.now <= self.oldest;
        let written_at = self.now.saturating_add(item.ts);
        if told { format!("{ttl}, written-at: {written_at}") } else { ttl }
    }
}

fn committed(response: &Response) -> &'static str {
    match response {
        Response::Created(_) => "created",
        Response::Found(_) => "found",
        Response::NoContent => "no-content",
        Response::Refused(refusal) | Response::Aborted { refusal, .. } => status(*refusal),
        Response::Ok(_)
        | Response::Configured
        | Response::Ids(_)
        | Response::Count(_)
        | Response::Committed(_) => "ok",
    }
}

fn status(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::BadRequest => "bad-request",
        Refusal::NotFound => "not-found",
        Refusal::Conflict => "conflict",
        Refusal::PreconditionFailed => "precondition-failed",
        Refusal::TooManyRequests => "too-many-requests",
    }
}
