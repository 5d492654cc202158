//! Describes requests, expectations and responses in words.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

use crate::literal::Literal;
use crate::plain::{plain, shortened};
use crate::target::{
    Body, Container, Id, Indexing, Item, Operation, PatchOperation, Properties, Request, Response, Select,
    Status,
};
use crate::vector::{Condition, Details, EtagIs, Expect, ExpectedResponse, Pages, Precondition, Step};

/// Describes the request of a step: `create a {ttl: 10}`, `read a in partition q`, `query, the first page of 2`.
pub fn asked(step: &Step) -> String {
    let partition =
        step.partition.as_ref().map_or_else(String::new, |partition| format!(" in partition {partition}"));
    let container =
        step.container.as_ref().map_or_else(String::new, |container| format!(" in container {container}"));
    let condition = match step.precondition {
        None => "",
        Some(Precondition::IfMatch(condition)) => if_etag(condition),
        Some(Precondition::IfNoneMatch(None)) => " if there is none",
        Some(Precondition::IfNoneMatch(Some(Condition::Seen))) => " unless its etag is the one seen last",
        Some(Precondition::IfNoneMatch(Some(Condition::Stale))) => {
            " unless its etag is one seen before the last"
        }
    };
    let pages = match step.pages {
        None => String::new(),
        Some(Pages::First(size)) => format!(", the first page of {size}"),
        Some(Pages::Rest) => ", the pages that follow".into(),
    };
    format!("{}{condition}{partition}{container}{pages}", request(&step.request, &step.conditions))
}

fn if_etag(condition: Condition) -> &'static str {
    match condition {
        Condition::Seen => " if its etag is the one seen last",
        Condition::Stale => " if its etag is one seen before the last",
    }
}

/// Describes a request that belongs to no vector: `create a {ttl: 10}`.
pub fn request(request: &Request, conditions: &[(usize, Condition)]) -> String {
    let condition = |number: usize| {
        conditions.iter().find(|(of, _)| *of == number).map_or("", |(_, condition)| if_etag(*condition))
    };
    let each = request.operations().iter().enumerate().map(|(n, one)| operation(one) + condition(n));
    let each = each.collect::<Vec<_>>().join("; ");
    match request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
            format!("{} {}", request.word(), settings(container))
        }
        Request::Item(_) => each,
        Request::Batch(_) => format!("batch: {each}"),
        Request::Select(select) => format!("select {}", shape(select)),
        Request::ReadMany(ids) => format!("read-many {}", list(ids.iter().map(String::as_str))),
        _ => request.word().into(),
    }
}

/// Describes a request as a part of a sentence, without contents other than lifetimes: `create a with ttl 10`.
pub fn phrase(request: &Request, conditions: &[(usize, Condition)]) -> String {
    let operation = |operation: &Operation| {
        let ttl = operation.ttl().map_or_else(String::new, |ttl| format!(" with ttl {}", short(ttl)));
        format!("{} {}{ttl}", operation.word(), operation.id())
    };
    let each = request.operations().iter().map(operation).collect::<Vec<_>>().join(" and ");
    let text = match request {
        Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
            format!("{} with {}", request.word(), settings_phrase(container))
        }
        Request::Item(_) => each,
        Request::Batch(_) => format!("batch of {each}"),
        _ => request.word().into(),
    };
    conditions.first().map_or(text.clone(), |(_, condition)| format!("{text} if {condition}"))
}

/// Describes the shape of a query: `where value is 1, in the order of value`.
fn shape(select: &Select) -> String {
    let filter = select.filter.iter().map(|(name, value)| format!("where {name} is {}", short(value)));
    let order = select.order_by.iter().map(|name| format!("in the order of {name}"));
    let offset = select.offset.iter().map(|number| format!("without the first {number}"));
    let limit = select.limit.iter().map(|number| format!("at most {number}"));
    let values = select.values.iter().map(|name| format!("the values of {name}"));
    let flags = [
        (select.distinct, "each once"),
        (select.count, "their number"),
        (select.across, "of all partitions"),
    ];
    let flags = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, words)| (*words).to_owned());
    filter.chain(order).chain(offset).chain(limit).chain(values).chain(flags).collect::<Vec<_>>().join(", ")
}

