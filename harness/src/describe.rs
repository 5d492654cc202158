//! The steps of a vector in words: what is asked, what is wanted, what was answered.

use crate::judge;
use crate::plain::plain;
use crate::target::{Container, Indexing, Operation, Properties, Request, Response};
use crate::vector::{Condition, Details, EtagIs, Expect, ExpectedResponse, Step};

/// A request in words: `create a {ttl: 10}`.
pub fn asked(step: &Step) -> String {
    request(&step.request, &step.conditions)
}

/// The same of a request that stands in no vector.
pub fn request(request: &Request, conditions: &[(usize, Condition)]) -> String {
    let condition = |number: usize| {
        conditions.iter().find(|(of, _)| *of == number).map_or("", |(_, condition)| match condition {
            Condition::Seen => " if its etag is the one seen last",
            Condition::Stale => " if its etag is one seen before the last",
        })
    };
    match request {
        Request::CreateContainer(container) => format!("create-container {}", settings(container)),
        Request::ReplaceContainer(container) => format!("replace-container {}", settings(container)),
        Request::Item(one) => format!("{}{}", operation(one), condition(0)),
        Request::Batch(operations) => {
            let each = operations.iter().enumerate().map(|(n, one)| operation(one) + condition(n));
            format!("batch: {}", each.collect::<Vec<_>>().join("; "))
        }
        Request::Query => "query".into(),
        Request::List => "list".into(),
        Request::Count => "count".into(),
    }
}

/// What a request must answer, in words: `found {ttl: 10}`.
pub fn wanted(step: &Step) -> String {
    match &step.expect {
        Expect::One(one) => outcome(one),
        Expect::Open { clause, outcomes, .. } => {
            let each = outcomes.iter().map(|(value, one)| format!("{} if {value}", outcome(one)));
            format!("{} ({clause} is open)", each.collect::<Vec<_>>().join(", "))
        }
    }
}

/// An answer in words, harmless whatever the target wrote.
pub fn answered(response: &Response) -> String {
    plain(&judge::got(response))
}

/// Lines of a storyboard: when, what was asked, and what followed, in columns.
pub fn lines<'a>(steps: impl IntoIterator<Item = (u64, &'a str, &'a str)>) -> Vec<String> {
    let steps: Vec<_> =
        steps.into_iter().map(|(at_s, asked, then)| (at_s.to_string(), asked, then)).collect();
    let width = steps.iter().map(|(at_s, ..)| at_s.len()).max().unwrap_or(0);
    steps.iter().map(|(at_s, asked, then)| format!("at {at_s:>width$} s  {asked} -> {then}")).collect()
}

fn operation(operation: &Operation) -> String {
    let braces = |properties: &Properties| {
        if properties.is_empty() { String::new() } else { format!(" {{{}}}", content(properties)) }
    };
    match operation {
        Operation::Create(document) => format!("create {}{}", document.id, braces(&document.properties)),
        Operation::Upsert(document) => format!("upsert {}{}", document.id, braces(&document.properties)),
        Operation::Replace(document, _) => format!("replace {}{}", document.id, braces(&document.properties)),
        Operation::Patch(patch, _) => {
            let without =
                if patch.remove.is_empty() { "" } else { &format!(" without {}", patch.remove.join(", ")) };
            format!("patch {}{}{without}", patch.id, braces(&patch.set))
        }
        Operation::Read(id) => format!("read {id}"),
        Operation::Delete(id, _) => format!("delete {id}"),
    }
}

/// A container's settings in words: `{defaultTtl: 10}`.
pub fn settings(container: &Container) -> String {
    let default_ttl = container.default_ttl.as_ref().map(|literal| format!("defaultTtl: {literal}"));
    let indexing = match container.indexing {
        Indexing::Consistent => None,
        Indexing::Lazy => Some("indexing: lazy".to_owned()),
        Indexing::None => Some("indexing: none".to_owned()),
    };
    let settings: Vec<_> = default_ttl.into_iter().chain(indexing).collect();
    format!("{{{}}}", settings.join(", "))
}

fn content(properties: &Properties) -> String {
    let each = properties.iter().map(|(name, value)| format!("{name}: {value}"));
    each.collect::<Vec<_>>().join(", ")
}

fn outcome(outcome: &ExpectedResponse) -> String {
    match outcome {
        ExpectedResponse::Status(status, details) if !details.is_empty() => {
            format!("{status} {}", asked_of(details))
        }
        outcome => judge::expected(outcome),
    }
}

fn asked_of(details: &Details) -> String {
    let mut each = Vec::new();
    if !details.has.is_empty() {
        each.push(content(&details.has));
    }
    each.extend(details.absent.iter().map(|name| format!("no {name}")));
    each.extend(details.written_at_s.map(|at_s| format!("_ts: that of second {at_s}")));
    each.extend(details.etag.map(|etag| match etag {
        EtagIs::Same => "_etag: the same".to_owned(),
        EtagIs::New => "_etag: a new one".to_owned(),
    }));
    format!("{{{}}}", each.join(", "))
}
