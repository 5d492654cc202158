//! Between the model's words and those of a vector: requests and answers.

use cosmos_ttl_model::container::{self as model, ItemId, Operation, Refusal, Request, Response, TtlChange};
use cosmos_ttl_model::rule::Wire;

use super::track::Answer;
use cosmos_ttl_explore::draft::{Line, listed};
use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target;
use cosmos_ttl_harness::vector::ExpectedResponse;

/// The item of the scope.
pub(super) const ITEM: ItemId = ItemId(0);

/// A request of the model as a line; its items have these names.
pub(super) fn line(request: &Request, names: &[String], answer: &Answer) -> Line {
    let (name, fields) = match request {
        Request::Item(operation) => operation_fields(operation, name_of(operation.id(), names)),
        Request::Configure(draft) => ("replace-container", field("defaultTtl", draft.default_ttl)),
        _ => ("query", Vec::new()),
    };
    Line::ask(name, fields, expected(request, names, answer))
}

fn name_of(id: ItemId, names: &[String]) -> &str {
    usize::try_from(id.0).ok().and_then(|number| names.get(number)).map_or("", String::as_str)
}

/// `defaultTtl: 1` or `ttl: 1`; nothing where it is absent.
pub(super) fn field(name: &str, wire: Wire) -> Vec<String> {
    match wire {
        Wire::Whole(number) => vec![format!("{name}: {number}")],
        _ => Vec::new(),
    }
}

fn operation_fields(operation: &Operation, id: &str) -> (&'static str, Vec<String>) {
    let mut fields = vec![format!("id: {id}")];
    let name = match operation {
        Operation::Create(draft) => {
            fields.extend(field("ttl", draft.ttl));
            "create"
        }
        Operation::Upsert(draft) => {
            fields.extend(field("ttl", draft.ttl));
            "upsert"
        }
        Operation::Replace { draft, .. } => {
            fields.extend(field("ttl", draft.ttl));
            "replace"
        }
        Operation::Patch { ttl, .. } => {
            match ttl {
                TtlChange::Set(wire) => fields.extend(field("ttl", *wire)),
                TtlChange::Remove => fields.push("remove: [ttl]".into()),
                TtlChange::Keep => fields.push("value: 1".into()),
            }
            "patch"
        }
        Operation::Read(_) => "read",
        Operation::Delete { .. } => "delete",
    };
    (name, fields)
}

fn expected(request: &Request, names: &[String], answer: &Answer) -> String {
    let first = names.first().map_or("", String::as_str);
    let of = if *request == Request::Query { format!("of: {first}, ") } else { String::new() };
    match answer {
        Answer::One(response) => word(response, names),
        Answer::Fate { back, gone } => {
            format!("{{open: reappearance, {of}back: {}, gone: {}}}", word(back, names), word(gone, names))
        }
        Answer::Upsert { created, replaced } => format!(
            "{{open: expired-upsert-status, created: {}, replaced: {}}}",
            word(created, names),
            word(replaced, names)
        ),
    }
}

fn word(response: &Response, names: &[String]) -> String {
    match response {
        Response::Created(_) => "created",
        Response::Ok(_) | Response::Configured => "ok",
        Response::Found(_) => "found",
        Response::NoContent => "no-content",
        Response::Ids(ids) => {
            let there: Vec<String> = ids.iter().map(|id| name_of(*id, names).to_owned()).collect();
            return listed(&there);
        }
        Response::Refused(Refusal::NotFound) => "not-found",
        Response::Refused(Refusal::Conflict) => "conflict",
        // Nothing else comes of the requests of the scope; a vector with this does not load.
        _ => "unspeakable",
    }
    .into()
}

/// What a request of a vector is to somebody who only looks at these items: a request of the scope, if it is one.
pub(super) fn asked(request: &target::Request, names: &[String]) -> Asked {
    match request {
        target::Request::Item(operation) => {
            match (0..).zip(names).find(|(_, name)| *name == operation.id()) {
                Some((number, _)) => operation_of(operation, ItemId(number)),
                None => Asked::Other,
            }
        }
        target::Request::Query => Asked::This(Request::Query),
        target::Request::CreateContainer(container) | target::Request::ReplaceContainer(container) => {
            settings(container)
        }
        target::Request::Batch(_) | target::Request::List | target::Request::Count => Asked::Beyond,
    }
}

/// A request as far as it is about one item.
pub(super) enum Asked {
    /// It is this.
    This(Request),
    /// It is about another item.
    Other,
    /// It lies outside the scope.
    Beyond,
}

fn settings(container: &target::Container) -> Asked {
    match (container.indexing, wire(container.default_ttl.as_ref())) {
        (target::Indexing::Consistent, Some(default_ttl)) => {
            Asked::This(Request::Configure(model::SettingsDraft {
                default_ttl,
                indexing: model::Indexing::Consistent,
            }))
        }
        _ => Asked::Beyond,
    }
}

/// What a property says, if the scope has it.
pub(super) fn wire(literal: Option<&Literal>) -> Option<Wire> {
    match literal.map(Literal::kind) {
        None => Some(Wire::Absent),
        Some(Kind::Whole(number)) => Some(Wire::Whole(number)),
        Some(_) => None,
    }
}

fn operation_of(operation: &target::Operation, id: ItemId) -> Asked {
    // What the model's own requests write.
    let content = model::Content(9);
    let draft = |document: &target::Document| Some(model::Draft { id, ttl: wire(document.ttl())?, content });
    let if_match = None;
    let made = match operation {
        target::Operation::Create(document) => draft(document).map(Operation::Create),
        target::Operation::Upsert(document) => draft(document).map(Operation::Upsert),
        target::Operation::Replace(document, None) => {
            draft(document).map(|draft| Operation::Replace { draft, if_match })
        }
        target::Operation::Patch(patch, None) => patched(patch, id),
        target::Operation::Read(_) => Some(Operation::Read(id)),
        target::Operation::Delete(_, None) => Some(Operation::Delete { id, if_match }),
        target::Operation::Replace(..) | target::Operation::Patch(..) | target::Operation::Delete(..) => None,
    };
    made.map_or(Asked::Beyond, |operation| Asked::This(Request::Item(operation)))
}

fn patched(patch: &target::Patch, id: ItemId) -> Option<Operation> {
    let if_match = None;
    let (ttl, content) = match (patch.set.get("ttl"), patch.remove.is_empty()) {
        (Some(ttl), true) => (TtlChange::Set(wire(Some(ttl))?), None),
        (None, false) => (TtlChange::Remove, None),
        (None, true) => (TtlChange::Keep, Some(model::Content(9))),
        (Some(_), false) => return None,
    };
    Some(Operation::Patch { id, ttl, content, if_match })
}

/// Whether a vector expects just this of these items.
pub(super) fn agrees(outcome: &ExpectedResponse, response: &Response, names: &[String]) -> bool {
    match (outcome, response) {
        (ExpectedResponse::Status(status, _), response) => status.word() == word(response, names),
        (ExpectedResponse::Ids(ids), Response::Ids(model)) => {
            let there: Vec<&str> = model.iter().map(|id| name_of(*id, names)).collect();
            names.iter().all(|name| ids.contains(name) == there.contains(&name.as_str()))
        }
        _ => false,
    }
}

/// Whether a query found the item.
pub(super) fn lists(response: &Response) -> bool {
    matches!(response, Response::Ids(ids) if !ids.is_empty())
}
