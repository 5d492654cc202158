//! A breadth-first walk of our own beside stateright's.
//!
//! It is there for three reasons: it sees every step, it finds shortest paths (stateright 0.31.0's are far from that),
//! and two searches that count the same states are less likely to have overlooked the same thing.

use std::collections::HashSet;

use super::property_set::PropertyKind;
use super::step::ModelAction;
use super::transition_system::{StateOf, TransitionSystem};

/// What a walk through every reachable state met.
#[derive(Debug)]
pub(super) struct WalkResult<T: TransitionSystem> {
    /// How many different states there are.
    pub(super) states: usize,
    /// How many steps lead from one to another or to itself.
    pub(super) steps: usize,
    /// The greatest distance of a state from the nearest start.
    pub(super) depth: usize,
    /// For each property, a shortest path whose last step breaks it (*always*) or shows it (*sometimes*).
    pub(super) paths: Vec<Option<ActionPath<T>>>,
}

/// A start, and the actions from there.
type ActionPath<T> = (StateOf<T>, Vec<ModelAction>);

struct WalkNode<S> {
    state: S,
    /// Which node it was reached from first, and by which of its actions.
    from: Option<(u32, u16)>,
    depth: u16,
}

struct WalkGraph<'a, T: TransitionSystem> {
    system: &'a T,
    nodes: Vec<WalkNode<StateOf<T>>>,
    known: HashSet<StateOf<T>>,
}

impl<T: TransitionSystem> WalkGraph<'_, T> {
    fn add(&mut self, state: StateOf<T>, from: Option<(u32, u16)>, depth: u16) {
        // Most steps lead to a state that is known, and then nothing is cloned.
        if !self.known.contains(&state) {
            self.known.insert(state.clone());
            self.nodes.push(WalkNode { state, from, depth });
        }
    }

    /// The actions that lead from a start to this node, and on by the one of this number.
    fn path(&self, mut at: u32, mut action: u16) -> Option<ActionPath<T>> {
        let mut actions = Vec::new();
        loop {
            let node = self.nodes.get(usize::try_from(at).ok()?)?;
            actions.push(self.system.actions(&node.state).into_iter().nth(usize::from(action))?);
            let Some(from) = node.from else {
                actions.reverse();
                return Some((node.state.clone(), actions));
            };
            (at, action) = from;
        }
    }
}

/// Walks through every state that can be reached, and judges every step.
pub(super) fn walk<T: TransitionSystem>(system: &T) -> WalkResult<T> {
    let properties = system.properties();
    let mut graph = WalkGraph { system, nodes: Vec::new(), known: HashSet::new() };
    let mut paths: Vec<Option<ActionPath<T>>> = properties.iter().map(|_| None).collect();
    let mut steps: usize = 0;
    for start in system.start() {
        graph.add(start, None, 0);
    }
    let mut at: u32 = 0;
    while let Some(node) = usize::try_from(at).ok().and_then(|at| graph.nodes.get(at)) {
        let (state, depth) = (node.state.clone(), node.depth);
        let prepared = system.prepare(&state);
        for (action, index) in system.actions(&state).into_iter().zip(0u16..) {
            let Some((step, next)) = system.take(&prepared, action) else { continue };
            steps += 1;
            for (property, path) in properties.iter().zip(&mut paths) {
                if path.is_none() && (property.kind == PropertyKind::Sometimes) == (property.holds)(&step) {
                    *path = graph.path(at, index);
                }
            }
            graph.add(next, Some((at, index)), depth + 1);
        }
        at += 1;
    }
    let depth = graph.nodes.last().map_or(0, |node| usize::from(node.depth));
    WalkResult { states: graph.nodes.len(), steps, depth, paths }
}
