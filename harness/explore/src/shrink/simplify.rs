//! Everything that is one thing simpler than a script.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use super::{ids, name, weight};
use crate::{Action, Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Id, Indexing, Operation, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;

/// Returns every script that is this one with one thing simpler, the greatest simplification first. Each weighs less than
/// it, so that no row of simplifications comes back to where it began.
pub fn simplifications(script: &Script) -> Vec<Script> {
    let mut all = fewer(script);
    all.extend(calmer(script));
    all.extend(simpler(script));
    all.extend(shorter(script));
    let most = weight(script);
    all.retain(|simpler| is_legal(simpler) && weight(simpler) < most);
    all
}

/// With some of the actions left out: long rows of them first, in the end each alone.
fn fewer(script: &Script) -> Vec<Script> {
    let count = script.actions.len();
    let mut all = Vec::new();
    let mut length = count;
    while length > 0 {
        all.extend((0..count).step_by(length).map(|from| without(script, from, length)));
        length /= 2;
    }
    // Two that only go together: a wait and what comes of it, a setting and its way back.
    for first in 0..count {
        for second in first + 1..count {
            all.push(without(&without(script, second, 1), first, 1));
        }
    }
    all
}

fn without(script: &Script, from: usize, length: usize) -> Script {
    let kept = script.actions.iter().enumerate().filter(|(at, _)| !(from..from + length).contains(at));
    Script { actions: kept.map(|(_, action)| action.clone()).collect(), ..script.clone() }
}

/// The script with another action at this place.
fn with(script: &Script, at: usize, action: Action) -> Script {
    let mut changed = script.clone();
    if let Some(old) = changed.actions.get_mut(at) {
        *old = action;
    }
    changed
}

/// With waits merged or moved together, and with batches taken apart.
fn calmer(script: &Script) -> Vec<Script> {
    let mut all = Vec::new();
    for (at, action) in script.actions.iter().enumerate() {
        match action {
            Action::Wait(seconds) => all.extend(merged(script, at, *seconds)),
            Action::Call(Call { request: Request::Batch(parts), conditions }) => {
                all.extend(apart(script, at, parts, conditions));
            }
            Action::Call(_) => {}
        }
    }
    all
}

/// This wait spent with the next one, where that is or where this is.
fn merged(script: &Script, at: usize, seconds: u64) -> Vec<Script> {
    let mut later = script.actions.iter().enumerate().skip(at + 1);
    let next = later.find_map(|(other, action)| match action {
        Action::Wait(more) => Some((other, seconds.saturating_add(*more))),
        Action::Call(_) => None,
    });
    let merge = |kept, gone, sum| without(&with(script, kept, Action::Wait(sum)), gone, 1);
    next.map_or_else(Vec::new, |(other, sum)| vec![merge(at, other, sum), merge(other, at, sum)])
}

/// A batch without one of its operations, and a batch as single requests.
fn apart(script: &Script, at: usize, parts: &[Operation], conditions: &[(usize, Condition)]) -> Vec<Script> {
    let of = |number: usize| conditions.iter().filter(move |(of, _)| *of == number).map(|(_, one)| *one);
    let mut all = Vec::new();
    for dropped in 0..parts.len() {
        let kept = || (0..parts.len()).filter(|number| *number != dropped);
        let operations = kept().filter_map(|number| parts.get(number).cloned()).collect();
        let conditions = kept().enumerate();
        let conditions = conditions.flat_map(|(new, old)| of(old).map(move |one| (new, one))).collect();
        all.push(with(script, at, Action::Call(Call { request: Request::Batch(operations), conditions })));
    }
    let singles = parts.iter().enumerate().map(|(number, operation)| {
        let conditions = of(number).map(|one| (0, one)).collect();
        Action::Call(Call { request: Request::Item(operation.clone()), conditions })
    });
    let mut single = script.clone();
    single.actions.splice(at..=at, singles);
    all.push(single);
    all
}

/// With one thing simpler about one of the requests, or with an item less.
fn simpler(script: &Script) -> Vec<Script> {
    let mut all = renamed(script);
    all.push(Script { edition: Edition::default(), ..script.clone() });
    let opened = simpler_containers(&script.container).into_iter();
    all.extend(opened.map(|container| Script { container, ..script.clone() }));
    for (at, action) in script.actions.iter().enumerate() {
        if let Action::Call(call) = action {
            all.extend(simpler_calls(call).into_iter().map(|call| with(script, at, Action::Call(call))));
        }
    }
    all
}

/// One item is another, or has a plainer name.
fn renamed(script: &Script) -> Vec<Script> {
    let ids = ids(script);
    let mut all = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        all.extend(ids.iter().filter(|other| *other != id).map(|other| rename(script, id, other)));
        let plain = name(number);
        if !ids.contains(&plain.as_str()) {
            all.push(rename(script, id, &plain));
        } else if plain != *id {
            // No item has the empty name.
            all.push(rename(&rename(&rename(script, id, ""), &plain, id), "", &plain));
        }
    }
    all
}