/// Describes a container's settings: `{defaultTtl: 10}`.
pub fn settings(container: &Container) -> String {
    let default_ttl = container.default_ttl.as_ref().map(|literal| format!("defaultTtl: {literal}"));
    let indexing =
        (container.indexing != Indexing::Consistent).then(|| format!("indexing: {}", container.indexing));
    let settings: Vec<_> = default_ttl.into_iter().chain(indexing).collect();
    format!("{{{}}}", settings.join(", "))
}

/// Describes a container's settings as a part of a sentence: `default 10 and no index`.
pub fn settings_phrase(container: &Container) -> String {
    let default = container.default_ttl.as_ref();
    let default = default.map_or_else(|| "no default".into(), |value| format!("default {}", short(value)));
    match container.indexing {
        Indexing::Consistent => default,
        Indexing::Lazy => format!("{default} and a lazy index"),
        Indexing::None => format!("{default} and no index"),
    }
}

/// Describes what a step expects: `found {ttl: 10}`.
pub fn wanted(step: &Step) -> String {
    match &step.expect {
        Expect::One(one) => expected_in_full(one),
        Expect::Open { clause, outcomes, .. } => {
            let each = outcomes.iter().map(|(value, one)| format!("{} if {value}", expected_in_full(one)));
            format!("{} ({clause} is open)", each.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Describes an expected response without the details of its item: `found`.
pub fn expected(response: &ExpectedResponse) -> String {
    match response {
        ExpectedResponse::Status(status, _) => status.to_string(),
        ExpectedResponse::Ids(ids) => list(ids.iter().map(String::as_str)),
        ExpectedResponse::Count(count) => format!("count {count}"),
        ExpectedResponse::CountWithin(least, most) => format!("count {least} to {most}"),
        ExpectedResponse::Values(values) => self::values(values),
        ExpectedResponse::Committed(statuses) => committed(statuses),
        ExpectedResponse::Aborted(at, status) => format!("aborted at operation {at} with {status}"),
    }
}

fn expected_in_full(response: &ExpectedResponse) -> String {
    match response {
        ExpectedResponse::Status(status, details) if !details.is_empty() => {
            format!("{status} {}", expected_details(details))
        }
        response => expected(response),
    }
}

fn expected_details(details: &Details) -> String {
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
    each.extend(details.default_ttl.iter().map(|value| match value {
        Some(value) => format!("defaultTtl: {value}"),
        None => "no defaultTtl".to_owned(),
    }));
    format!("{{{}}}", each.join(", "))
}

/// Describes a response, harmless whatever the target wrote.
pub fn answered(response: &Response) -> String {
    plain(&response_with_detail(response))
}

/// Describes a response without its item and the target's own words. Text from the target is bounded, not escaped.
pub fn response(response: &Response) -> String {
    match &response.body {
        Body::Ids(ids) if response.status == Status::Ok => list(bounded_ids(ids)),
        Body::Count(count) if response.status == Status::Ok => format!("count {count}"),
        Body::Values(values) if response.status == Status::Ok => self::values(values),
        Body::Committed(statuses) if response.status == Status::Ok => committed(statuses),
        Body::Aborted { at } => format!("aborted at operation {at} with {}", response.status),
        _ => response.status.to_string(),
    }
}

fn values(values: &[Literal]) -> String {
    let shown = values.iter().take(MOST_VALUES).map(short);
    let more = if values.len() > MOST_VALUES { ", ..." } else { "" };
    format!("values [{}{more}]", shown.collect::<Vec<_>>().join(", "))
}

/// How many values of an answer are shown.
const MOST_VALUES: usize = 20;

/// Describes a response; a status without a name comes with the target's own words. Text from the target is bounded,
/// not escaped.
pub fn response_with_detail(response: &Response) -> String {
    let mut text = self::response(response);
    if let (Status::Other(_), Some(detail)) = (response.status, &response.detail) {
        // Writing to a string cannot fail.
        let _ = write!(text, " ({})", excerpt(detail));
    }
    text
}

/// Describes an item: `a {ttl: 10, _ts: 1000}`.
pub fn item(item: &Item) -> String {
    let mut each: Vec<String> =
        item.document.properties.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    each.extend(item.ts.map(|ts| format!("_ts: {ts}")));
    each.extend(item.etag.iter().map(|etag| format!("_etag: {etag}")));
    format!("{} {{{}}}", item.document.id, each.join(", "))
}

/// Returns what was asked, expected and answered, without the names of items, which differ from vector to vector.
pub fn cause(operation: &str, expected: &str, got: &str) -> String {
    let (Some(wanted), Some(found)) = (listed(expected), listed(got)) else {
        return format!("{operation}: expected {expected}, got {got}");
    };
    match (wanted.is_subset(&found), found.is_subset(&wanted)) {
        (true, true) => format!("{operation}: an item more than once"),
        (true, false) => format!("{operation}: an item too many"),
        (false, true) => format!("{operation}: an item is missing"),
        (false, false) => format!("{operation}: other items"),
    }
}

/// Returns the items of a list, `[a, b]` and whatever follows; `None` of anything else.
pub fn listed(text: &str) -> Option<BTreeSet<&str>> {
    let (list, _) = text.strip_prefix('[')?.split_once(']')?;
    Some(list.split(", ").filter(|id| !id.is_empty()).collect())
}

/// Returns text from a target, cut after 60 characters.
pub fn excerpt(text: &str) -> String {
    shortened(text, 60)
}

/// Returns a line for each step, in columns: when, what was asked, and what followed.
pub fn lines<T: Display>(steps: impl IntoIterator<Item = (u64, T, T)>) -> Vec<String> {
    let steps: Vec<_> =
        steps.into_iter().map(|(at_s, asked, then)| (at_s.to_string(), asked, then)).collect();
    let width = steps.iter().map(|(at_s, ..)| at_s.len()).max().unwrap_or(0);
    steps.iter().map(|(at_s, asked, then)| format!("at {at_s:>width$} s  {asked} -> {then}")).collect()
}

fn operation(operation: &Operation) -> String {
    let sent = operation.properties().filter(|properties| !properties.is_empty());
    let with = sent.map(|properties| format!(" {{{}}}", content(properties))).unwrap_or_default();
    let without = match operation {
        Operation::Patch(patch, _) if !patch.remove.is_empty() => {
            format!(" without {}", patch.remove.join(", "))
        }
        _ => String::new(),
    };
    let changes = match operation {
        Operation::Patch(patch, _) => patch.operations.as_slice(),
        _ => &[],
    };
    let all = [format!("{} {}{with}{without}", operation.word(), operation.id())];
    all.into_iter().chain(changes.iter().map(change)).collect::<Vec<_>>().join(" ")
}

fn change(operation: &PatchOperation) -> String {
    use PatchOperation as P;
    match operation {
        P::Add { path, value } => format!("add {path} {}", short(value)),
        P::Replace { path, value } => format!("replace {path} {}", short(value)),
        P::Set { path, value } => format!("set {path} {}", short(value)),
        P::Remove { path } => format!("remove {path}"),
        P::Incr { path, value } => format!("incr {path} {value}"),
        P::Move { from, path } => format!("move {from} to {path}"),
    }
}

fn content(properties: &Properties) -> String {
    let each = properties.iter().map(|(name, value)| format!("{name}: {value}"));
    each.collect::<Vec<_>>().join(", ")
}

fn short(value: &Literal) -> String {
    value.as_str().chars().take(24).collect()
}

fn committed(statuses: &[Status]) -> String {
    format!("committed {}", list(statuses.iter().map(|status| status.word())))
}

/// Returns the first ids in their own order: the order of an answer means nothing.
pub(crate) fn bounded_ids(ids: &[Id]) -> Vec<String> {
    let mut ids: Vec<_> = ids.iter().collect();
    ids.sort_unstable();
    ids.into_iter().take(20).map(|id| excerpt(id)).collect()
}

pub(crate) fn list<S: Borrow<str>>(items: impl IntoIterator<Item = S>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}
