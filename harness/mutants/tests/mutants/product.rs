//! The product of a mutant and a right store: everything that can happen to both of them, until nothing is new.
//!
//! Compared is, to the letter, what the mutant answers with what one right store answers: the one whose background takes
//! whatever is expired just before the container is switched off, which a background may do at any moment. Beyond that
//! it removes when the mutant's does: by the schedule, and wherever a move takes one item.
//!
//! Two moments are one state if the stores hold the same beside each other (`CombinedState`). That is sound since a store
//! asks the clock only for differences to a write, compares them with lifetimes of at most two seconds, makes each etag
//! new, and compares etags only to be the same: moving all seconds, or naming etags anew, changes no answer but in just
//! that way. It is not taken on trust: of moments that are called one state, every so many are played on by every move,
//! and must answer alike and end in one state again.

pub(crate) mod moves;
mod pair;

use std::collections::{HashMap, VecDeque};

use cosmos_ttl_harness::target::Removal;
use cosmos_ttl_mutants::{CombinedState, IndependentStore};

use moves::{LONGEST_S, Move, Scope};
use pair::Pair;

/// More than any scope has: a product that does not end must not run for ever.
const MOST: usize = 400_000;

/// Of how many moments in a known state one is played on beside the first: no divisor of a number of moves, or it would
/// always be one that the same move led to.
const SAMPLED: u64 = 29;

/// What there is.
#[derive(Debug, Default)]
pub(crate) struct Explored {
    pub(crate) states: usize,
    pub(crate) moves: u64,
    /// Moments that were played on beside the first of their state.
    pub(crate) sampled: u64,
    /// The first of these that went on differently.
    pub(crate) unsound: Option<String>,
    /// Nothing new was left.
    pub(crate) ended: bool,
    /// The shortest row of moves whose last one is answered differently.
    pub(crate) difference: Option<Vec<Move>>,
}

struct Node {
    /// The first moment in this state.
    pair: Pair,
    /// What came before, and which move led from it here.
    from: Option<(usize, usize)>,
}

pub(crate) struct Product<'s> {
    scope: &'s Scope,
    /// After how many seconds all seconds are the same.
    longest_s: u64,
    nodes: Vec<Node>,
    known: HashMap<CombinedState, usize>,
    waiting: VecDeque<usize>,
    explored: Explored,
}

impl<'s> Product<'s> {
    pub(crate) fn of(mutant: IndependentStore, scope: &'s Scope, removal: Removal) -> Explored {
        Self::forgetting_after(LONGEST_S, mutant, scope, removal)
    }

    /// The same with another limit, which is wrong if it is too low.
    pub(crate) fn forgetting_after(
        longest_s: u64,
        mutant: IndependentStore,
        scope: &'s Scope,
        removal: Removal,
    ) -> Explored {
        let mut product = Self {
            scope,
            longest_s,
            nodes: Vec::new(),
            known: HashMap::new(),
            waiting: VecDeque::new(),
            explored: Explored::default(),
        };
        for container in &scope.containers {
            product.reach(Pair::new(mutant, removal, container), None);
        }
        while let Some(number) = product.waiting.pop_front() {
            if product.leave(number) || product.nodes.len() > MOST {
                break;
            }
        }
        let ended = product.waiting.is_empty() && product.explored.difference.is_none();
        Explored { states: product.nodes.len(), ended, ..product.explored }
    }

    /// Plays every move from here; says whether one is answered differently.
    fn leave(&mut self, number: usize) -> bool {
        for (at, one) in self.scope.moves.iter().enumerate() {
            let mut next = self.nodes[number].pair.clone();
            self.explored.moves += 1;
            if !next.play(one).1 {
                self.explored.difference = Some(self.way(number, one));
                return true;
            }
            self.reach(next, Some((number, at)));
        }
        false
    }

    fn reach(&mut self, pair: Pair, from: Option<(usize, usize)>) {
        let state = pair.state(self.longest_s);
        if let Some(known) = self.known.get(&state) {
            if self.explored.moves.is_multiple_of(SAMPLED) && self.explored.unsound.is_none() {
                self.explored.sampled += 1;
                self.explored.unsound = self.goes_on_differently(&self.nodes[*known].pair, &pair);
            }
            return;
        }
        self.waiting.push_back(self.nodes.len());
        self.known.insert(state, self.nodes.len());
        self.nodes.push(Node { pair, from });
    }

    fn goes_on_differently(&self, first: &Pair, second: &Pair) -> Option<String> {
        self.scope.moves.iter().find_map(|one| {
            let (mut first, mut second) = (first.clone(), second.clone());
            let ((a, a_same), (b, b_same)) = (first.play(one), second.play(one));
            let (a, b) = (first.timeless(a), second.timeless(b));
            let alike =
                a == b && a_same == b_same && first.state(self.longest_s) == second.state(self.longest_s);
            (!alike).then(|| format!("{one:?}: {a:?}, {b:?}"))
        })
    }

    fn way(&self, to: usize, last: &Move) -> Vec<Move> {
        let mut way = vec![last.clone()];
        let mut at = to;
        while let Some((before, one)) = self.nodes[at].from {
            way.push(self.scope.moves[one].clone());
            at = before;
        }
        way.reverse();
        way
    }
}
