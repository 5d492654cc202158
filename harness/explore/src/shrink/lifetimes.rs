//! Shorter waits and shorter lifetimes, towards the least that will do by halves, and both together: a deadline that
//! comes earlier is met earlier.

use std::collections::BTreeSet;

use super::actions::with;
use crate::{Action, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Document, Operation, Properties, Request};

pub(super) fn shorter(board: &Script) -> Vec<Script> {
    let mut all = Vec::new();
    for life_s in numbers(board) {
        for less_s in towards(life_s) {
            let less = replaced(board, life_s, less_s);
            let earlier = earlier(&less, life_s.saturating_sub(less_s));
            all.push(less);
            all.extend(earlier);
        }
    }
    for (at, one) in board.actions.iter().enumerate() {
        if let Action::Wait(seconds) = one {
            all.extend(towards(*seconds).into_iter().map(|less_s| with(board, at, Action::Wait(less_s))));
        }
    }
    all
}

/// Numbers from 1 to just below this one, each twice as near to it as the one before.
fn towards(number: u64) -> Vec<u64> {
    let mut all = Vec::new();
    let mut distance = number.saturating_sub(1);
    while 0 < distance {
        all.push(number.saturating_sub(distance));
        distance = distance.checked_div(2).unwrap_or(0);
    }
    all
}

/// With one wait, or every wait that lasts so long, shorter by so many seconds.
fn earlier(board: &Script, by_s: u64) -> Vec<Script> {
    let mut all = Vec::new();
    let mut every = board.clone();
    for (at, one) in board.actions.iter().enumerate() {
        if let Action::Wait(seconds) = one
            && by_s < *seconds
        {
            let less = Action::Wait(seconds.saturating_sub(by_s));
            all.push(with(board, at, less.clone()));
            every = with(&every, at, less);
        }
    }
    if 1 < all.len() {
        all.push(every);
    }
    all
}

/// Every number of seconds above 1 that something is set to.
fn numbers(board: &Script) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    let mut changed = board.clone();
    each(&mut changed, &mut |value| {
        if let LiteralKind::Whole(number) = value.kind() {
            all.extend(u64::try_from(number).ok().filter(|number| 1 < *number));
        }
    });
    all
}

fn replaced(board: &Script, old: u64, new: u64) -> Script {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut changed = board.clone();
    each(&mut changed, &mut |value| {
        if value.kind() == LiteralKind::Whole(whole(old)) {
            *value = Literal::from(whole(new));
        }
    });
    changed
}

fn each(board: &mut Script, change: &mut dyn FnMut(&mut Literal)) {
    settings(&mut board.container, change);
    for one in &mut board.actions {
        let Action::Call(ask) = one else { continue };
        match &mut ask.request {
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                settings(container, change);
            }
            Request::Item(operation) => values(operation, change),
            Request::Batch(parts) => parts.iter_mut().for_each(|operation| values(operation, change)),
            Request::Query | Request::List | Request::Count => {}
        }
    }
}

fn settings(container: &mut Container, change: &mut dyn FnMut(&mut Literal)) {
    container.default_ttl.iter_mut().for_each(change);
}

fn values(operation: &mut Operation, change: &mut dyn FnMut(&mut Literal)) {
    let properties: Option<&mut Properties> = match operation {
        Operation::Create(Document { properties, .. })
        | Operation::Upsert(Document { properties, .. })
        | Operation::Replace(Document { properties, .. }, _) => Some(properties),
        Operation::Patch(patch, _) => Some(&mut patch.set),
        Operation::Read(_) | Operation::Delete(..) => None,
    };
    properties.into_iter().flat_map(|properties| properties.values_mut()).for_each(change);
}