fn rename(script: &Script, old: &str, new: &str) -> Script {
    let mut changed = script.clone();
    for operation in calls_mut(&mut changed).flat_map(|call| operations_mut(&mut call.request)) {
        let (id, _) = parts_mut(operation);
        if id == old {
            new.clone_into(id);
        }
    }
    changed
}

fn calls_mut(script: &mut Script) -> impl Iterator<Item = &mut Call> {
    script.actions.iter_mut().filter_map(|action| match action {
        Action::Call(call) => Some(call),
        Action::Wait(_) => None,
    })
}

fn operations_mut(request: &mut Request) -> &mut [Operation] {
    match request {
        Request::Item(operation) => slice::from_mut(operation),
        Request::Batch(parts) => parts,
        _ => &mut [],
    }
}

fn parts_mut(operation: &mut Operation) -> (&mut Id, Option<&mut Properties>) {
    match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            (&mut document.id, Some(&mut document.properties))
        }
        Operation::Patch(patch, _) => (&mut patch.id, Some(&mut patch.set)),
        Operation::Read(id) | Operation::Delete(id, _) => (id, None),
    }
}

fn simpler_calls(call: &Call) -> Vec<Call> {
    let requests: Vec<Request> = match &call.request {
        Request::CreateContainer(container) => {
            simpler_containers(container).into_iter().map(Request::CreateContainer).collect()
        }
        Request::ReplaceContainer(container) => {
            simpler_containers(container).into_iter().map(Request::ReplaceContainer).collect()
        }
        Request::Item(operation) => [Request::Query]
            .into_iter()
            .chain(simpler_operations(operation).into_iter().map(Request::Item))
            .collect(),
        Request::Batch(parts) => {
            let each = parts.iter().enumerate();
            let simpler =
                each.flat_map(|(number, part)| plainer(part).into_iter().map(move |plain| (number, plain)));
            let with = |(changed, plain): (usize, Operation)| {
                let parts = parts.iter().enumerate();
                parts.map(|(number, part)| if number == changed { &plain } else { part }.clone()).collect()
            };
            simpler.map(with).map(Request::Batch).collect()
        }
        Request::Count | Request::List => vec![Request::Query, Request::List],
        Request::Query => Vec::new(),
    };
    let mut all = fewer_conditions(call);
    all.extend(requests.into_iter().map(|request| {
        // The conditions go where the operation takes none any more.
        let takes = match &request {
            Request::Item(operation) => operation.takes_etag(),
            request => *request != Request::Query,
        };
        let conditions = if takes { call.conditions.clone() } else { Vec::new() };
        Call { request, conditions }
    }));
    all
}

fn fewer_conditions(call: &Call) -> Vec<Call> {
    let mut all = Vec::new();
    for (at, (number, condition)) in call.conditions.iter().enumerate() {
        let mut none = call.clone();
        none.conditions.remove(at);
        all.push(none);
        if *condition == Condition::Stale {
            let mut seen = call.clone();
            seen.conditions.splice(at..=at, [(*number, Condition::Seen)]);
            all.push(seen);
        }
    }
    all
}

fn simpler_containers(container: &Container) -> Vec<Container> {
    let indexed = |indexing| Container { indexing, ..container.clone() };
    let mut all: Vec<_> = [Indexing::Consistent, Indexing::Lazy].map(indexed).into();
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
    let mut all = Vec::new();
    let mut operation = operation.clone();
    let names: Vec<String> = parts_mut(&mut operation).1.iter().flat_map(|set| set.keys().cloned()).collect();
    for name in names {
        for simple in [None, Some(-1), Some(1), Some(0)] {
            let mut changed = operation.clone();
            if let (_, Some(properties)) = parts_mut(&mut changed) {
                properties.remove(&name);
                properties.extend(simple.map(|simple| (name.clone(), Literal::from(simple))));
            }
            all.push(changed);
        }
    }
    if let Operation::Patch(patch, etag) = &operation {
        for at in 0..patch.remove.len() {
            let mut fewer = patch.clone();
            fewer.remove.remove(at);
            all.push(Operation::Patch(fewer, etag.clone()));
        }
    }
    all
}

