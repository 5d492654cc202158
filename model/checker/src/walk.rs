//! A breadth-first walk of our own beside stateright's.
//!
//! It is there for three reasons: it sees every step, it finds shortest paths (stateright 0.31.0's are far from that),
//! and two searches that count the same states are less likely to have overlooked the same thing.

use std::collections::HashSet;

use super::book::Kind;
use super::engine::Machine;

/// What a walk through every reachable state met.
#[derive(Debug)]
pub(super) struct Walk<M: Machine> {
    /// How many different states there are.
    pub(super) states: usize,
    /// How many steps lead from one to another or to itself.
    pub(super) steps: usize,
    /// The greatest distance of a state from the nearest start.
    pub(super) depth: usize,
    /// For each property, a shortest path whose last step breaks it (*always*) or shows it (*sometimes*).
    pub(super) paths: Vec<Option<Steps<M>>>,
}

/// A start, and the moves from there.
type Steps<M> = (<M as Machine>::State, Vec<<M as Machine>::Move>);

struct Node<S> {
    state: S,
    /// Which node it was reached from first, and by which of its moves.
    from: Option<(u32, u16)>,
    depth: u16,
}

struct Graph<'a, M: Machine> {
    machine: &'a M,
    nodes: Vec<Node<M::State>>,
    known: HashSet<M::State>,
}

impl<M: Machine> Graph<'_, M> {
    fn add(&mut self, state: M::State, from: Option<(u32, u16)>, depth: u16) {
        if self.known.insert(state.clone()) {
            self.nodes.push(Node { state, from, depth });
        }
    }

    /// The moves that lead from a start to this node, and on by one more.
    fn path(&self, mut at: u32, last: M::Move) -> Option<Steps<M>> {
        let mut moves = vec![last];
        loop {
            let node = self.nodes.get(usize::try_from(at).ok()?)?;
            let Some((parent, choice)) = node.from else {
                moves.reverse();
                return Some((node.state.clone(), moves));
            };
            let before = &self.nodes.get(usize::try_from(parent).ok()?)?.state;
            moves.push(self.machine.moves(before).into_iter().nth(usize::from(choice))?);
            at = parent;
        }
    }
}

/// Walks through every state that can be reached, and judges every step.
pub(super) fn walk<M: Machine>(machine: &M) -> Walk<M> {
    let properties = machine.book().properties();
    let mut graph = Graph { machine, nodes: Vec::new(), known: HashSet::new() };
    let mut paths: Vec<Option<Steps<M>>> = properties.iter().map(|_| None).collect();
    let mut steps: usize = 0;
    for start in machine.start() {
        graph.add(start, None, 0);
    }
    let mut at: u32 = 0;
    while let Some(node) = usize::try_from(at).ok().and_then(|at| graph.nodes.get(at)) {
        let (state, depth) = (node.state.clone(), node.depth);
        let ready = machine.ready(&state);
        for (choice, index) in machine.moves(&state).into_iter().zip(0u16..) {
            let Some((step, next)) = machine.take(&ready, &choice) else { continue };
            steps = steps.saturating_add(1);
            for (property, path) in properties.iter().zip(&mut paths) {
                if path.is_none() && (property.kind == Kind::Sometimes) == (property.holds)(&step) {
                    *path = graph.path(at, choice.clone());
                }
            }
            graph.add(next, Some((at, index)), depth.saturating_add(1));
        }
        at = at.saturating_add(1);
    }
    let depth = graph.nodes.last().map_or(0, |node| usize::from(node.depth));
    Walk { states: graph.nodes.len(), steps, depth, paths }
}
