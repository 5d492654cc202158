//! Drops from a script what it does not need to show its difference.
//!
//! proptest shrinks the session as it was drawn. What is left goes through one pass here, which sees the requests as they
//! were sent, and goes on until nothing more can go.

use std::collections::{BTreeMap, BTreeSet};

use super::{Action, Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Id, Indexing, Operation, Request};

/// How often to look whether a script still fails, where that is quick.
pub const MOST_CALLS: u32 = 4_000;

/// Returns the smallest script for which `fails` holds that is found by making this one smaller, for which it holds. Calls
/// `fails` at most so often, and counts `calls` down.
pub fn drop_unneeded(script: &Script, calls: &mut u32, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    let (mut best, mut from) = (script.clone(), 0);
    'smaller: loop {
        let mut candidates: Vec<_> = smaller(&best).into_iter().enumerate().collect();
        // What stands before the one that could go was just tried in vain.
        let middle = if from < candidates.len() { from } else { 0 };
        candidates.rotate_left(middle);
        for (number, candidate) in candidates {
            let Some(left) = calls.checked_sub(1) else { return best };
            *calls = left;
            if fails(&candidate) {
                (from, best) = (number, candidate);
                continue 'smaller;
            }
        }
        return best;
    }
}

/// Returns every script that is this one with one thing less. No row of them comes back to where it began.
pub fn smaller(script: &Script) -> Vec<Script> {
    /// Of longer scripts no pairs are dropped.
    const SHORT: usize = 12;
    let count = script.actions.len();
    let without = |gone: &[usize]| {
        let kept = script.actions.iter().enumerate().filter(|(at, _)| !gone.contains(at));
        Script { actions: kept.map(|(_, action)| action.clone()).collect(), ..script.clone() }
    };
    let mut all: Vec<Script> = (0..count).rev().map(|at| without(&[at])).collect();
    if count <= SHORT {
        // Two that only go together: a wait and what comes of it, a setting and its way back.
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
        all.extend(pairs.map(|pair| without(&pair)));
    }
    for (at, action) in script.actions.iter().enumerate() {
        if let Action::Call(Call { request: Request::ReplaceContainer(container), .. }) = action {
            all.push(Script { container: container.clone(), ..without(&[at]) });
        }
        let with = |actions: Vec<Action>| {
            let mut changed = script.clone();
            changed.actions.splice(at..=at, actions);
            changed
        };
        match action {
            Action::Wait(seconds) => {
                let shorter = [1, *seconds - 1].into_iter().filter(|less_s| (1..*seconds).contains(less_s));
                all.extend(shorter.map(|less_s| with(vec![Action::Wait(less_s)])));
                if let Some(Action::Wait(more)) = script.actions.get(at + 1) {
                    let mut merged = with(vec![Action::Wait(seconds.saturating_add(*more))]);
                    merged.actions.remove(at + 1);
                    all.push(merged);
                }
            }
            Action::Call(call) => {
                all.extend(smaller_calls(call).into_iter().map(|call| with(vec![Action::Call(call)])));
                all.extend(single_calls(call).map(with));
            }
        }
    }
    let containers = smaller_settings(&script.container).into_iter();
    all.extend(containers.map(|container| Script { container, ..script.clone() }));
    all.push(changed(script, |call| call.partition = None, |_| {}));
    for name in names(script) {
        let forget = |call: &mut Call| {
            let own = call.request.operations_mut().iter_mut().filter_map(Operation::properties_mut);
            own.filter(|own| own.len() > 1).for_each(|own| drop(own.remove(&name)));
        };
        all.push(changed(script, forget, |_| {}));
    }
    // A lifetime and the wait for its end become shorter together.
    all.push(changed(script, |_| {}, |seconds| *seconds = 1 + (*seconds - 1) / 2));
    all.push(renamed(script));
    all.retain(|smaller| smaller != script);
    all
}

