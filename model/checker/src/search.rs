//! Both searches over one transition system, and what they say together.
//!
//! A breadth-first walk of our own is there for three reasons: it sees every step, it finds shortest paths (stateright
//! 0.31.0's are far from that), and two searches that count the same states are less likely to have overlooked the same
//! thing.

use std::collections::HashSet;

use super::property_set::PropertyKind;
use super::report::{CheckedModel, CheckedProperty, PropertyResult};
use super::stateright::{self, StaterightResult};
use super::step::ModelAction;
use super::transition_system::{StateOf, TransitionSystem, trace};

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchBy {
    /// stateright, and a walk of our own that must agree with it.
    Both,
    /// The walk alone, for callers that only look for what is broken: every broken property adds states to stateright's.
    Walk,
}

/// Checks everything that the system's book says.
pub(super) fn check<T: TransitionSystem>(
    by: SearchBy,
    name: &'static str,
    about: &'static str,
    system: &T,
) -> CheckedModel {
    let walk = walk(system);
    let disagreement = match by {
        SearchBy::Both => disagreement(system, &stateright::search(system), &walk),
        SearchBy::Walk => None,
    };
    let properties = system.properties().iter().enumerate();
    let properties = properties
        .map(|(index, property)| CheckedProperty {
            kind: property.kind,
            section: property.section,
            clauses: property.clauses,
            sentence: property.sentence,
            result: result(system, property.kind, &walk, index),
        })
        .collect();
    let WalkResult { states, steps, depth, .. } = walk;
    CheckedModel { name, about, unique_states: states, steps, depth, properties, disagreement }
}

fn result<T: TransitionSystem>(
    system: &T,
    kind: PropertyKind,
    walk: &WalkResult<T>,
    index: usize,
) -> PropertyResult {
    let path = walk.paths.get(index).and_then(Option::as_ref);
    let trace = path.and_then(|(start, actions)| trace(system, start, actions, index));
    match (kind, trace) {
        (PropertyKind::Always, None) => PropertyResult::Held,
        (PropertyKind::Always, Some(trace)) => PropertyResult::Violated(trace),
        (PropertyKind::Sometimes, None) => PropertyResult::NotFound,
        (PropertyKind::Sometimes, Some(trace)) => PropertyResult::Found(trace),
    }
}

fn disagreement<T: TransitionSystem>(
    system: &T,
    stateright: &StaterightResult,
    walk: &WalkResult<T>,
) -> Option<String> {
    let (mut broken, mut everything) = (false, true);
    for (property, path) in system.properties().iter().zip(&walk.paths) {
        let walked = path.is_some();
        if walked != (stateright.met & property.mark != 0) {
            return Some(format!("only one search met a step where {}: {walked}", property.sentence));
        }
        match property.kind {
            PropertyKind::Always => broken |= walked,
            PropertyKind::Sometimes => everything &= walked,
        }
    }
    if stateright.broken != broken {
        return Some(format!("only one search found a broken law, the walk: {broken}"));
    }
    // The other way round says too much: the last *sometimes* may be seen in a step from the last state.
    if stateright.everything && !everything {
        return Some("stateright saw every sight, the walk did not".to_string());
    }
    // stateright tells states apart by whether the last step broke something.
    let unequal = !broken && stateright.unique_states != walk.states;
    unequal
        .then(|| format!("stateright counts {} states, the walk {}", stateright.unique_states, walk.states))
}

#[derive(Debug)]
struct WalkResult<T: TransitionSystem> {
    states: usize,
    /// How many steps lead from one to another or to itself.
    steps: usize,
    /// The greatest distance of a state from the nearest start.
    depth: usize,
    /// For each property, a shortest path whose last step breaks it (*always*) or shows it (*sometimes*).
    paths: Vec<Option<ActionPath<T>>>,
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
fn walk<T: TransitionSystem>(system: &T) -> WalkResult<T> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age_abstraction::AgeCap;
    use crate::container::ContainerSystem;
    use crate::shipped;
    use crate::transition_system::ItemOrder;

    #[test]
    fn searches_that_differ_in_a_count_or_a_property_disagree() {
        let system = ContainerSystem::few(&shipped(), 1, AgeCap::Longest(2), ItemOrder::Named);
        let (stateright, mut walk) = (stateright::search(&system), walk(&system));
        assert!(stateright.everything && !stateright.broken);
        assert_eq!(disagreement(&system, &stateright, &walk), None);
        walk.states += 1;
        assert!(disagreement(&system, &stateright, &walk).is_some_and(|text| text.contains("states")));
        walk.states -= 1;
        for index in 0..walk.paths.len() {
            let found = walk.paths[index].take();
            walk.paths[index] = if found.is_none() { walk.paths[1].clone() } else { None };
            let sentence = system.properties()[index].sentence;
            assert!(disagreement(&system, &stateright, &walk).is_some_and(|text| text.contains(sentence)));
            walk.paths[index] = found;
        }
    }
}
