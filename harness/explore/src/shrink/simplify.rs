//! Everything that is one thing simpler than a script.

use std::collections::{BTreeMap, BTreeSet};

use super::weight::{name, weight};
use crate::{Action, Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Indexing, Operation, Patch, Properties, Request,
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
    let mut ids: Vec<String> = Vec::new();
    each_operation(&mut script.clone(), &mut |operation| {
        if !ids.iter().any(|id| id == operation.id()) {
            ids.push(operation.id().into());
        }
    });
    let mut all = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        all.extend(ids.iter().filter(|other| *other != id).map(|other| rename(script, id, other)));
        let plain = name(number);
        if !ids.contains(&plain) {
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
    each_operation(&mut changed, &mut |operation| {
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
    });
    changed
}

fn each_operation(script: &mut Script, change: &mut dyn FnMut(&mut Operation)) {
    for action in &mut script.actions {
        match action {
            Action::Call(Call { request: Request::Item(operation), .. }) => change(operation),
            Action::Call(Call { request: Request::Batch(parts), .. }) => {
                parts.iter_mut().for_each(&mut *change);
            }
            Action::Call(_) | Action::Wait(_) => {}
        }
    }
}

fn simpler_calls(call: &Call) -> Vec<Call> {
    let mut all = fewer_conditions(call);
    let changed = |request| Call { request, conditions: call.conditions.clone() };
    match &call.request {
        Request::CreateContainer(container) => {
            all.extend(simpler_containers(container).into_iter().map(Request::CreateContainer).map(changed));
        }
        Request::ReplaceContainer(container) => {
            all.extend(simpler_containers(container).into_iter().map(Request::ReplaceContainer).map(changed));
        }
        Request::Item(operation) => {
            all.push(Call::plain(Request::Query));
            let simpler = simpler_operations(operation).into_iter();
            all.extend(simpler.map(|operation| unconditional(call, operation)));
        }
        Request::Batch(parts) => {
            for (number, operation) in parts.iter().enumerate() {
                for simpler in plainer(operation) {
                    let mut parts = parts.clone();
                    if let Some(part) = parts.get_mut(number) {
                        *part = simpler;
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
fn unconditional(call: &Call, operation: Operation) -> Call {
    let takes = matches!(operation, Operation::Replace(..) | Operation::Patch(..) | Operation::Delete(..));
    let conditions = if takes { call.conditions.clone() } else { Vec::new() };
    Call { request: Request::Item(operation), conditions }
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
    let Some(properties) = properties_of(operation) else { return Vec::new() };
    let plainer = plainer_properties(properties).into_iter();
    let mut all: Vec<Operation> = plainer
        .map(|properties| {
            let mut changed = operation.clone();
            if let Some(old) = properties_mut(&mut changed) {
                *old = properties;
            }
            changed
        })
        .collect();
    if let Operation::Patch(patch, etag) = operation {
        for at in 0..patch.remove.len() {
            let mut fewer = patch.clone();
            fewer.remove.remove(at);
            all.push(Operation::Patch(fewer, etag.clone()));
        }
    }
    all
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

fn properties_of(operation: &Operation) -> Option<&Properties> {
    match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            Some(&document.properties)
        }
        Operation::Patch(patch, _) => Some(&patch.set),
        Operation::Read(_) | Operation::Delete(..) => None,
    }
}

fn properties_mut(operation: &mut Operation) -> Option<&mut Properties> {
    match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            Some(&mut document.properties)
        }
        Operation::Patch(patch, _) => Some(&mut patch.set),
        Operation::Read(_) | Operation::Delete(..) => None,
    }
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
    let mut all = BTreeSet::new();
    each_value(&mut script.clone(), &mut |value| {
        if let LiteralKind::Whole(number) = value.kind() {
            all.extend(u64::try_from(number).ok().filter(|number| *number > 1));
        }
    });
    all
}

fn with_lifetime(script: &Script, old: u64, new: u64) -> Script {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut changed = script.clone();
    each_value(&mut changed, &mut |value| {
        if value.kind() == LiteralKind::Whole(whole(old)) {
            *value = Literal::from(whole(new));
        }
    });
    changed
}

fn each_value(script: &mut Script, change: &mut dyn FnMut(&mut Literal)) {
    script.container.default_ttl.iter_mut().for_each(&mut *change);
    for action in &mut script.actions {
        if let Action::Call(Call {
            request: Request::CreateContainer(container) | Request::ReplaceContainer(container),
            ..
        }) = action
        {
            container.default_ttl.iter_mut().for_each(&mut *change);
        }
    }
    each_operation(script, &mut |operation| {
        let properties = properties_mut(operation).into_iter();
        properties.flat_map(|properties| properties.values_mut()).for_each(&mut *change);
    });
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