/// The calls with one thing less in them.
fn smaller_calls(call: &Call) -> Vec<Call> {
    let mut all = vec![Call { page: None, ..call.clone() }];
    for at in 0..call.conditions.len() {
        let mut fewer = call.clone();
        fewer.conditions.remove(at);
        all.push(fewer);
    }
    match &call.request {
        Request::ReplaceContainer(container) | Request::CreateContainer(container) => {
            let settings = smaller_settings(container).into_iter();
            all.extend(
                settings.map(|smaller| Call { request: Request::ReplaceContainer(smaller), ..call.clone() }),
            );
        }
        Request::Batch(parts) if parts.len() > 1 => all.extend((0..parts.len()).map(|gone| {
            let mut parts = parts.clone();
            parts.remove(gone);
            let kept = call.conditions.iter().filter(|(number, _)| *number != gone);
            let conditions = kept.map(|(number, one)| (number - usize::from(*number > gone), *one)).collect();
            Call { request: Request::Batch(parts), conditions, ..call.clone() }
        })),
        _ => {}
    }
    for (number, operation) in call.request.operations().iter().enumerate() {
        let names = operation.properties().into_iter().flat_map(BTreeMap::keys);
        // A patch of nothing is no request.
        let least = usize::from(matches!(operation, Operation::Patch(..)));
        for name in names.clone().filter(|_| least < names.clone().count()) {
            let mut fewer = call.clone();
            let operation = fewer.request.operations_mut().get_mut(number);
            operation.and_then(Operation::properties_mut).map(|own| own.remove(name));
            all.push(fewer);
        }
    }
    all
}

/// The operations of a batch, each by itself.
fn single_calls(call: &Call) -> Option<Vec<Action>> {
    let Request::Batch(parts) = &call.request else { return None };
    let single = |(number, operation): (usize, &Operation)| {
        let own = call.conditions.iter().filter(|(of, _)| *of == number).map(|(_, one)| (0, *one));
        Action::Call(Call {
            request: Request::Item(operation.clone()),
            conditions: own.collect(),
            ..call.clone()
        })
    };
    Some(parts.iter().enumerate().map(single).collect())
}

fn smaller_settings(container: &Container) -> [Container; 2] {
    let consistent = Container { indexing: Indexing::Consistent, ..container.clone() };
    [consistent, Container { default_ttl: None, ..container.clone() }]
}

/// With each call changed, and each wait and each lifetime above one second.
fn changed(script: &Script, change: impl Fn(&mut Call), change_s: impl Fn(&mut i64)) -> Script {
    let mut changed = script.clone();
    let shorten = |value: &mut Literal| {
        if let LiteralKind::Whole(mut seconds @ 2..) = value.kind() {
            change_s(&mut seconds);
            *value = Literal::from(seconds);
        }
    };
    changed.container.default_ttl.iter_mut().for_each(shorten);
    for action in &mut changed.actions {
        match action {
            Action::Wait(seconds) => {
                let mut less_s = i64::try_from(*seconds).unwrap_or(i64::MAX);
                change_s(&mut less_s);
                *seconds = u64::try_from(less_s).unwrap_or(*seconds);
            }
            Action::Call(call) => {
                change(call);
                if let Request::CreateContainer(container) | Request::ReplaceContainer(container) =
                    &mut call.request
                {
                    container.default_ttl.iter_mut().for_each(shorten);
                }
                let own = call
                    .request
                    .operations_mut()
                    .iter_mut()
                    .filter_map(|one| one.properties_mut()?.get_mut("ttl"));
                own.for_each(shorten);
            }
        }
    }
    changed
}

/// With the items called `a`, `b`, `c` in the order in which they turn up.
fn renamed(script: &Script) -> Script {
    let (mut renamed, mut known) = (script.clone(), Vec::<Id>::new());
    for action in &mut renamed.actions {
        let Action::Call(call) = action else { continue };
        for operation in call.request.operations_mut() {
            let id = operation.id_mut();
            let number = known.iter().position(|one| one == id).unwrap_or_else(|| {
                known.push(id.clone());
                known.len() - 1
            });
            let letter = u32::try_from(number).ok().and_then(|number| char::from_digit(number + 10, 36));
            *id = letter.map_or_else(|| format!("item-{number}"), String::from);
        }
    }
    renamed
}

/// The names of all properties that are sent.
fn names(script: &Script) -> BTreeSet<String> {
    let operations = script.calls().flat_map(|call| call.request.operations());
    operations.filter_map(Operation::properties).flat_map(BTreeMap::keys).cloned().collect()
}
