//! The smallest storyboard that still shows what one has shown.
//!
//! A difference that was found by chance hides in what happened beside it. [`shrink`] takes away and makes smaller, one
//! thing at a time, the largest first, as long as the difference stays; in the end nothing more can be taken away.

mod actions;
mod lifetimes;
mod requests;
mod weight;

use std::collections::BTreeSet;

use super::Script;

/// How often [`shrink`] looks whether a storyboard still fails.
pub const MOST_CALLS: u32 = 4_000;

/// The smallest storyboard for which `fails` holds that can be found by simplifying this one, for which it holds.
pub fn shrink(board: &Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    shrink_within(board, MOST_CALLS, fails)
}

/// The same with so many calls at most, for targets that take their time.
///
/// With enough of them no single simplification of what comes out fails.
pub fn shrink_within(board: &Script, most_calls: u32, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut tree = Shrinking::new(board.clone());
    let mut more = tree.simplify();
    for _ in 0..most_calls {
        if !more {
            break;
        }
        more = if fails(&tree.candidate) { tree.simplify() } else { tree.complicate() };
    }
    tree.best
}

/// Everything that is this storyboard with one thing simpler, the greatest simplification first. Each weighs less than
/// it, so that no row of simplifications comes back to where it began.
pub fn simplifications(board: &Script) -> Vec<Script> {
    let mut all = actions::fewer(board);
    all.extend(actions::calmer(board));
    all.extend(requests::simpler(board));
    all.extend(lifetimes::shorter(board));
    let weight = weight::of(board);
    all.retain(|simpler| actions::is_legal(simpler) && weight::of(simpler) < weight);
    all
}

/// A storyboard that fails, and what is tried next in its place.
#[derive(Clone, Debug)]
struct Shrinking {
    /// Fails.
    best: Script,
    /// What is being tried.
    candidate: Script,
    /// Every simplification of the best, and how many of them were tried since it became the best.
    around: Vec<Script>,
    at: usize,
    tried_here: usize,
    /// Everything that was ever tried: what did not fail once is not asked again.
    tried: BTreeSet<String>,
}

impl Shrinking {
    fn new(board: Script) -> Self {
        let around = simplifications(&board);
        let candidate = board.clone();
        Self { best: board, candidate, around, at: 0, tried_here: 0, tried: BTreeSet::new() }
    }

    /// Goes on to the next simplification of the best, around and around, until all of them were tried.
    fn next(&mut self) -> bool {
        while self.tried_here < self.around.len() {
            self.at = if self.at < self.around.len() { self.at } else { 0 };
            let Some(candidate) = self.around.get(self.at).cloned() else { break };
            self.at = self.at.saturating_add(1);
            self.tried_here = self.tried_here.saturating_add(1);
            if self.tried.insert(format!("{candidate:?}")) {
                self.candidate = candidate;
                return true;
            }
        }
        self.candidate = self.best.clone();
        false
    }

    /// The candidate fails: it is the best now.
    fn simplify(&mut self) -> bool {
        if self.candidate != self.best {
            self.best = self.candidate.clone();
            // Whatever stands at the same place is likely to go as well; what stands before it was just tried in vain.
            self.at = self.at.saturating_sub(1);
            self.around = simplifications(&self.best);
            self.tried_here = 0;
        }
        self.next()
    }

    /// The candidate does not fail: back to the best, and on.
    fn complicate(&mut self) -> bool {
        self.next()
    }
}
