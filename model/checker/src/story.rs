//! A step as lines of a storyboard: who does what, and what comes of it.

use std::slice;

use cosmos_ttl_model::container::{
    Draft, Etag, Indexing, ItemId, Operation, Refusal, Request, Response, SettingsDraft, TtlChange,
};
use cosmos_ttl_model::rule::Sent;

use crate::system::{ModelAction, Step, System};
use crate::world::{STALE, name};

impl ModelAction {
    /// Returns the action as lines of a story, without what comes of it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let removed = |id: &ItemId| format!("{} is removed", name(*id));
        let passed = || "1 s passes".to_owned();
        match self {
            Self::Ask(request) => vec![asked(request)],
            Self::Pass => vec![passed()],
            Self::Remove(id) | Self::Sweep(id, _) => vec![removed(id)],
            Self::CatchUp => vec!["the index catches up".into()],
            Self::EndSecond(ids) => ids.iter().map(removed).chain([passed()]).collect(),
            Self::Pick(id) => vec![format!("the sweeper picks {}", name(*id))],
        }
    }
}

/// Returns a step as lines of a story.
pub(crate) fn told<S: System>(step: &Step<S>) -> Vec<String> {
    let lines = step.action.lines();
    match &step.answer {
        None | Some(Response::Configured) => lines,
        Some(answer) => vec![format!("{}: {}", lines.concat(), answered(answer))],
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

fn asked(request: &Request) -> String {
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
        Operation::Patch { id, ttl, content, is_forbidden, if_match } => {
            let ttl = match ttl {
                TtlChange::Keep => String::new(),
                TtlChange::Set(sent) => format!(" ttl: {}", value(*sent)),
                TtlChange::Remove => " without ttl".into(),
            };
            let content = match (content, is_forbidden) {
                (_, true) => " what no patch can",
                (Some(_), false) => " content",
                (None, false) => "",
            };
            format!("patch {}{ttl}{content}{}", name(*id), condition(if_match))
        }
        Operation::Read(id) => format!("read {}", name(*id)),
        Operation::ReadUnless { id, etag } => format!("read {} unless its etag is {}", name(*id), etag.0),
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
        Response::NotModified => "not modified".into(),
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
