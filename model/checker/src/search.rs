//! Both searches over one transition system, and what they say together.
//!
//! A breadth-first walk of our own is there for three reasons: it sees every step, it finds shortest paths (stateright
//! 0.31.0's are far from that), and two searches that count the same states are less likely to have overlooked the same
//! thing.

use std::collections::HashSet;

use super::property_set::PropertyKind;
use super::report::{CheckedModel, CheckedProperty, PropertyResult, Trace};
use super::stateright::{self, StaterightResult};
use super::transition_system::{StateOf, StepOf, TransitionSystem, settings_draft};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchBy {
    /// stateright, and a walk of our own that must agree with it.
    Both,
    /// The walk alone, for callers that only look for what is broken: every broken property adds states to stateright's.
    Walk,
}

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
    let properties = system.properties().iter().zip(&walk.met);
    let properties = properties.map(|(property, met)| {
        let result = match (property.kind, met.and_then(|last| trace(system, &walk.nodes, last))) {
            (PropertyKind::Always, None) => PropertyResult::Held,
            (PropertyKind::Always, Some(trace)) => PropertyResult::Violated(trace),
            (PropertyKind::Sometimes, None) => PropertyResult::NotFound,
            (PropertyKind::Sometimes, Some(trace)) => PropertyResult::Found(trace),
        };
        let (section, clauses, sentence) = (property.section, property.clauses, property.sentence);
        CheckedProperty { kind: property.kind, section, clauses, sentence, result }
    });
    let properties = properties.collect();
    let depth = walk.nodes.last().map_or(0, |node| node.depth);
    let (unique_states, steps) = (walk.nodes.len(), walk.steps);
    CheckedModel { name, about, unique_states, steps, depth, properties, disagreement }
}

fn disagreement<T: TransitionSystem>(
    system: &T,
    stateright: &StaterightResult,
    walk: &Walk<T>,
) -> Option<String> {
    let (mut broken, mut everything) = (false, true);
    for (property, (walked, met)) in system.properties().iter().zip(walk.met.iter().zip(&stateright.met)) {
        let walked = walked.is_some();
        if walked != *met {
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
    let (counted, walked) = (stateright.count.states, walk.nodes.len());
    (!broken && counted != walked).then(|| format!("stateright counts {counted} states, the walk {walked}"))
}

struct Walk<T: TransitionSystem> {
    nodes: Vec<WalkNode<StateOf<T>>>,
    /// How many steps lead from one state to another or to itself.
    steps: usize,
    /// For each property, the first step that breaks it (*always*) or shows it (*sometimes*).
    met: Vec<Option<StepFrom>>,
}

/// The number of a node, and of the action that is taken there.
type StepFrom = (usize, usize);

pub(super) struct WalkNode<S> {
    pub(super) state: S,
    /// The step by which it was reached first.
    from: Option<StepFrom>,
    depth: usize,
}

/// Walks through every state that can be reached, and judges every step.
fn walk<T: TransitionSystem>(system: &T) -> Walk<T> {
    let properties = system.properties();
    let mut met = vec![None; properties.len()];
    let mut steps = 0;
    let nodes = explore(system, |from, _, step, _| {
        steps += 1;
        for (property, met) in properties.iter().zip(&mut met) {
            if met.is_none() && property.is_met(step) {
                *met = Some(from);
            }
        }
    });
    Walk { nodes, steps, met }
}

/// Walks through every state that can be reached, nearest first, and shows each step between its two states.
pub(super) fn explore<T: TransitionSystem>(
    system: &T,
    mut visit: impl FnMut(StepFrom, &StateOf<T>, &StepOf<T>, &StateOf<T>),
) -> Vec<WalkNode<StateOf<T>>> {
    let mut known: HashSet<StateOf<T>> = HashSet::new();
    let mut nodes = Vec::new();
    let start = system.start().into_iter().filter(|state| known.insert(state.clone()));
    nodes.extend(start.map(|state| WalkNode { state, from: None, depth: 0 }));
    let mut at = 0;
    while let Some((state, depth)) = nodes.get(at).map(|node| (node.state.clone(), node.depth + 1)) {
        let prepared = system.prepare(&state);
        for (index, action) in system.actions(&state).into_iter().enumerate() {
            let Some((step, next)) = system.take(&prepared, action) else { continue };
            visit((at, index), &state, &step, &next);
            // Most steps lead to a state that is known, and then nothing is cloned.
            if !known.contains(&next) {
                known.insert(next.clone());
                nodes.push(WalkNode { state: next, from: Some((at, index)), depth });
            }
        }
        at += 1;
    }
    nodes
}

/// A shortest path to a step, for people to read.
fn trace<T: TransitionSystem>(system: &T, nodes: &[WalkNode<StateOf<T>>], last: StepFrom) -> Option<Trace> {
    let mut actions = Vec::new();
    let mut from = Some(last);
    let mut state = None;
    while let Some((at, action)) = from {
        let node = nodes.get(at)?;
        actions.push(system.actions(&node.state).into_iter().nth(action)?);
        (state, from) = (Some(node.state.clone()), node.from);
    }
    let mut state = state?;
    let opening = settings_draft(&state.world.world());
    let mut events = Vec::new();
    for action in actions.iter().rev() {
        let (step, next) = system.take(&system.prepare(&state), action.clone())?;
        events.extend(system.events(&step));
        state = next;
    }
    events.extend(system.look(&state));
    Some(Trace { opening, steps: actions.len(), events })
}
