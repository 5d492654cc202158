//! The smallest script that still shows what one has shown.
//!
//! A difference that was found by chance hides among other actions. Shrinking takes away and makes smaller, one
//! thing at a time, the largest first, as long as the difference stays. In the end no single simplification keeps it.

mod simplify;

use std::collections::{BTreeMap, BTreeSet};

use super::{Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Edition, Operation, Request};
use cosmos_ttl_harness::vector::Condition;

pub use simplify::simplifications;

/// How often to look whether a script still fails, where that is quick.
pub const MOST_CALLS: u32 = 4_000;

/// How far a script was shrunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShrinkEffort {
    /// How many scripts were tried.
    pub tried: u32,
    /// No single simplification of the last one fails.
    pub is_complete: bool,
}

/// Returns the smallest script for which `fails` holds that is found by simplifying this one, for which it holds. Calls
/// `fails` at most this often.
pub fn shrink_within(
    script: &Script,
    most_calls: u32,
    fails: &mut dyn FnMut(&Script) -> bool,
) -> (Script, ShrinkEffort) {
    let mut left = most_calls;
    shrink_in_batches(script, 1, &mut |batch| {
        left = left.checked_sub(1)?;
        Some(batch.iter().position(&mut *fails))
    })
}

/// Shrinks where several scripts can be tried at once. `first_failing` returns which of them is the first that fails, if
/// one does; `None` if there is no time left.
pub(super) fn shrink_in_batches(
    script: &Script,
    batch: usize,
    first_failing: &mut dyn FnMut(&[Script]) -> Option<Option<usize>>,
) -> (Script, ShrinkEffort) {
    let mut best = script.clone();
    let mut effort = ShrinkEffort::default();
    // What did not fail once is not tried again.
    let mut tried = BTreeSet::new();
    // Once something could go, its neighbour is likely to go as well; what stands before it was just tried in vain.
    let mut from = 0;
    'better: loop {
        let mut around: Vec<_> = simplifications(&best).into_iter().enumerate().collect();
        let middle = if from < around.len() { from } else { 0 };
        around.rotate_left(middle);
        let mut left = around.into_iter();
        loop {
            let mut known = BTreeSet::new();
            let fresh = left.by_ref().filter(|(_, script)| {
                let text = format!("{script:?}");
                !tried.contains(&text) && known.insert(text)
            });
            let (numbers, scripts): (Vec<_>, Vec<_>) = fresh.take(batch).unzip();
            if scripts.is_empty() {
                effort.is_complete = true;
                return (best, effort);
            }
            let Some(failing) = first_failing(&scripts) else { return (best, effort) };
            let count = failing.map_or(scripts.len(), |number| number + 1);
            effort.tried += u32::try_from(count).unwrap_or(u32::MAX);
            tried.extend(scripts.iter().take(count).map(|script| format!("{script:?}")));
            if let Some((number, smaller)) = failing.and_then(|at| numbers.get(at).zip(scripts.get(at))) {
                (from, best) = (*number, smaller.clone());
                continue 'better;
            }
        }
    }
}

/// How much a script asks of its reader: what counts, the most important first; the fields are compared in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weight {
    operations: usize,
    waits: usize,
    batches: usize,
    items: usize,
    conditions: usize,
    edition: usize,
    kinds: usize,
    indexing: usize,
    settings: usize,
    properties: usize,
    values: u128,
    waited_s: u128,
    /// How many of the items are not called `a`, `b`, `c` in the order in which they turn up.
    names: usize,
}

pub(super) fn weight(script: &Script) -> Weight {
    let mut weight =
        Weight { edition: usize::from(script.edition != Edition::default()), ..Weight::default() };
    weight.add_container(&script.container);
    for (_, seconds) in script.waits() {
        weight.waits += 1;
        weight.waited_s += u128::from(seconds);
    }
    for Call { request, conditions } in script.calls() {
        weight.add_request(request);
        let stale = conditions.iter().filter(|(_, of)| *of == Condition::Stale);
        weight.conditions += conditions.len() + stale.count();
    }
    let ids = ids(script);
    weight.items = ids.len();
    weight.names = ids.iter().enumerate().filter(|(number, id)| name(*number) != **id).count();
    weight
}

/// The items, in the order in which they turn up.
fn ids(script: &Script) -> Vec<&str> {
    let mut ids = Vec::new();
    for id in script.calls().flat_map(|call| call.request.operations()).map(Operation::id) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Returns the final name of an item, by the order in which the items occur.
fn name(number: usize) -> String {
    let letter = u32::try_from(number).ok().and_then(|number| char::from_digit(number + 10, 36));
    letter.map_or_else(|| format!("item-{number}"), String::from)
}

impl Weight {
    fn add_container(&mut self, container: &Container) {
        // In their order: consistent, lazy, none.
        self.indexing += container.indexing as usize;
        self.settings += container.default_ttl.iter().count();
        self.values += container.default_ttl.iter().map(heaviness).sum::<u128>();
    }

    fn add_request(&mut self, request: &Request) {
        self.operations += request.operations().len().max(1);
        self.batches += usize::from(matches!(request, Request::Batch(_)));
        request.container().into_iter().for_each(|container| self.add_container(container));
        self.kinds += match request {
            Request::Item(_) | Request::Query => 0,
            // A batch of nothing is something, too.
            Request::Batch(operations) => usize::from(operations.is_empty()),
            Request::List => 1,
            Request::Count | Request::CreateContainer(_) | Request::ReplaceContainer(_) => 2,
        };
        for operation in request.operations() {
            self.kinds += match operation {
                Operation::Read(_) => 0,
                Operation::Create(_) => 1,
                Operation::Upsert(_) => 2,
                Operation::Replace(..) | Operation::Delete(..) => 3,
                Operation::Patch(patch, _) => {
                    self.properties += patch.remove.len();
                    4
                }
            };
            for value in operation.properties().into_iter().flat_map(BTreeMap::values) {
                self.properties += 1;
                self.values += heaviness(value);
            }
        }
    }
}

/// Whole numbers weigh what they are; whatever else a value is weighs more than any of them.
fn heaviness(value: &Literal) -> u128 {
    const BEYOND: u128 = 1 << 70;
    let written = u128::try_from(value.as_str().len()).unwrap_or(u128::MAX);
    match value.kind() {
        LiteralKind::Whole(-1) => 1,
        LiteralKind::Whole(0) => 1 << 33,
        LiteralKind::Whole(number) if number > 0 => u128::from(number.unsigned_abs()) + 1,
        LiteralKind::Whole(number) => u128::from(number.unsigned_abs()) + (1 << 34),
        LiteralKind::Null => BEYOND,
        LiteralKind::WholeAsFraction(_) | LiteralKind::Other => written + BEYOND,
    }
}