/// Shorter waits and shorter lifetimes, towards the least that will do by halves, and both together: a deadline that
/// comes earlier is met earlier.
fn shorter(script: &Script) -> Vec<Script> {
    let mut all = Vec::new();
    for life_s in lifetimes(script) {
        for less_s in towards(life_s) {
            let less = with_lifetime(script, life_s, less_s);
            let earlier = earlier(&less, life_s - less_s);
            all.push(less);
            all.extend(earlier);
        }
    }
    for (at, action) in script.actions.iter().enumerate() {
        if let Action::Wait(seconds) = action {
            all.extend(towards(*seconds).into_iter().map(|less_s| with(script, at, Action::Wait(less_s))));
        }
    }
    all
}

/// Numbers from 1 to just below this one, each twice as near to it as the one before.
fn towards(number: u64) -> Vec<u64> {
    let distances = std::iter::successors(Some(number.saturating_sub(1)), |distance| Some(distance / 2));
    distances.take_while(|distance| *distance > 0).map(|distance| number - distance).collect()
}

/// With one wait, or every wait that lasts so long, shorter by this many seconds.
fn earlier(script: &Script, by_s: u64) -> Vec<Script> {
    let mut all = Vec::new();
    let mut every = script.clone();
    for (at, action) in script.actions.iter().enumerate() {
        if let Action::Wait(seconds) = action
            && *seconds > by_s
        {
            let less = Action::Wait(seconds - by_s);
            all.push(with(script, at, less.clone()));
            every = with(&every, at, less);
        }
    }
    if all.len() > 1 {
        all.push(every);
    }
    all
}

/// Every number of seconds above 1 that something is set to.
fn lifetimes(script: &Script) -> BTreeSet<u64> {
    let mut script = script.clone();
    let numbers = values_mut(&mut script).into_iter().filter_map(|value| match value.kind() {
        LiteralKind::Whole(number) => u64::try_from(number).ok(),
        _ => None,
    });
    numbers.filter(|number| *number > 1).collect()
}

fn with_lifetime(script: &Script, old: u64, new: u64) -> Script {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut changed = script.clone();
    for value in values_mut(&mut changed) {
        if value.kind() == LiteralKind::Whole(whole(old)) {
            *value = Literal::from(whole(new));
        }
    }
    changed
}

/// Every setting and every property.
fn values_mut(script: &mut Script) -> Vec<&mut Literal> {
    let Script { container, actions, .. } = script;
    let mut all: Vec<&mut Literal> = container.default_ttl.iter_mut().collect();
    for action in actions {
        match action {
            Action::Call(Call {
                request: Request::CreateContainer(container) | Request::ReplaceContainer(container),
                ..
            }) => all.extend(&mut container.default_ttl),
            Action::Call(call) => {
                let properties =
                    operations_mut(&mut call.request).iter_mut().filter_map(|one| parts_mut(one).1);
                all.extend(properties.flat_map(|properties| properties.values_mut()));
            }
            Action::Wait(_) => {}
        }
    }
    all
}

/// Whether somebody could write it down: nobody waits for nothing, asks for nothing or knows an etag before it was seen.
fn is_legal(script: &Script) -> bool {
    let mut writes: BTreeMap<&str, usize> = BTreeMap::new();
    for action in &script.actions {
        match action {
            Action::Wait(0) => return false,
            Action::Wait(_) => {}
            Action::Call(call) => {
                if !says_something(&call.request) || !knows_its_etags(&writes, call) {
                    return false;
                }
                for operation in call.request.operations().iter().filter(|operation| operation.is_write()) {
                    *writes.entry(operation.id()).or_default() += 1;
                }
            }
        }
    }
    matches!(script.actions.last(), Some(Action::Call(_)))
}

fn says_something(request: &Request) -> bool {
    let patches = |operation: &Operation| match operation {
        Operation::Patch(patch, _) => {
            let twice = patch.remove.iter().any(|name| patch.set.contains_key(name));
            !(twice || patch.set.is_empty() && patch.remove.is_empty())
        }
        _ => true,
    };
    let empty = matches!(request, Request::Batch(parts) if parts.is_empty());
    !empty && request.operations().iter().all(patches)
}

fn knows_its_etags(writes: &BTreeMap<&str, usize>, call: &Call) -> bool {
    call.conditions.iter().all(|(number, condition)| {
        let id = call.request.operations().get(*number).map(Operation::id);
        let seen = id.and_then(|id| writes.get(id)).copied().unwrap_or(0);
        seen > usize::from(*condition == Condition::Stale)
    })
}
