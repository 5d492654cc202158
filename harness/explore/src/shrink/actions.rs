//! Fewer actions: some dropped, waits merged, batches taken apart.

use std::collections::BTreeMap;

use crate::{Action, Call, Script};
use cosmos_ttl_harness::target::{Operation, Request};
use cosmos_ttl_harness::vector::Condition;

/// How the items are called in the end, by the order in which they turn up.
pub(super) fn name(number: usize) -> String {
    let letter =
        u32::try_from(number).ok().and_then(|number| char::from_digit(number.saturating_add(10), 36));
    letter.map_or_else(|| format!("item-{number}"), String::from)
}

/// With some of the moves left out: long rows of them first, in the end each alone.
pub(super) fn fewer(board: &Script) -> Vec<Script> {
    let count = board.actions.len();
    let mut all = Vec::new();
    let mut length = count;
    while 0 < length {
        for from in (0..count).step_by(length) {
            all.push(without(board, from, length));
        }
        length = length.checked_div(2).unwrap_or(0);
    }
    // Two that only go together: a wait and what comes of it, a setting and its way back.
    for first in 0..count {
        for second in first.saturating_add(1)..count {
            let mut fewer = without(board, second, 1);
            fewer = without(&fewer, first, 1);
            all.push(fewer);
        }
    }
    all
}

fn without(board: &Script, from: usize, length: usize) -> Script {
    let end = from.saturating_add(length);
    let kept = board.actions.iter().enumerate().filter(|(at, _)| !(from..end).contains(at));
    Script { actions: kept.map(|(_, one)| one.clone()).collect(), ..board.clone() }
}

/// With waits merged or moved together, and with batches taken apart.
pub(super) fn calmer(board: &Script) -> Vec<Script> {
    let mut all = Vec::new();
    for (at, one) in board.actions.iter().enumerate() {
        match one {
            Action::Wait(seconds) => all.extend(merged(board, at, *seconds)),
            Action::Call(Call { request: Request::Batch(parts), conditions }) => {
                all.extend(apart(board, at, parts, conditions));
            }
            Action::Call(_) => {}
        }
    }
    all
}

/// This wait spent with the next one, where that stands or where this stands.
fn merged(board: &Script, at: usize, seconds: u64) -> Vec<Script> {
    let later = board.actions.iter().enumerate().skip(at.saturating_add(1));
    let next = later.filter_map(|(other, one)| match one {
        Action::Wait(more) => Some((other, seconds.saturating_add(*more))),
        Action::Call(_) => None,
    });
    let one = next.take(1).flat_map(|(other, sum)| [(at, other, sum), (other, at, sum)]);
    one.map(|(kept, gone, sum)| without(&with(board, kept, Action::Wait(sum)), gone, 1)).collect()
}

/// The storyboard with another move at this place.
pub(super) fn with(board: &Script, at: usize, one: Action) -> Script {
    let mut changed = board.clone();
    if let Some(place) = changed.actions.get_mut(at) {
        *place = one;
    }
    changed
}

/// A batch without one of its operations, and a batch as single requests.
fn apart(board: &Script, at: usize, parts: &[Operation], conditions: &[(usize, Condition)]) -> Vec<Script> {
    let of = |number: usize| conditions.iter().filter(move |(of, _)| *of == number).map(|(_, one)| *one);
    let mut all = Vec::new();
    for dropped in 0..parts.len() {
        let kept = || (0..parts.len()).filter(|number| *number != dropped);
        let operations = kept().filter_map(|number| parts.get(number).cloned()).collect();
        let conditions = kept().enumerate();
        let conditions = conditions.flat_map(|(new, old)| of(old).map(move |one| (new, one))).collect();
        let request = Request::Batch(operations);
        all.push(with(board, at, Action::Call(Call { request, conditions })));
    }
    let singles = parts.iter().enumerate().map(|(number, operation)| {
        let conditions = of(number).map(|one| (0, one)).collect();
        Action::Call(Call { request: Request::Item(operation.clone()), conditions })
    });
    let mut single = board.clone();
    single.actions.splice(at..at.saturating_add(1), singles);
    all.push(single);
    all
}

/// Whether somebody could write it down: nobody waits for nothing, asks for nothing or knows an etag before it was seen.
pub(super) fn is_legal(board: &Script) -> bool {
    let mut writes: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &board.actions {
        match one {
            Action::Wait(0) => return false,
            Action::Wait(_) => {}
            Action::Call(ask) => {
                if !says_something(&ask.request) || !knows(&writes, ask) {
                    return false;
                }
                for operation in ask.request.operations().iter().filter(|operation| operation.is_write()) {
                    let count = writes.entry(operation.id()).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
    }
    matches!(board.actions.last(), Some(Action::Call(_)))
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

fn knows(writes: &BTreeMap<&str, usize>, ask: &Call) -> bool {
    ask.conditions.iter().all(|(number, condition)| {
        let id = ask.request.operations().get(*number).map(Operation::id);
        let seen = id.and_then(|id| writes.get(id)).copied().unwrap_or(0);
        match condition {
            Condition::Seen => 0 < seen,
            Condition::Stale => 1 < seen,
        }
    })
}
