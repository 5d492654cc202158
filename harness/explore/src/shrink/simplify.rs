//! Everything that is one thing simpler than a script.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;
use std::slice;

use super::{ids, name, weight};
use crate::{Action, Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Id, Indexing, Operation, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::Condition;

/// The settings and properties that are simpler than any other, `None` for none at all.
const SIMPLE: [Option<i64>; 4] = [None, Some(-1), Some(1), Some(0)];

/// Returns every script that is this one with one thing simpler, the greatest simplification first. Each weighs less than
/// it, so that no row of simplifications comes back to where it began.
pub fn simplifications(script: &Script) -> Vec<Script> {
    // What follows may be the same or heavier, too: only here it is weighed.
    let most = weight(script);
    let all = [fewer(script), calmer(script), simpler(script), shorter(script)].into_iter().flatten();
    all.filter(|simpler| is_legal(simpler) && weight(simpler) < most).collect()
}

fn without(script: &Script, gone: impl Fn(usize) -> bool) -> Script {
    let kept = script.actions.iter().enumerate().filter(|(at, _)| !gone(*at));
    let actions = kept.map(|(_, action)| action.clone()).collect();
    Script { edition: script.edition, container: script.container.clone(), actions }
}

/// The script with these actions instead of the one at this place.
fn with(script: &Script, at: usize, actions: impl IntoIterator<Item = Action>) -> Script {
    let mut changed = script.clone();
    changed.actions.splice(at..=at, actions);
    changed
}

/// With some of the actions left out: long rows of them first, in the end each alone.
fn fewer(script: &Script) -> Vec<Script> {
    let count = script.actions.len();
    let lengths = successors(Some(count), |length| Some(length / 2)).take_while(|length| *length > 0);
    let starts = lengths.flat_map(|length| (0..count).step_by(length).map(move |from| from..from + length));
    let rows = starts.map(|row| without(script, |at| row.contains(&at)));
    // Two that only go together: a wait and what comes of it, a setting and its way back.
    let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
    rows.chain(pairs.map(|pair| without(script, |at| pair.contains(&at)))).collect()
}

/// With waits merged or moved together, and with batches taken apart.
fn calmer(script: &Script) -> Vec<Script> {
    let mut all = Vec::new();
    for (at, action) in script.actions.iter().enumerate() {
        match action {
            Action::Wait(seconds) => {
                // Spent with the next one, where this is or where that is.
                let Some((next, more)) = script.waits().find(|(next, _)| *next > at) else { continue };
                let merged = Action::Wait(seconds.saturating_add(more));
                let merge = |kept, gone| without(&with(script, kept, [merged.clone()]), |at| at == gone);
                all.extend([merge(at, next), merge(next, at)]);
            }
            Action::Call(Call { request: Request::Batch(parts), conditions }) => {
                all.extend((0..parts.len()).map(|gone| {
                    let mut parts = parts.clone();
                    parts.remove(gone);
                    let kept = conditions.iter().filter(|(number, _)| *number != gone);
                    let kept = kept.map(|(number, one)| (number - usize::from(*number > gone), *one));
                    let call = Call { request: Request::Batch(parts), conditions: kept.collect() };
                    with(script, at, [Action::Call(call)])
                }));
                let singles = parts.iter().enumerate().map(|(number, operation)| {
                    let own = conditions.iter().filter(|(of, _)| *of == number).map(|(_, one)| (0, *one));
                    let request = Request::Item(operation.clone());
                    Action::Call(Call { request, conditions: own.collect() })
                });
                all.push(with(script, at, singles));
            }
            Action::Call(_) => {}
        }
    }
    all
}

/// With one thing simpler about one of the requests, or with an item less.
fn simpler(script: &Script) -> Vec<Script> {
    let mut all = renamed(script);
    all.push(Script { edition: Edition::default(), ..script.clone() });
    let opened = simpler_containers(&script.container).into_iter();
    all.extend(opened.map(|container| Script { container, ..script.clone() }));
    for (at, action) in script.actions.iter().enumerate() {
        let calls = action.call().into_iter().flat_map(simpler_calls);
        all.extend(calls.map(|call| with(script, at, [Action::Call(call)])));
    }
    all
}

/// One item is another, or has a plainer name.
fn renamed(script: &Script) -> Vec<Script> {
    let ids = ids(script);
    let mut all = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        let others = ids.iter().filter(|other| *other != id);
        all.extend(others.map(|other| rename(script, |name| (name == *id).then_some(*other))));
        let plain = name(number);
        if plain != *id {
            // If another item has that name, the two swap theirs.
            let swap = |name: &str| if name == *id { Some(&*plain) } else { (name == plain).then_some(*id) };
            all.push(rename(script, swap));
        }
    }
    all
}

fn rename<'n>(script: &Script, new: impl Fn(&str) -> Option<&'n str>) -> Script {
    let mut changed = script.clone();
    for operation in changed.actions.iter_mut().flat_map(operations_mut) {
        let (id, _) = parts_mut(operation);
        if let Some(new) = new(id) {
            new.clone_into(id);
        }
    }
    changed
}

