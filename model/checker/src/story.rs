//! A trace as a storyboard: a line for each event, who does what, and what comes of it.

use std::slice;

use cosmos_ttl_model::container::{
    Draft, Etag, Indexing, ItemId, Operation, Refusal, Request, Response, SettingsDraft, TtlChange,
};
use cosmos_ttl_model::rule::Sent;

use crate::report::{Trace, TraceEvent};
use crate::system::ModelAction;
use crate::world::{STALE, name};

impl Trace {
    /// Returns the story, line by line.
    pub fn lines(&self) -> Vec<String> {
        [container(self.opening)].into_iter().chain(self.events.iter().map(TraceEvent::line)).collect()
    }

    /// Returns what a query lists in the end, as another line.
    pub fn list(&self) -> String {
        format!("query: {}", answered(&Response::Ids(self.look.clone())))
    }
}

impl ModelAction {
    /// Returns the action as a line of a story.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Ask(request) => asked(request),
            other => other.events().iter().map(TraceEvent::line).collect::<Vec<_>>().join(", "),
        }
    }
}

impl TraceEvent {
    /// Returns the event as a line of a story.
    pub fn line(&self) -> String {
        match self {
            Self::Asked { request: Request::Configure(draft), response: Response::Configured } => {
                container(*draft)
            }
            Self::Asked { request, response } => format!("{}: {}", asked(request), answered(response)),
            Self::RemovedAtDeadline(response) => {
                format!("had the item been removed at its deadline: {}", answered(response))
            }
            Self::Passed => "1 s passes".into(),
            Self::Removed(id) => format!("{} is removed", name(*id)),
            Self::CaughtUp => "the index catches up".into(),
            Self::Picked(id) => format!("the sweeper picks {}", name(*id)),
            Self::Spared(id) => format!("the sweeper spares {}", name(*id)),
        }
    }
}

pub(crate) fn container(draft: SettingsDraft) -> String {
    let indexing = match draft.indexing {
        Indexing::Consistent => "",
        Indexing::Lazy => ", indexing lazy",
        Indexing::None => ", indexing none",
    };
    match draft.default_ttl {
        Sent::Absent => format!("container without defaultTtl{indexing}"),
        default => format!("container defaultTtl: {}{indexing}", value(default)),
    }
}

pub(crate) fn value(sent: Sent) -> String {
    match sent {
        Sent::Absent => "absent".into(),
        Sent::Null => "null".into(),
        Sent::Whole(number) => number.to_string(),
        Sent::WholeAsFraction(number) => format!("{number}.0"),
        Sent::Other => "text".into(),
    }
}

/// Returns a request as a client says it.
pub(crate) fn asked(request: &Request) -> String {
    match request {
        Request::Item(one) => operation(one),
        Request::Batch(all) => {
            format!("batch [{}]", all.iter().map(operation).collect::<Vec<_>>().join(", "))
        }
        Request::Query => "query".into(),
        Request::Count => "count".into(),
        Request::Configure(draft) => container(*draft),
    }
}

fn operation(operation: &Operation) -> String {
    let written = |verb: &str, draft: &Draft| {
        let ttl =
            if draft.ttl == Sent::Absent { String::new() } else { format!(" ttl: {}", value(draft.ttl)) };
        format!("{verb} {}{ttl}", name(draft.id))
    };
    let condition = |if_match: &Option<Etag>| match *if_match {
        None => "",
        Some(STALE) => " if it is a write before",
        Some(_) => " if it is this write",
    };
    match operation {
        Operation::Create(draft) => written("create", draft),
        Operation::Upsert(draft) => written("upsert", draft),
        Operation::Replace { draft, if_match } => written("replace", draft) + condition(if_match),
        Operation::Patch { id, ttl, content, if_match } => {
            let ttl = match ttl {
                TtlChange::Keep => String::new(),
                TtlChange::Set(sent) => format!(" ttl: {}", value(*sent)),
                TtlChange::Remove => " without ttl".into(),
            };
            let content = if content.is_some() { " content" } else { "" };
            format!("patch {}{ttl}{content}{}", name(*id), condition(if_match))
        }
        Operation::Read(id) => format!("read {}", name(*id)),
        Operation::Delete { id, if_match } => format!("delete {}{}", name(*id), condition(if_match)),
    }
}

/// Returns an answer in a few words.
pub(crate) fn answered(response: &Response) -> String {
    let ids = |ids: &[ItemId]| match ids {
        [] => "nothing".to_owned(),
        ids => ids.iter().map(|id| name(*id).to_string()).collect::<Vec<_>>().join(", "),
    };
    match response {
        Response::Created(_) => "created".into(),
        Response::Ok(_) => "ok".into(),
        Response::Found(_) => "found".into(),
        Response::NoContent => "deleted".into(),
        Response::Ids(all) => ids(all),
        Response::AnyIds => "any items".into(),
        Response::Count { least, most: None } => format!("{least} or more"),
        Response::Count { least, most: Some(most) } if least == most => least.to_string(),
        Response::Count { least, most: Some(most) } => format!("{least} to {most}"),
        Response::Committed(all) => all.iter().map(answered).collect::<Vec<_>>().join(", "),
        Response::Aborted { at, refusal } => {
            format!("{} for operation {}", refused(*refusal), at.saturating_add(1))
        }
        Response::Configured => "done".into(),
        Response::Refused(refusal) => refused(*refusal).into(),
    }
}

fn refused(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::BadRequest => "bad request",
        Refusal::NotFound => "not found",
        Refusal::Conflict => "conflict",
        Refusal::PreconditionFailed => "precondition failed",
        Refusal::TooManyRequests => "too many requests",
    }
}

/// The operations of a request.
pub(crate) fn operations(request: &Request) -> &[Operation] {
    match request {
        Request::Item(operation) => slice::from_ref(operation),
        Request::Batch(all) => all,
        Request::Query | Request::Count | Request::Configure(_) => &[],
    }
}
