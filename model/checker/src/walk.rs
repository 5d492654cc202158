//! A breadth-first walk of our own beside stateright's.
//!
//! It is there for three reasons: it sees every step, it finds shortest paths (stateright 0.31.0's are far from that),
//! and two searches that count the same states are less likely to have overlooked the same thing.

use core::hash::{BuildHasherDefault, Hasher};
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
    known: HashSet<M::State, BuildHasherDefault<Mixer>>,
}

/// Hashes a number at a time. Nobody chooses our states to make them collide, so the usual care is not needed.
#[derive(Default)]
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = low(product) ^ low(product >> 64);
    }
}

fn low(number: u128) -> u64 {
    u64::try_from(number & u128::from(u64::MAX)).unwrap_or(u64::MAX)
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            self.mix(chunk.iter().fold(1, |number, byte| number << 8 | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_u128(&mut self, number: u128) {
        self.mix(low(number));
        self.mix(low(number >> 64));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<M: Machine> Graph<'_, M> {
    fn add(&mut self, state: M::State, from: Option<(u32, u16)>, depth: u16) {
        // Most steps lead to a state that is known, and then nothing is cloned.
        if !self.known.contains(&state) {
            self.known.insert(state.clone());
            self.nodes.push(Node { state, from, depth });
        }
    }

    /// The moves that lead from a start to this node, and on by the one of this number.
    fn path(&self, mut at: u32, mut choice: u16) -> Option<Steps<M>> {
        let mut moves = Vec::new();
        loop {
            let node = self.nodes.get(usize::try_from(at).ok()?)?;
            moves.push(self.machine.moves(&node.state).into_iter().nth(usize::from(choice))?);
            let Some(from) = node.from else {
                moves.reverse();
                return Some((node.state.clone(), moves));
            };
            (at, choice) = from;
        }
    }
}

/// Walks through every state that can be reached, and judges every step.
pub(super) fn walk<M: Machine>(machine: &M) -> Walk<M> {
    let properties = machine.book().properties();
    let mut graph = Graph { machine, nodes: Vec::new(), known: HashSet::default() };
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
            let Some((step, next)) = machine.take(&ready, choice) else { continue };
            steps = steps.saturating_add(1);
            for (property, path) in properties.iter().zip(&mut paths) {
                if path.is_none() && (property.kind == Kind::Sometimes) == (property.holds)(&step) {
                    *path = graph.path(at, index);
                }
            }
            graph.add(next, Some((at, index)), depth.saturating_add(1));
        }
        at = at.saturating_add(1);
    }
    let depth = graph.nodes.last().map_or(0, |node| usize::from(node.depth));
    Walk { states: graph.nodes.len(), steps, depth, paths }
}
