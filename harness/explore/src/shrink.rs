//! The smallest script that still shows what one has shown.
//!
//! A difference that was found by chance hides in what happened beside it. Shrinking takes away and makes smaller, one
//! thing at a time, the largest first, as long as the difference stays. In the end no single simplification keeps it.

mod simplify;
mod weight;

use std::collections::BTreeSet;

use super::Script;

pub use simplify::simplifications;
pub(super) use weight::weight;

/// How often [`shrink`] looks whether a script still fails.
pub const MOST_CALLS: u32 = 4_000;

/// How far a script was shrunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShrinkEffort {
    /// How many scripts were tried.
    pub tried: u32,
    /// No single simplification of the last one fails.
    pub is_complete: bool,
}

/// Returns the smallest script for which `fails` holds that is found by simplifying this one, for which it holds.
pub fn shrink(script: &Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    shrink_within(script, MOST_CALLS, fails).0
}

/// Shrinks with at most this many calls of `fails`.
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
            if let Some((number, smaller)) =
                failing.and_then(|at| Some((*numbers.get(at)?, scripts.get(at)?)))
            {
                from = number;
                best = smaller.clone();
                continue 'better;
            }
        }
    }
}
