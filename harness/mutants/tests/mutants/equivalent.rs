//! Mutants that no client can tell from a correct store: no sequence of requests shows a difference.
//!
//! That is the product of a mutant and a right store: everything that can happen, until nothing is new.
//!
//! Compared is, to the letter, what the mutant answers with what one right store answers: the one whose background takes
//! whatever is expired just before the container is switched off, which a background may do at any moment. Beyond that
//! it removes when the mutant's does: by the schedule, and wherever a move takes one item.
//!
//! Two moments are one state if the stores hold the same (`CombinedState`). That is sound since a store
//! asks the clock only for differences to a write, compares them with lifetimes of at most two seconds, makes each etag
//! new, and compares etags only to be the same: moving all seconds, or renaming etags, changes no answer but in just
//! that way. It is not taken on trust: of moments that are called one state, some at regular distances are played on by every move,
//! and must answer alike and end in one state again.

mod actions;
mod pair;

use std::collections::{HashMap, VecDeque};

use cosmos_ttl_harness::target::Removal;
use cosmos_ttl_mutants::{IndependentStore, Mutant, Mutation, mutants, named};

use actions::{Action, LONGEST_S, Scope, one_item, two_items};
use pair::{CombinedState, Pair};

/// More than any scope has: a product that does not end must not run forever.
const MOST: usize = 400_000;

/// Of how many moments in a known state one is continued in addition to the first: no divisor of a number of moves, or it would
/// always be one that the same move led to.
const SAMPLED: u64 = 29;

/// The states that were reached.
#[derive(Debug, Default)]
struct Explored {
    states: usize,
    moves: u64,
    /// Moments that were continued in addition to the first of their state.
    sampled: u64,
    /// The first of these that went on differently.
    unsound: Option<String>,
    /// Nothing new was left.
    ended: bool,
    /// The shortest row of moves whose last one is answered differently.
    difference: Option<Vec<Action>>,
}

struct Node {
    /// The first moment in this state.
    pair: Pair,
    /// The previous state, and the move from it.
    from: Option<(usize, usize)>,
}

struct Product<'s> {
    scope: &'s Scope,
    /// After how many seconds all seconds are the same.
    longest_s: u64,
    nodes: Vec<Node>,
    known: HashMap<CombinedState, usize>,
    waiting: VecDeque<usize>,
    explored: Explored,
}

impl<'s> Product<'s> {
    fn of(mutant: IndependentStore, scope: &'s Scope, removal: Removal) -> Explored {
        Self::forgetting_after(LONGEST_S, mutant, scope, removal)
    }

    /// The same with another limit, which is wrong if it is too low.
    fn forgetting_after(
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
        for (at, one) in self.scope.actions.iter().enumerate() {
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
        self.scope.actions.iter().find_map(|one| {
            let (mut first, mut second) = (first.clone(), second.clone());
            let ((a, a_same), (b, b_same)) = (first.play(one), second.play(one));
            let (a, b) = (first.timeless(a), second.timeless(b));
            let alike =
                a == b && a_same == b_same && first.state(self.longest_s) == second.state(self.longest_s);
            (!alike).then(|| format!("{one:?}: {a:?}, {b:?}"))
        })
    }

    fn way(&self, to: usize, last: &Action) -> Vec<Action> {
        let mut way = vec![last.clone()];
        let mut at = to;
        while let Some((before, one)) = self.nodes[at].from {
            way.push(self.scope.actions[one].clone());
            at = before;
        }
        way.reverse();
        way
    }
}

/// Whether nothing but its state decides what a store answers: of the mutations only one is said to be so, since others
/// may remember more, or go by the calendar.
fn is_decided_by_state(store: IndependentStore) -> bool {
    matches!(store.mutation, None | Some(Mutation::SweepsWhenSwitchedOff))
}

/// Explores the product to its end, and says how many states it has.
#[track_caller]
fn check_equal(mutant: &Mutant, scope: &Scope) -> usize {
    assert!(is_decided_by_state(mutant.store()), "{} remembers more than its state", mutant.name);
    let name = format!("{}, {}", mutant.name, scope.name);
    let mut states = 0;
    for removal in scope.removals {
        let explored = Product::of(mutant.store(), scope, *removal);
        assert!(explored.difference.is_none(), "{name}, {removal}: {:#?}", explored.difference);
        assert_eq!(explored.unsound, None, "{name}, {removal}");
        assert!(explored.ended && 100 < explored.sampled, "{name}, {removal}: {explored:?}");
        states += explored.states;
    }
    states
}

#[test]
fn whoever_is_called_equivalent_is_told_by_nothing_that_can_happen() {
    let equivalent: Vec<&Mutant> = mutants().filter(|mutant| mutant.equivalent.is_some()).collect();
    assert!(!equivalent.is_empty());
    for mutant in equivalent {
        let states: usize = [one_item(), two_items()].iter().map(|scope| check_equal(mutant, scope)).sum();
        let says = mutant.equivalent.unwrap();
        assert!(says.contains(&format!(" all {states} states ")), "{states}: {says}");
    }
}

#[test]
fn the_same_product_tells_mutants_that_do_almost_the_same() {
    for name in
        ["removal-works-while-off", "removal-trusts-the-etag", "off-honours-own-ttl", "settings-touch-ts"]
    {
        let scope = one_item();
        let mut explored =
            scope.removals.iter().map(|removal| Product::of(named(name).unwrap(), &scope, *removal));
        assert!(explored.any(|explored| explored.difference.is_some()), "{name}");
    }
}

#[test]
fn whoever_remembers_more_is_not_said_to_be_held_in_a_state() {
    for (name, held) in
        [("right", true), ("removal-trusts-the-etag", false), ("looks-every-five-seconds", false)]
    {
        assert_eq!(named(name).map(is_decided_by_state), Ok(held), "{name}");
    }
}

#[test]
fn two_moments_that_are_called_one_too_early_do_not_go_on_alike() {
    let mutant = named("removal-finishes-when-switched-off").unwrap();
    let scope = one_item();
    for longest_s in [0, 1] {
        let explored = Product::forgetting_after(longest_s, mutant, &scope, scope.removals[0]);
        assert!(explored.unsound.is_some(), "{longest_s} s: {explored:?}");
    }
}
