//! Simpler requests: fewer items and properties, no conditions, kinds that everybody knows.

use super::actions::{name, with};
use crate::{Action, Call, Script};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Indexing, Operation, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;

/// With one thing simpler about one of the requests, or with an item less.
pub(super) fn simpler(board: &Script) -> Vec<Script> {
    let mut all = renamed(board);
    all.push(Script { edition: Edition::default(), ..board.clone() });
    let opened = containers(&board.container).into_iter();
    all.extend(opened.map(|container| Script { container, ..board.clone() }));
    for (at, one) in board.actions.iter().enumerate() {
        if let Action::Call(ask) = one {
            all.extend(asks(ask).into_iter().map(|ask| with(board, at, Action::Call(ask))));
        }
    }
    all
}

/// One item is another, or has a plainer name.
fn renamed(board: &Script) -> Vec<Script> {
    let mut ids: Vec<&str> = Vec::new();
    for one in &board.actions {
        let Action::Call(ask) = one else { continue };
        for id in ask.request.operations().iter().map(Operation::id) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let mut all = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        let others = ids.iter().filter(|other| *other != id).map(|other| (*other).to_owned());
        all.extend(others.map(|other| rename(board, id, &other)));
        let plain = name(number);
        if !ids.contains(&plain.as_str()) {
            all.push(rename(board, id, &plain));
        } else if plain != *id {
            all.push(swapped(board, id, &plain));
        }
    }
    all
}

fn swapped(board: &Script, one: &str, other: &str) -> Script {
    // No item has this name: it is no name at all.
    rename(&rename(&rename(board, one, ""), other, one), "", other)
}

fn rename(board: &Script, old: &str, new: &str) -> Script {
    let mut changed = board.clone();
    for one in &mut changed.actions {
        let Action::Call(ask) = one else { continue };
        match &mut ask.request {
            Request::Item(operation) => rename_in(operation, old, new),
            Request::Batch(parts) => parts.iter_mut().for_each(|operation| rename_in(operation, old, new)),
            _ => {}
        }
    }
    changed
}

fn rename_in(operation: &mut Operation, old: &str, new: &str) {
    let id = match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            &mut document.id
        }
        Operation::Patch(patch, _) => &mut patch.id,
        Operation::Read(id) | Operation::Delete(id, _) => id,
    };
    if id == old {
        new.clone_into(id);
    }
}

fn asks(ask: &Call) -> Vec<Call> {
    let mut all = fewer_conditions(ask);
    let changed = |request| Call { request, conditions: ask.conditions.clone() };
    match &ask.request {
        Request::CreateContainer(container) => {
            all.extend(containers(container).into_iter().map(Request::CreateContainer).map(changed));
        }
        Request::ReplaceContainer(container) => {
            all.extend(containers(container).into_iter().map(Request::ReplaceContainer).map(changed));
        }
        Request::Item(operation) => {
            let kinds =
                [Request::Query].into_iter().map(changed).map(|ask| Call { conditions: vec![], ..ask });
            all.extend(kinds);
            let simpler = simpler_operations(operation).into_iter();
            all.extend(simpler.map(|operation| unconditional(ask, operation)));
        }
        Request::Batch(parts) => {
            for (number, operation) in parts.iter().enumerate() {
                for simpler in plainer(operation) {
                    let mut parts = parts.clone();
                    if let Some(place) = parts.get_mut(number) {
                        *place = simpler;
                    }
                    all.push(changed(Request::Batch(parts)));
                }
            }
        }
        Request::Count | Request::List => all.extend([changed(Request::Query), changed(Request::List)]),
        Request::Query => {}
    }
    all
}

/// The conditions go where the operation takes none any more.
fn unconditional(ask: &Call, operation: Operation) -> Call {
    let takes = matches!(operation, Operation::Replace(..) | Operation::Patch(..) | Operation::Delete(..));
    let conditions = if takes { ask.conditions.clone() } else { Vec::new() };
    Call { request: Request::Item(operation), conditions }
}

fn fewer_conditions(ask: &Call) -> Vec<Call> {
    let mut all = Vec::new();
    for (at, (number, condition)) in ask.conditions.iter().enumerate() {
        let mut none = ask.clone();
        none.conditions.remove(at);
        all.push(none);
        if *condition == Condition::Stale {
            let mut seen = ask.clone();
            if let Some(place) = seen.conditions.get_mut(at) {
                *place = (*number, Condition::Seen);
            }
            all.push(seen);
        }
    }
    all
}

fn containers(container: &Container) -> Vec<Container> {
    let mut all = Vec::new();
    for indexing in [Indexing::Consistent, Indexing::Lazy] {
        all.push(Container { indexing, ..container.clone() });
    }
    if container.default_ttl.is_some() {
        let simple = [None, Some(Literal::from(-1)), Some(Literal::from(1)), Some(Literal::from(0))];
        all.extend(simple.map(|default_ttl| Container { default_ttl, ..container.clone() }));
    }
    all
}

/// The same operation with less in it, and an operation that is less.
fn simpler_operations(operation: &Operation) -> Vec<Operation> {
    let mut all = vec![Operation::Read(operation.id().into())];
    let document = match operation {
        Operation::Upsert(document) => Some(document.clone()),
        Operation::Replace(document, _) => {
            all.push(Operation::Upsert(document.clone()));
            Some(document.clone())
        }
        Operation::Patch(Patch { id, set, .. }, _) => {
            let document = Document { id: id.clone(), properties: set.clone() };
            all.extend([Operation::Replace(document.clone(), None), Operation::Upsert(document.clone())]);
            Some(document)
        }
        Operation::Create(_) | Operation::Read(_) | Operation::Delete(..) => None,
    };
    all.extend(document.map(Operation::Create));
    all.extend(plainer(operation));
    all
}

/// The same operation with fewer or simpler properties.
fn plainer(operation: &Operation) -> Vec<Operation> {
    let documents = |document: &Document| {
        let id = document.id.clone();
        let each = plainer_properties(&document.properties).into_iter();
        each.map(move |properties| Document { id: id.clone(), properties }).collect::<Vec<_>>().into_iter()
    };
    match operation {
        Operation::Create(document) => documents(document).map(Operation::Create).collect(),
        Operation::Upsert(document) => documents(document).map(Operation::Upsert).collect(),
        Operation::Replace(document, etag) => {
            documents(document).map(|document| Operation::Replace(document, etag.clone())).collect()
        }
        Operation::Patch(patch, etag) => {
            let set = plainer_properties(&patch.set).into_iter();
            let mut all: Vec<Patch> = set.map(|set| Patch { set, ..patch.clone() }).collect();
            for at in 0..patch.remove.len() {
                let mut fewer = patch.clone();
                fewer.remove.remove(at);
                all.push(fewer);
            }
            all.into_iter().map(|patch| Operation::Patch(patch, etag.clone())).collect()
        }
        Operation::Read(_) | Operation::Delete(..) => Vec::new(),
    }
}

fn plainer_properties(properties: &Properties) -> Vec<Properties> {
    let mut all = Vec::new();
    for name in properties.keys() {
        let mut fewer = properties.clone();
        fewer.remove(name);
        all.push(fewer);
        for simple in [-1, 1, 0] {
            let mut simpler = properties.clone();
            simpler.insert(name.clone(), Literal::from(simple));
            all.push(simpler);
        }
    }
    all
}
