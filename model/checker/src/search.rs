//! Both searches over one machine, and what they say together.

use stateright::{Checker as _, Model as _};

use super::book::Kind;
use super::engine::{self, Judged, Machine};
use super::report::{Checked, Outcome, Property};
use super::walk::{Walk, walk};

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// stateright, and a walk of our own that must agree with it.
    Both,
    /// The walk alone, for whoever only looks for what is broken: every broken law adds states to stateright's.
    Walk,
}

/// Checks everything that the machine's book says.
pub(super) fn check<M: Machine>(by: By, name: &'static str, about: &'static str, machine: &M) -> Checked {
    let walk = walk(machine);
    let disagreement = match by {
        By::Both => disagreement(machine, &stateright(machine), &walk),
        By::Walk => None,
    };
    let properties = machine.book().properties().iter().enumerate();
    let properties = properties
        .map(|(index, property)| Property {
            kind: property.kind,
            section: property.section,
            clauses: property.clauses,
            sentence: property.sentence,
            outcome: outcome(machine, property.kind, &walk, index),
        })
        .collect();
    let Walk { states, steps, depth, .. } = walk;
    Checked { name, about, unique_states: states, steps, depth, properties, disagreement }
}

fn outcome<M: Machine>(machine: &M, kind: Kind, walk: &Walk<M>, index: usize) -> Outcome {
    let path = walk.paths.get(index).and_then(Option::as_ref);
    let trace = path.and_then(|(start, choices)| engine::told(machine, start, choices, index));
    match (kind, trace) {
        (Kind::Always, None) => Outcome::Held,
        (Kind::Always, Some(trace)) => Outcome::Violated(trace),
        (Kind::Sometimes, None) => Outcome::NotFound,
        (Kind::Sometimes, Some(trace)) => Outcome::Found(trace),
    }
}

/// What stateright says: how many states there are, and which properties it discovered.
pub(super) struct Stateright {
    pub(super) unique_states: usize,
    discovered: Vec<&'static str>,
}

/// The search that has the say.
pub(super) fn stateright<M: Machine>(machine: &M) -> Stateright {
    let checker = Judged(machine.clone()).checker().spawn_bfs().join();
    let mut discovered: Vec<_> = checker.discoveries().into_keys().collect();
    discovered.sort_unstable();
    Stateright { unique_states: checker.unique_state_count(), discovered }
}

fn disagreement<M: Machine>(machine: &M, stateright: &Stateright, walk: &Walk<M>) -> Option<String> {
    let mut broken = false;
    for (property, path) in machine.book().properties().iter().zip(&walk.paths) {
        let discovered = stateright.discovered.binary_search(&property.sentence).is_ok();
        if discovered != path.is_some() {
            return Some(format!(
                "only one search met a step where {}: {}",
                property.sentence,
                path.is_some()
            ));
        }
        broken |= property.kind == Kind::Always && discovered;
    }
    // stateright tells states apart by what the last step broke.
    let unequal = !broken && stateright.unique_states != walk.states;
    unequal
        .then(|| format!("stateright counts {} states, the walk {}", stateright.unique_states, walk.states))
}