fn operations_mut(action: &mut Action) -> &mut [Operation] {
    match action {
        Action::Call(Call { request: Request::Item(operation), .. }) => slice::from_mut(operation),
        Action::Call(Call { request: Request::Batch(parts), .. }) => parts,
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
    let mut all = Vec::new();
    for (at, (number, _)) in call.conditions.iter().enumerate() {
        for simple in [None, Some((*number, Condition::Seen))] {
            let mut changed = call.clone();
            changed.conditions.splice(at..=at, simple);
            all.push(changed);
        }
    }
    let requests: Vec<Request> = match &call.request {
        Request::CreateContainer(container) => {
            simpler_containers(container).into_iter().map(Request::CreateContainer).collect()
        }
        Request::ReplaceContainer(container) => {
            simpler_containers(container).into_iter().map(Request::ReplaceContainer).collect()
        }
        Request::Item(operation) => {
            let simpler = simpler_operations(operation).into_iter().map(Request::Item);
            [Request::Query].into_iter().chain(simpler).collect()
        }
        Request::Batch(parts) => {
            let each = parts.iter().enumerate();
            let each = each.flat_map(|(at, part)| plainer(part).into_iter().map(move |plain| (at, plain)));
            let with = |(at, plain)| {
                let mut parts = parts.clone();
                parts.splice(at..=at, [plain]);
                Request::Batch(parts)
            };
            each.map(with).collect()
        }
        Request::Count | Request::List => vec![Request::Query, Request::List],
        Request::Query => Vec::new(),
    };
    all.extend(requests.into_iter().map(|request| {
        // The conditions go where nothing takes one any more.
        let takes = request.operations().iter().any(Operation::takes_etag);
        Call { request, conditions: if takes { call.conditions.clone() } else { Vec::new() } }
    }));
    all
}

fn simpler_containers(container: &Container) -> Vec<Container> {
    let indexed = [Indexing::Consistent, Indexing::Lazy];
    let indexed = indexed.map(|indexing| Container { indexing, ..container.clone() });
    let simple = SIMPLE.map(|ttl| Container { default_ttl: ttl.map(Literal::from), ..container.clone() });
    indexed.into_iter().chain(simple).collect()
}

/// An operation that is less, and the same operation with less in it.
fn simpler_operations(operation: &Operation) -> Vec<Operation> {
    let mut all = vec![Operation::Read(operation.id().into())];
    if let (id, Some(properties)) = parts_mut(&mut operation.clone()) {
        let document = Document { id: id.clone(), properties: properties.clone() };
        let [replace, upsert, create] = [document.clone(), document.clone(), document];
        all.extend([Operation::Replace(replace, None), Operation::Upsert(upsert), Operation::Create(create)]);
    }
    all.extend(plainer(operation));
    all
}

/// The same operation with fewer or simpler properties.
fn plainer(operation: &Operation) -> Vec<Operation> {
    let mut all = Vec::new();
    let mut copy = operation.clone();
    for name in parts_mut(&mut copy).1.iter().flat_map(|properties| properties.keys()) {
        for simple in SIMPLE {
            let mut changed = operation.clone();
            if let (_, Some(properties)) = parts_mut(&mut changed) {
                properties.remove(name);
                properties.extend(simple.map(|simple| (name.clone(), Literal::from(simple))));
            }
            all.push(changed);
        }
    }
    if let Operation::Patch(patch, etag) = operation {
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
    for (at, seconds) in script.waits() {
        all.extend(towards(seconds).map(|less_s| with(script, at, [Action::Wait(less_s)])));
    }
    all
}

/// Numbers from 1 to just below this one, each twice as near to it as the one before.
fn towards(number: u64) -> impl Iterator<Item = u64> {
    let distances = successors(number.checked_sub(1), |distance| Some(distance / 2));
    distances.take_while(|distance| *distance > 0).map(move |distance| number - distance)
}

/// With one wait, or every wait that lasts so long, shorter by this many seconds.
fn earlier(script: &Script, by_s: u64) -> Vec<Script> {
    let longer = script.waits().filter(|(_, seconds)| *seconds > by_s);
    let less = |script: &Script, (at, seconds)| with(script, at, [Action::Wait(seconds - by_s)]);
    let mut all: Vec<Script> = longer.clone().map(|wait| less(script, wait)).collect();
    if all.len() > 1 {
        all.push(longer.fold(script.clone(), |script, wait| less(&script, wait)));
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
    let mut all: Vec<&mut Literal> = script.container.default_ttl.iter_mut().collect();
    for action in &mut script.actions {
        match action {
            Action::Call(Call {
                request: Request::CreateContainer(container) | Request::ReplaceContainer(container),
                ..
            }) => all.extend(&mut container.default_ttl),
            action => {
                let properties = operations_mut(action).iter_mut().filter_map(|one| parts_mut(one).1);
                all.extend(properties.flat_map(BTreeMap::values_mut));
            }
        }
    }
    all
}

/// Returns whether a person could write it: without empty waits, empty requests or etags that were not seen yet.
fn is_legal(script: &Script) -> bool {
    let mut written: Vec<&str> = Vec::new();
    let mut is_legal = |action| match action {
        &Action::Wait(seconds) => seconds > 0,
        Action::Call(Call { request, conditions }) => {
            let operations = request.operations();
            let knows = |(number, condition): &(usize, Condition)| {
                let id = operations.get(*number).map(Operation::id);
                let seen = written.iter().filter(|written| Some(**written) == id).count();
                seen > usize::from(*condition == Condition::Stale)
            };
            let is_legal = says_something(request) && conditions.iter().all(knows);
            written.extend(operations.iter().filter(|one| one.is_write()).map(Operation::id));
            is_legal
        }
    };
    script.actions.iter().all(&mut is_legal) && matches!(script.actions.last(), Some(Action::Call(_)))
}

fn says_something(request: &Request) -> bool {
    let changes = |operation: &Operation| {
        let Operation::Patch(Patch { set, remove, .. }, _) = operation else { return true };
        let is_empty = set.is_empty() && remove.is_empty();
        !is_empty && !remove.iter().any(|name| set.contains_key(name))
    };
    let is_empty = matches!(request, Request::Batch(parts) if parts.is_empty());
    !is_empty && request.operations().iter().all(changes)
}
